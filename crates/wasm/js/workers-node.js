// Worker threads of Node.
import { availableParallelism, cpus } from 'node:os';
import { Worker } from 'node:worker_threads';

/** As in workers.js. The program waits for a thread to end, except after `keep(false)`. */
export function startWorker(told, failed) {
  // Options of the program such as --input-type=module would refuse the file.
  const worker = new Worker(new URL('./worker-node.js', import.meta.url), { execArgv: [] });
  let isEnded = false;
  worker.on('message', told);
  worker.on('error',
    (error) => failed(new Error(`a worker failed: ${error?.message ?? error}`, { cause: error })));
  worker.on('exit', (code) => {
    if (!isEnded) failed(new Error(`a worker ended early, with status ${code}`));
  });
  return {
    post: (message, transfer) => worker.postMessage(message, transfer),
    end: () => {
      isEnded = true;
      return worker.terminate();
    },
    keep: (whether) => (whether ? worker.ref() : worker.unref()),
  };
}

/** How many processors this program may use. */
export function processors() {
  return availableParallelism?.() ?? cpus().length;
}
