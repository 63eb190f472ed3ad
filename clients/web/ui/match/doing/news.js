// @ts-check
/** What a choice brings beyond its own phrase: whoever reads "Buy one copper for ¥2" need not be told that they pay ¥2. */
import { t } from "../../../words.js";

const STEM = 5; // letters in which "diagonal" and "diagonally" are the same word
/** The words of a text: the same sentences come again with every drawing. @type {Map<string, Set<string>>} */
const stems = new Map();
const MOST_STEMS = 2000;

/** The lines, sentence by sentence, that say something which the phrase does not. @param {string[]} lines @param {string} phrase @returns {string[]} */
export function newsIn(lines, phrase) {
  const sentences = lines.flatMap((line) => line.split(/(?<=[.!?])\s+/));
  if (!sentences.length) return sentences;
  const [idle, said] = [stemsOf(t("match.idleWords")), stemsOf(phrase)];
  return [...new Set(sentences)].filter((sentence) => [...stemsOf(sentence)].some((word) => !idle.has(word) && !said.has(word)));
}

/** @param {string} text @returns {Set<string>} */
function stemsOf(text) {
  let found = stems.get(text);
  if (!found) {
    if (stems.size >= MOST_STEMS) stems.clear();
    found = new Set(wordsOf(text).map((word) => (/\p{N}/u.test(word) ? word : word.slice(0, STEM))));
    stems.set(text, found);
  }
  return found;
}

/** @param {string} text */
function wordsOf(text) {
  const [one, digit] = [t("match.oneWord"), "1"];
  return (text.toLowerCase().match(/[−-]?\p{N}+|\p{L}+/gu) ?? []).map((word) => (word === one ? digit : word));
}
