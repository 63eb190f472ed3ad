// @ts-check
/** Merchants of Osaka in our own words: titles with paragraphs and lists. */

/** @type {(string | string[])[][]} */
export const HELP = [
  ["What it is about", "You ship goods from Osaka to Edo. Nobody owns a ship: there is one for each colour, and a ship sails only when somebody buys goods of its colour. When a ship arrives, everybody sells goods of that colour; at the same moment ships on the two waves spaces sink. Whoever has most victory points when somebody owns eight tokens wins."],
  ["A card is four things", ["in your hand it is money worth its number", "bought from the Market it is a good lying before you", "thrown in a storm its shields insure goods of its colour (a 2 has two shields, a 3 one, a 5 none)", "put aside in a sale it is a victory point"]],
  [
    "Your turn: one action",
    [
      "Buy: pay the sum of all Market cards that nobody else has reserved, and take them all as goods. No change is given. Each colour you bought lets its ship sail one step, or two steps for two cards and more. Then the Farm moves into the Market and both are filled up.",
      "Take: one Market card goes into your hand as money.",
      "Reserve: put your piece on a card of Market or Farm. Only you may take or buy it then; the piece comes back with the card.",
    ],
  ],
  ["A ship reaches Edo", "Everybody who has goods of its colour sells all of them. The price of each is your highest card of that colour plus your tokens of that colour. Number of goods times price, divided by five and rounded up, are your points. Whoever sold gets a token of the colour."],
  ["Storm", "Ships on the two waves spaces sink when another ship arrives. In turn, players may insure goods of those colours with shields on cards of the same colour from their hand. Uninsured goods are lost; insured goods stay safe for good. The ship in Edo returns to Osaka, sunk ships to Anori."],
  ["The end", "As soon as somebody owns eight tokens of any colours, the match is over, before any ship sinks. Most victory points win; then most tokens. Goods and cards in hand count nothing."],
];
