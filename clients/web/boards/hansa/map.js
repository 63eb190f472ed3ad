// @ts-check
/** The map of Hansa Teutonica: routes under markers under cities and posts, and a strip with what everybody shares besides. */
import { again, s, stamp, still, text } from "../../draw.js";
import { t } from "../../words.js";
import { figureLayer } from "../figures.js";
import { coast } from "./coast.js";
import { FLAG, giftWidths, layoutOf, PLAQUE, POST } from "./layout.js";
import { abilityIcon, officeSpace, plate, tradesman } from "./marks.js";
import { strip, stripHeight } from "./strip.js";

/** @typedef {import("./board.js").At} At @typedef {import("./layout.js").Layout} Layout */

/** @param {any} view @param {At} at */
export function map(view, at) {
  const layout = layoutOf(view.board, Boolean(at.narrow), giftsOf);
  const { width } = layout;
  const height = layout.height + stripHeight(view);
  const { cities, routes } = view.board;
  const table = stamp([view.board.id, width, at.names, at.seat, view.players.map((player) => player.colour)]); // what all parts have in common
  return s(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, class: "board-art map", role: "group", "aria-label": t("hansa.map", { name: view.board.name }) },
    s("rect", { x: 0, y: 0, width, height: height, rx: 12, class: "map-paper" }),
    still(`coast ${view.board.id} ${width}`, () => s("g", {}, coast(view.board, layout))),
    routes.map((route, index) => again(`route ${table} ${index} ${JSON.stringify([view.markers[index], view.posts[index], promosOn(view, index)])}`, () => road(view, at, layout, route, index))),
    spots(view, at, layout),
    cities.map((city, index) => again(`city ${table} ${index} ${JSON.stringify(view.offices[index])}`, () => cityAt(view, at, layout, city, index))),
    routes.map((route, index) => route.posts.map((_, place) => again(`post ${table} ${index} ${place} ${JSON.stringify(view.posts[index][place])}`, () => postAt(view, at, layout, index, place)))),
    still(`names ${JSON.stringify([view.board.id, width, view.markers, view.promos])}`, () => s("g", {}, markerNames(view, layout))),
    strip(view, at, layout),
    figureLayer({ ...at, figures: told(at) }, (seat) => view.players[seat].colour, figureSpots(view, layout), 0.850),
  );
}

/** Posts stand close together: what others get there, and how many may move along, is told in words alone. @param {At} at */
function told(at) {
  const keep = (element, list) => (element.startsWith("post:") ? list.filter(({ id, seat }) => seat === at.seat && id !== "moves") : list);
  return Object.fromEntries(Object.entries(at.figures ?? {}).map(([element, list]) => [element, keep(element, list)]));
}

/** Where badges stand: at the upper edge of what they are about. */
function figureSpots(view, layout) {
  /** @type {Map<string, [number, number]>} */
  const found = new Map();
  view.board.cities.forEach((city, index) => found.set(city.target, [layout.cities[index].x, layout.cities[index].y]));
  view.board.routes.forEach((route, index) => {
    const middle = layout.posts[index];
    const [a, b] = [middle[Math.floor((middle.length - 1) / 2)], middle[Math.floor(middle.length / 2)]];
    found.set(`route:${index}`, [(a.x + b.x) / 2, (a.y + b.y) / 2 - (a === b ? 20 : 0)]);
    route.posts.forEach((post, place) => found.set(post.target, [middle[place].x + 4, middle[place].y + 15]));
  });
  layout.prestige.forEach(({ x, y }, index) => found.set(`prestige:${index}`, [x, y - 18]));
  return found;
}

/** From city to city over all posts. */
function pathOf(board, layout, route, index) {
  const [a, b] = [layout.cities[route.a], layout.cities[route.b]];
  const far = (post) => (post.x - a.x) ** 2 + (post.y - a.y) ** 2;
  const list = layout.posts[index];
  const along = list.length > 1 && far(list[0]) > far(list[list.length - 1]) ? [...list].reverse() : list;
  return `M${[a, ...along, b].map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}`;
}

