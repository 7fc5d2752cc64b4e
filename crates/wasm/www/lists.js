// Lists of digests, as coreutils, BSD and manylane write them.

// A name in which a newline or a backslash was written as an escape.
function unescaped(name) {
  return name.replace(/\\([\\nr])/g, (_, letter) => ({ '\\': '\\', n: '\n', r: '\r' })[letter]);
}

/** The entries of a list: `{ digest, name }`; the last part of a path is the name. Throws for any other line. */
export function read(text) {
  const entries = [];
  for (const [i, whole] of text.split(/\r?\n/).entries()) {
    if (whole.trim() === '' || whole.startsWith('#')) continue;
    const escaped = whole.startsWith('\\');
    const line = escaped ? whole.slice(1) : whole;
    const plain = /^\s*([0-9a-fA-F]{8,})(?: [ *](.*))?\s*$/.exec(line);
    const tagged = /^\s*([A-Za-z0-9\/_-]+) ?\((.*)\) = ([0-9a-fA-F]{8,})\s*$/.exec(line);
    if (!plain && !tagged) {
      throw new Error(`line ${i + 1} of the list is no digest: "${whole.slice(0, 60)}"; a line is DIGEST  NAME or HASH (NAME) = DIGEST`);
    }
    const [digest, path] = plain ? [plain[1], plain[2]] : [tagged[3], tagged[2]];
    const name = path === undefined ? null : (escaped ? unescaped(path) : path).split('/').pop();
    entries.push({ digest: digest.toLowerCase(), name });
  }
  return entries;
}

/** What a list says of a file: `same`, `different`, `not listed`. A digest without a name stands for any file. */
export function compared(entries, name, digest) {
  if (entries.length === 0) return '';
  const of = entries.filter((entry) => entry.name === name);
  if (of.some((entry) => entry.digest === digest)) return 'same';
  if (of.length > 0) return 'different';
  const nameless = entries.filter((entry) => entry.name === null);
  if (nameless.some((entry) => entry.digest === digest)) return 'same';
  if (nameless.length > 0) return 'different';
  return 'not listed';
}

/** A line of coreutils for a file. */
export function line(name, digest) {
  if (!/[\\\n\r]/.test(name)) return `${digest}  ${name}`;
  const escaped = name.replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replace(/\r/g, '\\r');
  return `\\${digest}  ${escaped}`;
}
