// @ts-check
/** The log in plain words; lines that are new since the player last looked stand out. */
import { h } from "../../draw.js";
import { t } from "../../words.js";

const SEEN = "kontor.seen.";

/** How many lines of a match were seen. @param {string} id */
export function seenLines(id) {
  return Number(sessionStorage.getItem(SEEN + id) ?? localStorage.getItem(SEEN + id) ?? -1);
}

/** @param {string} id @param {number} count */
export function markSeen(id, count) {
  sessionStorage.setItem(SEEN + id, String(count));
  localStorage.setItem(SEEN + id, String(count));
}

/**
 * Newest first, so that nothing has to be scrolled to see it.
 * @param {any[]} lines @param {number} from number of the first line @param {number} seen lines before this number are old
 * @param {(seat: number) => import("../../draw.js").Drawn} sign @param {number | null} [own] one's own seat: what one did oneself is not news
 */
export function logList(lines, from, seen, sign, own = null) {
  const items = [];
  let marked = seen < 0;
  lines.forEach((line, index) => {
    if (!line.say) return; // an intermediate step: a later line says what came of it
    if (line.seat === null && line.events?.length === 0) return; // a deal: later lines say what came of it
    const fresh = seen >= 0 && from + index >= seen && (own === null || line.seat !== own);
    if (!marked && fresh) {
      if (items.length) items.push(h("li", { key: "since", class: "since" }, t("log.since")));
      marked = true;
    }
    items.push(
      h(
        "li",
        { key: from + index, class: fresh ? "new" : "" },
        line.seat === null || line.seat === undefined ? h("span", { class: "chance", "aria-hidden": "true" }, "·") : sign(line.seat),
        h("span", {}, line.say),
      ),
    );
  });
  return h("ol", { class: "log", tabindex: 0, "aria-label": t("log.title") }, items.reverse());
}
