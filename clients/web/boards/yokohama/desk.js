// @ts-check
/** A player's management board in Yokohama: money, goods, pieces, orders and technologies; in full, or in little. */
import { h, picture } from "../../draw.js";
import { t } from "../../words.js";
import { order } from "./boards.js";
import { chip, flagChip, rewardWords } from "./icons.js";
import { tags } from "../figures.js";

/** @typedef {import("./board.js").At} At */

const ITEMS = ["assistant", "shop", "trading_house"];
const CARD = { wide: 124, high: 84 };
const FEW = 2; // orders that stand side by side in full size

function part(title, attributes, ...content) {
  return h("div", { class: "mat-part", ...attributes }, h("h4", {}, title), h("div", { class: "row tight" }, ...content));
}

/** @param {any} view @param {number} seat @param {At} at */
export function desk(view, seat, at) {
  const player = view.players[seat];
  const own = view.seat === seat;
  return h(
    "section",
    { class: "mat yokohama-desk", "aria-label": at.names[seat] },
    h(
      "div",
      { class: "mat-body" },
      wealth(view, player, at, own),
      pieces(player, seat, at, own),
      foreign(player, seat),
      part(t("yokohama.ordersN", { n: player.orders_hand }), { "data-at": `desk:${seat}:orders`, class: `mat-part cards-part${player.orders_hand > FEW ? " many" : ""}` }, orders(player, own, at)),
      player.technologies.length ? part(t("yokohama.technologies"), { "data-at": `desk:${seat}:technologies`, class: "mat-part cards-part" }, player.technologies.map((card) => techChip(card, at))) : null,
    ),
  );
}

/** @param {any} view @param {number} seat @param {At} at */
export function rival(view, seat, at) {
  const player = view.players[seat];
  const row = (...parts) => h("div", { class: "row tight" }, ...parts);
  return h(
    "section",
    { class: "mat little yokohama-little", "aria-label": at.names[seat] },
    row(h("span", { class: "row tight", "data-at": `desk:${seat}:goods` }, chip("yen", player.yen), Object.entries(player.goods).map(([name, count]) => chip(name, count, count ? "" : "none")), chip("import", player.imports, player.imports ? "" : "none"))),
    row(
      h("span", { class: "row tight", "data-at": `desk:${seat}:hand`, "data-tip": t("yokohama.inHand") }, ITEMS.map((item) => chip(item, player.hand[item], player.hand[item] ? "" : "none"))),
      h("span", { class: "bar" }),
      h("span", { class: "row tight spare", "data-at": `desk:${seat}:warehouse`, "data-tip": t("yokohama.inWarehouse") }, ITEMS.map((item) => chip(item, player.warehouse[item], player.warehouse[item] ? "" : "none"))),
    ),
    row(
      h("small", { "data-at": `desk:${seat}:orders` }, t("yokohama.ordersN", { n: player.orders_hand })),
      h("span", { class: "row tight", "data-at": `desk:${seat}:agents` }, player.agents.map((agent) => flagChip(agent.country, null, { class: `chip${agent.used ? " none" : ""}` }))),
      player.done.length ? h("small", {}, t("yokohama.done", { n: player.done.length })) : null,
      player.technologies.length ? h("small", { class: "technologies", "data-at": `desk:${seat}:technologies`, "data-tip": player.technologies.map((card) => `${card.name}: ${card.effect}`).join("\n") }, player.technologies.map((card) => card.name).join(", ")) : null,
    ),
  );
}

function wealth(view, player, at, own) {
  const seat = player.seat;
  const mine = (target) => (own ? { "data-target": target } : {});
  return part(
    t("yokohama.wealth"),
    { "data-at": `desk:${seat}:goods`, class: "mat-part pieces" },
    chip("yen", player.yen, "big", { ...mine("pay:0"), "data-at": `desk:${seat}:yen` }),
    Object.entries(player.goods).map(([name, count]) => chip(name, count, `big${count ? "" : " none"}`, { ...mine(`good:${view.goods.indexOf(name)}`), "data-at": `desk:${seat}:${name}` })),
    chip("import", player.imports, `big${player.imports ? "" : " none"}`, { ...mine("pay:1"), "data-at": `desk:${seat}:import` }),
    own ? tags(at, (who) => view.players[who].colour, `points:${seat}`) : null,
  );
}

function pieces(player, seat, at, own) {
  return [
    part(t("yokohama.inHand"), { "data-at": `desk:${seat}:hand`, class: "mat-part pieces" }, h("span", { class: "row tight hand-of", "data-target": `hand:${seat}` }, ITEMS.map((item) => chip(item, player.hand[item], `big${player.hand[item] ? "" : " none"}`)))),
    part(t("yokohama.inWarehouse"), { "data-at": `desk:${seat}:warehouse`, class: "mat-part pieces" }, ITEMS.map((item, index) => chip(item, player.warehouse[item], `big${player.warehouse[item] ? "" : " none"}`, { "data-target": `warehouse:${seat}:${index}`, "data-at": `desk:${seat}:warehouse:${index}`, "data-try": own ? `hire ${item}` : null }))),
    own ? part(t("yokohama.president"), { "data-at": `desk:${seat}:president` }, h("span", { class: "chip big president-of", "data-target": `president:${seat}` }, h("b", {}, player.president < 0 ? t("yokohama.atHome") : t("yokohama.inCity")))) : null,
  ];
}

function foreign(player, seat) {
  const flags = Object.entries(player.flags).filter(([, n]) => n);
  return [
    player.agents.length ? part(t("yokohama.agents"), { "data-at": `desk:${seat}:agents` }, player.agents.map((agent) => flagChip(agent.country, null, { class: `chip big${agent.used ? " none" : ""}` }))) : null,
    player.five_power.length ? part(t("yokohama.fives"), { "data-at": `desk:${seat}:tokens` }, player.five_power.map((token) => h("span", { class: "free-piece", "data-tip": rewardWords(token.reward) }, "5"))) : null,
    player.done.length || flags.length ? part(t("yokohama.done", { n: player.done.length }), { "data-at": `desk:${seat}:done` }, flags.map(([name, n]) => flagChip(name, n))) : null,
  ];
}

function orders(player, own, at) {
  const open = (player.orders ?? []).map((card) => orderCard(card, at, { "data-target": `order:${card.face}`, "data-try": `fulfil ${card.id}` }));
  const hidden = player.hidden.map((each) => (each.card ? orderCard(each.card, at, { "data-target": `hidden:${each.slot}` }) : h("div", { class: "paper-card empty", "data-target": `hidden:${each.slot}` })));
  if (open.length + hidden.length) return [...open, ...hidden];
  return player.orders_hand ? [h("small", {}, t("yokohama.hidden"))] : []; // the heading says that there are none
}

function orderCard(card, at, attributes) {
  const drawn = order(card, CARD.wide - 2, CARD.high - 2, {});
  drawn.set("transform", "translate(1 1)");
  return h("span", { class: "card-slot", "data-tip": drawn.get("data-tip"), ...attributes }, picture(CARD.wide, CARD.high, {}, drawn), tags({ ...at }, () => "grey", attributes["data-target"]));
}

/** Its name; what it does is told on asking, so that all of them fit on the desk. */
function techChip(card, at) {
  return h("span", { class: "chip big tech-chip", "data-tip": `${card.name}: ${card.effect}`, "data-target": `technology:${card.id}` }, flagChip(card.country, null), h("b", {}, card.name), tags(at, () => "grey", `technology:${card.id}`));
}
