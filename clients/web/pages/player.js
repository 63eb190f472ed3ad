// @ts-check
/** A player, known by a key: where they stand on the ladder, and the matches behind it. */
import { h, render } from "../draw.js";
import { t } from "../words.js";
import { emblem } from "../boards/emblems.js";
import { ago } from "../ui/table/matchlist.js";
import { ask } from "./asking.js";
import { marks, named, proven } from "./ladder.js";

/** @param {string} key @returns {Promise<import("./start.js").PublicPage>} */
export async function open(key) {
  const person = await ask(`players/${key}`);
  return {
    element: render(
      h(
        "div",
        { class: "narrow player" },
        h("h1", { class: "break" }, person.name || t("public.nameless")),
        h("p", {}, t("public.knownBy"), " ", h("code", { class: "break" }, person.fingerprint), person.since ? [". ", t("public.since", { when: ago(person.since) })] : null),
        h("section", { class: "panel" }, h("h2", {}, t("public.standings")), person.standings.length ? h("ul", { class: "public-rows" }, person.standings.map(standing)) : h("p", { class: "hint" }, t("public.noStandings"))),
        proven(person.named, t("public.namedHere"), false),
        h("section", { class: "panel", "data-section": "matches" }, h("h2", {}, t("public.ratedMatches", { n: person.total })), h("ul", { class: "public-rows" }, person.matches.map(match))),
      ),
    ),
  };
}

function standing(each) {
  return h(
    "li",
    { class: "public-row" },
    emblem(each.game, 40),
    h("span", { class: "grow" }, h("a", { href: `/ladder#${each.season}/${each.list}/${each.game}/${each.players}` }, named(each)), h("small", {}, t("public.record", { matches: each.matches, won: each.won })), marks(each)),
    h("span", { class: "aside" }, h("b", {}, t("public.pointsOf", { n: each.points })), h("span", { class: "badge" }, each.provisional ? t("public.provisional") : t("public.rankOf", { n: each.rank }))),
  );
}

function match(each) {
  const others = each.others.map((name) => name || t("public.somebody")).join(", ");
  const said = [h("span", { class: "game" }, each.title), h("span", { class: "who break" }, t("public.with", { names: others })), h("small", {}, t("public.players", { n: each.players }), ", ", t(`public.state_${each.state}`)), each.reason ? h("small", {}, each.reason) : null];
  const aside = h("span", { class: "aside" }, each.place === null ? null : h("span", { class: "badge" }, t("public.placeOf", { n: each.place })), each.at ? h("small", {}, ago(each.at)) : null);
  const row = [emblem(each.game, 40), h("span", { class: "grow" }, said), aside];
  return h("li", { key: each.id }, each.page ? h("a", { class: "public-row", href: each.page }, row) : h("span", { class: "public-row" }, row));
}
