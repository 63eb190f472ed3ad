// @ts-check
/** The end of a match: who won, the points by category and over time, the turning points, and what to do next. */
import { post } from "../../api.js";
import { h } from "../../draw.js";
import { t } from "../../words.js";
import { say, toast } from "../page/live.js";
import { openAt } from "../page/popover.js";
import { banner, laurel } from "../../boards/banners.js";
import { resultOf, resultSheet, resultTitle } from "../match/scores.js";
import { tabbed } from "../match/tabs.js";
import { isOwner } from "../people/me.js";
import { Analysis } from "./analysis.js";
import { curve } from "./curve.js";
import { hasCurve, largest, leads, storyOfMatch } from "./story.js";
import { pageOf } from "./shared_page.js";

const RETRY_MS = 2000; // a match among peers has its file once the others have signed
const TRIES = 15;
const TICK_MS = 5000;

export class Ending {
  /** @param {import("../../app.js").App} app @param {string} id @param {() => void} redraw does nothing once the page is left */
  constructor(app, id, redraw) {
    this.app = app;
    this.id = id;
    this.redraw = redraw;
    /** @type {{id: string, story: import("./story.js").Story} | null} */
    this.found = null;
    /** Of the match, once its file is there. @type {Analysis | null} */
    this.analysis = null;
    this.tab = "points";
    this.tries = 0;
    this.timer = 0;
    /** When the proposal of a rematch was heard of, and how long it counted then. @type {{table: string, until: number} | null} */
    this.proposal = null;
  }

  /** @param {any} state @param {any} board @param {() => void} look puts the card away @returns {import("../../draw.js").Drawn} */
  card(state, board, look) {
    if (!this.found && !this.tries) this.load();
    return h(
      "div",
      { key: "end", class: "veil-card ending" },
      this.head(state, board),
      h("div", { class: "ending-told" }, resultSheet(state, board, this.app.game(state.game).terms), h("div", { class: "ending-story" }, ...this.story(state, board))),
      h("div", { class: "ending-rematch", role: "status" }, this.invitation(state)),
      h("div", { class: "row ending-buttons" }, this.buttons(state, look)),
    );
  }

  /** The winners under laurel before the scene of the game. */
  head(state, board) {
    const colour = (seat) => (state.view ? board.colour(state.view, seat) : "grey");
    const medals = resultOf(state).winners.map((seat) => laurel(seat, colour(seat), state.seats[seat].name));
    return h("header", { class: "ending-head" }, h("div", { class: "scene" }, banner(state.game, true)), h("div", { class: "medals" }, medals), resultTitle(state, this.app.game(state.game).terms));
  }

  async load() {
    this.tries++;
    if (!isOwner(this.app)) return;
    this.found = await storyOfMatch(this.id).catch(() => null);
    if (this.found) {
      this.analysis = new Analysis(this.found.id, this.redraw);
      this.analysis.load();
      this.redraw();
    } else if (this.tries < TRIES) setTimeout(() => this.load(), RETRY_MS);
  }

  /** @param {any} event */
  onEvent(event) {
    this.analysis?.onEvent(event);
  }

  /** The points over time, and the analysis, once the file of the match is there. */
  story(state, board) {
    const { found, analysis } = this;
    if (!found || !analysis) return [];
    const names = state.seats.map((seat) => seat.name);
    const people = { names, colours: names.map((_, seat) => board.colour(state.view, seat)) };
    const go = (ply) => this.app.go(`/replay/${found.id}/${ply}`);
    const choose = (tab) => {
      this.tab = tab;
      this.redraw();
    };
    const tabs = [
      { id: "points", label: t("ending.points"), content: points(found.story, people) },
      { id: "analysis", label: t("analysis.title"), content: analysis.panel(people, found.story.plies, { go }) },
    ];
    return tabbed(tabs, this.tab, choose);
  }

  /** What was proposed, and for how long it counts. */
  invitation(state) {
    const { rematch } = state;
    if (!rematch) return null;
    const isNew = this.proposal?.table !== rematch.table;
    if (isNew && !rematch.mine) say([t("ending.wants", { names: rematch.by })]);
    const known = (!isNew && this.proposal) || { table: rematch.table, until: performance.now() + rematch.seconds * 1000 };
    this.proposal = known;
    const seconds = Math.max(0, Math.round((known.until - performance.now()) / 1000));
    clearTimeout(this.timer);
    if (seconds) this.timer = window.setTimeout(this.redraw, TICK_MS);
    const left = seconds > 90 ? t("ending.minutes", { n: Math.round(seconds / 60) }) : t("ending.seconds", { n: seconds });
    if (!seconds) return h("p", {}, t("ending.expired"));
    return h("p", { class: "ending-wants" }, h("b", {}, rematch.mine ? t("ending.waits") : t("ending.wants", { names: rematch.by })), " ", h("small", {}, left));
  }

