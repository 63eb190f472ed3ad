// @ts-check
/** The places of the match screen: made once, painted again and again. */
import { h, render } from "../../draw.js";
import { t } from "../../words.js";
import { Frame } from "./frame.js";
import { Sheet } from "./sheet.js";

/**
 * @typedef {"now" | "acts" | "draft" | "desk" | "veil" | "notes" | "players" | "tabs"} Place
 */

/** @param {() => void} reshaped is called when the frame of the board becomes high instead of wide, or the reverse */
export function furnish(reshaped) {
  const frame = new Frame(reshaped);
  const place = (name, more = {}) => h("div", { class: name, ...more });
  /** @type {Record<Place, import("../../draw.js").Drawn>} */
  const drawn = {
    now: place("now-line"),
    acts: place("kinds", { role: "group", "aria-label": t("match.acts") }),
    draft: place("draft-row"),
    desk: place("desk", { role: "group", "aria-label": t("sheet.desk") }),
    veil: place("veil"),
    notes: place("notes"),
    players: place("seats-box"),
    tabs: place("tabs"),
  };
  const handle = h("button", { type: "button", class: "sheet-handle", "aria-label": t("sheet.handle") }, h("span", {}), h("b", { class: "sheet-more" }, t("sheet.desk")));
  const title = h("h1", { class: "unseen" });
  const field = h("div", { class: "field-box" }, drawn.veil);
  const top = h("section", { class: "top", "data-keep-clear": "", "aria-label": t("match.now") }, title, handle, drawn.now, drawn.acts, drawn.draft);
  const page = h("div", { class: "play" }, top, h("div", { class: "table" }, field, drawn.desk), h("aside", { class: "side" }, drawn.notes, drawn.players, drawn.tabs));
  /** @type {HTMLElement} */
  const element = render(page);
  field.node.prepend(frame.element);
  const sheet = new Sheet(element, top.node);
  const parts = /** @type {Record<Place, HTMLElement>} */ (Object.fromEntries(Object.entries(drawn).map(([name, part]) => [name, part.node])));
  return { element, frame, sheet, parts, title: /** @type {HTMLElement} */ (title.node) };
}
