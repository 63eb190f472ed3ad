// @ts-check
/** Merchants of Osaka: the sea with four ships, Market and Farm, everybody's hands, goods and tokens. */
import { h, picture, s, text } from "../draw.js";
import { t } from "../words.js";
import { goodShape, initial, seatPicture, seatSign } from "../ui/match/shapes.js";

const COLUMN = { wide: 118, narrow: 78 };
const LANE = 40;
const TOP = 34;
const BACK = "M14 60h36l-7 11H21zM31 20v38H15c8-10 13-22 16-38z"; // a sail on a hull

/** @typedef {{names: string[], menu: any[], seat: number | null, narrow?: boolean, figures?: Record<string, any[]>}} At */

/** The sea, Market and Farm. @param {any} view @param {At} at */
export function board(view, at) {
  return h("div", {}, tokenChoice(view), sea(view, at.narrow ? COLUMN.narrow : COLUMN.wide), table(view), rows(view, at));
}

/** A player's own desk and hand. @param {any} view @param {number} seat @param {At} at */
export function desk(view, seat, at) {
  return mat(view, view.players[seat], at);
}

/** Another player's desk in little. @param {any} view @param {number} seat @param {At} at */
export function rival(view, seat, at) {
  return mat(view, view.players[seat], at);
}

/** @param {any} view @param {At} at */
export function draw(view, at) {
  return [tokenChoice(view), sea(view, at.narrow ? COLUMN.narrow : COLUMN.wide), table(view), rows(view, at), h("div", { class: "mats" }, seatOrder(view).map((seat) => mat(view, view.players[seat], at)))];
}

/** One's own mat first, then in the order of the turn. */
function seatOrder(view) {
  const first = view.seat ?? 0;
  return view.players.map((_, index) => (first + index) % view.players.length);
}

/** The view without faces of cards in hands: people at one screen should not look at them, although those taken from the Market are known. @param {any} view */
export function cover(view) {
  return { ...view, players: view.players.map((player) => ({ ...player, hand: null })) };
}

/** @param {any} view @param {number} seat */
export function colour(view, seat) {
  return view.players[seat].piece;
}

/** @param {any} view @param {number} seat @returns {any} */
export function points(view, seat) {
  const player = view.players[seat];
  const tokens = player.tokens.reduce((sum, count) => sum + count, 0);
  return {
    total: `${player.vp} ${t("osaka.vp")}`,
    parts: [[t("osaka.vpLong"), player.vp], [t("osaka.tokens"), `${tokens} / ${view.options.tokens_to_end}`]],
    facts: [
      [t("osaka.hand"), player.hand_count],
      [t("osaka.goods"), player.goods.length],
      [t("osaka.piece"), player.can_reserve ? t("osaka.pieceFree") : t("osaka.piecePlaced")],
    ],
  };
}

/** @param {any} view @returns {[string, any][]} */
export function decks(view) {
  return [[t("osaka.pile"), view.pile], [t("osaka.discard"), view.discard.reduce((sum, count) => sum + count, 0)]];
}

/** @param {any} view */
export function doing(view) {
  return t(`osaka.doing_${view.phase}`, { due: view.due });
}

function sea(view, column) {
  const track = view.board.track;
  const width = column * track.length;
  const height = TOP + LANE * 4 + 10;
  const columns = track.map((space, index) => [
    s("rect", { x: index * column, y: 0, width: column, height, class: `sea-${space.kind}` }),
    space.kind === "waves" ? waves(index * column, column, height) : null,
    space.kind === "shelter" ? anchor(index * column + column - 14, column < 100 ? 40 : 20) : null,
    space.kind === "start" || space.kind === "goal" ? harbour(index * column + (column - 106) / 2, height) : null,
    text(index * column + column / 2, 22, space.name, { class: `sea-name on-${space.kind}` }),
  ]);
  const lanes = view.board.colours.map((_, lane) =>
    s("path", { d: `M${column * 0.86} ${TOP + LANE * lane + LANE - 8}H${width - column * 0.86}`, class: "lane" }),
  );
  const ships = view.ships.map((at, index) => ship(view, index, at, track, column));
  return h(
    "div",
    { class: "scroll-x sea-box" },
    s("svg", { viewBox: `0 0 ${width} ${height}`, class: "sea", role: "img", "aria-label": seaWords(view) }, columns.flat(), lanes, ships),
  );
}

