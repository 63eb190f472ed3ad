// @ts-check
/** Start and router: load what every screen needs, open the screen that the address names, and pass events on to it. */
import { ApiError, get, listen } from "./api.js";
import { byId, h, paint, render } from "./draw.js";
import { loadWords, t } from "./words.js";
import { hideTip } from "./ui/page/tip.js";
import { answerInvitation } from "./ui/people/people.js";
import { answerOffer, lobbySays } from "./ui/table/lobby.js";
import { toast } from "./ui/page/live.js";
import { setNotices, setTitle } from "./ui/page/notify.js";
import { setTheme } from "./ui/page/theme.js";
import { isOwner } from "./ui/people/me.js";
import { partyNews } from "./ui/party/party.js";

/**
 * @typedef {{hello: any, games: any[], settings: any, go: (path: string) => void, game: (id: string) => any, online: boolean,
 *   shared?: {file: string, at: (ply: number) => void, share: () => void}}} App `shared` is there where a lobby shows a published replay
 * @typedef {{element: HTMLElement, onEvent?: (event: any) => void, onLeave?: () => void, onOnline?: (online: boolean) => void}} Screen
 */

const SCREENS = {
  "": () => import("./screens/home.js"),
  match: () => import("./screens/match.js"),
  table: () => import("./screens/table.js"),
  replay: () => import("./screens/replay.js"),
  settings: () => import("./screens/settings.js"),
  help: () => import("./screens/help.js"),
  watch: () => import("./screens/watch.js"),
};

/** @type {App} */
const app = {
  hello: null,
  games: [],
  settings: { client: {} },
  online: true,
  go: (path) => {
    location.hash = path;
  },
  game: (id) => app.games.find((game) => game.id === id) ?? { id, title: id, seats: [], options: [] },
};

/** @type {Screen | null} */
let screen = null;
/** The screen that the address names, for the bar. */
let current = "";
let visit = 0;
/** Events that arrived while a screen was loading: it may have asked the node before they happened. @type {any[]} */
let missed = [];

async function show() {
  const mine = ++visit;
  hideTip();
  const [name, ...rest] = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  if (!isOwner(app) && !["match", "help"].includes(name)) return; // a guest is at one match
  const load = SCREENS[name] ?? SCREENS[""];
  screen?.onLeave?.();
  screen = null;
  missed = [];
  setTitle(t("home.title"), false);
  try {
    const { open } = await load();
    const next = await open(app, ...rest);
    if (mine !== visit) return next.onLeave?.();
    screen = next;
    byId("main").replaceChildren(next.element);
    byId("main").dataset.screen = name || "home";
    for (const event of missed.splice(0)) next.onEvent?.(event);
  } catch (error) {
    if (mine === visit) byId("main").replaceChildren(trouble(error));
  }
  current = name;
  drawBar();
  window.scrollTo(0, 0);
}

/** @param {any} error */
function trouble(error) {
  const known = error instanceof ApiError;
  if (!known) console.error(error);
  return render(
    h(
      "section",
      { class: "panel narrow" },
      h("h1", {}, t("trouble.title")),
      h("p", { role: "alert" }, error.message),
      h("p", {}, h("a", { href: "#/" }, t("home.title"))),
    ),
  );
}

function drawBar() {
  const link = (path, label, name) =>
    h("a", { href: `#/${path}`, "aria-current": current === name ? "page" : null }, label);
  paint(byId("bar"), [
    h("a", { class: "brand", href: isOwner(app) ? "#/" : location.hash }, h("img", { src: "/icon.svg", alt: "", width: 26, height: 26 }), "Kontor"),
    isOwner(app)
      ? h(
          "nav",
          { "aria-label": t("nav.title") },
          link("", t("home.title"), ""),
          link("replay", t("replay.title"), "replay"),
          link("settings", t("settings.title"), "settings"),
        )
      : null,
    h("span", { id: "online", class: app.online ? "" : "off", role: "status" }, app.online ? "" : t(document.body.dataset.guest ? "guest.offline" : "offline")),
  ]);
}

function signIn() {
  byId("main").replaceChildren(
    render(h("section", { class: "panel narrow" }, h("h1", {}, t("signIn.title")), h("p", {}, t("signIn.text")), h("pre", {}, "kontor"))),
  );
}

async function start() {
  const words = loadWords(navigator.language.slice(0, 2));
  try {
    [app.hello, app.games, app.settings] = await Promise.all([
      get("hello"),
      get("games").then((answer) => answer.games),
      get("settings"),
      words,
    ]);
  } catch (error) {
    await words.catch(() => null); // they say what to do
    if (error instanceof ApiError && error.status === 401) return signIn();
    byId("main").replaceChildren(trouble(error));
    setTimeout(start, 3000);
    return;
  }
  setTheme(app.settings.theme);
  setNotices(app.settings.client ?? {});
  listen(
    app.hello.last ?? 0,
    (event) => {
      if (event.kind === "notice" && event.text) toast(lobbySays(event) ?? event.text);
      if (event.kind === "offer") answerOffer(app, event);
      if (event.kind === "invited" && isOwner(app)) answerInvitation(app, event);
      if (event.kind === "party" && isOwner(app)) partyNews(app);
      if (event.kind === "table" && event.table?.at && event.table.where === "lobby" && location.hash.length < 3) app.go(`/table/${event.id}`);
      if (screen) screen.onEvent?.(event);
      else missed.push(event);
    },
    (online) => {
      const changed = app.online !== online;
      app.online = online;
      drawBar();
      if (changed) screen?.onOnline?.(online);
    },
  );
  window.addEventListener("hashchange", show);
  drawBar();
  await show();
  if (isOwner(app)) await partyNews(app);
}

start();
