/* For programs that use the context managers of isa-l_crypto: the same names over libmanylane.
 *
 * Include this instead of <isa-l_crypto.h>, or of its md5_mb.h, sha1_mb.h, sha256_mb.h and
 * sha512_mb.h, and link with manylane:
 *
 *     #include <manylane_isal.h>
 *
 *     ISAL_SHA256_HASH_CTX_MGR manager;
 *     isal_sha256_ctx_mgr_init(&manager);
 *     isal_hash_ctx_init(&job);
 *     isal_sha256_ctx_mgr_submit(&manager, &job, &done, message, length, ISAL_HASH_ENTIRE);
 *     ...
 *     isal_sha256_ctx_mgr_flush(&manager, &done);
 *
 * Names without `isal_`, as before version 2.25, are there too, unless
 * NO_COMPAT_ISAL_CRYPTO_API_2_24 is defined. New programs do without all of this: see
 * manylane_hash_many and manylane_group_update in manylane.h.
 *
 * A manager holds what is submitted until it has ISAL_SHA256_MAX_LANES pieces, then it hashes them
 * at once. MANYLANE_ISAL_QUEUE may be defined as another number of pieces: more than the lanes are
 * faster where messages have different lengths, but a program must then have as many contexts, or
 * flush.
 *
 * What differs:
 * - A piece shorter than a block waits for others as any piece does; isa-l_crypto returns its
 *   context at once.
 * - Members of the structures that only isa-l_crypto itself uses (`job.len`,
 *   `partial_block_buffer`) are not there, nor are the functions for one instruction set
 *   (`..._avx2`): manylane chooses by the CPU.
 * - A manager allocates memory while messages that came in pieces are under way. It is free when
 *   every message has had its last piece and a flush has returned NULL. A manager that is left
 *   before that is given to `manylane_sha256_ctx_mgr_free`, which isa-l_crypto does not have.
 * - A message that comes in pieces belongs to the manager and the context that took its first
 *   piece. Its next piece in another manager, in a copy of the context, or after the manager was
 *   freed is refused with ISAL_HASH_CTX_ERROR_NOT_BEGUN_HERE; isa-l_crypto keeps all of a message
 *   in its context.
 * - ISAL_HASH_CTX_ERROR_MANYLANE is an error of manylane, such as no memory: manylane_last_error()
 *   has its words.
 *
 * One thread at a time may use a manager, as with isa-l_crypto. */
#ifndef MANYLANE_ISAL_H
#define MANYLANE_ISAL_H

#include <manylane.h>

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    ISAL_STS_UNKNOWN = 0,
    ISAL_STS_BEING_PROCESSED = 1,
    ISAL_STS_COMPLETED = 2,
    ISAL_STS_INTERNAL_ERROR,
    ISAL_STS_ERROR
} ISAL_JOB_STS;

/* The place of a piece in its message. */
typedef enum {
    ISAL_HASH_UPDATE = 0,
    ISAL_HASH_FIRST = 1,
    ISAL_HASH_LAST = 2,
    ISAL_HASH_ENTIRE = 3
} ISAL_HASH_CTX_FLAG;

typedef enum {
    ISAL_HASH_CTX_STS_IDLE = 0,
    ISAL_HASH_CTX_STS_PROCESSING = 1,
    ISAL_HASH_CTX_STS_LAST = 2,
    ISAL_HASH_CTX_STS_COMPLETE = 4
} ISAL_HASH_CTX_STS;

typedef enum {
    ISAL_HASH_CTX_ERROR_NONE = 0,
    ISAL_HASH_CTX_ERROR_INVALID_FLAGS = -1,
    ISAL_HASH_CTX_ERROR_ALREADY_PROCESSING = -2,
    ISAL_HASH_CTX_ERROR_ALREADY_COMPLETED = -3,
    ISAL_HASH_CTX_ERROR_MANYLANE = -4,
    ISAL_HASH_CTX_ERROR_NOT_BEGUN_HERE = -5
} ISAL_HASH_CTX_ERROR;

