// @ts-check
/** Replays: open a file, step through it, see all hands if they are open, and have it verified. */
import { get, post } from "../api.js";
import { Drawn, h, paint, render } from "../draw.js";
import { t } from "../words.js";
import { emblem } from "../boards/emblems.js";
import { boardOf } from "../boards/index.js";
import { changesIn, signatures } from "../ui/match/changes.js";
import { say, toast } from "../ui/page/live.js";
import { logList } from "../ui/match/log.js";
import { scoreList } from "../ui/match/scores.js";
import { seatPicture } from "../ui/match/shapes.js";
import { tipsIn } from "../ui/page/tip.js";

const SHORT = 19; // of a fingerprint: sixteen letters, 80 bits; a key with fewer matching letters could be found by trial

/** @param {import("../app.js").App} app @param {string} [id] @param {string} [ply] @returns {Promise<import("../app.js").Screen>} */
export async function open(app, id, ply) {
  if (!id) return shelf(app);
  const page = new ReplayPage(app, id);
  await page.start(Number(ply ?? 0));
  return { element: page.element, onLeave: () => page.close() };
}

async function shelf(app) {
  const { replays } = await get("replays");
  function chosen(event) {
    const file = event.currentTarget.files?.[0];
    if (file) upload(app, file);
  }
  const page = h(
    "div",
    { class: "narrow" },
    h("h1", {}, t("replay.title")),
    h("div", { class: "drop", ...takesFiles(app) }, h("p", {}, t("replay.drop")), h("input", { type: "file", accept: ".kontor", "aria-label": t("replay.file"), change: chosen })),
    h("h2", {}, t("replay.list")),
    replays.length ? h("ul", { class: "matches" }, replays.map((each) => row(app, each))) : h("p", { class: "hint" }, t("replay.none")),
  );
  return { element: render(page) };
}

function row(app, each) {
  const when = each.updated ? new Date(each.updated * 1000).toLocaleString() : "";
  return h("li", {}, h("a", { href: `#/replay/${each.id}` }, each.game ? emblem(each.game, 34) : null, h("span", { class: "grow" }, h("b", {}, each.game ? app.game(each.game).title : each.name), h("small", {}, (each.seats ?? []).join(", ")), h("small", {}, when)), h("span", { class: "badge" }, t(`replay.${each.origin}`))));
}

/** Listeners of an element on which a file can be dropped. @param {any} app */
function takesFiles(app) {
  return {
    dragover: (event) => {
      event.preventDefault();
      event.currentTarget.classList.add("over");
    },
    dragleave: (event) => event.currentTarget.classList.remove("over"),
    drop: (event) => {
      event.preventDefault();
      event.currentTarget.classList.remove("over");
      const file = event.dataTransfer?.files[0];
      if (file) upload(app, file);
    },
  };
}

async function upload(app, file) {
  try {
    const { id } = await post("replays", file);
    app.go(`/replay/${id}`);
  } catch (error) {
    toast(error.message, "bad");
  }
}

class ReplayPage {
  constructor(app, id) {
    this.app = app;
    this.id = id;
    this.ply = 0;
    this.playing = 0;
    this.asked = 0;
    this.signs = new Map();
    /** @type {any} */
    this.info = null;
    /** Whose view is shown: a seat's, a spectator's (null), or "all" once the cards are open. @type {number | null | "all"} */
    this.seat = null;
    /** What the verification found: a kind, and the parts that describe it. */
    this.verdict = { kind: "", parts: [h("p", {}, t("replay.unchecked"))] };
    const [bar, board, side] = [h("div", { class: "panel" }), h("div", { class: "board" }), h("div", { class: "side" })];
    this.element = render(h("div", { class: "match", ...takesFiles(app) }, h("div", { class: "match-main" }, bar, board), side));
    /** Where the page is painted. @type {Record<"bar" | "board" | "side", HTMLElement>} */
    this.parts = { bar: bar.node, board: board.node, side: side.node };
    tipsIn(this.parts.board, (element) => (element.dataset.tip ? element.dataset.tip.split("\n") : []));
    this.keys = (event) => this.key(event);
    document.addEventListener("keydown", this.keys);
  }

  close() {
    clearInterval(this.playing);
    document.removeEventListener("keydown", this.keys);
  }

  async start(ply) {
    this.info = await get(`replays/${this.id}`);
    if (this.info.opened) this.seat = "all";
    this.drawing = await boardOf(this.info.game);
    await this.go(ply);
    this.verify();
  }

