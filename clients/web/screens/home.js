// @ts-check
/** Home: play with bots at once, resume matches, find tables, open replays. */
import { get, post } from "../api.js";
import { h, paint, render } from "../draw.js";
import { t } from "../words.js";
import { banner } from "../boards/banners.js";
import { showNewest } from "../ui/people/chat.js";
import { lobbyNow, lobbyPanel } from "../ui/table/lobby.js";
import { toast } from "../ui/page/live.js";
import { peopleNow, peoplePanel } from "../ui/people/people.js";
import { myName } from "../ui/people/me.js";
import { welcome } from "../ui/people/welcome.js";
import { MatchLists } from "../ui/table/matchlist.js";
import { newMatch } from "../ui/table/newmatch.js";
import { redrawer } from "../ui/page/soon.js";
import { joinBox, tableList } from "../ui/table/tables.js";

/** @param {import("../app.js").App} app @returns {Promise<import("../app.js").Screen>} */
export async function open(app) {
  const element = render(h("div", { class: "home" }));
  const { soon, stop } = redrawer(() => draw().catch(() => {}), 250);
  const lists = new MatchLists(app, soon);
  const isFirst = !app.settings.name; // whoever types a name and saves it still has the three things before them
  async function draw() {
    const [matches, tables, lobby, people] = await Promise.all([
      get("matches").then((answer) => answer.matches),
      get("tables").then((answer) => answer.tables ?? [], () => null),
      lobbyNow(),
      peopleNow(),
    ]);
    // Each part has a place of its own, so that a field stays the same element when something appears or disappears above it.
    const withBots = (game) => ({ game: game.id, options: {}, seats: botSeats(app, usualSeats(game)) });
    const begin = (event, where, wish) => start(app, event, where, wish);
    paint(element, [
      h("h1", {}, t("home.welcome")),
      h("div", {}, isFirst ? welcome(app, soon, begin, withBots, joinBox(app)) : null),
      h("div", {}, lists.open(matches)),
      h("div", {}, isFirst ? null : gameShelf(app, begin, withBots)),
      h("div", {}, isFirst ? null : h("div", { class: "two" }, tablesPanel(app, tables, lobby, people, soon), lists.past(matches))),
    ]);
    showNewest(element);
  }
  await draw();
  return {
    element,
    onEvent: (event) => {
      if (["matches", "match", "tables", "table", "lobby", "offer", "chat", "notice", "people", "reset"].includes(event.kind)) soon();
    },
    onOnline: (online) => online && soon(),
    onLeave: stop,
  };
}

/** The four games, each a click away from a first move. */
function gameShelf(app, begin, withBots) {
  const card = (game) =>
    h(
      "li",
      { class: "game-card panel" },
      h("div", { class: "scene" }, banner(game.id)),
      h("h3", {}, game.title),
      h("p", { class: "facts" }, t("home.players", { from: game.seats[0], to: game.seats[game.seats.length - 1] })),
      h("p", {}, game.help || t(`games.${game.id}`)),
      h(
        "div",
        { class: "main-row" },
        h("button", { class: "primary", "data-play": game.id, click: (event) => begin(event, "matches", withBots(game)) }, t("home.play")),
        game.guided ? h("button", { "data-learn": game.id, click: (event) => begin(event, "guides", { game: game.id }) }, t("home.learn")) : null,
      ),
      h(
        "div",
        { class: "also" },
        h("button", { class: "quiet", "data-more": game.id, click: () => newMatch(app, game) }, t("home.options")),
        h("a", { class: "quiet", href: `#/help/${game.id}` }, t("home.rules")),
      ),
    );
  return h("section", {}, h("h2", {}, t("home.bots")), h("ul", { class: "shelf" }, app.games.map(card)));
}

/** Begin a match and go there. */
async function start(app, event, where, wish) {
  const button = event.currentTarget;
  button.disabled = true;
  try {
    const { id } = await post(where, wish);
    app.go(`/match/${id}`);
  } catch (error) {
    toast(error.message, "bad");
    button.disabled = false;
  }
}

function usualSeats(game) {
  return game.seats.includes(3) ? 3 : game.seats[0];
}

/** Oneself and bots. @param {import("../app.js").App} app @param {number} count */
export function botSeats(app, count) {
  const names = t("bots.names").split(",").filter((name) => name !== myName(app));
  const me = { kind: "me", name: myName(app) };
  return [me, ...names.slice(0, count - 1).map((name) => ({ kind: app.hello.bots[0], name }))];
}

function tablesPanel(app, tables, lobby, people, redraw) {
  return h(
    "section",
    { class: "panel" },
    h("h2", {}, t("home.tables")),
    tables === null ? h("p", { class: "hint" }, t("home.tablesOff")) : tableList(app, tables),
    joinBox(app),
    lobbyPanel(app, lobby, redraw),
    h("div", {}, peoplePanel(people, tables, redraw)),
  );
}
