// What users of the package call. The module must be initialised first: node.js and browser.js do.
import * as wasm from './wasm/manylane.js';
import { memory } from './memory.js';
import { bytesOf, keyOf, messagesOf, optionsOf, prefixOf, roomForDigests } from './messages.js';

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Bytes as lower-case hexadecimal digits. */
export function toHex(bytes) {
  let text = '';
  for (const byte of bytesOf(bytes, 'what is to be printed')) text += HEX[byte];
  return text;
}

// Functions by name. Only so many are kept, because a program may make up names without end.
const functions = new Map();
const MOST_FUNCTIONS = 256;

function functionOf(name) {
  const known = functions.get(name);
  if (known) return known;
  if (typeof name !== 'string') {
    throw new TypeError(`the name of a hash is ${typeof name}: give a string such as 'sha256'`);
  }
  const made = new wasm.Algorithm(name);
  if (functions.size >= MOST_FUNCTIONS) functions.clear();
  functions.set(name, made);
  return made;
}

function engineOf(options) {
  const { engine } = options;
  if (engine !== undefined && typeof engine !== 'string') {
    throw new TypeError(`engine is ${typeof engine}: give a name of engines('sha256')`);
  }
  return engine;
}

let catalogue;

/** Every hash function: names, sizes in bytes, and why some are not for new use. */
export function algorithms() {
  catalogue ??= wasm.catalogue().map((entry) => {
    const { name, title, standard, digestBytes, blockBytes, anyLength, warning } = entry;
    entry.free();
    return Object.freeze(
      { name, title, standard, digestBytes, blockBytes, anyLength, warning: warning ?? null });
  });
  return catalogue.slice();
}

/** The engines that compute a hash here. */
export function engines(name) {
  return functionOf(name).engines();
}

/** Bytes of a digest. */
export function digestBytes(name) {
  return functionOf(name).digestBytes();
}

// Bytes that are copied into the module's memory at a time.
const PIECE = 1 << 20;

// A view whose bytes the wasm side may copy: not longer than a piece.
function* pieces(bytes) {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}

/** The digest of one message. */
export function hash(name, message) {
  const bytes = bytesOf(message);
  if (bytes.length <= PIECE) return functionOf(name).hash(bytes);
  const hasher = new Hasher(name);
  try {
    return hasher.update(bytes).digest();
  } finally {
    hasher.free();
  }
}

/** The HMAC tag of one message. */
export function hmac(name, key, message) {
  const keyed = new Hmac(name, key);
  try {
    return keyed.update(message).digest();
  } finally {
    keyed.free();
  }
}

