// Compiled, not run: what the types allow and what they refuse.
import { Digests, Hasher, Hmac, algorithms, hash, hashMany, toHex } from 'manylane';
import { hashFiles, type FileResult, type FileResults } from 'manylane/files';
import { Pool } from 'manylane/pool';

const digest: Uint8Array = hash('sha256', 'text');
const many: Digests = hashMany('sha256', ['a', digest], { prefix: 'p', engine: 'simd128' });
const buffered = hashMany('md5', { data: digest, offsets: Uint32Array.of(0, 32) }, { key: 'k' });
const hex: string =
  many.hex(0) + toHex(buffered.bytes) + new Hasher('md5').update('a').update('b').hex();
const same: boolean = new Hmac('sha256', 'key').update(hex).verify(digest);
const blob = new Blob([hash('sha256', hex), many.bytes, ...many]);
const twice: Promise<ArrayBuffer> = crypto.subtle.digest('SHA-256', new Hasher('sha256').digest());
const warnings: (string | null)[] = algorithms().map(({ warning }) => warning);
const others =
  hashMany('md5', new Set(['a', digest])).length + hashMany('md5', [digest, 'b']).length;
const results: Promise<FileResult[]> = hashFiles('sha256', [new Blob([hex])], { workers: 2 });
const tags: Promise<FileResults[]> = hashFiles(['sha256', 'md5'], [blob], { key: digest });
const pool = new Pool({ workers: 2 });
const later: Promise<Digests> = pool.hashMany('sha256', ['a', digest], {
  key: 'k',
  onProgress: ({ messages, totalMessages }) => messages / totalMessages,
  signal: new AbortController().signal,
});
// @ts-expect-error
hash('sha256', 7);
// @ts-expect-error
hashMany('sha256', ['a'], { threads: 2 });
// @ts-expect-error
hashMany('sha256', 'abc');
// @ts-expect-error
hashMany('sha256', digest);
// @ts-expect-error
hashFiles(7, [blob]);
// @ts-expect-error
new Pool(2);
export { blob, later, others, results, same, tags, twice, warnings };
