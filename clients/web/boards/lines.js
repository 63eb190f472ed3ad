// @ts-check
/** Words in drawings, which break no lines by themselves. */

/** Words broken into lines of so many letters. @param {string} words @param {number} most @param {number} lines */
export function broken(words, most, lines) {
  const out = [""];
  for (const word of words.split(" ")) {
    const last = out[out.length - 1];
    if (last && last.length + word.length + 1 > most) out.push(word);
    else out[out.length - 1] = last ? `${last} ${word}` : word;
  }
  return out.length <= lines ? out : [...out.slice(0, lines - 1), `${out[lines - 1].slice(0, most - 1)}…`];
}
