// @ts-check
/**
 * A guest's phone: pair with the node whose page this is, wait for the host, then play.
 *
 * The secret of a link stands in the fragment of the address. It is taken out of the address bar at once and kept until the
 * phone has a key of its own, so that a lost connection in between loses nothing.
 */
import { useWay } from "../api.js";
import { byId, h, paint, render } from "../draw.js";
import { loadWords, t } from "../words.js";
import { CODE, DEVICE, LINK, fromText } from "./channel.js";
import { SealedWay, deviceOf, remember, remembered, socketAddress } from "./sealed_way.js";

const LINK_SIZE = 16;
let memory = remembered();
/** What the node says about this guest. @type {any} */
let you = null;
/** The words that the host compares. @type {string[]} */
let words = [];
let isPlaying = false;
let isOnline = true;

const way = new SealedWay(socketAddress(), {
  you: (now) => {
    you = now;
    show();
  },
  online: (online) => {
    isOnline = online;
    show();
  },
  paired: (device, numbers) => {
    memory = { device, name: memory.name, words: numbers };
    remember(memory);
    compare(numbers);
  },
  over: (why, said) => over(why, said),
});

/** The words of a typed code, to be read to the host. @param {number[]} numbers */
async function compare(numbers) {
  const list = await fetch("/guest/words.json").then((answer) => answer.json());
  words = numbers.map((number) => list[number]);
  show();
}

/** Show this instead of whatever is there, the match of the client included. @param {import("../draw.js").Drawn} part */
function put(part) {
  byId("main").replaceChildren(render(part));
}

function show() {
  if (!you) return;
  if (!you.match || !you.accepted) {
    if (isPlaying) return location.replace("/"); // the host has begun something else
    return put(waiting());
  }
  const path = `#/match/${you.match}`;
  if (!isPlaying) {
    isPlaying = true;
    history.replaceState(null, "", path);
    document.body.dataset.guest = you.kind;
    useWay(way);
    import("../app.js");
  } else if (location.hash !== path) location.hash = path;
}

/** The waiting room. */
function waiting() {
  const seat = you.seat === null ? "" : String(you.seat + 1);
  return h(
    "section",
    { class: "panel narrow guest" },
    h("h1", {}, t(you.accepted ? "guest.in" : you.seat === null && you.kind === "seat" ? "guest.choose" : "guest.asked", { host: you.host, n: seat })),
    isOnline ? null : h("p", { class: "warn", role: "status" }, t("guest.offline")),
    you.accepted || !you.words?.length || !words.length ? null : h("div", {}, h("p", {}, t("guest.compare")), h("p", { class: "six-words" }, words.join(" "))),
    h("p", { class: "hint" }, t(you.accepted ? "guest.soon" : you.seat === null ? "guest.free" : "guest.patience")),
    h("ol", { class: "seats" }, you.seats.map((each, number) => seatRow(each, number))),
    !you.accepted && you.may_watch ? h("button", { class: "quiet", "data-watch": "", click: () => wish({ watch: true }) }, t("guest.watch")) : null,
    h("p", { class: "hint" }, t("guest.owner", { host: you.host })),
  );
}

function seatRow(seat, number) {
  const mine = number === you.seat;
  const free = !you.accepted && you.free.includes(number) && !mine;
  return h(
    "li",
    {},
    h("b", {}, number + 1),
    h("span", { class: "grow" }, seat.name ?? h("i", {}, t("table.free")), mine ? h("small", {}, ` ${seat.name === you.name ? t("you") : t("guest.yours", { name: you.name })}`) : null),
    free ? h("button", { "data-wish": number, click: () => wish({ seat: number }) }, t("guest.take")) : null,
  );
}

/** @param {any} body */
async function wish(body) {
  const { status, data } = await way.call("POST", "wish", body);
  if (status === 200) you = data;
  show();
}

/** It is over for this phone. @param {string} why @param {string} said */
function over(why, said) {
  const lasting = ["closed", "table", "removed", "refused", "replaced", "unknown"].includes(why);
  if (lasting) {
    memory = { name: memory.name };
    remember(memory);
  }
  if (why === "unknown" || (why === "refused" && said)) return form(said || t("guest.unknown"));
  you = null;
  put(
    h(
      "section",
      { class: "panel narrow guest", "data-over": why },
      h("h1", {}, t("guest.overTitle")),
      h("p", { role: "alert" }, t(`guest.over_${why}`)),
      why === "elsewhere" ? h("button", { class: "primary", click: () => location.reload() }, t("guest.back")) : null,
    ),
  );
}

/** Who are you, and, without a link, what is the code? @param {string} [trouble] */
function form(trouble = "") {
  const link = fromText(memory.link ?? "");
  const hasLink = link.length === LINK_SIZE && !trouble;
  const name = h("input", { id: "guest-name", type: "text", maxlength: 24, value: memory.name ?? "", autocomplete: "nickname", required: true });
  const code = h("input", { id: "guest-code", type: "text", maxlength: 12, autocomplete: "off", autocapitalize: "characters", spellcheck: "false", required: true });
  const submit = (event) => {
    event.preventDefault();
    const typed = (id) => event.currentTarget.querySelector(`#${id}`)?.value.trim() ?? "";
    memory = { ...memory, name: typed("guest-name") };
    remember(memory);
    put(h("section", { class: "panel narrow guest" }, h("p", { role: "status" }, t("guest.calling"))));
    if (hasLink) way.use({ kind: LINK, secret: link, first: { name: memory.name } });
    else way.use({ kind: CODE, secret: new Uint8Array(0), first: { name: memory.name, code: typed("guest-code") } });
  };
  put(
    h(
      "form",
      { class: "panel narrow guest", submit },
      h("h1", {}, t("guest.title")),
      trouble ? h("p", { class: "warn", role: "alert" }, trouble) : null,
      h("label", { for: "guest-name" }, t("guest.name")),
      name,
      hasLink ? null : [h("label", { for: "guest-code" }, t("guest.code")), code],
      h("p", { class: "row end" }, h("button", { class: "primary", "data-join": "" }, t("guest.join"))),
      h("p", { class: "hint" }, t("guest.computer"), " ", h("a", { href: "/bundle" }, t("guest.bundle"))),
    ),
  );
}

async function start() {
  await loadWords(navigator.language.slice(0, 2));
  paint(byId("bar"), [h("span", { class: "brand" }, h("img", { src: "/icon.svg", alt: "", width: 26, height: 26 }), "Kontor")]);
  const fragment = location.hash.slice(1);
  const isLink = fromText(fragment).length === LINK_SIZE;
  if (isLink) {
    memory = { name: memory.name, link: fragment };
    remember(memory);
  }
  if (isLink || !location.hash.startsWith("#/match/")) history.replaceState(null, "", location.pathname);
  const device = deviceOf(memory);
  if (device.length) {
    if (memory.words) await compare(memory.words);
    way.use({ kind: DEVICE, secret: device, first: {} });
  } else form();
}

window.addEventListener("hashchange", () => {
  if (fromText(location.hash.slice(1)).length === LINK_SIZE) location.reload(); // another code was scanned into the same page
});
start();
