// The npm package beside hash-wasm and Node's own OpenSSL, in one run: `make bench-web`.
//
// Each figure is the median of several rounds; in a round every contestant hashes the same messages
// one after the other, so that all of them see the same machine. Ratios are taken within a round.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { createMD5, createSHA256, createSHA3, createSHA512 } from 'hash-wasm';
import { hashMany, toHex } from 'manylane';

const ROUNDS = 9;
const BYTES = 16 << 20;
const HASHES = [
  ['sha256', await createSHA256(), 'sha256'],
  ['md5', await createMD5(), 'md5'],
  ['sha512', await createSHA512(), 'sha512'],
  ['sha3-256', await createSHA3(256), 'sha3-256'],
];

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];

function seconds(work) {
  const begin = performance.now();
  const made = work();
  return [(performance.now() - begin) / 1000, made];
}

const rows = [];
console.log('MB/s, and how many times as fast as hash-wasm');
console.log('hash      bytes   manylane  hash-wasm    OpenSSL      times');
for (const [name, peer, native] of HASHES) {
  for (const length of [64, 1024, 16384]) {
    const count = Math.min(BYTES / length, 1 << 16);
    const data = new Uint8Array(count * length);
    for (let i = 0; i < data.length; i++) data[i] = (i * 2654435761) >>> 24;
    const messages = Array.from({ length: count }, (_, i) => data.subarray(i * length, (i + 1) * length));
    const contestants = {
      manylane: () => hashMany(name, messages).hex(count - 1),
      'hash-wasm': () => {
        let last;
        for (const message of messages) last = peer.init().update(message).digest('binary');
        return toHex(last);
      },
      OpenSSL: () => {
        let last;
        for (const message of messages) last = createHash(native).update(message).digest();
        return toHex(last);
      },
    };
    const times = {};
    for (let round = -1; round < ROUNDS; round++) {
      const digests = new Set();
      for (const [who, work] of Object.entries(contestants)) {
        const [time, digest] = seconds(work);
        digests.add(digest);
        if (round >= 0) (times[who] ??= []).push(time);
      }
      if (digests.size !== 1) throw new Error(`${name}, ${length} bytes: digests differ`);
    }
    const speed = (who) => (count * length) / 1e6 / median(times[who]);
    const ratio = median(times.manylane.map((time, i) => times['hash-wasm'][i] / time));
    rows.push({
      hash: name, bytes: length, messages: count, times_hash_wasm: Number(ratio.toFixed(2)),
      megabytes_per_second: Object.fromEntries(
        Object.keys(contestants).map((who) => [who, Math.round(speed(who))])),
    });
    const cells = Object.keys(contestants).map((who) => speed(who).toFixed(0).padStart(10));
    console.log(`${name.padEnd(9)} ${String(length).padStart(5)} ${cells.join(' ')} ${ratio.toFixed(2).padStart(10)}`);
  }
}
const at = process.argv.indexOf('--json');
if (at > 0) {
  const record = { machine: cpus()[0].model, node: process.version, v8: process.versions.v8, rows };
  writeFileSync(process.argv[at + 1], `${JSON.stringify(record, null, 2)}\n`);
}
