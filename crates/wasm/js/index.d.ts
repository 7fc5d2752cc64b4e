/** Bytes of a message, a key or a tag. A string stands for its UTF-8 bytes. */
export type Bytes = string | ArrayBufferView | ArrayBufferLike;

/** Bytes whose buffer is not shared, as `crypto.subtle` takes them; TypeScript before 5.7 has no
 * name for them. */
export type OwnBytes = ReturnType<typeof Uint8Array.of>;

/** A hash function of the catalogue. */
export interface Algorithm {
  /** The name that the functions take. */
  readonly name: string;
  /** Its name in its standard. */
  readonly title: string;
  /** The document that defines it. */
  readonly standard: string;
  /** Bytes of a digest; the default where the length is free. */
  readonly digestBytes: number;
  /** Bytes of message per compression. */
  readonly blockBytes: number;
  /** Whether a name may say the digest's bits: `skein512-256`, `shake128-512`. */
  readonly anyLength: boolean;
  /** Why it is not for new use, or null. */
  readonly warning: string | null;
}

/** Every hash function. */
export function algorithms(): Algorithm[];
/** The engines that compute a hash here: `scalar`, `simd128`. */
export function engines(name: string): string[];
/** Bytes of a digest. */
export function digestBytes(name: string): number;

/** The digest of one message. Throws an Error for an unknown name. */
export function hash(name: string, message: Bytes): OwnBytes;
/** The HMAC tag of one message. */
export function hmac(name: string, key: Bytes, message: Bytes): OwnBytes;
/** Bytes as lower-case hexadecimal digits. */
export function toHex(bytes: Bytes): string;

export interface EngineOption {
  /** One engine only, of those that `engines` lists. */
  engine?: string;
}
export interface ManyOptions extends EngineOption {
  /** Stands before each message, and is hashed once. */
  prefix?: Bytes;
  /** Makes the digests tags of HMAC under this key; undefined is refused, since they would be no
   * tags. */
  key?: Bytes;
}
/** Messages in one buffer: message i is `data` from `offsets[i]` to before `offsets[i + 1]`. */
export interface Buffered {
  data: Bytes;
  offsets: ArrayLike<number> | BigInt64Array | BigUint64Array;
}

/** Messages one by one: not a string, whose characters would be the messages, and no bytes. */
export type Messages = Iterable<Bytes> & { substring?: never; BYTES_PER_ELEMENT?: never };

/** The digests of many messages, side by side in vectors. */
export function hashMany(
  name: string, messages: Messages | Buffered, options?: ManyOptions): Digests;

/** Digests in the order of their messages. */
export class Digests implements Iterable<OwnBytes> {
  constructor(bytes: OwnBytes, size: number);
  /** One after the other. */
  readonly bytes: OwnBytes;
  /** Bytes of each. */
  readonly size: number;
  /** How many there are. */
  readonly length: number;
  /** A view of digest i, from the end where i is negative; undefined where there is none. */
  at(i: number): OwnBytes | undefined;
  /** Digest i as hexadecimal digits; a RangeError where there is none. */
  hex(i: number): string;
  [Symbol.iterator](): Iterator<OwnBytes>;
}

/** One message in pieces. */
export class Hasher {
  constructor(name: string, options?: EngineOption);
  readonly name: string;
  readonly digestBytes: number;
  /** Appends to the message. */
  update(message: Bytes): this;
  /** The digest of what was appended so far; it can go on. */
  digest(): OwnBytes;
  hex(): string;
  /** Forgets the message. */
  reset(): this;
  clone(): Hasher;
  /** Gives its memory back now, not when it is collected. */
  free(): void;
}

/** HMAC of one message in pieces. */
export class Hmac {
  constructor(name: string, key: Bytes, options?: EngineOption);
  readonly name: string;
  readonly digestBytes: number;
  update(message: Bytes): this;
  digest(): OwnBytes;
  hex(): string;
  /** Whether this is the tag, or at least its first 4 bytes; in constant time. */
  verify(tag: Bytes): boolean;
  /** Forgets the message, not the key. */
  reset(): this;
  clone(): Hmac;
  free(): void;
}
