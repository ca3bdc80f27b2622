// The page that draws the steps of a path. It reads what is to be drawn from the element
// "data"; in an editor it is told of changes, and tells what to open.
//
// Only the rows in sight are in the document, whatever the number of steps. Text from the
// data becomes text nodes, and nothing else.
'use strict';

(() => {
  const rowHeight = 30;
  const spare = 12; // rows drawn above and below those in sight
  const bucketRows = 64;
  const host = typeof acquireVsCodeApi === 'function' ? acquireVsCodeApi() : undefined;

  /** Makes an element. Attributes that are undefined or false are left out; functions are listeners. */
  function make(name, attributes = {}, ...children) {
    const svg = ['svg', 'path', 'circle', 'rect', 'g', 'line', 'text', 'title'].includes(name);
    const element = svg ? document.createElementNS('http://www.w3.org/2000/svg', name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (typeof value === 'function') {
        element.addEventListener(key, value);
      } else if (value !== undefined && value !== false) {
        element.setAttribute(key, value === true ? '' : value);
      }
    }
    element.append(...children.filter((child) => child !== undefined && child !== false && child !== ''));
    return element;
  }

  const count = (n, what) => `${n.toLocaleString('en')} ${what}${n === 1 ? '' : 's'}`;
  const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
  const timeFormat = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
  const wholeFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'medium' });
  const tickFormats = [
    [86_400_000 * 300, new Intl.DateTimeFormat('en-GB', { year: 'numeric' })],
    [86_400_000 * 20, new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric' })],
    [86_400_000 / 2, new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })],
    [0, timeFormat],
  ];

  function ago(ms) {
    const units = [['year', 31_557_600_000], ['month', 2_630_016_000], ['week', 604_800_000], ['day', 86_400_000], ['hour', 3_600_000], ['minute', 60_000]];
    const elapsed = Date.now() - ms;
    const fit = units.find(([, length]) => Math.abs(elapsed) >= length);
    return fit ? new Intl.RelativeTimeFormat('en').format(-Math.trunc(elapsed / fit[1]), fit[0]) : 'just now';
  }

  const color = (actor) => `var(--actor-${actor.color})`;

  // Each kind of actor has a shape, so that nobody needs to tell colors apart.
  const shapes = {
    human: (x, y, r) => make('circle', { cx: x, cy: y, r }),
    agent: (x, y, r) => make('path', { d: `M${x} ${y - r * 1.25} L${x + r * 1.25} ${y} L${x} ${y + r * 1.25} L${x - r * 1.25} ${y} Z` }),
    tool: (x, y, r) => make('rect', { x: x - r * 0.9, y: y - r * 0.9, width: r * 1.8, height: r * 1.8, rx: 1 }),
    ci: (x, y, r) => make('path', { d: `M${x} ${y - r * 1.1} L${x + r * 1.15} ${y + r * 0.85} L${x - r * 1.15} ${y + r * 0.85} Z` }),
  };

  function node(actor, x, y, r, dead) {
    const shape = (shapes[actor.kind] ?? shapes.human)(x, y, r);
    shape.setAttribute('class', dead ? 'node dead' : 'node');
    shape.style.fill = shape.style.stroke = color(actor);
    return shape;
  }

  function glyph(actor) {
    return make('svg', { width: 14, height: 14, 'aria-hidden': 'true' }, node(actor, 7, 7, 4.5, false));
  }

  // State: what is drawn, and what of it.
  let drawing;
  let path;
  let children; // rows of the children of each row
  let shown; // rows in sight of the filter, in order
  let place; // where a row is in shown, -1 if it is not
  let buckets; // edges by where they start, end or pass
  let selected = -1; // row
  let wanted = { words: [], actors: new Set(), artifact: -1, dead: false };

  // The frame of the page.
  const title = make('h1');
  const about = make('div', { class: 'about' });
  const paths = make('select', { 'aria-label': 'Path', change: () => choosePath(Number(paths.value)) });
  const words = make('input', { type: 'search', placeholder: 'Filter by intent, step, actor or file  (/)', 'aria-label': 'Filter steps by intent, id, actor or file', spellcheck: 'false', input: () => filter() });
  const artifacts = make('select', { 'aria-label': 'File', change: () => filter() });
  const actors = make('span', { role: 'group', 'aria-label': 'Actors', class: 'tools' });
  const found = make('span', { class: 'found', role: 'status' });
  const tools = make('div', { class: 'tools' }, paths, words, artifacts, actors, found);
  const strip = make('div', { class: 'strip', 'aria-hidden': 'true', pointerdown: (event) => followPointer(event) });
  const lanes = make('svg', { class: 'lanes', 'aria-hidden': 'true' });
  const rows = make('div', { class: 'rows', role: 'presentation' });
  const list = make('div', { class: 'list', role: 'listbox', tabindex: '0', 'aria-label': 'Steps, the newest first', scroll: () => drawSoon(), keydown: onKey }, rows);
  const details = make('aside', { 'aria-label': 'Step', class: 'hidden' });
  document.body.append(make('header', {}, title, about, tools), strip, list, details);

  function load(next) {
    const before = drawing && { id: path?.id, step: path?.steps[selected]?.id, top: list.scrollTop };
    drawing = next;
    paths.replaceChildren(...drawing.paths.map((p, i) => make('option', { value: i }, p.title || p.id || `path ${i + 1}`)));
    paths.classList.toggle('hidden', drawing.paths.length < 2);
    const again = drawing.paths.findIndex((p) => p.id === before?.id);
    choosePath(Math.max(0, again), before);
  }

  function choosePath(index, before) {
    path = drawing.paths[index];
    tools.classList.toggle('hidden', !path);
    strip.classList.toggle('hidden', !path);
    paths.value = index;
    selected = -1;
    if (!path) {
      title.textContent = drawing.document;
      about.replaceChildren('There are no steps to draw.');
      rows.replaceChildren();
      showDetails();
      return;
    }
    children = path.steps.map(() => []);
    path.steps.forEach((step, row) => step.parents.forEach((parent) => parent >= 0 && parent !== row && children[parent].push(row)));
    title.textContent = path.title || path.id;
    const times = path.steps.map((step) => step.ms).filter((ms) => ms !== 0);
    const first = times.reduce((a, b) => Math.min(a, b), Infinity);
    const last = times.reduce((a, b) => Math.max(a, b), -Infinity);
    const dead = path.steps.filter((step) => step.dead).length;
    about.replaceChildren(
      ...[
        drawing.document + (path.title && path.id ? `, path ${path.id}` : ''),
        count(path.steps.length, 'step') + (dead > 0 ? `, ${count(dead, 'dead end')}` : ''),
        times.length > 0 && (dayFormat.format(first) === dayFormat.format(last) ? dayFormat.format(first) : `${dayFormat.format(first)} – ${dayFormat.format(last)}`),
        path.base && `from ${path.base}`,
      ].filter(Boolean).map((text) => make('span', {}, text)),
    );
    artifacts.replaceChildren(make('option', { value: -1 }, 'All files'), ...path.artifacts.slice(0, 5000).map((name, i) => make('option', { value: i }, name)));
    artifacts.classList.toggle('hidden', path.artifacts.length < 2);
    wanted = { ...wanted, actors: new Set(), dead: false };
    actors.replaceChildren(...path.actors.slice(0, 40).map((actor, i) => chip(actor, i)), dead > 0 ? deadChip(dead) : '');
    filter();
    const row = before?.step === undefined ? -1 : path.steps.findIndex((step) => step.id === before.step);
    if (row >= 0) {
      select(row, false);
    } else {
      showDetails();
    }
    list.scrollTop = before?.top ?? 0;
  }

  function chip(actor, i) {
    const button = make('button', { class: 'chip', type: 'button', 'aria-pressed': 'false', title: [actor.actor, actor.detail].filter(Boolean).join('\n'), click: () => toggle(button, wanted.actors, i) },
      glyph(actor), actor.name || 'no actor', make('span', { class: 'count' }, actor.steps.toLocaleString('en')));
    button.style.setProperty('--chip', color(actor));
    return button;
  }

  function deadChip(dead) {
    const button = make('button', { class: 'chip', type: 'button', 'aria-pressed': 'false', title: 'Steps that the head does not descend from', click: () => {
      wanted.dead = !wanted.dead;
      button.setAttribute('aria-pressed', wanted.dead);
      filter();
    } }, 'Dead ends', make('span', { class: 'count' }, dead.toLocaleString('en')));
    return button;
  }

  function toggle(button, set, value) {
    set.has(value) ? set.delete(value) : set.add(value);
    button.setAttribute('aria-pressed', set.has(value));
    filter();
  }

  function isWanted(step) {
    const actor = path.actors[step.actor];
    return (wanted.actors.size === 0 || wanted.actors.has(step.actor))
      && (wanted.artifact < 0 || step.changes.some((change) => change.artifact === wanted.artifact))
      && (!wanted.dead || step.dead)
      && wanted.words.every((word) =>
        [step.intent, step.id, actor.name, actor.actor].some((text) => text.toLowerCase().includes(word))
        || step.changes.some((change) => path.artifacts[change.artifact].toLowerCase().includes(word)));
  }

  function filter() {
    wanted.words = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    wanted.artifact = Number(artifacts.value || -1);
    shown = [];
    place = new Int32Array(path.steps.length).fill(-1);
    path.steps.forEach((step, row) => {
      if (isWanted(step)) {
        place[row] = shown.length;
        shown.push(row);
      }
    });
    index();
    rows.style.height = `${Math.max(1, shown.length) * rowHeight}px`;
    const all = shown.length === path.steps.length;
    found.textContent = all ? '' : `${shown.length.toLocaleString('en')} of ${count(path.steps.length, 'step')}`;
    list.setAttribute('aria-label', `Steps, the newest first${all ? '' : ', filtered'}`);
    drawStrip();
    draw();
  }

  // Puts the edges between shown steps into buckets of rows. A lane that an edge passes over a whole bucket is
  // there once, whatever the number of edges.
  function index() {
    buckets = Array.from({ length: Math.ceil(shown.length / bucketRows) + 1 }, () => ({ edges: [], passing: new Map() }));
    for (const edge of path.edges) {
      const [a, b] = [place[edge[0]], place[edge[1]]];
      if (a < 0 || b < 0) {
        continue;
      }
      const [first, last] = [Math.floor(Math.min(a, b) / bucketRows), Math.floor(Math.max(a, b) / bucketRows)];
      buckets[first].edges.push(edge);
      if (last !== first) {
        buckets[last].edges.push(edge);
      }
      for (let i = first + 1; i < last; i++) {
        buckets[i].passing.set(edge[2], edge);
      }
    }
  }

  const laneWidth = () => Math.max(5, Math.min(18, 260 / path.lanes));
  const x = (lane) => 12 + lane * laneWidth();
  const y = (at) => (at + 0.5) * rowHeight;

  let frame = 0;
  function drawSoon() {
    frame ||= requestAnimationFrame(draw);
  }

  function draw() {
    frame = 0;
    if (!path) {
      return;
    }
    const first = Math.max(0, Math.floor(list.scrollTop / rowHeight) - spare);
    const last = Math.min(shown.length, Math.ceil((list.scrollTop + list.clientHeight) / rowHeight) + spare);
    const width = x(path.lanes - 1) + 12;
    rows.style.setProperty('--lanes', `${width}px`);
    const drawn = [];
    for (let at = first; at < last; at++) {
      drawn.push(drawRow(at));
    }
    if (shown.length === 0) {
      drawn.push(make('p', { class: 'none' }, 'No step is like that. ', make('button', { class: 'step', type: 'button', click: clear }, 'Show all steps')));
    }
    drawLanes(first, last, width);
    rows.replaceChildren(...drawn, lanes);
    moveWindow();
  }

  function drawRow(at) {
    const row = shown[at];
    const step = path.steps[row];
    const actor = path.actors[step.actor];
    const above = at > 0 ? path.steps[shown[at - 1]] : undefined;
    const isFirst = at === Math.ceil(list.scrollTop / rowHeight);
    const begins = step.ms !== 0 && (!above || dayFormat.format(above.ms) !== dayFormat.format(step.ms));
    const day = begins || (isFirst && step.ms !== 0);
    let [added, removed] = [0, 0];
    for (const change of step.changes) {
      added += change.added ?? 0;
      removed += change.removed ?? 0;
    }
    const element = make('div', {
      class: `row${step.dead ? ' dead' : ''}${begins && at > 0 ? ' day' : ''}`, role: 'option', id: `row-${row}`,
      'aria-selected': String(row === selected), 'aria-setsize': shown.length, 'aria-posinset': at + 1, 'aria-label': spoken(row),
      click: () => select(row, false), dblclick: () => open('document'),
    },
      make('span', { class: 'time', title: step.time }, day ? make('b', {}, dayFormat.format(step.ms)) : '', step.ms !== 0 ? timeFormat.format(step.ms) : ''),
      make('span'),
      make('span', { class: 'what', title: step.intent.slice(0, 400) }, step.intent && make('span', { class: 'intent' }, firstLine(step.intent)), make('span', { class: 'id' }, step.id)),
      make('span', { class: 'tags' }, ...tags(row)),
      make('span', { class: 'who', title: actor.actor }, actor.name),
      sizeOf(step.changes.some((change) => change.diff), added, removed),
    );
    element.style.top = `${at * rowHeight}px`;
    return element;
  }

  const firstLine = (text) => text.trim().split('\n', 1)[0].slice(0, 300);

  function sizeOf(known, added, removed) {
    return make('span', { class: 'size' }, ...(known ? [make('span', { class: 'added' }, `+${added}`), ' ', make('span', { class: 'removed' }, `−${removed}`)] : []));
  }

  function tags(row) {
    const step = path.steps[row];
    return [
      row === path.head && make('span', { class: 'tag head' }, 'head'),
      step.parents.length > 1 && make('span', { class: 'tag' }, 'merge'),
      step.dead && make('span', { class: 'tag' }, 'dead end'),
    ].filter(Boolean);
  }

  // What a screen reader says of a row.
  function spoken(row) {
    const step = path.steps[row];
    const actor = path.actors[step.actor];
    return [
      firstLine(step.intent) || 'no intent', `step ${step.id}`, `${actor.kind} ${actor.name}`,
      step.ms !== 0 && wholeFormat.format(step.ms),
      row === path.head && 'the head', step.parents.length > 1 && `merge of ${step.parents.length} steps`,
      step.dead ? 'dead end' : step.lane > 0 && 'on a branch',
      count(step.changes.length + (step.more ?? 0), 'file'),
    ].filter(Boolean).join(', ');
  }

  function drawLanes(first, last, width) {
    lanes.setAttribute('width', width);
    lanes.setAttribute('height', Math.max(1, shown.length) * rowHeight);
    const edges = new Set();
    const drawn = [];
    for (let i = Math.floor(first / bucketRows); i <= Math.floor(Math.max(first, last - 1) / bucketRows) && i < buckets.length; i++) {
      buckets[i].edges.forEach((edge) => edges.add(edge));
      for (const [lane, edge] of buckets[i].passing) {
        drawn.push(line(`M${x(lane)} ${i * bucketRows * rowHeight} v${bucketRows * rowHeight}`, edge));
      }
    }
    for (const edge of edges) {
      const [a, b] = [place[edge[0]], place[edge[1]]];
      if (Math.min(a, b) <= last && Math.max(a, b) >= first) {
        drawn.push(line(curve(edge, a, b, first, last), edge));
      }
    }
    const nodes = [];
    for (let at = first; at < last; at++) {
      const row = shown[at];
      const step = path.steps[row];
      if (step.parents.some((parent) => parent < 0 || place[parent] < 0)) {
        drawn.push(make('path', { class: 'stub', d: `M${x(step.lane)} ${y(at)} v${rowHeight * 0.48}` }));
      }
      nodes.push(node(path.actors[step.actor], x(step.lane), y(at), 5, step.dead));
      if (row === path.head || row === selected) {
        const ring = make('circle', { class: 'ring', cx: x(step.lane), cy: y(at), r: 9.5 });
        ring.style.stroke = row === selected ? 'var(--focus)' : color(path.actors[step.actor]);
        nodes.push(ring);
      }
    }
    lanes.replaceChildren(...drawn, ...nodes);
  }

  // An edge has the color of the step that is on its branch: the child's, or that of the parent of a merge.
  function line(d, [from, to, , flags]) {
    const owner = path.steps[flags & 1 ? to : from];
    const element = make('path', { d, class: `edge${owner.dead ? ' dead' : ''}${flags & 2 ? ' against' : ''}` });
    element.style.stroke = color(path.actors[owner.actor]);
    return element;
  }

  // From a step down along the edge's lane to the parent. The straight part is cut to what is in sight.
  function curve([from, to, lane], a, b, first, last) {
    const [start, end] = a <= b ? [path.steps[from].lane, path.steps[to].lane] : [path.steps[to].lane, path.steps[from].lane];
    const [top, bottom] = [Math.min(a, b), Math.max(a, b)];
    const bend = rowHeight * 0.9;
    let d = `M${x(start)} ${y(top)}`;
    if (bottom - top <= 1 && start !== lane && end !== lane) {
      return `${d} C${x(lane)} ${y(top) + bend / 2} ${x(lane)} ${y(bottom) - bend / 2} ${x(end)} ${y(bottom)}`;
    }
    if (start !== lane) {
      d += bottom - top <= 1
        ? ` C${x(start)} ${y(top) + bend * 0.6} ${x(lane)} ${y(top) + bend * 0.4} ${x(lane)} ${y(bottom)}`
        : ` C${x(start)} ${y(top) + bend * 0.6} ${x(lane)} ${y(top) + bend * 0.4} ${x(lane)} ${y(top) + bend}`;
    }
    const turn = end === lane ? y(bottom) : Math.max(y(bottom) - bend, y(top));
    if (start === lane && turn > y(top)) {
      d = `M${x(lane)} ${Math.max(y(top), (first - 1) * rowHeight)}`;
    }
    d += ` L${x(lane)} ${Math.max(Math.min(turn, (last + 1) * rowHeight), y(top))}`;
    if (end !== lane && bottom <= last + 1) {
      d += ` L${x(lane)} ${turn} C${x(lane)} ${turn + bend * 0.6} ${x(end)} ${y(bottom) - bend * 0.6} ${x(end)} ${y(bottom)}`;
    }
    return d;
  }

  // The strip over the rows: how many steps there were when, by actor.
  let span;
  let windowRect;
  function drawStrip() {
    const times = shown.map((row) => path.steps[row].ms).filter((ms) => ms !== 0);
    const first = times.reduce((a, b) => Math.min(a, b), Infinity);
    const last = times.reduce((a, b) => Math.max(a, b), -Infinity);
    span = first < last ? { first, last } : undefined;
    strip.classList.toggle('hidden', !span);
    if (!span) {
      return;
    }
    const width = strip.clientWidth - 36;
    const height = 34;
    const slots = Math.max(10, Math.min(400, Math.floor(width / 5)));
    const sums = Array.from({ length: slots }, () => new Map());
    for (const row of shown) {
      const { ms, actor } = path.steps[row];
      if (ms !== 0) {
        const slot = sums[Math.min(slots - 1, Math.floor(((ms - first) / (last - first)) * slots))];
        slot.set(actor, (slot.get(actor) ?? 0) + 1);
      }
    }
    const most = Math.max(...sums.map((slot) => [...slot.values()].reduce((a, b) => a + b, 0)));
    const bars = [];
    sums.forEach((slot, i) => {
      let top = height;
      for (const [actor, n] of [...slot].sort((a, b) => a[0] - b[0])) {
        const tall = Math.max(2, (n / most) * (height - 4));
        top -= tall;
        const bar = make('rect', { x: (i * width) / slots, y: top, width: Math.max(2, width / slots - 1), height: Math.max(1, tall - 0.5), rx: 1 });
        bar.style.fill = color(path.actors[actor]);
        bars.push(bar);
      }
    });
    windowRect = make('rect', { class: 'window', y: -2, height: height + 3, rx: 3 });
    strip.replaceChildren(make('svg', {}, make('line', { class: 'axis', x1: 0, x2: width, y1: height, y2: height }), ...bars, ...ticks(width, height), windowRect));
  }

  const steps = [60_000, 300_000, 900_000, 1_800_000, 3_600_000, 10_800_000, 21_600_000, 43_200_000, 86_400_000, 172_800_000, 604_800_000, 1_209_600_000, 2_630_016_000, 7_890_048_000, 31_557_600_000];
  function ticks(width, height) {
    const room = (span.last - span.first) / Math.max(2, width / 110);
    const distance = steps.find((step) => step >= room) ?? steps.at(-1) * Math.ceil(room / steps.at(-1));
    const format = tickFormats.find(([least]) => distance >= least)[1];
    const zone = new Date(span.first).getTimezoneOffset() * 60_000;
    const all = [];
    for (let ms = Math.ceil((span.first - zone) / distance) * distance + zone; ms <= span.last; ms += distance) {
      const at = timeX(ms, width);
      all.push(make('line', { class: 'axis', x1: at, x2: at, y1: height, y2: height + 4 }));
      if (at < width - 30) {
        all.push(make('text', { x: at + 3, y: height + 13 }, format.format(ms)));
      }
    }
    return all;
  }

  const timeX = (ms, width) => ((ms - span.first) / (span.last - span.first)) * width;

  // Shows in the strip which rows are in sight.
  function moveWindow() {
    if (!span) {
      return;
    }
    const top = Math.max(0, Math.floor(list.scrollTop / rowHeight));
    const bottom = Math.min(shown.length, Math.ceil((list.scrollTop + list.clientHeight) / rowHeight));
    const times = shown.slice(top, bottom).map((row) => path.steps[row].ms).filter((ms) => ms !== 0);
    if (times.length === 0) {
      return;
    }
    windowRect.classList.toggle('hidden', top === 0 && bottom === shown.length);
    const width = strip.clientWidth - 36;
    const [from, to] = [timeX(Math.min(...times), width), timeX(Math.max(...times), width)];
    windowRect.setAttribute('x', from - 2);
    windowRect.setAttribute('width', Math.max(6, to - from + 6));
  }

  function followPointer(event) {
    const go = ({ clientX }) => {
      const box = strip.getBoundingClientRect();
      const ms = span.first + ((clientX - box.left - 18) / (box.width - 36)) * (span.last - span.first);
      let nearest = 0;
      shown.forEach((row, at) => {
        const step = path.steps[row];
        if (step.ms !== 0 && Math.abs(step.ms - ms) < Math.abs(path.steps[shown[nearest]].ms - ms)) {
          nearest = at;
        }
      });
      list.scrollTop = nearest * rowHeight - list.clientHeight / 2;
    };
    go(event);
    strip.setPointerCapture(event.pointerId);
    strip.addEventListener('pointermove', go);
    strip.addEventListener('lostpointercapture', () => strip.removeEventListener('pointermove', go), { once: true });
  }

  function select(row, focus = true) {
    selected = row;
    const at = place[row];
    if (at >= 0) {
      const top = at * rowHeight;
      if (top < list.scrollTop + rowHeight) {
        list.scrollTop = top - rowHeight;
      } else if (top > list.scrollTop + list.clientHeight - 2 * rowHeight) {
        list.scrollTop = top - list.clientHeight + 2 * rowHeight;
      }
    }
    draw();
    list.setAttribute('aria-activedescendant', `row-${row}`);
    showDetails();
    if (focus) {
      list.focus({ preventScroll: true });
    }
    host?.setState({ path: path.id, step: path.steps[row].id });
  }

  function showDetails() {
    const step = path?.steps[selected];
    details.classList.toggle('hidden', !step);
    if (!step) {
      details.replaceChildren();
      return;
    }
    const actor = path.actors[step.actor];
    details.setAttribute('aria-label', `Step ${step.id}`);
    details.scrollTop = 0;
    details.replaceChildren(
      make('button', { class: 'close', type: 'button', 'aria-label': 'Close', title: 'Close (Escape)', click: () => close() }, '✕'),
      make('h2', {}, step.id, ...tags(selected)),
      make('p', { class: 'person' }, glyph(actor), make('span', {}, actor.name || 'no actor', make('span', { class: 'faint' }, ` ${actor.actor}${actor.detail && ` · ${actor.detail}`}`))),
      make('div', { class: 'faint', title: step.time }, step.ms !== 0 ? `${wholeFormat.format(step.ms)} · ${ago(step.ms)}` : step.time || 'no time'),
      make('p', { class: step.intent ? 'intent' : 'intent faint' }, step.intent || 'No intent is on record.'),
      actions(step),
      ...relatives(step.parents.length > 1 ? 'Parents' : 'Parent', step.parents),
      ...relatives(children[selected].length > 1 ? 'Children' : 'Child', children[selected]),
      ...files(step),
      make('div', { class: 'keys', 'aria-hidden': 'true' }, ...[['↑ ↓', 'move'], ['p', 'parent'], ['c', 'child'], ['h', 'head'], ['/', 'filter'], ['Esc', 'close']].map(([key, what]) => make('span', {}, make('kbd', {}, key), ` ${what}`))),
    );
  }

  function actions(step) {
    const all = host
      ? [
          make('button', { type: 'button', click: () => open('document') }, 'Open in document'),
          (step.diff || step.left) && make('button', { type: 'button', click: () => open('diff') }, 'Open diff'),
        ]
      : [
          drawing.href && make('a', { href: drawing.href }, `${drawing.document}, line ${step.line}`),
          make('button', { type: 'button', click: (event) => navigator.clipboard?.writeText(step.id).then(() => (event.target.textContent = 'Copied')) }, 'Copy step id'),
        ];
    return make('div', { class: 'actions' }, ...all);
  }

  function relatives(name, which) {
    if (which.length === 0) {
      return [];
    }
    const items = which.slice(0, 50).map((row) => make('li', {}, row < 0
      ? make('span', { class: 'faint' }, 'a step that is not here')
      : make('button', { class: 'step', type: 'button', click: () => reveal(row) }, firstLine(path.steps[row].intent) || path.steps[row].id, make('span', { class: 'faint' }, ` ${path.steps[row].id}`))));
    if (which.length > 50) {
      items.push(make('li', { class: 'faint' }, `${which.length - 50} more`));
    }
    return [make('h3', {}, name), make('ul', {}, ...items)];
  }

  function files(step) {
    if (step.changes.length === 0) {
      return [];
    }
    const items = step.changes.map((change) => make('li', {},
      make('span', { class: 'file' }, path.artifacts[change.artifact]), ' ', sizeOf(change.diff, change.added ?? 0, change.removed ?? 0),
      change.words && make('span', { class: 'faint' }, ` ${change.words}`)));
    if (step.more) {
      items.push(make('li', { class: 'faint' }, `${step.more} more`));
    }
    const left = step.left && make('p', { class: 'faint' }, host ? 'The diff is too long to be shown here.' : 'The diff is too long for this page; the document has it.');
    return [make('h3', {}, step.changes.length + (step.more ?? 0) > 1 ? 'Files' : 'File'), make('ul', {}, ...items), step.diff ? diff(step.diff) : left || ''];
  }

  // A diff with its lines in colors. What begins with "#" before a file says what is above already.
  function diff(text) {
    const lines = text.replace(/\n$/, '').split('\n');
    const pre = make('pre', { tabindex: '0', 'aria-label': 'Diff' });
    let inside = false;
    for (const line of lines.slice(0, 2000)) {
      if (line.startsWith('# ') || line === '') {
        inside = inside && !line.startsWith('# ');
        continue;
      }
      const header = line.startsWith('--- ') || line.startsWith('+++ ');
      const kind = header ? 'name' : line.startsWith('@@') ? 'hunk' : line.startsWith('+') ? 'plus' : line.startsWith('-') ? 'minus' : undefined;
      if (line.startsWith('--- ')) {
        continue;
      }
      pre.append(make('span', { class: kind }, header ? line.slice(4).replace(/^b\//, '') : line));
    }
    if (lines.length > 2000) {
      pre.append(make('span', { class: 'hunk' }, `${lines.length - 2000} more lines`));
    }
    return pre;
  }

  function reveal(row) {
    if (place[row] < 0) {
      clear();
    }
    select(row);
  }

  function clear() {
    words.value = '';
    artifacts.value = '-1';
    wanted.actors.clear();
    wanted.dead = false;
    actors.querySelectorAll('[aria-pressed]').forEach((button) => button.setAttribute('aria-pressed', 'false'));
    filter();
    list.focus();
  }

  function close() {
    selected = -1;
    list.removeAttribute('aria-activedescendant');
    showDetails();
    draw();
    list.focus({ preventScroll: true });
  }

  function open(what) {
    if (host && selected >= 0) {
      host.postMessage({ open: what, path: path.id, step: path.steps[selected].id });
    }
  }

  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || shown.length === 0) {
      return;
    }
    const page = Math.max(1, Math.floor(list.clientHeight / rowHeight) - 1);
    const at = selected >= 0 ? place[selected] : -1;
    const move = (to) => select(shown[Math.max(0, Math.min(shown.length - 1, to))]);
    const keys = {
      ArrowDown: () => move(at + 1),
      ArrowUp: () => move(at < 0 ? 0 : at - 1),
      j: () => move(at + 1),
      k: () => move(at < 0 ? 0 : at - 1),
      PageDown: () => move(at + page),
      PageUp: () => move(at - page),
      Home: () => move(0),
      End: () => move(shown.length - 1),
      p: () => selected >= 0 && path.steps[selected].parents.some((row) => row >= 0) && reveal(path.steps[selected].parents.find((row) => row >= 0)),
      c: () => selected >= 0 && children[selected].length > 0 && reveal(children[selected].find((row) => !path.steps[row].dead) ?? children[selected][0]),
      h: () => path.head >= 0 && reveal(path.head),
      Enter: () => (selected < 0 ? move(0) : open('document')),
      ' ': () => selected < 0 && move(0),
      d: () => open('diff'),
    };
    if (keys[event.key]) {
      keys[event.key]();
      event.preventDefault();
    }
  }

  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && !(event.target instanceof HTMLInputElement)) {
      words.focus();
      words.select();
      event.preventDefault();
    } else if (event.key === 'Escape') {
      event.target === words && words.value !== '' ? clear() : close();
      event.preventDefault();
    } else if ((event.key === 'ArrowDown' || event.key === 'Enter') && event.target === words && shown.length > 0) {
      select(shown[0]);
      event.preventDefault();
    }
  });

  window.addEventListener('resize', () => {
    if (path) {
      drawStrip();
      draw();
    }
  });
  window.addEventListener('message', ({ data }) => {
    if (host && data?.drawing) {
      load(data.drawing);
    }
    if (host && data?.show) {
      show(data.show);
    }
  });

  // Shows a step by the ids of its path and itself.
  function show(at) {
    const index = drawing.paths.findIndex((p) => p.id === at.path);
    if (index >= 0 && drawing.paths[index] !== path) {
      choosePath(index);
    }
    const row = path ? path.steps.findIndex((step) => step.id === at.step) : -1;
    if (row >= 0) {
      reveal(row);
    }
  }

  load(JSON.parse(document.getElementById('data').textContent));
  const state = host?.getState();
  if (state) {
    show(state);
  }
  host?.postMessage({ ready: true });
})();
