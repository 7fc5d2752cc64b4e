// The package in Node, as its users import it.
// WEB_ANSWERS is a folder: for each hash a file of digests of messages of 0, 1, 2, … bytes, made by
// the native program.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash, createHmac, getHashes } from 'node:crypto';
import { getEventListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  Digests, Hasher, Hmac, algorithms, digestBytes, engines, hash, hashMany, hmac, toHex,
} from 'manylane';
import { hashFiles } from 'manylane/files';
import { Pool } from 'manylane/pool';

const answers = process.env.WEB_ANSWERS;
assert.ok(answers, 'WEB_ANSWERS names the folder of known answers: run this by make test-web');

// Byte i of a message of n bytes; each length has bytes of its own. tools/web.sh writes the same.
const message = (n) => Uint8Array.from({ length: n }, (_, i) => (i * 7 + n * 13) & 255);

const OPENSSL = new Map(Object
    .entries({
      md5: 'md5',
      sha1: 'sha1',
      sha224: 'sha224',
      sha256: 'sha256',
      sha384: 'sha384',
      sha512: 'sha512',
      'sha512-224': 'sha512-224',
      'sha512-256': 'sha512-256',
      'sha3-224': 'sha3-224',
      'sha3-256': 'sha3-256',
      'sha3-384': 'sha3-384',
      'sha3-512': 'sha3-512',
      shake128: 'shake128',
      shake256: 'shake256',
      ripemd160: 'ripemd160',
    })
    .filter(([, name]) => getHashes().includes(name)));

const expected = (name, size, bytes) => {
  const outputLength = name.startsWith('shake') ? { outputLength: size } : {};
  return createHash(OPENSSL.get(name), outputLength).update(bytes).digest('hex');
};

test('the list is the catalogue', () => {
  const all = algorithms();
  assert.ok(
    all.length >= 37 && OPENSSL.size >= 14, `${all.length} hashes, ${OPENSSL.size} in OpenSSL`);
  const of = (name) => all.find((entry) => entry.name === name);
  assert.deepEqual(of('sha256'), {
    name: 'sha256', title: 'SHA-256', standard: 'FIPS 180-4', digestBytes: 32, blockBytes: 64,
    anyLength: false, warning: null,
  });
  assert.match(of('md5').warning, /collisions/);
  assert.equal(of('skein512').anyLength, true);
  assert.throws(() => { all[0].name = 'other'; }, TypeError);
  assert.equal(digestBytes('skein512-128'), 16);
  assert.deepEqual(engines('sha256'), ['scalar', 'simd128']);
});

for (const { name, blockBytes, digestBytes: size } of algorithms()) {
  test(`${name}: every length to three blocks and a byte, in every way`, () => {
    const known = readFileSync(`${answers}/${name}`, 'utf8').trim().split('\n');
    const messages = Array.from({ length: 3 * blockBytes + 2 }, (_, n) => message(n));
    assert.equal(known.length, messages.length);
    if (OPENSSL.has(name)) {
      messages.forEach(
        (bytes, n) => assert.equal(known[n], expected(name, size, bytes), `${n} bytes`));
    }
    messages.forEach((bytes, n) => assert.equal(toHex(hash(name, bytes)), known[n], `${n} bytes`));
    const data = Buffer.concat(messages);
    const offsets = Uint32Array.from(messages, ((at) => (bytes) => (at += bytes.length))(0));
    const buffered = { data, offsets: [0, ...offsets] };
    for (const engine of [undefined, ...engines(name)]) {
      for (const given of [messages, buffered]) {
        const digests = hashMany(name, given, { engine });
        assert.equal(digests.length, messages.length);
        messages.forEach((_, n) => assert.equal(digests.hex(n), known[n], `${engine}: ${n} bytes`));
      }
    }
    const hasher = new Hasher(name);
    for (const bytes of messages) {
      for (const piece of [1, blockBytes - 1, blockBytes, blockBytes + 1]) {
        hasher.reset();
        for (let at = 0; at < bytes.length; at += piece)
          hasher.update(bytes.subarray(at, at + piece));
        assert.equal(hasher.hex(), known[bytes.length], `${bytes.length} bytes by ${piece}`);
      }
    }
    hasher.free();
  });

  test(`${name}: HMAC is that of RFC 2104`, () => {
    if (size > blockBytes) {
      assert.throws(() => new Hmac(name, 'key'), /shorter|longer/);
      return;
    }
    for (const bytes of [0, 1, blockBytes - 1, blockBytes, blockBytes + 1, 3 * blockBytes]) {
      const key = message(bytes);
      const padded = new Uint8Array(blockBytes);
      padded.set(key.length > blockBytes ? hash(name, key) : key);
      const under = (mask, text) =>
        hash(name, Buffer.concat([padded.map((byte) => byte ^ mask), text]));
      const texts = [0, 1, 50, 200].map(message);
      const tags = texts.map((text) => toHex(under(0x5c, under(0x36, text))));
      texts.forEach((text, i) => assert.equal(toHex(hmac(name, key, text)), tags[i]));
      const many = hashMany(name, texts, { key });
      tags.forEach((tag, i) => assert.equal(many.hex(i), tag));
      if (OPENSSL.has(name) && !name.startsWith('shake')) {
        assert.equal(tags[2], createHmac(OPENSSL.get(name), key).update(texts[2]).digest('hex'));
      }
    }
  });
}

