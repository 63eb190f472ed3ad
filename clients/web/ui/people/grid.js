// @ts-check
/** The connection grid: how each peer is reached, how the others reach one another, and advice where that fails. */
import { h } from "../../draw.js";
import { t } from "../../words.js";

const figures = (row) => [row.way ? t(`grid.way_${row.way}`) : "", row.rtt_ms === null || row.rtt_ms === undefined ? "" : t("grid.rtt", { n: row.rtt_ms })];
const stateOf = (row) => t(`grid.state_${(row.state ?? "").replaceAll(" ", "_")}`);

/** @param {any[]} rows @param {any[]} [pairs] @param {(peer: number) => string} [nameOf] */
export function gridList(rows, pairs = [], nameOf = String) {
  if (!rows.length) return h("p", { class: "hint" }, t("grid.none"));
  return h(
    "ul",
    { class: "grid" },
    rows.map((row) =>
      h(
        "li",
        { "data-state": row.state },
        h("b", {}, row.name ?? t("grid.peer", { n: row.peer + 1 })),
        ` ${[stateOf(row), ...figures(row)].filter(Boolean).join(" · ")}`,
        (row.advice ?? []).map((line) => h("small", { class: "advice" }, line)),
      ),
    ),
    pairs.map((pair) => h("li", { "data-state": pair.state }, h("b", {}, pair.peers.map(nameOf).join(" – ")), ` ${[stateOf(pair), ...figures(pair)].filter(Boolean).join(" · ")}`)),
  );
}
