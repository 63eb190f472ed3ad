// @ts-check
/** The hall: open tables, matches that are being played, finished ones to look at. Asked for again while somebody looks. */
import { h, paint, render } from "../draw.js";
import { t } from "../words.js";
import { banner } from "../boards/banners.js";
import { emblem } from "../boards/emblems.js";
import { ago } from "../ui/table/matchlist.js";
import { ask } from "./asking.js";

const EVERY = 10_000; // milliseconds between two looks
const LATER = 60_000; // after one that failed

/** @returns {Promise<import("./start.js").PublicPage>} */
export async function open() {
  const element = render(h("div", { class: "hall" }));
  /** Pages of finished matches that the visitor asked for. @type {any[]} */
  const more = [];
  let hall = await ask("hall");
  const draw = () => paint(element, page(hall, more, showMore));
  async function showMore() {
    const { matches } = await ask(`matches?page=${Math.floor(more.length / 50)}`);
    more.push(...matches);
    draw();
  }
  async function again() {
    let pause = EVERY;
    if (!document.hidden) {
      try {
        hall = await ask("hall");
        draw();
      } catch {
        pause = LATER;
      }
    }
    setTimeout(again, pause);
  }
  draw();
  setTimeout(again, EVERY);
  return { element };
}

function page(hall, more, showMore) {
  const open = hall.tables.filter((table) => table.status === "open");
  const playing = hall.tables.filter((table) => table.status === "playing");
  const known = new Set(hall.matches.map((match) => match.id));
  const finished = [...hall.matches, ...more.filter((match) => !known.has(match.id))];
  return [
    h("div", { class: "page-head" }, banner("osaka", true), h("h1", {}, hall.lobby.title)),
    h(
      "div",
      { class: "hall-two" },
      h(
        "div",
        {},
        section("open", t("public.open"), open.map(table), t("public.noOpen")),
        playing.length ? section("playing", t("public.playing"), playing.map(table), "") : null,
        join(hall.lobby),
      ),
      h(
        "div",
        {},
        section("finished", t("public.finished"), finished.map(matchRow), t("public.noFinished")),
        finished.length < hall.total ? h("p", {}, h("button", { type: "button", "data-more": "", click: showMore }, t("public.more"))) : null,
        h("p", { class: "hint" }, t("public.proof"), " ", h("a", { href: "/feed.atom" }, t("public.feed"))),
      ),
    ),
  ];
}

function section(name, title, rows, none) {
  return h("section", { class: "panel", "data-section": name }, h("h2", {}, title), rows.length ? h("ul", { class: "public-rows" }, rows) : h("p", { class: "hint" }, none));
}

/** A table, as the list inside the lobby shows it. */
function table(each) {
  const taken = each.seats.filter((name) => name !== null);
  const names = taken.filter(Boolean);
  return h(
    "li",
    { class: "public-row" },
    emblem(each.game, 40),
    h(
      "span",
      { class: "grow" },
      h("b", {}, each.title),
      h("span", { class: "who" }, t("public.host"), " ", each.host.name || t("public.somebody"), each.host.mark ? h("small", { class: "mark" }, ` ${each.host.mark}`) : null),
      names.length ? h("small", { class: "break" }, names.join(", ")) : null,
      each.note ? h("small", { class: "table-note" }, each.note) : null,
    ),
    h("span", { class: "aside" }, h("span", { class: "badge" }, each.status === "open" ? t("public.seats", { taken: taken.length, count: each.seats.length }) : t("public.players", { n: each.seats.length })), h("small", {}, ago(each.since))),
  );
}

/** A finished match: names, points, and laurels in bold. @param {any} match */
export function matchRow(match) {
  const seats = match.seats.map((seat, number) => [number ? ", " : "", h(seat.place === 1 ? "b" : "span", {}, seat.name), seat.score === null ? "" : ` ${seat.score}`]);
  return h(
    "li",
    { key: match.id },
    h("a", { class: "public-row", href: match.page }, emblem(match.game, 40), h("span", { class: "grow" }, h("span", { class: "game" }, match.title), h("span", { class: "who break" }, seats), h("small", {}, match.verdict)), h("span", { class: "aside" }, h("small", {}, ago(match.published)))),
  );
}

function join(lobby) {
  return h(
    "section",
    { class: "panel" },
    h("h2", {}, t("public.join")),
    h("p", {}, t("public.joinText")),
    h("pre", {}, `kontor tables --lobby ${lobby.address} --lobby-key ${lobby.fingerprint}`),
  );
}
