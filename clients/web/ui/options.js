// @ts-check
/** The options of a game with their explanations. */
import { h } from "../dom.js";
import { plain, t } from "../words.js";

/**
 * @param {any[]} options @param {Record<string, any>} values @param {(values: Record<string, any>) => void} changed
 * @param {boolean} [locked]
 */
export function optionFields(options, values, changed, locked = false) {
  const inputs = new Map();
  const read = () => {
    const out = {};
    for (const option of options) {
      const value = inputs.get(option.id)();
      if (value !== option.default) out[option.id] = value;
    }
    return out;
  };
  const rows = options.map((option) => {
    const value = values[option.id] ?? option.default;
    const { input, get } = field(option, value, () => changed(read()), locked);
    inputs.set(option.id, get);
    const name = plain(option.id);
    return h("div", { class: "option" }, h("label", {}, input, h("b", {}, name)), h("p", {}, option.text));
  });
  return { element: h("div", { class: "options" }, rows.length ? rows : h("p", { class: "hint" }, t("new.none"))), values: read };
}

function field(option, value, changed, locked) {
  if (typeof option.default === "boolean") {
    const input = h("input", { type: "checkbox", checked: value, disabled: locked, change: changed });
    return { input, get: () => input.checked };
  }
  if (option.allowed) {
    const input = h(
      "select",
      { disabled: locked, change: changed },
      option.allowed.map((each, index) => h("option", { value: index, selected: each === value }, word(each))),
    );
    return { input, get: () => option.allowed[Number(input.value)] };
  }
  const number = typeof option.default === "number";
  const input = h("input", { type: number ? "number" : "text", value, disabled: locked, maxlength: 64, change: changed });
  return { input, get: () => (number ? Number(input.value) : input.value) };
}

function word(value) {
  if (typeof value !== "string") return String(value);
  return plain(value) || t("new.nothing");
}
