// @ts-check
/** "Your turn": in the title always, by sound and on the desktop if the player wants it. */
import { t } from "../../words.js";
import { play, setSounds } from "./sounds.js";

const settings = { desktop: false };

/** @param {{sound?: boolean, desktop?: boolean}} wanted */
export function setNotices(wanted) {
  setSounds(Boolean(wanted.sound));
  settings.desktop = Boolean(wanted.desktop);
}

/** @param {string} title @param {boolean} yourTurn */
export function setTitle(title, yourTurn) {
  document.title = `${yourTurn ? `● ${t("match.yourTurn")} – ` : ""}${title} – Kontor`;
}

/** Announce that it is the player's turn. @param {string} title */
export function ring(title) {
  play("turn");
  // A phone in the hand; nothing happens elsewhere, and browsers complain before the first touch.
  if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.([120, 80, 120]);
  if (settings.desktop && document.hidden && "Notification" in window && Notification.permission === "granted") {
    new Notification("Kontor", { body: `${t("match.yourTurn")}: ${title}`, tag: "kontor-turn" });
  }
}
