// @ts-check
/** The Wandering Fair of Joban in our own words. */

/** @type {(string | string[])[][]} */
export const HELP = [
  ["What it is about", "You build a fair, shop by shop, on a growing field. A card gives points for shops around the new one, or lets you set a dragon and use a bonus. Dragons earn points when others score their shops. At the end everybody scores one line of the field with a secret task."],
  ["Your turn: two actions", ["Take the top card of one of three piles (four cards in hand at most).", "Build: play a card and put a shop of its colour on a free cell that touches a shop, by side or corner."], "Both actions may be the same."],
  [
    "Building for points",
    "The upper half of the card names a colour and where to look: all eight neighbours, one straight ray or one diagonal ray, whose direction you choose. A ray counts shops of that colour until the first gap or other colour. Each counts one point, and one more if another player's dragon sits on it.",
    "Each such dragon also earns its owner a point, and its owner may move it to a neighbouring shop without a dragon.",
  ],
  ["Building for the bonus", "Put one of your five dragons on the new shop. Then you may:", ["swap two earlier shops with their dragons", "move an earlier shop to a free place or onto another shop, which leaves the field with its dragon", "draw cards from two different piles", "look at two new tasks and keep as many as you had", "double the points of your other build of this turn"]],
  ["The end", "When two piles are empty (with two players: one), the round is finished. Then each player chooses a line for each task: a whole row, column or diagonal. Each shop of the good colour brings two points, each of the bad colour costs two, and a dragon on such a shop counts like another shop. Owners of these dragons get a point each. Most points win; equal points share the win."],
];