  drawBar() {
    const step = (label, title, by) => h("button", { title, "aria-label": title, click: () => this.go(this.ply + by) }, label);
    const at = t("replay.at", { ply: this.ply, plies: this.info.plies });
    const slider = h("input", { type: "range", min: 0, max: this.info.plies, "aria-label": t("replay.scrub"), "aria-valuetext": at, input: (event) => this.go(Number(event.currentTarget.value)) });
    const look = (event) => {
      const { value } = event.currentTarget;
      this.seat = value === "" ? null : value === "all" ? "all" : Number(value);
      this.go(this.ply);
    };
    const hands = h(
      "select",
      { "aria-label": t("replay.seat"), change: look },
      this.info.opened ? h("option", { value: "all", selected: true }, t("replay.everybody")) : null,
      h("option", { value: "" }, t("replay.spectator")),
      this.info.seats.map((seat, number) => h("option", { value: number }, seat.name)),
    );
    paint(this.parts.bar, [
      h("h1", {}, this.app.game(this.info.game).title),
      h("div", { class: `verdict ${this.verdict.kind}`.trim(), role: "status" }, this.verdict.parts),
      h(
        "div",
        { class: "replay-bar" },
        step("|◀", t("replay.first"), -1e6),
        step("◀", t("replay.back"), -1),
        h("button", { click: () => this.play() }, t(this.playing ? "replay.pause" : "replay.play")),
        step("▶", t("replay.next"), 1),
        step("▶|", t("replay.last"), 1e6),
        slider,
        h("span", { class: "badge" }, `${this.ply} / ${this.info.plies}`),
        hands,
        h("a", { class: "button", href: `/api/1/replays/${this.id}/file`, download: "" }, t("replay.download")),
      ),
      h("p", { class: "hint" }, t(this.info.opened ? "replay.opened" : "replay.closed")),
    ]);
    slider.node.value = this.ply; // a slider that was moved ignores its attribute
  }

  key(event) {
    const target = event.target instanceof Element ? event.target : document.body;
    if (target.closest("input, select, dialog") || (event.key === " " && target.closest("button, summary"))) return;
    const by = { ArrowRight: 1, ArrowLeft: -1, Home: -1e6, End: 1e6 }[event.key];
    if (by) this.go(this.ply + by);
    if (event.key === " ") this.play();
    if (by || event.key === " ") event.preventDefault();
  }

  play() {
    if (this.playing) {
      clearInterval(this.playing);
      this.playing = 0;
    } else {
      if (this.ply >= this.info.plies) this.ply = 0;
      this.playing = window.setInterval(() => this.go(this.ply + 1), 900);
    }
    this.drawBar();
  }

  async go(ply) {
    this.ply = Math.max(0, Math.min(ply, this.info.plies));
    if (this.ply >= this.info.plies && this.playing) this.play();
    const asked = ++this.asked;
    const at = await this.look();
    if (asked === this.asked) this.show(at);
  }

  /** The position as the chosen seat sees it; "all" combines the views of all seats. */
  async look() {
    const from = `replays/${this.id}/at/${this.ply}?seat=`;
    if (this.seat !== "all") return get(from + (this.seat ?? "none"));
    const [open, ...own] = await Promise.all(["none", ...this.info.seats.keys()].map((seat) => get(from + seat)));
    open.view.players = open.view.players.map((player, seat) => own[seat]?.view.players[seat] ?? player);
    return open;
  }

  show(at) {
    const names = this.info.seats.map((seat) => seat.name);
    this.parts.board.className = `board board-${this.info.game}`;
    const drawn = this.drawing.draw(at.view, { names, menu: [], seat: at.view.seat }).filter((part) => part instanceof Drawn);
    changesIn(drawn, this.signs, true);
    this.signs = signatures(drawn);
    paint(this.parts.board, drawn);
    this.drawBar();
    const state = { seats: this.info.seats.map((seat) => ({ ...seat, you: false })), view: at.view, to_act: at.view?.to_act };
    const sign = (seat) => seatPicture(seat, this.drawing.colour(at.view, seat), names[seat] ?? "?", 16);
    const log = logList(at.log, 0, -1, sign);
    paint(this.parts.side, [
      h("section", { class: "panel" }, h("h2", {}, t("replay.now")), log),
      h("section", { class: "panel" }, h("h2", {}, t("scores.title")), scoreList(state, this.drawing)),
      h("section", { class: "panel" }, h("h2", {}, t("replay.turns")), this.turns(names)),
    ]);
    this.parts.side.querySelector(".now")?.scrollIntoView({ block: "nearest" });
    say(at.log.map((line) => line.say).filter(Boolean));
  }

  turns(names) {
    const rows = this.info.turns.filter((turn) => turn.text);
    return h(
      "ol",
      { class: "turns" },
      rows.map((turn) => h("li", {}, h("button", { class: turn.ply + 1 === this.ply ? "now" : "", click: () => this.go(turn.ply + 1) }, `${turn.ply + 1} ${names[turn.seat] ?? ""} `, h("code", {}, turn.text)))),
    );
  }

  async verify() {
    try {
      const report = await post(`replays/${this.id}/verify`);
      this.verdict = { kind: report.fault ? "fault" : report.status, parts: judgement(report) };
    } catch (error) {
      this.verdict = { kind: "", parts: [h("p", {}, error.message)] };
    }
    this.drawBar();
  }
}

/** The parts of a verdict: its first line, notes, and the keys of the players. @param {any} report */
function judgement(report) {
  const [line, ...notes] = report.details ?? [];
  const signed = (player) => (report.status === "verified" && report.finished ? t(player.signed ? "verdict.signed" : "verdict.unsigned") : "");
  return [
    h("p", {}, h("span", { "aria-hidden": "true" }, `${t(`verdict.sign_${report.fault ? "fault" : report.status}`)} `), h("b", {}, line ?? "")),
    ...(report.fault ? [h("p", {}, t("verdict.evidence"))] : []),
    ...notes.map((note) => h("p", {}, note)),
    ...(report.players?.length ? [h("ul", { class: "keys-of" }, report.players.map((player) => h("li", {}, h("b", {}, player.names.join(" & ")), " ", h("code", { title: player.fingerprint }, player.fingerprint.slice(0, SHORT)), " ", h("small", {}, signed(player)))))] : []),
  ];
}
