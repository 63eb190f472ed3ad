// @ts-check
/** The matches of this player: unfinished ones first with whose turn it is and since when, then the finished ones with their results; both can be filtered. */
import { h } from "../../draw.js";
import { t } from "../../words.js";
import { emblem } from "../../boards/emblems.js";

const FIRST = { open: 6, past: 8 }; // rows that are shown until the player asks for more
const MORE = 20;
const UNITS = /** @type {[Intl.RelativeTimeFormatUnit, number][]} */ ([["day", 86400], ["hour", 3600], ["minute", 60]]);

/** "3 hours ago", "just now". @param {number} seconds of the wall clock */
export function ago(seconds) {
  const passed = Date.now() / 1000 - seconds;
  const [unit, length] = UNITS.find(([, each]) => passed >= each) ?? ["minute", 0];
  if (!length) return t("home.justNow");
  return new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: "auto" }).format(-Math.floor(passed / length), unit);
}

/** What the lists show: remembered by the page while it is open. */
export class MatchLists {
  /** @param {import("../../app.js").App} app @param {() => void} redraw */
  constructor(app, redraw) {
    this.app = app;
    this.redraw = redraw;
    this.game = "";
    this.words = "";
    this.most = { ...FIRST };
  }

  /** @param {any[]} matches */
  open(matches) {
    const rows = matches.filter((match) => match.status !== "over").sort((a, b) => Number(b.your_turn) - Number(a.your_turn) || b.updated - a.updated);
    return rows.length ? h("section", {}, h("h2", {}, t("home.going")), this.list(rows, "open")) : "";
  }

  /** @param {any[]} matches */
  past(matches) {
    const over = matches.filter((match) => match.status === "over").sort((a, b) => b.updated - a.updated);
    const rows = over.filter((match) => (!this.game || match.game === this.game) && match.seats.some((seat) => seat.name.toLocaleLowerCase().includes(this.words)));
    return h(
      "section",
      { class: "panel past" },
      h("h2", {}, t("home.past")),
      over.length > 1 ? this.filter() : null,
      over.length ? (rows.length ? this.list(rows, "past") : h("p", { class: "hint" }, t("home.noneFit"))) : h("p", { class: "hint" }, t("home.noPast")),
      h("p", {}, h("a", { href: "#/replay" }, t("home.allReplays"))),
    );
  }

  filter() {
    const games = h("select", { "aria-label": t("tables.game"), "data-filter": "game", change: (event) => this.choose({ game: event.currentTarget.value }) }, h("option", { value: "" }, t("home.allGames")), this.app.games.map((game) => h("option", { value: game.id }, game.title)));
    const who = h("input", { type: "search", maxlength: 40, placeholder: t("home.withWhom"), "aria-label": t("home.withWhom"), "data-filter": "who", input: (event) => this.choose({ words: event.currentTarget.value.trim().toLocaleLowerCase() }) });
    return h("div", { class: "row filter" }, games, who);
  }

  /** @param {Partial<MatchLists>} change */
  choose(change) {
    Object.assign(this, change);
    this.redraw();
  }

  /** @param {any[]} rows @param {"open" | "past"} which */
  list(rows, which) {
    const rest = rows.length - this.most[which];
    const more = () => this.choose({ most: { ...this.most, [which]: this.most[which] + MORE } });
    return [h("ul", { class: "matches" }, rows.slice(0, this.most[which]).map((match) => this.row(match))), rest > 0 ? h("button", { type: "button", class: "quiet", "data-more-of": which, click: more }, t("home.more", { n: Math.min(rest, MORE) })) : null];
  }

  /** @param {any} match */
  row(match) {
    const watched = match.kind === "net" && !match.seats.some((seat) => seat.you);
    // A finished match among peers may exist only as a file.
    const place = match.status === "over" && match.kind === "net" && match.replay ? `#/replay/${match.replay}` : `#/match/${match.id}`;
    const when = match.status === "over" ? new Date(match.updated * 1000).toLocaleDateString([], { dateStyle: "medium" }) : match.your_turn || match.status === "playing" ? t("home.since", { when: ago(match.updated) }) : ago(match.updated);
    return h(
      "li",
      { key: match.id, class: match.your_turn ? "yours" : "" },
      h(
        "a",
        { href: place },
        emblem(match.game, 34),
        h("span", { class: "grow" }, h("b", {}, this.app.game(match.game).title), h("small", {}, match.seats.map((seat) => seat.name).join(", ")), h("small", {}, when)),
        watched ? h("span", { class: "badge watch" }, t("home.watching")) : null,
        h("span", { class: "badge" }, stateOf(match)),
      ),
    );
  }
}

/** Whose turn it is, or who won. @param {any} match */
function stateOf(match) {
  if (match.your_turn) return t("match.yourTurn");
  if (match.to_act !== null && match.status === "playing") return t("home.turnOf", { name: match.seats[match.to_act]?.name ?? "" });
  const { winners, scores } = match.result ?? {};
  if (!winners) return t(`status.${match.status}`);
  if (winners.length === 1 && match.seats[winners[0]]?.you) return t("home.youWon", { scores: scores?.join(" : ") ?? "" });
  return t("home.wonBy", { names: winners.map((seat) => match.seats[seat]?.name).join(", "), scores: scores?.join(" : ") ?? "" });
}