test('many messages and long ones pass through the memory in parts', () => {
  const lengths = [9 << 20, 0, 5 << 20, 5 << 20, 1, (8 << 20) + 1, 64];
  const messages = lengths.map((length, i) => new Uint8Array(length).fill(i + 1));
  const short = Array.from({ length: 70_000 }, (_, i) => message(i % 97));
  const all = [...messages, ...short];
  for (const options of [{}, { prefix: 'before ' }, { engine: 'scalar' }]) {
    const digests = hashMany('sha256', all, options);
    all.forEach((bytes, i) => {
      const one = createHash('sha256').update(options.prefix ?? '').update(bytes).digest('hex');
      assert.equal(digests.hex(i), one, `message ${i}`);
    });
  }
  const tags = hashMany('sha256', messages, { key: 'secret', prefix: 'p' });
  messages.forEach((bytes, i) => {
    assert.equal(
      tags.hex(i), createHmac('sha256', 'secret').update('p').update(bytes).digest('hex'));
  });
  assert.equal(
    toHex(hash('sha512', messages[0])), createHash('sha512').update(messages[0]).digest('hex'));
});

test('bytes come in every form', () => {
  const words = Uint16Array.of(0x6261, 0x0a63, 0x7766).subarray(0, 2);
  const bytes = new Uint8Array(words.buffer, 0, 4);
  const shared = new Uint8Array(new SharedArrayBuffer(4));
  shared.set(bytes);
  const forms = [
    bytes, words, Buffer.from(bytes), bytes.slice().buffer, 'abc\n',
    new DataView(words.buffer, 0, 4), shared, shared.buffer
  ];
  const one = createHash('md5').update(bytes).digest('hex');
  for (const form of forms) {
    assert.equal(toHex(hash('md5', form)), one);
    assert.equal(new Hasher('md5').update(form).hex(), one);
  }
  for (const digest of hashMany('md5', forms)) assert.equal(toHex(digest), one);
  for (const digest of hashMany('md5', new Set(forms))) assert.equal(toHex(digest), one);
  const utf8 = createHash('sha1').update('žluťoučký 🐎').digest('hex');
  assert.equal(toHex(hash('sha1', 'žluťoučký 🐎')), utf8);
});

test('hashers go on, go back and part', () => {
  const hasher = new Hasher('SHA-512/256').update('one ');
  assert.equal(hasher.name, 'sha512-256');
  assert.equal(hasher.digestBytes, 32);
  const other = hasher.clone().update('two');
  assert.equal(hasher.hex(), toHex(hash('sha512-256', 'one ')));
  assert.equal(other.hex(), toHex(hash('sha512-256', 'one two')));
  assert.equal(hasher.update('three').hex(), toHex(hash('sha512-256', 'one three')));
  assert.equal(hasher.reset().hex(), toHex(hash('sha512-256', '')));
  const keyed = new Hmac('sha256', 'key').update('text');
  const tag = keyed.digest();
  assert.ok(
    keyed.verify(tag) && keyed.verify(tag.subarray(0, 4)) && !keyed.verify(tag.subarray(0, 3)));
  assert.ok(!keyed.verify(tag.map((byte, i) => byte ^ (i === 31 ? 1 : 0))) && !keyed.verify(''));
  assert.ok(keyed.clone().verify(tag) && !keyed.clone().update('!').verify(tag));
  assert.ok(keyed.reset().update('text').verify(tag));
  hasher.free();
  hasher.free();
  assert.throws(() => hasher.update('x'), /was freed: make a new one/);
  for (let i = 0; i < 20_000; i++) new Hasher('md5').update('x').free();
});

