// The module's memory. It moves when it grows, so every use asks for it anew.
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
