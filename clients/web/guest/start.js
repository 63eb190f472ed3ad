// @ts-check
/**
 * A guest's phone: pair with the node whose page this is, wait for the host, then play.
 */
import { useWay } from "../api.js";
import { byId, h, paint, render } from "../draw.js";
import { loadWords, t } from "../words.js";
import { Pairing } from "./pairing.js";

let isPlaying = false;
let isOnline = true;
/** Why the last wish was refused. */
let trouble = "";

const pairing = new Pairing({
  show: () => show(),
  online: (online) => {
    isOnline = online;
    show();
  },
  over: (why, said) => over(why, said),
});

/** Show this instead of whatever is there, the match of the client included. @param {import("../draw.js").Drawn} part */
function put(part) {
  byId("main").replaceChildren(render(part));
}

function show() {
  const { you } = pairing;
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
    useWay(pairing.way);
    import("../app.js");
  } else if (location.hash !== path) location.hash = path;
}

/** The waiting room. */
function waiting() {
  const { you, words } = pairing;
  const seat = you.seat === null ? "" : String(you.seat + 1);
  const hasChosen = you.seat !== null || you.kind !== "seat"; // before that the host is not asked, and sees no words
  return h(
    "section",
    { class: "panel narrow guest" },
    h("h1", {}, t(you.accepted ? "guest.in" : you.seat === null && you.kind === "seat" ? "guest.choose" : "guest.asked", { host: you.host, n: seat })),
    isOnline ? null : h("p", { class: "warn", role: "status" }, t("guest.offline")),
    trouble ? h("p", { class: "warn", role: "alert" }, trouble) : null,
    you.accepted || !hasChosen || !you.words?.length || !words.length ? null : h("div", {}, h("p", {}, t("guest.compare")), h("p", { class: "six-words" }, words.join(" "))),
    h("p", { class: "hint" }, t(you.accepted ? "guest.soon" : you.seat === null ? "guest.free" : "guest.patience")),
    h("ol", { class: "seats" }, you.seats.map((each, number) => seatRow(each, number))),
    !you.accepted && you.may_watch ? h("button", { class: "quiet", "data-watch": "", click: () => wish({ watch: true }) }, t("guest.watch")) : null,
    h("p", { class: "hint" }, t("guest.owner", { host: you.host })),
  );
}

function seatRow(seat, number) {
  const { you } = pairing;
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
  const { status, data } = await pairing.way.call("POST", "wish", body);
  trouble = status === 200 ? "" : data.message;
  if (status === 200) pairing.you = data;
  show();
}

/** It is over for this phone. @param {string} why @param {string} said */
function over(why, said) {
  const { link } = pairing.memory;
  if (["closed", "table", "removed", "refused", "replaced", "unknown"].includes(why)) pairing.forget();
  if (why === "refused" && said && link) pairing.keep({ ...pairing.memory, link }); // it was the name, perhaps: the link is as good as before
  if (why === "unknown" || (why === "refused" && said)) return form(said || t("guest.unknown"));
  pairing.you = null;
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
  const { hasLink } = pairing;
  const name = h("input", { id: "guest-name", type: "text", maxlength: 24, value: pairing.memory.name ?? "", autocomplete: "nickname", required: true });
  const code = h("input", { id: "guest-code", type: "text", maxlength: 12, autocomplete: "off", autocapitalize: "characters", spellcheck: "false", required: true });
  const submit = (event) => {
    event.preventDefault();
    const typed = (id) => event.currentTarget.querySelector(`#${id}`)?.value.trim() ?? "";
    const first = { name: typed("guest-name") };
    pairing.keep({ ...pairing.memory, ...first });
    put(h("section", { class: "panel narrow guest" }, h("p", { role: "status" }, t("guest.calling"))));
    if (hasLink) pairing.byLink(first);
    else pairing.byCode({ ...first, code: typed("guest-code") });
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
  if (!(await pairing.resume())) form();
}

start();
