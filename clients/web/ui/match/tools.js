// @ts-check
/** The small sheet behind the button "More": pace of others' moves, sounds, rules, the file, leaving. */
import { post, put } from "../../api.js";
import { h } from "../../draw.js";
import { t } from "../../words.js";
import { dialog } from "../page/dialog.js";
import { toast } from "../page/live.js";
import { isOwner } from "../people/me.js";
import { mayInvite, openParty } from "../party/party.js";
import { openAt } from "../page/popover.js";
import { play, setSounds } from "../page/sounds.js";
import { PACES } from "./staging/stage.js";

/** The pace that the player chose. @param {any} app @returns {keyof typeof PACES} */
export function paceOf(app) {
  const chosen = app.settings.client?.pace;
  return chosen in PACES ? chosen : "normal";
}

/** @param {any} app @param {Record<string, any>} change */
async function remember(app, change) {
  app.settings = { ...app.settings, client: { ...app.settings.client, ...change } };
  app.settings = await put("settings", app.settings).catch(() => app.settings);
}

/**
 * @param {Element} beside @param {any} app @param {any} state
 * @param {{ask: () => void, hint: () => void, help: () => void, leave: () => void, again: (all: boolean) => void}} does
 */
export function openTools(beside, app, state, does) {
  const over = state.status === "over";
  return openAt(beside, { label: t("tools.title"), kind: "tools" }, (close, redraw) => {
    const act = (key, action) => h("button", { type: "button", class: "quiet", "data-tool": key, click: () => (close(), action()) }, t(`tools.${key}`));
    return [
      h(
        "fieldset",
        {},
        h("legend", {}, t("tools.pace")),
        Object.keys(PACES).map((pace) => h("button", { type: "button", "data-pace": pace, "aria-pressed": String(paceOf(app) === pace), click: () => remember(app, { pace }).then(redraw) }, t(`tools.pace_${pace}`))),
      ),
      h("button", { type: "button", "data-tool": "sound", "aria-pressed": String(Boolean(app.settings.client?.sound)), click: () => switchSound(app).then(redraw) }, t(app.settings.client?.sound ? "tools.soundOn" : "tools.soundOff")),
      act("again", () => does.again(false)),
      act("since", () => does.again(true)),
      state.hints && state.menu.length ? act("hint", does.hint) : null,
      act("ask", does.ask),
      act("rules", does.help),
      state.watching || !isOwner(app) ? null : h("a", { class: "quiet button", href: `/api/1/matches/${state.id}/file`, download: "", click: () => close() }, t("match.file")),
      isOwner(app) && !over && mayInvite(state) ? act("phones", () => openParty(app, { match: state.id })) : null,
      state.watching || over || !isOwner(app) ? null : act("leave", does.leave),
      !isOwner(app) ? null : h("a", { class: "quiet button to-home", href: "#/", click: () => close() }, t("home.title")),
    ];
  });
}

/** @param {any} app */
async function switchSound(app) {
  const sound = !app.settings.client?.sound;
  setSounds(sound);
  if (sound) play("turn");
  await remember(app, { sound });
}

/** Ask whether to leave, and leave. @param {any} state @param {import("./link.js").MatchLink} link */
export async function leave(state, link) {
  const answer = await dialog(t("match.leave"), [h("p", {}, t(state.kind === "net" ? "match.leaveNet" : "match.leaveLocal"))], [
    { value: "", label: t("cancel"), kind: "quiet" },
    { value: "bye", label: t("match.leave"), kind: "danger" },
  ]);
  if (answer === "bye") await link.send("bye", {});
}

/** Watch no longer. @param {any} app @param {string} id */
export async function lookAway(app, id) {
  try {
    await post(`matches/${id}/unwatch`);
    app.go("/");
  } catch (error) {
    toast(error.message, "bad");
  }
}
