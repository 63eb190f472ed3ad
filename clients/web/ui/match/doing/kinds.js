// @ts-check
/** The kinds of action as buttons: how many choices each has, why it has none, and the choices that no element of the board stands for. */
import { h } from "../../../draw.js";
import { t } from "../../../words.js";
import { waitedFor } from "../guide.js";
import { linesOf, pick } from "./actions.js";

const VERY_FEW = 3; // choices in all that are shown as buttons, even if elements stand for them
const FEW = 8; // choices without an element that are shown as buttons at once

/** @typedef {import("./actions.js").Entry} Entry */

/** Numbers of the entries that are offered: all, or those of the chosen kind. @param {Entry[]} menu @param {string | null} kind */
export function shownOf(menu, kind) {
  return menu.flatMap((entry, number) => (kind === null || entry.kind === kind ? [number] : []));
}

/**
 * @param {any} state @param {string | null} chosen @param {Set<number>} reached entries that have an element
 * @param {{choose: (kind: string | null) => void, act: (entry: Entry) => void, refuse: (why: string) => void}} does
 */
export function kindRow(state, chosen, reached, does) {
  const named = new Set(state.kinds.map((kind) => kind.id));
  const waited = new Set([...waitedFor(state)].map((number) => state.menu[number]));
  const nameless = state.menu.flatMap((entry, number) => (named.has(entry.kind) || reached.has(number) ? [] : [choiceButton(number, entry, entry.phrase, does, waited)]));
  /** @type {(kind: any) => {number: number, entry: Entry}[]} */
  const loose = (kind) => state.menu.flatMap((entry, number) => (entry.kind === kind.id && !reached.has(number) ? [{ number, entry }] : []));
  const rows = state.kinds.flatMap((kind) => {
    const entries = state.menu.filter((entry) => entry.kind === kind.id);
    const free = chosen === null || chosen === kind.id ? loose(kind) : [];
    const only = entries.length === state.menu.length; // nothing else can be done: no click to get to its choices
    if (state.menu.length <= VERY_FEW && entries.length) return state.menu.flatMap((entry, number) => (entry.kind === kind.id ? [choiceButton(number, entry, entry.phrase, does, waited)] : []));
    const flat = free.length === entries.length && entries.length > 0 && entries.length <= FEW && (only || fits(free));
    if (flat) return free.map(({ number, entry }) => choiceButton(number, entry, entries.length === 1 ? kind.label : entry.phrase, does, waited));
    return [kindButton(kind, entries, chosen, reached, state.menu, does, entries.some((entry) => waited.has(entry))), ...(chosen === kind.id && free.length <= FEW ? free.map(({ number, entry }) => choiceButton(number, entry, entry.phrase, does, waited)) : [])];
  });
  return [...rows, ...nameless];
}

/** Whether these phrases are short enough for a row. @param {{entry: Entry}[]} free */
function fits(free) {
  return free.reduce((sum, { entry }) => sum + entry.phrase.length, 0) < 120;
}

function choiceButton(number, entry, label, does, waited) {
  return h("button", { type: "button", key: `choice ${entry.text}`, class: `act${entry.reveals ? " reveals" : ""}${waited.has(entry) ? " waited" : ""}`, "data-loose": number, "data-kind": entry.kind, "data-tip": linesOf(entry).join("\n"), click: () => does.act(entry) }, label, entry.reveals ? h("span", { "aria-hidden": "true", class: "reveal-mark" }, " ◉") : null);
}

function kindButton(kind, entries, chosen, reached, menu, does, waited) {
  const none = !entries.length;
  const pressed = chosen === kind.id;
  async function click(event) {
    if (none) return does.refuse(kind.why ?? t("acts.none"));
    if (pressed) return does.choose(null);
    if (entries.length === 1) return does.act(entries[0]);
    const seen = entries.some((entry) => reached.has(menu.indexOf(entry)));
    if (seen) return does.choose(kind.id);
    const entry = await pick(event.currentTarget, entries);
    if (entry) does.act(entry);
  }
  return h(
    "button",
    {
      type: "button",
      key: `kind ${kind.id}`,
      class: `kind${pressed ? " chosen" : ""}${waited ? " waited" : ""}`,
      "data-kind": kind.id,
      "data-tip": none ? (kind.why ?? t("acts.none")) : pressed ? t("acts.all") : null,
      "aria-pressed": String(pressed),
      "aria-disabled": none ? "true" : null,
      click,
    },
    kind.label,
    none ? null : h("b", { class: "count", "aria-label": t("acts.count", { n: entries.length }) }, entries.length),
  );
}
