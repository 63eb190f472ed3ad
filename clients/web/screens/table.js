// @ts-check
/** A table: seats, options with explanations, the words of the terms, connections, ready. */
import { get, post } from "../api.js";
import { h } from "../dom.js";
import { t } from "../words.js";
import { chatBox } from "../ui/chat.js";
import { dialog } from "../ui/dialog.js";
import { gridList } from "../ui/grid.js";
import { toast } from "../ui/live.js";
import { freeName } from "../ui/me.js";
import { optionFields } from "../ui/options.js";

/** @param {import("../app.js").App} app @param {string} id @returns {Promise<import("../app.js").Screen>} */
export async function open(app, id) {
  const element = h("div", { class: "table-screen" });
  let timer = 0;
  /** @type {string[] | null} */
  let words = null;
  /** @type {any} */
  let table = null;
  async function draw() {
    table = await get(`tables/${id}`);
    if (table.match) return app.go(`/match/${table.match}`);
    if (document.activeElement?.matches(".chat-form input") && /** @type {HTMLInputElement} */ (document.activeElement).value) return soon();
    element.replaceChildren(...(table.phase === "entering" ? [h("p", { class: "hint" }, t("table.entering"))] : parts(app, table, table.words ?? words, send)));
  }
  async function send(what, body = {}) {
    const others = table?.seats.map((seat) => seat.name).filter(Boolean) ?? [];
    const more = what === "sit" ? { name: freeName(app, others) } : {};
    try {
      await post(`tables/${id}/${what}`, { ...body, ...more });
      if (what === "leave") return app.go("/");
      soon();
    } catch (error) {
      toast(error.message, "bad");
    }
  }
  function soon() {
    clearTimeout(timer);
    timer = window.setTimeout(() => draw().catch((error) => toast(error.message, "bad")), 60);
  }
  await draw();
  return {
    element,
    heard: (event) => {
      if (event.kind === "table" && event.id === id) {
        if (event.started) return app.go(`/match/${event.started}`);
        if (event.words) words = event.words;
        soon();
      } else if (["tables", "matches", "chat", "reset"].includes(event.kind)) soon();
    },
    online: (online) => online && soon(),
    left: () => clearTimeout(timer),
  };
}

function parts(app, table, words, send) {
  const game = app.game(table.game);
  const host = table.host_is_you;
  const fields = optionFields(game.options, table.options ?? {}, (options) => send("configure", { options }), !host);
  const sits = table.seats.some((seat) => seat.you);
  if (table.phase === "started") return [h("h1", {}, game.title), h("p", { class: "hint", role: "status" }, t(table.spectators ? "table.toMatch" : "table.begun")), h("p", {}, h("button", { class: "quiet", click: () => send("leave") }, t("table.leave")))];
  return [
    h("h1", {}, game.title),
    table.name ? h("p", { class: "table-note" }, table.name) : "",
    table.notice ? h("p", { class: "warn", role: "status" }, table.notice) : "",
    table.addresses?.length || table.code ? invitation(app, table) : "",
    h(
      "div",
      { class: "two" },
      h(
        "section",
        { class: "panel" },
        h("h2", {}, t("table.seats")),
        h("ol", { class: "seats" }, table.seats.map((seat, number) => seatRow(seat, number, send))),
        h(
          "div",
          { class: "row end" },
          sits || !table.spectators ? null : h("span", { class: "hint grow" }, t("table.willWatch")),
          h("button", { class: "quiet", click: () => send("leave") }, t("table.leave")),
          h("button", { class: "primary", disabled: !sits, "data-ready": table.you_ready ? "yes" : "no", click: () => send(table.you_ready ? "unready" : "ready") }, t(table.you_ready ? "table.unready" : "table.ready")),
        ),
      ),
      h(
        "section",
        { class: "panel" },
        h("h2", {}, t("table.terms")),
        words ? h("p", { class: "six-words" }, words.join(" ")) : null,
        h("p", { class: "hint" }, t(words ? "table.wordsNote" : "table.noWords")),
        h("p", {}, t(`tables.recovery_${table.recovery ?? "none"}`)),
        h("p", {}, t(table.spectators ? "table.spectators" : "table.noSpectators")),
        h("p", { "data-tip": (table.host_words ?? []).join(" ") }, t("table.host"), " ", h("b", {}, table.host ?? ""), " ", h("small", {}, (table.host_words ?? []).join(" "))),
        h("h3", {}, t("grid.title")),
        gridList(table.grid ?? []),
      ),
      h("section", { class: "panel" }, h("h2", {}, t("new.options")), fields.element),
      table.where === "lobby" ? chatBox((table.chat ?? []).map((line) => ({ name: line.name ?? "", text: line.text })), (text) => send("chat", { text })) : null,
    ),
  ];
}

/** Where others find this table. */
function invitation(app, table) {
  return h(
    "section",
    { class: "panel" },
    h("h2", {}, t("table.invite")),
    table.code ? h("p", {}, t("table.code"), " ", h("strong", { class: "six-words" }, table.code)) : null,
    table.addresses?.length ? [h("p", {}, t("table.inviteNote")), h("p", { class: "row" }, table.addresses.map((address) => h("code", { class: "free-piece" }, address)))] : null,
    h("p", {}, t("table.yourWords"), " ", h("span", { class: "six-words" }, (app.hello.node?.words ?? []).join(" "))),
  );
}

async function rename(seat, number, send) {
  const input = h("input", { type: "text", maxlength: 24, value: seat.name, "aria-label": t("me.name") });
  const answer = await dialog(t("table.rename"), [input], [
    { value: "", label: t("cancel"), kind: "quiet" },
    { value: "go", label: t("settings.save"), kind: "primary" },
  ]);
  if (answer === "go" && input.value.trim()) send("rename", { seat: number, name: input.value.trim() });
}

function seatRow(seat, number, send) {
  const free = !seat.name;
  return h(
    "li",
    {},
    h("b", {}, number + 1),
    h("span", { class: "grow" }, free ? h("i", {}, t("table.free")) : seat.name, seat.you ? h("small", {}, ` ${t("you")}`) : null, !free && seat.kind !== "person" ? h("small", {}, ` ${t(`kinds.${seat.kind}`)}`) : null),
    seat.ready ? h("span", { class: "badge" }, t("table.isReady")) : null,
    free ? h("button", { "data-sit": number, click: () => send("sit", { seat: number }) }, t("table.sit")) : null,
    free ? h("button", { class: "quiet", click: () => send("bot", { seat: number, kind: "greedy" }) }, t("table.bot")) : null,
    seat.you ? h("button", { class: "quiet", "data-rename": number, click: () => rename(seat, number, send) }, t("table.rename")) : null,
    seat.you ? h("button", { class: "quiet", click: () => send("stand", { seat: number }) }, t("table.stand")) : null,
  );
}
