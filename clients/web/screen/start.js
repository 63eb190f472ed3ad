// @ts-check
/**
 * The big screen at the owner's own node. It shows the match that changed last and goes on; without one, the table where people
 * gather; without either, how to begin. The address may name one: /screen#match/ID.
 */
import { get, listen } from "../api.js";
import { byId } from "../draw.js";
import { loadWords } from "../words.js";
import { setTheme } from "../ui/page/theme.js";
import { BigScreen } from "./big_screen.js";

/** @type {import("./big_screen.js").Source} */
const OWN = {
  /** The match that the address names, else the one that changed last of those that go on, else one that has just ended. */
  async match() {
    const named = location.hash.match(/^#match\/([0-9a-f]+)$/)?.[1];
    if (named) return named;
    const { matches } = await get("matches");
    const newest = matches.filter((each) => each.status !== "over" || Date.now() / 1000 - each.updated < 600).sort((a, b) => Number(a.status === "over") - Number(b.status === "over") || b.updated - a.updated);
    return newest[0]?.id ?? null;
  },
  async table() {
    const { tables } = await get("tables");
    return tables.find((each) => each.at && each.seats && each.phase !== "started") ?? null;
  },
  async ways() {
    const party = await get("party");
    return party.open ? party : null;
  },
};

async function start() {
  try {
    const [hello, { games }, settings] = await Promise.all([get("hello"), get("games"), get("settings").catch(() => ({})), loadWords(navigator.language.slice(0, 2))]);
    setTheme(settings.theme);
    const screen = new BigScreen(games, OWN);
    listen(hello.last ?? 0, () => screen.soon(), (online) => online && screen.soon());
    window.addEventListener("hashchange", () => screen.soon());
    await screen.look();
  } catch (error) {
    byId("screen").textContent = error.message;
    setTimeout(start, 3000);
  }
}

start();
