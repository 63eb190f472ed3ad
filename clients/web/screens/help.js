// @ts-check
/** The rules of a game as a page: searchable, every chapter and every paragraph with an address of its own. */
import { h, paint, render } from "../draw.js";
import { t } from "../words.js";
import { banner } from "../boards/banners.js";
import { found, marked, paragraph, rulesOf } from "../ui/rules/rules.js";

/** @typedef {import("../ui/rules/rules.js").Chapter} Chapter @typedef {import("../ui/rules/rules.js").Paragraph} Paragraph */

/** The chapters in which it stands, each with the paragraphs that have it; all of a chapter whose title has it. @param {Chapter[]} chapters @param {string} words @returns {Chapter[]} */
function search(chapters, words) {
  const has = (text) => text.toLocaleLowerCase().includes(words);
  const told = (/** @type {Paragraph} */ part) => [part.text, ...(part.list ?? []), part.caption ?? ""].some(has);
  return chapters.map((chapter) => (has(chapter.title) ? chapter : { ...chapter, parts: chapter.parts.filter(told) })).filter((chapter) => chapter.parts.length);
}

/** @param {import("../app.js").App} app @param {string} game @param {string} [anchor] a chapter or a paragraph @returns {Promise<import("../app.js").Screen>} */
export async function open(app, game, anchor = "") {
  const rules = await rulesOf(game);
  const current = found(rules, anchor).chapter?.id;
  const element = render(h("div", { class: "rules" }));
  let words = "";
  function draw() {
    const shown = search(rules.chapters, words);
    const typed = (event) => {
      words = event.currentTarget.value.trim().toLocaleLowerCase();
      draw();
    };
    paint(element, [
      h("header", { class: "page-head" }, banner(game, true), h("h1", {}, app.game(game).title)),
      h(
        "nav",
        { class: "panel rules-index", "aria-label": t("help.chapters") },
        h("input", { type: "search", maxlength: 60, placeholder: t("help.search"), "aria-label": t("help.search"), "data-search": "", input: typed }),
        h("ul", {}, shown.map((chapter) => h("li", {}, h("a", { href: `#/help/${game}/${chapter.id}`, "aria-current": chapter.id === current ? "true" : null }, chapter.title)))),
        h("p", {}, h("a", { href: "#/" }, t("home.title"))),
      ),
      h(
        "div",
        { class: "help" },
        shown.length ? null : h("p", { class: "hint", role: "status" }, t(rules.chapters.length ? "help.notFound" : "help.none")),
        shown.map((chapter) =>
          h(
            "section",
            { key: chapter.id, class: `panel${chapter.id === anchor ? " chosen" : ""}`, "data-anchor": chapter.id, "data-chapter": "" },
            h("h2", {}, marked(chapter.title, words)),
            chapter.parts.map((part) => paragraph(rules, part, words, anchor)),
          ),
        ),
      ),
    ]);
  }
  draw();
  // The person asked for this place by its address; the page is shown after this function.
  if (anchor) setTimeout(() => element.querySelector(`[data-anchor="${CSS.escape(anchor)}"]`)?.scrollIntoView({ block: "start" }));
  return { element };
}
