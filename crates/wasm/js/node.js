// The package in Node.
import { readFileSync } from 'node:fs';
import { initSync } from './wasm/manylane.js';
import { NO_VECTORS, keep } from './memory.js';

let module;
try {
  module =
    new WebAssembly.Module(readFileSync(new URL('./wasm/manylane_bg.wasm', import.meta.url)));
} catch (error) {
  if (error instanceof WebAssembly.CompileError) throw new Error(NO_VECTORS, { cause: error });
  throw error;
}
keep(initSync({ module }));

export * from './api.js';
