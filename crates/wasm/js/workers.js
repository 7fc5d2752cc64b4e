// Workers of a browser.

/**
 * Starts a worker. `told` gets its messages, `failed` the error if it does not start or breaks.
 */
export function startWorker(told, failed) {
  const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  worker.addEventListener('message', ({ data }) => told(data));
  worker.addEventListener('error', (event) => {
    failed(
      new Error(`a worker did not start or failed: ${event.message || 'is worker.js served?'}`));
  });
  return {
    post: (message, transfer) => worker.postMessage(message, transfer),
    end: () => worker.terminate(),
    // A page does not wait for its workers.
    keep: () => {},
  };
}

/** How many processors there are. */
export function processors() {
  return globalThis.navigator?.hardwareConcurrency ?? 1;
}
