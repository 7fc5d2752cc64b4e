// The pool in Node.
import * as api from './node.js';
import { WorkerPool } from './pool.js';
import { processors, startWorker } from './workers-node.js';

export class Pool extends WorkerPool {
  constructor(options) {
    super(api, startWorker, processors(), options);
  }
}
