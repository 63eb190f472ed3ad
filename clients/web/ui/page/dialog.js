// @ts-check
/** Dialogs on the native element: focus stays inside, Escape closes. */
import { h, paint, render } from "../../draw.js";
import { t } from "../../words.js";

/**
 * @typedef {import("../../draw.js").Part} Part
 * @typedef {Part[] | ((redraw: () => void) => Part[])} Content a function is asked again whenever it calls `redraw`
 */

/**
 * Show content in a dialog; resolves with the value of the button that closed it, "" for none.
 * @param {string} title @param {Content} content @param {{value: string, label: string, kind?: string}[]} [buttons]
 * @param {AbortSignal} [moot] closes it, as "moot", when the question no longer stands
 * @returns {Promise<string>}
 */
export function dialog(title, content, buttons = [{ value: "", label: t("close") }], moot) {
  const { box, close, answer } = open(title, "dialog", "", (close, redraw) => [
    h("div", { class: "dialog-body", tabindex: 0 }, typeof content === "function" ? content(redraw) : content),
    h(
      "div",
      { class: "row end" },
      buttons.map((button) => h("button", { type: "button", class: button.kind ?? "", click: () => close(button.value) }, button.label)),
    ),
  ]);
  box.addEventListener("click", (event) => {
    if (event.target === box) close(""); // beside the content
  });
  moot?.addEventListener("abort", () => box.isConnected && close("moot"));
  return answer;
}

/**
 * Choose one of several things that the same element can do.
 * @param {string} title @param {{label: string, note?: string}[]} choices @returns {Promise<number>} -1 for none
 */
export function choose(title, choices) {
  const { answer } = open(title, "dialog choice", -1, (close) => [
    h(
      "div",
      { class: "choices" },
      choices.map((choice, index) =>
        h(
          "button",
          { type: "button", "data-choice": index, click: () => close(index) },
          choice.label,
          choice.note && choice.note !== choice.label ? h("small", {}, choice.note) : null,
        ),
      ),
    ),
    h("div", { class: "row end" }, h("button", { type: "button", class: "quiet", click: () => close(-1) }, t("cancel"))),
  ]);
  return answer;
}

/**
 * @template T
 * @param {string} title @param {string} kind @param {T} nothing the answer of those who only close it
 * @param {(close: (answer: T) => void, redraw: () => void) => Part[]} describe
 */
function open(title, kind, nothing, describe) {
  /** @type {HTMLDialogElement} */
  const box = render(h("dialog", { "aria-label": title, class: kind }));
  /** @type {(answer: T) => void} */
  let settled;
  /** @type {Promise<T>} */
  const answer = new Promise((resolve) => (settled = resolve));
  /** @param {T} value */
  function close(value) {
    box.close();
    box.remove();
    settled(value);
  }
  function redraw() {
    paint(box, [h("h2", {}, title), ...describe(close, redraw)]);
  }
  redraw();
  box.addEventListener("cancel", (event) => {
    event.preventDefault();
    close(nothing);
  });
  document.body.append(box);
  box.showModal();
  box.scrollTop = 0; // the focus may have scrolled it
  return { box, close, answer };
}
