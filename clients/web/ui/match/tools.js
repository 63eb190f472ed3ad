// @ts-check
/** The small sheet behind the button "More": pace of others' moves, sounds, rules, the file, leaving. */
import { put } from "../../api.js";
import { h } from "../../draw.js";
import { t } from "../../words.js";
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
 * @param {{help: () => void, leave: () => void, again: (all: boolean) => void}} does
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
      act("rules", does.help),
      state.watching ? null : h("a", { class: "quiet button", href: `/api/1/matches/${state.id}/file`, download: "", click: () => close() }, t("match.file")),
      state.watching || over ? null : act("leave", does.leave),
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
