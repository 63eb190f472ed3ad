// @ts-check
/** The options of a game with their explanations. */
import { h } from "../../draw.js";
import { plain, t } from "../../words.js";

/**
 * @param {any[]} options @param {Record<string, any>} values @param {(values: Record<string, any>) => void} changed
 * @param {boolean} [locked]
 */
export function optionFields(options, values, changed, locked = false) {
  const rows = options.map((option) =>
    h("div", { class: "option" }, h("label", {}, field(option, values[option.id] ?? option.default, locked), h("b", {}, plain(option.id))), h("p", {}, option.text)),
  );
  const element = h("div", { class: "options", change: (event) => changed(read(options, event.currentTarget)) }, rows.length ? rows : h("p", { class: "hint" }, t("new.none")));
  return { element, values: () => read(options, element.node) };
}

/** The values of the fields that differ from the defaults. @param {any[]} options @param {Element} root */
function read(options, root) {
  const out = {};
  const fields = root.querySelectorAll("input, select");
  options.forEach((option, number) => {
    const value = valueOf(option, fields[number]);
    if (value !== option.default) out[option.id] = value;
  });
  return out;
}

/** @param {any} option @param {any} field */
function valueOf(option, field) {
  if (typeof option.default === "boolean") return field.checked;
  if (option.allowed) return option.allowed[Number(field.value)];
  return typeof option.default === "number" ? Number(field.value) : field.value;
}

function field(option, value, locked) {
  if (typeof option.default === "boolean") return h("input", { type: "checkbox", checked: value, disabled: locked });
  if (option.allowed)
    return h(
      "select",
      { disabled: locked },
      option.allowed.map((each, index) => h("option", { value: index, selected: each === value }, word(each))),
    );
  return h("input", { type: typeof option.default === "number" ? "number" : "text", value, disabled: locked, maxlength: 64 });
}

function word(value) {
  if (typeof value !== "string") return String(value);
  return plain(value) || t("new.nothing");
}
