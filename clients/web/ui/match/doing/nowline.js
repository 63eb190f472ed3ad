// @ts-check
/** The line that says who must do what, with the buttons that end things, and below it the drafted turn as a row of sentences. */
import { h } from "../../../draw.js";
import { t } from "../../../words.js";

const LONG = 92; // letters that may need a second line, which is as high as one of the others: the board keeps its size

/**
 * @typedef {{undo: () => void, redo: () => void, commit: () => void, back: (to: number) => void}} Does
 */

/** @param {any} state @param {Does} does @param {import("../../../draw.js").Part[]} more further buttons */
export function nowLine(state, does, more) {
  const { draft } = state;
  const button = (key, enabled, action, kind = "") =>
    h(
      "button",
      { type: "button", class: kind, disabled: !enabled, click: action, "data-draft": key, "aria-keyshortcuts": t(`keys.${key}`), title: t(`draft.${key}Title`) },
      t(`draft.${key}`),
    );
  const lit = draft.may_commit && draft.steps.length > 0;
  return [
    h("p", { class: `whose${state.your_turn ? " yours" : ""}${state.now.text.length > LONG ? " long" : ""}`, "data-turn": state.your_turn ? "you" : "other", "data-now": state.now.key, tabindex: -1 }, state.now.text),
    h(
      "div",
      { class: "ends" },
      state.your_turn ? [button("undo", draft.can_undo, does.undo), draft.can_redo ? button("redo", true, does.redo, "quiet") : null, button("commit", lit, does.commit, `primary${lit ? " lit" : ""}`)] : null,
      more,
    ),
  ];
}

/** The draft: each step is a place to go back to. @param {any} state @param {Does} does */
export function draftRow(state, does) {
  const { draft } = state;
  if (!state.your_turn || !draft.steps.length) return h("p", { class: "hint" }, state.your_turn ? t("draft.empty") : "");
  return h(
    "div",
    { class: `draft${draft.must_commit ? " must" : ""}`, role: "group", "aria-label": t("draft.title") },
    h("ol", { class: "draft-steps", "aria-label": t("draft.steps") }, draft.steps.map((step, index) => (step.say ? h("li", { class: step.forced ? "forced" : "" }, stepWords(step, index, does)) : null))),
    draft.must_commit ? h("p", { class: "reveal-sign", title: t("draft.must") }, h("span", { "aria-hidden": "true" }, "◉ "), t("draft.end")) : null,
  );
}

function stepWords(step, index, does) {
  const words = [step.reveals ? h("span", { class: "reveal-mark", title: t("match.reveals") }, "◉ ") : null, step.say];
  if (step.forced) return h("span", { class: "step-words", title: `${step.say} ${t("draft.forced")}` }, words);
  return h("button", { type: "button", class: "step-back step-words", "data-step": index, title: t("draft.back", { step: step.say }), click: () => does.back(index) }, words);
}
