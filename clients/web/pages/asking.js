// @ts-check
/** Asking the lobby's read-only API (docs/pages-api.md). */

const TRIES = 30; // for what is being prepared
const PAUSE = 1500; // milliseconds between them

/** A value of the API; what is not ready yet is asked for again. @param {string} path @returns {Promise<any>} */
export async function ask(path) {
  for (let left = TRIES; ; left -= 1) {
    let answer;
    try {
      answer = await fetch(`/api/1/${path}`, { credentials: "omit" });
    } catch {
      throw new Error("The lobby does not answer.");
    }
    const data = await answer.json().catch(() => ({}));
    if (answer.ok) return data;
    if (answer.status !== 503 || !left) throw new Error(data.message ?? answer.statusText);
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}
