// @ts-check
/** Where everybody sees a match: the page of the lobby whose ladder has it. */
import { get } from "../../api.js";

/** The address, or nothing. The lobby tells it, so only what is surely a page is taken. @param {string} replay */
export async function pageOf(replay) {
  const { page } = await get(`replays/${replay}/page`).catch(() => ({ page: "" }));
  return /^https?:\/\//.test(page) ? String(page) : "";
}
