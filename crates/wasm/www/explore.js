// The tab that explains and plans.
import { asked, keep } from './address.js';
import { ask, forget } from './ask.js';
import { enliven } from './zoom.js';

const at = (id) => document.getElementById(id);
const percent = (part) => `${(100 * part + 0).toFixed(1)} %`;
const whole = (number) => Math.round(number).toLocaleString('en');

let primitives = [];
// Built-in platforms, and the texts that the reader made of them.
const builtIn = new Map();
const texts = new Map();
// Platforms whose text is newer than their row of the table.
const outdated = new Set();
let shown = 's12x-xgate';
const MOST_BYTES = 65536;
const MOST_STEPS = 1000;

function option(value, text) {
  const made = document.createElement('option');
  made.value = value;
  made.textContent = text;
  return made;
}

// Options under the headings of their groups, in the order in which they come.
function grouped(listed) {
  const groups = new Map();
  for (const { name, title, group } of listed) {
    if (!groups.has(group)) {
      const made = document.createElement('optgroup');
      made.label = group;
      groups.set(group, made);
    }
    groups.get(group).append(option(name, title));
  }
  return groups.values();
}

function fault(id, error) {
  at(id).hidden = !error;
  at(id).textContent = error ? error.message : '';
}

// The pieces of a page; their headings come below those of this one.
function show(id, { sections }) {
  const box = at(id);
  box.replaceChildren();
  for (const { heading, lead, html } of sections) {
    const section = document.createElement('section');
    const title = document.createElement('h3');
    title.textContent = heading;
    section.append(title);
    if (lead) {
      const said = document.createElement('p');
      said.className = 'lead';
      said.textContent = lead;
      section.append(said);
    }
    const body = document.createElement('div');
    // Every text in it was escaped where it was made.
    body.innerHTML = html;
    for (const wide of body.querySelectorAll('.scroll')) {
      wide.tabIndex = 0;
      wide.setAttribute('role', 'region');
      wide.setAttribute('aria-label', heading);
    }
    section.append(body);
    box.append(section);
  }
  enliven(box);
}

async function answer(topic, question, args, { into, says, error, later }) {
  at(into).setAttribute('aria-busy', 'true');
  try {
    const found = await ask(topic, question, args, later);
    if (!found) return null;
    fault(error, null);
    at(says).textContent = found.answer;
    show(into, found);
    at(into).removeAttribute('aria-busy');
    return found;
  } catch (refusal) {
    empty(topic, into, says);
    fault(error, refusal);
    return null;
  }
}

// Removes the answer that is shown, and drops one that is still to come.
function empty(topic, into, says) {
  forget(topic);
  at(says).textContent = '';
  at(into).replaceChildren();
  at(into).removeAttribute('aria-busy');
}

function length() {
  const value = at('length').valueAsNumber;
  return Number.isInteger(value) && value >= 0 && value <= MOST_BYTES ? value : null;
}

async function explain() {
  const [primitive, part] = [at('primitive').value, at('part').value];
  const found = await answer('explain', 'explain', [primitive, part, length()],
    { into: 'graph', says: 'answer', error: 'explain-error' });
  if (found) at('made-by').textContent = `The same in a terminal: ${found.made_by}`;
}

async function plan() {
  // Without a length there is no message to plan.
  if (length() === null) return;
  const text = texts.get(shown) ?? builtIn.get(shown).text;
  const found =
    await answer('plan', 'plan', [at('primitive').value, `${shown}.toml`, text, length(), true],
      { into: 'plan', says: 'plan-answer', error: 'file-error', later: 1 });
  if (found) {
    at('plan-title').textContent = found.title;
    figure(shown, found.figures);
  } else if (!at('file-error').hidden) {
    at('plan-title').textContent = '';
    figure(shown, { error: at('file-error').textContent });
  }
  at('file').setAttribute(
    'aria-invalid', String(at('file-error').textContent.startsWith(`${shown}.toml:`)));
}

