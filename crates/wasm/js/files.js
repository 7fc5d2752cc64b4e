// Hashes files and blobs: in workers where there are some, else on this thread.
import { SMALL, run } from './jobs.js';
import { countOf, keyOf, optionsOf, refuseAborted, watchersOf, whenAborted } from './messages.js';
import { processors, startWorker } from './workers.js';

const MOST_FILES = 64;
const MOST_BYTES = 8 << 20;

// Long files alone and first, short ones together: no worker is left with the longest at the end.
function jobsOf(files) {
  const order = files.map((_, i) => i).sort((a, b) => files[b].size - files[a].size);
  const jobs = [];
  let open = null;
  for (const i of order) {
    if (files[i].size > SMALL) {
      jobs.push({ places: [i] });
      continue;
    }
    if (!open || open.places.length === MOST_FILES || open.bytes + files[i].size > MOST_BYTES) {
      open = { places: [], bytes: 0 };
      jobs.push(open);
    }
    open.places.push(i);
    open.bytes += files[i].size;
  }
  return jobs;
}

/**
 * The digests of files, in their order: `{ name, size, digest }` with the digest in hexadecimal
 * digits, or `{ name, error }` for a file that cannot be read. Of a list of algorithms there are
 * `digests` in its order, and each file is read once. With `key` they are tags of HMAC.
 */
export async function hashFiles(algorithm, files, options) {
  const asked = optionsOf(options, ['workers', 'onProgress', 'signal', 'key']);
  const isList = Array.isArray(algorithm);
  const algorithms = isList ? [...algorithm] : [algorithm];
  if (algorithms.length === 0) throw new TypeError('algorithms: name one or more');
  const given = keyOf(asked);
  // A copy, since the caller may change the key while workers use it.
  const key = given && new Uint8Array(given);
  const { onProgress, signal } = watchersOf(asked);
  if (typeof files?.[Symbol.iterator] !== 'function') {
    throw new TypeError('files: give a FileList, or an array of files and blobs');
  }
  const all = [...files];
  all.forEach((file, i) => {
    if (!(file instanceof Blob)) throw new TypeError(`file ${i} is no File and no Blob`);
  });
  const most = countOf(asked.workers, processors());
  refuseAborted(signal);
  const jobs = jobsOf(all);
  const results = new Array(all.length);
  const progress = {
    bytes: 0,
    totalBytes: all.reduce((sum, file) => sum + file.size, 0),
    files: 0,
    totalFiles: all.length,
  };
  const read = (bytes) => {
    progress.bytes += bytes;
    onProgress({ ...progress });
  };
  const done = (job, found) => {
    job.places.forEach((i, place) => {
      const { digests, ...result } = found[place];
      const own = digests && (isList ? { digests } : { digest: digests[0] });
      results[i] = { name: all[i].name ?? '', ...result, ...own };
    });
    progress.files += job.places.length;
    onProgress({ ...progress });
  };
  const task = (job) => ({ algorithms, key, blobs: job.places.map((i) => all[i]) });
  if (typeof Worker === 'undefined') {
    const api = await import('./node.js');
    for (const name of algorithms) api.digestBytes(name);
    const readHere = (bytes) => {
      read(bytes);
      refuseAborted(signal);
    };
    for (const job of jobs) {
      done(job, await run(api, task(job), readHere));
      refuseAborted(signal);
    }
    return results;
  }
  const count = Math.min(most, jobs.length);
  const team = [];
  let unwatch;
  try {
    const serve = () => new Promise((resolve, reject) => {
      let job;
      const hear = (data) => {
        if (data.bytes !== undefined) return read(data.bytes);
        if (data.error !== undefined) return reject(new Error(data.error));
        if (data.results) done(job, data.results);
        job = jobs.shift();
        if (job) worker.post(task(job));
        else resolve();
      };
      const worker = startWorker((data) => {
        // An error that the caller's onProgress throws ends the call.
        try {
          hear(data);
        } catch (error) {
          reject(error);
        }
      }, reject);
      team.push(worker);
    });
    const stopped = new Promise((_, reject) => { unwatch = whenAborted(signal, reject); });
    const served = Promise.all(Array.from({ length: count }, serve));
    await Promise.race([served, stopped]);
  } finally {
    unwatch?.();
    for (const worker of team) worker.end();
  }
  return results;
}
