// @ts-check
/**
 * Where everything on a map stands. The engine's coordinates follow the printed map; at the size of a window they would lay posts on names
 * and leave targets too small to hit. So the map is stretched to the shape of its frame, and its pieces then push each other apart: a city
 * with its name and its gifts is one box, a post is as large as a finger needs, a marker has room beside its route. Springs hold posts on
 * their road and everything near its place. The result depends on nothing but the board, so it is worked out once.
 */

/** Units of a board that is drawn for a frame wider than high, and for one higher than wide. */
const SHEETS = { wide: { width: 1160, height: 730 }, tall: { width: 860, height: 1130 } };
const NAME = { letter: 9.300, height: 17 };
const GIFT = { slim: 4.700, middle: 6.600, letter: 8.600, broad: 12.500, height: 19, icon: 21, gap: 4 };
export const PLAQUE = 30;
export const POST = 34;
const MARKER = { width: 32, height: 30 };
const SPOT = 36;
export const FLAG = 12;
const ROUNDS = 200;
const QUIET = 70; // the last rounds only push

/**
 * @typedef {{x: number, y: number, w: number, h: number, ax: number, ay: number, weight: number, nest?: boolean}} Node
 * @typedef {{x: number, y: number, nameY: number, giftY: number, width: number, height: number, top: number}} CityPlace
 * @typedef {{width: number, height: number, cities: CityPlace[], posts: {x: number, y: number}[][], markers: ({x: number, y: number} | null)[], prestige: {x: number, y: number}[]}} Layout
 */

/** @type {Map<string, Layout>} */
const known = new Map();

/** @param {any} board @param {boolean} narrow @param {(city: any) => string[]} giftsOf @returns {Layout} */
export function layoutOf(board, narrow, giftsOf) {
  const key = `${board.id} ${narrow}`;
  const found = known.get(key) ?? place(board, board.sheet ?? (narrow ? SHEETS.tall : SHEETS.wide), giftsOf);
  known.set(key, found);
  return found;
}

