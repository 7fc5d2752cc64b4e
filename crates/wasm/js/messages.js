// What callers give: bytes in every form, messages, options.
const encoder = new TextEncoder();

/** The bytes of a string (UTF-8), an ArrayBuffer, or any view of one; not copied. */
export function bytesOf(value, what = 'a message') {
  if (value instanceof Uint8Array) return value;
  if (typeof value === 'string') return encoder.encode(value);
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
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
    throw new TypeError(`options are ${options === null ? 'null' : typeof options}: give an object`);
  }
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) {
      throw new TypeError(`no option is named ${name}: there are ${known.join(', ')}`);
    }
  }
  return options;
}

/** Zeros in place of so many digests of `size` bytes. */
export function roomForDigests(count, size) {
  try {
    return new Uint8Array(count * size);
  } catch (cause) {
    throw new Error(`no memory for ${count} digests of ${size} bytes: hash fewer at a time`, { cause });
  }
}

const MOST_WORKERS = 8;

/** How many workers were asked for; by default one for each of `processors`, up to eight. */
export function countOf(workers, processors) {
  if (workers === undefined) return Math.min(processors, MOST_WORKERS);
  if (Number.isInteger(workers) && workers >= 1) return workers;
  throw new RangeError(`workers is ${workers}: give 1 or more, or leave it out`);
}

// Messages in one buffer as a list of views would be, without the views.
function inBuffer({ data, offsets }) {
  const bytes = bytesOf(data, 'data');
  const isList = Array.isArray(offsets) || ArrayBuffer.isView(offsets);
  if (!isList || offsets instanceof DataView || offsets.length === 0) {
    throw new TypeError('offsets: give n + 1 numbers, from where message 0 begins to where the last ends');
  }
  let before = 0;
  for (let i = 0; i < offsets.length; i++) {
    const at = Number(offsets[i]);
    if (!Number.isInteger(at) || at < before || at > bytes.length) {
      throw new RangeError(
        `offset ${i} is ${offsets[i]}: offsets are whole numbers that do not go down, up to the ` +
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
  // `map` would pass over places without a message, and `from` takes as long as a short message.
  const all = new Array(messages.length);
  for (let i = 0; i < all.length; i++) {
    const message = messages[i];
    all[i] = message instanceof Uint8Array ? message : bytesOf(message, `message ${i}`);
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

