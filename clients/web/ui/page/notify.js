// @ts-check
/** "Your turn": in the title always, by sound and on the desktop if the player wants it. */
import { t } from "../../words.js";

const settings = { sound: false, desktop: false };

/** @param {{sound?: boolean, desktop?: boolean}} wanted */
export function setNotices(wanted) {
  settings.sound = Boolean(wanted.sound);
  settings.desktop = Boolean(wanted.desktop);
}

/** @param {string} title @param {boolean} yourTurn */
export function setTitle(title, yourTurn) {
  document.title = `${yourTurn ? `● ${t("match.yourTurn")} – ` : ""}${title} – Kontor`;
}

/** Announce that it is the player's turn. @param {string} title */
export function ring(title) {
  if (settings.sound) chime();
  if (settings.desktop && document.hidden && "Notification" in window && Notification.permission === "granted") {
    new Notification("Kontor", { body: `${t("match.yourTurn")}: ${title}`, tag: "kontor-turn" });
  }
}

/** Two soft notes. */
export function chime() {
  const audio = new AudioContext();
  [523, 784].forEach((pitch, index) => {
    const start = audio.currentTime + index * 0.16;
    const tone = audio.createOscillator();
    const loud = audio.createGain();
    tone.frequency.value = pitch;
    loud.gain.setValueAtTime(0.0001, start);
    loud.gain.exponentialRampToValueAtTime(0.12, start + 0.02);
    loud.gain.exponentialRampToValueAtTime(0.0001, start + 0.5);
    tone.connect(loud).connect(audio.destination);
    tone.start(start);
    tone.stop(start + 0.55);
  });
  setTimeout(() => audio.close(), 1500);
}
