// @ts-check
/**
 * A television at the guest door: pair by the link of the code for big screens, or by a typed code and the host's yes, then show
 * what everybody may see, with the codes for phones that want to come in.
 */
import { get, listen, useWay } from "../api.js";
import { byId, h, render } from "../draw.js";
import { BigScreen } from "../screen/big_screen.js";
import { loadWords, t } from "../words.js";
import { Pairing } from "./pairing.js";

const AGAIN_MS = 5000;
/** @type {BigScreen | null} */
let screen = null;
let hasWished = false;
let isBeginning = false;

const pairing = new Pairing({ show: () => show(), online: () => {}, over: (why, said) => over(why, said) });

/** @type {import("../screen/big_screen.js").Source} */
const GUEST = {
  match: async () => pairing.you.match,
  table: async () => {
    const { you } = pairing;
    return { game: you.game, spectators: you.may_watch, seats: you.seats.map((seat) => ({ ...seat, here: true })) };
  },
  ways: async () => {
    const { you } = pairing;
    return { url: you.url, code: you.code, bundle: you.bundle, links: you.links, names: you.seats.map((seat) => seat.name) };
  },
};

/** @param {...import("../draw.js").Part} parts */
function put(...parts) {
  screen = null;
  byId("screen").replaceChildren(render(h("div", { class: "big-table big-words" }, ...parts)));
}

function show() {
  const { you, words } = pairing;
  if (!you) return;
  if (you.accepted && you.links) return screen ? screen.soon() : begin();
  if (you.kind === "seat" && !hasWished) {
    hasWished = true;
    pairing.way.call("POST", "wish", { screen: true });
  }
  put(h("h1", {}, t("screen.asks", { host: you.host })), words.length && you.words?.length ? h("p", { class: "big-how" }, t("guest.compare"), " ", h("b", { class: "six-words" }, words.join(" "))) : null);
}

async function begin() {
  if (isBeginning) return;
  isBeginning = true;
  useWay(pairing.way);
  const { games } = await get("games");
  isBeginning = false;
  byId("screen").replaceChildren();
  screen = new BigScreen(games, GUEST);
  const shown = screen;
  listen(0, () => shown.soon(), (online) => online && shown.soon());
  await shown.look();
}

/** @param {string} why @param {string} said */
function over(why, said) {
  pairing.forget();
  pairing.you = null;
  hasWished = false;
  if (why === "unknown" || (why === "refused" && said)) return form(said || t("guest.unknown"));
  put(h("h1", {}, t("screen.over")), h("p", { class: "big-how" }, t(`guest.over_${why}`)));
  setTimeout(() => form(), AGAIN_MS);
}

/** A remote control types badly: one field, one button. @param {string} [trouble] */
function form(trouble = "") {
  const first = { name: t("screen.name") };
  if (pairing.hasLink && !trouble) return pairing.byLink(first);
  const submit = (event) => {
    event.preventDefault();
    const code = event.currentTarget.querySelector("input")?.value.trim() ?? "";
    put(h("p", { class: "big-how" }, t("guest.calling")));
    pairing.byCode({ ...first, code });
  };
  put(
    h("h1", {}, t("screen.pair")),
    trouble ? h("p", { class: "big-how warn", role: "alert" }, trouble) : null,
    h(
      "form",
      { submit },
      h("label", { for: "screen-code" }, t("guest.code")),
      h("input", { id: "screen-code", type: "text", maxlength: 12, autocomplete: "off", autocapitalize: "characters", spellcheck: "false", required: true }),
      h("button", { class: "primary" }, t("screen.connect")),
    ),
  );
}

async function start() {
  await loadWords(navigator.language.slice(0, 2));
  if (!(await pairing.resume())) form();
}

start();