function routeWords(view, at, route, index) {
  const [a, b] = [view.board.cities[route.a], view.board.cities[route.b]];
  const marker = view.markers[index];
  const owners = view.posts[index].filter(Boolean);
  return [
    t("hansa.route", { a: a.name, b: b.name, n: route.posts.length }),
    owners.length ? t("hansa.occupied", { n: owners.length, of: route.posts.length }) : "",
    marker ? t(`hansa.marker_${marker}`) : "",
    route.permanent ? t("hansa.permanent", { what: t(`hansa.permanent_${route.permanent}`) }) : "",
    route.tavern ? t("hansa.tavern") : "",
    ...promosOn(view, index).map((promo) => `${t(`hansa.marker_${promo.marker}`)} (${at.names[promo.owner] ?? ""})`),
  ].filter(Boolean).join("\n");
}

function promosOn(view, index) {
  return view.promos.filter((promo) => promo.route === index);
}

function road(view, at, layout, route, index) {
  const d = pathOf(view.board, layout, route, index);
  const place = layout.markers[index];
  const marker = view.markers[index];
  const promos = promosOn(view, index);
  const full = view.posts[index].every(Boolean) ? " full" : "";
  return s(
    "g",
    { class: `route${route.sea ? " sea" : ""}${full} r-${route.region}`, "data-target": `route:${index}`, "data-try": `claim ${route.code}`, "data-tip": routeWords(view, at, route, index), "data-key": `route ${index}`, "data-sig": `${marker} ${promos.length}` },
    still(`road ${d}`, () => s("g", {}, s("path", { d, class: "road-touch" }), s("path", { d, class: "road-edge" }), s("path", { d, class: "road" }))),
    place && s("g", { transform: `translate(${place.x.toFixed(1)} ${place.y.toFixed(1)})`, "data-about": marker ? "markers" : route.permanent ? "permanent" : promos.length ? "promo" : null }, onRoute(route, marker, promos)),
  );
}

/** What lies beside a route: a bonus marker, a permanent one, markers laid by players. */
function onRoute(route, marker, promos) {
  return [
    s("rect", { x: -17, y: -16, width: 34, height: 32, class: "touch" }),
    marker ? plate(marker) : route.permanent ? plate(route.permanent, "lasting") : null,
    promos.map((promo, number) => s("g", { transform: `translate(${marker || route.permanent ? 22 * (number + 1) : 22 * number} 4) scale(.8)` }, plate(promo.marker, "promo"))),
  ];
}

/** The name of each marker on the map, beside its plate where nothing else stands. */
function markerNames(view, layout) {
  const taken = obstacles(view, layout);
  return view.board.routes.map((route, index) => {
    const marker = view.markers[index];
    const place = layout.markers[index];
    if (!place || (!marker && !route.permanent)) return null;
    const words = t(`hansa.markerName_${marker ?? route.permanent}`);
    const found = [[words], words.split(" ")].map((lines) => ({ lines, box: freeBox(place, Math.max(...lines.map((line) => line.length)) * 6.700 + 8, 3 + lines.length * 13, taken, layout) })).find(({ box }) => box);
    if (!found?.box) return null;
    const { box, lines } = found;
    taken.push(box);
    return s("g", { class: "marker-name", "data-about": marker ? "markers" : "permanent" }, s("rect", { x: box.x, y: box.y, width: box.w, height: box.h, rx: 4, class: `name-paper ${marker ? "bonus" : "lasting"}` }), lines.map((line, row) => text(box.x + box.w / 2, box.y + 11.500 + row * 12.500, line, { class: "marker-word" })));
  });
}

/** What a name must not lie on; a place for a marker that has none is free. */
function obstacles(view, layout) {
  const around = ({ x, y }, w, h) => ({ x: x - w / 2, y: y - h / 2, w, h });
  return [
    ...layout.cities.map((city) => ({ x: city.x - city.width / 2, y: city.top, w: city.width, h: city.height })),
    ...layout.posts.flat().map((post) => around(post, 27, 27)),
    ...layout.markers.filter((place, index) => place && (view.markers[index] || view.board.routes[index].permanent || promosOn(view, index).length)).map((marker) => around(marker, 30, 26)),
    ...layout.prestige.map((spot) => around(spot, 34, 34)),
  ];
}

