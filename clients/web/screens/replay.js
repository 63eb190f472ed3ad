// @ts-check
/** Replays: bring a file, step through it, see all hands once they are open, have it verified. */
import { get, post } from "../api.js";
import { h } from "../dom.js";
import { Drawn, paint } from "../draw.js";
import { t } from "../words.js";
import { emblem } from "../boards/emblems.js";
import { boardOf } from "../boards/index.js";
import { changesIn, signatures } from "../ui/match/changes.js";
import { say, toast } from "../ui/page/live.js";
import { logList } from "../ui/match/log.js";
import { scoreList } from "../ui/match/scores.js";
import { seatPicture } from "../ui/match/shapes.js";
import { tipsIn } from "../ui/page/tip.js";

const SHORT = 19; // of a fingerprint: sixteen letters, 80 bits; fewer could be found by trying keys

/** @param {import("../app.js").App} app @param {string} [id] @param {string} [ply] @returns {Promise<import("../app.js").Screen>} */
export async function open(app, id, ply) {
  if (!id) return shelf(app);
  const page = new ReplayPage(app, id);
  await page.start(Number(ply ?? 0));
  return { element: page.element, left: () => page.left() };
}

async function shelf(app) {
  const { replays } = await get("replays");
  const input = h("input", { type: "file", accept: ".kontor", "aria-label": t("replay.file"), change: () => input.files?.[0] && upload(app, input.files[0]) });
  const drop = h("div", { class: "drop" }, h("p", {}, t("replay.drop")), input);
  takesFiles(app, drop);
  const element = h(
    "div",
    { class: "narrow" },
    h("h1", {}, t("replay.title")),
    drop,
    h("h2", {}, t("replay.list")),
    replays.length ? h("ul", { class: "matches" }, replays.map((each) => row(app, each))) : h("p", { class: "hint" }, t("replay.none")),
  );
  return { element };
}

function row(app, each) {
  const when = each.updated ? new Date(each.updated * 1000).toLocaleString() : "";
  return h("li", {}, h("a", { href: `#/replay/${each.id}` }, each.game ? emblem(each.game, 34) : null, h("span", { class: "grow" }, h("b", {}, each.game ? app.game(each.game).title : each.name), h("small", {}, (each.seats ?? []).join(", ")), h("small", {}, when)), h("span", { class: "badge" }, t(`replay.${each.origin}`))));
}

