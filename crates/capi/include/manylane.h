/* Hashes of many messages at once, on SIMD lanes and hardware rounds.
 *
 * Every function that answers with a manylane_status checks its arguments and answers an error, and
 * manylane_last_error() then says what was wrong. Names of algorithms are such as "sha256",
 * "SHA-512/256" or "skein512-128". Different objects can be used by different threads at the same
 * time. No output may lie over an input. manylane_group_new() answers MANYLANE_STATUS_NO_MEMORY for
 * more members than there is memory for; any other lack of memory aborts the process.
 *
 * docs/c-library.md of the project explains installation and use.
 *
 * Made by cbindgen from crates/capi/src: change that. */

#ifndef MANYLANE_H
#define MANYLANE_H

#include <stddef.h>
#include <stdint.h>

/* Options of a batch as they are by default:
 *     manylane_options options = MANYLANE_OPTIONS; */
#define MANYLANE_OPTIONS { sizeof(manylane_options), NULL, 1, NULL, 0, NULL, 0 }

/**
 * The result of a call. Zero is success. [`manylane_last_error`] has the details of an error.
 */
typedef enum manylane_status {
  /**
   * The call has succeeded.
   */
  MANYLANE_STATUS_OK = 0,
  /**
   * A pointer that must not be null is null, or is not aligned for what it points to.
   */
  MANYLANE_STATUS_NULL_POINTER = 1,
  /**
   * No hash has this name.
   */
  MANYLANE_STATUS_UNKNOWN_ALGORITHM = 2,
  /**
   * No engine has this name.
   */
  MANYLANE_STATUS_UNKNOWN_ENGINE = 3,
  /**
   * This CPU lacks the engine, or the engine does not compute this algorithm.
   */
  MANYLANE_STATUS_ENGINE_UNAVAILABLE = 4,
  /**
   * A digest, tag, key, block or structure has another length than it must have.
   */
  MANYLANE_STATUS_WRONG_LENGTH = 5,
  /**
   * The message was ended before; reset the hasher or the HMAC first.
   */
  MANYLANE_STATUS_FINISHED = 6,
  /**
   * The output lies where an input lies.
   */
  MANYLANE_STATUS_OVERLAP = 7,
  /**
   * The operation is not defined for the algorithm: HMAC over a digest longer than its block, or
   * output without end from a hash of fixed length.
   */
  MANYLANE_STATUS_NOT_DEFINED = 8,
  /**
   * The tag is not that of the message.
   */
  MANYLANE_STATUS_MISMATCH = 9,
  /**
   * The bytes are no saved state, or were changed.
   */
  MANYLANE_STATUS_BAD_STATE = 10,
  /**
   * There is not enough memory.
   */
  MANYLANE_STATUS_NO_MEMORY = 11,
  /**
   * The parameters of a cipher are out of bounds, or its mode refuses the data.
   */
  MANYLANE_STATUS_BAD_INPUT = 12,
  /**
   * A defect of the library itself, which it has caught.
   */
  MANYLANE_STATUS_INTERNAL = 13,
} manylane_status;

/**
 * Several hashers of one algorithm whose messages are hashed side by side. One thread at a time
 * may use it.
 */
typedef struct manylane_group manylane_group;

/**
 * A hasher of one message. Different hashers can be used by different threads at the same time,
 * one hasher by one thread at a time.
 */
typedef struct manylane_hasher manylane_hasher;

/**
 * HMAC (FIPS 198-1) of one message. One thread at a time may use it.
 */
typedef struct manylane_hmac manylane_hmac;

/**
 * RC5 under one key. Several threads may use it at the same time.
 */
typedef struct manylane_rc5 manylane_rc5;

/**
 * How a batch is computed. Begin with `MANYLANE_OPTIONS`, which sets the size.
 */
