// @ts-check
/** The map of Hansa Teutonica: routes under posts under cities. */
import { h, s, text } from "../draw.js";
import { t } from "../words.js";
import { initial } from "../ui/match/shapes.js";
import { labelsOf } from "./hansa_labels.js";

const MARKS = { extra_office: "+O", swap_offices: "⇄", move_3: "M3", develop_ability: "↑", plus_3_actions: "+3", plus_4_actions: "+4", exchange_marker: "X", office_tribute: "T", route_block: "B" };
const PERMANENT = { move_any_2: "M2", develop_privilege: "P↑", office_in_green_city: "+G", reuse_2_from_route: "R2", place_2_in_wales_scotland: "W2" };

/** What is written on a marker. @param {string} marker */
export function markOf(marker) {
  return MARKS[marker] ?? "?";
}

/** A trader is a square, a merchant a disc; letter and colour say whose. @param {any} view @param {string[]} names @param {any} piece @param {number} [r] */
export function tradesman(view, names, piece, r = 8.5) {
  const neutral = piece.owner === "neutral";
  const colour = neutral ? "neutral" : view.players[piece.owner].colour;
  const shape = piece.piece === "merchant" ? s("circle", { r }) : s("rect", { x: -r * 0.92, y: -r * 0.92, width: r * 1.84, height: r * 1.84, rx: 2 });
  shape.set("class", `piece p-${colour}`);
  return s("g", {}, shape, text(0, r * 0.42, neutral ? "n" : initial(names[piece.owner]), { class: `piece-letter on-${colour}`, "font-size": r * 1.15 }));
}

/** @param {any} view @param {{names: string[]}} at */
export function map(view, at) {
  const { cities, routes, prestige } = view.board;
  const { x, y, width, height } = extent(view.board);
  const svg = s(
    "svg",
    { viewBox: `${x} ${y} ${width} ${height}`, class: `map${height > width ? " tall" : ""}`, role: "group", "aria-label": t("hansa.map", { name: view.board.name }) },
    s("rect", { x, y, width, height, rx: 12, class: "map-paper" }),
    routes.map((route, index) => road(view, at, route, index)),
    routes.map((route, index) => posts(view, at, route, index)),
    spots(view, at, prestige),
    cities.map((city, index) => cityAt(view, at, city, index)),
  );
  return h("div", { class: "scroll-x map-box", tabindex: 0, role: "group", "aria-label": t("hansa.map", { name: view.board.name }) }, svg);
}

/** The part of the canvas that holds something, with a margin for names. */
function extent({ cities, routes, prestige }) {
  const all = [...cities, ...routes.flatMap((route) => route.posts), ...prestige];
  const [xs, ys] = [all.map((each) => each.x), all.map((each) => each.y)];
  const [x, y] = [Math.min(...xs) - 52, Math.min(...ys) - 46];
  return { x, y, width: Math.max(...xs) + 52 - x, height: Math.max(...ys) + 40 - y };
}

function road(view, at, route, index) {
  const [a, b] = [view.board.cities[route.a], view.board.cities[route.b]];
  const along = ordered(a, route.posts);
  const d = `M${a.x} ${a.y}L${along.map((post) => `${post.x} ${post.y}`).join("L")}L${b.x} ${b.y}`;
  const marker = view.markers[index];
  const promos = view.promos.filter((promo) => promo.route === index);
  const owners = view.posts[index].filter(Boolean);
  const tip = [
    t("hansa.route", { a: a.name, b: b.name, n: route.posts.length }),
    owners.length ? t("hansa.occupied", { n: owners.length, of: route.posts.length }) : "",
    marker ? t(`hansa.marker_${marker}`) : "",
    route.permanent ? t("hansa.permanent", { what: t(`hansa.permanent_${route.permanent}`) }) : "",
    route.tavern ? t("hansa.tavern") : "",
    ...promos.map((promo) => `${t(`hansa.marker_${promo.marker}`)} (${at.names[promo.owner] ?? ""})`),
  ].filter(Boolean);
  return s(
    "g",
    { class: `route${route.sea ? " sea" : ""} r-${route.region}`, "data-target": `route:${index}`, "data-try": `claim ${route.code}`, "data-tip": tip.join("\n"), "data-key": `route ${index}`, "data-sig": `${marker} ${promos.length}` },
    s("path", { d, class: "road-touch" }),
    s("path", { d, class: "road" }),
    route.tavern && !marker ? s("circle", { cx: route.marker_x, cy: route.marker_y, r: 9, class: "tavern" }) : null,
    marker ? token(route.marker_x, route.marker_y, markOf(marker), "bonus") : null,
    route.permanent && !marker ? token(route.marker_x, route.marker_y, PERMANENT[route.permanent] ?? "★", "lasting") : null,
    promos.map((promo, number) => token(route.marker_x + 22 * (number + 1), route.marker_y, markOf(promo.marker), "promo")),
  );
}

/** Posts from city a on, by distance: the order of the data is along the route, but may begin at either end. */
function ordered(a, list) {
  if (list.length < 2) return list;
  const far = (post) => (post.x - a.x) ** 2 + (post.y - a.y) ** 2;
  return far(list[0]) <= far(list[list.length - 1]) ? list : [...list].reverse();
}

