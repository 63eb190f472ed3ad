// @ts-check
/** All texts of the client come from one catalogue per language, with plural forms. */

/** @type {Record<string, any>} */
let catalogue = {};
let rules = new Intl.PluralRules("en");

/** Load a language. @param {string} language */
export async function loadWords(language) {
  const answer = await fetch(`/words/${language}.json`);
  if (!answer.ok && language !== "en") return loadWords("en");
  catalogue = await answer.json();
  rules = new Intl.PluralRules(language);
  document.documentElement.lang = language;
}

/** Use these texts (tests). @param {Record<string, any>} words */
export function useWords(words) {
  catalogue = words;
}

/**
 * The text for a key such as "home.title"; `{name}` is filled in, and where the entry has plural forms `n` chooses.
 * @param {string} key @param {Record<string, any>} [values] @returns {string}
 */
export function t(key, values = {}) {
  let entry = catalogue;
  for (const part of key.split(".")) entry = entry?.[part];
  if (entry && typeof entry === "object") entry = entry[rules.select(values.n ?? 0)] ?? entry.other;
  if (typeof entry !== "string") return key;
  return String(entry).replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** Whether there is a text for this key. @param {string} key */
export function knows(key) {
  return t(key) !== key;
}

/** "light_blue" as "light blue". @param {string} id */
export function plain(id) {
  return id.replaceAll("_", " ");
}
