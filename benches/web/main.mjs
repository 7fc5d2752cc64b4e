// The npm package beside hash-wasm and what the platform has itself, in Node and then in a headless
// Chromium: `make bench-web`. --json FILE keeps the figures.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { launch, serve } from './chromium.mjs';
import { measure } from './measure.js';

const openssl = (name) => (messages) => {
  let last;
  for (const message of messages) last = createHash(name).update(message).digest();
  return last;
};

async function inNode() {
  console.log(`\nNode ${process.versions.node}`);
  return { version: process.versions.node, rows: await measure({ OpenSSL: openssl }, console.log) };
}

async function inChromium() {
  const { origin, close } = await serve('.');
  const browser = await launch();
  try {
    const version = (await browser.version()).split('/').pop();
    console.log(`\nChromium ${version}`);
    const page = await browser.newPage();
    page.on('console', (message) => console.log(message.text()));
    await page.goto(`${origin}bench.html`);
    await page.waitForFunction('globalThis.ended', { timeout: 300_000 });
    const { rows, failure } = await page.evaluate('globalThis.ended');
    if (failure) throw new Error(failure);
    return { version, rows };
  } finally {
    await browser.close();
    close();
  }
}

const [node, chromium] = [await inNode(), await inChromium()];
const at = process.argv.indexOf('--json');
if (at > 0) {
  const record = { machine: cpus()[0].model, node, chromium };
  writeFileSync(process.argv[at + 1], `${JSON.stringify(record, null, 2)}\n`);
}
