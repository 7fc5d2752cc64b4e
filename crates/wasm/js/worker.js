// A worker of files.js in a browser.
import * as api from './browser.js';
import { run } from './jobs.js';

self.addEventListener('message', async ({ data }) => {
  try {
    const results = await run(api, data, (bytes) => self.postMessage({ bytes }));
    self.postMessage({ results });
  } catch (error) {
    self.postMessage({ error: error?.message ?? String(error) });
  }
});
// Messages that came before the module was there wait until now.
self.postMessage({ ready: true });
