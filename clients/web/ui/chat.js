// @ts-check
/** Chat: other people's words are text, nothing else. */
import { h } from "../dom.js";
import { t } from "../words.js";

/** @param {{name: string, text: string}[]} messages @param {(text: string) => Promise<void>} send */
export function chatBox(messages, send) {
  const input = h("input", { type: "text", maxlength: 300, "aria-label": t("chat.write"), placeholder: t("chat.write") });
  const form = h("form", { class: "row chat-form", submit: (event) => submit(event) }, input, h("button", {}, t("chat.send")));
  async function submit(event) {
    event.preventDefault();
    const words = input.value.trim();
    if (!words) return;
    await send(words);
    input.value = "";
  }
  return h("section", { class: "panel" }, h("h2", {}, t("chat.title")), chatList(messages), form);
}

/** @param {{name: string, text: string}[]} messages */
export function chatList(messages) {
  return h(
    "ol",
    { class: "chat", tabindex: 0, "aria-label": t("chat.title") },
    messages.map((message) => h("li", {}, h("b", {}, message.name ?? ""), " ", h("span", {}, message.text))),
  );
}
