// Computes the page's answers beside it, so that it never stands still.
import init, { explain, hardware, models, plan, platforms, primitives } from './explorer.js';
import { unpack } from './unpack.js';

const questions = { explain, hardware, models, plan, platforms, primitives };
const ready = init({ module_or_path: unpack(new URL('./explorer.packed', import.meta.url)) });

self.addEventListener('message', async ({ data: { id, question, args } }) => {
  let isReady = false;
  try {
    await ready;
    isReady = true;
    self.postMessage({ id, answer: JSON.parse(questions[question](...args)) });
  } catch (error) {
    // A worker without its module is of no use either: the next one loads it again.
    const trapped =
      !isReady || !(error instanceof Error) || error instanceof WebAssembly.RuntimeError;
    self.postMessage({ id, error: error?.message ?? String(error), trapped });
  }
});
