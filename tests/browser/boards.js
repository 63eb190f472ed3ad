// Draws positions in a frame of a given size and tells what there is to see of each; the body of a function that the tests run.
const [positions, [width, height], least] = arguments;
const done = arguments[arguments.length - 1];
const all = (root, css) => [...root.querySelectorAll(css)];
const shared = (a, b) => Math.min(Math.min(a.right, b.right) - Math.max(a.left, b.left),
  Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));
const shapes = '.post-box, .office, .spot-disc, .shop-ground, .site-box, .five-disc, .card-sheet, .space-box, .marker';
const papers = '.card-art, .achievement, .favour, .buy, .reserve, .gift, .marker-name';
async function show({ game, view, names, menu, seat }) {
  const { h, paint } = await import('/draw.js');
  const board = await (await import('/boards/index.js')).boardOf(game);
  const figures = {};
  for (const entry of menu) for (const figure of entry.figures) (figures[figure.element] ??= []).push(figure);
  const at = { names, menu, seat, narrow: width < height, figures };
  const others = names.map((_, each) => each).filter((each) => each !== seat);
  const root = document.getElementById('drawn') ?? document.body.appendChild(document.createElement('div'));
  root.id = 'drawn';
  const desks = [board.desk(view, seat, at), ...others.map((each) => board.rival(view, each, at))];
  paint(root, [h('div', { class: 'board' }, board.board(view, at)), h('div', {}, desks)]);
  root.style.cssText = 'position: fixed; inset: 0; overflow: auto; z-index: 99; background: white';
  const svg = root.querySelector('svg.board-art');
  svg.style.cssText = `width: ${width}px; height: ${height}px`;
  return look(root, svg, menu.flatMap((entry) => entry.targets).map((id) => board.place?.(id, view) ?? id), menu, board, view);
}
function look(root, svg, live, menu, board, view) {
  const drawn = new Set(all(root, '[data-target]').map((each) => each.dataset.target));
  const places = new Set([...drawn, ...all(root, '[data-at]').map((each) => each.dataset.at)]);
  const wanted = new Set(live);
  const small = all(svg, '[data-target]').filter((each) => wanted.has(each.dataset.target)).flatMap((each) => {
    const box = each.getBoundingClientRect();
    return Math.min(box.width, box.height) >= least ? [] : [`${each.dataset.target} ${box.width.toFixed(1)} x ${box.height.toFixed(1)}`];
  });
  return {
    missing: menu.filter((entry) => !entry.targets.some((id) => drawn.has(board.place?.(id, view) ?? id))).map((entry) => entry.targets),
    nowhere: [...new Set(menu.flatMap((entry) => entry.figures.map((figure) => figure.element)))].filter((id) => !places.has(board.place?.(id, view) ?? id)),
    small, covered: covered(svg, wanted), overlaps: overlaps(svg), outside: outside(svg),
    texts: [...new Set([...all(root, 'text, b, small, span, h4').filter((each) => !each.children.length).map((each) => each.textContent.trim()),
      ...all(root, '[data-tip]').flatMap((each) => each.dataset.tip.split('\n'))])].filter(Boolean),
  };
}
function covered(svg, wanted) {
  return all(svg, '[data-target]').filter((each) => wanted.has(each.dataset.target) && !each.querySelector('[data-target]') && !each.classList.contains('route')).flatMap((each) => {
    const box = each.getBoundingClientRect();
    const hit = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)?.closest('[data-target]');
    return hit === each ? [] : [`${each.dataset.target} by ${hit?.dataset.target}`];
  });
}
function overlaps(svg) {
  const texts = all(svg, 'text').filter((each) => each.textContent && !each.closest('.figure-layer, .storm-sky')).map((each) => [each, each.closest('[data-target], .gift, .marker-name'), each.getBoundingClientRect()]);
  const boxes = all(svg, shapes).map((each) => [each, each.closest('[data-target]'), each.getBoundingClientRect()]);
  const out = [];
  for (const [text, mine, box] of texts) {
    for (const [shape, its, other] of boxes) if (its !== mine && !shape.closest('.panel-art')?.contains(text) && !its?.contains(text) && shared(box, other) > 1.5) out.push(`${text.textContent} on ${shape.getAttribute('class')} of ${its?.dataset.target}`);
    for (const [label, their, other] of texts) if (label !== text && their !== mine && shared(box, other) > 2) out.push(`${text.textContent} on ${label.textContent}`);
  }
  return [...new Set(out)];
}
function outside(svg) {
  return all(svg, papers).flatMap((paper) => {
    const box = paper.querySelector('rect').getBoundingClientRect();
    return all(paper, 'text').filter((each) => { const it = each.getBoundingClientRect(); return it.left < box.left - 1 || it.right > box.right + 1; }).map((each) => each.textContent);
  });
}
(async () => { const out = []; for (const each of positions) out.push(await show(each)); return out; })()
  .then(done, (error) => done(`${error} ${error.stack}`));
