// @ts-check
/** Where the names of the cities stand: beside their city, clear of posts, offices, markers and each other. */

const NAME = { letter: 7.9, height: 14 };
const GIFT = { letter: 6.7, height: 12 };

/** @typedef {{x: number, y: number, width: number, height: number}} Box @typedef {{x: number, y: number, width: number, words: string, gift: boolean}} Label */

/** A board never changes, so its names are placed once. @type {Map<string, Label[][]>} */
const placed = new Map();

/** The labels of every city. @param {any} board @param {(city: any) => string} giftOf @returns {Label[][]} */
export function labelsOf(board, giftOf) {
  const key = `${board.name} ${board.cities.length} ${board.routes.length}`;
  const known = placed.get(key) ?? place(board, giftOf);
  placed.set(key, known);
  return known;
}

function place(board, giftOf) {
  /** @type {Box[]} */
  const taken = [
    ...board.cities.map((city) => plaque(board, city)),
    ...board.routes.flatMap((route) => [...route.posts.map((post) => around(post.x, post.y, 12)), around(route.marker_x, route.marker_y, 13)]),
    ...board.prestige.map((spot) => around(spot.x, spot.y, 15)),
  ];
  const put = (city, words, size, gift) => {
    const width = words.length * size.letter + 4;
    const best = clearest(candidates(plaque(board, city), city, width, size.height, gift), taken);
    taken.push(best);
    return { x: best.x + width / 2, y: best.y + size.height - 2.5, width, words, gift };
  };
  const names = board.cities.map((city) => put(city, city.name, NAME, false));
  return board.cities.map((city, index) => [names[index], ...(giftOf(city) ? [put(city, giftOf(city), GIFT, true)] : [])]);
}

function plaque(board, city) {
  const width = Math.max(city.spaces.length, 1) * board.office_step + 8;
  return { x: city.x - width / 2, y: city.y - 14, width, height: 28 };
}

function around(x, y, r) {
  return { x: x - r, y: y - r, width: 2 * r, height: 2 * r };
}

/** Above first (a gift: below), then the other side, then to the left and right; each also a little aside. */
function candidates(box, city, width, height, gift) {
  const rows = [box.y - height - 3, box.y + box.height + 3];
  if (gift) rows.reverse();
  const aside = [0, -0.2, 0.2, -0.4, 0.4].map((part) => city.x - width / 2 + part * width);
  const beside = [box.x + box.width + 4, box.x - width - 4].map((x) => ({ x, y: city.y - height / 2, width, height }));
  return [...rows.flatMap((y) => aside.map((x) => ({ x, y, width, height }))), ...beside];
}

function clearest(boxes, taken) {
  let [best, least] = [boxes[0], Infinity];
  boxes.forEach((box, order) => {
    const cost = order * 6 + taken.reduce((sum, other) => sum + shared(box, other), 0);
    if (cost < least) [best, least] = [box, cost];
  });
  return best;
}

/** The area that two boxes share. @param {Box} a @param {Box} b */
function shared(a, b) {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return width > 0 && height > 0 ? width * height : 0;
}