/* What the functions that begin with `isal_` return. */
enum {
    ISAL_CRYPTO_ERR_NONE = 0,
    ISAL_CRYPTO_ERR_NULL_SRC = 2000,
    ISAL_CRYPTO_ERR_NULL_CTX = 2002,
    ISAL_CRYPTO_ERR_NULL_MGR = 2003,
    ISAL_CRYPTO_ERR_INVALID_FLAGS = 2011,
    ISAL_CRYPTO_ERR_ALREADY_PROCESSING = 2012,
    ISAL_CRYPTO_ERR_ALREADY_COMPLETED = 2013,
    ISAL_CRYPTO_ERR_MANYLANE = 2900,
    ISAL_CRYPTO_ERR_NOT_BEGUN_HERE = 2901
};

#define isal_hash_ctx_user_data(ctx) ((ctx)->user_data)
#define isal_hash_ctx_digest(ctx) ((ctx)->job.result_digest)
#define isal_hash_ctx_processing(ctx) ((ctx)->status & ISAL_HASH_CTX_STS_PROCESSING)
#define isal_hash_ctx_complete(ctx) ((ctx)->status == ISAL_HASH_CTX_STS_COMPLETE)
#define isal_hash_ctx_status(ctx) ((ctx)->status)
#define isal_hash_ctx_error(ctx) ((ctx)->error)
#define isal_hash_ctx_init(ctx) \
    do { \
        (ctx)->error = ISAL_HASH_CTX_ERROR_NONE; \
        (ctx)->status = ISAL_HASH_CTX_STS_COMPLETE; \
        (ctx)->piece.bank = NULL; \
    } while (0)

/* The largest MAX_LANES. */
#define MANYLANE_ISAL_LANES 32

/* Places for messages that come in pieces, one for each lane. */
typedef struct manylane_isal_bank {
    manylane_group *group;
    uint32_t taken; /* a bit for each place */
    /* the piece of the message in each place that is taken */
    const void *owners[MANYLANE_ISAL_LANES];
    struct manylane_isal_bank *next;
} manylane_isal_bank;

/* A piece that waits, or that was hashed. */
typedef struct manylane_isal_piece {
    const void *bytes;
    size_t size;
    unsigned flags;
    manylane_isal_bank *bank; /* where the message is; NULL if none of it was hashed */
    unsigned place;
    int failed;
    void *context;
    struct manylane_isal_piece *next;
    uint8_t digest[64];
} manylane_isal_piece;

#ifdef MANYLANE_ISAL_QUEUE
#define MANYLANE_ISAL_CAPACITY (MANYLANE_ISAL_QUEUE)
#else
#define MANYLANE_ISAL_CAPACITY MANYLANE_ISAL_LANES
#endif

typedef struct {
    const char *algorithm;
    size_t digest_bytes, lanes;
    manylane_isal_bank *banks;
    manylane_isal_piece *queue[MANYLANE_ISAL_CAPACITY];
    size_t queued;
    /* pieces that were hashed, in the order of their submission */
    manylane_isal_piece *done, **end;
} manylane_isal_manager;

static inline void manylane_isal_init(
    manylane_isal_manager *manager, const char *algorithm, size_t digest_bytes, size_t lanes)
{
    memset(manager, 0, sizeof *manager);
    manager->algorithm = algorithm;
    manager->digest_bytes = digest_bytes;
    manager->lanes = lanes;
    manager->end = &manager->done;
}

/* Frees the banks without messages, or all of them. */
static inline void manylane_isal_free(manylane_isal_manager *manager, int all)
{
    manylane_isal_bank **link = &manager->banks;
    while (*link != NULL) {
        manylane_isal_bank *bank = *link;
        if (all || bank->taken == 0) {
            *link = bank->next;
            manylane_group_free(bank->group);
            free(bank);
        } else {
            link = &bank->next;
        }
    }
}

/* Whether the message of a piece is in this manager. The piece may be a copy, or older than the
 * manager, so that its bank is looked for and not looked into. */
