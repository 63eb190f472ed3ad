// @ts-check
/** Hansa Teutonica in our own words. */

/** @type {(string | string[])[][]} */
export const HELP = [
  ["What it is about", "You are a merchant of the Hanseatic League. Fill trade routes with your people, claim the routes, open offices in the cities at their ends and improve your five abilities. Offices earn points whenever anybody claims a route that ends in a city you control; at the end your largest network counts most."],
  ["Pieces", "A trader is a square, a merchant a disc. Your ready pieces can be placed; the others must be hired first. Round office spaces and ship posts need a merchant."],
  [
    "Your turn",
    "You have as many actions as your desk says, two at first. In any order and as often as you like:",
    [
      "Hire: pieces come from your stock to your ready pieces, three at first (bank).",
      "Place one ready piece on a free post.",
      "Displace somebody: put your piece in place of another's. It costs one more piece for a trader, two for a merchant; they go back to your stock. The owner puts the displaced piece on a nearby route, with one (for a merchant two) further pieces from the stock: being displaced is not all bad.",
      "Move some of your pieces to other free posts, two at first (book).",
      "Claim a route whose posts are all yours.",
    ],
  ],
  [
    "Claiming a route",
    "First each controller of the two cities gets a point, and you take the bonus marker if there is one. Then all your pieces leave the route and you choose one of:",
    [
      "an office: one of these pieces goes to the leftmost free space of one of the two cities. The colour of the space must be open to you (privilege) and the shape must fit. A number on the space is points at once.",
      "a step of an ability that one of the cities offers",
      "a merchant on a prestige space, where the city allows it",
      "nothing at all",
    ],
    "The other pieces go back to your stock.",
  ],
  ["Control", "Most offices control a city; among equals the one farthest to the right. Whoever first links the two marked cities by a chain of own offices gets seven points, the next four, then two."],
  ["Bonus markers", "Use them at any time between your actions: an additional office, an exchange of two neighbouring offices, three moves of other people's pieces, a step of an ability, or more actions. Each counts at the end, used or not. At the end of your turn you lay a new marker for each that you took."],
  ["The end", "The match stops after the action in which somebody reaches 20 points, a marker should be drawn and none is left, or enough cities are full (ten; eight on Britannia). Then count: points so far, four for each ability at its end (not the keys), bonus markers, prestige spaces, two for each city you control, and the offices of your largest network times your keys. Most points win."],
];
