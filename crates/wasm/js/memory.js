// The module's memory, which moves when it grows: asked for anew each time.
let exported = null;

export function memory() {
  if (!exported) throw new Error('the module is not initialised: import the package by its name');
  return exported.memory;
}

export function keep(instance) {
  exported = instance;
}

export const NO_VECTORS =
  'this engine lacks vectors or references of WebAssembly: ' +
  'Node 18, Chrome 96, Firefox 90, Safari 16.4 or later is needed';
