// @ts-check
/**
 * What a click or a tap means. A mouse means what it hits, or the nearest thing beside it. A finger is broad: everything small within its
 * reach may be meant, so that even the smallest target is as large as a finger. What counts is what is seen there: a thing that
 * something else covers, or that the frame cuts off, is not within reach.
 */

const FINGER = 52; // pixels: a smaller target is met by a finger as if it had this size; 44 remain where a neighbour covers its edges
const REACH = { fine: 12, coarse: 24 }; // pixels around a click or tap on nothing that still mean the nearest element
const RING = 4; // pixels between two rings of probes
const WAYS = 16; // directions

/** @typedef {{target: EventTarget | null, clientX: number, clientY: number}} Hit */

/** The elements that a click or tap may mean, the nearest first. @param {Element} root @param {Hit} event @param {boolean} coarse a finger */
export function meant(root, event, coarse) {
  const target = event.target instanceof Element ? event.target : root;
  const hit = liveAt(root, target);
  if (hit && (!coarse || hit.closest("button"))) return [hit];
  const box = target.closest(".frame, .desk, .seats-box");
  if (target.closest("button, a, input, summary") || !box) return hit ? [hit] : [];
  const near = nearby(box, event.clientX, event.clientY, coarse ? REACH.coarse : REACH.fine);
  const first = hit ?? near.keys().next().value;
  if (!first) return [];
  if (!coarse) return [first];
  const small = [...near].filter(([element, far]) => element !== first && far <= (FINGER - sizeOf(element)) / 2 + RING).map(([element]) => element);
  return [first, ...small];
}

/** @param {Element} root @param {Element | null} element */
function liveAt(root, element) {
  const found = element?.closest("[data-entries]") ?? null;
  return found && root.contains(found) ? found : null;
}

/** What can be chosen around a point and how far it is, the nearest first. @param {Element} box @param {number} x @param {number} y @param {number} reach */
function nearby(box, x, y, reach) {
  /** @type {Map<Element, number>} */
  const found = new Map();
  for (let far = RING; far <= reach; far += RING) {
    for (let way = 0; way < WAYS; way++) {
      const angle = (way / WAYS) * 2 * Math.PI;
      const there = liveAt(box, document.elementFromPoint(x + far * Math.cos(angle), y + far * Math.sin(angle)));
      if (there && !found.has(there)) found.set(there, far);
    }
  }
  return found;
}

/** The lesser side of an element. @param {Element} element */
export function sizeOf(element) {
  const box = element.getBoundingClientRect();
  return Math.min(box.width, box.height);
}
