// A worker thread of Node.
import { parentPort } from 'node:worker_threads';
import * as api from './node.js';
import { answer } from './jobs.js';

parentPort.on(
  'message', (asked) => answer(api, asked, (...said) => parentPort.postMessage(...said)));
parentPort.postMessage({ ready: true });
