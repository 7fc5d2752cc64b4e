// A worker of a browser.
import * as api from './browser.js';
import { answer } from './jobs.js';

self.addEventListener(
  'message', ({ data }) => answer(api, data, (...said) => self.postMessage(...said)));
// Messages that came before the module was there wait until now.
self.postMessage({ ready: true });
