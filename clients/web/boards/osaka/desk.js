// @ts-check
/** A player's desk in Osaka: hand, goods on their way, tokens; in full, or in little. */
import { h, picture, s, text } from "../../draw.js";
import { t } from "../../words.js";
import { seatPicture } from "../../ui/match/shapes.js";
import { tags } from "../figures.js";
import { about, back, CARD, face, piled, token } from "./cards.js";

/** @typedef {import("./board.js").At} At */

/** @param {any} view @param {number} seat @param {At} at */
export function desk(view, seat, at) {
  const player = view.players[seat];
  const own = view.seat === seat;
  const worth = (cards) => cards.reduce((sum, item) => sum + item.value, 0);
  const sum = player.hand?.length ? ` = ${worth(player.hand)}` : "";
  return h(
    "section",
    { class: "mat osaka-desk", "aria-label": at.names[seat] },
    h(
      "div",
      { class: "mat-body" },
      h("div", { class: "mat-part token-part", "data-at": `desk:${seat}:tokens` }, h("h4", {}, t("osaka.tokens"), ` ${tokenSum(player)}/${view.options.tokens_to_end}`), tokens(view, player), reservation(player)),
      h("div", { class: "mat-part hand-part", "data-at": `desk:${seat}:hand` }, h("h4", {}, t("osaka.handOf", { n: player.hand_count }), sum), hand(view, player, at, own)),
      h("div", { class: "mat-part", "data-at": `desk:${seat}:goods` }, h("h4", {}, t("osaka.goods")), goods(view, player, at, own)),
    ),
  );
}

/** @param {any} view @param {number} seat @param {At} at */
export function rival(view, seat, at) {
  const player = view.players[seat];
  return h(
    "section",
    { class: "mat little osaka-little", "aria-label": at.names[seat] },
    h(
      "div",
      { class: "row tight" },
      h("span", { class: "chip", "data-at": `desk:${seat}:hand`, "data-tip": t("osaka.handOf", { n: player.hand_count }) }, picture(CARD.wide, CARD.high, { class: "mini-card" }, back()), h("b", {}, player.hand_count)),
      h("span", { class: "row tight", "data-at": `desk:${seat}:tokens`, "data-key": `tokens:${seat}`, "data-sig": player.tokens.join() }, tokens(view, player)),
      h("small", {}, `${tokenSum(player)}/${view.options.tokens_to_end}`),
      h("span", { "data-at": `desk:${seat}:piece`, class: player.can_reserve ? "" : "none", "data-tip": t(player.can_reserve ? "osaka.pieceTip" : "osaka.piecePlaced") }, seatPicture(seat, player.piece, at.names[seat], 18)),
    ),
    player.hand ? h("div", { class: "cards small", "data-about": "hand" }, piled(player.hand).map(({ item, count }) => slot(view, at, item, count, {}))) : null,
    h("div", { class: "cards small", "data-at": `desk:${seat}:goods`, "data-key": `goods:${seat}`, "data-sig": player.goods.map((item) => `${item.card}${item.insured}`).join() }, piled(player.goods).map(({ item, count }) => slot(view, at, item, count, {}))),
  );
}

function tokenSum(player) {
  return player.tokens.reduce((sum, n) => sum + n, 0);
}

function tokens(view, player) {
  return h(
    "span",
    { class: "row tight tokens" },
    view.board.colours.map((name, index) => h("span", { class: `chip${player.tokens[index] ? "" : " none"}`, "data-tip": t("osaka.tokenTip", { n: player.tokens[index], colour: t(`colours.${name}`) }) }, picture(26, 26, {}, s("g", { transform: "translate(13 13)" }, token(name, 12))), h("b", {}, player.tokens[index]))),
  );
}

function reservation(player) {
  return h("span", { "data-at": `desk:${player.seat}:piece` }, player.can_reserve ? h("small", { class: "free-piece", "data-tip": t("osaka.pieceTip") }, t("osaka.pieceFree")) : null);
}

function slot(view, at, item, count, attributes) {
  const tip = about(view, item) + (item.insured ? `\n${t("osaka.insured")}` : "");
  return h(
    "span",
    { class: "card-slot", "data-tip": count > 1 ? `${count} × ${tip}` : tip, key: `${item.card} ${item.insured ?? 0}`, ...attributes },
    picture(CARD.wide, CARD.high, { class: "face" }, face(view, item, count > 1 ? [s("circle", { cx: 52.500, cy: 54, r: 10, class: "many" }), text(52, 58, `×${count}`, { class: "many-word" })] : null)),
    attributes["data-target"] ? tags(at, () => "grey", attributes["data-target"]) : null,
  );
}

function hand(view, player, at, own) {
  if (player.hand === null) return h("div", { class: "cards small" }, Array.from({ length: Math.min(player.hand_count, 12) }, () => picture(CARD.wide, CARD.high, { class: "face" }, back())));
  if (!player.hand.length) return h("p", { class: "hint" }, t("osaka.none"));
  return h("div", { class: "cards" }, piled(player.hand).map(({ item, count }) => slot(view, at, item, count, own ? { "data-target": `hand:${item.card}`, "data-try": `pay ${item.card}` } : {})));
}

function goods(view, player, at, own) {
  if (!player.goods.length) return h("p", { class: "hint" }, t("osaka.none"));
  return h(
    "div",
    { class: "cards", "data-key": `goods:${player.seat}`, "data-sig": player.goods.map((item) => `${item.card}${item.insured}`).join() },
    piled(player.goods).map(({ item, count }) => slot(view, at, item, count, own && !item.insured ? { "data-target": `goods:${item.card}`, "data-try": `insure ${item.card}` } : {})),
  );
}