async function hardware() {
  const inputs = [at('merge'), at('stages')];
  const numbers = inputs.map((input) => input.valueAsNumber);
  const isNumber = (number) => Number.isInteger(number) && number >= 1 && number <= MOST_STEPS;
  inputs.forEach((input, i) => input.setAttribute('aria-invalid', String(!isNumber(numbers[i]))));
  if (!numbers.every(isNumber)) {
    empty('hardware', 'hardware', 'hardware-answer');
    fault(
      'hardware-error', new Error(`steps and stages are whole numbers from 1 to ${MOST_STEPS}`));
    return;
  }
  await answer('hardware', 'hardware', [at('primitive').value, at('model').value, ...numbers],
    { into: 'hardware', says: 'hardware-answer', error: 'hardware-error', later: 2 });
}

// A platform's row of the table.
function row(name) {
  const made = document.createElement('tr');
  made.dataset.platform = name;
  const head = document.createElement('th');
  head.scope = 'row';
  head.textContent = builtIn.get(name).title;
  made.append(head);
  for (const column of ['saved', 'limit', 'cycles', 'handshakes', 'basis']) {
    const cell = document.createElement('td');
    cell.dataset.column = column;
    if (column !== 'basis') cell.className = 'n';
    made.append(cell);
  }
  const cell = document.createElement('td');
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Show';
  button.setAttribute('aria-label', `Show the plan for ${builtIn.get(name).title}`);
  button.addEventListener('click', () => {
    choose(name);
    remember();
    // The title gets the focus and is read aloud: it must not be that of the plan before.
    if (length() !== null) at('plan-title').textContent = builtIn.get(name).title;
    plan();
    if (outdated.size > 0) compare();
    at('plan-title').focus({ preventScroll: false });
  });
  cell.append(button);
  made.append(cell);
  return made;
}

function figure(name, figures) {
  const cells = (column) =>
    document.querySelector(`tr[data-platform="${name}"] [data-column=${column}]`);
  const say = (column, text) => { cells(column).textContent = text; };
  if (!figures) {
    for (const column of ['saved', 'limit', 'cycles', 'handshakes']) say(column, '…');
    return;
  }
  outdated.delete(name);
  if (figures.error !== undefined) {
    say('saved', '-');
    for (const column of ['limit', 'cycles', 'handshakes']) say(column, '-');
    say('basis', figures.error);
    return;
  }
  const changed = texts.has(name) ? 'changed by you' : figures.basis;
  say('saved', percent(figures.saved));
  say(
    'limit', figures.limit < figures.main ? percent(1 - figures.limit / figures.main) : percent(0));
  say('cycles', whole(figures.cycles));
  say('handshakes', whole(figures.handshakes));
  say('basis', changed);
}

// All platforms, one after the other, as long as nobody asks for something else.
let round = 0;
async function compare() {
  const mine = ++round;
  const [primitive, bytes] = [at('primitive').value, length()];
  if (bytes === null) return;
  for (const name of builtIn.keys()) figure(name, null);
  for (const name of builtIn.keys()) {
    if (mine !== round) return;
    const text = texts.get(name) ?? builtIn.get(name).text;
    try {
      const found =
        await ask('compare', 'plan', [primitive, `${name}.toml`, text, bytes, false], 3);
      if (mine !== round || !found) return;
      figure(name, found);
    } catch (error) {
      if (mine === round) figure(name, { error: error.message });
    }
  }
}

function choose(name) {
  shown = name;
  at('file').value = texts.get(name) ?? builtIn.get(name).text;
  at('edited').textContent = builtIn.get(name).title;
  fault('file-error', null);
  for (const row of document.querySelectorAll('#platforms tbody tr')) {
    row.classList.toggle('best', row.dataset.platform === name);
    row.querySelector('button').setAttribute('aria-pressed', String(row.dataset.platform === name));
  }
}

