// The pool in a browser.
import * as api from './browser.js';
import { WorkerPool } from './pool.js';
import { processors, startWorker } from './workers.js';

export class Pool extends WorkerPool {
  constructor(options) {
    super(api, startWorker, processors(), options);
  }
}
