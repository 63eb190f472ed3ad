// @ts-check
/** Watching: matches that are being played and may be watched, or one at an address. */
import { get, post } from "../api.js";
import { h, paint, render } from "../draw.js";
import { t } from "../words.js";
import { toast } from "../ui/page/live.js";
import { redrawer } from "../ui/page/soon.js";
import { tableList } from "../ui/table/tables.js";

/** @param {import("../app.js").App} app @returns {Promise<import("../app.js").Screen>} */
export async function open(app) {
  const element = render(h("div", { class: "narrow" }));
  const { soon, stop } = redrawer(() => draw().catch(() => {}), 200);
  /** The tables of the node at the address that was entered. @type {any[]} */
  let called = [];
  /** @returns {Promise<number>} how many matches can be watched */
  async function draw() {
    const { tables } = await get("tables");
    const known = new Set(tables.map((table) => table.id));
    const all = [...tables, ...called.filter((table) => !known.has(table.id))].filter((table) => table.phase === "started" && (table.spectators || table.match));
    paint(element, [
      h("h1", {}, t("watch.title")),
      h("p", {}, t("watch.text")),
      h("section", { class: "panel" }, h("h2", {}, t("watch.running")), h("div", {}, all.length ? tableList(app, all) : h("p", { class: "hint" }, t("watch.none")))),
      h("form", { class: "panel", submit: look }, h("h2", {}, t("watch.elsewhere")), field("address", 128), field("match", 64), field("fingerprint", 80), h("div", { class: "row end" }, h("button", { class: "primary", "data-watch": "look" }, t("watch.look")))),
    ]);
    return all.length;
  }
  async function look(event) {
    event.preventDefault();
    const fields = event.currentTarget.elements;
    const [address, match, fingerprint] = ["address", "match", "fingerprint"].map((name) => fields[name].value.trim());
    const where = { address, ...(fingerprint ? { fingerprint } : {}) };
    try {
      if (match) {
        const { id } = await post("watch", { ...where, match: match.toLowerCase() });
        return app.go(`/match/${id}`);
      }
      called = (await post("join", where)).tables ?? [];
      if (!(await draw())) toast(t("watch.nothing"));
    } catch (error) {
      toast(error.message, "bad");
    }
  }
  await draw();
  return {
    element,
    onEvent: (event) => {
      if (["tables", "table", "matches", "reset"].includes(event.kind)) soon();
    },
    onLeave: stop,
  };
}

/** @param {string} name @param {number} length */
function field(name, length) {
  return h("label", { class: "field" }, h("span", {}, t(`watch.${name}`)), h("input", { type: "text", maxlength: length, name }), h("small", {}, t(`watch.${name}Note`)));
}