test('digests are found by their place', () => {
  const digests = hashMany('sha1', ['a', 'b', 'c']);
  assert.ok(digests instanceof Digests);
  assert.equal(digests.bytes.length, 60);
  assert.equal(digests.hex(-1), createHash('sha1').update('c').digest('hex'));
  assert.deepEqual([...digests].map(toHex), [0, 1, 2].map((i) => digests.hex(i)));
  for (const i of [3, -4, 0.5, NaN, '0']) assert.equal(digests.at(i), undefined);
  assert.throws(() => digests.hex(3), RangeError);
  assert.equal(hashMany('sha1', []).length, 0);
  assert.equal(hashMany('sha1', { data: '', offsets: [0] }).length, 0);
});

test('bad input is refused, and the next question is answered', () => {
  const refusals = [
    [() => hash('sha257', ''), /no hash `sha257`.*names are such as/],
    [() => hash('', ''), /no hash ``/],
    [() => hash('skein512-7', ''), /no hash/],
    [() => hash(256, ''), /name of a hash is number.*'sha256'/],
    [() => hash('md5'), /message is undefined: give a Uint8Array/],
    [() => hash('md5', null), /message is null/],
    [() => hash('md5', 7), /message is number/],
    [() => hash('md5', [1, 2]), /message is an array/],
    [() => hashMany('md5', 'abc'), /give an array of messages/],
    [() => hashMany('md5', new Uint8Array(3)), /give an array of messages/],
    [() => hashMany('md5', null), /give an array of messages/],
    [() => hashMany('md5', ['a', 7]), /message 1 is number/],
    [() => hashMany('md5', ['a', , 'b']), /message 1 is undefined/],
    [() => hash('shake128-34359738360', 'a'), /no memory for a digest of 4294967295 bytes/],
    [() => hashMany('shake128-34359738360', ['a', 'b']), /no memory for 2 digests/],
    [() => hashMany('md5', ['a'], { engine: 'avx2' }), /cannot run here.*simd128/],
    [() => hashMany('md5', [], { engine: 'avx2' }), /cannot run here/],
    [() => hashMany('md5', ['a'], { engine: 'warp' }), /no engine is named `warp`/],
    [() => hashMany('md5', ['a'], { engine: 3 }), /engine is number/],
    [() => hashMany('md5', ['a'], { threads: 2 }), /no option is named threads.*prefix/],
    [() => hashMany('md5', ['a'], 'fast'), /options are string/],
    [() => hashMany('md5', { data: 'abc', offsets: [0, 4] }), /offset 1 is 4.*3 bytes/],
    [() => hashMany('md5', { data: 'abc', offsets: [2, 1] }), /offset 1 is 1/],
    [() => hashMany('md5', { data: 'abc', offsets: [-1, 1] }), /offset 0/],
    [() => hashMany('md5', { data: 'abc', offsets: [0.5] }), /offset 0/],
    [() => hashMany('md5', { data: 'abc', offsets: [null, 3] }), /offset 0 is of type object/],
    [() => hashMany('md5', { data: 'abc', offsets: ['0', '3'] }), /offset 0 is of type string/],
    [() => hashMany('md5', ['a'], { key: undefined }), /the key is undefined: give/],
    [() => hashMany('md5', ['a'], { prefix: null }), /the prefix is null: give/],
    [() => hashMany('md5', { data: 'abc', offsets: [] }), /give n \+ 1 numbers/],
    [() => hashMany('md5', { data: 'abc', offsets: 3 }), /give n \+ 1 numbers/],
    [() => new Hasher('md6'), /no hash `md6`/],
    [() => new Hasher('md5', { engine: 'neon' }), /cannot run here/],
    [() => new Hasher('md5', { key: 'k' }), /no option is named key/],
    [() => new Hmac('md5'), /the key is undefined/],
    [() => new Hmac('skein256-1024', 'k'), /Skein-256.*choose a shorter digest/],
    [() => hmac('md5', 'k', {}), /message is object/],
    [() => toHex(null), /printed is null/],
  ];
  for (const [ask, said] of refusals) {
    assert.throws(ask, (error) => error instanceof Error && said.test(error.message), `${ask}`);
    assert.equal(toHex(hash('md5', 'abc')), '900150983cd24fb0d6963f7d28e17f72');
  }
});

