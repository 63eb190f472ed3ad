// @ts-check
/** A table: seats, options with explanations, the words of the terms, connections, ready. */
import { get, post } from "../api.js";
import { h, paint, render, settle } from "../draw.js";
import { t } from "../words.js";
import { banner } from "../boards/banners.js";
import { chatBox, markedName, showNewest } from "../ui/people/chat.js";
import { dialog } from "../ui/page/dialog.js";
import { gridList } from "../ui/people/grid.js";
import { openParty } from "../ui/party/party.js";
import { toast } from "../ui/page/live.js";
import { freeName } from "../ui/people/me.js";
import { optionFields } from "../ui/table/options.js";
import { graceField, recoveryChosen, recoveryFields } from "../ui/table/recovery.js";
import { redrawer } from "../ui/page/soon.js";

const LOOK_MS = 1500; // nobody can have read a change that is younger than this

/** @param {import("../app.js").App} app @param {string} id @returns {Promise<import("../app.js").Screen>} */
export async function open(app, id) {
  const element = render(h("div", { class: "table-screen" }));
  const { soon, stop } = redrawer(() => draw().catch((error) => toast(error.message, "bad")), 60);
  /** @type {string[] | null} */
  let words = null;
  /** What the page shows. @type {any} */
  let table = null;
  let changed = -Infinity;
  async function draw() {
    const now = await get(`tables/${id}`);
    if (now.match) return app.go(`/match/${now.match}`);
    if (table && !now.host_is_you && termsOf(now) !== termsOf(table)) changed = performance.now();
    table = now;
    paint(element, now.phase === "entering" ? [h("p", { class: "hint" }, t("table.entering"))] : parts(app, now, now.words ?? words, send));
    settle(element);
    showNewest(element);
  }
  async function send(what, body = {}) {
    // The host may have changed the terms just before the click.
    if (what === "ready" && performance.now() - changed < LOOK_MS) return toast(t("table.changed"));
    const others = table?.seats.map((seat) => seat.name).filter(Boolean) ?? [];
    const more = what === "sit" ? { name: freeName(app, others) } : {};
    try {
      const now = await post(`tables/${id}/${what}`, { ...body, ...more });
      if (what === "leave") return app.go("/");
      if (now.match) return app.go(`/match/${now.match}`);
    } catch (error) {
      toast(error.message, "bad");
    }
    soon();
  }
  await draw();
  return {
    element,
    onEvent: (event) => {
      if (event.kind === "table" && event.id === id) {
        if (event.started) return app.go(`/match/${event.started}`);
        if (event.words) words = event.words;
        soon();
      } else if (["tables", "matches", "chat", "reset"].includes(event.kind)) soon();
    },
    onOnline: (online) => online && soon(),
    onLeave: stop,
  };
}

/** What a host can change while the others read it. */
function termsOf(table) {
  return JSON.stringify([table.recovery, table.grace, table.spectators, table.options, table.says]);
}

function parts(app, table, words, send) {
  const game = app.game(table.game);
  const host = table.host_is_you;
  if (table.phase === "started") return [h("h1", {}, game.title), h("p", { class: "hint", role: "status" }, t(table.spectators ? "table.toMatch" : "table.begun")), h("p", {}, h("button", { class: "quiet", click: () => send("leave") }, t("table.leave")))];
  const sits = table.seats.some((seat) => seat.you);
  const fields = optionFields(game.options, table.options ?? {}, (options) => send("configure", { options }), !host);
  return [
    h("header", { class: "page-head" }, banner(game.id, true), h("h1", {}, game.title)),
    h(
      "div",
      {},
      table.rematch_of ? h("p", { class: "table-note" }, h("a", { href: `#/match/${table.rematch_of}` }, t("table.rematchOf", { game: game.title }))) : null,
      table.name ? h("p", { class: "table-note" }, table.name) : null,
      notices(table).map((line) => h("p", { class: "warn", role: "status" }, line)),
    ),
    h("div", {}, table.addresses?.length || table.code ? invitation(app, table) : null),
    h("p", { class: "row" }, h("button", { "data-party": "open", click: () => openParty(app, { table: table.id }) }, t("party.invite"))),
    h(
      "div",
      { class: "two" },
      h(
        "section",
        { class: "panel" },
        h("h2", {}, t("table.seats")),
        h("ol", { class: "seats" }, table.seats.map((seat, number) => seatRow(seat, number, send))),
        h("h3", {}, t("grid.title")),
        gridList(table.grid ?? []),
      ),
      h("section", { class: "panel" }, h("h2", {}, t("new.options")), fields.element),
      termsPanel(table, words, sits, send),
      chatBox(table.chat ?? [], `tables/${table.id}/chat`, () => {}),
    ),
  ];
}

