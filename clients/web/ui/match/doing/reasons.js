// @ts-check
/** Why something cannot be done, or what an action would do: asked of the node once for each position. */
import { post } from "../../../api.js";
import { t } from "../../../words.js";

/** Words of files and scripts: some refusals of the rules still name a route or a card so. */
const CODE = /\b[a-z]{3}-[a-z]{3}\b|[a-z]_[a-z]|@\w?\d/;

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

  /** @param {number | null} seat @param {string} text @param {string} name what people call the thing that was tried @returns {Promise<string[]>} */
  async ask(seat, text, name) {
    if (seat === null || !text) return [];
    const asked = this.asked.get(text) ?? this.explain(seat, text, name);
    this.asked.set(text, asked);
    return asked;
  }

  async explain(seat, text, name) {
    const { known } = this;
    let lines = [];
    try {
      const answer = await post(`matches/${this.id}/explain`, { seat, text });
      lines = answer.legal ? answer.events.map((line) => line.say).filter(Boolean) : [refusal(answer.reason, text, name)];
    } catch {
      // the page says elsewhere that the node is away
    }
    known.set(text, lines);
    return lines;
  }
}

/** @param {string} reason @param {string} text @param {string} name */
function refusal(reason, text, name) {
  const codes = text.split(" ").map((word) => word.split(":")[0]).filter((word) => CODE.test(word));
  const said = name ? codes.reduce((left, code) => left.replaceAll(code, name), reason) : reason;
  return CODE.test(said) ? t("acts.none") : t("match.whyNot", { reason: said });
}