typedef struct manylane_options {
  /**
   * Bytes of this structure: later versions may have more fields.
   */
  size_t size;
  /**
   * The engine's name; null for the best ones.
   */
  const char *engine;
  /**
   * How many threads, started for the call, may work; 0 and 1 mean the caller's alone.
   */
  size_t threads;
  /**
   * Bytes before every message, `prefix_size` of them. Their whole blocks are hashed once.
   */
  const void *prefix;
  /**
   * Bytes of the prefix.
   */
  size_t prefix_size;
  /**
   * If not null: tags of HMAC under this key, `key_size` bytes, are computed, not digests.
   */
  const void *key;
  /**
   * Bytes of the key.
   */
  size_t key_size;
} manylane_options;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Writes the digests of `count` messages to `digests`, one after the other, in the messages'
 * order: `digests_size` bytes, exactly `count` times those of the algorithm. Message i is
 * `sizes[i]` bytes at `messages[i]`; the lengths may differ, and an empty message may be null.
 * `options` may be null.
 *
 * # Safety
 * `algorithm` is null or a string; `options` is null or points to options; `messages` and `sizes`
 * are null or point to `count` elements, and `sizes[i]` bytes at `messages[i]` can be read;
 * `digests` is null or has room for `digests_size` bytes.
 */
enum manylane_status manylane_hash_many(const char *algorithm,
                                        const struct manylane_options *options,
                                        const void *const *messages,
                                        const size_t *sizes,
                                        size_t count,
                                        uint8_t *digests,
                                        size_t digests_size);

/**
 * `manylane_hash_many` for messages that lie in one buffer: message i is the bytes of `data` from
 * `offsets[i]` to before `offsets[i + 1]`, as in a column of Apache Arrow. There are `count + 1`
 * offsets, none below the one before it and none above `data_size`.
 *
 * # Safety
 * As `manylane_hash_many`; `data` is null or points to `data_size` bytes, `offsets` is null or
 * points to `count + 1` offsets.
 */
enum manylane_status manylane_hash_offsets(const char *algorithm,
                                           const struct manylane_options *options,
                                           const void *data,
                                           size_t data_size,
                                           const uint64_t *offsets,
                                           size_t count,
                                           uint8_t *digests,
                                           size_t digests_size);

/**
 * Makes `members` hashers. `engine` is null for the best ones. Free them with
 * `manylane_group_free`.
 *
 * # Safety
 * `algorithm` and `engine` are null or strings; `group` is null or can be written.
 */
enum manylane_status manylane_group_new(const char *algorithm,
                                        const char *engine,
                                        size_t members,
                                        struct manylane_group **group);

/**
 * Appends `sizes[i]` bytes at `pieces[i]` to the message of member i, for every member: an empty
 * piece, which may be null, changes nothing. Pieces of like size are hashed fastest.
 *
 * # Safety
 * `group` is null or a group; `pieces` and `sizes` are null or point to as many elements as it has
 * members, and `sizes[i]` bytes at `pieces[i]` can be read.
 */
enum manylane_status manylane_group_update(struct manylane_group *group,
                                           const void *const *pieces,
                                           const size_t *sizes);

/**
 * Writes the digest of the message of `member` so far, exactly as many bytes as the algorithm's.
 * The message can go on.
 *
 * # Safety
 * `group` is null or a group; `digest` is null or has room for `digest_size` bytes.
 */
enum manylane_status manylane_group_digest(struct manylane_group *group,
                                           size_t member,
                                           uint8_t *digest,
                                           size_t digest_size);

/**
 * Forgets the message of `member`, which then takes another.
 *
 * # Safety
 * `group` is null or a group.
 */
enum manylane_status manylane_group_reset(struct manylane_group *group, size_t member);

/**
 * Frees a group. A null pointer is ignored.
 *
 * # Safety
 * `group` is null, or a group that was not freed.
 */
void manylane_group_free(struct manylane_group *group);

/**
 * Writes the digest of a message, `digest_size` bytes, exactly those of the algorithm.
 *
 * # Safety
 * `algorithm` is null or a string; `message` is null or points to `message_size` bytes; `digest`
 * is null or has room for `digest_size` bytes.
 */
enum manylane_status manylane_hash(const char *algorithm,
                                   const void *message,
                                   size_t message_size,
                                   uint8_t *digest,
                                   size_t digest_size);

/**
 * Makes a hasher. `engine` is null for the best one. Free it with `manylane_hasher_free`.
 *
 * # Safety
 * `algorithm` and `engine` are null or strings; `hasher` is null or can be written.
 */
enum manylane_status manylane_hasher_new(const char *algorithm,
                                         const char *engine,
                                         struct manylane_hasher **hasher);

/**
 * Appends bytes to the message.
 *
 * # Safety
 * `hasher` is null or a hasher; `bytes` is null or points to `size` bytes.
 */
