// @ts-check
/** The options of a game with their explanations. */
import { h } from "../../draw.js";
import { knows, plain, t } from "../../words.js";

const USUAL = new Set(["map", "missions", "favour", "tokens_to_end", "show_hands", "mini_1", "mini_2"]); // the others are folded away

/**
 * @param {any[]} options @param {Record<string, any>} values @param {(values: Record<string, any>) => void} changed
 * @param {boolean} [locked]
 */
export function optionFields(options, values, changed, locked = false) {
  const [usual, rare] = [options.filter((option) => USUAL.has(option.id)), options.filter((option) => !USUAL.has(option.id))];
  const order = [...usual, ...rare];
  const row = (option) => h("div", { class: "option" }, h("label", {}, h("b", {}, titleOf(option)), field(option, values[option.id] ?? option.default, locked)), h("p", {}, textOf(option)));
  const isChanged = rare.some((option) => option.id in values && values[option.id] !== option.default);
  const folded = rare.length ? h("details", { class: "rare", open: isChanged || !usual.length }, h("summary", {}, t("new.rare")), rare.map(row)) : null;
  const element = h("div", { class: "options", change: (event) => changed(read(order, event.currentTarget)) }, options.length ? [...usual.map(row), folded] : h("p", { class: "hint" }, t("new.none")));
  return { element, values: () => read(order, element.node) };
}

/** What players call it. @param {any} option */
function titleOf(option) {
  return knows(`options.${option.id}`) ? t(`options.${option.id}`) : plain(option.id);
}

/** What it changes. @param {any} option */
function textOf(option) {
  return knows(`options.about_${option.id}`) ? t(`options.about_${option.id}`) : option.text;
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
      option.allowed.map((each, index) => h("option", { value: index, selected: each === value }, word(option, each))),
    );
  return h("input", { type: typeof option.default === "number" ? "number" : "text", value, disabled: locked, maxlength: 64 });
}

function word(option, value) {
  const known = `options.is_${option.id}_${value}`;
  if (knows(known)) return t(known);
  if (typeof value !== "string") return String(value);
  return plain(value) || t("new.nothing");
}
