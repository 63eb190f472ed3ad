// @ts-check
/** The lobby on the home screen: whether it is connected, its hall, and the queue that finds people to play with. */
import { get, post, remove } from "../../api.js";
import { h } from "../../draw.js";
import { t } from "../../words.js";
import { chatBox, markedText } from "../people/chat.js";
import { dialog } from "../page/dialog.js";
import { toast } from "../page/live.js";

const SAID = ["warning", "mute", "ban", "announcement", "shutdown", "elsewhere"];

/** @param {import("../../app.js").App} app @param {any} lobby @param {() => void} redraw */
export function lobbyPanel(app, lobby, redraw) {
  if (!lobby?.address) return h("p", { class: "hint" }, t("lobby.none"), " ", h("a", { href: "#/settings" }, t("settings.title")));
  return h(
    "section",
    { class: "panel lobby" },
    h("h2", {}, t("lobby.title")),
    h("p", {}, h("b", {}, hostOf(lobby.address)), " ", h("span", { class: "badge" }, t(lobby.up ? "lobby.up" : "lobby.down")), lobby.reason ? ` ${lobby.reason}` : ""),
    h(
      "div",
      {},
      lobby.new && lobby.fingerprint && !lobby.address.includes("#") ? h("p", { class: "warn" }, t("lobby.new"), " ", h("code", { class: "break" }, lobby.fingerprint)) : null,
      (lobby.notices ?? []).map((notice) => h("p", { class: "warn", role: "status" }, lobbySays(notice) ?? notice.text)),
    ),
    lobby.up ? queueRow(app, lobby, redraw) : null,
    lobby.up ? hall(lobby, redraw) : null,
  );
}

/** What people call the lobby: its address without port and fingerprint. @param {string} address */
function hostOf(address) {
  return address.split("#")[0].trim().replace(/:\d+$/, "");
}

function queueRow(app, lobby, redraw) {
  const game = h("select", { "aria-label": t("tables.game") }, app.games.map((each) => h("option", { value: each.id }, each.title)));
  async function change(event) {
    const chosen = event.currentTarget.parentElement.querySelector("select")?.value;
    try {
      if (lobby.queued) await remove("queue");
      else await post("queue", { games: [chosen], seats: app.game(chosen).seats });
      redraw();
    } catch (error) {
      toast(error.message, "bad");
    }
  }
  return h("div", { class: "row" }, lobby.queued ? h("span", {}, t("lobby.queued")) : game, h("button", { "data-queue": lobby.queued ? "on" : "off", click: change }, t(lobby.queued ? "lobby.unqueue" : "lobby.queue")));
}

function hall(lobby, redraw) {
  return chatBox(lobby.chat ?? [], "lobby/chat", redraw, t("lobby.hall"));
}

/** What the lobby or its operators say, as a sentence; null for notices of other kinds. @param {any} notice */
export function lobbySays(notice) {
  if (notice.id || !SAID.includes(notice.about)) return null;
  const until = notice.until ? t("lobby.until", { when: new Date(notice.until * 1000).toLocaleString([], { dateStyle: "medium", timeStyle: "short" }) }) : "";
  return t(`lobby.says_${notice.about}`, { text: notice.text, until });
}

/** Offers that wait for an answer. @type {Map<string, AbortController>} */
const asked = new Map();

/** People were found: ask whether to play with them. @param {import("../../app.js").App} app @param {any} event */
export async function answerOffer(app, event) {
  if (event.over) {
    asked.get(event.id)?.abort();
    asked.delete(event.id);
    return toast(t("lobby.over", { why: event.over }));
  }
  const moot = new AbortController();
  asked.set(event.id, moot);
  const names = event.people.map(markedText).join(", ");
  const answer = await dialog(t("lobby.offer"), [h("p", {}, t("lobby.offerText", { game: app.game(event.game).title, names }))], [
    { value: "", label: t("lobby.no"), kind: "quiet" },
    { value: "yes", label: t("lobby.yes"), kind: "primary" },
  ], moot.signal);
  if (answer === "moot") return;
  asked.delete(event.id);
  await post("queue/reply", { offer: event.id, yes: answer === "yes" }).catch((error) => toast(error.message, "bad"));
}

/** The lobby's state; null if the node cannot say. */
export function lobbyNow() {
  return get("lobby").catch(() => null);
}