function token(x, y, words, kind) {
  return s("g", { transform: `translate(${x} ${y})` }, s("path", { d: "M-13 -6L-6 -12H6L13 -6V6L6 12H-6L-13 6Z", class: `marker ${kind}` }), text(0, 4.5, words, { class: "marker-word" }));
}

function posts(view, at, route, index) {
  return route.posts.map((post, place) => {
    const piece = view.posts[index][place];
    const whose = piece ? t("hansa.stands", { who: piece.owner === "neutral" ? t("hansa.neutral") : at.names[piece.owner], piece: t(`hansa.${piece.piece}`) }) : t("hansa.free");
    return s(
      "g",
      {
        transform: `translate(${post.x} ${post.y})`,
        class: "post",
        "data-target": post.target,
        "data-try": `${piece ? "displace" : "place"} ${route.code}:${place + 1}`,
        "data-tip": `${view.board.cities[route.a].name} – ${view.board.cities[route.b].name}, ${t("hansa.post", { n: place + 1 })}${post.ship ? ` (${t("hansa.ship")})` : ""}\n${whose}`,
        "data-sig": piece ? `${piece.owner}${piece.piece}` : "",
      },
      s("rect", { x: -14, y: -14, width: 28, height: 28, class: "touch" }),
      s("rect", { x: -11, y: -11, width: 22, height: 22, rx: post.ship ? 11 : 5, class: `post-box${post.ship ? " ship" : ""}` }),
      post.ship && !piece ? s("path", { d: "M-6 2H6L4 6H-4ZM0 -7V0H-5Z", class: "post-ship" }) : null,
      piece ? tradesman(view, at.names, piece) : null,
    );
  });
}

function spots(view, at, prestige) {
  if (!prestige.length) return null;
  return prestige.map((spot, index) => {
    const owner = view.prestige[index];
    return s(
      "g",
      { transform: `translate(${spot.x} ${spot.y})`, class: "spot", "data-target": spot.target, "data-try": `prestige ${spot.value}`, "data-tip": t("hansa.prestige", { n: spot.value, privilege: t(`colours.${spot.privilege}`) }) + (owner === null ? "" : `\n${at.names[owner]}`), "data-sig": owner },
      s("circle", { r: 14, class: `space-${spot.privilege} spot-disc` }),
      owner === null ? text(0, 4.5, spot.value, { class: `spot-word on-space-${spot.privilege}` }) : tradesman(view, at.names, { owner, piece: "merchant" }, 10),
    );
  });
}

function cityAt(view, at, city, index) {
  const step = view.board.office_step;
  const office = view.offices[index];
  const spaces = Math.max(city.spaces.length, office.row.length, 1);
  const total = spaces + office.extra.length;
  const width = total * step + 8;
  const left = city.x - (spaces * step) / 2 - office.extra.length * step - 4;
  const controller = office.controller;
  const frame = typeof controller === "number" ? `held h-${view.players[controller].colour}` : "";
  const kinds = `${city.green ? " green" : ""}${city.special ? " special" : ""}${city.east_west_end ? " end" : ""}`;
  const cells = [];
  for (let n = 0; n < total; n++) {
    const x = left + 4 + step * (n + 0.5);
    const extra = n < office.extra.length;
    const place = n - office.extra.length;
    const piece = extra ? office.extra[n] : office.row[place];
    cells.push(space(extra ? null : city.spaces[place], x, city.y, extra), piece ? s("g", { transform: `translate(${x} ${city.y})` }, tradesman(view, at.names, piece, 8.5)) : null);
  }
  return s(
    "g",
    { class: `city${kinds}`, "data-target": city.target, "data-try": `office ${city.code}`, "data-tip": cityWords(at, city, office), "data-sig": JSON.stringify([office.extra, office.row]) },
    s("rect", { x: left, y: city.y - 14, width, height: 28, rx: 5, class: `plaque ${frame}` }),
    cells,
    labelsOf(view.board, giftOf)[index].map((label) => [
      label.gift ? s("rect", { x: label.x - label.width / 2, y: label.y - 10, width: label.width, height: 13, rx: 3, class: "gift-paper" }) : null,
      text(label.x, label.y, label.words, { class: label.gift ? "city-gift" : "city-name" }),
    ]),
  );
}

/** What is written beside a city besides its name. */
function giftOf(city) {
  const permit = city.permits?.length ? [t("hansa.permitShort", { where: city.permits.map((id) => t(`hansa.region_${id}`)).join(", ") })] : [];
  return [...city.abilities.map((id) => t(`hansa.ability_${id}`)), ...permit].join(" · ");
}

function space(printed, x, y, extra) {
  const colour = extra ? "extra" : (printed?.colour ?? "green");
  const round = printed?.piece === "merchant";
  return s(
    "g",
    {},
    round ? s("circle", { cx: x, cy: y, r: 9.5, class: `office space-${colour}` }) : s("rect", { x: x - 9.5, y: y - 9.5, width: 19, height: 19, rx: 2, class: `office space-${colour}` }),
    printed?.coin ? text(x, y + 4, `+${printed.coin}`, { class: `coin on-space-${colour}` }) : null,
  );
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
