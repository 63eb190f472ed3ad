// @ts-check
/** Log, chat and the table's facts in tabs, each with a scroll of its own that only a person moves. */
import { h } from "../../draw.js";

/**
 * @param {{id: string, label: string, fresh?: number, content: import("../../draw.js").Part}[]} tabs @param {string} open
 * @param {(id: string) => void} choose
 */
export function tabbed(tabs, open, choose) {
  const now = tabs.find((tab) => tab.id === open) ?? tabs[0];
  return [
    h(
      "div",
      { class: "tab-row", role: "tablist", keydown: (event) => walk(event, tabs, now.id, choose) },
      tabs.map((tab) =>
        h(
          "button",
          { type: "button", key: tab.id, role: "tab", id: `tab-${tab.id}`, "data-tab": tab.id, "aria-controls": `panel-${tab.id}`, "aria-selected": String(tab === now), tabindex: tab === now ? 0 : -1, click: () => choose(tab.id) },
          tab.label,
          tab.fresh && tab !== now ? h("b", { class: "count" }, tab.fresh) : null,
        ),
      ),
    ),
    // All of them stay: what was typed, and how far was read.
    tabs.map((tab) => h("div", { key: `panel ${tab.id}`, class: `tab-panel of-${tab.id}`, id: `panel-${tab.id}`, role: "tabpanel", hidden: tab !== now, "aria-labelledby": `tab-${tab.id}` }, tab.content)),
  ];
}

/** @param {KeyboardEvent} event @param {{id: string}[]} tabs @param {string} now @param {(id: string) => void} choose */
function walk(event, tabs, now, choose) {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!by) return;
  event.preventDefault();
  event.stopPropagation();
  const next = tabs[(tabs.findIndex((tab) => tab.id === now) + by + tabs.length) % tabs.length];
  choose(next.id);
  document.getElementById(`tab-${next.id}`)?.focus({ preventScroll: true });
}
