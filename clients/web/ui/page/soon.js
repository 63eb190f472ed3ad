// @ts-check
/** Redraw after events: several events cause one drawing, drawings do not overlap, and further events do not postpone one, because others can send them without end. */

/** @param {() => Promise<unknown>} draw it catches its own errors @param {number} wait milliseconds */
export function redrawer(draw, wait) {
  let timer = 0;
  let drawing = false;
  let again = false;
  let left = false;
  function soon() {
    if (drawing) again = true;
    else if (!left) timer ||= window.setTimeout(run, wait);
  }
  async function run() {
    timer = 0;
    again = false;
    drawing = true;
    await draw();
    drawing = false;
    if (again) soon();
  }
  function stop() {
    left = true;
    clearTimeout(timer);
  }
  return { soon, stop };
}