static inline int manylane_isal_has(
    const manylane_isal_manager *manager, const manylane_isal_piece *piece)
{
    const manylane_isal_bank *bank = manager->banks;
    while (bank != NULL && bank != piece->bank)
        bank = bank->next;
    return bank != NULL && (bank->taken >> piece->place & 1) != 0
        && bank->owners[piece->place] == piece;
}

/* Forgets the message of a piece. */
static inline void manylane_isal_leave(manylane_isal_piece *piece)
{
    (void)manylane_group_reset(piece->bank->group, piece->place);
    piece->bank->taken &= ~(UINT32_C(1) << piece->place);
    piece->bank = NULL;
}

/* Finds a place for a message. Returns 0 if there is none. */
static inline int manylane_isal_enter(manylane_isal_manager *manager, manylane_isal_piece *piece)
{
    const uint32_t all = UINT32_C(0xffffffff) >> (32 - manager->lanes);
    manylane_isal_bank *bank = manager->banks;
    unsigned place = 0;
    while (bank != NULL && bank->taken == all)
        bank = bank->next;
    if (bank == NULL) {
        bank = (manylane_isal_bank *)malloc(sizeof *bank);
        if (bank == NULL)
            return 0;
        if (manylane_group_new(manager->algorithm, NULL, manager->lanes, &bank->group)
            != MANYLANE_STATUS_OK) {
            free(bank);
            return 0;
        }
        bank->taken = 0;
        bank->next = manager->banks;
        manager->banks = bank;
    }
    while ((bank->taken >> place & 1) != 0)
        place++;
    bank->taken |= UINT32_C(1) << place;
    bank->owners[place] = piece;
    piece->bank = bank;
    piece->place = place;
    return 1;
}

/* Hashes whole messages. */
static inline void manylane_isal_run_whole(manylane_isal_manager *manager)
{
    const void *bytes[MANYLANE_ISAL_CAPACITY];
    size_t sizes[MANYLANE_ISAL_CAPACITY], count = 0, i;
    uint8_t digests[MANYLANE_ISAL_CAPACITY * 64];
    const size_t one = manager->digest_bytes;
    int failed;
    for (i = 0; i < manager->queued; i++) {
        if (manager->queue[i]->flags == ISAL_HASH_ENTIRE) {
            bytes[count] = manager->queue[i]->bytes;
            sizes[count++] = manager->queue[i]->size;
        }
    }
    if (count == 0)
        return;
    failed = manylane_hash_many(manager->algorithm, NULL, bytes, sizes, count, digests, count * one)
        != MANYLANE_STATUS_OK;
    for (i = 0, count = 0; i < manager->queued; i++) {
        manylane_isal_piece *piece = manager->queue[i];
        if (piece->flags == ISAL_HASH_ENTIRE) {
            memcpy(piece->digest, digests + one * count++, one);
            piece->failed = failed;
        }
    }
}

/* Hashes the pieces of the messages of a bank. */
static inline void manylane_isal_run_pieces(
    manylane_isal_manager *manager, manylane_isal_bank *bank)
{
    const void *bytes[MANYLANE_ISAL_LANES] = {0};
    size_t sizes[MANYLANE_ISAL_LANES] = {0}, count = 0, i;
    int failed;
    for (i = 0; i < manager->queued; i++) {
        const manylane_isal_piece *piece = manager->queue[i];
        if (piece->bank == bank) {
            bytes[piece->place] = piece->bytes;
            sizes[piece->place] = piece->size;
            count++;
        }
    }
    if (count == 0)
        return;
    failed = manylane_group_update(bank->group, bytes, sizes) != MANYLANE_STATUS_OK;
    for (i = 0; i < manager->queued; i++) {
        manylane_isal_piece *piece = manager->queue[i];
        if (piece->bank == bank) {
            piece->failed = failed;
            if ((piece->flags & ISAL_HASH_LAST) != 0) {
                piece->failed |= manylane_group_digest(bank->group, piece->place, piece->digest,
                                     manager->digest_bytes)
                    != MANYLANE_STATUS_OK;
            }
            if (piece->failed || (piece->flags & ISAL_HASH_LAST) != 0)
                manylane_isal_leave(piece);
        }
    }
}

