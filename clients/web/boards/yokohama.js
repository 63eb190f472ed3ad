// @ts-check
/** Yokohama: the pyramid of boards with buildings and tokens, church and customs, laboratories, ports, management boards. */
import { h, s, text } from "../draw.js";
import { knows, plain, t } from "../words.js";
import { initial, seatPicture, seatSign } from "../ui/match/shapes.js";
import { chip, chips, country, rewardMark, rewardWords, sign } from "./yokohama_icons.js";

const [WIDE, HIGH] = [172, 136];
const GOODS = { copper_mine: "copper", silk_mill: "silk", tea_plantation: "tea", fishing_ground: "fish", bank: "yen" };
const ITEMS = ["assistant", "shop", "trading_house"];
/** What a click on an area tries, by the stage of the turn. */
const TRIES = { place: "place", move: "walk", recall: "back", phase_a: "agent", phase_c: "agent" };

/** On a narrow screen it is wider than the page. */
export const wide = true;

/** @typedef {{names: string[], menu: any[], seat: number | null, narrow?: boolean, figures?: Record<string, any[]>}} At */

/** The city and the boards around it. @param {any} view @param {At} at */
export function board(view, at) {
  return h("div", {}, pyramid(view, at), track(view, at, "church"), track(view, at, "customs"), view.laboratories.map((lab) => laboratory(lab)), view.ports.map((port) => harbour(port)), achievements(view, at), rewards(view), supply(view));
}

/** A player's own management board. @param {any} view @param {number} seat @param {At} at */
export function desk(view, seat, at) {
  return mat(view, view.players[seat], at);
}

/** Another player's management board in little. @param {any} view @param {number} seat @param {At} at */
export function rival(view, seat, at) {
  return mat(view, view.players[seat], at);
}

/** @param {any} view @param {At} at */
export function draw(view, at) {
  return [
    pyramid(view, at),
    view.seat === null ? "" : h("div", { class: "mats" }, mat(view, view.players[view.seat], at)),
    h("div", { class: "market-box" }, track(view, at, "church"), track(view, at, "customs")),
    h("div", { class: "market-box halves" }, view.laboratories.map((lab) => laboratory(lab)), view.ports.map((port) => harbour(port))),
    h("div", { class: "market-box" }, achievements(view, at), rewards(view), supply(view)),
    h("div", { class: "mats wide" }, seatOrder(view).filter((seat) => seat !== view.seat).map((seat) => mat(view, view.players[seat], at))),
  ];
}

function seatOrder(view) {
  const first = view.seat ?? 0;
  return view.players.map((_, index) => (first + index) % view.players.length);
}

/** @param {any} view @param {number} seat */
export function colour(view, seat) {
  return view.players[seat].colour;
}

/** @param {any} view @param {number} seat @returns {any} */
export function points(view, seat) {
  const player = view.players[seat];
  const word = (name) => (knows(`yokohama.points_${name}`) ? t(`yokohama.points_${name}`) : plain(name));
  const scored = Object.entries(player.points).filter(([, value]) => value);
  const coming = Object.entries(player.forecast).filter(([, value]) => value);
  return {
    total: player.score,
    parts: scored.map(([name, value]) => [word(name), value]),
    facts: coming.map(([name, value]) => [t("yokohama.wouldGet", { what: word(name) }), value]),
  };
}

/** @param {any} view @returns {[string, any][]} */
export function decks(view) {
  return [[t("yokohama.deckTechnologies"), view.decks.technologies], [t("yokohama.deckOrders"), view.decks.orders], [t("yokohama.round"), view.round]];
}

/** @param {any} view */
export function doing(view) {
  const pending = view.turn.pending[0];
  const what = pending && knows(`yokohama.pending_${pending.what}`) ? t(`yokohama.pending_${pending.what}`, { n: pending.count }) : t(`yokohama.stage_${view.stage}`);
  const level = view.stage === "act" && view.turn.power ? ` (${t("yokohama.power", { power: view.turn.power, level: view.turn.level })})` : "";
  return what + level + (view.final_round ? ` ${t("yokohama.finalRound")}` : "");
}

