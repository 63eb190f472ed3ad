// @ts-check
/** All texts of the client come from one catalogue per language, with plural forms. */

/** @type {Record<string, any>} */
let catalogue = {};
let rules = new Intl.PluralRules("en");
/** What stands in the catalogue at each key that was asked for: a drawing asks for hundreds. @type {Map<string, any>} */
const entries = new Map();

/** Load a language. @param {string} language */
export async function loadWords(language) {
  const answer = await fetch(`/words/${language}.json`);
  if (!answer.ok && language !== "en") return loadWords("en");
  useWords(await answer.json());
  rules = new Intl.PluralRules(language);
  document.documentElement.lang = language;
}

/** Use these texts. @param {Record<string, any>} words */
export function useWords(words) {
  catalogue = words;
  entries.clear();
}

/** What the catalogue has at this key. @param {string} key @returns {any} */
function entryOf(key) {
  if (!entries.has(key)) {
    let entry = catalogue;
    for (const part of key.split(".")) entry = entry?.[part];
    entries.set(key, entry);
  }
  return entries.get(key);
}

/**
 * The text for a key such as "home.title"; `{name}` is filled in, and where the entry has plural forms `n` chooses.
 * @param {string} key @param {Record<string, any>} [values] @returns {string}
 */
export function t(key, values = {}) {
  let entry = entryOf(key);
  if (entry && typeof entry === "object") entry = entry[rules.select(values.n ?? 0)] ?? entry.other;
  if (typeof entry !== "string") return key;
  if (!entry.includes("{")) return entry;
  return entry.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** Whether there is a text for this key. @param {string} key */
export function knows(key) {
  return t(key) !== key;
}

/** "light_blue" as "light blue". @param {string} id */
export function plain(id) {
  return id.replaceAll("_", " ");
}