test('views that have lost their bytes are not taken for the empty message', () => {
  const transferred = (make) => {
    const buffer = new ArrayBuffer(8);
    const view = make(buffer);
    structuredClone(buffer, { transfer: [buffer] });
    return view;
  };
  const views = [
    (buffer) => new Uint8Array(buffer),
    (buffer) => new Uint16Array(buffer),
    (buffer) => new DataView(buffer),
    (buffer) => Buffer.from(buffer),
    (buffer) => buffer,
  ].map(transferred);
  const smaller = new ArrayBuffer(8, { maxByteLength: 8 });
  // Node 18 has no buffers that change their size.
  if (smaller.resizable) {
    views.push(
      new Uint8Array(smaller, 4), new Uint16Array(smaller, 4, 2), new DataView(smaller, 4, 4));
    smaller.resize(2);
  }
  for (const view of views) {
    const asked = [
      () => hash('md5', view), () => new Hasher('md5').update(view),
      () => hmac('md5', 'key', view), () => hmac('md5', view, ''),
      () => hashMany('md5', ['a', view]), () => hashMany('md5', { data: view, offsets: [0] }),
      () => hashMany('md5', ['a'], { prefix: view }), () => hashMany('md5', ['a'], { key: view }),
    ];
    for (const ask of asked) assert.throws(ask, /has lost its bytes.*give a copy/, `${ask}`);
  }
  assert.equal(toHex(hash('md5', new Uint16Array(0))), toHex(hash('md5', '')));
});

test('a digest without room leaves its hasher as it was', () => {
  const hasher = new Hasher('shake128-34359738360').update('a');
  assert.throws(() => hasher.digest(), /no memory for a digest/);
  hasher.update('b').reset().free();
});

test('names that are made up do not fill the memory', () => {
  for (let bits = 8; bits <= 8 * 600; bits += 8)
    assert.equal(hash(`skein512-${bits}`, '').length, bits / 8);
  assert.equal(toHex(hash('skein512-512', 'abc')), toHex(hash('skein512', 'abc')));
});

test('blobs are hashed in order, long and short', async () => {
  const contents = [
    message(70), new Uint8Array(5 << 20).fill(3), message(0), new Uint8Array(1 << 20).fill(9),
    ...Array.from({ length: 150 }, (_, i) => message(i))
  ];
  const said = [];
  const results = await hashFiles('sha256', contents.map((bytes) => new Blob([bytes])),
    { onProgress: (progress) => said.push(progress) });
  contents.forEach((bytes, i) => {
    assert.deepEqual(results[i],
      { name: '', size: bytes.length, digest: createHash('sha256').update(bytes).digest('hex') });
  });
  const total = contents.reduce((sum, bytes) => sum + bytes.length, 0);
  assert.deepEqual(said.at(-1),
    { bytes: total, totalBytes: total, files: contents.length, totalFiles: contents.length });
  assert.deepEqual(await hashFiles('md5', []), []);
  await assert.rejects(hashFiles('md5', ['text']), /file 0 is no File/);
  await assert.rejects(hashFiles('md7', [new Blob(['x'])]), /no hash `md7`/);
  await assert.rejects(hashFiles('md5', [], { workers: 0 }), /give 1 or more/);
  await assert.rejects(
    hashFiles('md5', [new Blob(['x'])], { signal: AbortSignal.abort(new Error('enough')) }),
    /enough/);
  for (const blobs of [[new Blob([contents[1]])], [new Blob(['a']), new Blob(['b'])]]) {
    const stopped = new AbortController();
    const options = { signal: stopped.signal, onProgress: () => stopped.abort(new Error('stop')) };
    await assert.rejects(hashFiles('md5', blobs, options), /stop/);
  }
  await assert.rejects(
    hashFiles('md5', [], { onprogress: () => {} }), /no option is named onprogress/);
  await assert.rejects(hashFiles('md5', [], null), /options are null/);
  await assert.rejects(
    hashFiles('md5', [], { onProgress: 3 }), /onProgress is number: give a function/);
  await assert.rejects(hashFiles('md5', [], { signal: {} }), /signal is object: give the signal/);
  for (const files of [undefined, null, 3, new Blob(['x'])]) {
    await assert.rejects(hashFiles('md5', files), /files: give a FileList, or an array/);
  }
});

