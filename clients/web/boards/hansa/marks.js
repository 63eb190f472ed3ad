// @ts-check
/** Pictures of Hansa Teutonica: bonus markers, abilities, favours, traders and merchants. */
import { h, picture, s, still, text } from "../../draw.js";
import { t } from "../../words.js";
import { initial } from "../../ui/match/shapes.js";

const HOUSE = "M-8 8V-2L-1 -8 6 -2V8Z";
const MARKS = {
  extra_office: () => [s("path", { d: HOUSE, class: "m-fill" }), s("path", { d: "M5 -8H11M8 -11V-5", class: "m-line bold" })],
  swap_offices: () => [s("rect", { x: -10, y: -3, width: 7, height: 7, class: "m-fill" }), s("rect", { x: 3, y: -3, width: 7, height: 7, class: "m-line" }), s("path", { d: "M-5 -8H5L2 -11M5 8H-5L-2 11", class: "m-line" })],
  move_3: () => [s("path", { d: "M-11 -8H-4V-1H-11ZM-11 1H-4V8H-11ZM-2 -4H5V3H-2Z", class: "m-fill" }), s("path", { d: "M4 7H11L8 4M11 7L8 10", class: "m-line" })],
  develop_ability: () => [s("path", { d: "M-9 9H-3V3H3V-3H9", class: "m-line bold" }), s("path", { d: "M-6 -3L-1 -9 4 -9", class: "m-line" }), s("path", { d: "M2 -11L7 -9 2 -6Z", class: "m-fill" })],
  plus_3_actions: () => [s("path", { d: HAND, class: "m-fill", transform: "translate(-8 0) scale(.85)" }), text(5, 4.500, "+3", { class: "m-word" })],
  plus_4_actions: () => [s("path", { d: HAND, class: "m-fill", transform: "translate(-8 0) scale(.85)" }), text(5, 4.500, "+4", { class: "m-word" })],
  exchange_marker: () => [s("path", { d: "M-4 -5L-1 -8H4L7 -5V0L4 3H-1L-4 0Z", class: "m-fill" }), s("path", { d: "M-10 -2A9 9 0 0 0 2 9L-1 11M2 9L0 5", class: "m-line" })],
  office_tribute: () => [s("path", { d: "M-10 8V-1L-5 -6 0 -1V8Z", class: "m-fill" }), s("circle", { cx: 6, cy: 0, r: 5, class: "m-line" }), s("path", { d: "M6 -2V2M4.500 0H7.500", class: "m-line" })],
  route_block: () => [s("path", { d: "M-10 -6H10V0H-10Z", class: "m-fill" }), s("path", { d: "M-7 0V9M7 0V9", class: "m-line bold" }), s("path", { d: "M-6 0L-2 -6M1 0L5 -6", class: "m-gap" })],
  move_any_2: () => [s("path", { d: "M-11 -7H-3V1H-11ZM-5 3H3V11H-5Z", class: "m-fill" }), s("path", { d: "M3 -3H11L8 -6M11 -3L8 0", class: "m-line" })],
  develop_privilege: () => [s("path", { d: "M-10 6L-10 -4 -5 0 -1 -6 3 0 8 -4 8 6Z", class: "m-fill" }), s("path", { d: "M8 -6V-12M5 -9L8 -12 11 -9", class: "m-line" })],
  office_in_green_city: () => [s("path", { d: HOUSE, class: "m-green" }), s("path", { d: "M5 -8H11M8 -11V-5", class: "m-line bold" })],
  reuse_2_from_route: () => [s("path", { d: "M-8 -4A9 9 0 1 1 -9 3M-8 -4L-12 -6M-8 -4L-6 -8", class: "m-line bold" }), text(0, 5, "2", { class: "m-word" })],
  place_2_in_wales_scotland: () => [s("path", { d: "M-10 0H-3V7H-10ZM3 0H10V7H3Z", class: "m-fill" }), s("path", { d: "M-6.500 -11V-4M-9 -6L-6.500 -3 -4 -6M6.500 -11V-4M4 -6L6.500 -3 9 -6", class: "m-line" })],
};
const HAND = "M-4 9V2L-6 -2 -4 -3 -2 0V-8H0V-1H1V-9H3V-1H4V-7H6V4L4 9Z";

const ABILITIES = {
  keys: "M-5 -1A4 4 0 1 1 -5 1ZM-2 -1H8V5H5V1H3V4H1V1H-2Z",
  actions: HAND,
  privilege: "M-7 6V-3L-3.500 0 0 -6 3.500 0 7 -3V6Z",
  book: "M-8 -5C-5 -7 -2 -6 0 -4 2 -6 5 -7 8 -5V6C5 4 2 5 0 7 -2 5 -5 4 -8 6ZM0 -4V7",
  bank: "M-3 -7H3L1.500 -4C6 -2 8 2 7 5 6 8 -6 8 -7 5 -8 2 -6 -2 -1.500 -4Z",
};
const PERMIT = "M-6 -7H4L7 -4V7H-6ZM-3 -2H4M-3 2H4";

/** A bonus marker: an octagonal plate with its picture, about 32 wide around its middle. @param {string} marker @param {"bonus" | "lasting" | "promo"} [kind] */
export function plate(marker, kind = "bonus") {
  return still(`plate ${marker} ${kind}`, () => s("g", {}, s("path", { d: "M-16 -7L-8 -14H8L16 -7V7L8 14H-8L-16 7Z", class: `marker ${kind}` }), (MARKS[marker] ?? (() => []))()));
}

/** A marker with its name, in a flow of text. @param {string} marker @param {Record<string, any>} [attributes] @param {...any} more */
export function markerChip(marker, attributes = {}, ...more) {
  return h("span", { class: "marker-chip", "data-tip": t(`hansa.marker_${marker}`), ...attributes }, picture(34, 30, {}, s("g", { transform: "translate(17 15)" }, plate(marker))), h("span", {}, t(`hansa.markerName_${marker}`)), ...more);
}

/** The picture of an ability, or of a permit. @param {string} id */
export function abilityIcon(id) {
  return s("path", { d: ABILITIES[id] ?? PERMIT, class: "ability-icon" });
}

/** A trader is a square, a merchant a disc; letter and colour say whose. @param {any} view @param {string[]} names @param {any} piece @param {number} [r] */
export function tradesman(view, names, piece, r = 10) {
  const neutral = piece.owner === "neutral";
  const colour = neutral ? "neutral" : view.players[piece.owner].colour;
  const shape = piece.piece === "merchant" ? s("circle", { r }) : s("rect", { x: -r * 0.92, y: -r * 0.92, width: r * 1.84, height: r * 1.84, rx: 2 });
  shape.set("class", `piece p-${colour}`);
  return s("g", {}, shape, text(0, r * 0.42, neutral ? "–" : initial(names[piece.owner]), { class: `piece-letter on-${colour}`, "font-size": r * 1.15 }));
}

const PIPS = { orange: 1, pink: 2, black: 3 };

/** A printed office: its colour, its shape, and as many pips as its privilege. @param {string} colour @param {boolean} round */
export function officeSpace(colour, round) {
  const count = PIPS[colour] ?? 0;
  const make = () => s(
    "g",
    {},
    round ? s("circle", { r: 10.500, class: `office space-${colour}` }) : s("rect", { x: -10, y: -10, width: 20, height: 20, rx: 2, class: `office space-${colour}` }),
    Array.from({ length: count }, (_, index) => s("circle", { cx: (index - (count - 1) / 2) * 4.500, cy: 6.500, r: 1.500, class: `pip on-space-${colour}` })),
  );
  return still(`office ${colour} ${round}`, make);
}
