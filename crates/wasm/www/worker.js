// Computes the page's answers beside it, so that it never stands still.
import init, { explain, hardware, models, plan, platforms, primitives } from './explorer.js';
import { unpack } from './unpack.js';

const questions = { explain, hardware, models, plan, platforms, primitives };
const ready = init({ module_or_path: unpack(new URL('./explorer.packed', import.meta.url)) });

self.addEventListener('message', async ({ data: { id, question, args } }) => {
  try {
    await ready;
    self.postMessage({ id, answer: JSON.parse(questions[question](...args)) });
  } catch (error) {
    self.postMessage({ id, error: error?.message ?? String(error), trapped: !(error instanceof Error) || error instanceof WebAssembly.RuntimeError });
  }
});
