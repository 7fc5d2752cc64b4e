// The tab that hashes files.
import { algorithms } from './manylane/browser.js';
import { hashFiles } from './manylane/files.js';
import { asked, keep } from './address.js';
import { keyOf } from './key.js';
import { OTHER_HASH, byName, compared, line, plainHash, read, tagOf, verdict } from './lists.js';

const at = (id) => document.getElementById(id);
let known = [];
let all = [];
// Where files of a dropped folder lie in it.
const paths = new WeakMap();
let results = [];
// How the results were made: the entries of their hashes, and whether under a key.
let made = { of: [], isKeyed: false };
// The hashes that lists may name, by every plain spelling.
const hashes = new Map();
let stopping = null;
// Whether Enter was pressed in the field of the key as it stands: only then an empty field is the
// empty key.
let isEntered = false;

function fault(error, id = 'files-error') {
  at(id).hidden = !error;
  at(id).textContent = error ? error.message : '';
}

const plural = (n, name) => `${n.toLocaleString('en')} ${name}${n === 1 ? '' : 's'}`;

const keyed = (name, isKeyed) => (isKeyed ? `hmac-${name}` : name);

const boxes = () => [...at('algorithms').querySelectorAll('input')];

// The entries of the hashes that are chosen, that of the list first.
function chosen() {
  const names = new Set([at('algorithm').value]);
  for (const box of boxes()) if (box.checked) names.add(box.value);
  return [...names].map((name) => known.find((one) => one.name === name));
}

function cellsOf(texts) {
  return texts.map((text) => {
    const cell = document.createElement('td');
    cell.textContent = text;
    return cell;
  });
}

// A row for each digest of a file.
function rowsOf({ name, size, digests, error, said }) {
  const isOne = made.of.length === 1;
  const of = error ? [{ text: error, mark: '', title: '' }]
    : digests.map((text, i) => ({ text, mark: said[i], title: tagOf(made.of[i], made.isKeyed) }));
  return of.map(({ text, mark, title }) => {
    const row = document.createElement('tr');
    const head = document.createElement('th');
    head.scope = 'row';
    head.textContent = name;
    const cells =
      cellsOf([error ? '' : size.toLocaleString('en'), ...isOne ? [] : [title], text, mark]);
    cells[0].className = 'n';
    cells.at(-2).className = 'digest';
    if (mark && mark !== OTHER_HASH) cells.at(-1).className = mark === 'same' ? 'good' : 'bad';
    row.append(head, ...cells);
    return row;
  });
}

function show() {
  let entries = [];
  try {
    entries = read(at('list').value);
    fault(null);
  } catch (error) {
    fault(error);
  }
  const listed = byName(entries);
  const names = made.of.map(({ name }) => keyed(name, made.isKeyed));
  results = results.map((result) => {
    const { name, digests, error } = result;
    const said = error ? [] : digests.map((digest, i) => compared(
      listed, { name, digest }, names[i], hashes, digests.filter((_, other) => other !== i)));
    return { ...result, said };
  });
  at('hash-column').hidden = made.of.length < 2;
  at('digest-column').textContent = made.isKeyed ? 'HMAC tag' : 'digest';
  at('digests').tBodies[0].replaceChildren(...results.flatMap(rowsOf));
  for (const id of ['copy', 'save']) at(id).disabled = results.every(({ error }) => error);
  return entries;
}

function summary(entries) {
  const failed = results.filter(({ error }) => error).length;
  const by = made.of.length > 1 ? ` by ${made.of.length} functions` : '';
  const said = [
    `${plural(results.length - failed, 'file')} hashed${by}${made.isKeyed ? ' under the key' : ''}`
  ];
  if (failed) said.push(`${failed} could not be read`);
  if (entries.length) {
    const count = (what) => results.filter(({ said }) => verdict(said) === what).length;
    said.push(`${count('same')} as listed, ${count('different')} different, ${
      count('not listed')} not listed`);
    if (count(OTHER_HASH))
      said.push(`${count(OTHER_HASH)} listed with another hash: choose that hash`);
    const names = new Set(all.map(({ name }) => name));
    const missing = entries.filter(({ name }) => name !== null && !names.has(name)).length;
    if (missing) said.push(`${missing} of the list not given`);
  }
  return `${said.join('; ')}.`;
}

// The key that is written, null for none. Shows what is wrong with a key, and then throws.
function keyWritten() {
  try {
    const key = keyOf(at('key-form').value, at('key').value);
    fault(null, 'key-error');
    at('key-warning').hidden = key?.length !== 0 || !isEntered;
    at('key').setAttribute('aria-invalid', 'false');
    return key;
  } catch (error) {
    fault(error, 'key-error');
    at('key-warning').hidden = true;
    at('key').setAttribute('aria-invalid', 'true');
    throw error;
  }
}