/** A free place for a name near a marker, none if there is none. */
function freeBox({ x, y }, w, h, taken, layout) {
  const tries = [];
  for (const gap of [0, 6, 12]) {
    for (const shift of [0, -0.25, 0.25, -0.5, 0.5]) tries.push({ x: x - w / 2 + shift * w, y: y + 15 + gap }, { x: x - w / 2 + shift * w, y: y - 15 - h - gap });
    for (const drop of [0, -8, 8, -14, 14]) tries.push({ x: x + 18 + gap, y: y - h / 2 + drop }, { x: x - 18 - w - gap, y: y - h / 2 + drop });
  }
  const inside = tries.map((box) => ({ x: Math.min(Math.max(box.x, 2), layout.width - w - 2), y: box.y, w, h }));
  const apart = (a, b) => a.x + w <= b.x || b.x + b.w <= a.x || a.y + h <= b.y || b.y + b.h <= a.y;
  return inside.find((box) => box.y > 2 && box.y + h < layout.height && taken.every((other) => apart(box, other))) ?? null;
}

function postAt(view, at, layout, index, place) {
  const route = view.board.routes[index];
  const post = route.posts[place];
  const { x, y } = layout.posts[index][place];
  const piece = view.posts[index][place];
  const whose = piece ? t("hansa.stands", { who: piece.owner === "neutral" ? t("hansa.neutral") : at.names[piece.owner], piece: t(`hansa.${piece.piece}`) }) : t("hansa.free");
  return s(
    "g",
    {
      transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`,
      class: "post",
      "data-about": piece && piece.owner !== at.seat ? "displace" : null,
      "data-target": post.target,
      "data-try": `${piece ? "displace" : "place"} ${route.code}:${place + 1}`,
      "data-tip": `${view.board.cities[route.a].name} – ${view.board.cities[route.b].name}, ${t("hansa.post", { n: place + 1 })}${post.ship ? ` (${t("hansa.ship")})` : ""}\n${whose}`,
      "data-sig": piece ? `${piece.owner}${piece.piece}` : "",
    },
    s("rect", { x: -POST / 2, y: -POST / 2, width: POST, height: POST, class: "touch" }),
    s("rect", { x: -13, y: -13, width: 26, height: 26, rx: post.ship ? 13 : 5, class: `post-box${post.ship ? " ship" : ""}` }),
    post.ship && !piece ? s("path", { d: "M-8 3H8L5 8H-5ZM1 -9V1H8ZM-1 -7V1H-6Z", class: "post-ship" }) : null,
    piece ? tradesman(view, at.names, piece) : null,
  );
}

/** Places of special prestige, beside the city that leads to them. */
function spots(view, at, layout) {
  if (!layout.prestige.length) return null;
  const [first, last] = [layout.prestige[0], layout.prestige[layout.prestige.length - 1]];
  return s(
    "g",
    { class: "prestige" },
    s("rect", { x: first.x - 22, y: first.y - 32, width: last.x - first.x + 44, height: 54, rx: 8, class: "prestige-paper" }),
    text((first.x + last.x) / 2, first.y - 20, t("hansa.prestigeName"), { class: "prestige-word" }),
    view.board.prestige.map((spot, index) => {
      const owner = view.prestige[index];
      const { x, y } = layout.prestige[index];
      return s(
        "g",
        { transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`, class: "spot", "data-target": spot.target, "data-try": `prestige ${spot.value}`, "data-tip": t("hansa.prestige", { n: spot.value, privilege: t(`colours.${spot.privilege}`) }) + (owner === null ? "" : `\n${at.names[owner]}`), "data-sig": owner },
        s("rect", { x: -18, y: -18, width: 36, height: 36, class: "touch" }),
        s("circle", { r: 15, class: `space-${spot.privilege} spot-disc` }),
        owner === null ? text(0, 5, spot.value, { class: `spot-word on-space-${spot.privilege}` }) : tradesman(view, at.names, { owner, piece: "merchant" }, 11),
      );
    }),
  );
}

