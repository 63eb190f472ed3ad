// @ts-check
/** Replays: open a file, go through it turn by turn along the curve of the points, with everybody's eyes, and have it verified. */
import { get, post } from "../api.js";
import { nameAll } from "../ui/match/doing/naming.js";
import { Drawn, h, paint, render } from "../draw.js";
import { t } from "../words.js";
import { Analysis } from "../ui/after/analysis.js";
import { Frame } from "../ui/match/frame.js";
import { curve } from "../ui/after/curve.js";
import { turningPoints } from "../ui/after/ending.js";
import { chapterAt, gains, storyOf } from "../ui/after/story.js";
import { emblem } from "../boards/emblems.js";
import { boardOf } from "../boards/index.js";
import { changesIn, signatures } from "../ui/match/changes.js";
import { say, toast } from "../ui/page/live.js";
import { logList } from "../ui/match/log.js";
import { playerList } from "../ui/match/players.js";
import { scoreList } from "../ui/match/scores.js";
import { seatPicture } from "../ui/match/shapes.js";
import { tabbed } from "../ui/match/tabs.js";
import { tipsIn } from "../ui/page/tip.js";
import { pageOf } from "../ui/after/shared_page.js";

const SPEEDS = { slow: 2000, normal: 900, fast: 350, fastest: 120 }; // milliseconds for each step
const WIDE = "(min-width: 1024px) and (min-height: 700px)"; // as in pages.css: desks stand beside the board, with their players
const SHORT = 19; // of a fingerprint: sixteen letters, 80 bits; a key with fewer matching letters could be found by trial