function pyramid(view, at) {
  const right = Math.max(...view.areas.map((area) => area.x)) + 2;
  const width = (right * WIDE) / 2 + 8;
  const height = (Math.max(...view.areas.map((area) => area.y)) + 1) * HIGH + 8;
  const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, class: "pyramid" }, view.areas.map((area, index) => areaAt(view, at, area, index)));
  svg.set("style", `max-width: ${Math.round(width * 1.08)}px`);
  return h("div", { class: "scroll-x", tabindex: 0, role: "group", "aria-label": t("yokohama.city") }, svg);
}

function areaAt(view, at, area, index) {
  const here = view.turn.area === index ? " here" : "";
  return s(
    "g",
    { transform: `translate(${(area.x * WIDE) / 2 + 4} ${area.y * HIGH + 4})` },
    s(
      "g",
      { class: `area ${area.category}${here}`, "data-target": `area:${index}`, "data-tip": areaWords(at, area), "data-sig": JSON.stringify([area.assistants, area.presidents]), "data-try": `${TRIES[view.stage] ?? "place"} ${area.id}` },
      s("rect", { x: 1, y: 1, width: WIDE - 6, height: HIGH - 6, rx: 7, class: "area-paper" }),
      s("path", { d: `M1 22V8a7 7 0 0 1 7-7H${WIDE - 12}a7 7 0 0 1 7 7V22Z`, class: "area-head" }),
      text(8, 16, area.name, { class: "area-name" }),
      powerScale(area),
      area.action === "none" ? canal() : null,
      pieces(view, at, area),
      area.station ? s("path", { d: "M6 96h20v-12l-10-7-10 7z", class: "station" }) : null,
    ),
    area.five ? five(view, area, index) : null,
    buildings(view, at, area, index),
  );
}

function canal() {
  const lines = [40, 58, 76, 94, 112].map((y, row) => `M${row % 2 ? 14 : 26} ${y}q8 -7 16 0t16 0 16 0 16 0 16 0 16 0 16 0`);
  return s("path", { d: lines.join(""), class: "wave" });
}

function areaWords(at, area) {
  const lines = [`${area.name}: ${knows(`yokohama.does_${area.action}`) ? t(`yokohama.does_${area.action}`) : ""}`];
  if (area.action !== "none") lines.push(t("yokohama.byPower", { list: area.by_power.join(", ") }));
  area.powers.forEach((power, seat) => power && lines.push(t("yokohama.powerOf", { name: at.names[seat], power })));
  area.assistants.forEach((n, seat) => n && lines.push(t("yokohama.assistantsOf", { n, name: at.names[seat] })));
  area.presidents.forEach((seat) => lines.push(t("yokohama.presidentOf", { name: at.names[seat] })));
  return lines.join("\n");
}

function powerScale(area) {
  if (area.action === "none") return null;
  const good = GOODS[area.kind];
  const mark = good ? s("g", { transform: "translate(15 36) scale(.85)" }, sign(good)) : null;
  return s(
    "g",
    {},
    mark,
    area.by_power.map((value, index) =>
      s("g", { transform: `translate(${30 + index * 20} 27)` }, s("rect", { width: 18, height: 18, rx: 3, class: "power-box" }), text(9, 13.5, value, { class: "power-value" }), area.bonus_by_power[index] ? s("circle", { cx: 16, cy: 2, r: 3, class: "power-bonus" }) : null),
    ),
  );
}

function pieces(view, at, area) {
  const out = [];
  let x = 14;
  area.presidents.forEach((seat) => {
    out.push(s("g", { transform: `translate(${x} 65)` }, seatSign(seat, view.players[seat].colour, initial(at.names[seat]), 10), s("path", { d: "M-8 -11L-8 -17 -4 -13 0 -18 4 -13 8 -17 8 -11Z", class: "crown" })));
    x += 26;
  });
  area.assistants.forEach((count, seat) => {
    if (!count) return;
    out.push(s("g", { transform: `translate(${x} 66)` }, seatSign(seat, view.players[seat].colour, count > 1 ? String(count) : "", 7)));
    x += 20;
  });
  return out;
}

