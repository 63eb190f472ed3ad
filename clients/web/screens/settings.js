// @ts-check
/** Settings: name, lobby, appearance, notifications; and the identity of this node. */
import { put } from "../api.js";
import { h, render } from "../draw.js";
import { t } from "../words.js";
import { toast } from "../ui/page/live.js";
import { setNotices } from "../ui/page/notify.js";
import { play } from "../ui/page/sounds.js";
import { setTheme } from "../ui/page/theme.js";

/** @param {import("../app.js").App} app @returns {Promise<import("../app.js").Screen>} */
export async function open(app) {
  const now = app.settings;
  const name = h("input", { type: "text", maxlength: 24, value: now.name ?? "", autocomplete: "nickname" });
  const lobby = h("input", { type: "text", maxlength: 200, value: now.lobby ?? "" });
  const theme = h(
    "select",
    { change: () => setTheme(theme.node.value) },
    ["", "light", "dark"].map((value) => h("option", { value, selected: value === (now.theme ?? "") }, t(`settings.theme_${value || "system"}`))),
  );
  const box = (key, extra) => h("input", { type: "checkbox", checked: Boolean(now.client?.[key]), change: extra ?? (() => {}) });
  const sound = box("sound", () => sound.node.checked && play("turn", true));
  const desktop = box("desktop", () => desktop.node.checked && "Notification" in window && Notification.requestPermission());
  const confirm = box("autoconfirm");
  async function save(event) {
    event.preventDefault();
    const client = { ...now.client, sound: sound.node.checked, desktop: desktop.node.checked, autoconfirm: confirm.node.checked };
    try {
      app.settings = await put("settings", { ...now, name: name.node.value.trim(), lobby: lobby.node.value.trim(), theme: theme.node.value, client });
      setNotices(client);
      toast(t("settings.saved"));
    } catch (error) {
      toast(error.message, "bad");
    }
  }
  const field = (label, input, note) => h("label", { class: "field" }, h("span", {}, label), input, note ? h("small", {}, note) : null);
  const node = app.hello.node ?? {};
  const page = h(
    "div",
    { class: "narrow" },
    h("h1", {}, t("settings.title")),
    h(
      "form",
      { class: "panel", submit: save },
      field(t("settings.name"), name, t("settings.nameNote")),
      field(t("settings.lobby"), lobby, t("settings.lobbyNote")),
      field(t("settings.theme"), theme),
      field(t("settings.sound"), sound),
      field(t("settings.desktop"), desktop),
      field(t("settings.autoconfirm"), confirm, t("settings.autoconfirmNote")),
      h("div", { class: "row end" }, h("button", { class: "primary" }, t("settings.save"))),
    ),
    h(
      "section",
      { class: "panel" },
      h("h2", {}, t("settings.you")),
      h("p", {}, t("settings.identity")),
      h("p", { class: "six-words" }, (node.words ?? []).join(" ")),
      h("p", {}, h("code", { class: "break" }, node.fingerprint ?? "")),
      h("p", { class: "hint" }, t("settings.software", { version: app.hello.software ?? "" })),
    ),
    h("section", { class: "panel" }, h("h2", {}, t("keys.title")), keyList()),
  );
  return { element: render(page) };
}

function keyList() {
  const rows = ["arrows", "enter", "kinds", "undo", "redo", "commit", "zoom", "again", "escape", "help", "log"];
  return h(
    "dl",
    { class: "keys" },
    rows.flatMap((row) => [h("dt", {}, h("kbd", {}, t(`keys.${row}`))), h("dd", {}, t(`keys.${row}Does`))]),
  );
}
