// @ts-check
/** Who plays, whose turn it is, and the points with their parts. */
import { h } from "../../draw.js";
import { plain, t } from "../../words.js";
import { sentence } from "./doing/naming.js";
import { seatPicture } from "./shapes.js";

/**
 * @param {any} state @param {{colour: (view: any, seat: number) => string, points: (view: any, seat: number) => {total: any, parts: [string, any][], facts?: [string, any][]}}} board
 */
export function scoreList(state, board) {
  const rows = state.seats.map((seat, number) => {
    const points = state.view ? board.points(state.view, number) : { total: "", parts: [] };
    const acts = state.to_act === number;
    return h(
      "li",
      { class: `player${acts ? " acts" : ""}${seat.gone ? " gone" : ""}` },
      h(
        "details",
        {},
        h(
          "summary",
          {},
          seatPicture(number, state.view ? board.colour(state.view, number) : "grey", seat.name),
          h("span", { class: "name" }, seat.name, seat.mark ? h("small", { class: "mark", title: t("lobby.markTip") }, ` (${seat.mark})`) : null, seat.you ? h("small", {}, ` ${t("you")}`) : null, kind(seat)),
          acts ? h("span", { class: "turn-mark" }, t("scores.acts")) : null,
          h("b", { class: "points" }, points.total),
        ),
        h(
          "dl",
          {},
          [...points.parts, ...(points.facts ?? [])].flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
        ),
      ),
    );
  });
  return h("ul", { class: "players" }, rows);
}

function kind(seat) {
  if (seat.gone) return h("small", {}, ` ${t("scores.gone")}`);
  return seat.kind === "person" || seat.kind === "me" ? null : h("small", {}, ` ${t("scores.bot")}`);
}

/** The result of a match that is over; what is only drafted ends nothing yet. @param {any} state */
export function resultOf(state) {
  return state.result ?? (state.draft?.steps.length ? null : (state.view?.result ?? null));
}

/** Who won and why the match is over. @param {any} state @param {any} terms words of the game */
export function resultTitle(state, terms) {
  const result = resultOf(state);
  const names = new Intl.ListFormat("en").format(result.winners.map((seat) => state.seats[seat].name));
  const alone = result.winners.length === 1 && state.seats[result.winners[0]].you && state.seats.filter((seat) => seat.you).length === 1;
  return [h("h2", {}, alone ? t("result.you") : t("result.won", { n: result.winners.length, names: names || "–" })), h("p", {}, sentence(reason(result.reason, terms)))];
}

/** The points by category. @param {any} state @param {any} board @param {any} terms words of the game */
export function resultSheet(state, board, terms) {
  const result = resultOf(state);
  const won = (seat) => (result.winners.includes(seat) ? "won" : "");
  const { counted, others } = partsOf(result);
  const row = (label, values, kind = "") =>
    h("tr", { class: kind }, h("th", { scope: "row" }, label), values.map((value, seat) => h("td", { class: won(seat) }, value)));
  const category = ([name, values]) => row(terms?.categories?.[name] ?? plain(name), values);
  return h(
    "section",
    { key: "result", class: "result panel" },
    h(
      "div",
      { class: "scroll", tabindex: 0 },
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, h("td", {}), state.seats.map(({ name }, seat) => h("th", { scope: "col", class: won(seat), title: name }, seatPicture(seat, state.view ? board.colour(state.view, seat) : "grey", name, 20), h("span", {}, name))))),
        h(
          "tbody",
          {},
          counted.map(category),
          row(t("result.points"), result.scores, "total"),
          others.map(category),
          result.places ? row(t("result.place"), result.places) : null,
        ),
      ),
    ),
  );
}

/**
 * The categories that make up the points, and those behind them that only break ties: a reader adds up what stands above the sum. Only
 * categories in which somebody has something. @param {{scores: number[], breakdown?: [string, number[]][]}} result
 */
export function partsOf({ scores, breakdown = [] }) {
  const sums = scores.map(() => 0);
  const makesUp = () => sums.every((sum, seat) => sum === scores[seat]);
  let length = 0;
  breakdown.forEach(([, values], index) => {
    values.forEach((value, seat) => (sums[seat] += value));
    if (makesUp()) length = index + 1;
  });
  const some = (list) => list.filter(([, values]) => values.some(Boolean));
  return length ? { counted: some(breakdown.slice(0, length)), others: some(breakdown.slice(length)) } : { counted: some(breakdown), others: [] };
}

function reason(name, terms) {
  return terms?.reasons?.[name] ?? plain(name);
}