  buttons(state, look) {
    const { rematch } = state;
    const again = rematch ? (rematch.mine ? "ending.toTable" : "ending.join") : "ending.rematch";
    const plays = !state.as_guest && state.seats.some((seat) => seat.you);
    return [
      plays ? h("button", { type: "button", class: "primary", "data-end": "rematch", click: (event) => this.rematch(event.currentTarget) }, t(again)) : null,
      this.found ? h("a", { class: "button", "data-end": "replay", href: `#/replay/${this.found.id}` }, t("ending.replay")) : null,
      state.file ? h("button", { type: "button", "data-end": "share", "aria-haspopup": "dialog", click: (event) => this.share(event.currentTarget, state) }, t("ending.share")) : null,
      h("button", { type: "button", "data-look": "", click: look }, t("match.look")),
      state.as_guest ? null : h("a", { class: "button quiet", "data-end": "home", href: "#/" }, t("home.title")),
    ];
  }

  /** @param {HTMLButtonElement} button */
  async rematch(button) {
    button.disabled = true;
    try {
      const { match, table } = await post(`matches/${this.id}/rematch`);
      this.app.go(match ? `/match/${match}` : `/table/${table}`);
    } catch (error) {
      toast(error.message, "bad");
    }
    button.disabled = false;
  }

  /** The file, or the result in words. @param {Element} beside @param {any} state */
  async share(beside, state) {
    const page = this.found ? await pageOf(this.found.id) : "";
    const words = [this.app.game(state.game).title, ...scoreLines(state)].join("\n");
    const copy = () => navigator.clipboard.writeText(words).then(() => toast(t("ending.copied")), () => toast(t("ending.notCopied"), "bad"));
    return openAt(beside, { label: t("ending.share"), kind: "tools" }, (close) => [
      h("a", { class: "button", "data-share": "file", href: `/api/1/matches/${this.id}/file`, download: "", click: () => close() }, t("ending.file")),
      h("button", { type: "button", "data-share": "words", click: () => (close(), copy()) }, t("ending.copy")),
      page ? h("a", { class: "button", "data-share": "page", href: page, target: "_blank", rel: "noopener noreferrer", title: t("replay.pageNote"), click: () => close() }, t("replay.page")) : null,
      h("p", { class: "hint" }, t("ending.fileNote")),
    ]);
  }
}

/** The points over time, and where the lead changed hands. @param {import("./story.js").Story} story @param {import("./curve.js").People} people */
function points(story, people) {
  if (!hasCurve(story)) return null;
  const told = turningPoints(story, people.names);
  return h("div", {}, h("h3", {}, t("curve.title")), curve(story, people, { marks: told.marks }), h("ul", { class: "turnings", "aria-label": t("ending.turnings") }, told.lines.map((line) => h("li", {}, line))));
}

/** "Ann: 12 points" for each player, the best first. @param {any} state */
function scoreLines(state) {
  const { scores, places } = resultOf(state);
  const order = [...scores.keys()].sort((a, b) => (places ? places[a] - places[b] : scores[b] - scores[a]));
  return order.map((seat) => t("ending.line", { name: state.seats[seat].name, n: scores[seat] }));
}

/** The turning points in sentences, and where they are. @param {import("./story.js").Story} story @param {string[]} names */
export function turningPoints(story, names) {
  const { turnings, first } = leads(story);
  const kept = largest(turnings);
  const sentence = (each) => t(each.turn === null ? "ending.atTheEnd" : "ending.passes", { turn: each.turn, name: names[each.seat], other: names[each.from], ahead: each.ahead, behind: each.behind });
  const lines = kept.map(sentence);
  if (!kept.length && first) lines.push(t("ending.ledAll", { name: names[first.seat], turn: first.turn }));
  if (turnings.length > kept.length) lines.push(t("ending.changes", { n: turnings.length }));
  return { marks: kept.filter((each) => each.turn !== null), lines };
}