enum manylane_status manylane_hasher_update(struct manylane_hasher *hasher,
                                            const void *bytes,
                                            size_t size);

/**
 * Ends the message and writes its digest, exactly as many bytes as the algorithm's. To go on after
 * it, end a clone.
 *
 * # Safety
 * `hasher` is null or a hasher; `digest` is null or has room for `digest_size` bytes.
 */
enum manylane_status manylane_hasher_finish(struct manylane_hasher *hasher,
                                            uint8_t *digest,
                                            size_t digest_size);

/**
 * Ends the message of an extendable hash and writes the next `size` bytes of its output, which has
 * no end. Call it again for more.
 *
 * # Safety
 * `hasher` is null or a hasher; `output` is null or has room for `size` bytes.
 */
enum manylane_status manylane_hasher_read(struct manylane_hasher *hasher,
                                          uint8_t *output,
                                          size_t size);

/**
 * Forgets the message.
 *
 * # Safety
 * `hasher` is null or a hasher.
 */
enum manylane_status manylane_hasher_reset(struct manylane_hasher *hasher);

/**
 * Makes another hasher with the same message. If output of it was already read, the clone reads
 * from the beginning of the output.
 *
 * # Safety
 * `hasher` is null or a hasher; `clone` is null or can be written.
 */
enum manylane_status manylane_hasher_clone(const struct manylane_hasher *hasher,
                                           struct manylane_hasher **clone);

/**
 * Writes the state of an open message, from which `manylane_hasher_restore` goes on in another
 * process or on another CPU. `*size` is the room in bytes, and becomes the size of the state, also
 * if there is too little room; a state has fewer than 512 bytes. If `state` is null, only the size
 * is set.
 *
 * # Safety
 * `hasher` is null or a hasher; `state` is null or has room for `*size` bytes; `size` is null or
 * can be written.
 */
enum manylane_status manylane_hasher_save(struct manylane_hasher *hasher,
                                          uint8_t *state,
                                          size_t *size);

/**
 * Makes the hasher that `manylane_hasher_save` saved. The state names its algorithm.
 *
 * # Safety
 * `state` is null or points to `size` bytes; `engine` is null or a string; `hasher` is null or can
 * be written.
 */
enum manylane_status manylane_hasher_restore(const void *state,
                                             size_t size,
                                             const char *engine,
                                             struct manylane_hasher **hasher);

/**
 * Frees a hasher. A null pointer is ignored.
 *
 * # Safety
 * `hasher` is null, or a hasher that was not freed.
 */
void manylane_hasher_free(struct manylane_hasher *hasher);

/**
 * Makes HMAC under a key of any length. `engine` is null for the best one. Free it with
 * `manylane_hmac_free`.
 *
 * # Safety
 * `algorithm` and `engine` are null or strings; `key` is null or points to `key_size` bytes;
 * `hmac` is null or can be written.
 */
enum manylane_status manylane_hmac_new(const char *algorithm,
                                       const char *engine,
                                       const void *key,
                                       size_t key_size,
                                       struct manylane_hmac **hmac);

/**
 * Appends bytes to the message.
 *
 * # Safety
 * `hmac` is null or an HMAC; `bytes` is null or points to `size` bytes.
 */
enum manylane_status manylane_hmac_update(struct manylane_hmac *hmac,
                                          const void *bytes,
                                          size_t size);

/**
 * Ends the message and writes its tag, exactly as many bytes as the algorithm's digest.
 *
 * # Safety
 * `hmac` is null or an HMAC; `tag` is null or has room for `tag_size` bytes.
 */
enum manylane_status manylane_hmac_finish(struct manylane_hmac *hmac,
                                          uint8_t *tag,
                                          size_t tag_size);

/**
 * Ends the message and answers `MANYLANE_STATUS_OK` if `tag` is its tag, or a beginning of it of
 * at least four bytes, and `MANYLANE_STATUS_MISMATCH` if it is not; the message has ended in both
 * cases. The time does not depend on where the tags differ.
 *
 * # Safety
 * `hmac` is null or an HMAC; `tag` is null or points to `tag_size` bytes.
 */
enum manylane_status manylane_hmac_verify(struct manylane_hmac *hmac,
                                          const uint8_t *tag,
                                          size_t tag_size);

/**
 * Forgets the message, not the key.
 *
 * # Safety
 * `hmac` is null or an HMAC.
 */
