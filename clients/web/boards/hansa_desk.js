// @ts-check
/** A player's desk: abilities, stocks, bonus markers, tiles and mission. */
import { h, picture } from "../draw.js";
import { plain, t } from "../words.js";
import { seatPicture } from "../ui/match/shapes.js";
import { markOf, tradesman } from "./hansa_map.js";

/** @param {string} marker @param {any} attributes */
export function markerChip(marker, attributes = {}) {
  return h("span", { class: "marker-chip", "data-tip": t(`hansa.marker_${marker}`), ...attributes }, h("b", {}, markOf(marker)), h("span", { class: "unseen" }, t(`hansa.marker_${marker}`)));
}

function stock(view, at, seat, pile, own) {
  return ["trader", "merchant"].map((piece) => {
    const count = pile[`${piece}s`];
    const drawn = tradesman(view, at.names, { owner: seat, piece }, 8);
    drawn.set("transform", "translate(11 11)");
    return h("span", { class: `chip${count ? "" : " none"}`, "data-tip": `${count} ${t(`hansa.${piece}`)}`, ...(own ? { "data-target": `supply:${piece}` } : {}) }, picture(22, 22, {}, drawn), h("b", {}, count));
  });
}

function ability(view, each, own) {
  const boxes = each.values.map((value, level) => {
    const words = typeof value === "string" ? t(`colours.${value}`) : value === 99 ? t("hansa.all") : value;
    return h("span", { class: `step${level <= each.level ? " open" : ""}${level === each.level ? " now" : ""}${typeof value === "string" ? ` s-${value}` : ""}` }, words);
  });
  return h(
    "div",
    { class: "ability", "data-tip": `${t(`hansa.ability_${each.id}`)}\n${t(`hansa.abilityTip_${each.id}`)}`, ...(own ? { "data-target": `ability:${each.id}`, "data-try": `develop ${each.id}` } : {}) },
    h("span", { class: "ability-name" }, t(`hansa.ability_${each.id}`)),
    boxes,
  );
}

/** @param {any} view @param {{names: string[]}} at @param {number} seat */
export function desk(view, at, seat) {
  const player = view.players[seat];
  const own = view.seat === seat;
  const part = (title, ...content) => h("div", { class: "mat-part" }, h("h4", {}, title), h("div", { class: "row tight" }, ...content));
  return h(
    "section",
    { class: `mat desk${view.to_act === seat ? " acts" : ""}${own ? " own" : ""}`, "aria-label": at.names[seat] },
    h(
      "div",
      { class: "mat-head" },
      seatPicture(seat, player.colour, at.names[seat], 24),
      h("b", {}, at.names[seat]),
      h("span", { class: "vp", "data-key": `score:${seat}`, "data-sig": player.score }, t("joban.pointsN", { n: player.score })),
      h("small", { "data-tip": t("hansa.wouldTip") }, t("hansa.would", { n: player.would_score })),
      view.start === seat ? h("small", { class: "free-piece" }, t("yokohama.starts")) : null,
    ),
    h("div", { class: "mat-body" }, h("div", { class: "abilities" }, player.abilities.map((each) => ability(view, each, own))), h("div", { class: "desk-parts" }, parts(view, at, seat, player, own, part))),
  );
}

function parts(view, at, seat, player, own, part) {
  return [
    part(t("hansa.personal"), stock(view, at, seat, player.personal, own)),
    part(t("hansa.general"), stock(view, at, seat, player.general, false)),
    player.unused.length ? part(t("hansa.unused"), player.unused.map((marker) => markerChip(marker, own ? { "data-target": `marker:${marker}`, "data-try": `use ${marker}` } : {}))) : null,
    player.waiting.length ? part(t("hansa.waiting"), player.waiting.map((marker) => markerChip(marker, own ? { "data-target": `marker:${marker}` } : {}))) : null,
    player.used.length ? part(t("hansa.used"), player.used.map((marker) => markerChip(marker, { "data-target": `used:${seat}:${marker}` }))) : null,
    player.plate ? part(t("hansa.plate"), h("b", {}, player.plate)) : null,
    player.favours.length ? part(t("hansa.favours"), player.favours.map((tile) => h("span", { class: "free-piece", "data-tip": t(`hansa.tileTip_${tile}`) }, t(`hansa.tile_${tile}`)))) : null,
    player.mission ? part(t("hansa.mission"), h("span", {}, player.mission.cities.map((city) => nameOf(view, city)).join(", "))) : player.has_mission ? part(t("hansa.mission"), h("small", {}, t("yokohama.hidden"))) : null,
  ];
}

function nameOf(view, id) {
  return view.board.cities.find((city) => city.id === id)?.name ?? plain(String(id));
}

