// What a worker does: it hashes a part of many messages, or files: small ones side by side, a long
// one in pieces.

/** Bytes of a long file that are read at a time. */
export const PIECE = 4 << 20;
/** Files up to so many bytes are read whole. */
export const SMALL = 1 << 20;

/** Does what was asked, and says the outcome or the error. */
export async function answer(api, { algorithm, messages, options, algorithms, key, blobs }, say) {
  try {
    if (messages) {
      const digests = api.hashMany(algorithm, messages, options).bytes;
      say({ digests }, [digests.buffer]);
    } else {
      say({ results: await run(api, { algorithms, key, blobs }, (bytes) => say({ bytes })) });
    }
  } catch (error) {
    say({ error: error?.message ?? String(error) });
  }
}

/**
 * The digests of the files of one job by each algorithm, in hexadecimal digits, or what kept them
 * from being read. Each file is read once. With a key the digests are tags of HMAC. `read(bytes)`
 * is told of progress.
 */
export async function run(api, { algorithms, key, blobs }, read) {
  if (blobs.length === 1 && blobs[0].size > SMALL)
    return [await one(api, algorithms, key, blobs[0], read)];
  const results = new Array(blobs.length);
  const whole = [];
  for (const [i, blob] of blobs.entries()) {
    try {
      whole.push({ i, bytes: new Uint8Array(await blob.arrayBuffer()) });
    } catch (error) {
      results[i] = { error: told(error) };
    }
    read(blob.size);
  }
  const messages = whole.map(({ bytes }) => bytes);
  const found =
    algorithms.map((algorithm) => api.hashMany(algorithm, messages, key ? { key } : {}));
  whole.forEach(({ i, bytes }, place) => {
    results[i] = { size: bytes.length, digests: found.map((digests) => digests.hex(place)) };
  });
  return results;
}

async function one(api, algorithms, key, blob, read) {
  const hashers = [];
  let size = 0;
  try {
    for (const algorithm of algorithms) {
      hashers.push(key ? new api.Hmac(algorithm, key) : new api.Hasher(algorithm));
    }
    for (let at = 0; at < blob.size; at += PIECE) {
      let bytes;
      try {
        bytes = new Uint8Array(await blob.slice(at, at + PIECE).arrayBuffer());
      } catch (error) {
        return { error: told(error) };
      }
      for (const hasher of hashers) hasher.update(bytes);
      size += bytes.length;
      read(bytes.length);
    }
    return { size, digests: hashers.map((hasher) => hasher.hex()) };
  } finally {
    for (const hasher of hashers) hasher.free();
  }
}

function told(error) {
  return `cannot be read (${error?.name ?? 'Error'}: ${
    error?.message ?? error}); was it changed or removed?`;
}
