// @ts-check
/** The rules of a game in our own words. */
import { get } from "../api.js";
import { h, render } from "../draw.js";
import { t } from "../words.js";
import { emblem } from "../boards/emblems.js";

/** The help of a game. @param {string} game @returns {Promise<import("../draw.js").Drawn[]>} */
export async function helpOf(game) {
  const { games } = await get("games");
  /** @type {(string | string[])[][]} */
  const rules = games.find((/** @type {any} */ known) => known.id === game)?.rules ?? [];
  if (!rules.length) return [h("p", {}, t("help.none"))];
  return rules.flatMap(([title, ...paragraphs]) => [h("h3", {}, title), ...paragraphs.map((each) => (Array.isArray(each) ? h("ul", {}, each.map((item) => h("li", {}, item))) : h("p", {}, each)))]);
}

/** @param {import("../app.js").App} app @param {string} game @returns {Promise<import("../app.js").Screen>} */
export async function open(app, game) {
  const page = h(
    "div",
    { class: "narrow" },
    h("h1", { class: "row" }, emblem(game, 44), " ", app.game(game).title),
    h("section", { class: "panel help" }, await helpOf(game)),
    h("p", {}, h("a", { href: "#/" }, t("home.title"))),
  );
  return { element: render(page) };
}