function about() {
  const { warning } = primitives.find(({ name }) => name === at('primitive').value);
  at('warning').hidden = !warning;
  at('warning').textContent = warning ? `Not for new use: ${warning}.` : '';
  const bytes = length();
  at('length').setAttribute('aria-invalid', String(bytes === null));
  if (bytes === null) {
    fault('explain-error', new Error(`the message has 0 to ${MOST_BYTES} bytes, a whole number`));
  }
  return bytes !== null;
}

function remember() {
  const value = (id) => [id, at(id).value];
  keep({
    ...Object.fromEntries(['primitive', 'part', 'length', 'model', 'merge', 'stages'].map(value)),
    on: shown,
  });
}

function recall() {
  const question = asked();
  const has = (id, value) => [...at(id).options].some((option) => option.value === value);
  for (const id of ['primitive', 'part', 'model']) {
    const value = question.get(id);
    if (value && has(id, value)) at(id).value = value;
  }
  for (const [id, least, most] of [
         ['length', 0, MOST_BYTES], ['merge', 1, MOST_STEPS], ['stages', 1, MOST_STEPS]]) {
    const value = question.get(id);
    if (/^\d+$/.test(value) && Number(value) >= least && Number(value) <= most)
      at(id).value = value;
  }
  const name = question.get('on');
  if (builtIn.has(name)) shown = name;
}

function rest() {
  plan();
  hardware();
  compare();
  remember();
}

let waiting;
function all() {
  clearTimeout(waiting);
  if (about()) {
    explain();
    waiting = setTimeout(rest, 150);
    return;
  }
  // Answers to the question before would be taken for answers to this one.
  empty('explain', 'graph', 'answer');
  empty('plan', 'plan', 'plan-answer');
  at('plan-title').textContent = '';
  fault('file-error', null);
  forget('compare');
  round++;
  for (const name of builtIn.keys()) figure(name, { error: '' });
  hardware();
}

/** Fills the lists, and answers the first question. */
export async function begin() {
  try {
    primitives = await ask('primitives', 'primitives', []);
    at('primitive').replaceChildren(...grouped(primitives));
    at('primitive').value = 'sha256';
    recall();
    // What was asked for is answered first; lists follow.
    if (about()) explain();
    const [platforms, models] = await Promise.all(
      [ask('platforms', 'platforms', []), ask('models', 'models', [])]);
    for (const platform of platforms) builtIn.set(platform.name, platform);
    at('platforms').tBodies[0].replaceChildren(...platforms.map(({ name }) => row(name)));
    at('model').replaceChildren(...models.map(({ name, title }) => option(name, title)));
    at('model').value =
      models.some(({ name }) => name === 'generic-gates') ? 'generic-gates' : models[0].name;
    recall();
    choose(shown);
    rest();
  } catch (error) {
    fault('explain-error', error);
    at('answer').textContent = '';
    return;
  }
  for (const id of ['primitive', 'part', 'length']) at(id).addEventListener('change', all);
  for (const id of ['model', 'merge', 'stages']) {
    at(id).addEventListener('change', () => {
      hardware();
      remember();
    });
  }
  window.addEventListener('hashchange', () => {
    recall();
    choose(shown);
    all();
  });
  for (const id of ['question', 'shape'])
    at(id).addEventListener('submit', (event) => event.preventDefault());
  let typing;
  at('file').addEventListener('input', () => {
    const text = at('file').value;
    if (text === builtIn.get(shown).text) texts.delete(shown);
    else texts.set(shown, text);
    outdated.add(shown);
    clearTimeout(typing);
    typing = setTimeout(plan, 300);
  });
  // A textarea takes Tab as a jump already; Escape leaves it for who is used to editors.
  at('file').addEventListener('keydown', (event) => {
    if (event.key === 'Escape') at('restore').focus();
  });
  at('restore').addEventListener('click', () => {
    texts.delete(shown);
    choose(shown);
    plan();
  });
}
