// @ts-check
/** Home: play with bots at once, resume matches, find tables, open replays. */
import { get, post } from "../api.js";
import { h, paint, render } from "../draw.js";
import { t } from "../words.js";
import { emblem } from "../boards/emblems.js";
import { showNewest } from "../ui/people/chat.js";
import { lobbyNow, lobbyPanel } from "../ui/table/lobby.js";
import { toast } from "../ui/page/live.js";
import { myName, nameBox } from "../ui/people/me.js";
import { newMatch } from "../ui/table/newmatch.js";
import { redrawer } from "../ui/page/soon.js";
import { joinBox, tableList } from "../ui/table/tables.js";

const FIRST = 6; // matches that are shown until the player asks for all

/** @param {import("../app.js").App} app @returns {Promise<import("../app.js").Screen>} */
export async function open(app) {
  const element = render(h("div", { class: "home" }));
  const { soon, stop } = redrawer(() => draw().catch(() => {}), 250);
  let most = FIRST;
  const more = {
    get most() {
      return most;
    },
    all: () => {
      most = Infinity;
      soon();
    },
  };
  async function draw() {
    const [matches, tables, lobby] = await Promise.all([
      get("matches").then((answer) => answer.matches),
      get("tables").then((answer) => answer.tables ?? [], () => null),
      lobbyNow(),
    ]);
    // Each part has a place of its own, so that a field stays the same element when something appears or disappears above it.
    paint(element, [
      h("h1", {}, t("home.welcome")),
      h("div", {}, nameBox(app, soon)),
      h("div", {}, going(app, matches, more)),
      gameShelf(app),
      h("div", { class: "two" }, tablesPanel(app, tables, lobby, soon), past(app, matches)),
    ]);
    showNewest(element);
  }
  await draw();
  return {
    element,
    onEvent: (event) => {
      if (["matches", "match", "tables", "table", "lobby", "offer", "chat", "notice", "reset"].includes(event.kind)) soon();
    },
    onOnline: (online) => online && soon(),
    onLeave: stop,
  };
}

/** The four games, each a click away from a first move. */
function gameShelf(app) {
  const card = (game) =>
    h(
      "li",
      { class: "game-card panel" },
      emblem(game.id),
      h("h3", {}, game.title),
      h("p", {}, game.help || t(`games.${game.id}`)),
      h("p", { class: "facts" }, t("home.players", { from: game.seats[0], to: game.seats[game.seats.length - 1] })),
      h(
        "div",
        { class: "row" },
        h("button", { class: "primary", "data-play": game.id, click: (event) => play(event, game) }, t("home.play")),
        game.guided ? h("button", { "data-learn": game.id, click: (event) => learn(event, game) }, t("home.learn")) : null,
        h("button", { class: "quiet", "data-more": game.id, click: () => newMatch(app, game) }, t("home.options")),
        h("a", { class: "quiet", href: `#/help/${game.id}` }, t("home.rules")),
      ),
    );
  const play = (event, game) => begin(event, "matches", { game: game.id, options: {}, seats: botSeats(app, usualSeats(game)) });
  const learn = (event, game) => begin(event, "guides", { game: game.id });
  async function begin(event, where, wish) {
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
  return h("section", {}, h("h2", {}, t("home.bots")), h("ul", { class: "shelf" }, app.games.map(card)));
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

/** Matches in progress. */
function going(app, matches, more) {
  const open = matches.filter((match) => match.status !== "over");
  if (!open.length) return "";
  const yoursFirst = [...open].sort((a, b) => Number(b.your_turn) - Number(a.your_turn));
  const rest = open.length - more.most;
  return h(
    "section",
    {},
    h("h2", {}, t("home.going")),
    h("ul", { class: "matches" }, yoursFirst.slice(0, more.most).map((match) => matchRow(app, match))),
    rest > 0 ? h("button", { class: "quiet", click: more.all }, t("home.more", { n: rest })) : null,
  );
}

function past(app, matches) {
  const over = matches.filter((match) => match.status === "over").slice(0, 8);
  return h(
    "section",
    { class: "panel" },
    h("h2", {}, t("home.past")),
    over.length ? h("ul", { class: "matches" }, over.map((match) => matchRow(app, match))) : h("p", { class: "hint" }, t("home.noPast")),
    h("p", {}, h("a", { href: "#/replay" }, t("home.allReplays"))),
  );
}

function matchRow(app, match) {
  const watched = match.kind === "net" && !match.seats.some((seat) => seat.you);
  const winners = match.result?.winners?.map((seat) => match.seats[seat]?.name).join(", ");
  const turn = match.your_turn
    ? t("match.yourTurn")
    : match.to_act !== null && match.status === "playing"
      ? t("home.turnOf", { name: match.seats[match.to_act]?.name ?? "" })
      : winners
        ? t("home.wonBy", { names: winners })
        : t(`status.${match.status}`);
  // A finished match among peers may exist only as a file.
  const place = match.status === "over" && match.kind === "net" && match.replay ? `#/replay/${match.replay}` : `#/match/${match.id}`;
  return h(
    "li",
    { key: match.id, class: match.your_turn ? "yours" : "" },
    h(
      "a",
      { href: place },
      emblem(match.game, 34),
      h("span", { class: "grow" }, h("b", {}, app.game(match.game).title), h("small", {}, match.seats.map((seat) => seat.name).join(", "))),
      watched ? h("span", { class: "badge watch" }, t("home.watching")) : null,
      h("span", { class: "badge" }, turn),
    ),
  );
}

function tablesPanel(app, tables, lobby, redraw) {
  return h(
    "section",
    { class: "panel" },
    h("h2", {}, t("home.tables")),
    tables === null ? h("p", { class: "hint" }, t("home.tablesOff")) : tableList(app, tables),
    joinBox(app),
    lobbyPanel(app, lobby, redraw),
  );
}
