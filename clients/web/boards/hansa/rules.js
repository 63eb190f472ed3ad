// @ts-check
/** What the rules show of Hansa Teutonica, and where they speak about each element of its board. */
import { h, picture, s, text } from "../../draw.js";
import { t } from "../../words.js";
import { crop, eyes, figure, NAMES, still } from "../still.js";
import { desk } from "./desk.js";
import { map } from "./map.js";
import { officeSpace, plate, tradesman } from "./marks.js";

/** Element → paragraph: the kind of an element, or its whole name with a star for each number. */
export const ABOUT = {
  post: "posts",
  route: "claim",
  city: "office",
  office: "office",
  prestige: "prestige",
  supply: "ready",
  stock: "hire",
  held: "permanent",
  ability: "abilities",
  marker: "markers",
  used: "markers",
  waiting: "laying",
  favour: "favours",
  points: "counting",
  "deck:markers": "laying",
  "desk:*:supply": "ready",
  "desk:*:stock": "hire",
  "desk:*:hand": "displaced",
  "desk:*:markers": "markers",
};

const WHITE = { colour: "white", piece: "trader", coin: 0 };
const SHEET = { width: 640, height: 230 };
const CITIES = [
  { name: "Hamburg", x: 0, y: 60, spaces: [WHITE, { colour: "orange", piece: "trader", coin: 0 }, { colour: "black", piece: "merchant", coin: 0 }] },
  { name: "Lübeck", x: 100, y: 0, spaces: [{ ...WHITE, coin: 1 }, { colour: "pink", piece: "trader", coin: 0 }] },
  { name: "Stade", x: 100, y: 100, spaces: [{ ...WHITE, piece: "merchant" }], abilities: ["privilege"] },
];
const ROUTES = [{ a: 0, b: 1, posts: [[28, 40], [50, 26], [72, 14]] }, { a: 0, b: 2, posts: [[32, 76], [52, 84], [70, 92]], ship: 1 }];

/** A corner of a map, with what stands there. @param {{posts?: any[][], offices?: any[][], markers?: (string | null)[], controllers?: (number | null)[]}} there */
function corner({ posts = [[], []], offices = [[], [], []], markers = [null, null], controllers = [null, null, null] }) {
  const board = {
    id: "rules", name: "", office_step: 22, limit: 10, east_west: [], east_west_points: [7, 4, 2], sheet: SHEET, prestige: [],
    cities: CITIES.map((city, index) => ({ target: `city:${index}`, code: "", abilities: [], permits: [], green: false, special: false, east_west_end: false, ...city })),
    routes: ROUTES.map((route, index) => ({ ...route, code: "", region: "league", sea: false, tavern: false, permanent: null, accepts_markers: true, marker_x: 50, marker_y: index ? 110 : 4, posts: route.posts.map(([x, y], place) => ({ target: `post:${index}:${place}`, ship: route.ship === place, x, y })) })),
  };
  return {
    board, markers, promos: [], prestige: [], display: [], silver: {}, supply: 12, completed: 0, east_west_awarded: 0,
    posts: ROUTES.map((route, index) => route.posts.map((_, place) => posts[index]?.[place] ?? null)),
    offices: CITIES.map((_, index) => ({ extra: [], row: offices[index] ?? [], controller: controllers[index] ?? null })),
    players: ["red", "blue", "green"].map((colour) => ({ colour })),
  };
}

const trader = (owner) => ({ owner, piece: "trader" });
const merchant = (owner) => ({ owner, piece: "merchant" });

/** @param {any} there @param {string[]} [lit] @param {Record<string, any[]>} [figures] */
function shown(there, lit = [], figures = {}) {
  return crop(still(map(corner(there), eyes(figures)), lit), 0, 0, SHEET.width, SHEET.height);
}

/** A desk after some improvements. */
function mat() {
  const ability = (id, level, values) => ({ id, level, steps: values.length - 1, value: values[level], values });
  const player = {
    colour: "red", personal: { traders: 4, merchants: 1 }, general: { traders: 5, merchants: 0 }, markers: 1, plate: 0, has_mission: false, mission: null,
    abilities: [ability("keys", 1, [1, 2, 2, 3, 4]), ability("actions", 2, [2, 3, 3, 4, 4, 5]), ability("privilege", 1, ["white", "orange", "pink", "black"]), ability("book", 0, [2, 3, 4, 5]), ability("bank", 1, [3, 5, 7, 99])],
    unused: ["plus_3_actions"], used: [], waiting: [], favours: [],
  };
  return still(desk({ seat: 0, task: null, players: [player] }, 0, eyes()));
}

/** Things side by side, each with its name. @param {[any, string][]} things */
function row(things) {
  return h("div", { class: "rule-row" }, things.map(([drawn, words]) => h("span", {}, picture(52, 44, {}, s("g", { transform: "translate(26 22) scale(1.3)" }, drawn)), words)));
}

export const PICTURES = {
  map: () => shown({ posts: [[trader(0), null, null], [null, merchant(1), null]], offices: [[trader(1)], [], []], controllers: [1, null, null], markers: [null, "plus_3_actions"] }),
  pieces: () => row([[tradesman({ players: [{ colour: "red" }] }, NAMES, trader(0), 12), t("hansa.trader")], [tradesman({ players: [{ colour: "red" }] }, NAMES, merchant(0), 12), t("hansa.merchant")]]),
  place: () => shown({ posts: [[trader(0), null, null], [null, null, null]] }, ["post:0:1", "post:0:2", "post:1:0", "post:1:2"]),
  displace: () => shown({ posts: [[trader(0), trader(1), null], []] }, ["post:0:1"], { "post:0:1": [figure("toll", 1)] }),
  claim: () => shown({ posts: [[trader(0), merchant(0), trader(0)], []], offices: [[trader(1)], []], controllers: [1, null, null], markers: ["develop_ability", null] }, ["route:0"], { "city:0": [figure("points", 1, 1)], "city:1": [figure("points", 1)] }),
  office: () => shown({ offices: [[trader(1), trader(0)], [trader(0)], []], controllers: [0, 0, null] }),
  offices: () => row(["white", "orange", "pink", "black"].map((colour) => [officeSpace(colour, colour === "black"), t(`colours.${colour}`)])),
  desk: mat,
  markers: () => row(["extra_office", "swap_offices", "move_3", "develop_ability", "plus_3_actions", "plus_4_actions"].map((marker) => [plate(marker), t(`hansa.markerName_${marker}`)])),
  lasting: () => row(["move_any_2", "develop_privilege", "office_in_green_city", "reuse_2_from_route", "place_2_in_wales_scotland"].map((marker) => [plate(marker, "lasting"), t(`hansa.markerName_${marker}`)])),
  network: () => {
    const drawn = shown({ offices: [[trader(1), trader(0)], [trader(0)], [merchant(0)]], controllers: [0, 0, 0] });
    drawn.children.push(s("g", { class: "rule-sum" }, text(320, 110, "3 × 2 = 6", { class: "rule-number" })));
    return drawn;
  },
};