/* Hashes everything that waits. */
static inline void manylane_isal_run(manylane_isal_manager *manager)
{
    manylane_isal_bank *bank;
    size_t i;
    manylane_isal_run_whole(manager);
    for (bank = manager->banks; bank != NULL; bank = bank->next)
        manylane_isal_run_pieces(manager, bank);
    for (i = 0; i < manager->queued; i++) {
        manager->queue[i]->next = NULL;
        *manager->end = manager->queue[i];
        manager->end = &manager->queue[i]->next;
    }
    manager->queued = 0;
}

/* The next piece that was hashed, or NULL. */
static inline manylane_isal_piece *manylane_isal_take(manylane_isal_manager *manager)
{
    manylane_isal_piece *piece = manager->done;
    if (piece != NULL) {
        manager->done = piece->next;
        if (manager->done == NULL)
            manager->end = &manager->done;
    }
    return piece;
}

static inline manylane_isal_piece *manylane_isal_flush(manylane_isal_manager *manager)
{
    manylane_isal_piece *piece;
    if (manager->done == NULL && manager->queued > 0)
        manylane_isal_run(manager);
    piece = manylane_isal_take(manager);
    if (piece == NULL)
        manylane_isal_free(manager, 0);
    return piece;
}

/* Takes a piece; returns one that was hashed, or NULL. A piece that failed is returned itself. */
static inline manylane_isal_piece *manylane_isal_submit(manylane_isal_manager *manager,
    manylane_isal_piece *piece, const void *bytes, size_t size, unsigned flags)
{
    const size_t most =
#ifdef MANYLANE_ISAL_QUEUE
        MANYLANE_ISAL_CAPACITY;
#else
        manager->lanes;
#endif
    if ((flags & ISAL_HASH_FIRST) != 0 && piece->bank != NULL) {
        if (manylane_isal_has(manager, piece))
            manylane_isal_leave(piece);
        piece->bank = NULL;
    }
    piece->bytes = bytes;
    piece->size = size;
    piece->flags = flags;
    piece->failed = 0;
    if (flags != ISAL_HASH_ENTIRE && piece->bank == NULL && !manylane_isal_enter(manager, piece)) {
        piece->failed = 1;
        return piece;
    }
    manager->queue[manager->queued++] = piece;
    if (manager->queued == most)
        manylane_isal_run(manager);
    return manylane_isal_take(manager);
}

static inline uint64_t manylane_isal_word(const uint8_t *bytes, size_t size, int big)
{
    uint64_t word = 0;
    size_t i;
    for (i = 0; i < size; i++)
        word |= (uint64_t)bytes[big ? size - 1 - i : i] << 8 * i;
    return word;
}

#if defined(__GNUC__) && __GNUC__ >= 5
#define MANYLANE_ISAL_OLD \
    __attribute__((deprecated("take the function whose name begins with isal_")))
#else
#define MANYLANE_ISAL_OLD
#endif

/* The types and functions of a hash: its name in small and in capital letters, its words and their
 * bits, whether bytes of a word begin with the highest, and the most pieces at once. */
#define MANYLANE_ISAL_HASH(hash, HASH, words, bits, big, lanes_) \
    typedef uint##bits##_t ISAL_##HASH##_WORD_T; \
    typedef struct { \
        ISAL_##HASH##_WORD_T result_digest[words]; \
        ISAL_JOB_STS status; \
        void *user_data; \
    } ISAL_##HASH##_JOB; \
    typedef struct { \
        ISAL_##HASH##_JOB job; \
        ISAL_HASH_CTX_STS status; \
        ISAL_HASH_CTX_ERROR error; \
        uint64_t total_length; \
        const void *incoming_buffer; \
        uint32_t incoming_buffer_length; \
        void *user_data; \
        manylane_isal_piece piece; \
    } ISAL_##HASH##_HASH_CTX; \
    typedef struct { \
        manylane_isal_manager mgr; \
    } ISAL_##HASH##_HASH_CTX_MGR; \
