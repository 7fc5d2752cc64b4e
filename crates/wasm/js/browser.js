// The package in a browser or a worker: fetches the module beside it.
import init from './wasm/manylane.js';
import { NO_VECTORS, keep } from './memory.js';

try {
  keep(await init({ module_or_path: new URL('./wasm/manylane_bg.wasm', import.meta.url) }));
} catch (error) {
  if (error instanceof WebAssembly.CompileError) throw new Error(NO_VECTORS, { cause: error });
  throw error;
}

export * from './api.js';