/** @param {import("../app.js").App} app @param {string} [id] @param {string} [ply] @returns {Promise<import("../app.js").Screen>} */
export async function open(app, id, ply) {
  if (!id) return shelf(app);
  const page = new ReplayPage(app, id);
  await page.start(Number(ply ?? 0));
  return { element: page.element, onEvent: (event) => page.analysis.onEvent(event), onLeave: () => page.close() };
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
    /** What stood where in the position on the screen, and in the one before it. */
    this.signs = new Map();
    this.before = this.signs;
    /** Which tab beside the board is open. */
    this.tab = "turns";
    this.analysis = new Analysis(id, () => this.drawSide());
    /** What the position shows: its view and the line that led to it. @type {any} */
    this.shown = null;
    /** The desks that are drawn in little beside their players. @type {Map<number, import("../draw.js").Part>} */
    this.rivals = new Map();
    /** The seat whose desk is enlarged. @type {number | null} */
    this.large = null;
    this.wide = window.matchMedia(WIDE);
    /** @type {any} */
    this.info = null;
    /** @type {import("../ui/after/story.js").Story | null} */
    this.story = null;
    /** Whose view is shown: a seat's, a spectator's (null), or "all" once the cards are open. @type {number | null | "all"} */
    this.seat = null;
    /** How many steps a second, in steps of the choice that the page offers. */
    this.speed = app.settings.client?.replaySpeed in SPEEDS ? app.settings.client.replaySpeed : "normal";
    /** Where everybody sees this match, if a lobby shows it. */
    this.page = "";
    /** What the verification found: a kind, and the parts that describe it. */
    this.verdict = { kind: "", parts: [h("p", {}, t("replay.unchecked"))] };
    const [bar, field, desks, side] = ["panel replay-head", "field-box", "board replay-desks", "side"].map((name) => h("div", { class: name }));
    this.element = render(h("div", { class: "match replay", ...(app.shared ? {} : takesFiles(app)) }, h("div", { class: "match-main" }, bar, field, desks), side));
    /** The board is as large as fits, and can be enlarged as in a match. */
    this.reshaped = () => this.shown && this.show(this.shown);
    this.frame = new Frame(this.reshaped);
    this.wide.addEventListener("change", this.reshaped);
    field.node.append(this.frame.element);
    this.watch = new ResizeObserver(() => this.bringIn()); // at first the list has no height
    for (const box of [side.node, this.element]) this.watch.observe(box); // on a phone the side is no box of its own
    /** Where the page is painted. @type {Record<"bar" | "board" | "desks" | "side", HTMLElement>} */
    this.parts = { bar: bar.node, board: this.frame.ground, desks: desks.node, side: side.node };
    for (const part of [this.parts.board, this.parts.desks, this.parts.side]) tipsIn(part, (element) => (element.dataset.tip ? element.dataset.tip.split("\n") : []));
    this.keys = (event) => this.key(event);
    document.addEventListener("keydown", this.keys);
  }

  close() {
    clearInterval(this.playing);
    this.frame.close();
    this.watch.disconnect();
    this.wide.removeEventListener("change", this.reshaped);
    document.removeEventListener("keydown", this.keys);
  }

  async start(ply) {
    this.info = await get(`replays/${this.id}`);
    this.story = storyOf(this.info);
    if (this.info.opened) this.seat = "all";
    this.drawing = await boardOf(this.info.game);
    await this.go(ply);
    this.verify();
    if (this.app.shared) return;
    this.analysis.load();
    this.page = await pageOf(this.id);
    if (this.page) this.drawBar(this.shown.view);
  }

  get names() {
    return this.info.seats.map((seat) => seat.name);
  }

  /** How the position is called: its turn, whose it is, and the step. */
  get where() {
    const chapter = this.info.chapters[chapterAt(this.info.chapters, this.ply)];
    const name = chapter && chapter.seat !== null ? this.names[chapter.seat] : "";
    return this.ply === 0 || !chapter || chapter.turn === 0 ? t("replay.start") : t("replay.turnOf", { turn: chapter.turn, name });
  }

  /** @param {any} view */
  drawBar(view) {
    const { shared } = this.app;
    const people = { names: this.names, colours: this.names.map((_, seat) => this.drawing.colour(view, seat)) };
    const step = (label, title, act) => h("button", { type: "button", title, "aria-label": title, click: act }, label);
    const at = t("replay.at", { ply: this.ply, plies: this.info.plies });
    const scrubber = curve(/** @type {any} */ (this.story), people, { at: this.ply, said: `${this.where}, ${at}`, scrub: (ply) => this.go(ply), marks: turningPoints(/** @type {any} */ (this.story), this.names).marks });
    paint(this.parts.bar, [
      h("div", { class: "row" }, h("h1", { class: "grow" }, this.app.game(this.info.game).title), h("p", { class: "replay-where" }, h("b", {}, this.where), " ", h("small", { class: "badge" }, `${this.ply} / ${this.info.plies}`))),
      h(
        "div",
        { class: "replay-bar" },
        step("|‹", t("replay.first"), () => this.go(0)),
        step("«", t("replay.turnBack"), () => this.turn(-1)),
        step("‹", t("replay.back"), () => this.go(this.ply - 1)),
        h("button", { type: "button", class: "primary", "data-replay": "play", click: () => this.play() }, t(this.playing ? "replay.pause" : "replay.play")),
        step("›", t("replay.next"), () => this.go(this.ply + 1)),
        step("»", t("replay.turnOn"), () => this.turn(1)),
        step("›|", t("replay.last"), () => this.go(this.info.plies)),
        this.speeds(),
        this.eyes(),
        h("a", { class: "button quiet", href: shared?.file ?? `/api/1/replays/${this.id}/file`, download: "" }, t("replay.download")),
        shared ? h("button", { type: "button", class: "quiet", "data-replay": "share", click: shared.share }, t("replay.share")) : null,
        this.page ? h("a", { class: "button quiet", "data-replay": "page", href: this.ply ? `${this.page}#${this.ply}` : this.page, target: "_blank", rel: "noopener noreferrer", title: t("replay.pageNote") }, t("replay.page")) : null,
      ),
      scrubber,
      h("details", { class: `verdict ${this.verdict.kind}`.trim(), open: !["", "verified", "consistent"].includes(this.verdict.kind) }, h("summary", {}, h("span", { role: "status" }, this.verdict.parts[0])), this.verdict.parts.slice(1), h("p", { class: "hint" }, t(this.info.opened ? "replay.opened" : "replay.closed")), h("p", { class: "hint" }, t("replay.keys"))),
    ]);
    const slider = this.parts.bar.querySelector("input[type=range]");
    if (slider instanceof HTMLInputElement) slider.value = String(this.ply); // a slider that was moved ignores its attribute
  }

  speeds() {
    const change = (event) => {
      this.speed = event.currentTarget.value;
      if (this.playing) this.play(true);
    };
    return h("label", {}, t("replay.speed"), " ", h("select", { "data-replay": "speed", change }, Object.keys(SPEEDS).map((each) => h("option", { value: each, selected: each === this.speed }, t(`replay.speed_${each}`)))));
  }

  /** Whose eyes: everybody's, a spectator's, or one player's. */
  eyes() {
    const look = (event) => {
      const { value } = event.currentTarget;
      this.seat = value === "" ? null : value === "all" ? "all" : Number(value);
      this.go(this.ply);
    };
    return h(
      "label",
      {},
      t("replay.seat"),
      " ",
      h(
        "select",
        { "data-replay": "eyes", change: look },
        this.info.opened ? h("option", { value: "all", selected: true }, t("replay.everybody")) : null,
        h("option", { value: "" }, t("replay.spectator")),
        this.info.seats.map((seat, number) => h("option", { value: number }, seat.name)),
      ),
    );
  }

  key(event) {
    const target = event.target instanceof Element ? event.target : document.body;
    if (event.ctrlKey || event.altKey || event.metaKey || target.closest("select, dialog, .popover, input:not([type=range])") || (event.key === " " && target.closest("button, summary"))) return;
    const to = { ArrowRight: this.ply + 1, ArrowLeft: this.ply - 1, Home: 0, End: this.info.plies }[event.key];
    if (to !== undefined) this.go(to);
    else if (event.key === "PageDown") this.turn(1);
    else if (event.key === "PageUp") this.turn(-1);
    else if (event.key === " ") this.play();
    else return;
    event.preventDefault();
  }

  /** To the beginning of the next turn, or of this one, or of the one before. @param {number} by */
  turn(by) {
    const starts = this.info.chapters.map((chapter) => chapter.ply);
    this.go(by > 0 ? (starts.find((ply) => ply > this.ply) ?? this.info.plies) : (starts.findLast((ply) => ply < this.ply) ?? 0));
  }

  /** Play or pause. @param {boolean} [on] go on at another speed */
  play(on = !this.playing) {
    clearInterval(this.playing);
    this.playing = 0;
    if (on) {
      if (this.ply >= this.info.plies) this.ply = 0;
      this.playing = window.setInterval(() => this.go(this.ply + 1), SPEEDS[this.speed]);
    }
    this.drawBar(this.shown.view);
  }

  async go(ply) {
    this.ply = Math.max(0, Math.min(ply, this.info.plies));
    if (this.ply >= this.info.plies && this.playing) this.play(false);
    const asked = ++this.asked;
    const at = await this.look();
    if (asked !== this.asked) return;
    this.show(at);
    this.app.shared?.at(this.ply);
  }

  /** The position as the chosen seat sees it; "all" combines the views of all seats. */
  async look() {
    const from = `replays/${this.id}/at/${this.ply}?seat=`;
    if (this.seat !== "all") return get(from + (this.seat ?? "none"));
    const [open, ...own] = await Promise.all(["none", ...this.info.seats.keys()].map((seat) => get(from + seat)));
    open.view.players = open.view.players.map((player, seat) => own[seat]?.view.players[seat] ?? player);
    return open;
  }

  /** The board and the desks. On a wide screen the others' desks stand with their players, so that the board has the height. @param {any} view */
  describe(view) {
    const { names, drawing } = this;
    const at = { names, menu: [], seat: view.seat, narrow: this.frame.isNarrow };
    this.rivals = new Map();
    if (!this.wide.matches) {
      const [field, ...desks] = drawing.draw(view, at);
      return { field, desks };
    }
    const own = view.seat ?? null;
    for (const seat of names.keys()) if (seat !== own) this.rivals.set(seat, drawing.rival(view, seat, at));
    return { field: drawing.board(view, at), desks: own === null ? [] : [drawing.desk(view, own, at)] };
  }

  show(at) {
    if (at !== this.shown) this.before = this.signs;
    this.shown = at;
    this.parts.board.className = `ground board board-${this.info.game}`;
    this.parts.desks.className = `board replay-desks board-${this.info.game}`;
    const { field, desks } = this.describe(at.view);
    const drawn = [field, ...desks, ...this.rivals.values()].filter((part) => part instanceof Drawn);
    changesIn(drawn, this.before, true);
    this.signs = signatures(drawn);
    nameAll(drawn);
    paint(this.parts.board, [field]);
    paint(this.parts.desks, desks);
    this.frame.drawn();
    this.drawBar(at.view);
    this.drawSide();
    this.bringIn();
    say(at.log.map((line) => line.say).filter(Boolean));
  }

  drawSide() {
    const { shown: at, names } = this;
    if (!at) return;
    const colours = names.map((_, seat) => this.drawing.colour(at.view, seat));
    const sign = (seat) => seatPicture(seat, colours[seat], names[seat] ?? "?", 16);
    const tabs = [
      { id: "turns", label: t("replay.turns"), content: this.chapters(sign) },
      ...(this.app.shared ? [] : [{ id: "analysis", label: t("analysis.title"), content: this.analysis.panel({ names, colours }, this.info.plies, { at: this.ply, go: (ply) => this.go(ply) }) }]),
    ];
    const choose = (tab) => {
      this.tab = tab;
      this.drawSide();
      this.bringIn();
    };
    paint(this.parts.side, [
      h("section", { class: "panel this-step" }, h("h2", {}, t("replay.now")), at.log.some((line) => line.say) ? logList(at.log, 0, -1, sign) : h("p", { class: "hint" }, t(this.ply ? "replay.quiet" : "replay.start"))),
      this.players(at.view),
      h("section", { class: "panel replay-tabs" }, ...tabbed(tabs, this.tab, choose)),
    ]);
  }

  /** Who plays, with their desks where there is room for them. @param {any} view */
  players(view) {
    const seats = this.info.seats.map((seat) => ({ ...seat, you: false }));
    if (!this.rivals.size) return h("section", { class: "panel" }, h("h2", {}, t("scores.title")), scoreList({ seats, view, to_act: view?.to_act }, this.drawing));
    const enlarge = (seat) => {
      this.large = this.large === seat ? null : seat;
      this.drawSide();
    };
    return h("div", { class: `seats-box board board-${this.info.game}` }, playerList({ seats, seat: view.seat ?? null }, view, this.drawing, [], (seat) => this.rivals.get(seat) ?? null, this.large, enlarge));
  }

  /** The turns: who, what was done, and the points it brought. */
  chapters(sign) {
    const now = chapterAt(this.info.chapters, this.ply);
    return h(
      "ol",
      { class: "turns", tabindex: 0, "aria-label": t("replay.turns") },
      gains(/** @type {any} */ (this.story)).map(({ chapter, before, after }, index) => {
        const gain = chapter.seat === null ? 0 : (after[chapter.seat] ?? 0) - (before[chapter.seat] ?? 0);
        return h(
          "li",
          {},
          h(
            "button",
            { type: "button", class: index === now ? "now" : "", "aria-current": index === now ? "step" : null, "data-turn": chapter.turn, click: () => this.go(this.info.chapters[index + 1]?.ply ?? this.info.plies) },
            h("span", { class: "turn-no" }, chapter.turn || ""),
            chapter.seat === null ? h("span", { class: "chance" }, "·") : sign(chapter.seat),
            h("span", { class: "grow told" }, chapter.say || t("replay.start")),
            gain ? h("b", { class: "gain" }, gain > 0 ? `+${gain}` : gain) : null,
          ),
        );
      }),
    );
  }

  /** Show the turn of this position in its list, without moving the page. */
  bringIn() {
    const list = this.parts.side.querySelector(".turns");
    const row = list?.querySelector(".now");
    if (!list || !row) return;
    const [box, at] = [list.getBoundingClientRect(), row.getBoundingClientRect()];
    if (at.top < box.top) list.scrollTop -= box.top - at.top;
    else if (at.bottom > box.bottom) list.scrollTop += at.bottom - box.bottom;
  }

  async verify() {
    try {
      const report = await post(`replays/${this.id}/verify`);
      this.verdict = { kind: report.fault ? "fault" : report.status, parts: judgement(report) };
    } catch (error) {
      this.verdict = { kind: "", parts: [h("p", {}, error.message)] };
    }
    this.drawBar(this.shown.view);
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