test('files are read once for several algorithms, and have tags of HMAC under a key', async () => {
  let reads = 0;
  class Counted extends Blob {
    slice(...range) {
      const part = super.slice(...range);
      part.arrayBuffer = () => { reads++; return Blob.prototype.arrayBuffer.call(part); };
      return part;
    }
    arrayBuffer() {
      reads++;
      return super.arrayBuffer();
    }
  }
  const contents = [message(70), new Uint8Array(9 << 20).fill(3), message(0)];
  const names = ['sha256', 'md5', 'sha3-256'];
  const results = await hashFiles(names, contents.map((bytes) => new Counted([bytes])));
  contents.forEach((bytes, i) => {
    const digests = names.map((name) => createHash(OPENSSL.get(name)).update(bytes).digest('hex'));
    assert.deepEqual(results[i], { name: '', size: bytes.length, digests });
  });
  assert.equal(reads, 2 + 3, 'the long one in three pieces');
  const blobs = contents.map((bytes) => new Blob([bytes]));
  for (const key
         of ['', 'key', 'ключ', message(64), message(65), message(300), Buffer.from('key')]) {
    const tags = await hashFiles(names, blobs, { key });
    contents.forEach((bytes, i) => {
      const expected =
        names.map((name) => createHmac(OPENSSL.get(name), key).update(bytes).digest('hex'));
      assert.deepEqual(tags[i].digests, expected, `${key}`);
    });
  }
  const [tag] = await hashFiles('sha512', [blobs[0]], { key: 'key' });
  assert.equal(tag.digest, createHmac('sha512', 'key').update(contents[0]).digest('hex'));
  await assert.rejects(hashFiles([], blobs), /algorithms: name one or more/);
  await assert.rejects(hashFiles(['md5', 'md7'], blobs), /no hash `md7`/);
  await assert.rejects(hashFiles('md5', blobs, { key: undefined }), /the key is undefined/);
  await assert.rejects(hashFiles('md5', blobs, { key: 7 }), /the key is number/);
  await assert.rejects(
    hashFiles('shake128-2048', blobs, { key: 'k' }), /hmac-shake128-2048|longer/i);
});

test('a pool gives the digests that this thread gives', async () => {
  const pool = new Pool({ workers: 3 });
  assert.equal(pool.size, 3);
  const long = [new Uint8Array(9 << 20).fill(7), '', 'text', new Uint8Array(3 << 20)];
  const short = Array.from({ length: 40_000 }, (_, i) => message(i % 97));
  const data = Buffer.concat(short.slice(0, 1000));
  const offsets = [0, ...short.slice(0, 1000).map(((at) => (bytes) => (at += bytes.length))(0))];
  const lists =
    [[], ['one'], long, short, [...short, ...long], { data, offsets }, new Set(['a', 'b'])];
  const options =
    [undefined, { prefix: 'before ' }, { key: 'secret', prefix: 'p' }, { engine: 'scalar' }];
  const asked = lists.flatMap((list) => options.map((option) => [list, option]));
  // All calls at once.
  const found =
    await Promise.all(asked.map(([list, option]) => pool.hashMany('sha256', list, option)));
  found.forEach((digests, i) => {
    assert.ok(digests instanceof Digests);
    assert.deepEqual(digests, hashMany('sha256', ...asked[i]));
  });
  for (const { name } of algorithms()) {
    const some = short.slice(0, 200);
    assert.deepEqual(await pool.hashMany(name, some), hashMany(name, some), name);
  }
  const said = [];
  await pool.hashMany('md5', short, { onProgress: (progress) => said.push(progress) });
  const totalBytes = short.reduce((sum, bytes) => sum + bytes.length, 0);
  assert.ok(said.length > 3);
  said.reduce((before, now) => {
    assert.ok(now.bytes > before.bytes && now.messages > before.messages);
    return now;
  }, { bytes: -1, messages: 0 });
  assert.deepEqual(
    said.at(-1), { bytes: totalBytes, totalBytes, messages: 40_000, totalMessages: 40_000 });
  await pool.close();
});