function cityAt(view, at, layout, city, index) {
  const place = layout.cities[index];
  const office = view.offices[index];
  const total = Math.max(city.spaces.length, office.row.length, 1) + office.extra.length;
  const step = Math.min(view.board.office_step, (place.width - 2 * FLAG - 8) / total); // many additional offices stand closer
  const width = total * step + 8;
  const left = place.x - width / 2;
  const held = typeof office.controller === "number" ? ` held h-${view.players[office.controller].colour}` : "";
  const kinds = `${city.green ? " green" : ""}${city.special ? " special" : ""}${city.east_west_end ? " end" : ""}`;
  const wide = Math.max(width, place.width);
  return s(
    "g",
    { class: `city${kinds}`, "data-target": city.target, "data-try": `office ${city.code}`, "data-tip": cityWords(at, city, office), "data-sig": JSON.stringify([office.extra, office.row]) },
    s("rect", { x: place.x - wide / 2, y: place.top, width: wide, height: place.height, class: "touch" }),
    text(place.x, place.nameY, city.name, { class: "city-name" }),
    s("rect", { x: left, y: place.y - PLAQUE / 2, width, height: PLAQUE, rx: 5, class: `plaque${held}` }),
    offices(view, at, city, office, { left: left + 4, y: place.y, total, step }),
    held ? flag(view, at, office.controller, left + width + 1, place.y) : null,
    gifts(city, place),
  );
}

function offices(view, at, city, office, { left, y, total, step }) {
  const size = step / view.board.office_step;
  return Array.from({ length: total }, (_, n) => {
    const x = left + step * (n + 0.5);
    const extra = n < office.extra.length;
    const printed = extra ? null : city.spaces[n - office.extra.length];
    const piece = extra ? office.extra[n] : office.row[n - office.extra.length];
    return s(
      "g",
      { transform: `translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${size.toFixed(3)})` },
      officeSpace(extra ? "extra" : (printed?.colour ?? "green"), printed?.piece === "merchant"),
      piece ? tradesman(view, at.names, piece, 9.500) : null,
      printed?.coin && !piece ? text(0, 3, `+${printed.coin}`, { class: `coin on-space-${printed.colour}` }) : null,
    );
  });
}

/** Whoever controls a city has a flag on its plaque. */
function flag(view, at, seat, x, y) {
  const colour = view.players[seat].colour;
  return s("g", { transform: `translate(${x} ${y})`, class: "flag", "data-about": "control" }, s("path", { d: "M0 -12H13L10 -5 13 2H0Z", class: `piece p-${colour}` }), s("path", { d: "M0 13V-13", class: "flag-pole" }), text(5.500, -1.500, at.names[seat].trim()[0]?.toLocaleUpperCase() ?? "", { class: `flag-letter on-${colour}` }));
}

/** What a claim may bring besides an office, as pictures with names. */
function gifts(city, place) {
  const words = giftsOf(city);
  const widths = giftWidths(words);
  let x = place.x - widths.reduce((sum, width) => sum + width + 4, -4) / 2;
  return words.map((word, index) => {
    const left = x;
    x += widths[index] + 4;
    return s(
      "g",
      { class: "gift", "data-about": city.abilities[index] ? "abilities" : "regions" },
      s("rect", { x: left, y: place.giftY - 9, width: widths[index], height: 18, rx: 9, class: "gift-paper" }),
      s("g", { transform: `translate(${left + 12} ${place.giftY}) scale(.9)` }, abilityIcon(city.abilities[index] ?? "permit")),
      text(left + 21, place.giftY + 4, word, { class: "city-gift" }),
    );
  });
}

/** The names of what is beside a city: abilities, then permits. @param {any} city @returns {string[]} */
function giftsOf(city) {
  const permits = city.permits?.length ? [t("hansa.permitShort", { where: city.permits.map((id) => t(`hansa.region_${id}`)).join(", ") })] : [];
  return [...city.abilities.map((id) => t(`hansa.ability_${id}`)), ...permits];
}

function cityWords(at, city, office) {
  const lines = [city.name];
  lines.push(city.spaces.length ? t("hansa.spaces", { list: city.spaces.map((each) => `${t(`colours.${each.colour}`)} ${t(`hansa.${each.piece}`)}${each.coin ? ` (+${each.coin})` : ""}`).join(", ") }) : t("hansa.greenCity"));
  if (city.abilities.length) lines.push(t("hansa.develops", { list: city.abilities.map((id) => t(`hansa.ability_${id}`)).join(", ") }));
  if (city.special) lines.push(t("hansa.special"));
  if (city.east_west_end) lines.push(t("hansa.eastWestEnd"));
  const held = [...office.extra, ...office.row].filter(Boolean).map((piece) => (piece.owner === "neutral" ? t("hansa.neutral") : at.names[piece.owner]));
  if (held.length) lines.push(t("hansa.offices", { list: held.join(", ") }));
  if (typeof office.controller === "number") lines.push(t("hansa.controlled", { name: at.names[office.controller] }));
  return lines.join("\n");
}