\
    static inline ISAL_##HASH##_HASH_CTX *manylane_##hash##_returned(manylane_isal_piece *piece) \
    { \
        ISAL_##HASH##_HASH_CTX *ctx; \
        unsigned i; \
        if (piece == NULL) \
            return NULL; \
        ctx = (ISAL_##HASH##_HASH_CTX *)piece->context; \
        ctx->status = ISAL_HASH_CTX_STS_IDLE; \
        if (piece->failed) { \
            ctx->error = ISAL_HASH_CTX_ERROR_MANYLANE; \
            ctx->job.status = ISAL_STS_INTERNAL_ERROR; \
            ctx->status = ISAL_HASH_CTX_STS_COMPLETE; \
        } else if ((piece->flags & ISAL_HASH_LAST) != 0) { \
            for (i = 0; i < (words); i++) { \
                ctx->job.result_digest[i] = (ISAL_##HASH##_WORD_T)manylane_isal_word( \
                    piece->digest + i * (bits) / 8, (bits) / 8, (big)); \
            } \
            ctx->job.status = ISAL_STS_COMPLETED; \
            ctx->status = ISAL_HASH_CTX_STS_COMPLETE; \
        } \
        return ctx; \
    } \
    static inline ISAL_##HASH##_HASH_CTX *manylane_##hash##_submit( \
        ISAL_##HASH##_HASH_CTX_MGR *mgr, ISAL_##HASH##_HASH_CTX *ctx, const void *buffer, \
        uint32_t len, unsigned flags) \
    { \
        if ((flags & ~(unsigned)ISAL_HASH_ENTIRE) != 0) { \
            ctx->error = ISAL_HASH_CTX_ERROR_INVALID_FLAGS; \
            return ctx; \
        } \
        if ((ctx->status & ISAL_HASH_CTX_STS_PROCESSING) != 0) { \
            ctx->error = ISAL_HASH_CTX_ERROR_ALREADY_PROCESSING; \
            return ctx; \
        } \
        if ((ctx->status & ISAL_HASH_CTX_STS_COMPLETE) != 0 && (flags & ISAL_HASH_FIRST) == 0) { \
            ctx->error = ISAL_HASH_CTX_ERROR_ALREADY_COMPLETED; \
            return ctx; \
        } \
        if ((ctx->status & ISAL_HASH_CTX_STS_COMPLETE) != 0) \
            ctx->piece.bank = NULL; \
        if ((flags & ISAL_HASH_FIRST) == 0 && ctx->piece.bank != NULL \
            && !manylane_isal_has(&mgr->mgr, &ctx->piece)) { \
            ctx->error = ISAL_HASH_CTX_ERROR_NOT_BEGUN_HERE; \
            return ctx; \
        } \
        if ((flags & ISAL_HASH_FIRST) != 0) \
            ctx->total_length = 0; \
        ctx->error = ISAL_HASH_CTX_ERROR_NONE; \
        ctx->status = (flags & ISAL_HASH_LAST) != 0 \
            ? (ISAL_HASH_CTX_STS)(ISAL_HASH_CTX_STS_PROCESSING | ISAL_HASH_CTX_STS_LAST) \
            : ISAL_HASH_CTX_STS_PROCESSING; \
        ctx->job.status = ISAL_STS_BEING_PROCESSED; \
        ctx->total_length += len; \
        ctx->incoming_buffer = buffer; \
        ctx->incoming_buffer_length = len; \
        ctx->piece.context = ctx; \
        return manylane_##hash##_returned( \
            manylane_isal_submit(&mgr->mgr, &ctx->piece, buffer, len, flags)); \
    } \
