// @ts-check
/** The rules of a game in our own words: searchable, every chapter with an address of its own. */
import { get } from "../api.js";
import { h, paint, render } from "../draw.js";
import { t } from "../words.js";
import { emblem } from "../boards/emblems.js";

/** @typedef {{title: string, anchor: string, parts: (string | string[])[]}} RuleChapter */

/** @param {string} game @returns {Promise<RuleChapter[]>} */
async function chaptersOf(game) {
  const { games } = await get("games");
  /** @type {any[][]} */
  const rules = games.find((/** @type {any} */ known) => known.id === game)?.rules ?? [];
  return rules.map(([title, ...parts]) => ({ title, anchor: anchorOf(title), parts }));
}

/** "Your turn: one action" as "your-turn-one-action". @param {string} title */
function anchorOf(title) {
  return title.toLocaleLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "");
}

/** @param {RuleChapter} chapter @param {string} [words] what is looked for */
function chapterParts(chapter, words = "") {
  return chapter.parts.map((each) => (Array.isArray(each) ? h("ul", {}, each.map((item) => h("li", {}, marked(item, words)))) : h("p", {}, marked(each, words))));
}

/** The text with what was looked for marked in it. @param {string} text @param {string} words */
function marked(text, words) {
  if (!words) return [text];
  const low = text.toLocaleLowerCase();
  /** @type {import("../draw.js").Part[]} */
  const out = [];
  let from = 0;
  for (let at = low.indexOf(words); at >= 0; at = low.indexOf(words, from)) {
    out.push(text.slice(from, at), h("mark", {}, text.slice(at, at + words.length)));
    from = at + words.length;
  }
  return [...out, text.slice(from)];
}

/** The chapters in which it stands. @param {RuleChapter[]} chapters @param {string} words */
function found(chapters, words) {
  return chapters.filter((chapter) => [chapter.title, ...chapter.parts.flat()].some((each) => each.toLocaleLowerCase().includes(words)));
}

/** The help of a game, for a dialog. @param {string} game @returns {Promise<import("../draw.js").Drawn[]>} */
export async function helpOf(game) {
  const chapters = await chaptersOf(game);
  if (!chapters.length) return [h("p", {}, t("help.none"))];
  return chapters.flatMap((chapter) => [h("h3", {}, h("a", { href: `#/help/${game}/${chapter.anchor}` }, chapter.title)), ...chapterParts(chapter)]);
}

/** @param {import("../app.js").App} app @param {string} game @param {string} [anchor] a chapter @returns {Promise<import("../app.js").Screen>} */
export async function open(app, game, anchor = "") {
  const chapters = await chaptersOf(game);
  const element = render(h("div", { class: "rules" }));
  let words = "";
  function draw() {
    const shown = found(chapters, words);
    const search = (event) => {
      words = event.currentTarget.value.trim().toLocaleLowerCase();
      draw();
    };
    paint(element, [
      h("h1", { class: "row" }, emblem(game, 44), " ", app.game(game).title),
      h(
        "nav",
        { class: "panel rules-index", "aria-label": t("help.chapters") },
        h("input", { type: "search", maxlength: 60, placeholder: t("help.search"), "aria-label": t("help.search"), "data-search": "", input: search }),
        h("ul", {}, shown.map((chapter) => h("li", {}, h("a", { href: `#/help/${game}/${chapter.anchor}`, "aria-current": chapter.anchor === anchor ? "true" : null }, chapter.title)))),
        h("p", {}, h("a", { href: "#/" }, t("home.title"))),
      ),
      h(
        "div",
        { class: "help" },
        shown.length ? null : h("p", { class: "hint", role: "status" }, t(chapters.length ? "help.notFound" : "help.none")),
        shown.map((chapter) => h("section", { key: chapter.anchor, class: `panel${chapter.anchor === anchor ? " chosen" : ""}`, "data-anchor": chapter.anchor }, h("h2", {}, marked(chapter.title, words)), chapterParts(chapter, words))),
      ),
    ]);
  }
  draw();
  // The person asked for this chapter by its address; the page is shown after this function.
  if (anchor) setTimeout(() => element.querySelector(`[data-anchor="${CSS.escape(anchor)}"]`)?.scrollIntoView({ block: "start" }));
  return { element };
}
