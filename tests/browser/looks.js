// What is not whole below a root: words or controls that lie on one another, words cut without dots, what lies beyond the edge of the page,
// desks of other players that are cut off below, a draft that is not in its row; the body of a function that the tests run.
const [root] = arguments;
const LEAST = 2; // pixels that two boxes may share
const shown = (each) => each.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !each.closest('.unseen, .skip, [hidden]');
const words = (each) => [...each.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
const name = (each) => `${each.tagName}.${each.className?.baseVal ?? each.className} ${each.textContent.trim().slice(0, 40)}`;
const all = [...document.querySelectorAll(`${root} *`)].filter((each) => !(each instanceof SVGElement) && shown(each));
const leaves = all.filter((each) => words(each) || each.matches('input, select, textarea'));
const boxes = leaves.map((each) => {
  const range = document.createRange();
  range.selectNodeContents(each);
  return each.matches('input, select, textarea, button') ? [each.getBoundingClientRect()] : [...range.getClientRects()];
});
const shared = (a, b) => Math.min(Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));
const out = [];
leaves.forEach((one, i) => leaves.slice(i + 1).forEach((other, j) => {
  if (one.contains(other) || other.contains(one)) return;
  if (boxes[i].some((a) => boxes[i + 1 + j].some((b) => shared(a, b) > LEAST))) out.push(`${name(one)} lies on ${name(other)}`);
}));
for (const each of all) {
  const style = getComputedStyle(each);
  const isCut = each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0 && ['hidden', 'clip'].includes(style.overflowX);
  if (isCut && style.textOverflow !== 'ellipsis' && words(each)) out.push(`${name(each)} is cut`);
}
if (document.documentElement.scrollWidth > innerWidth) out.push(`the page is ${document.documentElement.scrollWidth} wide`);
for (const each of document.querySelectorAll('.player:not(.large) .desk-of')) {
  if (each.scrollHeight > each.clientHeight + 1) out.push(`desk ${each.dataset.at}: ${each.scrollHeight} in ${each.clientHeight}`);
  const things = [...each.querySelectorAll('.marker-chip, .used-marker, .chip')].filter(shown).map((thing) => thing.getBoundingClientRect());
  const { right } = each.getBoundingClientRect();
  if (things.some((thing) => thing.right > right + 1)) out.push(`desk ${each.dataset.at}: something is beyond its edge`);
  if (things.some((one, i) => things.slice(i + 1).some((other) => shared(one, other) > LEAST))) out.push(`desk ${each.dataset.at}: things lie on one another`);
}
const row = document.querySelector('.draft-row')?.getBoundingClientRect();
for (const each of document.querySelectorAll('.draft-row button')) {
  const box = each.getBoundingClientRect();
  if (box.top < row.top - 1 || box.bottom > row.bottom + 1) out.push(`not in the row of the draft: ${each.textContent}`);
}
return out;