// Shows what is wrong with the key, if anything is.
function checkKey() {
  try {
    keyWritten();
  } catch {
    // It is shown already.
  }
}

async function start(files) {
  // Text was dropped, or the choice was given up.
  if (files.length === 0) return;
  stopping?.abort(new Error('stopped'));
  all = [...files];
  results = [];
  at('progress').value = 0;
  let key;
  try {
    key = keyWritten();
  } catch {
    stopping = null;
    at('stop').disabled = true;
    show();
    at('files-said').textContent = `${plural(all.length, 'file')} not hashed: the key is wrong.`;
    return;
  }
  if (key?.length === 0 && !isEntered) {
    awaitKey();
    return;
  }
  made = { of: chosen(), isKeyed: key !== null };
  show();
  const mine = stopping = new AbortController();
  at('stop').disabled = false;
  at('files-said').textContent = `Hashing ${plural(all.length, 'file')}.`;
  try {
    const found = await hashFiles(made.of.map(({ name }) => name), all, {
      signal: mine.signal,
      ...key && { key },
      onProgress: ({ bytes, totalBytes }) => {
        if (mine === stopping) at('progress').value = totalBytes ? bytes / totalBytes : 1;
      },
    });
    if (mine !== stopping) return;
    results = found.map((result, i) => ({ ...result, name: paths.get(all[i]) ?? result.name }));
    at('progress').value = 1;
    at('files-said').textContent = summary(show());
  } catch (error) {
    if (mine !== stopping) return;
    if (mine.signal.aborted) at('files-said').textContent = 'Stopped.';
    else fault(error);
  } finally {
    if (mine === stopping) {
      // A button that is disabled loses the focus, and the keyboard its place.
      if (document.activeElement === at('stop')) at('choose').focus();
      at('stop').disabled = true;
    }
  }
}

// The lines of all digests, those of a file one after the other.
function lines() {
  const { of, isKeyed } = made;
  const tag = (entry) => (of.length > 1 ? tagOf(entry, isKeyed) : undefined);
  return results.filter(({ error }) => !error).flatMap(
    ({ name, digests }) => digests.map((digest, i) => line(name, digest, tag(of[i]))));
}

function save() {
  const text = lines();
  const [{ name }, ...others] = made.of;
  const link = document.createElement('a');
  // Chromium would put .txt behind the name of a text.
  const type = 'application/octet-stream';
  link.href = URL.createObjectURL(new Blob([`${text.join('\n')}\n`], { type }));
  link.download =
    others.length > 0 ? 'CHECKSUMS' : `${made.isKeyed ? 'HMAC-' : ''}${name.toUpperCase()}SUMS`;
  link.click();
  // The browser has begun to read it when the click returns; a minute is for slow ones.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  at('files-said').textContent = `${plural(text.length, 'line')} saved as ${link.download}.`;
}

