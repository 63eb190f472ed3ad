// @ts-check
/** What this player is called: the chosen name, otherwise the first word of the node's fingerprint. */
import { put } from "../../api.js";
import { h } from "../../draw.js";
import { t } from "../../words.js";
import { dialog } from "../page/dialog.js";
import { toast } from "../page/live.js";

const LONGEST = 24;

/** Whether this is the node's owner, not a guest with a phone. @param {import("../../app.js").App} app */
export function isOwner(app) {
  return app.hello?.scope?.kind !== "guest";
}

/** @param {import("../../app.js").App} app */
export function myName(app) {
  return app.settings.name || app.hello.node?.name || capital(app.hello.node?.words?.[0] ?? "") || t("bots.me");
}

function capital(word) {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** A name that nobody else at the table has: one's own, with words of the fingerprint if need be. @param {import("../../app.js").App} app @param {string[]} taken */
export function freeName(app, taken) {
  const used = new Set(taken.map((name) => name.toLocaleLowerCase()));
  const own = myName(app);
  const words = (app.hello.node?.words ?? []).map(capital);
  const more = words.map((word) => `${[...own].slice(0, LONGEST - word.length - 1).join("")} ${word}`);
  return [own, ...more].find((name) => !used.has(name.toLocaleLowerCase())) ?? own;
}

/** Keep a chosen name. @param {import("../../app.js").App} app @param {string} name @returns {Promise<boolean>} */
async function keep(app, name) {
  try {
    app.settings = await put("settings", { ...app.settings, name: name.trim() });
    return true;
  } catch (error) {
    toast(error.message, "bad");
    return false;
  }
}

/** On first use: a box that asks for a name without blocking anything. @param {import("../../app.js").App} app @param {() => void} redraw */
export function nameBox(app, redraw) {
  if (app.settings.name) return "";
  const input = h("input", { type: "text", maxlength: LONGEST, value: myName(app), "aria-label": t("me.name"), autocomplete: "nickname", focus: (event) => event.currentTarget.select() });
  const save = async (event) => {
    event.preventDefault();
    if (await keep(app, event.currentTarget.querySelector("input").value)) redraw();
  };
  return h("form", { class: "panel row first-name", submit: save }, h("label", { class: "grow" }, t("me.ask")), input, h("button", { class: "primary", "data-name": "save" }, t("settings.save")));
}

/** Keep the name that stands in the box of the first start. @param {import("../../app.js").App} app @param {Element} root */
export async function keepTyped(app, root) {
  const typed = root.querySelector(".first-name input");
  if (typed instanceof HTMLInputElement && typed.value.trim()) await keep(app, typed.value);
}

/** Make sure that the player has chosen a name before others see it. @param {import("../../app.js").App} app @returns {Promise<boolean>} whether to go on */
export async function named(app) {
  if (app.settings.name) return true;
  const input = h("input", { type: "text", maxlength: LONGEST, value: myName(app), "aria-label": t("me.name") });
  const answer = await dialog(t("me.title"), [h("p", {}, t("me.others")), h("p", {}, input)], [
    { value: "", label: t("cancel"), kind: "quiet" },
    { value: "go", label: t("me.go"), kind: "primary" },
  ]);
  return answer === "go" && keep(app, input.node.value);
}