enum manylane_status manylane_hmac_reset(struct manylane_hmac *hmac);

/**
 * Makes another HMAC under the same key that goes on from the same message.
 *
 * # Safety
 * `hmac` is null or an HMAC; `clone` is null or can be written.
 */
enum manylane_status manylane_hmac_clone(const struct manylane_hmac *hmac,
                                         struct manylane_hmac **clone);

/**
 * Frees an HMAC. A null pointer is ignored.
 *
 * # Safety
 * `hmac` is null, or an HMAC that was not freed.
 */
void manylane_hmac_free(struct manylane_hmac *hmac);

/**
 * The version of the library, such as "0.1.0".
 */
const char *manylane_version(void);

/**
 * The name of the hash of number `index`, in the catalogue's order; null past the last one.
 */
const char *manylane_algorithm_at(size_t index);

/**
 * Why an algorithm is not for new use ("collisions in seconds"); null if it may be used, and if no
 * hash has this name.
 *
 * # Safety
 * `algorithm` is null or a string that ends with a zero byte.
 */
const char *manylane_warning(const char *algorithm);

/**
 * Bytes of the algorithm's digest; 0 if no hash has this name.
 *
 * # Safety
 * `algorithm` is null or a string that ends with a zero byte.
 */
size_t manylane_digest_bytes(const char *algorithm);

/**
 * Bytes of the algorithm's block; 0 if no hash has this name.
 *
 * # Safety
 * `algorithm` is null or a string that ends with a zero byte.
 */
size_t manylane_block_bytes(const char *algorithm);

/**
 * The name of engine number `index` of those that compute `algorithm` on this CPU; null past the
 * last one, and if no hash has this name.
 *
 * # Safety
 * `algorithm` is null or a string that ends with a zero byte.
 */
const char *manylane_engine_at(const char *algorithm, size_t index);

/**
 * Expands a key of at most 255 bytes for RC5 with words of 16, 32 or 64 bits, two of which are
 * a block, and at most 255 rounds. `engine` is null for the best one. Free it with
 * `manylane_rc5_free`.
 *
 * # Safety
 * `key` is null or points to `key_size` bytes; `engine` is null or a string; `rc5` is null or can
 * be written.
 */
enum manylane_status manylane_rc5_new(size_t word_bits,
                                      size_t rounds,
                                      const void *key,
                                      size_t key_size,
                                      const char *engine,
                                      struct manylane_rc5 **rc5);

/**
 * Bytes of a block; 0 if `rc5` is null.
 *
 * # Safety
 * `rc5` is null or a cipher.
 */
size_t manylane_rc5_block_bytes(const struct manylane_rc5 *rc5);

/**
 * Encrypts or decrypts in counter mode, in place. `initial` is the first counter block, a
 * little-endian integer; no two messages under a key may share a value of the counter.
 *
 * # Safety
 * `rc5` is null or a cipher; `initial` is null or points to a block; `data` is null or points to
 * `size` bytes that can be written.
 */
enum manylane_status manylane_rc5_ctr(const struct manylane_rc5 *rc5,
                                      const void *initial,
                                      void *data,
                                      size_t size);

/**
 * Encrypts whole blocks by cipher block chaining, in place. `initial` is a block that nobody can
 * predict.
 *
 * # Safety
 * As `manylane_rc5_ctr`.
 */
enum manylane_status manylane_rc5_cbc_encrypt(const struct manylane_rc5 *rc5,
                                              const void *initial,
                                              void *data,
                                              size_t size);

/**
 * Undoes `manylane_rc5_cbc_encrypt`.
 *
 * # Safety
 * As `manylane_rc5_ctr`.
 */
enum manylane_status manylane_rc5_cbc_decrypt(const struct manylane_rc5 *rc5,
                                              const void *initial,
                                              void *data,
                                              size_t size);

/**
 * Frees a cipher. A null pointer is ignored.
 *
 * # Safety
 * `rc5` is null, or a cipher that was not freed.
 */
void manylane_rc5_free(struct manylane_rc5 *rc5);

/**
 * The text of the last error of this thread: what was asked for, and what there is. Valid until
 * the next call of the library on this thread that fails. Empty, never null, if none failed.
 */
const char *manylane_last_error(void);

/**
 * A few words on a status, a `manylane_status`; null if there is no such status.
 */
const char *manylane_status_text(int32_t status);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* MANYLANE_H */
