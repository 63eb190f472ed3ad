// @ts-check
/** The owner's side of a party: links and codes for phones, who knocks, who is here, and the question "may they come in?". */
import { get, post, remove } from "../../api.js";
import { h } from "../../draw.js";
import { t } from "../../words.js";
import { dialog } from "../page/dialog.js";
import { toast } from "../page/live.js";

/** @type {any} */
let party = { open: false };
/** Draws the dialog again while it is open. @type {(() => void) | null} */
let redraw = null;
/** Guests about whom the owner was asked. @type {Set<string>} */
const asked = new Set();
let isAsking = false;

/** Whether phones can take part in a match: on this machine always, among machines if a seat was taken for a guest. @param {any} state */
export function mayInvite(state) {
  return !state.watching && !state.guide && (state.kind === "local" || state.seats.some((seat) => seat.guest));
}

/** Something about the party has changed. @param {any} app */
export async function partyNews(app) {
  party = await get("party").catch(() => party);
  redraw?.();
  if (!redraw) await askNext(app);
}

/** Ask about the next phone that waits. @param {any} app @returns {Promise<void>} */
async function askNext(app) {
  const guest = (party.guests ?? []).find((each) => !each.accepted && hasChosen(each) && !asked.has(wish(each)));
  if (!guest || isAsking) return;
  isAsking = true;
  asked.add(wish(guest));
  const answer = await dialog(t("party.knocks"), [h("p", { class: "knock" }, wants(guest)), instead(guest), words(guest)], [
    { value: "", label: t("party.later"), kind: "quiet" },
    { value: "remove", label: t("party.refuse"), kind: "quiet" },
    { value: "accept", label: t("party.accept"), kind: "primary" },
  ]);
  isAsking = false;
  if (answer) await send(answer, answer === "accept" ? yesTo(guest) : { guest: guest.id });
  else openParty(app, party.match ? { match: party.match } : { table: party.table });
  await askNext(app);
}

/** @param {any} guest */
function wish(guest) {
  return `${guest.id} ${guest.kind} ${guest.seat}`;
}

/** @param {any} guest */
function hasChosen(guest) {
  return guest.seat !== null || guest.kind !== "seat";
}

/** A yes names the seat that the question named: a phone may have asked for another one meanwhile. @param {any} guest */
function yesTo(guest) {
  return { guest: guest.id, seat: guest.seat };
}

/** "Bruno's phone wants seat 2." @param {any} guest */
function wants(guest) {
  if (!hasChosen(guest)) return t("party.chooses", { name: guest.name });
  return guest.seat === null ? t(guest.kind === "screen" ? "party.wantsToShow" : "party.wantsToWatch", { name: guest.name }) : t("party.wants", { name: guest.name, n: guest.seat + 1 });
}

/** Whose phone has the seat for which another one asks. @param {any} guest */
function instead(guest) {
  const before = guest.kind === "seat" && party.guests.find((each) => each.accepted && each.kind === "seat" && each.seat === guest.seat);
  return before ? h("p", { class: "warn", "data-out": before.name }, t("party.wouldBeOut", { name: before.name })) : null;
}

/** The words to be compared, of those who typed a code. @param {any} guest */
function words(guest) {
  return guest.words.length ? h("p", {}, t("party.compare"), " ", h("strong", { class: "six-words" }, guest.words.join(" "))) : null;
}

/** @param {string} what @param {any} body */
async function send(what, body) {
  try {
    party = await post(`party/${what}`, body);
  } catch (error) {
    toast(error.message, "bad");
    party = await get("party").catch(() => party);
  }
  redraw?.();
}

/** Open the party of a table or a match, if there is none, and show it. @param {any} app @param {{table?: string, match?: string}} where */
export async function openParty(app, where) {
  try {
    party = await post("party", where);
  } catch (error) {
    toast(error.message, "bad");
    return;
  }
  if (redraw) return;
  const answer = await dialog(
    t("party.title"),
    (again) => {
      redraw = again;
      return parts();
    },
    [
      { value: "end", label: t("party.end"), kind: "quiet" },
      { value: "", label: t("close"), kind: "primary" },
    ],
  );
  redraw = null;
  if (answer === "end") party = await remove("party").catch(() => party);
}

