// Hashes many messages in workers. The caller's thread cuts them into parts and copies each once.
import {
  countOf,
  keyOf,
  messagesOf,
  optionsOf,
  prefixOf,
  refuseAborted,
  roomForDigests,
  watchersOf,
  whenAborted,
} from './messages.js';

// A part is large enough to be worth a worker's while, and small enough that all workers end at
// about the same time.
const LEAST_BYTES = 64 << 10;
const MOST_BYTES = 1 << 20;
const MOST_MESSAGES = 1 << 14;
const PARTS_PER_WORKER = 4;
// A worker that ends a part has the next one already.
const PARTS_AHEAD = 2;

/**
 * Workers that stay from one call to the next.
 *
 * `api` is what hashes on this thread. `start(told, failed)` starts a worker, which first tells
 * `{ ready }`; it returns `post`, `end`, and `keep(whether)`: whether the program waits for it.
 */
export class WorkerPool {
  #api;
  #start;
  #most;
  #workers = new Set();
  #calls = [];
  #isClosed = false;

  constructor(api, start, processors, options) {
    this.#api = api;
    this.#start = start;
    this.#most = countOf(optionsOf(options, ['workers']).workers, processors);
  }

  /** How many workers there are at most. */
  get size() {
    return this.#most;
  }

  /** As `hashMany`; the digests come when all messages are hashed. */
  async hashMany(name, messages, options) {
    const known = ['prefix', 'key', 'engine', 'onProgress', 'signal'];
    const given = optionsOf(options, known);
    const { onProgress, signal } = watchersOf(given);
    if (this.#isClosed) throw new Error('this pool was closed: make a new one');
    refuseAborted(signal);
    const all = messagesOf(messages);
    // Copies, since the caller may overwrite a key while parts wait; and a worker would get all of
    // the buffer that a view is of.
    const asked = { engine: given.engine, prefix: new Uint8Array(prefixOf(given)) };
    if ('key' in given) asked.key = new Uint8Array(keyOf(given));
    // A call without messages checks the name and the options before a worker has them.
    const { size } = this.#api.hashMany(name, [], asked);
    const digests = roomForDigests(all.length, size);
    if (all.length > 0) {
      let unwatch;
      const hashed = new Promise((resolve, reject) => {
        const request = { algorithm: name, options: asked };
        const call = new Call(all, digests, size, request, this.#most, onProgress, resolve, reject);
        unwatch = whenAborted(signal, (reason) => this.#refuse(call, reason));
        this.#calls.push(call);
        this.#feed();
      });
      await hashed.finally(unwatch);
    }
    return new this.#api.Digests(digests, size);
  }

  /** Ends the workers. Calls that wait are refused. */
  async close() {
    this.#isClosed = true;
    await this.#drop(new Error('the pool was closed'));
  }

  async [Symbol.asyncDispose ?? Symbol('asyncDispose')]() {
    await this.close();
  }

  // Gives parts to workers, those with the fewest first, and starts workers while some are wanted.
  #feed() {
    const parts = this.#calls.reduce((sum, call) => sum + call.partsLeft, 0);
    while (this.#workers.size < Math.min(this.#most, parts)) this.#hire();
    for (let held = 0; held < PARTS_AHEAD; held++) {
      for (const worker of this.#workers) {
        if (!worker.isReady || worker.parts.length !== held) continue;
        const { call, next } = this.#next();
        if (!call) return;
        const { part, message, transfer } = next;
        worker.parts.push({ call, part });
        worker.keep(true);
        worker.post(message, transfer);
      }
    }
  }

  // The next part of the first call that has one. A call whose messages are gone is refused.
  #next() {
    for (;;) {
      const call = this.#calls.find((call) => call.hasMore);
      if (!call) return {};
      try {
        return { call, next: call.next() };
      } catch (cause) {
        const gone =
          'a message was transferred or changed before a worker had it: leave messages unchanged';
        this.#refuse(call, new Error(gone, { cause }));
      }
    }
  }

  #hire() {
    const worker = { isReady: false, parts: [] };
    const told = (answer) => {
      // A message of a worker that was ended since: `keep(false)` would let the program end before
      // it.
      if (!this.#workers.has(worker)) return;
      if (answer.ready) {
        worker.isReady = true;
        worker.keep(false);
      } else {
        this.#done(worker, answer);
      }
      this.#feed();
    };
    Object.assign(worker, this.#start(told, (error) => this.#drop(error)));
    this.#workers.add(worker);
  }

  #done(worker, { digests, error }) {
    const { call, part } = worker.parts.shift();
    if (worker.parts.length === 0) worker.keep(false);
    if (call.isOver) return;
    if (error !== undefined) {
      this.#refuse(call, new Error(error));
      return;
    }
    try {
      call.done(part, digests);
    } catch (thrown) {
      this.#refuse(call, thrown);
    }
    this.#calls = this.#calls.filter((call) => !call.isOver);
  }

  #refuse(call, reason) {
    call.refuse(reason);
    this.#calls = this.#calls.filter((other) => other !== call);
  }

  async #drop(reason) {
    for (const call of this.#calls.splice(0)) call.refuse(reason);
    const workers = [...this.#workers];
    this.#workers.clear();
    await Promise.all(workers.map((worker) => worker.end()));
  }
}

// The messages of one call, of which some are with workers.
class Call {
  #all;
  #digests;
  #size;
  #request;
  #onProgress;
  #resolve;
  #reject;
  #partBytes;
  #next = 0;
  #progress;
  isOver = false;

  constructor(all, digests, size, request, workers, onProgress, resolve, reject) {
    this.#all = all;
    this.#digests = digests;
    this.#size = size;
    this.#request = request;
    this.#onProgress = onProgress;
    this.#resolve = resolve;
    this.#reject = reject;
    let totalBytes = 0;
    for (let i = 0; i < all.length; i++) totalBytes += all.size(i);
    const share = totalBytes / (workers * PARTS_PER_WORKER);
    this.#partBytes = Math.min(Math.max(share, LEAST_BYTES), MOST_BYTES);
    this.#progress = { messages: 0, totalMessages: all.length, bytes: 0, totalBytes };
  }

  get hasMore() {
    return this.#next < this.#all.length;
  }

  /** A lower bound of the parts that no worker has yet. */
  get partsLeft() {
    const { length } = this.#all;
    const byBytes = (this.#progress.totalBytes / this.#partBytes) * (1 - this.#next / length);
    return Math.ceil(Math.max(byBytes, (length - this.#next) / MOST_MESSAGES));
  }

  next() {
    const first = this.#next;
    let [end, bytes] = [first, 0];
    do {
      bytes += this.#all.size(end++);
    } while (end < this.#all.length && end - first < MOST_MESSAGES && bytes < this.#partBytes);
    const data = new Uint8Array(bytes);
    this.#all.write(first, end, data);
    const offsets = new Float64Array(end - first + 1);
    for (let i = first; i < end; i++)
      offsets[i - first + 1] = offsets[i - first] + this.#all.size(i);
    this.#next = end;
    const message = { ...this.#request, messages: { data, offsets } };
    return { part: { first, end, bytes }, message, transfer: [data.buffer, offsets.buffer] };
  }

  done({ first, end, bytes }, digests) {
    this.#digests.set(digests, first * this.#size);
    this.#progress.messages += end - first;
    this.#progress.bytes += bytes;
    this.#onProgress({ ...this.#progress });
    if (this.#progress.messages < this.#all.length) return;
    this.isOver = true;
    this.#resolve();
  }

  refuse(reason) {
    this.isOver = true;
    this.#reject(reason);
  }
}
