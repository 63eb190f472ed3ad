// @ts-check
/** Chat: what other people write is shown as plain text. */
import { post } from "../../api.js";
import { h } from "../../draw.js";
import { t } from "../../words.js";
import { toast } from "../page/live.js";

/** A name; with part of the fingerprint if somebody else used the same or a similar name first. @param {{name?: string, mark?: string}} who */
export function markedName(who) {
  return [h("b", {}, who.name ?? ""), who.mark ? h("small", { class: "mark", title: t("lobby.markTip") }, ` (${who.mark})`) : null];
}

/** The same in one string, for lists of names. @param {{name?: string | null, mark?: string}} who */
export function markedText(who) {
  return who.mark ? `${who.name} (${who.mark})` : (who.name ?? "");
}

/**
 * The messages, and a field to write one; a message that is refused stays in the field.
 * @param {{name: string, mark?: string, text: string}[]} messages @param {string} path where to post a message
 * @param {() => void} said @param {string} [title]
 */
export function chatBox(messages, path, said, title = t("chat.title")) {
  async function submit(event) {
    event.preventDefault();
    const input = event.currentTarget.querySelector("input");
    const words = input.value.trim();
    if (!words) return;
    try {
      await post(path, { text: words });
      if (input.value.trim() === words) input.value = "";
      said();
    } catch (error) {
      toast(error.message, "bad");
    }
  }
  const input = h("input", { type: "text", maxlength: 300, "aria-label": t("chat.write"), placeholder: t("chat.write"), autocomplete: "off" });
  return h("section", { class: "panel chat-panel" }, h("h2", {}, title), chatList(messages, title), h("form", { class: "row chat-form", submit }, input, h("button", {}, t("chat.send"))));
}

/** @param {{name: string, mark?: string, text: string}[]} messages @param {string} [title] */
export function chatList(messages, title = t("chat.title")) {
  return h(
    "ol",
    { class: "chat", tabindex: 0, "aria-label": title },
    messages.map((message) => h("li", {}, markedName(message), " ", h("span", {}, message.text))),
  );
}

/** How long a list was, and how it ended, when it was last shown at its end. @type {WeakMap<Element, string>} */
const shown = new WeakMap();

/** After painting: show the newest lines of chat and log if there are new ones; otherwise readers stay where they are. @param {Element} root */
export function showNewest(root) {
  for (const list of root.querySelectorAll(".chat, .log")) {
    const end = `${list.childElementCount} ${list.lastElementChild?.textContent}`;
    if (shown.get(list) !== end) list.scrollTop = list.scrollHeight;
    shown.set(list, end);
  }
}
