// @ts-check
/** Sounds of our own making, off unless the player wants them: your turn, a piece set down, points, a storm, the end. */

let wanted = false;
/** @type {AudioContext | null} */
let audio = null;

/** @param {boolean} on */
export function setSounds(on) {
  wanted = on;
}

/** @typedef {{pitch: number, at: number, lasts: number, loud: number, shape?: OscillatorType, to?: number}} Note */

/** @type {Record<string, Note[]>} */
const SOUNDS = {
  turn: [
    { pitch: 523, at: 0, lasts: 0.5, loud: 0.12 },
    { pitch: 784, at: 0.16, lasts: 0.5, loud: 0.12 },
  ],
  place: [
    { pitch: 210, at: 0, lasts: 0.09, loud: 0.16, shape: "triangle", to: 120 },
    { pitch: 900, at: 0, lasts: 0.03, loud: 0.04, shape: "square" },
  ],
  score: [
    { pitch: 880, at: 0, lasts: 0.18, loud: 0.07 },
    { pitch: 1320, at: 0.07, lasts: 0.28, loud: 0.07 },
  ],
  storm: [
    { pitch: 90, at: 0, lasts: 0.9, loud: 0.14, shape: "sawtooth", to: 45 },
    { pitch: 61, at: 0.12, lasts: 0.9, loud: 0.14, shape: "sawtooth", to: 38 },
  ],
  end: [
    { pitch: 392, at: 0, lasts: 0.5, loud: 0.1 },
    { pitch: 494, at: 0.15, lasts: 0.5, loud: 0.1 },
    { pitch: 587, at: 0.3, lasts: 0.5, loud: 0.1 },
    { pitch: 784, at: 0.45, lasts: 1.1, loud: 0.12 },
  ],
};

/** Play one of them, if sounds are wanted. @param {string} name @param {boolean} [anyway] the player tries the switch */
export function play(name, anyway = false) {
  if (!wanted && !anyway) return;
  audio ??= new AudioContext();
  if (audio.state === "suspended") audio.resume().catch(() => {}); // a browser may wait for the first click
  for (const note of SOUNDS[name] ?? []) sound(audio, note);
}

/** @param {AudioContext} context @param {Note} note */
function sound(context, note) {
  const start = context.currentTime + note.at;
  const tone = context.createOscillator();
  const loud = context.createGain();
  tone.type = note.shape ?? "sine";
  tone.frequency.setValueAtTime(note.pitch, start);
  if (note.to) tone.frequency.exponentialRampToValueAtTime(note.to, start + note.lasts);
  loud.gain.setValueAtTime(0.0001, start);
  loud.gain.exponentialRampToValueAtTime(note.loud, start + 0.015);
  loud.gain.exponentialRampToValueAtTime(0.0001, start + note.lasts);
  tone.connect(loud).connect(context.destination);
  tone.start(start);
  tone.stop(start + note.lasts + 0.05);
}