/** Everything that a player agrees to, above the button that agrees to it. */
function termsPanel(table, words, sits, send) {
  const ways = table.choices.length ? (table.host_is_you ? recoveryFields(table.choices, table.recovery, (recovery) => send("configure", { recovery })) : recoveryChosen(table.choices, table.recovery)) : null;
  const waits = table.host_is_you && table.choices.length && table.recovery === "majority" ? graceField(table.grace, (grace) => send("configure", { grace })) : null;
  const says = table.says.filter((said) => !(ways && said.id === "recovery"));
  return h(
    "section",
    { class: "panel terms" },
    h("h2", {}, t("table.terms")),
    h("div", {}, ways, waits, says.map((said) => h("p", { "data-says": said.id }, said.text))),
    h("p", {}, t("table.host"), " ", h("b", {}, table.host_is_you ? t("table.hostYou") : (table.host ?? "")), " ", h("small", {}, (table.host_words ?? []).join(" "))),
    h("div", {}, words ? h("p", { class: "six-words" }, words.join(" ")) : null, h("p", { class: "hint" }, t(words ? "table.wordsNote" : "table.noWords"))),
    h(
      "div",
      { class: "row end" },
      h("span", { class: "hint grow" }, sits || !table.spectators ? "" : t("table.willWatch")),
      h("button", { class: "quiet", click: () => send("leave") }, t("table.leave")),
      // The button carries the sight of the terms that are shown above it, so that nobody agrees to others.
      h("button", { class: "primary", disabled: !sits, "data-ready": table.you_ready ? "yes" : "no", "data-sight": table.sight, click: (event) => answer(event.currentTarget, send) }, t(table.you_ready ? "table.unready" : "table.ready")),
    ),
  );
}

/** @param {HTMLElement} button */
function answer(button, send) {
  return button.dataset.ready === "yes" ? send("unready") : send("ready", { sight: button.dataset.sight });
}

/** Why the last start failed, and who has to update; each line once. */
function notices(table) {
  return [...new Set([table.notice, ...table.updates])].filter(Boolean);
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
  const name = input.node.value.trim();
  if (answer === "go" && name) send("rename", { seat: number, name });
}

function seatRow(seat, number, send) {
  const free = !seat.name;
  return h(
    "li",
    {},
    h("b", {}, number + 1),
    h("span", { class: "grow" }, free ? h("i", {}, t("table.free")) : markedName(seat), seat.you && !seat.guest ? h("small", {}, ` ${t("you")}`) : null, !free && seat.kind !== "person" ? h("small", {}, ` ${t(`kinds.${seat.kind}`)}`) : null, seat.guest ? h("small", {}, ` ${t(seat.you ? "table.guestHere" : "table.guest")}`) : null),
    seat.ready ? h("span", { class: "badge" }, t("table.isReady")) : null,
    h(
      "span",
      { class: "row" },
      free ? h("button", { "data-sit": number, click: () => send("sit", { seat: number }) }, t("table.sit")) : null,
      free ? h("button", { class: "quiet", click: () => send("bot", { seat: number }) }, t("table.bot")) : null,
      seat.you ? h("button", { class: "quiet", "data-rename": number, "data-name": seat.name, click: () => rename(seat, number, send) }, t("table.rename")) : null,
      seat.you ? h("button", { class: "quiet", click: () => send("stand", { seat: number }) }, t("table.stand")) : null,
    ),
  );
}
