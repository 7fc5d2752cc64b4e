'use strict';
for (const box of document.querySelectorAll('.zoom')) {
  const svg = box.querySelector('svg');
  const said = box.querySelector('.said');
  const whole = svg.getAttribute('viewBox').split(' ').map(Number);
  let view = whole.slice();
  const show = () => svg.setAttribute('viewBox', view.join(' '));

  // Where a point of the window lies in the drawing.
  const at = (event) => {
    const point = new DOMPoint(event.clientX, event.clientY);
    return point.matrixTransform(svg.getScreenCTM().inverse());
  };
  const zoom = (by, x, y) => {
    const width = Math.min(whole[2], Math.max(whole[2] / 60, view[2] / by));
    by = view[2] / width;
    view = [x - (x - view[0]) / by, y - (y - view[1]) / by, width, view[3] / by];
    if (width === whole[2]) view = whole.slice();
    show();
  };
  svg.addEventListener('wheel', (event) => {
    event.preventDefault();
    const { x, y } = at(event);
    zoom(Math.exp(-event.deltaY / 400), x, y);
  }, { passive: false });
  for (const button of box.querySelectorAll('button')) {
    button.addEventListener('click', () => {
      const by = Number(button.dataset.zoom);
      if (by) zoom(by, view[0] + view[2] / 2, view[1] + view[3] / 2);
      else { view = whole.slice(); show(); }
    });
  }

  // Arrow keys move a drawing that is zoomed in by a tenth of its visible part.
  svg.setAttribute('tabindex', '0');
  svg.addEventListener('keydown', (event) => {
    const to = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!to || view[2] === whole[2]) return;
    event.preventDefault();
    for (const axis of [0, 1]) {
      const most = whole[axis] + whole[axis + 2] - view[axis + 2];
      view[axis] = Math.min(most, Math.max(whole[axis], view[axis] + to[axis] * view[axis + 2] / 10));
    }
    show();
  });

  let held = null;
  svg.addEventListener('pointerdown', (event) => {
    held = at(event);
    svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener('pointermove', (event) => {
    if (!held) return;
    const now = at(event);
    view[0] += held.x - now.x;
    view[1] += held.y - now.y;
    show();
  });
  for (const end of ['pointerup', 'pointercancel']) svg.addEventListener(end, () => { held = null; });

  // What is under the pointer is said below, and its edges are shown.
  svg.addEventListener('pointerover', (event) => {
    if (held) return;
    const about = event.target.closest('.unit') || event.target;
    const title = [...about.children].find((child) => child.tagName === 'title');
    said.textContent = title ? title.textContent : '';
    for (const edge of svg.querySelectorAll('.on')) edge.classList.remove('on');
    const unit = about.dataset && about.dataset.unit;
    svg.classList.toggle('lit', unit !== undefined);
    if (unit === undefined) return;
    for (const edge of svg.querySelectorAll(`.f${unit}, .t${unit}`)) edge.classList.add('on');
  });
}
