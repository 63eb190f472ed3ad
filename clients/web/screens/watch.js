// @ts-check
/** Watching: matches that are being played and may be watched, or one at an address. */
import { get, post } from "../api.js";
import { h } from "../dom.js";
import { t } from "../words.js";
import { toast } from "../ui/page/live.js";
import { tableList } from "../ui/table/tables.js";

/** @param {import("../app.js").App} app @returns {Promise<import("../app.js").Screen>} */
export async function open(app) {
  const list = h("div", {});
  /** What a node that was called told. @type {any[]} */
  let called = [];
  let timer = 0;
  async function draw() {
    const { tables } = await get("tables");
    const known = new Set(tables.map((table) => table.id));
    const all = [...tables, ...called.filter((table) => !known.has(table.id))].filter((table) => table.phase === "started" && (table.spectators || table.match));
    list.replaceChildren(all.length ? tableList(app, all) : h("p", { class: "hint" }, t("watch.none")));
  }
  function soon() {
    clearTimeout(timer);
    timer = window.setTimeout(() => draw().catch(() => {}), 200);
  }
  const field = (key, length) => h("input", { type: "text", maxlength: length, name: key });
  const [address, match, fingerprint] = [field("address", 128), field("match", 64), field("fingerprint", 80)];
  const labelled = (key, input) => h("label", { class: "field" }, h("span", {}, t(`watch.${key}`)), input, h("small", {}, t(`watch.${key}Note`)));
  async function look(event) {
    event.preventDefault();
    const where = { address: address.value.trim(), ...(fingerprint.value.trim() ? { fingerprint: fingerprint.value.trim() } : {}) };
    try {
      if (match.value.trim()) {
        const { id } = await post("watch", { ...where, match: match.value.trim().toLowerCase() });
        return app.go(`/match/${id}`);
      }
      called = (await post("join", where)).tables ?? [];
      await draw();
      if (!list.querySelector("li")) toast(t("watch.nothing"));
    } catch (error) {
      toast(error.message, "bad");
    }
  }
  await draw();
  const element = h(
    "div",
    { class: "narrow" },
    h("h1", {}, t("watch.title")),
    h("p", {}, t("watch.text")),
    h("section", { class: "panel" }, h("h2", {}, t("watch.running")), list),
    h("form", { class: "panel", submit: look }, h("h2", {}, t("watch.elsewhere")), labelled("address", address), labelled("match", match), labelled("fingerprint", fingerprint), h("div", { class: "row end" }, h("button", { class: "primary", "data-watch": "look" }, t("watch.look")))),
  );
  return {
    element,
    heard: (event) => {
      if (["tables", "table", "matches", "reset"].includes(event.kind)) soon();
    },
    left: () => clearTimeout(timer),
  };
}
