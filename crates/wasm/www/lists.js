// Lists of digests, as coreutils, BSD and manylane write them.

// A name in which a newline or a backslash was written as an escape.
function unescaped(name) {
  return name.replace(/\\([\\nr])/g, (_, letter) => ({ '\\': '\\', n: '\n', r: '\r' })[letter]);
}

/** The name of a hash in letters and digits: lists write SHA256, SHA-256 and sha256. */
export function plainHash(name) {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/**
 * The entries of a list: `{ digest, path, name, hash }`. The last part of a path is the name, and
 * the hash is null for a line that does not name it. Throws for a line of any other form.
 */
export function read(text) {
  const entries = [];
  for (const [i, whole] of text.split(/\r?\n/).entries()) {
    if (whole.trim() === '' || whole.startsWith('#')) continue;
    const escaped = whole.startsWith('\\');
    const line = escaped ? whole.slice(1) : whole;
    const plain = /^\s*([0-9a-fA-F]{8,})(?: [ *](.*))?\s*$/.exec(line);
    const tagged = /^\s*([A-Za-z0-9\/_-]+) ?\((.*)\) = ([0-9a-fA-F]{8,})\s*$/.exec(line);
    if (!plain && !tagged) {
      throw new Error(`line ${i + 1} of the list is no digest: "${
        whole.slice(0, 60)}"; a line is DIGEST  NAME or HASH (NAME) = DIGEST`);
    }
    const [digest, written] = plain ? [plain[1], plain[2]] : [tagged[3], tagged[2]];
    const path = written === undefined ? null : escaped ? unescaped(written) : written;
    const name = path === null ? null : path.split('/').pop();
    const hash = plain ? null : plainHash(tagged[1]);
    entries.push({ digest: digest.toLowerCase(), path, name, hash });
  }
  return entries;
}

/** Entries by their name; those without one by null. */
export function byName(entries) {
  const found = new Map();
  for (const entry of entries) {
    if (found.has(entry.name)) found.get(entry.name).push(entry);
    else found.set(entry.name, [entry]);
  }
  return found;
}

export const OTHER_HASH = 'another hash';

/**
 * What a list says of a digest of a file: `same`, `different`, `not listed`, or that it has a
 * digest of another hash only. `listed` has its entries by name; a digest without a name stands for
 * any file. `hash` is the name of the hash that made the digest, `hashes` maps every spelling in
 * lists to such a name, and `others` are the file's digests by other hashes.
 */
export function compared(listed, { name, digest, error }, hash, hashes, others = []) {
  if (error || listed.size === 0) return '';
  const named = listed.get(name.split('/').pop()) ?? [];
  // Files of a folder are those of the same path, if the list has one.
  const samePath = named.filter(({ path }) => path === name || path.endsWith(`/${name}`));
  for (const entries of [samePath.length > 0 ? samePath : named, listed.get(null) ?? []]) {
    const isOther = (entry) => entry.digest.length !== digest.length ||
      (hashes.has(entry.hash) && hashes.get(entry.hash) !== hash) ||
      (!hashes.has(entry.hash) && entry.digest !== digest && others.includes(entry.digest));
    const of = entries.filter((entry) => !isOther(entry));
    if (of.some((entry) => entry.digest === digest)) return 'same';
    if (of.length > 0) return 'different';
    if (entries.length > 0) return OTHER_HASH;
  }
  return 'not listed';
}

/** What a list says of a file, by what it says of each of its digests. */
export function verdict(said) {
  return ['different', 'same', OTHER_HASH, 'not listed'].find((one) => said.includes(one)) ?? '';
}

// Hashes whose name has no hyphen in the lines of BSD's programs.
const WITHOUT_HYPHEN = new Set(['sha1', 'sha224', 'sha256', 'sha384', 'sha512']);

/** The name of a hash in a line that names it, as `manylane sum --tag` writes it. */
export function tagOf({ name, title }, isKeyed) {
  return `${isKeyed ? 'HMAC-' : ''}${WITHOUT_HYPHEN.has(name) ? title.replace('-', '') : title}`;
}

/** A line for a file: coreutils' form, or with a tag BSD's. */
export function line(name, digest, tag) {
  const isEscaped = /[\\\n\r]/.test(name);
  const escapes = { '\\': '\\\\', '\n': '\\n', '\r': '\\r' };
  const written = isEscaped ? name.replace(/[\\\n\r]/g, (letter) => escapes[letter]) : name;
  return (isEscaped ? '\\' : '') +
    (tag ? `${tag} (${written}) = ${digest}` : `${digest}  ${written}`);
}
