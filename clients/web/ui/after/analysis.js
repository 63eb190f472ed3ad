// @ts-check
/**
 * The analysis of a finished match, in a tab of the replay and of the end: start, stop and resume it, and see what is found so far.
 * The node does the work and stores it; this only shows it. It is asked for again whenever the node says that there is more.
 *
 * @typedef {{ply: number, turn: number, seat: number, chance: number, best: number, doubt: number, played: string, better: string, why: string}} Turning
 * @typedef {{names: string[], colours: string[]}} People
 */
import { get, post } from "../../api.js";
import { h } from "../../draw.js";
import { t } from "../../words.js";
import { sentence } from "../match/doing/naming.js";
import { seatPicture } from "../match/shapes.js";
import { say, toast } from "../page/live.js";
import { chances, percent } from "./chances.js";

export class Analysis {
  /** @param {string} replay @param {() => void} changed is called when there is something else to show */
  constructor(replay, changed) {
    this.replay = replay;
    this.changed = changed;
    /** What the node has told last; null before. @type {any} */
    this.told = null;
    this.isAsking = false;
    this.isOld = false;
  }

  get address() {
    return `replays/${this.replay}/analysis`;
  }

  /** Ask how far it is; while an answer is on its way, once more after it. */
  async load() {
    this.isOld = true;
    if (this.isAsking) return;
    this.isAsking = true;
    while (this.isOld) {
      this.isOld = false;
      const told = await get(this.address).catch(() => null);
      if (told) this.show(told);
    }
    this.isAsking = false;
  }

  /** @param {any} event */
  onEvent(event) {
    if (event.kind === "reset" || (event.kind === "analysis" && event.id === this.replay)) this.load();
    else if (event.kind === "match" && this.told?.why_not && event.status === "over") this.load();
  }

  show(told) {
    if (told.status === "done" && this.told?.status === "running") say([t("analysis.done")]);
    this.told = told;
    this.changed();
  }

  /** @param {"" | "/stop"} what */
  async ask(what) {
    try {
      this.show(await post(this.address + what));
    } catch (error) {
      toast(error.message, "bad");
      this.load();
    }
  }

  /**
   * @param {People} people @param {number} plies
   * @param {{at?: number, go: (ply: number) => void}} more `at` is the position that is shown
   */
  panel(people, plies, more) {
    const { told } = this;
    if (!told) return h("p", { class: "hint" }, t("analysis.asking"));
    return h(
      "div",
      { class: "analysis", "data-analysis": told.status },
      this.progress(),
      told.curve.length > 1 ? [h("h3", {}, t("analysis.chances")), chances(told.curve, plies, people, { ...more, marks: told.turning }), h("p", { class: "hint" }, t("analysis.band"))] : null,
      told.players.length ? [h("h3", {}, t("analysis.turning")), this.turnings(people, more.go), h("h3", {}, t("analysis.players")), players(told.players, people)] : null,
    );
  }

  /** How far it is, and the button that begins, stops or resumes it. */
  progress() {
    const { status, done, total, note, why_not: reason } = this.told;
    if (status === "done") return null;
    const isRunning = status === "running";
    const far = total ? t("analysis.far", { done, total }) : t(isRunning ? "analysis.begins" : "analysis.about");
    return h(
      "div",
      { class: "analysis-progress" },
      isRunning || done ? h("progress", { max: Math.max(1, total), value: done, "aria-label": t("analysis.progress") }) : null,
      h("p", {}, far),
      !isRunning && note && note !== reason ? h("p", { class: "hint" }, sentence(note)) : null,
      !isRunning && reason ? h("p", { class: "hint", "data-analysis-why": "" }, sentence(reason)) : null,
      isRunning
        ? h("button", { type: "button", key: "stop", "data-analyse": "stop", click: () => this.ask("/stop") }, t("analysis.stop"))
        : h("button", { type: "button", key: "start", class: "primary", "data-analyse": "start", disabled: Boolean(reason), click: () => this.ask("") }, t(done ? "analysis.resume" : "analysis.start")),
    );
  }

  /** @param {People} people @param {(ply: number) => void} go */
  turnings({ names, colours }, go) {
    const { turning, status } = this.told;
    if (!turning.length) return h("p", { class: "hint" }, t(status === "done" ? "analysis.noTurning" : "analysis.noTurningYet"));
    return h(
      "ol",
      { class: "analysis-turns" },
      turning.map((/** @type {Turning} */ each) =>
        h(
          "li",
          { key: each.ply },
          h(
            "button",
            { type: "button", class: "analysis-place", "data-ply": each.ply, title: t("analysis.go"), click: () => go(each.ply) },
            seatPicture(each.seat, colours[each.seat], names[each.seat], 16),
            h("span", { class: "grow" }, h("b", {}, t("replay.turnOf", { turn: each.turn, name: names[each.seat] })), " ", t("analysis.instead", { chance: percent(each.chance), best: percent(each.best) })),
          ),
          h("dl", {}, h("dt", {}, t("analysis.played")), h("dd", {}, each.played), h("dt", {}, t("analysis.better")), h("dd", {}, each.better), h("dt", {}, t("analysis.why")), h("dd", {}, each.why)),
        ),
      ),
    );
  }
}

/** How often everybody decided as well as the expert. @param {any[]} rows @param {People} people */
function players(rows, { names, colours }) {
  return h(
    "table",
    { class: "analysis-players" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("analysis.player")), h("th", { scope: "col" }, t("analysis.accuracy")), h("th", { scope: "col" }, t("analysis.decisions")), h("th", { scope: "col" }, t("analysis.given")))),
    h(
      "tbody",
      {},
      rows.map(({ seat, decisions, good, given_away: given }) =>
        h("tr", {}, h("th", { scope: "row" }, seatPicture(seat, colours[seat], names[seat], 16), " ", names[seat]), h("td", {}, decisions ? `${Math.floor((100 * good) / decisions)} %` : "–"), h("td", {}, t("analysis.of", { good, decisions })), h("td", {}, `${(given / 100).toFixed(1)} %`)),
      ),
    ),
  );
}
