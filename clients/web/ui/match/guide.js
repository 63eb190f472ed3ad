// @ts-check
/** A short guided first match of Osaka: one hint for the situation at hand, until it is closed. */
import { put } from "../../api.js";
import { h } from "../../draw.js";
import { t } from "../../words.js";

/** Which hint fits. @param {any} state */
export function hintFor(state) {
  const view = state.view;
  if (!view || view.result) return "";
  if (!state.your_turn) return "others";
  if (state.draft.must_commit) return "confirm";
  if (view.phase === "token") return "token";
  if (view.phase === "pay") return "pay";
  if (view.phase === "insure" || view.phase === "cover") return "insure";
  if (view.phase !== "turn") return "";
  const canBuy = state.menu.some((entry) => entry.text === "buy");
  return canBuy ? "buy" : "turn";
}

/** @param {import("../../app.js").App} app @param {any} state @param {() => void} redraw */
export function guide(app, state, redraw) {
  if (state.game !== "osaka" || state.seat === null || app.settings.client?.osaka_known) return null;
  const hint = hintFor(state);
  if (!hint) return null;
  return h(
    "aside",
    { key: "guide", class: "panel guide", "data-hint": hint },
    h("h2", {}, t("guide.title")),
    h("p", {}, t(`guide.${hint}`)),
    h("div", { class: "row end" }, h("button", { class: "quiet", click: close }, t("guide.close"))),
  );
  async function close() {
    app.settings = { ...app.settings, client: { ...app.settings.client, osaka_known: true } };
    redraw();
    app.settings = await put("settings", app.settings).catch(() => app.settings);
  }
}
