// Runs a program that was compiled for WASI: node tools/wasi.mjs PROGRAM ARGUMENTS…
import { readFileSync } from 'node:fs';
import { WASI } from 'node:wasi';

const [, , program, ...rest] = process.argv;
if (!program) {
  console.error('wasi: say node tools/wasi.mjs PROGRAM ARGUMENTS…');
  process.exit(1);
}
const wasi = new WASI({
  version: 'preview1',
  args: [program, ...rest],
  env: { ...process.env, PWD: process.cwd() },
  preopens: { '/': '/' },
  returnOnExit: true,
});
const module = new WebAssembly.Module(readFileSync(program));
process.exit(wasi.start(new WebAssembly.Instance(module, wasi.getImportObject())));
