// What callers give: bytes in every form, messages, options.
const encoder = new TextEncoder();

// Throws for an array that has lost its bytes; a Buffer's own `indexOf` does not.
const { indexOf } = Uint8Array.prototype;

// Returns what `look` returns. `look` throws if the buffer was transferred, or ends before its
// view.
function seen(look, what) {
  try {
    return look();
  } catch (cause) {
    throw new TypeError(
      `${what} has lost its bytes, since their buffer was transferred or made smaller: give a copy`,
      { cause });
  }
}

/**
 * The bytes of a string (UTF-8), an ArrayBuffer, or any view of one; not copied. A view that has
 * lost its bytes has length 0 and is refused, so that it is not taken for the empty message.
 */
export function bytesOf(value, what = 'a message') {
  if (value instanceof Uint8Array) {
    if (value.length === 0) seen(() => indexOf.call(value, 0), what);
    return value;
  }
  if (typeof value === 'string') return encoder.encode(value);
  if (ArrayBuffer.isView(value)) {
    return seen(() => {
      // The search throws for a typed array without bytes, and `byteOffset` for a DataView.
      if (value.length === 0) indexOf.call(value, 0);
      return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    }, what);
  }
  if (value instanceof ArrayBuffer) return seen(() => new Uint8Array(value), what);
  if (typeof SharedArrayBuffer !== 'undefined' && value instanceof SharedArrayBuffer) {
    return new Uint8Array(value);
  }
  const kind = value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value;
  throw new TypeError(
    `${what} is ${kind}: give a Uint8Array, another view, an ArrayBuffer or a string`);
}

/** The options; refuses one that is not `known`. */
export function optionsOf(options, known) {
  if (options === undefined) return {};
  if (options === null || typeof options !== 'object') {
    throw new TypeError(
      `options are ${options === null ? 'null' : typeof options}: give an object`);
  }
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) {
      throw new TypeError(`no option is named ${name}: there are ${known.join(', ')}`);
    }
  }
  return options;
}

/** The function that is told of progress, and the signal that stops a call; refuses anything
 * else. */
export function watchersOf({ onProgress = () => {}, signal }) {
  if (typeof onProgress !== 'function') {
    throw new TypeError(
      `onProgress is ${onProgress === null ? 'null' : typeof onProgress}: give a function`);
  }
  if (signal !== undefined && typeof signal?.aborted !== 'boolean') {
    throw new TypeError(`signal is ${
      signal === null ? 'null' : typeof signal}: give the signal of an AbortController`);
  }
  return { onProgress, signal };
}

// Chrome 96 has signals without a reason.
const reasonOf = ({ reason }) => reason ?? new DOMException('the call was aborted', 'AbortError');

/** Throws if the signal has aborted. */
export function refuseAborted(signal) {
  if (signal?.aborted) throw reasonOf(signal);
}

/** Calls `stop` when the signal aborts; returns a function that ends this, because a signal may
 * outlive the call. */
export function whenAborted(signal, stop) {
  const stopped = () => stop(reasonOf(signal));
  signal?.addEventListener('abort', stopped, { once: true });
  return () => signal?.removeEventListener('abort', stopped);
}

/** The key, if there is one. A `key` that is undefined is refused: the digests would be no tags. */
export function keyOf(options) {
  return 'key' in options ? bytesOf(options.key, 'the key') : undefined;
}

/** The bytes before each message. */
export function prefixOf({ prefix = '' }) {
  return bytesOf(prefix, 'the prefix');
}

/** Room for so many digests of `size` bytes, filled with zeros. */
export function roomForDigests(count, size) {
  try {
    return new Uint8Array(count * size);
  } catch (cause) {
    throw new Error(
      `no memory for ${count} digests of ${size} bytes: hash fewer at a time`, { cause });
  }
}

const MOST_WORKERS = 8;

/** How many workers were asked for; by default one for each of `processors`, up to eight. */
export function countOf(workers, processors) {
  if (workers === undefined) return Math.min(processors, MOST_WORKERS);
  if (Number.isInteger(workers) && workers >= 1) return workers;
  throw new RangeError(`workers is ${String(workers)}: give 1 or more, or leave it out`);
}

// Gives messages in one buffer the interface of a list, without a view of each.
function inBuffer({ data, offsets }) {
  const bytes = bytesOf(data, 'data');
  const isList = Array.isArray(offsets) || ArrayBuffer.isView(offsets);
  if (!isList || offsets instanceof DataView || offsets.length === 0) {
    throw new TypeError(
      'offsets: give n + 1 numbers, from where message 0 begins to where the last ends');
  }
  let before = 0;
  for (let i = 0; i < offsets.length; i++) {
    const given = offsets[i];
    const at = typeof given === 'bigint' ? Number(given) : given;
    if (!Number.isInteger(at) || at < before || at > bytes.length) {
      const said = typeof at === 'number' ? given : `of type ${typeof given}`;
      throw new RangeError(
        `offset ${i} is ${said}: offsets are whole numbers that do not go down, up to the ` +
        `${bytes.length} bytes of data`);
    }
    before = at;
  }
  const at = (i) => Number(offsets[i]);
  return {
    length: offsets.length - 1,
    size: (i) => at(i + 1) - at(i),
    bytes: (i) => bytes.subarray(at(i), at(i + 1)),
    // From message `first` to before `end`, in one copy.
    write: (first, end, place) => place.set(bytes.subarray(at(first), at(end))),
  };
}

function inList(messages) {
  // `map` would skip holes of the array, and `Array.from` takes as long as hashing short messages.
  const all = new Array(messages.length);
  for (let i = 0; i < all.length; i++) {
    const message = messages[i];
    // To write `message ${i}` takes as long as to hash a short message.
    const isBytes = message instanceof Uint8Array && message.length > 0;
    all[i] = isBytes ? message : bytesOf(message, `message ${i}`);
  }
  return {
    length: all.length,
    size: (i) => all[i].length,
    bytes: (i) => all[i],
    write: (first, end, place) => {
      let at = 0;
      for (let i = first; i < end; i++) {
        place.set(all[i], at);
        at += all[i].length;
      }
    },
  };
}

/** Messages of either form: how many, the size and the bytes of each, and several in one copy. */
export function messagesOf(messages) {
  if (Array.isArray(messages)) return inList(messages);
  if (messages && typeof messages === 'object' && 'offsets' in messages) return inBuffer(messages);
  const isBytes = typeof messages === 'string' || ArrayBuffer.isView(messages);
  if (!isBytes && typeof messages?.[Symbol.iterator] === 'function') return inList([...messages]);
  throw new TypeError('messages: give an array of messages, or { data, offsets }');
}

