// @ts-check
/** A table: seats, options with explanations, the words of the terms, connections, ready. */
import { get, post } from "../api.js";
import { h } from "../dom.js";
import { plain, t } from "../words.js";
import { chatBox } from "../ui/chat.js";
import { toast } from "../ui/live.js";
import { optionFields } from "../ui/options.js";

/** @param {import("../app.js").App} app @param {string} id @returns {Promise<import("../app.js").Screen>} */
export async function open(app, id) {
  const element = h("div", { class: "table-screen" });
  let timer = 0;
  async function draw(table) {
    table ??= await get(`tables/${id}`);
    if (table.match) return app.go(`/match/${table.match}`);
    element.replaceChildren(...parts(app, table, send));
  }
  async function send(what, body = {}) {
    try {
      const table = await post(`tables/${id}/${what}`, body);
      if (what === "leave") return app.go("/");
      await draw(table.seats ? table : undefined);
    } catch (error) {
      toast(error.message, "bad");
    }
  }
  await draw();
  return {
    element,
    heard: (event) => {
      if (!["table", "tables", "chat", "matches", "reset"].includes(event.kind)) return;
      clearTimeout(timer);
      timer = window.setTimeout(() => draw().catch(() => {}), 60);
    },
    left: () => clearTimeout(timer),
  };
}

function parts(app, table, send) {
  const game = app.game(table.game);
  const fields = optionFields(game.options, table.options ?? {}, (options) => send("configure", { options }), !table.host_is_you);
  const ready = table.seats.some((seat) => seat.you && seat.ready);
  return [
    h("h1", {}, game.title),
    table.code ? h("p", {}, t("table.code"), " ", h("strong", { class: "six-words" }, table.code)) : null,
    h(
      "div",
      { class: "two" },
      h(
        "section",
        { class: "panel" },
        h("h2", {}, t("table.seats")),
        h("ol", { class: "seats" }, table.seats.map((seat, number) => seatRow(table, seat, number, send))),
        h(
          "div",
          { class: "row end" },
          h("button", { class: "quiet", click: () => send("leave") }, t("table.leave")),
          h("button", { class: "primary", click: () => send(ready ? "unready" : "ready") }, t(ready ? "table.unready" : "table.ready")),
          table.can_start ? h("button", { class: "primary", click: () => send("start") }, t("table.start")) : null,
        ),
      ),
      h(
        "section",
        { class: "panel" },
        h("h2", {}, t("table.terms")),
        table.words ? [h("p", { class: "six-words" }, table.words.join(" ")), h("p", { class: "hint" }, t("table.wordsNote"))] : h("p", { class: "hint" }, t("table.noWords")),
        h("p", {}, t(`tables.recovery_${table.recovery ?? "none"}`)),
        h("p", {}, t(table.spectators ? "table.spectators" : "table.noSpectators")),
        h("h3", {}, t("grid.title")),
        grid(table),
      ),
      h("section", { class: "panel" }, h("h2", {}, t("new.options")), fields.element),
      chatBox((table.chat ?? []).map((line) => ({ name: line.name, text: line.text })), (text) => send("chat", { text })),
    ),
  ].filter(Boolean);
}

function seatRow(table, seat, number, send) {
  const free = !seat.name;
  return h(
    "li",
    {},
    h("b", {}, number + 1),
    h("span", { class: "grow" }, free ? h("i", {}, t("table.free")) : seat.name, seat.you ? h("small", {}, ` ${t("you")}`) : null, seat.kind && seat.kind !== "person" ? h("small", {}, ` ${t(`kinds.${seat.kind}`)}`) : null),
    seat.ready ? h("span", { class: "badge" }, t("table.isReady")) : null,
    free ? h("button", { click: () => send("sit", { seat: number }) }, t("table.sit")) : null,
    free ? h("button", { class: "quiet", click: () => send("bot", { seat: number, kind: "greedy" }) }, t("table.bot")) : null,
    seat.you ? h("button", { class: "quiet", click: () => send("stand", { seat: number }) }, t("table.stand")) : null,
  );
}

function grid(table) {
  const rows = table.grid ?? [];
  if (!rows.length) return h("p", { class: "hint" }, t("grid.none"));
  return h("ul", { class: "grid" }, rows.map((row) => h("li", {}, h("b", {}, row.name ?? t("grid.peer", { n: (row.peer ?? 0) + 1 })), ` ${plain(row.path ?? "")} ${row.rtt_ms ?? "–"} ms ${plain(row.state ?? "")}`)));
}
