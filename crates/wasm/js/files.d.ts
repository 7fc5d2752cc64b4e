import { Bytes } from './index.js';

/** What was read so far. */
export interface Progress {
  bytes: number;
  totalBytes: number;
  files: number;
  totalFiles: number;
}
export interface FileOptions {
  /** How many workers; by default one for each processor, up to 8. */
  workers?: number;
  onProgress?: (progress: Progress) => void;
  signal?: AbortSignal;
  /** Makes tags of HMAC under this key: bytes, or a string for its UTF-8 bytes. */
  key?: Bytes;
}
/** A digest in hexadecimal digits, or why the file could not be read. */
export type FileResult =
  | { name: string; size: number; digest: string; error?: undefined }
  | { name: string; error: string; digest?: undefined };

/** The digests of a file by several algorithms, in their order, or why it could not be read. */
export type FileResults =
  | { name: string; size: number; digests: string[]; error?: undefined }
  | { name: string; error: string; digests?: undefined };

/**
 * The digests of files or blobs, in their order; in workers where there are some. Each file is read
 * once for all algorithms.
 */
export function hashFiles(
  algorithm: string, files: Iterable<Blob>, options?: FileOptions): Promise<FileResult[]>;
export function hashFiles(algorithms: readonly string[], files: Iterable<Blob>,
  options?: FileOptions): Promise<FileResults[]>;