function seaWords(view) {
  const where = view.ships.map((at, index) => t("osaka.shipAt", { colour: t(`colours.${view.board.colours[index]}`), place: spaceName(view, at) }));
  return where.join(" ");
}

function spaceName(view, at) {
  const space = view.board.track[at];
  return space.kind === "waves" ? `${space.name} (${t(`osaka.${space.id}`)})` : space.name;
}

function waves(x, column, height) {
  const lines = [];
  const crests = "t18 0".repeat(Math.floor((column - 22) / 18) - 1);
  for (let y = 44; y < height - 4; y += 15) {
    const shift = (y / 15) % 2 ? 0 : 9;
    lines.push(`M${x + 4 + shift} ${y}q9 -8 18 0${crests}`);
  }
  return s("path", { d: lines.join(""), class: "wave" });
}

function anchor(x, y) {
  return s("path", { d: `M${x} ${y - 8}v16M${x - 5} ${y - 3}h10M${x - 8} ${y + 3}c2 7 14 7 16 0`, class: "anchor" });
}

function harbour(x, height) {
  return s("path", { d: `M${x + 12} ${height}v-9h10v-7h14v7h22v-12l12 -6 12 6v12h12v9z`, class: "harbour" });
}

function ship(view, index, at, track, column) {
  const name = view.board.colours[index];
  const sunk = view.sunk.includes(index);
  const x = at * column + column / 2;
  const y = TOP + LANE * index + LANE - 10;
  const tip = t("osaka.shipAt", { colour: t(`colours.${name}`), place: spaceName(view, at) }) + (sunk ? `\n${t("osaka.sinks")}` : "") + `\n${t(`osaka.space_${track[at].kind}`)}`;
  return s(
    "g",
    { transform: `translate(${x} ${y}) scale(.88)${sunk ? " rotate(24)" : ""}`, class: `ship${sunk ? " sunk" : ""}`, "data-tip": tip, "data-key": `ship:${index}`, "data-sig": at },
    s("path", { d: "M-27 -6H27L19 8H-19Z", class: "hull" }),
    s("path", { d: "M-2 -8V-36C-12 -30 -20 -20 -22 -8Z", class: `sail c-${name}` }),
    s("path", { d: "M2 -8V-36C14 -31 20 -20 22 -8Z", class: `sail c-${name}` }),
    s("path", { d: "M0 -38V-6", class: "mast" }),
    text(0, 5, t(`colours.${name}`)[0].toUpperCase(), { class: "ship-letter" }),
  );
}

/** A card face. @param {any} view @param {any} item @param {any} attributes @param {any[]} extra */
function card(view, item, attributes, ...extra) {
  const name = view.board.colours[item.colour];
  const good = goodShape(name, 13);
  good.set("transform", "translate(32 44)");
  const icons = Array.from({ length: item.icons }, (_, index) =>
    s("path", { d: `M${32 - (item.icons - 1) * 7 + index * 14 - 5} 66h10v4c0 4-3 6-5 7c-2-1-5-3-5-7z`, class: "shield" }),
  );
  return picture(
    64,
    88,
    { class: "card", ...attributes },
    s("rect", { x: 1.5, y: 1.5, width: 61, height: 85, rx: 7, class: "card-paper" }),
    s("path", { d: "M1.5 24V8.5a7 7 0 0 1 7-7h47a7 7 0 0 1 7 7V24z", class: `c-${name}` }),
    text(10, 18, t(`colours.${name}`)[0].toUpperCase(), { class: `card-letter on-${name}` }),
    text(54, 19, item.value, { class: `card-value on-${name}` }),
    good,
    text(32, 49, item.value, { class: `good-value on-${name}` }),
    icons,
    ...extra,
  );
}

function about(view, item) {
  const name = t(`colours.${view.board.colours[item.colour]}`);
  return t("osaka.card", { colour: name, value: item.value }) + "\n" + t("osaka.icons", { n: item.icons });
}