\
    static inline int isal_##hash##_ctx_mgr_init(ISAL_##HASH##_HASH_CTX_MGR *mgr) \
    { \
        if (mgr == NULL) \
            return ISAL_CRYPTO_ERR_NULL_MGR; \
        manylane_isal_init(&mgr->mgr, #hash, (words) * (bits) / 8, (lanes_)); \
        return ISAL_CRYPTO_ERR_NONE; \
    } \
    static inline int isal_##hash##_ctx_mgr_submit(ISAL_##HASH##_HASH_CTX_MGR *mgr, \
        ISAL_##HASH##_HASH_CTX *ctx_in, ISAL_##HASH##_HASH_CTX **ctx_out, const void *buffer, \
        const uint32_t len, const ISAL_HASH_CTX_FLAG flags) \
    { \
        if (mgr == NULL) \
            return ISAL_CRYPTO_ERR_NULL_MGR; \
        if (ctx_in == NULL || ctx_out == NULL) \
            return ISAL_CRYPTO_ERR_NULL_CTX; \
        if (buffer == NULL && (flags == ISAL_HASH_UPDATE || flags == ISAL_HASH_ENTIRE || len > 0)) \
            return ISAL_CRYPTO_ERR_NULL_SRC; \
        *ctx_out = manylane_##hash##_submit(mgr, ctx_in, buffer, len, (unsigned)flags); \
        if (*ctx_out == NULL \
            || (*ctx_out != ctx_in && (*ctx_out)->error != ISAL_HASH_CTX_ERROR_MANYLANE)) \
            return ISAL_CRYPTO_ERR_NONE; \
        return manylane_isal_code((*ctx_out)->error); \
    } \
    static inline int isal_##hash##_ctx_mgr_flush( \
        ISAL_##HASH##_HASH_CTX_MGR *mgr, ISAL_##HASH##_HASH_CTX **ctx_out) \
    { \
        if (mgr == NULL) \
            return ISAL_CRYPTO_ERR_NULL_MGR; \
        if (ctx_out == NULL) \
            return ISAL_CRYPTO_ERR_NULL_CTX; \
        *ctx_out = manylane_##hash##_returned(manylane_isal_flush(&mgr->mgr)); \
        return *ctx_out != NULL && (*ctx_out)->error == ISAL_HASH_CTX_ERROR_MANYLANE \
            ? ISAL_CRYPTO_ERR_MANYLANE \
            : ISAL_CRYPTO_ERR_NONE; \
    } \
    MANYLANE_ISAL_OLD static inline void hash##_ctx_mgr_init(ISAL_##HASH##_HASH_CTX_MGR *mgr) \
    { \
        (void)isal_##hash##_ctx_mgr_init(mgr); \
    } \
    MANYLANE_ISAL_OLD static inline ISAL_##HASH##_HASH_CTX *hash##_ctx_mgr_submit( \
        ISAL_##HASH##_HASH_CTX_MGR *mgr, ISAL_##HASH##_HASH_CTX *ctx, const void *buffer, \
        uint32_t len, ISAL_HASH_CTX_FLAG flags) \
    { \
        return manylane_##hash##_submit(mgr, ctx, buffer, len, (unsigned)flags); \
    } \
    MANYLANE_ISAL_OLD static inline ISAL_##HASH##_HASH_CTX *hash##_ctx_mgr_flush( \
        ISAL_##HASH##_HASH_CTX_MGR *mgr) \
    { \
        return manylane_##hash##_returned(manylane_isal_flush(&mgr->mgr)); \
    } \
    /* Ends a manager; messages that have not had their last piece are forgotten. */ \
    static inline void manylane_##hash##_ctx_mgr_free(ISAL_##HASH##_HASH_CTX_MGR *mgr) \
    { \
        manylane_isal_free(&mgr->mgr, 1); \
        (void)isal_##hash##_ctx_mgr_init(mgr); \
    }

static inline int manylane_isal_code(ISAL_HASH_CTX_ERROR error)
{
    switch (error) {
    case ISAL_HASH_CTX_ERROR_INVALID_FLAGS:
        return ISAL_CRYPTO_ERR_INVALID_FLAGS;
    case ISAL_HASH_CTX_ERROR_ALREADY_PROCESSING:
        return ISAL_CRYPTO_ERR_ALREADY_PROCESSING;
    case ISAL_HASH_CTX_ERROR_ALREADY_COMPLETED:
        return ISAL_CRYPTO_ERR_ALREADY_COMPLETED;
    case ISAL_HASH_CTX_ERROR_MANYLANE:
        return ISAL_CRYPTO_ERR_MANYLANE;
    case ISAL_HASH_CTX_ERROR_NOT_BEGUN_HERE:
        return ISAL_CRYPTO_ERR_NOT_BEGUN_HERE;
    default:
        return ISAL_CRYPTO_ERR_NONE;
    }
}

