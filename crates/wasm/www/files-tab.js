// The tab that hashes files.
import { algorithms } from './manylane/browser.js';
import { hashFiles } from './manylane/files.js';
import { asked, keep } from './address.js';
import { OTHER_HASH, byName, compared, line, plainHash, read } from './lists.js';

const at = (id) => document.getElementById(id);
let all = [];
// Where files of a dropped folder lie in it.
const paths = new WeakMap();
let results = [];
// The hash of the results, and all that lists may name.
let hash = '';
let hashes = new Set();
let stopping = null;

function fault(error) {
  at('files-error').hidden = !error;
  at('files-error').textContent = error ? error.message : '';
}

const plural = (n, name) => `${n.toLocaleString('en')} ${name}${n === 1 ? '' : 's'}`;

function show() {
  let entries = [];
  try {
    entries = read(at('list').value);
    fault(null);
  } catch (error) {
    fault(error);
  }
  const listed = byName(entries);
  results = results.map((result) => ({ ...result, said: compared(listed, result, hash, hashes) }));
  const rows = results.map(({ name, size, digest, error, said }) => {
    const row = document.createElement('tr');
    const head = document.createElement('th');
    head.scope = 'row';
    head.textContent = name;
    row.append(head);
    for (const text of [error ? '' : size.toLocaleString('en'), error ?? digest, said]) {
      const cell = document.createElement('td');
      cell.textContent = text;
      row.append(cell);
    }
    row.cells[1].className = 'n';
    if (said && said !== OTHER_HASH) row.cells[3].className = said === 'same' ? 'good' : 'bad';
    return row;
  });
  at('digests').tBodies[0].replaceChildren(...rows);
  at('copy').disabled = results.every(({ error }) => error);
  return entries;
}

function summary(entries) {
  const failed = results.filter(({ error }) => error).length;
  const said = [`${plural(results.length - failed, 'file')} hashed`];
  if (failed) said.push(`${failed} could not be read`);
  if (entries.length) {
    const count = (what) => results.filter((one) => one.said === what).length;
    said.push(`${count('same')} as listed, ${count('different')} different, ${count('not listed')} not listed`);
    if (count(OTHER_HASH)) said.push(`${count(OTHER_HASH)} listed with another hash: choose that hash`);
    const names = new Set(all.map(({ name }) => name));
    const missing = entries.filter(({ name }) => name !== null && !names.has(name)).length;
    if (missing) said.push(`${missing} of the list not given`);
  }
  return `${said.join('; ')}.`;
}

async function start(files) {
  // Text was dropped, or the choice was given up.
  if (files.length === 0) return;
  stopping?.abort(new Error('stopped'));
  all = [...files];
  results = [];
  hash = plainHash(at('algorithm').value);
  show();
  const mine = stopping = new AbortController();
  at('stop').disabled = false;
  at('files-said').textContent = `Hashing ${plural(all.length, 'file')}.`;
  at('progress').value = 0;
  try {
    const found = await hashFiles(at('algorithm').value, all, {
      signal: mine.signal,
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

/** Fills the list of hashes and listens. */
export function begin() {
  const known = algorithms();
  hashes = new Set(known.map(({ name }) => plainHash(name)));
  at('algorithm').replaceChildren(...known.map(({ name, title }) => {
    const option = document.createElement('option');
    option.value = name;
    option.textContent = title;
    return option;
  }));
  const recall = () => {
    const named = known.find(({ name }) => name === asked().get('hash'));
    at('algorithm').value = named?.name ?? 'sha256';
  };
  recall();
  const warn = () => {
    const { warning } = known.find(({ name }) => name === at('algorithm').value);
    at('files-warning').hidden = !warning;
    at('files-warning').textContent = warning ? `Not for new use: ${warning}.` : '';
  };
  warn();
  const changed = () => {
    warn();
    start(all);
  };
  at('algorithm').addEventListener('change', () => {
    keep({ hash: at('algorithm').value });
    changed();
  });
  window.addEventListener('hashchange', () => {
    const before = at('algorithm').value;
    recall();
    if (at('algorithm').value !== before) changed();
  });
  at('choose').addEventListener('change', () => start(at('choose').files));
  at('list').addEventListener('input', () => {
    const entries = show();
    if (results.length && at('files-error').hidden) at('files-said').textContent = summary(entries);
  });
  at('stop').addEventListener('click', () => stopping?.abort(new Error('stopped')));
  at('copy').addEventListener('click', async () => {
    const lines = results.filter(({ error }) => !error).map(({ name, digest }) => line(name, digest));
    try {
      await navigator.clipboard.writeText(`${lines.join('\n')}\n`);
      at('files-said').textContent = `${plural(lines.length, 'line')} copied.`;
    } catch {
      at('files-said').textContent = 'The browser does not allow copying here: select the table.';
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
