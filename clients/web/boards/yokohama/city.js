// @ts-check
/** The city of Yokohama: the pyramid of areas with their power, pieces, shops and trading houses. */
import { again, s, stamp, still, text } from "../../draw.js";
import { knows, t } from "../../words.js";
import { initial, seatSign } from "../../ui/match/shapes.js";
import { broken } from "../lines.js";
import { rewardWords, row, sign, stack } from "./icons.js";

const GAP = 6;
/**
 * How an area is laid out: in a frame wider than high, and in one higher than wide, where areas are narrow and high so that all of it is
 * drawn larger. `five` and `house` are counted from the right edge.
 */
const PLANS = {
  wide: { high: 148, head: 22, power: { x: 33, y: 26, step: 25, box: 23 }, pieces: 74, figure: 62, five: { x: 25, y: 51 }, house: { x: 53, y: 80 }, shop: (place) => ({ x: 6 + place * 39, y: 92 }) },
  tall: { high: 210, head: 40, power: { x: 32, y: 44, step: 22, box: 21 }, pieces: 92, figure: 75, five: { x: 25, y: 95 }, house: { x: 53, y: 142 }, shop: (place) => ({ x: 3 + (place % 2) * 39, y: 109 + Math.floor(place / 2) * 47 }) },
};
const TALL_WIDTH = 150;

/** @param {{narrow?: boolean}} at */
export function planOf(at) {
  return at.narrow ? PLANS.tall : PLANS.wide;
}
const GOODS = { copper_mine: "copper", silk_mill: "silk", tea_plantation: "tea", fishing_ground: "fish", bank: "yen", church: "faith", customs_house: "import", employment_agency: "warehouse", laboratory_a: "production", laboratory_b: "production", port_a: "level", port_b: "level" };
/** What a click on an area tries, by the stage of the turn. */
const TRIES = { place: "place", move: "walk", recall: "back", phase_a: "agent", phase_c: "agent" };

/** Which paragraph of the rules tells what an area does. */
const TOLD = { gain_good: "goods", gain_yen: "goods", exchange: "chinatown", church: "church", customs: "customs", employ: "employment", research: "laboratory", take_orders: "port", none: "canal" };

/** How wide an area is: with fewer players there are fewer of them. @param {any} view @param {{narrow?: boolean}} at */
export function areaWidth(view, at) {
  if (at.narrow) return TALL_WIDTH;
  return { 6: 226, 5: 250, 4: 270 }[columns(view)] ?? 226;
}

/** @param {any} view */
export function columns(view) {
  return Math.max(...view.areas.map((area) => area.x)) / 2 + 1;
}

/** @param {any} view @param {{names: string[], seat: number | null, narrow?: boolean}} at */
export function areas(view, at) {
  const table = stamp([at.names, at.seat, at.narrow, areaWidth(view, at), view.players.map((player) => player.colour)]); // what all parts have in common
  return view.areas.map((area, index) => areaAt(view, at, area, index, table));
}

/** The upper left corner of an area. @param {any} view @param {any} area @param {{narrow?: boolean}} at */
export function cornerOf(view, area, at) {
  return { x: (area.x * areaWidth(view, at)) / 2 + GAP / 2, y: area.y * planOf(at).high + GAP / 2 };
}

function areaAt(view, at, area, index, table) {
  const { x, y } = cornerOf(view, area, at);
  const plan = planOf(at);
  const width = areaWidth(view, at) - GAP;
  const here = view.turn.area === index ? " here" : "";
  const known = (kind, facts, make) => again(`${kind} ${table} ${index} ${JSON.stringify(facts)}`, make);
  return s(
    "g",
    { transform: `translate(${x} ${y})` },
    known(`area${here}`, area, () => ground(view, at, area, index, width, here)).set("data-try", `${TRIES[view.stage] ?? "place"} ${area.id}`),
    area.five ? known("five", area.five, () => five(area, index, width - plan.five.x, plan.five.y)).set("data-try", tries(view, index, "token")) : null,
    area.shops.map((each, place) => known(`shop ${place}`, each, () => shop(view, at, each, index, place)).set("data-try", tries(view, index, `shop ${place + 1}`))),
    area.house ? known("house", area.house, () => house(view, at, area.house, index, width)).set("data-try", tries(view, index, "house")) : null,
  );
}

/** The area itself: its name, what it gives, who is there. */
function ground(view, at, area, index, width, here) {
  const plan = planOf(at);
  return s(
    "g",
    { class: `area ${area.category}${here}`, "data-about": TOLD[area.action] ?? "power", "data-target": `area:${index}`, "data-tip": areaWords(at, area), "data-sig": JSON.stringify([area.assistants, area.presidents]) },
    s("rect", { x: 0, y: 0, width, height: plan.high - GAP, rx: 8, class: "area-paper" }),
    s("path", { d: `M0 ${plan.head}V8a8 8 0 0 1 8 -8H${width - 8}a8 8 0 0 1 8 8V${plan.head}Z`, class: "area-head" }),
    title(area, at),
    area.action === "none" ? canal(width) : powerScale(view, at, area),
    pieces(view, at, area, width),
    area.station ? s("path", { d: `M${width - 30} 18V6L${width - 19} 1 ${width - 8} 6V18Z`, class: "station" }) : null,
  );
}

/** The name of an area; where it is narrow, in two lines. */
function title(area, at) {
  if (!at.narrow) return text(9, 16.500, area.name, { class: "area-name" });
  const lines = broken(area.name, area.station ? 11 : 13, 2);
  return lines.map((line, index) => text(8, (lines.length > 1 ? 17 : 25) + index * 17, line, { class: "area-name large" }));
}

