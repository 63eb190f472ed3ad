// @ts-check
/** Before the match on the big screen: the table, who is here, and the codes by which phones come in. */
import { h } from "../draw.js";
import { t } from "../words.js";
import { codes } from "./codes.js";

/** @param {any} table @param {any[]} games @param {import("./big_screen.js").Ways | null} ways */
export function tableParts(table, games, ways) {
  const game = games.find((each) => each.id === table.game);
  return [
    h(
      "div",
      { class: "big-table" },
      h("h1", {}, game?.title ?? table.game),
      h("ol", { class: "big-seats" }, table.seats.map((seat, number) => seatRow(seat, number))),
      codes(ways, "big-codes"),
      h(
        "p",
        { class: "big-how" },
        ways ? [t("screen.typed"), " ", h("code", {}, ways.url), " ", t("screen.code"), " ", h("code", {}, ways.code), " · "] : null,
        t("screen.computer"),
        " ",
        h("code", {}, "kontor join"),
        ways?.bundle ? [" · ", t("screen.bundle"), " ", h("code", {}, ways.bundle)] : null,
        " · ",
        t(table.spectators ? "screen.mayWatch" : "screen.mayNotWatch"),
      ),
    ),
  ];
}

function seatRow(seat, number) {
  if (!seat.name) return h("li", { class: "free" }, h("b", {}, number + 1), h("span", { class: "name" }, t("screen.free")));
  const state = seat.ready ? t("screen.ready") : seat.here ? "" : t("screen.away");
  return h("li", { class: seat.ready ? "ready" : "" }, h("b", {}, number + 1), h("span", { class: "name" }, seat.name, seat.mark ? h("small", {}, ` (${seat.mark})`) : null), h("span", { class: "how" }, seat.kind === "person" ? state : t("screen.bot")));
}

/** Nothing goes on here. */
export function nothing() {
  return [h("div", { class: "big-table" }, h("h1", {}, "Kontor"), h("p", { class: "big-how" }, t("screen.nothing")))];
}