/** @param {any} app @param {HTMLElement} element */
function takesFiles(app, element) {
  element.addEventListener("dragover", (event) => {
    event.preventDefault();
    element.classList.add("over");
  });
  element.addEventListener("dragleave", () => element.classList.remove("over"));
  element.addEventListener("drop", (event) => {
    event.preventDefault();
    element.classList.remove("over");
    const file = event.dataTransfer?.files[0];
    if (file) upload(app, file);
  });
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
    /** Whose eyes: a seat, nobody's, or "all" once the cards are open. @type {number | null | "all"} */
    this.seat = null;
    this.verdict = h("div", { class: "verdict", role: "status" }, h("p", {}, t("replay.unchecked")));
    this.board = h("div", { class: "board" });
    this.side = h("div", { class: "side" });
    this.bar = h("div", { class: "panel" });
    this.element = h("div", { class: "match" }, h("div", { class: "match-main" }, this.bar, this.board), this.side);
    tipsIn(this.board, (element) => (element.dataset.tip ? element.dataset.tip.split("\n") : []));
    takesFiles(app, this.element);
    this.keys = (event) => this.key(event);
    document.addEventListener("keydown", this.keys);
  }

  left() {
    clearInterval(this.playing);
    document.removeEventListener("keydown", this.keys);
  }

  async start(ply) {
    this.info = await get(`replays/${this.id}`);
    if (this.info.opened) this.seat = "all";
    this.drawing = await boardOf(this.info.game);
    this.drawBar();
    await this.go(ply);
    this.verify();
  }

  drawBar() {
    const step = (label, title, by) => h("button", { title, "aria-label": title, click: () => this.go(this.ply + by) }, label);
    this.slider = h("input", { type: "range", min: 0, max: this.info.plies, value: this.ply, "aria-label": t("replay.scrub"), input: () => this.go(Number(this.slider.value)) });
    this.counter = h("span", { class: "badge" });
    this.toggle = h("button", { click: () => this.play() }, t("replay.play"));
    const look = () => {
      this.seat = hands.value === "" ? null : hands.value === "all" ? "all" : Number(hands.value);
      this.go(this.ply);
    };
    const hands = h(
      "select",
      { "aria-label": t("replay.seat"), change: look },
      this.info.opened ? h("option", { value: "all", selected: true }, t("replay.everybody")) : null,
      h("option", { value: "" }, t("replay.spectator")),
      this.info.seats.map((seat, number) => h("option", { value: number }, seat.name)),
    );
    this.bar.replaceChildren(
      h("h1", {}, this.app.game(this.info.game).title),
      this.verdict,
      h(
        "div",
        { class: "replay-bar" },
        step("|◀", t("replay.first"), -1e6),
        step("◀", t("replay.back"), -1),
        this.toggle,
        step("▶", t("replay.next"), 1),
        step("▶|", t("replay.last"), 1e6),
        this.slider,
        this.counter,
        hands,
        h("a", { class: "button", href: `/api/1/replays/${this.id}/file`, download: "" }, t("replay.download")),
      ),
      h("p", { class: "hint" }, t(this.info.opened ? "replay.opened" : "replay.closed")),
    );
  }

  key(event) {
    if (event.target instanceof Element && event.target.closest("input, select, button, dialog")) return;
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
    this.toggle.textContent = t(this.playing ? "replay.pause" : "replay.play");
  }

  async go(ply) {
    this.ply = Math.max(0, Math.min(ply, this.info.plies));
    if (this.ply >= this.info.plies && this.playing) this.play();
    const asked = ++this.asked;
    const at = await this.look();
    if (asked === this.asked) this.show(at);
  }

  /** The position as the chosen eyes see it; all eyes together see every hand. */
  async look() {
    const from = `replays/${this.id}/at/${this.ply}?seat=`;
    if (this.seat !== "all") return get(from + (this.seat ?? "none"));
    const [open, ...own] = await Promise.all(["none", ...this.info.seats.keys()].map((seat) => get(from + seat)));
    open.view.players = open.view.players.map((player, seat) => own[seat]?.view.players[seat] ?? player);
    return open;
  }

  show(at) {
    const names = this.info.seats.map((seat) => seat.name);
    this.board.className = `board board-${this.info.game}`;
    const drawn = this.drawing.draw(at.view, { names, menu: [], seat: at.view.seat }).filter((part) => part instanceof Drawn);
    changesIn(drawn, this.signs, true);
    this.signs = signatures(drawn);
    paint(this.board, drawn);
    this.slider.value = this.ply;
    this.slider.setAttribute("aria-valuetext", t("replay.at", { ply: this.ply, plies: this.info.plies }));
    this.counter.textContent = `${this.ply} / ${this.info.plies}`;
    const state = { seats: this.info.seats.map((seat) => ({ ...seat, you: false })), view: at.view, to_act: at.view?.to_act };
    const sign = (seat) => seatPicture(seat, this.drawing.colour(at.view, seat), names[seat] ?? "?", 16);
    const log = logList(at.log, 0, -1, sign);
    this.side.replaceChildren(
      h("section", { class: "panel" }, h("h2", {}, t("replay.now")), log),
      h("section", { class: "panel" }, h("h2", {}, t("scores.title")), scoreList(state, this.drawing)),
      h("section", { class: "panel" }, h("h2", {}, t("replay.turns")), this.turns(names)),
    );
    this.side.querySelector(".now")?.scrollIntoView({ block: "nearest" });
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
      this.verdict.className = `verdict ${report.fault ? "fault" : report.status}`;
      this.verdict.replaceChildren(...judgement(report));
    } catch (error) {
      this.verdict.replaceChildren(h("p", {}, error.message));
    }
  }
}

/** What the check found: the line that says what holds, notes, and whose keys are meant. @param {any} report */
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
