// @ts-check
/** A player's desk: abilities, stocks, bonus markers, favours and mission; in full for oneself, in little for the others. */
import { h, picture, s } from "../../draw.js";
import { plain, t } from "../../words.js";
import { tags } from "../figures.js";
import { abilityIcon, markerChip, plate, tradesman } from "./marks.js";

/** @typedef {import("./board.js").At} At */

const FEW = 3; // markers that fit beside the pieces of a rival

/** @param {any} view @param {number} seat @param {At} at */
export function desk(view, seat, at) {
  const player = view.players[seat];
  const own = view.seat === seat;
  return h(
    "section",
    { class: "mat hansa-desk", "aria-label": at.names[seat] },
    h(
      "div",
      { class: "mat-body" },
      h("div", { class: "desk-parts" }, stocks(view, at, seat, own), inHand(view, at, seat, own), markers(at, seat, player, own), secrets(view, player)),
      h("div", { class: "abilities" }, player.abilities.map((each) => ability(view, at, each, own))),
    ),
  );
}

/** @param {any} view @param {number} seat @param {At} at */
export function rival(view, seat, at) {
  const player = view.players[seat];
  return h(
    "section",
    { class: "mat little hansa-little", "aria-label": at.names[seat] },
    h("div", { class: "row tight" }, pile(view, at, seat, "personal", false), h("span", { class: "bar" }), pile(view, at, seat, "general", false)),
    h("div", { class: "row tight ability-row", "data-about": "abilities" }, player.abilities.map((each) => h("span", { class: "chip", "data-tip": `${t(`hansa.ability_${each.id}`)}\n${t(`hansa.abilityTip_${each.id}`)}` }, icon(each.id), valueWords(each.value)))),
    markers(at, seat, player, false),
    secrets(view, player),
  );
}

function part(title, ...content) {
  return h("div", { class: "mat-part" }, h("h4", {}, title), h("div", { class: "row tight" }, ...content));
}

function stocks(view, at, seat, own) {
  return [part(t("hansa.personal"), pile(view, at, seat, "personal", own)), part(t("hansa.general"), pile(view, at, seat, "general", own))];
}

/** Traders and merchants that are ready (the supply), or that can be hired (the stock). */
function pile(view, at, seat, which, own) {
  const name = which === "personal" ? "supply" : "stock";
  return h(
    "span",
    { class: `pile-of ${which}`, "data-at": `desk:${seat}:${name}` },
    ["trader", "merchant"].map((piece) => {
      const count = view.players[seat][which][`${piece}s`];
      const drawn = tradesman(view, at.names, { owner: seat, piece }, 10);
      drawn.set("transform", "translate(12 12)");
      return h("span", { class: `chip stock${count ? "" : " none"}`, "data-tip": `${t(`hansa.${which}`)}: ${count} ${t(`hansa.${piece}`)}`, ...(own ? { "data-target": `${name}:${piece}` } : {}) }, picture(24, 24, {}, drawn), h("b", {}, count), own ? tags(at, (who) => view.players[who].colour, `${name}:${piece}`) : null);
    }),
  );
}

/** Pieces in hand for the moment: displaced, lifted or held for a permanent marker. */
function inHand(view, at, seat, own) {
  const task = view.task;
  if (!task || task.by !== seat) return null;
  const pieces = [...(task.kind === "relocating" && task.piece ? [task.piece] : []), ...[task.hand ?? []].flat()].filter(Boolean);
  const held = Object.entries(task.held ?? {}).flatMap(([name, count]) => Array.from({ length: count }, () => ({ owner: seat, piece: name.replace(/s$/, ""), held: true })));
  const all = [...pieces, ...held];
  return h(
    "div",
    { class: `mat-part${all.length ? "" : " none"}`, "data-at": `desk:${seat}:hand` },
    all.length ? h("h4", {}, t("hansa.inHand")) : null,
    all.map((piece) => {
      const drawn = tradesman(view, at.names, piece, 10);
      drawn.set("transform", "translate(12 12)");
      return h("span", { class: "chip stock", ...(own && piece.held ? { "data-target": `held:${piece.piece}` } : {}) }, picture(24, 24, {}, drawn));
    }),
  );
}

function icon(id) {
  return picture(22, 22, { class: "ability-sign" }, s("g", { transform: "translate(11 11)" }, abilityIcon(id)));
}

function valueWords(value) {
  const words = typeof value === "string" ? t(`colours.${value}`) : value === 99 ? t("hansa.all") : value;
  return h("b", { class: typeof value === "string" ? `step open s-${value}` : "" }, words);
}

function ability(view, at, each, own) {
  const boxes = each.values.map((value, level) => {
    const words = typeof value === "string" ? t(`colours.${value}`) : value === 99 ? t("hansa.all") : value;
    return h("span", { class: `step${level <= each.level ? " open" : ""}${level === each.level ? " now" : ""}${typeof value === "string" ? ` s-${value}` : ""}` }, words);
  });
  return h(
    "div",
    { class: "ability", "data-tip": `${t(`hansa.ability_${each.id}`)}\n${t(`hansa.abilityTip_${each.id}`)}`, ...(own ? { "data-target": `ability:${each.id}`, "data-try": `develop ${each.id}` } : {}) },
    h("span", { class: "ability-name" }, icon(each.id), t(`hansa.ability_${each.id}`), own ? tags(at, (who) => view.players[who].colour, `ability:${each.id}`) : null),
    h("span", { class: "steps" }, boxes),
  );
}

function markers(at, seat, player, own) {
  const mine = (marker, attempt) => (own ? { "data-target": `${attempt ? "marker" : "waiting"}:${marker}`, ...(attempt ? { "data-try": `use ${marker}` } : {}) } : {});
  return h(
    "div",
    { class: `desk-markers${player.unused.length + player.waiting.length + player.used.length > FEW ? " many" : ""}`, "data-at": `desk:${seat}:markers` },
    player.unused.length ? part(t("hansa.unused"), player.unused.map((marker) => markerChip(marker, mine(marker, true)))) : null,
    player.waiting.length ? part(t("hansa.waiting"), player.waiting.map((marker) => markerChip(marker, mine(marker, false)))) : null,
    player.used.length ? part(t("hansa.used"), player.used.map((marker) => usedMarker(seat, marker))) : null,
    player.plate ? part(t("hansa.plate"), h("b", {}, player.plate)) : null,
    player.favours.length ? part(t("hansa.favours"), player.favours.map((tile) => h("span", { class: "free-piece", "data-about": "favours", "data-tip": t(`hansa.tileTip_${tile}`) }, t(`hansa.tile_${tile}`)))) : null,
  );
}

function usedMarker(seat, marker) {
  return h("span", { class: "used-marker", "data-target": `used:${seat}:${marker}`, "data-tip": t(`hansa.marker_${marker}`) }, picture(34, 30, {}, s("g", { transform: "translate(17 15)" }, plate(marker))), h("span", { class: "unseen" }, t(`hansa.marker_${marker}`)));
}

function secrets(view, player) {
  if (player.mission) return part(t("hansa.mission"), h("span", { "data-about": "missions" }, player.mission.cities.map((city) => nameOf(view, city)).join(", ")));
  return player.has_mission ? part(t("hansa.mission"), h("small", { "data-about": "missions" }, t("yokohama.hidden"))) : null;
}

function nameOf(view, id) {
  return view.board.cities.find((city) => city.id === id)?.name ?? plain(String(id));
}
