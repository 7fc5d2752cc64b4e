// Questions to the worker that computes. Of questions on one topic only the last is answered, and
// none waits for those that nobody wants any more.

let worker;
let next = 0;
const open = new Map();
const queue = [];
let running = null;

function start() {
  worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  worker.addEventListener('message', ({ data: { id, answer, error, trapped } }) => {
    const asked = open.get(id);
    open.delete(id);
    running = null;
    // After a trap the module's memory may be anything: begin with a new one.
    if (trapped) {
      worker.terminate();
      start();
    }
    if (asked) error === undefined ? asked.resolve(answer) : asked.reject(new Error(error));
    run();
  });
  worker.addEventListener('error', (event) => {
    const message = event.message || 'the module that computes was not found; is explorer.packed served?';
    for (const asked of open.values()) asked.reject(new Error(message));
    open.clear();
    running = null;
  });
}

function run() {
  if (running !== null || queue.length === 0) return;
  // What the reader looks at comes before the table of all platforms.
  queue.sort((a, b) => a.later - b.later);
  const { id, question, args } = queue.shift();
  running = id;
  worker.postMessage({ id, question, args });
}

/** An answer, or null if a later question on the same topic took its place. */
export function ask(topic, question, args, later = 0) {
  if (!worker) start();
  for (let i = queue.length - 1; i >= 0; i--) {
    if (queue[i].topic === topic) {
      open.get(queue[i].id)?.resolve(null);
      open.delete(queue[i].id);
      queue.splice(i, 1);
    }
  }
  for (const [id, asked] of open) {
    if (asked.topic === topic) {
      asked.resolve(null);
      open.delete(id);
    }
  }
  const id = next++;
  const answer = new Promise((resolve, reject) => open.set(id, { topic, resolve, reject }));
  queue.push({ id, topic, question, args, later });
  run();
  return answer;
}
