// A server of static files and a headless Chromium, for the tests and for the benchmark.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import puppeteer from 'puppeteer-core';

const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.wasm': 'application/wasm',
};

/** Serves a folder to this machine alone; resolves to the address and to what ends it. */
export async function serve(folder) {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://local').pathname));
    const file = join(folder, path.endsWith('/') ? `${path}index.html` : path);
    try {
      const content = readFileSync(file);
      response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'text/plain' });
      response.end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { origin: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

/** Starts the browser that CHROMIUM names. */
export function launch() {
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return puppeteer.launch({
    executablePath: process.env.CHROMIUM,
    args: [...asRoot, '--disable-dev-shm-usage'],
    protocolTimeout: 300_000,
  });
}
