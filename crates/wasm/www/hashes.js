// The package's browser.js, for this site's compressed module.
import init from './wasm/manylane.js';
import { NO_VECTORS, keep } from './memory.js';
import { unpack } from '../unpack.js';

try {
  keep(await init({ module_or_path: unpack(new URL('./wasm/manylane.packed', import.meta.url)) }));
} catch (error) {
  if (error instanceof WebAssembly.CompileError) throw new Error(NO_VECTORS, { cause: error });
  throw error;
}

export * from './api.js';