function rows(view, at) {
  const reserve = view.seat !== null && view.players[view.seat].can_reserve;
  const market = view.market.map((item, index) => rowCard(view, at, item, `market:${index}`, `take ${item.card}@${index + 1}`, `market ${index}`, reserve ? index : null));
  const farm = view.farm.map((item, index) => rowCard(view, at, item, `farm:${index}`, `reserve ${item.card}@f${index + 1}`, `farm ${index}`, null));
  const price = t("osaka.buy", { price: view.price });
  return h(
    "div",
    { class: "market-box" },
    h(
      "section",
      { class: "tray market", "aria-label": t("osaka.market") },
      h(
        "div",
        { class: "tray-head" },
        h("h3", {}, t("osaka.market")),
        h("span", { class: "buy", "data-target": "market", "data-try": "buy", "data-tip": t("osaka.buyTip") }, price),
      ),
      h("div", { class: "cards" }, market.length ? market : h("p", { class: "hint" }, t("osaka.empty"))),
    ),
    h(
      "section",
      { class: "tray", "aria-label": t("osaka.farm") },
      h("div", { class: "tray-head", "data-tip": t("osaka.farmNote") }, h("h3", {}, t("osaka.farm")), h("small", {}, t("osaka.farmShort"))),
      h("div", { class: "cards" }, farm.length ? farm : h("p", { class: "hint" }, t("osaka.empty"))),
    ),
    piles(view),
  );
}

function rowCard(view, at, item, target, attempt, key, reserveIndex) {
  const by = item.reserved_by;
  const piece = by === null ? null : reservation(view, at, by);
  const tip = about(view, item) + (by === null ? "" : `\n${t("osaka.reservedBy", { name: at.names[by] })}`);
  const reserveTarget = `${target}:piece`;
  const canReserve = reserveIndex !== null && at.menu.some((entry) => entry.targets[0] === reserveTarget);
  return h(
    "div",
    { class: "slot" },
    card(view, item, { "data-target": target, "data-try": attempt, "data-tip": tip, "data-key": key, "data-sig": `${item.card} ${by}` }, piece),
    canReserve ? h("span", { class: "reserve", "data-target": reserveTarget }, t("osaka.reserve")) : null,
  );
}

function reservation(view, at, seat) {
  const sign = seatSign(seat, view.players[seat].piece, initial(at.names[seat]), 9);
  sign.set("transform", "translate(50 74)");
  return sign;
}

function piles(view) {
  const count = view.discard.reduce((sum, n) => sum + n, 0);
  const faces = ["red", "blue", "yellow", "green"].flatMap((name) => [2, 3, 5].map((value) => [name, value]));
  const listed = view.discard.map((n, face) => (n ? `${n} × ${t("osaka.card", { colour: t(`colours.${faces[face][0]}`), value: faces[face][1] })}` : "")).filter(Boolean);
  return h(
    "div",
    { class: "tray piles" },
    back(view.pile, t("osaka.pile"), t("osaka.pileTip", { n: view.pile })),
    back(count, t("osaka.discard"), [t("osaka.discard"), ...listed].join("\n"), "open"),
  );
}

function back(count, label, tip, kind = "") {
  return h(
    "div",
    { class: "slot pile", "data-tip": tip, tabindex: 0, role: "img", "aria-label": `${label}: ${count}` },
    picture(
      64,
      88,
      { class: "card" },
      s("rect", { x: 1.5, y: 1.5, width: 61, height: 85, rx: 7, class: `card-back ${kind}` }),
      s("path", { d: BACK, class: "card-back-sign" }),
      text(46, 36, count, { class: "pile-count" }),
    ),
    h("small", {}, label),
  );
}

/** Cards being laid for a payment or an insurance. */
function table(view) {
  const row = (title, cards, note) =>
    h("section", { class: "tray laid" }, h("h3", {}, title), h("div", { class: "cards" }, cards.map((item) => card(view, item, { "data-tip": about(view, item) }))), note ? h("p", {}, note) : null);
  const out = [];
  if (view.chosen.length) out.push(row(t("osaka.chosen"), view.chosen, ""));
  if (view.laid.length || view.phase === "pay") out.push(row(t("osaka.laid"), view.laid, view.phase === "pay" ? t("osaka.due", { due: view.due }) : ""));
  return out.length ? h("div", { class: "market-box" }, out) : "";
}