function canal(width) {
  const lines = [44, 64, 84, 104, 124].map((y, place) => `M${place % 2 ? 14 : 26} ${y}q8 -7 16 0${"t16 0".repeat(Math.floor((width - 60) / 16))}`);
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

/** What the area gives with power one to five; the reader's own power here is marked. */
function powerScale(view, at, area) {
  const now = at.seat === null ? 0 : area.powers[at.seat];
  const good = GOODS[area.kind];
  const { x, y, step, box } = planOf(at).power;
  const make = () => s(
    "g",
    {},
    good ? s("g", { transform: `translate(17 ${y + 12})` }, sign(good)) : s("path", { d: `M8 ${y + 9}H26L22 ${y + 5}M26 ${y + 16}H8L12 ${y + 20}`, class: "i-swap" }),
    area.by_power.map((value, index) =>
      s(
        "g",
        { transform: `translate(${x + index * step} ${y})`, "data-about": "power" },
        s("rect", { width: box, height: 23, rx: 4, class: `power-box${index + 1 === Math.min(now, 5) ? " now" : ""}` }),
        text(box / 2, 17, value, { class: "power-value" }),
        area.bonus_by_power[index] ? s("g", { transform: "translate(20 3) scale(.5)" }, sign("points")) : null,
      ),
    ),
  );
  return still(`power ${good} ${now} ${area.by_power} ${area.bonus_by_power} ${step}`, make);
}

function pieces(view, at, area, width) {
  const count = area.presidents.length + area.assistants.filter(Boolean).length;
  const step = Math.min(30, (width - 60) / Math.max(count, 1));
  const found = [];
  area.presidents.forEach((seat) => found.push(s("g", { "data-about": "walk" }, seatSign(seat, view.players[seat].colour, initial(at.names[seat]), 10.500), s("path", { d: "M-8 -11L-8 -17 -4 -13 0 -18 4 -13 8 -17 8 -11Z", class: "crown" }))));
  area.assistants.forEach((n, seat) => n && found.push(s("g", { "data-about": "place" }, seatSign(seat, view.players[seat].colour, n > 1 ? String(n) : "", 9))));
  return found.map((piece, index) => s("g", { transform: `translate(${18 + index * step} ${planOf(at).pieces})` }, piece));
}

/** What a click tries in the area in use, or in any area while none is in use: elsewhere the reason would be about another place. */
function tries(view, index, words) {
  return view.turn.area === index || view.turn.area < 0 ? words : null;
}

function five(area, index, x, y) {
  const several = Object.keys(area.five.reward).length > 1;
  return s(
    "g",
    { transform: `translate(${x} ${y})`, "data-target": `five:${index}`, "data-tip": `${t("yokohama.five")} ${rewardWords(area.five.reward)}`, class: "five" },
    s("rect", { x: -22, y: -24, width: 46, height: 46, class: "touch" }),
    s("circle", { r: 20, class: "five-disc" }),
    text(0, -8, "5", { class: "five-word" }),
    row(area.five.reward, 0, 6, several ? 0.620 : 0.800),
  );
}

function shop(view, at, there, index, place) {
  const { x, y } = planOf(at).shop(place);
  const whose = owner(at, there.owner);
  return s(
    "g",
    { transform: `translate(${x} ${y})`, "data-target": `shop:${index}:${place}`, "data-tip": `${t("yokohama.shopSpace")} ${rewardWords(there.reward)}${whose ? `\n${whose}` : ""}`, "data-key": `shop ${index} ${place}`, "data-sig": there.owner, class: "site" },
    s("rect", { x: -1, width: 38, height: 46, class: "touch" }),
    s("path", { d: "M1 45V11L7 2H29L35 11V45Z", class: "site-box" }),
    there.owner === null ? stack(there.reward, 18, 26) : builder(view, at, there.owner, 18, 26, "M-13 14V-3L-9 -12H9L13 -3V14Z"),
  );
}

function house(view, at, there, index, width) {
  const { x, y } = planOf(at).house;
  const whose = owner(at, there.owner);
  return s(
    "g",
    { transform: `translate(${width - x} ${y})`, "data-target": `house:${index}`, "data-tip": `${t("yokohama.houseSpace")} ${rewardWords(there.reward)}${whose ? `\n${whose}` : ""}`, "data-key": `house ${index}`, "data-sig": there.owner, class: "site" },
    s("path", { d: "M0 57V18L23 0 46 18V57Z", class: "site-box" }),
    there.owner === null ? stack(there.reward, 23, 36, Object.keys(there.reward).length > 1 ? 0.900 : 1.150) : builder(view, at, there.owner, 23, 36, "M-17 17V-9L0 -24 17 -9V17Z"),
  );
}

/** Whose a building or a space is, in words. @param {{names: string[]}} at @param {any} who */
export function owner(at, who) {
  if (who === null) return "";
  return who === "neutral" ? t("yokohama.neutral") : t("yokohama.builtBy", { name: at.names[who] });
}

function builder(view, at, who, x, y, shape) {
  const paint = who === "neutral" ? "neutral" : view.players[who].colour;
  return s(
    "g",
    { transform: `translate(${x} ${y})` },
    s("path", { d: shape, class: `piece p-${paint}` }),
    who === "neutral" ? text(0, 8, "–", { class: "on-neutral" }) : s("g", { transform: "translate(0 3)" }, seatSign(who, paint, initial(at.names[who]), 8)),
  );
}

