// @ts-check
/** Yokohama in our own words. */

/** @type {(string | string[])[][]} */
export const HELP = [
  ["What it is about", "You run a trading company in a port that opens to the world. Assistants prepare areas of the city, your president walks there and uses them; the more of your pieces stand there, the stronger the action. Points come from orders, church and customs house, buildings, achievements and technologies."],
  [
    "Your turn",
    [
      "Further actions: fulfil orders, claim achievements, use one foreign agent. They are possible before and after the rest of the turn.",
      "Place assistants: one each in up to three areas, or two in one area. Each other president in an area costs one yen for each assistant, paid to its owner.",
      "Move the president over neighbouring areas that hold your assistants, to one without another president. Passing another president costs one yen. Or recall the president with any of your assistants; then nothing else happens.",
      "Use the area with your power: one for each of your assistants there, the president, a shop and a trading house of yours; five at most.",
      "With power five you may take the token of the area. With power four or more you may build a shop or the trading house, if you have one in hand.",
      "Your assistants of that area come back to your hand.",
    ],
  ],
  [
    "The areas",
    [
      "Mines, mills, plantations, fishing grounds and the bank give goods or yen.",
      "Chinatown exchanges goods and yen.",
      "Church: power is faith, and each different gift adds one. Put an assistant on a space for its reward; it stays there.",
      "Customs house: pay imported goods for a space.",
      "Employment agency: take assistants (free), shops (two yen) and trading houses (dearer each time) from your warehouse.",
      "Laboratory: gain a technology whose production you reach; a missing point costs two yen or an imported good.",
      "Port: take one order, or two for two yen or an imported good. You may hold three.",
      "The canal is only a way through and costs one yen.",
    ],
  ],
  ["Countries", "Technologies and fulfilled orders show countries. Every second symbol of the same country brings one of its agents, if there is one left. An agent lets you use an area with your assistants without the president, once in a turn."],
  ["Trading houses", "When somebody else uses an area with your trading house, you get one yen."],
  ["The end", "The end is near when somebody has built all shops or all trading houses, church or customs house is full enough, or a port cannot be filled: the round is finished and one more is played. Then whoever has most in church, customs house and technologies gets points, and so do sets of countries and what is left over. Most points win."],
];
