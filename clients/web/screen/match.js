// @ts-check
/** A match on the big screen: the line on top, the board as large as it fits, the players with their points, what happened last. */
import { get } from "../api.js";
import { boardOf } from "../boards/index.js";
import { h, paint, render } from "../draw.js";
import { seatPicture } from "../ui/match/shapes.js";
import { Director } from "../ui/match/staging/director.js";
import { PACES } from "../ui/match/staging/stage.js";
import { codes } from "./codes.js";

const LINES = 4; // of what happened

export class BigMatch {
  /** @param {string} id @param {any[]} games */
  static async open(id, games) {
    const state = await get(`matches/${id}?seat=none`);
    return new BigMatch(state, await boardOf(state.game), games.find((game) => game.id === state.game)?.title ?? state.game);
  }

  /** @param {any} state @param {any} board @param {string} title */
  constructor(state, board, title) {
    this.id = state.id;
    this.board = board;
    this.title = title;
    this.state = state;
    /** The view that is shown, behind the newest state while moves are staged. */
    this.view = state.view;
    this.points = state.points;
    this.ply = state.ply;
    this.said = "";
    /** @type {import("./big_screen.js").Ways | null} */
    this.ways = null;
    const [top, place, side] = [h("header", { class: "big-line" }), h("div", { class: `big-board board board-${state.game}` }), h("aside", { class: "big-side" })];
    this.element = render(h("div", { class: "big-match" }, top, place, side));
    this.parts = { top: top.node, place: place.node, side: side.node };
    const link = { staged: (/** @type {number} */ from) => get(`matches/${this.id}/staged?from=${from}&seat=none`) };
    this.director = new Director(this.element, board, link, {
      latest: () => this.state,
      shown: () => this.view,
      pace: () => PACES.normal,
      draw: (ply) => this.stage(ply),
      tell: (ply) => this.tell(ply),
    });
    this.draw();
  }

  close() {
    this.director.close();
  }

  /** Something changed: stage what happened since the position that is shown. @param {import("./big_screen.js").Ways | null} ways */
  async look(ways) {
    this.ways = ways;
    this.state = await get(`matches/${this.id}?seat=none`);
    if (this.director.isPlaying) return;
    if (this.view && this.director.wants(this.state, this.ply)) await this.director.catchUp(this.ply);
    this.said = "";
    [this.view, this.points, this.ply] = [this.state.view, this.state.points, this.state.ply];
    this.draw();
  }

  stage(ply) {
    this.view = ply.view ?? this.view;
    this.points = ply.points ?? this.points;
    this.ply = (ply.ply ?? this.ply) + 1;
    this.draw();
  }

  tell(ply) {
    this.said = ply?.line?.say ?? this.said;
    this.draw();
  }

  draw() {
    const { state } = this;
    paint(this.parts.top, [h("h1", {}, this.title), h("p", { class: "big-now", role: "status" }, this.said || state.now?.text || "")]);
    if (this.view) paint(this.parts.place, [this.board.board(this.view, { names: state.seats.map((seat) => seat.name), menu: [], seat: null, narrow: false, far: true, figures: {} })]);
    paint(this.parts.side, [h("ol", { class: "big-players" }, state.seats.map((seat, number) => this.player(seat, number))), this.news(), state.status === "over" ? null : codes(this.ways, "big-strip")]);
  }

  player(seat, number) {
    const { state } = this;
    const result = this.director.isPlaying ? null : state.result; // not before the last moves have been shown
    const won = result?.winners?.includes(number);
    const colour = this.view ? this.board.colour(this.view, number) : "grey";
    const points = result?.scores?.[number] ?? this.points?.[number] ?? "";
    return h("li", { class: `big-player${state.to_act === number ? " acts" : ""}${won ? " won" : ""}${seat.gone ? " gone" : ""}` }, seatPicture(number, colour, seat.name), h("span", { class: "name" }, seat.name, seat.mark ? h("small", {}, ` (${seat.mark})`) : null), h("b", { class: "points" }, points));
  }

  news() {
    const lines = this.state.log.filter((line) => line.say && line.ply < this.ply).slice(-LINES);
    return h("ul", { class: "big-news" }, lines.map((line) => h("li", { "data-key": line.ply }, line.say)));
  }
}
