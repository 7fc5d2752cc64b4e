import { Buffered, Digests, ManyOptions, Messages } from './index.js';

/** What was hashed so far. */
export interface ManyProgress {
  messages: number;
  totalMessages: number;
  bytes: number;
  totalBytes: number;
}
export interface PoolManyOptions extends ManyOptions {
  onProgress?: (progress: ManyProgress) => void;
  /** Refuses the call when it aborts; the pool goes on. */
  signal?: AbortSignal;
}

/** Workers that hash many messages, and stay from one call to the next. */
export class Pool {
  constructor(options?: {
    /** How many workers at most; by default one for each processor, up to 8. */
    workers?: number;
  });
  /** How many workers there are at most. */
  readonly size: number;
  /**
   * The digests of many messages, in their order. Messages are copied when a worker takes them:
   * leave them unchanged until then.
   */
  hashMany(
    name: string, messages: Messages | Buffered, options?: PoolManyOptions): Promise<Digests>;
  /** Ends the workers. Calls that wait are refused. */
  close(): Promise<void>;
}
