// @ts-check
/** A hint for whoever plays alone against bots: what an expert would do here. It is only told; the person acts. */
import { post } from "../../api.js";
import { h } from "../../draw.js";
import { t } from "../../words.js";
import { toast } from "../page/live.js";

/** What a hint is about: with the next step of the draft it is out of date. @param {any} state */
const placeOf = (state) => JSON.stringify([state.ply, state.draft?.texts]);

export class Hint {
  /** @param {string} id of the match @param {() => void} changed is called when there is something else to show */
  constructor(id, changed) {
    this.id = id;
    this.changed = changed;
    /** The position that somebody asked about. */
    this.place = "";
    /** What was told; null while the expert thinks. @type {any} */
    this.told = null;
  }

  /** @param {any} state */
  async ask(state) {
    const place = placeOf(state);
    if (this.place === place) return;
    this.show(place, null);
    try {
      const told = await post(`matches/${this.id}/hint`);
      if (this.place === place) this.show(place, told);
    } catch (error) {
      if (this.place === place) this.show("", null);
      toast(error.message, "bad");
    }
  }

  /** @param {string} place @param {any} told */
  show(place, told) {
    this.place = place;
    this.told = told;
    this.changed();
  }

  /** @param {any} state */
  note(state) {
    if (!this.place) return null;
    if (this.place !== placeOf(state)) {
      this.place = "";
      return null;
    }
    const { told } = this;
    return h(
      "aside",
      { key: "hint", class: "panel guide", "data-hint": told ? "told" : "thinking", role: "status", "aria-label": t("hint.title") },
      h("h2", {}, t("hint.title")),
      told ? [h("p", {}, h("b", {}, told.phrase)), h("p", {}, chances(told))] : h("p", {}, t("hint.thinking")),
      h("div", { class: "row end" }, told ? h("button", { type: "button", class: "quiet", click: () => this.show("", null) }, t("hint.close")) : null),
    );
  }
}

/** How good it is, and what comes next. @param {any} told */
function chances(told) {
  const { next } = told;
  const other = next ? t(next.chance < told.chance ? "hint.next" : "hint.alike", { phrase: next.phrase, n: next.chance }) : "";
  return `${t("hint.chance", { n: told.chance, worlds: told.worlds })} ${other}`;
}
