// Without this the page is a document that shows every step. With it, it shows one at a time.
(() => {
  'use strict';
  const root = document.documentElement;
  const traces = [...document.querySelectorAll('.trace')].map((element) => ({
    element,
    stops: [...element.querySelectorAll('.step, .ending[id]')],
    links: [...element.querySelectorAll('.side li a, .lanes a')],
    status: element.querySelector('.where'),
    heard: element.querySelector('.heard'),
    at: 0,
  }));
  if (traces.length === 0) return;
  let trace = traces[0];

  const name = (stop) => stop.querySelector('.title').textContent.replace(/\s+/g, ' ').trim();

  // Shows the stop at `at`; `moved` where a person asked for it, and not the address.
  const show = (next, at, moved) => {
    const left = trace;
    trace = next;
    trace.at = Math.max(0, Math.min(at, trace.stops.length - 1));
    left.element.classList.remove('here');
    trace.element.classList.add('here');
    const stop = trace.stops[trace.at];
    if (!stop) return;
    for (const other of trace.stops) other.classList.toggle('here', other === stop);
    for (const link of trace.links) {
      const here = link.hash === '#' + stop.id;
      if (here) link.setAttribute('aria-current', 'step');
      else link.removeAttribute('aria-current');
      const row = link.closest('tr');
      if (row) row.classList.toggle('here', here);
      if (here && !row) keepInView(link);
    }
    trace.status.textContent = `${trace.at + 1} of ${trace.stops.length}`;
    trace.element.querySelector('[data-do="first"]').disabled = trace.at === 0;
    trace.element.querySelector('[data-do="back"]').disabled = trace.at === 0;
    trace.element.querySelector('[data-do="on"]').disabled = trace.at === trace.stops.length - 1;
    trace.element.querySelector('[data-do="last"]').disabled = trace.at === trace.stops.length - 1;
    if (moved) {
      trace.heard.textContent = name(stop);
      history.replaceState(null, '', '#' + stop.id);
      const above = stop.getBoundingClientRect().top < 0;
      if (above || trace.element.classList.contains('all')) stop.scrollIntoView({ block: 'start' });
    }
  };

  // The list alone scrolls, not the page.
  const keepInView = (link) => {
    const list = link.closest('.side');
    const top = link.getBoundingClientRect().top - list.getBoundingClientRect().top;
    if (top < 0 || top + link.offsetHeight > list.clientHeight) {
      list.scrollTop += top - list.clientHeight / 2;
    }
  };

  const goToAddress = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    for (const candidate of traces) {
      const at = candidate.stops.findIndex((stop) => stop.id === id);
      if (at >= 0) return show(candidate, at, false);
      if (candidate.element.id === id) return show(candidate, candidate.at, false);
    }
    show(trace, trace.at, false);
  };

  const toggle = (button, mark) => {
    const on = trace.element.classList.toggle(mark);
    button.setAttribute('aria-pressed', String(on));
    if (mark === 'all' && on) trace.stops[trace.at].scrollIntoView({ block: 'start' });
  };
  const press = (what) => trace.element.querySelector(`[data-do="${what}"]`).click();

  const actions = {
    first: () => show(trace, 0, true),
    back: () => show(trace, trace.at - 1, true),
    on: () => show(trace, trace.at + 1, true),
    last: () => show(trace, trace.stops.length - 1, true),
    all: (button) => toggle(button, 'all'),
    brief: (button) => toggle(button, 'brief'),
  };
  document.addEventListener('click', (event) => {
    const button = event.target.closest('[data-do]');
    if (button) actions[button.dataset.do](button);
  });
  document.addEventListener('keydown', (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.target.closest('input, textarea, select, [contenteditable]')) return;
    const all = trace.element.classList.contains('all');
    const wide = event.target.closest('.scroll');
    const meaning = {
      j: 'on', k: 'back', Home: 'first', End: 'last', a: 'all', c: 'brief',
      ArrowRight: wide ? '' : 'on', ArrowLeft: wide ? '' : 'back',
      // Where all steps are shown these scroll, as everywhere.
      ArrowDown: all ? '' : 'on', ArrowUp: all ? '' : 'back',
    }[event.key];
    if (!meaning) return;
    event.preventDefault();
    if (meaning === 'all' || meaning === 'brief') press(meaning);
    else actions[meaning]();
  });
  addEventListener('hashchange', goToAddress);
  // On paper everything is told.
  addEventListener('beforeprint', () => {
    for (const facts of document.querySelectorAll('details')) facts.open = true;
  });
  root.classList.add('js');
  for (const { element } of traces) element.classList.toggle('here', element === trace.element);
  goToAddress();
})();