#define ISAL_MD5_DIGEST_NWORDS 4
#define ISAL_MD5_PADLENGTHFIELD_SIZE 8
#define ISAL_MD5_BLOCK_SIZE 64
#define ISAL_MD5_MAX_LANES 32
#define ISAL_MD5_MIN_LANES 8
#define ISAL_SHA1_DIGEST_NWORDS 5
#define ISAL_SHA1_PADLENGTHFIELD_SIZE 8
#define ISAL_SHA1_BLOCK_SIZE 64
#define ISAL_SHA1_MAX_LANES 16
#define ISAL_SHA1_MIN_LANES 4
#define ISAL_SHA256_DIGEST_NWORDS 8
#define ISAL_SHA256_PADLENGTHFIELD_SIZE 8
#define ISAL_SHA256_BLOCK_SIZE 64
#define ISAL_SHA256_MAX_LANES 16
#define ISAL_SHA256_MIN_LANES 4
#define ISAL_SHA512_DIGEST_NWORDS 8
#define ISAL_SHA512_PADLENGTHFIELD_SIZE 16
#define ISAL_SHA512_BLOCK_SIZE 128
#define ISAL_SHA512_MAX_LANES 8
#define ISAL_SHA512_MIN_LANES 2

/* MD5 and SHA-1 are broken: collisions of both are known. They are here for old protocols. */
MANYLANE_ISAL_HASH(md5, MD5, ISAL_MD5_DIGEST_NWORDS, 32, 0, ISAL_MD5_MAX_LANES)
MANYLANE_ISAL_HASH(sha1, SHA1, ISAL_SHA1_DIGEST_NWORDS, 32, 1, ISAL_SHA1_MAX_LANES)
MANYLANE_ISAL_HASH(sha256, SHA256, ISAL_SHA256_DIGEST_NWORDS, 32, 1, ISAL_SHA256_MAX_LANES)
MANYLANE_ISAL_HASH(sha512, SHA512, ISAL_SHA512_DIGEST_NWORDS, 64, 1, ISAL_SHA512_MAX_LANES)