/** What a click tries in the area in use, or in any area while none is in use: elsewhere the reason would be about another place. */
function tries(view, index, words) {
  return view.turn.area === index || view.turn.area < 0 ? words : null;
}

function five(view, area, index) {
  const several = Object.keys(area.five.reward).length > 1;
  return s(
    "g",
    { transform: `translate(${WIDE - 25} 62)`, "data-try": tries(view, index, "token"), "data-target": `five:${index}`, "data-tip": `${t("yokohama.five")} ${rewardWords(area.five.reward)}`, class: "five" },
    s("circle", { r: 16.500, class: "five-disc" }),
    text(0, -5, "5", { class: "five-word" }),
    rewardMark(area.five.reward, 0, 5, several ? 0.6 : 0.78),
  );
}

function buildings(view, at, area, index) {
  const shops = area.shops.map((shop, place) => {
    const whose = owner(at, shop.owner);
    return s(
      "g",
      { transform: `translate(${9 + place * 30} 88)`, "data-target": `shop:${index}:${place}`, "data-try": tries(view, index, `shop ${place + 1}`), "data-tip": `${t("yokohama.shopSpace")} ${rewardWords(shop.reward)}${whose ? `\n${whose}` : ""}`, "data-key": `shop ${index} ${place}`, "data-sig": shop.owner, class: "site" },
      s("rect", { width: 27, height: 36, rx: 4, class: "site-box" }),
      shop.owner === null ? rewardMark(shop.reward, 13.5, 18, Object.keys(shop.reward).length > 1 ? 0.55 : 0.95) : builder(view, at, shop.owner, 13.5, 18, "M-11 9V-3H11V9Z"),
    );
  });
  const house = area.house;
  if (!house) return shops;
  const whose = owner(at, house.owner);
  return [
    ...shops,
    s(
      "g",
      { transform: `translate(${WIDE - 43} 80)`, "data-target": `house:${index}`, "data-try": tries(view, index, "house"), "data-tip": `${t("yokohama.houseSpace")} ${rewardWords(house.reward)}${whose ? `\n${whose}` : ""}`, "data-key": `house ${index}`, "data-sig": house.owner, class: "site" },
      s("path", { d: "M0 44V15L16.500 0 33 15V44Z", class: "site-box" }),
      house.owner === null ? rewardMark(house.reward, 16.5, 28, Object.keys(house.reward).length > 1 ? 0.68 : 1.05) : builder(view, at, house.owner, 16.5, 28, "M-13 13V-7L0 -18 13 -7V13Z"),
    ),
  ];
}

function owner(at, who) {
  if (who === null) return "";
  return who === "neutral" ? t("yokohama.neutral") : t("yokohama.builtBy", { name: at.names[who] });
}

function builder(view, at, who, x, y, shape) {
  const paint = who === "neutral" ? "neutral" : view.players[who].colour;
  return s(
    "g",
    { transform: `translate(${x} ${y})` },
    s("path", { d: shape, class: `piece p-${paint}` }),
    who === "neutral" ? text(0, 8, "–", { class: "on-neutral" }) : s("g", { transform: "translate(0 3)" }, seatSign(who, paint, initial(at.names[who]), 6)),
  );
}

