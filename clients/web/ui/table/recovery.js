// @ts-check
/** What happens if a player leaves or is lost: both choices side by side, each with its price. */
import { h } from "../../draw.js";
import { t } from "../../words.js";

/**
 * @param {{id: string, title: string, text: string}[]} choices one without a title where there is nothing to choose
 * @param {string} value @param {(value: string) => void} changed
 */
export function recoveryFields(choices, value, changed) {
  if (choices.length < 2) return h("p", { class: "recovery" }, choices[0]?.text ?? "");
  return h(
    "fieldset",
    { class: "recovery" },
    h("legend", {}, t("tables.recovery")),
    choices.map((choice) =>
      h(
        "label",
        { class: "way" },
        h("input", { type: "radio", name: "recovery", value: choice.id, checked: choice.id === value, change: () => changed(choice.id) }),
        h("span", {}, h("b", {}, choice.title), h("small", {}, choice.text)),
      ),
    ),
  );
}

const GRACES = [0, 120, 600, 86400]; // seconds

/** How long the others wait before they can go on without somebody. @param {number} value seconds @param {(value: number) => void} changed */
export function graceField(value, changed) {
  const all = GRACES.includes(value) ? GRACES : [...GRACES, value].sort((a, b) => a - b);
  const word = (seconds) => (seconds === 0 ? t("tables.grace_none") : seconds >= 86400 ? t("tables.grace_days", { n: Math.round(seconds / 86400) }) : seconds < 60 ? t("tables.grace_seconds", { n: seconds }) : t("tables.grace_minutes", { n: Math.round(seconds / 60) }));
  return h("label", { class: "field" }, h("span", {}, t("tables.grace")), h("select", { "data-grace": value, change: (event) => changed(Number(event.currentTarget.value)) }, all.map((each) => h("option", { value: each, selected: each === value }, word(each)))), h("small", {}, t("tables.graceNote")));
}

/**
 * The same for guests, who cannot choose: the choice of the host, its price, and the alternatives.
 * @param {{id: string, title: string, text: string}[]} choices @param {string} value
 */
export function recoveryChosen(choices, value) {
  const chosen = choices.find((choice) => choice.id === value);
  const others = choices.filter((choice) => choice !== chosen).map((choice) => choice.title);
  return h(
    "div",
    { class: "recovery", "data-says": "recovery" },
    h("h3", {}, t("tables.recovery")),
    h("p", {}, h("b", {}, chosen?.title ?? ""), h("small", {}, chosen?.text ?? "")),
    h("p", { class: "hint" }, h("small", {}, t("tables.instead", { others: others.join(", ") }))),
  );
}
