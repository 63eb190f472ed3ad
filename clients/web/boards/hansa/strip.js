// @ts-check
/** The strip below the map of Hansa Teutonica: how near the end is, markers left, the long link, favours on display. */
import { s, text } from "../../draw.js";
import { t } from "../../words.js";

const ROW = 46;

/** How high it is. @param {any} view */
export function stripHeight(view) {
  return view.display.length ? 2 * ROW : ROW;
}

/** @param {any} view @param {{names: string[]}} at @param {{width: number, height: number}} layout */
export function strip(view, at, { width, height }) {
  const silver = Object.entries(view.silver).map(([name, n]) => `${n} × ${t(`hansa.marker_${name}`)}`).join("\n");
  const ends = view.board.east_west.map((code) => view.board.cities.find((city) => city.code === code)?.name ?? "").join(" – ");
  const link = t(view.east_west_awarded ? "hansa.eastWest" : "hansa.eastWestNobody", { cities: ends, n: view.east_west_awarded });
  const third = width / 3;
  return s(
    "g",
    { transform: `translate(0 ${height})`, class: "strip" },
    s("path", { d: `M12 0H${width - 12}`, class: "strip-line" }),
    s("g", { "data-about": "end", "data-tip": t("hansa.limitTip", { limit: view.board.limit }) }, s("rect", { x: 8, y: 4, width: third - 8, height: ROW - 8, class: "touch" }), text(20, 19, t("hansa.completedN", { n: view.completed, limit: view.board.limit }), { class: "strip-word" }), track(view.completed, view.board.limit, third - 40)),
    s(
      "g",
      { transform: `translate(${third} 0)`, "data-at": "deck:markers", "data-tip": `${t("hansa.supplyTip")}\n${silver}` },
      s("rect", { x: 4, y: 4, width: third - 8, height: ROW - 8, class: "touch" }),
      s("g", { transform: "translate(26 23)" }, [4, 2, 0].map((shift) => s("path", { d: "M-16 -7L-8 -14H8L16 -7V7L8 14H-8L-16 7Z", transform: `translate(${shift} ${shift}) scale(.85)`, class: "marker bonus" }))),
      text(52, 28, t("hansa.supplyN", { n: view.supply }), { class: "strip-word" }),
    ),
    s("g", { transform: `translate(${2 * third} 0)`, "data-about": "link", "data-tip": t("hansa.eastWestTip", { points: view.board.east_west_points.join(", ") }) }, s("rect", { x: 4, y: 4, width: third - 8, height: ROW - 8, class: "touch" }), ends ? [s("path", { d: "M14 23H34", class: "strip-link" }), s("circle", { cx: 12, cy: 23, r: 4, class: "strip-end" }), s("circle", { cx: 36, cy: 23, r: 4, class: "strip-end" }), words(link, 48, third - 56)] : null),
    view.display.map((tile, index) => favour(tile, 12 + (index * (width - 24)) / view.display.length, (width - 24) / view.display.length - 8)),
  );
}

/** Text in one line, or in two if it is longer than its place. */
function words(all, x, room) {
  if (all.length * 7 <= room) return text(x, 28, all, { class: "strip-word" });
  const cut = all.indexOf(": ") + 1;
  return s("g", {}, text(x, 20, all.slice(0, cut), { class: "strip-word" }), text(x, 35, all.slice(cut + 1), { class: "strip-word" }));
}

function track(done, limit, width) {
  const step = Math.min(18, width / limit);
  return Array.from({ length: limit }, (_, index) => s("rect", { x: 20 + index * step, y: 26, width: step - 4, height: 11, rx: 2, class: `strip-step${index < done ? " done" : ""}` }));
}

function favour(tile, x, width) {
  return s(
    "g",
    { transform: `translate(${x} ${ROW})`, class: "favour", "data-target": `favour:${tile}`, "data-try": `favour ${tile}`, "data-tip": t(`hansa.tileTip_${tile}`) },
    s("rect", { x: 0, y: 2, width, height: ROW - 8, rx: 6, class: "favour-paper" }),
    text(width / 2, 26, t(`hansa.tile_${tile}`), { class: "favour-word" }),
  );
}