/** Church or customs: spaces with what they need and bring. */
function track(view, at, name) {
  const board = view[name];
  return h(
    "section",
    { class: "tray half-tray", "aria-label": t(`yokohama.${name}`) },
    h("div", { class: "tray-head" }, h("h3", {}, t(`yokohama.${name}`)), h("small", {}, t("yokohama.taken", { taken: board.taken, end: board.end }))),
    h(
      "div",
      { class: "spaces" },
      board.spaces.map((space, index) =>
        h(
          "div",
          { class: `space${space.owner === null ? "" : " held"}`, "data-target": `${name}:${index}`, "data-try": `${name === "church" ? "worship" : "clear"} ${index + 1} area`, "data-tip": t(`yokohama.${name}Space`, { need: space.need, reward: rewardWords(space.reward) }) + (space.owner === null ? "" : `\n${owner(at, space.owner)}`), "data-sig": space.owner },
          h("span", { class: "need" }, space.need),
          space.owner === null || space.owner === "neutral" ? null : seatPicture(space.owner, view.players[space.owner].colour, at.names[space.owner], 20),
          space.owner === "neutral" ? h("span", {}, "–") : null,
          chips(space.reward),
        ),
      ),
    ),
  );
}

function laboratory(lab) {
  return h(
    "section",
    { class: "tray", "aria-label": t(`yokohama.${lab.id}`) },
    h("h3", {}, t(`yokohama.${lab.id}`)),
    h("div", { class: "paper-cards" }, lab.slots.map((slot, index) => (slot.card ? technology(slot.card, { "data-target": `lab:${lab.index}:${index}`, "data-try": `research ${index + 1}`, "data-sig": slot.card.face }, slot.surcharge) : h("div", { class: "paper-card empty" })))),
  );
}

function technology(card, attributes, surcharge = 0) {
  return h(
    "div",
    { class: "paper-card tech", "data-tip": `${card.name}\n${card.effect}\n${t("yokohama.techCost", { n: card.production, more: surcharge })}`, ...attributes },
    h("span", { class: "card-head" }, h("b", {}, card.name), country(card.country)),
    h("small", {}, card.effect),
    h("span", { class: "cost" }, t("yokohama.production", { n: card.production }), surcharge ? ` +${surcharge}` : ""),
  );
}

function harbour(port) {
  return h(
    "section",
    { class: "tray", "aria-label": t(`yokohama.${port.id}`) },
    h("h3", {}, t(`yokohama.${port.id}`)),
    h("div", { class: "paper-cards orders" }, port.slots.map((slot, index) => (slot.card ? order(slot.card, { "data-target": `port:${port.index}:${index}`, "data-try": `take ${index + 1}`, "data-sig": slot.card.face }, slot.level) : h("div", { class: "paper-card empty" })))),
  );
}

function order(card, attributes, level = 0) {
  const words = t("yokohama.orderWords", { country: t(`yokohama.${card.country}`), cost: rewardWords(card.cost), reward: rewardWords(card.reward) });
  return h(
    "div",
    { class: "paper-card order", "data-tip": words + (level ? `\n${t("yokohama.level", { n: level })}` : ""), ...attributes },
    h("span", { class: "card-head" }, country(card.country), level ? h("small", {}, t("yokohama.levelShort", { n: level })) : null),
    h("span", { class: "row tight" }, chips(card.cost)),
    h("span", { class: "row tight gives" }, "→", chips(card.reward)),
  );
}

function achievements(view, at) {
  if (!view.achievements.length) return null;
  return h(
    "section",
    { class: "tray" },
    h("h3", {}, t("yokohama.achievements")),
    h(
      "div",
      { class: "paper-cards" },
      view.achievements.map((tile, index) =>
        h(
          "div",
          { class: "paper-card", "data-target": `achievement:${index}`, "data-try": `claim ${tile.id.replace(/^ach_/, "")}`, "data-tip": `${tile.note}\n${t("yokohama.achievementTip", { first: tile.first, later: tile.later })}\n${tile.progress.map((n, seat) => `${at.names[seat]}: ${n}/${tile.need}`).join("\n")}`, "data-sig": tile.claims.join() },
          h("span", { class: "row tight" }, h("b", {}, tile.note)),
          h("span", { class: "row tight" }, chip("points", `${tile.first}/${tile.later}`)),
          h("span", { class: "row tight" }, tile.claims.map((seat) => seatPicture(seat, view.players[seat].colour, at.names[seat], 18))),
          view.seat === null ? null : h("small", {}, `${tile.progress[view.seat]}/${tile.need}`),
        ),
      ),
    ),
  );
}

