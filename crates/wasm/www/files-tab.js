// The tab that hashes files.
import { algorithms } from './manylane/browser.js';
import { hashFiles } from './manylane/files.js';
import { compared, line, read } from './lists.js';

const at = (id) => document.getElementById(id);
let all = [];
let results = [];
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
  const rows = results.map(({ name, size, digest, error }) => {
    const row = document.createElement('tr');
    const head = document.createElement('th');
    head.scope = 'row';
    head.textContent = name;
    row.append(head);
    const said = error ? '' : compared(entries, name, digest);
    for (const text of [error ? '' : size.toLocaleString('en'), error ?? digest, said]) {
      const cell = document.createElement('td');
      cell.textContent = text;
      row.append(cell);
    }
    row.cells[1].className = 'n';
    if (said) row.cells[3].className = said === 'same' ? 'good' : 'bad';
    return row;
  });
  at('digests').tBodies[0].replaceChildren(...rows);
  at('copy').disabled = results.length === 0;
  return entries;
}

function summary(entries) {
  const failed = results.filter(({ error }) => error).length;
  const said = [`${plural(results.length - failed, 'file')} hashed`];
  if (failed) said.push(`${failed} could not be read`);
  if (entries.length) {
    const found = results.filter(({ error }) => !error)
      .map(({ name, digest }) => compared(entries, name, digest));
    const count = (what) => found.filter((one) => one === what).length;
    said.push(`${count('same')} as listed, ${count('different')} different, ${count('not listed')} not listed`);
    const names = new Set(all.map(({ name }) => name));
    const missing = entries.filter(({ name }) => name !== null && !names.has(name)).length;
    if (missing) said.push(`${missing} of the list not given`);
  }
  return `${said.join('; ')}.`;
}

async function start(files) {
  stopping?.abort(new Error('stopped'));
  all = [...files];
  if (all.length === 0) return;
  results = [];
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
    results = found;
    at('progress').value = 1;
    at('files-said').textContent = summary(show());
  } catch (error) {
    if (mine !== stopping) return;
    if (mine.signal.aborted) at('files-said').textContent = 'Stopped.';
    else fault(error);
  } finally {
    if (mine === stopping) at('stop').disabled = true;
  }
}

/** Fills the list of hashes and listens. */
export function begin() {
  const known = algorithms();
  at('algorithm').replaceChildren(...known.map(({ name, title }) => {
    const option = document.createElement('option');
    option.value = name;
    option.textContent = title;
    return option;
  }));
  at('algorithm').value = 'sha256';
  const warn = () => {
    const { warning } = known.find(({ name }) => name === at('algorithm').value);
    at('files-warning').hidden = !warning;
    at('files-warning').textContent = warning ? `Not for new use: ${warning}.` : '';
  };
  at('algorithm').addEventListener('change', () => {
    warn();
    start(all);
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
  drop.addEventListener('drop', (event) => start(event.dataTransfer.files));
}