// What a hasher and HMAC share; `#inner` is the object on the module's side.
class Stream {
  #inner;
  #name;
  constructor(inner, name) {
    this.#inner = inner;
    this.#name = name;
  }
  /** The name of the hash. */
  get name() {
    return this.#name;
  }
  /** Bytes of a digest. */
  get digestBytes() {
    return digestBytes(this.#name);
  }
  get _inner() {
    if (this.#inner === null) throw new Error('this hasher was freed: make a new one');
    return this.#inner;
  }
  /** Appends to the message. */
  update(message) {
    const inner = this._inner;
    for (const piece of pieces(bytesOf(message))) inner.update(piece);
    return this;
  }
  /** The digest of what was appended so far; it can go on. */
  digest() {
    return this._inner.digest();
  }
  /** The digest as hexadecimal digits. */
  hex() {
    return toHex(this.digest());
  }
  /** Forgets the message. */
  reset() {
    this._inner.reset();
    return this;
  }
  /** Gives its memory back now, not when it is collected. */
  free() {
    this.#inner?.free();
    this.#inner = null;
  }
  [Symbol.dispose ?? Symbol('dispose')]() {
    this.free();
  }
}

/** One message in pieces. */
export class Hasher extends Stream {
  constructor(name, options) {
    if (name instanceof wasm.Hasher) {
      super(name, options);
      return;
    }
    const of = functionOf(name);
    super(new wasm.Hasher(of, engineOf(optionsOf(options, ['engine']))), of.name());
  }
  /** A second hasher that goes on from here. */
  clone() {
    return new Hasher(this._inner.copy(), this.name);
  }
}

/** HMAC of one message in pieces. */
export class Hmac extends Stream {
  constructor(name, key, options) {
    if (name instanceof wasm.Hmac) {
      super(name, key);
      return;
    }
    const of = functionOf(name);
    const engine = engineOf(optionsOf(options, ['engine']));
    super(new wasm.Hmac(of, bytesOf(key, 'the key'), engine), of.name());
  }
  /** Whether this is the tag, or at least its first 4 bytes; in constant time. */
  verify(tag) {
    return this._inner.verify(bytesOf(tag, 'the tag'));
  }
  /** A second one that goes on from here. */
  clone() {
    return new Hmac(this._inner.copy(), this.name);
  }
}

/** Digests of many messages, in their order, without an object for each. */
export class Digests {
  /** `bytes` holds them one after the other, `size` bytes each. */
  constructor(bytes, size) {
    this.bytes = bytes;
    this.size = size;
    this.length = bytes.length / size;
    Object.freeze(this);
  }
  /** Digest i, a view; from the end where i is negative. */
  at(i) {
    const place = i < 0 ? this.length + i : i;
    if (!Number.isInteger(place) || place < 0 || place >= this.length) return undefined;
    return this.bytes.subarray(place * this.size, (place + 1) * this.size);
  }
  /** Digest i as hexadecimal digits. */
  hex(i) {
    const digest = this.at(i);
    if (!digest) throw new RangeError(`there is no digest ${i}: there are ${this.length}`);
    return toHex(digest);
  }
  *[Symbol.iterator]() {
    for (let i = 0; i < this.length; i++) yield this.at(i);
  }
}

// Most bytes and messages that lie in the module's memory at a time.
const MOST_BYTES = 8 << 20;
const MOST_MESSAGES = 1 << 16;
// So many bytes stay in a cache until they are hashed, and so many messages fill the lanes.
const CACHED_BYTES = 256 << 10;
const FULL_LANES = 64;

/**
 * The digests of many messages, side by side in vectors.
 *
 * `messages` is an array (or another iterable) of messages, or `{ data, offsets }`: message i is
 * `data` from `offsets[i]` to before `offsets[i + 1]`. With `key` the digests are tags of HMAC.
 */
export function hashMany(name, messages, options) {
  const of = functionOf(name);
  const asked = optionsOf(options, ['prefix', 'key', 'engine']);
  const prefix = prefixOf(asked);
  const key = keyOf(asked);
  const all = messagesOf(messages);
  const size = of.digestBytes();
  const digests = roomForDigests(all.length, size);
  const many = new wasm.Many(of, prefix, key, engineOf(asked));
  try {
    let first = 0;
    // An empty list is run too, because the run refuses a wrong engine.
    do {
      let [end, bytes] = [first, 0];
      while (end < all.length && end - first < MOST_MESSAGES) {
        if (end > first && bytes + all.size(end) > MOST_BYTES) break;
        if (bytes >= CACHED_BYTES && end - first >= FULL_LANES) break;
        bytes += all.size(end);
        end++;
      }
      if (end === first + 1 && bytes > MOST_BYTES) {
        digests.set(long(name, all.bytes(first), prefix, key, asked.engine), first * size);
      } else {
        const place = many.reserve(bytes);
        all.write(first, end, new Uint8Array(memory().buffer, place, bytes));
        const ends = new Uint32Array(end - first);
        for (let i = first, at = 0; i < end; i++) ends[i - first] = at += all.size(i);
        digests.set(many.run(ends), first * size);
      }
      first = end;
    } while (first < all.length);
  } finally {
    many.free();
  }
  return new Digests(digests, size);
}

// Hashes a long message in pieces, so that it is not copied whole.
function long(name, message, prefix, key, engine) {
  const options = engine === undefined ? {} : { engine };
  const hasher = key ? new Hmac(name, key, options) : new Hasher(name, options);
  try {
    return hasher.update(prefix).update(message).digest();
  } finally {
    hasher.free();
  }
}