// The files below a dropped file or folder.
async function below(entry) {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    paths.set(file, entry.fullPath.replace(/^\//, ''));
    return [file];
  }
  const reader = entry.createReader();
  const found = [];
  // A reader gives some entries at a time, and none at the end.
  for (let some = [entry]; some.length > 0; found.push(...some)) {
    some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
  }
  const files = [];
  for (const one of found) files.push(...await below(one));
  return files;
}

let drops = 0;
async function dropped(data) {
  const mine = ++drops;
  // Entries have to be asked for before the first wait.
  const entries = [...data.items].map((item) => item.webkitGetAsEntry?.()).filter((entry) => entry);
  if (!entries.some(({ isDirectory }) => isDirectory)) {
    start(data.files);
    return;
  }
  try {
    const files = [];
    for (const entry of entries) files.push(...await below(entry));
    if (mine !== drops) return;
    fault(null);
    if (files.length > 0) start(files);
    else at('files-said').textContent = 'The folder has no files.';
  } catch (error) {
    fault(new Error(`a folder cannot be read (${error.message}): choose its files`));
  }
}

// Chooses the hashes of the address: the first in the list, the others by their boxes.
function recall() {
  const names =
    (asked().get('hash') ?? '').split(',').filter((name) => known.some((one) => one.name === name));
  at('algorithm').value = names[0] ?? 'sha256';
  for (const box of boxes()) box.checked = names.slice(1).includes(box.value);
  if (names.length > 1) at('more').open = true;
}

function warn() {
  const warnings =
    chosen().filter(({ warning }) => warning).map(({ title, warning }) => `${title}: ${warning}.`);
  at('files-warning').hidden = warnings.length === 0;
  at('files-warning').textContent =
    warnings.length > 0 ? `Not for new use. ${warnings.join(' ')}` : '';
  // The hash of the list is chosen already.
  for (const box of boxes()) box.disabled = box.value === at('algorithm').value;
  const more = chosen().length - 1;
  at('more-count').textContent = more > 0 ? ` (${more} chosen)` : '';
}

// Removes results without a key, or under another one, until the key is written.
function awaitKey() {
  stopping?.abort(new Error('stopped'));
  stopping = null;
  at('stop').disabled = true;
  at('progress').value = 0;
  results = [];
  show();
  at('key-warning').hidden = true;
  at('files-said').textContent =
    'Write the key. Enter in the empty field stands for the empty key.';
}

function listenToKey() {
  // A browser wants a password in a form; Enter there sends nothing.
  at('keying').addEventListener('submit', (event) => event.preventDefault());
  at('key-form').addEventListener('change', () => {
    const isKeyed = at('key-form').value !== 'none';
    for (const id of ['key-place', 'key-help']) at(id).hidden = !isKeyed;
    if (!isKeyed) at('key').value = '';
    isEntered = false;
    fault(null, 'key-error');
    // A key that is not written yet is no mistake.
    if (!isKeyed || at('key').value !== '') start(all);
    else awaitKey();
  });
  at('key').addEventListener('input', () => {
    isEntered = false;
  });
  // The field has a change of its own only where its text is another one.
  at('key').addEventListener('keydown', ({ key }) => {
    if (key !== 'Enter') return;
    isEntered = true;
    if (at('key').value.trim() === '') start(all);
  });
  at('key').addEventListener('change', () => {
    if (all.length > 0) start(all);
    else checkKey();
  });
  at('key-shown').addEventListener('change', () => {
    at('key').type = at('key-shown').checked ? 'text' : 'password';
  });
  // The browser may keep a page for the way back, and then the page must not hold the key.
  window.addEventListener('pagehide', () => {
    at('key').value = '';
    at('key').type = 'password';
    isEntered = false;
    at('key-warning').hidden = true;
    at('key-shown').checked = false;
    at('key-form').value = 'none';
    for (const id of ['key-place', 'key-help']) at(id).hidden = true;
  });
}

/** Fills the lists of hashes and listens. */
export function begin() {
  known = algorithms();
  for (const one of known) {
    for (const isKeyed of [false, true]) {
      const name = keyed(one.name, isKeyed);
      for (const spelling of [name, tagOf(one, isKeyed)]) hashes.set(plainHash(spelling), name);
    }
  }
  at('algorithm').replaceChildren(...known.map(({ name, title }) => {
    const option = document.createElement('option');
    option.value = name;
    option.textContent = title;
    return option;
  }));
  at('algorithms').replaceChildren(...known.map(({ name, title }) => {
    const [label, box] = [document.createElement('label'), document.createElement('input')];
    box.type = 'checkbox';
    box.value = name;
    label.append(box, ` ${title}`);
    return label;
  }));
  recall();
  warn();
  const changed = () => {
    warn();
    start(all);
  };
  const names = () => chosen().map(({ name }) => name).join(',');
  for (const id of ['algorithm', 'algorithms']) {
    at(id).addEventListener('change', () => {
      keep({ hash: names() });
      changed();
    });
  }
  window.addEventListener('hashchange', () => {
    const before = names();
    recall();
    if (names() !== before) changed();
  });
  listenToKey();
  at('choose').addEventListener('change', () => start(at('choose').files));
  at('list').addEventListener('input', () => {
    const entries = show();
    if (results.length && at('files-error').hidden) at('files-said').textContent = summary(entries);
  });
  at('stop').addEventListener('click', () => stopping?.abort(new Error('stopped')));
  at('save').addEventListener('click', save);
  at('copy').addEventListener('click', async () => {
    const text = lines();
    try {
      await navigator.clipboard.writeText(`${text.join('\n')}\n`);
      at('files-said').textContent = `${plural(text.length, 'line')} copied.`;
    } catch {
      at('files-said').textContent =
        'The browser does not allow copying here: save the list as a file.';
    }
  });
  const drop = at('drop');
  for (const name of ['dragenter', 'dragover']) {
    drop.addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.add('over');
    });
  }
  for (const name of ['dragleave', 'drop']) {
    drop.addEventListener(name, () => drop.classList.remove('over'));
  }
  // A file that misses the place must not replace the page.
  for (const name of ['dragover', 'drop']) {
    window.addEventListener(name, (event) => event.preventDefault());
  }
  drop.addEventListener('drop', (event) => dropped(event.dataTransfer));
}
