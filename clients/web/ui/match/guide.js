// @ts-check
/** The guide of a first match: one step at a time, told by the node, which also says what it waits for. */
import { post } from "../../api.js";
import { each, h } from "../../draw.js";
import { t } from "../../words.js";
import { toast } from "../page/live.js";

/** @param {any} state */
export function guide(state) {
  const step = state.guide;
  if (!step) return null;
  const wish = (what) => () => post(`matches/${state.id}/guide`, { do: what }).catch((error) => toast(error.message, "bad"));
  return h(
    "aside",
    { key: "guide", class: "panel guide", "data-guide": step.wait, "data-step": step.step, "data-look": step.look || null, "aria-label": t("guide.title") },
    h("p", { class: "guide-count" }, t("guide.count", { n: step.step, of: step.of })),
    h("h2", {}, step.title),
    h("p", {}, step.text),
    h(
      "div",
      { class: "row end" },
      step.step < step.of ? h("button", { class: "quiet", "data-guide-do": "end", click: wish("end") }, t("guide.end")) : null,
      step.wait === "next" ? h("button", { class: "primary", "data-guide-do": "next", click: wish("next") }, t(step.step < step.of ? "guide.next" : "guide.done")) : null,
    ),
  );
}

/** Numbers of the menu's entries that the guide waits for; none where any will do. @param {any} state @returns {Set<number>} */
export function waitedFor(state) {
  const step = state.guide;
  return new Set(step?.wait === "choose" && step.choices.length < state.menu.length ? step.choices : []);
}

/** Entries of a menu know that the guide waits for them, so that a list that asks which can show it. @param {any} state */
export function noteWaited(state) {
  for (const number of waitedFor(state)) state.menu[number].waited = true;
}

/** Make what the guide waits for stand out from what else can be done; while it explains, nothing does. @param {import("../../draw.js").Drawn[]} drawn @param {any} state */
export function pointOut(drawn, state) {
  const waited = waitedFor(state);
  if (!waited.size && state.guide?.wait !== "next") return;
  each(drawn, (part) => {
    const numbers = part.get("data-entries");
    if (numbers) part.mark(numbers.split(",").some((number) => waited.has(Number(number))) ? "waited" : "beside");
  });
}