/** The four tokens, while one may be chosen. */
function tokenChoice(view) {
  if (view.phase !== "token") return "";
  return h(
    "section",
    { class: "tray" },
    h("h3", {}, t("osaka.chooseToken")),
    h("div", { class: "cards" }, view.board.colours.map((name) => picture(64, 64, { class: "token-big", "data-target": `token:${name}`, "data-tip": t(`colours.${name}`) }, token(name, 32, 32, 26, t(`colours.${name}`)[0].toUpperCase())))),
  );
}

function token(name, x, y, r, words) {
  const points = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => `${x + r * Math.cos((k * Math.PI) / 4 + Math.PI / 8)},${y + r * Math.sin((k * Math.PI) / 4 + Math.PI / 8)}`).join(" ");
  return s("g", {}, s("polygon", { points, class: `token c-${name}` }), text(x, y + r * 0.38, words, { class: `token-letter on-${name}`, "font-size": r * 0.95 }));
}

function mat(view, player, at) {
  const seat = player.seat;
  const own = view.seat === seat;
  const tokens = view.board.colours.map((name, index) => {
    const letter = t(`colours.${name}`)[0].toUpperCase();
    return picture(40, 26, { class: `token-row${player.tokens[index] ? "" : " none"}`, "data-tip": t("osaka.tokenTip", { n: player.tokens[index], colour: t(`colours.${name}`) }) }, token(name, 13, 13, 11, letter), text(32, 18, player.tokens[index], { class: "count" }));
  });
  const total = player.tokens.reduce((sum, n) => sum + n, 0);
  return h(
    "section",
    { class: `mat${view.to_act === seat ? " acts" : ""}${own ? " own" : ""}`, "aria-label": at.names[seat] },
    h(
      "div",
      { class: "mat-head" },
      seatPicture(seat, player.piece, at.names[seat], 24),
      h("b", {}, at.names[seat]),
      h("span", { class: "vp", "data-key": `vp:${seat}`, "data-sig": player.vp }, `${player.vp} ${t("osaka.vp")}`),
      h("span", { class: "tokens", "data-key": `tokens:${seat}`, "data-sig": player.tokens.join() }, tokens, h("small", {}, `${total}/${view.options.tokens_to_end}`)),
      player.can_reserve ? h("small", { class: "free-piece", "data-tip": t("osaka.pieceTip") }, t("osaka.pieceFree")) : null,
    ),
    h(
      "div",
      { class: "mat-body" },
      h("div", { class: "mat-part" }, h("h4", {}, t("osaka.handOf", { n: player.hand_count }), player.hand && player.hand.length ? ` = ${player.hand.reduce((sum, c) => sum + c.value, 0)}` : ""), handCards(view, player, own)),
      h("div", { class: "mat-part" }, h("h4", {}, t("osaka.goods")), goods(view, player, own)),
    ),
  );
}

function handCards(view, player, own) {
  if (player.hand === null) {
    return h("div", { class: "cards small" }, Array.from({ length: player.hand_count }, () => picture(64, 88, { class: "card" }, s("rect", { x: 1.5, y: 1.5, width: 61, height: 85, rx: 7, class: "card-back" }), s("path", { d: BACK, class: "card-back-sign" }))));
  }
  if (!player.hand.length) return h("p", { class: "hint" }, t("osaka.none"));
  return h(
    "div",
    { class: `cards${own ? "" : " small"}` },
    player.hand.map((item) => card(view, item, own ? { "data-target": `hand:${item.card}`, "data-try": `pay ${item.card}`, "data-tip": about(view, item) } : { "data-tip": about(view, item) })),
  );
}

function goods(view, player, own) {
  if (!player.goods.length) return h("p", { class: "hint" }, t("osaka.none"));
  const ordered = [...player.goods].sort((a, b) => a.colour - b.colour || b.value - a.value);
  return h(
    "div",
    { class: "cards small", "data-key": `goods:${player.seat}`, "data-sig": ordered.map((item) => `${item.card}${item.insured}`).join() },
    ordered.map((item) => {
      const tip = about(view, item) + (item.insured ? `\n${t("osaka.insured")}` : "");
      const target = own && !item.insured ? { "data-target": `goods:${item.card}`, "data-try": `insure ${item.card}` } : {};
      return card(view, item, { ...target, "data-tip": tip }, item.insured ? s("path", { d: "M32 62l8 3v7c0 6-5 9-8 11c-3-2-8-5-8-11v-7z", class: "insured" }) : null);
    }),
  );
}
