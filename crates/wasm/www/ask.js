// Questions to the worker that computes. Of questions on one topic only the last is answered, and
// none waits for those that nobody wants any more.

let worker;
let next = 0;
const open = new Map();
const queue = [];
let running = null;
// Milliseconds for which a question that nobody wants any more keeps the worker. To start another
// takes about as long.
const PATIENCE = 500;

function start() {
  worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  worker.addEventListener('message', ({ data: { id, answer, error, trapped } }) => {
    const asked = open.get(id);
    open.delete(id);
    running = null;
    // After a trap the module's memory may be anything: begin with a new one.
    if (trapped) end();
    if (asked) error === undefined ? asked.resolve(answer) : asked.reject(new Error(error));
    run();
  });
  worker.addEventListener('error', (event) => {
    const message = event.message || 'the script that computes did not start; is worker.js served?';
    for (const asked of open.values()) asked.reject(new Error(message));
    open.clear();
    queue.length = 0;
    running = null;
    end();
  });
}

// The next question starts another worker.
function end() {
  worker.terminate();
  worker = undefined;
}

function run() {
  if (running !== null || queue.length === 0) return;
  if (!worker) start();
  // What the reader looks at comes before the table of all platforms.
  queue.sort((a, b) => a.later - b.later);
  const { id, question, args } = queue.shift();
  running = id;
  worker.postMessage({ id, question, args });
}

/** Gives up what was asked on a topic: its answer is null. */
export function forget(topic) {
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
      if (id === running) setTimeout(abandon, PATIENCE, id);
    }
  }
}

function abandon(id) {
  if (id !== running) return;
  running = null;
  end();
  run();
}

/** An answer, or null if a later question on the same topic took its place. */
export function ask(topic, question, args, later = 0) {
  forget(topic);
  const id = next++;
  const answer = new Promise((resolve, reject) => open.set(id, { topic, resolve, reject }));
  queue.push({ id, topic, question, args, later });
  run();
  return answer;
}