/** How wide the gifts of a city are, side by side. @param {string[]} gifts */
export function giftWidths(gifts) {
  const letter = (each) => (/[ijl.,:' ]/.test(each) ? GIFT.slim : /[frtI]/.test(each) ? GIFT.middle : /[mwMW]/.test(each) ? GIFT.broad : GIFT.letter);
  return gifts.map((words) => GIFT.icon + [...words].reduce((sum, each) => sum + letter(each), 0) + 7);
}

function place(board, sheet, giftsOf) {
  const fit = stretch(board, sheet);
  const cities = board.cities.map((city) => cityNode(board, city, giftsOf(city), fit));
  const posts = board.routes.map((route) => route.posts.map((post) => node(fit(post), POST, POST, 1)));
  const markers = board.routes.map((route) => (route.accepts_markers || route.permanent || route.tavern ? node(fit({ x: route.marker_x, y: route.marker_y }), MARKER.width, MARKER.height, 0.6) : null));
  const spots = prestigeNode(board, fit);
  const chains = board.routes.map((route, index) => chainOf(board, cities, route, posts[index]));
  relax([...cities, ...posts.flat(), ...markers.filter(Boolean), ...(spots ? [spots] : [])], chains, markers, sheet);
  return {
    ...sheet,
    cities: board.cities.map((city, index) => cityPlace(cities[index], giftsOf(city))),
    posts: posts.map((list) => list.map(({ x, y }) => ({ x, y }))),
    markers: markers.map((marker) => marker && { x: marker.x, y: marker.y }),
    prestige: !spots ? [] : board.prestige.map((_, index) => ({ x: spots.x + (index - (board.prestige.length - 1) / 2) * SPOT, y: spots.y + 5 })),
  };
}

/** From the coordinates of the print to those of the sheet. */
function stretch({ cities, routes, prestige }, sheet) {
  const all = [...cities, ...routes.flatMap((route) => route.posts), ...prestige];
  const [xs, ys] = [all.map((each) => each.x), all.map((each) => each.y)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const [wide, high] = [(sheet.width - 130) / (Math.max(...xs) - left), (sheet.height - 84) / (Math.max(...ys) - top)];
  return ({ x, y }) => ({ x: 65 + (x - left) * wide, y: 42 + (y - top) * high });
}

/** @returns {Node} */
function node({ x, y }, w, h, weight) {
  return { x, y, w, h, ax: x, ay: y, weight };
}

/** The middle of the box is not the middle of the plaque: the name stands above it, gifts below. */
function cityNode(board, city, gifts, fit) {
  const widths = giftWidths(gifts);
  const plaque = (Math.max(city.spaces.length, 1) + 1) * board.office_step + 10 + 2 * FLAG; // one additional office, a flag on its right
  const w = Math.max(plaque, city.name.length * NAME.letter, widths.reduce((sum, width) => sum + width + GIFT.gap, 0));
  const h = NAME.height + PLAQUE + (gifts.length ? GIFT.height + 1 : 0);
  const { x, y } = fit(city);
  return node({ x, y: y + (h / 2 - NAME.height - PLAQUE / 2) }, w + 4, h + 4, 5);
}

/** @param {Node} box @param {string[]} gifts @returns {CityPlace} */
function cityPlace(box, gifts) {
  const top = box.y - (box.h - 4) / 2;
  return { x: box.x, y: top + NAME.height + PLAQUE / 2, nameY: top + NAME.height - 4, giftY: top + NAME.height + PLAQUE + 1 + (gifts.length ? GIFT.height / 2 : 0), width: box.w - 4, height: box.h - 4, top };
}

function prestigeNode(board, fit) {
  if (!board.prestige.length) return null;
  const middle = board.prestige.map(fit).reduce((sum, { x, y }) => ({ x: sum.x + x / board.prestige.length, y: sum.y + y / board.prestige.length }), { x: 0, y: 0 });
  return node(middle, board.prestige.length * SPOT + 12, SPOT + 18, 5);
}

/** The nodes of a route from city to city. */
function chainOf(board, cities, route, list) {
  const [a, b] = [cities[route.a], cities[route.b]];
  const far = (post) => (post.ax - a.ax) ** 2 + (post.ay - a.ay) ** 2;
  const along = list.length > 1 && far(list[0]) > far(list[list.length - 1]) ? [...list].reverse() : list;
  return [a, ...along, b];
}

function relax(nodes, chains, markers, sheet) {
  const sides = chains.map((chain, index) => markers[index] && side(chain, markers[index]));
  for (let round = 0; round < ROUNDS; round++) {
    const pull = round < ROUNDS - QUIET ? 1 - round / ROUNDS : 0;
    if (pull) {
      for (const each of nodes) nudge(each, each.ax, each.ay, each.weight > 1 ? 0.04 : 0.015);
      chains.forEach((chain, index) => {
        for (let n = 1; n < chain.length - 1; n++) nudge(chain[n], (chain[n - 1].x + chain[n + 1].x) / 2, (chain[n - 1].y + chain[n + 1].y) / 2, 0.3 * pull);
        if (markers[index]) beside(chain, markers[index], sides[index], 0.25 * pull);
      });
    }
    const moved = push(nodes);
    if (!pull && !moved) return;
    for (const each of nodes) {
      each.x = Math.min(Math.max(each.x, each.w / 2 + 4), sheet.width - each.w / 2 - 4);
      each.y = Math.min(Math.max(each.y, each.h / 2 + 4), sheet.height - each.h / 2 - 4);
    }
  }
}

function nudge(each, x, y, part) {
  each.x += (x - each.x) * part;
  each.y += (y - each.y) * part;
}

/** On which side of its route the print has the marker. */
function side(chain, marker) {
  const [a, b] = [chain[1], chain[chain.length - 2]];
  const turn = (b.ax - a.ax) * (marker.ay - a.ay) - (b.ay - a.ay) * (marker.ax - a.ax);
  return turn < 0 ? -1 : 1;
}

/** Keep a marker near the middle of its route. */
function beside(chain, marker, way, part) {
  const [a, b] = [chain[Math.floor((chain.length - 1) / 2)], chain[Math.ceil((chain.length - 1) / 2)]];
  const [from, to] = a === b ? [chain[0], chain[chain.length - 1]] : [a, b];
  const long = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [nx, ny] = [(-(to.y - from.y) / long) * way, ((to.x - from.x) / long) * way];
  const room = POST / 2 + (Math.abs(nx) * MARKER.width + Math.abs(ny) * MARKER.height) / 2 + 1;
  nudge(marker, (a.x + b.x) / 2 + nx * room, (a.y + b.y) / 2 + ny * room, part);
}

/** Push apart what overlaps, along the shorter way out; heavy things move less. @param {Node[]} nodes @returns {boolean} whether something did */
function push(nodes) {
  let moved = false;
  nodes.sort((a, b) => a.x - b.x || a.y - b.y);
  const widest = Math.max(...nodes.map((each) => each.w));
  for (let i = 0; i < nodes.length; i++) {
    const a = nodes[i];
    for (let j = i + 1; j < nodes.length; j++) {
      const b = nodes[j];
      if (b.x - a.x > (a.w + widest) / 2) break;
      const dx = (a.w + b.w) / 2 - Math.abs(a.x - b.x);
      const dy = (a.h + b.h) / 2 - Math.abs(a.y - b.y);
      if (dx <= 0.010 || dy <= 0.010) continue;
      moved = true;
      const share = b.weight / (a.weight + b.weight);
      if (dx < dy) {
        const way = a.x < b.x ? -1 : 1;
        a.x += way * dx * share;
        b.x -= way * dx * (1 - share);
      } else {
        const way = a.y < b.y ? -1 : 1;
        a.y += way * dy * share;
        b.y -= way * dy * (1 - share);
      }
    }
  }
  return moved;
}
