// @ts-check
/** What this player is called: the chosen name, otherwise the first word of the node's fingerprint. */
import { t } from "../words.js";

/** @param {import("../app.js").App} app */
export function myName(app) {
  const word = app.hello.node?.words?.[0] ?? "";
  return app.settings.name || word.charAt(0).toUpperCase() + word.slice(1) || t("bots.me");
}