function rewards(view) {
  if (!view.rewards.length) return null;
  return h(
    "section",
    { class: "tray" },
    h("h3", {}, t("yokohama.rewards")),
    h("div", { class: "paper-cards" }, view.rewards.map((token) => h("div", { class: "paper-card", "data-target": `reward:${token.token}` }, token.country ? country(token.country) : "", h("small", {}, plain(token.id))))),
  );
}

function supply(view) {
  return h(
    "section",
    { class: "tray small-tray" },
    h("h3", {}, t("yokohama.agents")),
    h("div", { class: "row" }, Object.entries(view.agents).map(([name, count]) => h("span", { class: "row tight" }, country(name), h("b", {}, count)))),
  );
}

function mat(view, player, at) {
  const seat = player.seat;
  const own = view.seat === seat;
  const part = (title, ...content) => h("div", { class: "mat-part" }, h("h4", {}, title), h("div", { class: "row tight" }, ...content));
  const orders = [...(player.orders ?? []).map((card) => order(card, { "data-target": `order:${card.face}`, "data-try": `fulfil ${card.id}` })), ...player.hidden.map((each) => (each.card ? order(each.card, { "data-target": `hidden:${each.slot}` }) : h("div", { class: "paper-card empty", "data-target": `hidden:${each.slot}` })))];
  return h(
    "section",
    { class: `mat${view.to_act === seat ? " acts" : ""}${own ? " own" : ""}`, "aria-label": at.names[seat] },
    h(
      "div",
      { class: "mat-head" },
      h("span", { class: "row tight", "data-target": `president:${seat}` }, seatPicture(seat, player.colour, at.names[seat], 24), h("b", {}, at.names[seat])),
      h("span", { class: "vp", "data-key": `score:${seat}`, "data-sig": player.score }, t("joban.pointsN", { n: player.score })),
      view.start === seat ? h("small", { class: "free-piece" }, t("yokohama.starts")) : null,
    ),
    h(
      "div",
      { class: "mat-body" },
      part(t("yokohama.wealth"), chip("yen", player.yen), ...Object.entries(player.goods).map(([name, count]) => h("span", { "data-target": `good:${view.goods.indexOf(name)}` }, chip(name, count, count ? "" : "none"))), chip("import", player.imports, player.imports ? "" : "none")),
      part(t("yokohama.inHand"), h("span", { class: "row tight", "data-target": `hand:${seat}` }, ITEMS.map((item) => chip(item, player.hand[item], player.hand[item] ? "" : "none")))),
      part(t("yokohama.inWarehouse"), ITEMS.map((item, index) => h("span", { "data-target": `warehouse:${seat}:${index}`, "data-try": own ? `hire ${item}` : null }, chip(item, player.warehouse[item], player.warehouse[item] ? "" : "none")))),
      player.agents.length ? part(t("yokohama.agents"), player.agents.map((agent) => h("span", { class: agent.used ? "none" : "" }, agent.country === "free" ? chip("free_agent", 1) : country(agent.country)))) : null,
      player.five_power.length ? part(t("yokohama.fives"), player.five_power.map((token) => h("span", { class: "free-piece", "data-tip": rewardWords(token.reward) }, "5"))) : null,
      part(t("yokohama.ordersN", { n: player.orders_hand }), orders.length ? orders : h("small", {}, player.orders_hand ? t("yokohama.hidden") : t("osaka.none"))),
      player.technologies.length ? part(t("yokohama.technologies"), player.technologies.map((card) => technology(card, { "data-target": `technology:${card.id}` }))) : null,
      player.done.length ? part(t("yokohama.done", { n: player.done.length }), Object.entries(player.flags).filter(([, n]) => n).map(([name, n]) => h("span", { class: "row tight" }, country(name), h("b", {}, n)))) : null,
    ),
  );
}