test('a pool refuses what is wrong, and goes on', async () => {
  for (const [options, complaint] of [[{ workers: 0 }, /give 1 or more/],
         [{ workers: 1.5 }, /give 1 or more/], [{ threads: 2 }, /no option is named threads/],
         [2, /options are number/]]) {
    assert.throws(() => new Pool(options), complaint);
  }
  const pool = new Pool({ workers: 2 });
  const many = Array.from({ length: 200_000 }, (_, i) => message(i % 64));
  const stopped = new AbortController();
  const refusals = [
    [['md7', ['a']], /no hash `md7`/],
    [['md7', []], /no hash `md7`/],
    [['md5', 'abc'], /give an array/],
    [['md5', ['a', 7]], /message 1 is number/],
    [['md5', ['a'], { engine: 'avx2' }], /cannot run here/],
    [['md5', ['a'], { threads: 2 }], /no option is named threads.*onProgress/],
    [['md5', { data: 'abc', offsets: [0, 4] }], /offset 1 is 4/],
    [['md5', ['a'], { signal: AbortSignal.abort(new Error('enough')) }], /enough/],
    [
      ['md5', many, { signal: stopped.signal, onProgress: () => stopped.abort(new Error('stop')) }],
      /stop/
    ],
    [['md5', ['a'], { key: undefined }], /the key is undefined/],
    [['md5', ['a'], { onProgress: null }], /onProgress is null: give a function/],
    [['md5', ['a'], { signal: 3 }], /signal is number: give the signal/],
    [
      [
        'md5', many, {
          onProgress: () => {
            throw new Error('mine');
          }
        }
      ],
      /mine/
    ],
  ];
  const right = hashMany('md5', ['abc']);
  for (const [asked, complaint] of refusals) {
    await assert.rejects(pool.hashMany(...asked), complaint);
    assert.deepEqual(await pool.hashMany('md5', ['abc']), right);
  }
  const waiting = assert.rejects(pool.hashMany('md5', many), /the pool was closed/);
  await pool.close();
  await waiting;
  await assert.rejects(pool.hashMany('md5', ['abc']), /closed: make a new one/);
  await pool.close();
});

test('a pool has copies of key and prefix, and refuses messages that are gone', async () => {
  const pool = new Pool({ workers: 1 });
  const many = Array.from({ length: 100_000 }, (_, i) => message(i % 64));
  for (const name of ['key', 'prefix']) {
    const bytes = Uint8Array.of(1, 2, 3);
    const right = hashMany('sha256', many, { [name]: bytes.slice() });
    const found = pool.hashMany('sha256', many, { [name]: bytes });
    bytes.fill(0);
    assert.deepEqual(await found, right);
  }
  for (const ask of [(bytes) => ['a', bytes], (bytes) => ({ data: bytes, offsets: [0, 3] })]) {
    const bytes = message(3);
    // The pool's one worker is busy: the message of the second call waits, and is transferred.
    const first = pool.hashMany('md5', many);
    const second = pool.hashMany('md5', ask(bytes));
    structuredClone(bytes, { transfer: [bytes.buffer] });
    await assert.rejects(
      second, /transferred or changed before a worker had it: leave messages unchanged/);
    assert.deepEqual(await first, hashMany('md5', many));
    assert.deepEqual(await pool.hashMany('md5', ['abc']), hashMany('md5', ['abc']));
  }
  await pool.close();
});

test('a signal keeps nothing of the calls that it outlives', async () => {
  const { signal } = new AbortController();
  const pool = new Pool({ workers: 1 });
  for (let i = 0; i < 3; i++) {
    await pool.hashMany('md5', ['a'], { signal });
    await hashFiles('md5', [new Blob(['a'])], { signal });
  }
  assert.equal(getEventListeners(signal, 'abort').length, 0);
  await pool.close();
});

test('a program ends although its pool is open, and not before its digests are there', () => {
  const program = "import { Pool } from 'manylane/pool'; const pool = new Pool();" +
    "pool.hashMany('md5', Array(50000).fill('abc'))" +
    '.then((digests) => console.log(digests.hex(49999)));';
  const ran = spawnSync(process.execPath, ['--input-type=module', '-e', program],
    { encoding: 'utf8', timeout: 60_000 });
  assert.deepEqual(
    [ran.stdout, ran.stderr, ran.status], ['900150983cd24fb0d6963f7d28e17f72\n', '', 0]);
});
