// @ts-check
/** Who plays, whose turn it is, and the points with their parts. */
import { h } from "../../draw.js";
import { plain, t } from "../../words.js";
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

/** The sheet at the end. @param {any} state @param {any} terms words of the game */
export function resultSheet(state, terms) {
  const result = state.result ?? state.view?.result;
  const names = state.seats.map((seat) => seat.name);
  const winners = result.winners.map((seat) => names[seat]).join(", ");
  const row = (label, values, kind = "") =>
    h("tr", { class: kind }, h("th", { scope: "row" }, label), values.map((value) => h("td", {}, value)));
  return h(
    "section",
    { key: "result", class: "result panel" },
    h("h2", {}, t("result.won", { n: result.winners.length, names: winners || "–" })),
    h("p", {}, reason(result.reason, terms)),
    h(
      "div",
      { class: "scroll", tabindex: 0 },
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, h("td", {}), names.map((name) => h("th", { scope: "col" }, name)))),
        h(
          "tbody",
          {},
          (result.breakdown ?? []).filter(([, points]) => points.some(Boolean)).map(([name, points]) => row(category(name, terms), points)),
          row(t("result.points"), result.scores, "total"),
          result.places ? row(t("result.place"), result.places) : null,
        ),
      ),
    ),
  );
}

function category(name, terms) {
  return terms?.categories?.[name] ?? plain(name);
}

function reason(name, terms) {
  return terms?.reasons?.[name] ?? plain(name);
}
