// @ts-check
/** The matches of this player: unfinished ones first with whose turn it is and since when, then the finished ones with their results, which can be filtered, put away and deleted. */
import { post, remove } from "../../api.js";
import { h } from "../../draw.js";
import { t } from "../../words.js";
import { emblem } from "../../boards/emblems.js";
import { dialog } from "../page/dialog.js";
import { toast } from "../page/live.js";
import { openAt } from "../page/popover.js";

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
    /** Whether those that were put away are shown, and no others. */
    this.away = false;
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
    const some = over.some((match) => match.archived);
    const rows = over.filter((match) => Boolean(match.archived) === (this.away && some) && (!this.game || match.game === this.game) && match.seats.some((seat) => seat.name.toLocaleLowerCase().includes(this.words)));
    return h(
      "section",
      { class: "panel past" },
      h("h2", {}, t("home.past")),
      over.length > 1 ? this.filter(some) : null,
      over.length ? (rows.length ? this.list(rows, "past") : h("p", { class: "hint" }, t("home.noneFit"))) : h("p", { class: "hint" }, t("home.noPast")),
      h("p", {}, h("a", { href: "#/replay" }, t("home.allReplays"))),
    );
  }

  /** @param {boolean} some whether some matches were put away */
  filter(some) {
    const games = h("select", { "aria-label": t("tables.game"), "data-filter": "game", change: (event) => this.choose({ game: event.currentTarget.value }) }, h("option", { value: "" }, t("home.allGames")), this.app.games.map((game) => h("option", { value: game.id }, game.title)));
    const who = h("input", { type: "search", maxlength: 40, placeholder: t("home.withWhom"), "aria-label": t("home.withWhom"), "data-filter": "who", input: (event) => this.choose({ words: event.currentTarget.value.trim().toLocaleLowerCase() }) });
    const away = h("label", {}, h("input", { type: "checkbox", "data-filter": "away", checked: this.away, change: (event) => this.choose({ away: event.currentTarget.checked }) }), " ", t("home.putAway"));
    return h("div", { class: "row filter" }, games, who, some ? away : null);
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
      watched && match.status !== "over" ? null : h("button", { type: "button", class: "quiet more-of", "data-more-of-match": match.id, "aria-haspopup": "dialog", "aria-label": t("home.moreOf", { game: this.app.game(match.game).title, names: match.seats.map((seat) => seat.name).join(", ") }), click: (event) => this.menu(event.currentTarget, match) }, "⋯"),
    );
  }

  /** What can be done with a match besides opening it. @param {Element} beside @param {any} match */
  async menu(beside, match) {
    const over = match.status === "over";
    const wish = await openAt(beside, { label: t("home.moreTitle"), kind: "tools" }, (close) => [
      over ? h("button", { type: "button", "data-history": "archive", click: () => close("archive") }, t(match.archived ? "home.takeOut" : "home.putItAway")) : null,
      over || match.kind === "local" ? h("button", { type: "button", "data-history": "delete", click: () => close("delete") }, t("home.delete")) : h("p", { class: "hint" }, t("home.leaveFirst")),
    ]);
    if (wish === "archive") await this.ask(post(`matches/${match.id}/archive`, { archived: !match.archived }));
    if (wish === "delete") await this.delete(match);
  }

  /** @param {any} match */
  async delete(match) {
    const text = t(match.kind === "net" ? "home.deleteShared" : match.status === "over" ? "home.deleteText" : "home.deleteOpen");
    const answer = await dialog(t("home.deleteTitle"), [h("p", {}, text)], [{ value: "", label: t("cancel"), kind: "quiet" }, { value: "delete", label: t("home.deleteIt"), kind: "danger" }]);
    if (answer === "delete") await this.ask(remove(`matches/${match.id}`));
  }

  /** @param {Promise<any>} answer */
  async ask(answer) {
    try {
      await answer;
      this.redraw();
    } catch (error) {
      toast(error.message, "bad");
    }
  }
}

/** Whose turn it is, or who won. @param {any} match */
function stateOf(match) {
  if (match.your_turn) return t("match.yourTurn");
  if (match.to_act !== null && match.status === "playing") return t("home.turnOf", { name: match.seats[match.to_act]?.name ?? "" });
  const { winners, scores } = match.result ?? {};
  if (!winners) return t(`status.${match.status}`);
  if (winners.length === 1 && match.seats[winners[0]]?.you) return t("home.youWon", { scores: scores?.join(" : ") ?? "" });
  return t("home.wonBy", { names: new Intl.ListFormat(document.documentElement.lang || "en").format(winners.map((seat) => match.seats[seat]?.name ?? "")), scores: scores?.join(" : ") ?? "" });
}
