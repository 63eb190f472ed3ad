// @ts-check
/** Why something cannot be done, or what an action would do: asked of the node once for each position. */
import { post } from "../../../api.js";
import { t } from "../../../words.js";

export class Reasons {
  /** @param {string} id of the match */
  constructor(id) {
    this.id = id;
    /** @type {Map<string, string[]>} */
    this.known = new Map();
    /** @type {Map<string, Promise<string[]>>} */
    this.asked = new Map();
  }

  /** Another position: ask anew. */
  forget() {
    this.known = new Map();
    this.asked = new Map();
  }

  /** What is known already. @param {string} text */
  of(text) {
    return this.known.get(text) ?? [];
  }

  /** @param {number | null} seat @param {string} text @returns {Promise<string[]>} */
  async ask(seat, text) {
    if (seat === null || !text) return [];
    const asked = this.asked.get(text) ?? this.explain(seat, text);
    this.asked.set(text, asked);
    return asked;
  }

  async explain(seat, text) {
    const { known } = this;
    let lines = [];
    try {
      const answer = await post(`matches/${this.id}/explain`, { seat, text });
      lines = answer.legal ? answer.events.map((line) => line.say).filter(Boolean) : [t("match.whyNot", { reason: answer.reason })];
    } catch {
      // the page says elsewhere that the node is away
    }
    known.set(text, lines);
    return lines;
  }
}