function parts() {
  if (!party.open) return [h("p", {}, t("party.over"))];
  const waiting = party.guests.filter((guest) => !guest.accepted);
  const here = party.guests.filter((guest) => guest.accepted);
  return [
    waiting.map((guest) => knocking(guest)),
    h("p", {}, t("party.how")),
    h("div", { class: "codes" }, party.links.map((link) => code(link))),
    h("p", {}, t("party.typed"), " ", h("code", { class: "free-piece" }, party.url), " ", h("strong", { class: "six-words", "data-code": "" }, party.code), " ", h("button", { class: "quiet", "data-renew": "", click: () => send("renew", {}) }, t("party.renew"))),
    party.addresses.length > 1 ? h("p", { class: "hint", "data-others": "" }, t("party.others"), " ", party.addresses.filter((each) => each !== party.url).map((each) => [h("code", { class: "free-piece" }, each), " "])) : null,
    party.shut_out.length ? h("p", { class: "warn", role: "status" }, t("party.shutOut", { from: party.shut_out.join(", ") })) : null,
    party.bundle ? h("p", {}, t("party.bundle"), " ", h("code", { class: "free-piece" }, party.bundle), party.bundle_mark ? [" ", t("party.digest"), " ", h("code", { "data-mark": "" }, party.bundle_mark)] : null) : null,
    party.tls ? h("p", { class: "hint" }, t("party.tls"), " ", h("small", {}, party.tls)) : null,
    h("h3", {}, t("party.guests")),
    here.length ? h("ul", { class: "seats" }, here.map((guest) => row(guest))) : h("p", { class: "hint" }, t("party.nobody")),
    h("p", { class: "hint" }, t("party.owner")),
  ];
}

/** @param {any} guest */
function knocking(guest) {
  return h(
    "section",
    { key: guest.id, class: "panel row knock" },
    h("span", { class: "grow" }, wants(guest), instead(guest), words(guest)),
    h("button", { class: "quiet", "data-refuse": guest.name, click: () => send("remove", { guest: guest.id }) }, t("party.refuse")),
    hasChosen(guest) ? h("button", { class: "primary", "data-accept": guest.name, click: () => send("accept", yesTo(guest)) }, t("party.accept")) : null,
  );
}

/** One QR code. @param {any} link */
function code(link) {
  const seat = link.seat === null ? "" : (party.names[link.seat] ?? "");
  const label = link.kind === "seat" ? t("party.seat", { n: link.seat + 1 }) + (seat ? ` (${seat})` : "") : t(`party.${link.kind}`);
  return h(
    "figure",
    { key: link.url, class: "qr", "data-link": link.kind, "data-seat": link.seat },
    h("img", { src: link.qr, alt: t("party.scan", { what: label }), width: 148, height: 148 }),
    h("figcaption", {}, label, " ", h("a", { href: link.url, target: "_blank", rel: "noreferrer" }, t("party.link"))),
  );
}

/** A phone that was let in. @param {any} guest */
function row(guest) {
  const what = guest.kind === "seat" ? t("party.seat", { n: guest.seat + 1 }) : t(`party.${guest.kind}`);
  return h(
    "li",
    { key: guest.id },
    h("b", {}, guest.name),
    h("span", { class: "grow" }, what, " ", h("small", {}, t(guest.here ? "party.here" : "party.away"))),
    guest.kind === "seat" ? h("button", { class: "quiet", "data-replace": guest.seat, click: () => send("invite", { seat: guest.seat }) }, t("party.replace")) : null,
    h("button", { class: "quiet", "data-remove": guest.name, click: () => send("remove", { guest: guest.id }) }, t("party.remove")),
  );
}
