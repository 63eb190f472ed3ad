// @ts-check
/** The drafted turn: what was chosen so far, undo, redo, confirm, and the sign that undo ends here. */
import { h } from "../../draw.js";
import { t } from "../../words.js";

/**
 * @param {any} state
 * @param {{undo: () => void, redo: () => void, commit: () => void}} does
 */
export function draftBar(state, does) {
  const draft = state.draft;
  const any = draft.texts.length > 0;
  const button = (key, label, enabled, action, kind = "") =>
    h(
      "button",
      { type: "button", class: kind, disabled: !enabled, click: action, "data-draft": key, "aria-keyshortcuts": t(`keys.${key}`), title: t(`draft.${key}Title`) },
      label,
    );
  const steps = draft.texts.map((words) => h("li", {}, h("code", {}, words)));
  return h(
    "div",
    { class: `draft${draft.must_commit ? " must" : ""}`, role: "group", "aria-label": t("draft.title") },
    any ? h("ol", { class: "draft-steps", "aria-label": t("draft.steps") }, steps) : h("p", { class: "hint" }, t("draft.empty")),
    draft.must_commit ? h("p", { class: "reveal-sign" }, h("span", { "aria-hidden": "true" }, "◉ "), t("draft.must")) : null,
    h(
      "div",
      { class: "row" },
      button("undo", t("draft.undo"), draft.can_undo, does.undo),
      button("redo", t("draft.redo"), draft.can_redo, does.redo),
      button("commit", t("draft.commit"), any, does.commit, "primary"),
    ),
  );
}
