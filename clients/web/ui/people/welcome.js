// @ts-check
/** The first start: a name, and exactly three things to do: learn a game, play with bots, play with people. */
import { h } from "../../draw.js";
import { t } from "../../words.js";
import { banner } from "../../boards/banners.js";
import { emblem } from "../../boards/emblems.js";
import { keepTyped, nameBox } from "./me.js";

const SCENES = { learn: "joban", bots: "osaka", people: "hansa" };

/**
 * @param {import("../../app.js").App} app @param {() => void} redraw @param {(event: any, where: string, wish: any) => void} begin
 * @param {(game: any) => any} withBots what a match with bots is begun with @param {import("../../draw.js").Part} people how to find people
 */
export function welcome(app, redraw, begin, withBots, people) {
  const start = async (event, where, wish) => {
    const button = event.currentTarget;
    await keepTyped(app, button.closest(".welcome"));
    begin({ currentTarget: button }, where, wish);
  };
  const games = (list, key, act) => h("div", { class: "welcome-games" }, list.map((game) => h("button", { type: "button", [`data-${key}`]: game.id, click: (event) => act(event, game) }, emblem(game.id, 26), h("span", {}, game.title))));
  const thing = (key, ...parts) => h("section", { class: "panel game-card", "data-first": key }, h("div", { class: "scene" }, banner(SCENES[key])), h("h2", {}, t(`welcome.${key}`)), h("p", {}, t(`welcome.${key}Text`)), parts);
  return h(
    "div",
    { class: "welcome" },
    nameBox(app, redraw),
    h(
      "div",
      { class: "three" },
      thing("learn", games(app.games.filter((game) => game.guided), "learn", (event, game) => start(event, "guides", { game: game.id }))),
      thing("bots", games(app.games, "play", (event, game) => start(event, "matches", withBots(game)))),
      thing("people", people),
    ),
  );
}
