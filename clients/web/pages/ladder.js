// @ts-check
/** The ladder: one board at a time, and how to check that it is right. */
import { h, paint, render } from "../draw.js";
import { t } from "../words.js";
import { banner } from "../boards/banners.js";
import { emblem } from "../boards/emblems.js";
import { ago } from "../ui/table/matchlist.js";
import { ask } from "./asking.js";

const SHORT = 19; // of a fingerprint: sixteen letters, 80 bits

/** @returns {Promise<import("./start.js").PublicPage>} */
export async function open() {
  const ladder = await ask("ladder");
  const element = render(h("div", { class: "ladder" }));
  /** Where a board stands in the address. */
  const place = (board) => `${board.season}/${board.list}/${board.game}/${board.players}`;
  async function show() {
    const chosen = ladder.boards.find((board) => `#${place(board)}` === location.hash) ?? ladder.boards[0];
    const board = chosen ? await ask(`ladder/${place(chosen)}`) : null;
    paint(element, page(ladder, board, (value) => (location.hash = value), place));
  }
  await show();
  window.addEventListener("hashchange", () => show().catch(() => {}));
  return { element };
}

function page(ladder, board, choose, place) {
  return [
    h("div", { class: "page-head" }, banner(board?.game ?? "hansa", true), h("h1", {}, t("public.ladderOf", { title: ladder.title }))),
    board ? chooser(ladder, board, choose, place) : h("p", { class: "hint" }, t("public.noLadder")),
    board ? h("section", { class: "panel" }, h("div", { class: "row" }, emblem(board.game, 40), h("h2", { class: "grow" }, named(board))), table(board)) : null,
    proven(ladder.named, t("public.namedText"), true),
    h(
      "section",
      { class: "panel" },
      h("h2", {}, t("public.checkIt")),
      h("p", {}, t("public.checkText", { when: ago(ladder.as_of) })),
      h("pre", {}, `kontor ladder check ${location.origin}/ladder --key ${ladder.keeper}`),
    ),
  ];
}

/** "Merchants of Osaka, 3 players, season 2". @param {any} board */
export function named(board) {
  const parts = [board.title, t("public.players", { n: board.players }), t("public.season", { n: board.season })];
  return [...parts, ...(board.list === "open" ? [] : [t("public.elsewhere")])].join(", ");
}

function chooser(ladder, board, choose, place) {
  return h(
    "p",
    {},
    h(
      "label",
      {},
      t("public.board"),
      " ",
      h("select", { "data-board": "", change: (event) => choose(event.currentTarget.value) }, ladder.boards.map((each) => h("option", { value: place(each), selected: place(each) === place(board) }, named(each)))),
    ),
  );
}

function table(board) {
  const head = ["rank", "name", "points", "matches", "won"].map((name) => h("th", { scope: "col", class: name }, t(`public.${name}`)));
  const rows = board.people.map((person) =>
    h(
      "tr",
      { key: person.key, class: person.provisional ? "provisional" : "" },
      h("td", { class: "rank" }, person.provisional ? "–" : person.rank),
      h("th", { scope: "row" }, h("a", { href: `/player/${person.key}` }, person.name || person.fingerprint.slice(0, SHORT)), " ", h("small", { class: "mark" }, person.fingerprint.slice(0, 9)), marks(person)),
      h("td", {}, person.points, person.provisional ? h("small", {}, ` ${t("public.provisional")}`) : null),
      h("td", {}, person.matches),
      h("td", {}, person.won),
    ),
  );
  return h("div", { class: "scroll-x", tabindex: 0, role: "region", "aria-label": named(board) }, h("table", { class: "ladder-table" }, h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows)));
}

/** Who signed two different things, with the files that prove it; nothing if nobody did. @param {any[]} named @param {string} text @param {boolean} withNames */
export function proven(named, text, withNames) {
  if (!named.length) return null;
  const rows = named.map((each) =>
    h(
      "li",
      { key: `${each.match} ${each.key}` },
      withNames ? [h("a", { href: `/player/${each.key}` }, each.name || each.fingerprint.slice(0, SHORT)), " ", h("small", { class: "mark" }, each.fingerprint.slice(0, 9)), " "] : null,
      t("public.inMatch", { match: each.match.slice(0, 12) }),
      each.files.map((file, number) => [number ? ", " : ": ", h("a", { href: `/ladder/files/${file}.kontor`, download: "" }, t(number ? "public.proofTwo" : "public.proofOne"))]),
    ),
  );
  return h("section", { class: "panel", "data-section": "named" }, h("h2", {}, t("public.named")), h("p", {}, text), h("ul", { class: "proven" }, rows));
}

/** What is marked: how often somebody vanished, left or was voted out. @param {any} person */
export function marks(person) {
  return Object.entries(person.marks).map(([mark, count]) => h("small", { class: "badge" }, t("public.times", { mark, n: count })));
}
