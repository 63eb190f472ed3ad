// @ts-check
/** What a choice brings beyond its own phrase: whoever reads "Buy one copper for ¥2" need not be told that they pay ¥2. */
import { t } from "../../../words.js";

const STEM = 5; // letters in which "diagonal" and "diagonally" are the same word

/** The lines, sentence by sentence, that say something which the phrase does not. @param {string[]} lines @param {string} phrase @returns {string[]} */
export function newsIn(lines, phrase) {
  const idle = wordsOf(t("match.idleWords"));
  const said = new Set([...idle, ...wordsOf(phrase)].map(stem));
  const sentences = lines.flatMap((line) => line.split(/(?<=[.!?])\s+/));
  return [...new Set(sentences)].filter((sentence) => wordsOf(sentence).some((word) => !said.has(stem(word))));
}

/** @param {string} text */
function wordsOf(text) {
  const [one, digit] = [t("match.oneWord"), "1"];
  return (text.toLowerCase().match(/[−-]?\p{N}+|\p{L}+/gu) ?? []).map((word) => (word === one ? digit : word));
}

/** @param {string} word */
function stem(word) {
  return /\p{N}/u.test(word) ? word : word.slice(0, STEM);
}
