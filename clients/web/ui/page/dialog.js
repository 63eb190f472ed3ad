// @ts-check
/** Dialogs on the native element: focus stays inside, Escape closes. */
import { h } from "../../dom.js";
import { t } from "../../words.js";

/**
 * Show content in a dialog; resolves with the value of the button that closed it, "" for none.
 * @param {string} title @param {(Node | string)[]} content @param {{value: string, label: string, kind?: string}[]} [buttons]
 * @param {AbortSignal} [moot] closes it, as "moot", when the question no longer stands
 * @returns {Promise<string>}
 */
export function dialog(title, content, buttons = [{ value: "", label: t("close") }], moot) {
  return new Promise((resolve) => {
    const box = h("dialog", { "aria-label": title, class: "dialog" });
    const close = (value) => {
      box.close();
      box.remove();
      resolve(value);
    };
    box.append(
      h("h2", {}, title),
      h("div", { class: "dialog-body", tabindex: 0 }, ...content),
      h(
        "div",
        { class: "row end" },
        buttons.map((button) =>
          h("button", { type: "button", class: button.kind ?? "", click: () => close(button.value) }, button.label),
        ),
      ),
    );
    box.addEventListener("cancel", (event) => {
      event.preventDefault();
      close("");
    });
    box.addEventListener("click", (event) => {
      if (event.target === box) close("");
    });
    moot?.addEventListener("abort", () => box.isConnected && close("moot"));
    document.body.append(box);
    box.showModal();
  });
}

/**
 * Choose one of several things that the same element can do.
 * @param {string} title @param {{label: string, note?: string}[]} choices @returns {Promise<number>} -1 for none
 */
export function choose(title, choices) {
  return new Promise((resolve) => {
    const box = h("dialog", { "aria-label": title, class: "dialog choice" });
    const close = (index) => {
      box.close();
      box.remove();
      resolve(index);
    };
    box.append(
      h("h2", {}, title),
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
    );
    box.addEventListener("cancel", (event) => {
      event.preventDefault();
      close(-1);
    });
    document.body.append(box);
    box.showModal();
  });
}
