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
}
/** A digest in hexadecimal digits, or why the file could not be read. */
export type FileResult =
  | { name: string; size: number; digest: string; error?: undefined }
  | { name: string; error: string; digest?: undefined };

/** The digests of files or blobs, in their order; in workers where there are some. */
export function hashFiles(
  algorithm: string, files: Iterable<Blob>, options?: FileOptions): Promise<FileResult[]>;
