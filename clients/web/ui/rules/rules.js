// @ts-check
/** The rules of a game in our own words: chapters of paragraphs, with pictures that the board itself draws. */
import { get } from "../../api.js";
import { h } from "../../draw.js";
import { t } from "../../words.js";
import { rulesOn } from "../../boards/index.js";
import { dialog } from "../page/dialog.js";

/**
 * @typedef {{id: string, text: string, list?: string[], picture?: string, caption?: string}} Paragraph
 * @typedef {{id: string, title: string, parts: Paragraph[]}} Chapter
 * @typedef {{game: string, chapters: Chapter[], about: Record<string, string>, pictures: Record<string, () => any>}} Rules
 * @typedef {import("../../draw.js").Drawn} Drawn
 */

/** @param {string} game @returns {Promise<Rules>} */
export async function rulesOf(game) {
  const [{ games }, { ABOUT, PICTURES }] = await Promise.all([get("games"), rulesOn(game)]);
  return { game, chapters: games.find((/** @type {any} */ known) => known.id === game)?.rules ?? [], about: ABOUT, pictures: PICTURES };
}

/** Which paragraph speaks about an element: what it says itself, or what it stands for, or what it lies in. @param {Element | null} element @param {Rules["about"]} about @returns {string | null} */
export function paragraphOf(element, about) {
  for (let part = element; part; part = part.parentElement) {
    const named = part.getAttribute("data-about");
    if (named) return named;
    for (const id of [part.getAttribute("data-target"), part.getAttribute("data-at")]) {
      const found = id && (about[id.replace(/\b\d+\b/g, "*").replaceAll("-*", "*")] ?? about[id] ?? about[id.split(":")[0]]);
      if (found) return found;
    }
  }
  return null;
}

/** The chapter and the paragraph of an address. @param {Rules} rules @param {string} id */
export function found(rules, id) {
  const chapter = rules.chapters.find((each) => each.id === id || each.parts.some((part) => part.id === id)) ?? null;
  return { chapter, part: chapter?.parts.find((each) => each.id === id) ?? null };
}

/** A paragraph with its picture. @param {Rules} rules @param {Paragraph} part @param {string} [words] what is looked for @param {string} [chosen] */
export function paragraph(rules, part, words = "", chosen = "") {
  const draw = part.picture ? rules.pictures[part.picture] : null;
  return h(
    "div",
    { key: part.id, class: `paragraph${part.id === chosen ? " chosen" : ""}`, "data-anchor": part.id },
    h("p", {}, marked(part.text, words)),
    part.list ? h("ul", {}, part.list.map((item) => h("li", {}, marked(item, words)))) : null,
    draw ? h("figure", { class: `board rule-picture board-${rules.game}`, "data-picture": part.picture }, h("div", { role: "img", "aria-label": part.caption ?? "" }, draw()), h("figcaption", {}, marked(part.caption ?? "", words))) : null,
  );
}

/** The text with what was looked for marked in it. @param {string} text @param {string} words @returns {import("../../draw.js").Part[]} */
export function marked(text, words) {
  if (!words) return [text];
  const low = text.toLocaleLowerCase();
  /** @type {import("../../draw.js").Part[]} */
  const out = [];
  let from = 0;
  for (let at = low.indexOf(words); at >= 0; at = low.indexOf(words, from)) {
    out.push(text.slice(from, at), h("mark", {}, text.slice(at, at + words.length)));
    from = at + words.length;
  }
  return [...out, text.slice(from)];
}

/** All rules in a dialog, or one chapter. @param {string} game @param {string} title of the game @param {string} [id] of a chapter */
export async function showRules(game, title, id = "") {
  const rules = await rulesOf(game);
  const chapters = rules.chapters.filter((chapter) => !id || chapter.id === id);
  const parts = chapters.flatMap((chapter) => [h("h3", {}, h("a", { href: `#/help/${game}/${chapter.id}` }, chapter.title)), ...chapter.parts.map((part) => paragraph(rules, part))]);
  await dialog(t("help.title", { game: title }), [h("div", { class: "help" }, parts.length ? parts : h("p", {}, t("help.none")))]);
}