#ifndef NO_COMPAT_ISAL_CRYPTO_API_2_24
#define JOB_STS ISAL_JOB_STS
#define STS_UNKNOWN ISAL_STS_UNKNOWN
#define STS_BEING_PROCESSED ISAL_STS_BEING_PROCESSED
#define STS_COMPLETED ISAL_STS_COMPLETED
#define STS_INTERNAL_ERROR ISAL_STS_INTERNAL_ERROR
#define STS_ERROR ISAL_STS_ERROR
#define HASH_CTX_FLAG ISAL_HASH_CTX_FLAG
#define HASH_UPDATE ISAL_HASH_UPDATE
#define HASH_FIRST ISAL_HASH_FIRST
#define HASH_LAST ISAL_HASH_LAST
#define HASH_ENTIRE ISAL_HASH_ENTIRE
#define HASH_CTX_STS ISAL_HASH_CTX_STS
#define HASH_CTX_STS_IDLE ISAL_HASH_CTX_STS_IDLE
#define HASH_CTX_STS_PROCESSING ISAL_HASH_CTX_STS_PROCESSING
#define HASH_CTX_STS_LAST ISAL_HASH_CTX_STS_LAST
#define HASH_CTX_STS_COMPLETE ISAL_HASH_CTX_STS_COMPLETE
#define HASH_CTX_ERROR ISAL_HASH_CTX_ERROR
#define HASH_CTX_ERROR_NONE ISAL_HASH_CTX_ERROR_NONE
#define HASH_CTX_ERROR_INVALID_FLAGS ISAL_HASH_CTX_ERROR_INVALID_FLAGS
#define HASH_CTX_ERROR_ALREADY_PROCESSING ISAL_HASH_CTX_ERROR_ALREADY_PROCESSING
#define HASH_CTX_ERROR_ALREADY_COMPLETED ISAL_HASH_CTX_ERROR_ALREADY_COMPLETED
#define hash_ctx_user_data isal_hash_ctx_user_data
#define hash_ctx_digest isal_hash_ctx_digest
#define hash_ctx_processing isal_hash_ctx_processing
#define hash_ctx_complete isal_hash_ctx_complete
#define hash_ctx_status isal_hash_ctx_status
#define hash_ctx_error isal_hash_ctx_error
#define hash_ctx_init isal_hash_ctx_init
#define MD5_DIGEST_NWORDS ISAL_MD5_DIGEST_NWORDS
#define MD5_PADLENGTHFIELD_SIZE ISAL_MD5_PADLENGTHFIELD_SIZE
#define MD5_BLOCK_SIZE ISAL_MD5_BLOCK_SIZE
#define MD5_MAX_LANES ISAL_MD5_MAX_LANES
#define MD5_MIN_LANES ISAL_MD5_MIN_LANES
#define MD5_WORD_T ISAL_MD5_WORD_T
#define MD5_JOB ISAL_MD5_JOB
#define MD5_HASH_CTX ISAL_MD5_HASH_CTX
#define MD5_HASH_CTX_MGR ISAL_MD5_HASH_CTX_MGR
#define SHA1_DIGEST_NWORDS ISAL_SHA1_DIGEST_NWORDS
#define SHA1_PADLENGTHFIELD_SIZE ISAL_SHA1_PADLENGTHFIELD_SIZE
#define SHA1_BLOCK_SIZE ISAL_SHA1_BLOCK_SIZE
#define SHA1_MAX_LANES ISAL_SHA1_MAX_LANES
#define SHA1_MIN_LANES ISAL_SHA1_MIN_LANES
#define SHA1_WORD_T ISAL_SHA1_WORD_T
#define SHA1_JOB ISAL_SHA1_JOB
#define SHA1_HASH_CTX ISAL_SHA1_HASH_CTX
#define SHA1_HASH_CTX_MGR ISAL_SHA1_HASH_CTX_MGR
#define SHA256_DIGEST_NWORDS ISAL_SHA256_DIGEST_NWORDS
#define SHA256_PADLENGTHFIELD_SIZE ISAL_SHA256_PADLENGTHFIELD_SIZE
#define SHA256_BLOCK_SIZE ISAL_SHA256_BLOCK_SIZE
#define SHA256_MAX_LANES ISAL_SHA256_MAX_LANES
#define SHA256_MIN_LANES ISAL_SHA256_MIN_LANES
#define SHA256_WORD_T ISAL_SHA256_WORD_T
#define SHA256_JOB ISAL_SHA256_JOB
#define SHA256_HASH_CTX ISAL_SHA256_HASH_CTX
#define SHA256_HASH_CTX_MGR ISAL_SHA256_HASH_CTX_MGR
#define SHA512_DIGEST_NWORDS ISAL_SHA512_DIGEST_NWORDS
#define SHA512_PADLENGTHFIELD_SIZE ISAL_SHA512_PADLENGTHFIELD_SIZE
#define SHA512_BLOCK_SIZE ISAL_SHA512_BLOCK_SIZE
#define SHA512_MAX_LANES ISAL_SHA512_MAX_LANES
#define SHA512_MIN_LANES ISAL_SHA512_MIN_LANES
#define SHA512_WORD_T ISAL_SHA512_WORD_T
#define SHA512_JOB ISAL_SHA512_JOB
#define SHA512_HASH_CTX ISAL_SHA512_HASH_CTX
#define SHA512_HASH_CTX_MGR ISAL_SHA512_HASH_CTX_MGR
#endif

#ifdef __cplusplus
}
#endif

#endif
