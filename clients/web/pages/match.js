// @ts-check
/** A published match: the replay as in the web client, the verdict, the players' keys, the file, and a link to share. */
import { useWay } from "../api.js";
import { h, render } from "../draw.js";
import { t } from "../words.js";
import { open as openReplay } from "../screens/replay.js";
import { toast } from "../ui/page/live.js";
import { ask } from "./asking.js";
import { SharedReplay } from "./shared_replay.js";

/** @param {string} id @returns {Promise<import("./start.js").PublicPage>} */
export async function open(id) {
  const match = await ask(`matches/${id}`);
  useWay(new SharedReplay(match));
  const shared = { file: match.file, at: remember, share: () => share(match) };
  const app = { hello: null, games: [], settings: { client: {} }, online: true, go: () => {}, game: (game) => ({ id: game, title: match.title, seats: [], options: [] }), shared };
  window.addEventListener("hashchange", () => location.reload()); // a link to another position of this match
  try {
    const { element } = await openReplay(app, id, location.hash.slice(1).replace(/\D/g, "") || "0");
    return { element };
  } catch (error) {
    return { element: render(withoutReplay(match, error.message)) };
  }
}

/** Let the address name the position, so that a link leads to it. @param {number} ply */
function remember(ply) {
  try {
    history.replaceState(null, "", ply ? `#${ply}` : location.pathname);
  } catch {
    // some browsers allow so many changes in a while, and a replay that plays fast makes more
  }
}

/** The phone's own way of passing things on, or the clipboard. @param {any} match */
async function share(match) {
  const data = { title: document.title, url: location.href };
  try {
    if (navigator.share && window.matchMedia("(pointer: coarse)").matches) await navigator.share(data);
    else await navigator.clipboard.writeText(location.href).then(() => toast(t("public.copied")));
  } catch (error) {
    if (error.name !== "AbortError") toast(t("public.copyByHand", { link: `${location.origin}${match.page}` }));
  }
}

/** What there is to say about a match that cannot be shown. @param {any} match @param {string} reason */
function withoutReplay(match, reason) {
  const [line, ...notes] = match.verdict.details;
  return h(
    "section",
    { class: "panel narrow" },
    h("h1", {}, match.title),
    h("p", {}, match.seats.map((seat) => seat.name).join(", ")),
    h("p", { role: "alert" }, reason),
    h("p", {}, h("b", {}, line)),
    notes.map((note) => h("p", {}, note)),
    h("p", {}, h("a", { class: "button", href: match.file, download: "" }, t("replay.download"))),
  );
}
