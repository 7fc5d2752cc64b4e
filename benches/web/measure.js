// The npm package beside others, in Node and in a browser.
//
// In a round every contestant hashes the same messages one after the other, so that all of them see
// the same machine. Ratios are taken within a round, and each figure is the median of the rounds.
import { createMD5, createSHA256, createSHA3, createSHA512 } from 'hash-wasm';
import { hashMany, toHex } from 'manylane';
import { Pool } from 'manylane/pool';

const ROUNDS = 9;
const BYTES = 16 << 20;
const HASHES = {
  sha256: createSHA256,
  md5: createMD5,
  sha512: createSHA512,
  'sha3-256': () => createSHA3(256)
};

const WORKERS = 2;
const IN_WORKERS = `${WORKERS} workers`;

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];

/**
 * Measures each hash at three lengths, and calls `tell` with each line of the table. `natives` has
 * the platform's own implementations: a function from an algorithm's name to a function from
 * messages to the last digest, or to nothing where there is none.
 */
export async function measure(natives, tell) {
  const columns = ['manylane', IN_WORKERS, 'hash-wasm', ...Object.keys(natives)];
  tell('MB/s, and how many times as fast as hash-wasm: on one thread, and in workers');
  tell(`hash      bytes${columns.map((who) => who.padStart(14)).join('')}      times  in workers`);
  const pool = new Pool({ workers: WORKERS });
  const rows = [];
  for (const [name, create] of Object.entries(HASHES)) {
    const peer = await create();
    for (const length of [64, 1024, 16384]) {
      const count = Math.min(BYTES / length, 1 << 16);
      const data = new Uint8Array(count * length);
      for (let i = 0; i < data.length; i++) data[i] = (i * 2654435761) >>> 24;
      const messages =
        Array.from({ length: count }, (_, i) => data.subarray(i * length, (i + 1) * length));
      const contestants = {
        manylane: () => hashMany(name, messages).at(count - 1),
        [IN_WORKERS]: async () => (await pool.hashMany(name, messages)).at(count - 1),
        'hash-wasm': () => {
          let last;
          for (const message of messages) last = peer.init().update(message).digest('binary');
          return last;
        },
      };
      for (const [who, of] of Object.entries(natives)) {
        const work = of(name);
        if (work) contestants[who] = () => work(messages);
      }
      const times = {};
      for (let round = -1; round < ROUNDS; round++) {
        const digests = new Set();
        for (const [who, work] of Object.entries(contestants)) {
          const begin = performance.now();
          const digest = await work();
          const time = (performance.now() - begin) / 1000;
          digests.add(toHex(digest));
          if (round >= 0) (times[who] ??= []).push(time);
        }
        if (digests.size !== 1) throw new Error(`${name}, ${length} bytes: digests differ`);
      }
      const speed = (who) => (count * length) / 1e6 / median(times[who]);
      const ratio = (who) => median(times[who].map((time, i) => times['hash-wasm'][i] / time));
      rows.push({
        hash: name,
        bytes: length,
        messages: count,
        times_hash_wasm: Number(ratio('manylane').toFixed(2)),
        in_workers_times_hash_wasm: Number(ratio(IN_WORKERS).toFixed(2)),
        megabytes_per_second:
          Object.fromEntries(Object.keys(contestants).map((who) => [who, Math.round(speed(who))])),
      });
      const cells =
        columns.map((who) => (who in times ? speed(who).toFixed(0) : '-').padStart(14)).join('');
      const ratios =
        `${ratio('manylane').toFixed(2).padStart(11)} ${ratio(IN_WORKERS).toFixed(2).padStart(11)}`;
      tell(`${name.padEnd(9)} ${String(length).padStart(5)}${cells}${ratios}`);
    }
  }
  await pool.close();
  return rows;
}
