/* Programs for isa-l_crypto over libmanylane: every hash, whole messages and messages in pieces of
 * random lengths, in more contexts than a manager has lanes, against digests of messages alone.
 * Prints nothing if all is right. */
#include <manylane_isal.h>

#include <stdio.h>

#define JOBS 70
#define LONGEST 3000

static unsigned char messages[JOBS][LONGEST];
static size_t lengths[JOBS], given[JOBS];
static unsigned long state;
static int faults;

static unsigned random_below(unsigned end)
{
    state = state * 1103515245 + 12345;
    return (unsigned)(state >> 16 & 0x7fff) % end;
}

static void expect(int holds, const char *what, const char *hash)
{
    if (!holds) {
        printf("%s: %s\n", hash, what);
        faults++;
    }
}

/* The longest piece: short ones, ones around blocks, whole messages. */
static const unsigned longest_pieces[] = {1, 65, 700, LONGEST};

#define HASH_TEST(hash, HASH) \
    static ISAL_##HASH##_HASH_CTX hash##_jobs[JOBS]; \
\
    /* Gives the next piece of job i; returns a context that came back. */ \
    static ISAL_##HASH##_HASH_CTX *hash##_give( \
        ISAL_##HASH##_HASH_CTX_MGR *manager, size_t i, unsigned longest, int empty_last) \
    { \
        ISAL_##HASH##_HASH_CTX *done = NULL; \
        const size_t left = lengths[i] - given[i]; \
        size_t piece = random_below(longest + 1); \
        unsigned flags = given[i] == 0 && isal_hash_ctx_complete(&hash##_jobs[i]) ? 1u : 0u; \
        const void *const at = messages[i] + given[i]; \
        if (piece > left) \
            piece = left; \
        if (piece == left && (!empty_last || left == 0)) \
            flags |= ISAL_HASH_LAST; \
        given[i] += piece; \
        expect(isal_##hash##_ctx_mgr_submit(manager, &hash##_jobs[i], &done, at, (uint32_t)piece, \
                   (ISAL_HASH_CTX_FLAG)flags) \
                == ISAL_CRYPTO_ERR_NONE, \
            "submit", #hash); \
        return done; \
    } \
\
    static void hash##_round( \
        ISAL_##HASH##_HASH_CTX_MGR *manager, unsigned longest, int empty_last) \
    { \
        unsigned char expected[64], digest[64]; \
        const size_t size = sizeof(hash##_jobs[0].job.result_digest); \
        const size_t word = sizeof(hash##_jobs[0].job.result_digest[0]); \
        ISAL_##HASH##_HASH_CTX *done; \
        size_t next = 0, finished = 0, i, k; \
        for (i = 0; i < JOBS; i++) { \
            lengths[i] = random_below(LONGEST); \
            given[i] = 0; \
            hash##_jobs[i].user_data = messages[i]; \
            isal_hash_ctx_init(&hash##_jobs[i]); \
        } \
        while (finished < JOBS) { \
            if (next < JOBS) { \
                done = hash##_give(manager, next++, longest, empty_last); \
            } else { \
                expect(isal_##hash##_ctx_mgr_flush(manager, &done) == ISAL_CRYPTO_ERR_NONE, \
                    "flush", #hash); \
                if (done == NULL) \
                    break; \
            } \
            while (done != NULL) { \
                i = (size_t)((unsigned char (*)[LONGEST])done->user_data - messages); \
                expect(done == &hash##_jobs[i] && done->total_length == given[i], "total_length", \
                    #hash); \
                if (isal_hash_ctx_complete(done)) { \
                    finished++; \
                    break; \
                } \
                done = hash##_give(manager, i, longest, empty_last); \
            } \
        } \
        expect(finished == JOBS, "jobs are lost", #hash); \
        expect(isal_##hash##_ctx_mgr_flush(manager, &done) == 0 && done == NULL, \
            "nothing is left", #hash); \
        expect(manager->mgr.banks == NULL, "memory is given back", #hash); \
        for (i = 0; i < JOBS; i++) { \
            const int big = strcmp(#hash, "md5") != 0; \
            for (k = 0; k < size; k++) { \
                const size_t byte = big ? word - 1 - k % word : k % word; \
                digest[k] = (unsigned char)(isal_hash_ctx_digest(&hash##_jobs[i])[k / word] \
                    >> 8 * byte); \
            } \
            expect(manylane_hash(#hash, messages[i], lengths[i], expected, size) \
                        == MANYLANE_STATUS_OK \
                    && memcmp(digest, expected, size) == 0, \
                "a digest", #hash); \
        } \
    } \
\
    static void hash##_errors(ISAL_##HASH##_HASH_CTX_MGR *manager) \
    { \
        ISAL_##HASH##_HASH_CTX *const job = &hash##_jobs[0], *done; \
        isal_hash_ctx_init(job); \
        expect(isal_##hash##_ctx_mgr_init(NULL) == ISAL_CRYPTO_ERR_NULL_MGR, "no manager", #hash); \
        expect(isal_##hash##_ctx_mgr_flush(manager, NULL) == ISAL_CRYPTO_ERR_NULL_CTX, \
            "no result", #hash); \
        expect(isal_##hash##_ctx_mgr_submit(manager, NULL, &done, "", 0, ISAL_HASH_ENTIRE) \
                == ISAL_CRYPTO_ERR_NULL_CTX, \
            "no context", #hash); \
        expect(isal_##hash##_ctx_mgr_submit(manager, job, &done, NULL, 1, ISAL_HASH_FIRST) \
                == ISAL_CRYPTO_ERR_NULL_SRC, \
            "no message", #hash); \
        expect(isal_##hash##_ctx_mgr_submit(manager, job, &done, "", 0, ISAL_HASH_LAST) \
                    == ISAL_CRYPTO_ERR_ALREADY_COMPLETED \
                && done == job \
                && isal_hash_ctx_error(job) == ISAL_HASH_CTX_ERROR_ALREADY_COMPLETED, \
            "no first piece", #hash); \
        expect(isal_##hash##_ctx_mgr_submit(manager, job, &done, "abc", 3, ISAL_HASH_FIRST) == 0 \
                && done == NULL, \
            "a first piece", #hash); \
        expect(isal_##hash##_ctx_mgr_submit(manager, job, &done, "", 0, ISAL_HASH_LAST) \
                == ISAL_CRYPTO_ERR_ALREADY_PROCESSING, \
            "a piece too early", #hash); \
        /* A message begins anew in the middle of another, then a manager is left so. */ \
        expect(isal_##hash##_ctx_mgr_flush(manager, &done) == 0 && done == job, \
            "the piece comes back", #hash); \
        expect(isal_##hash##_ctx_mgr_submit(manager, job, &done, "abc", 3, ISAL_HASH_FIRST) == 0, \
            "anew", #hash); \
        expect(isal_##hash##_ctx_mgr_flush(manager, &done) == 0 && done == job, \
            "the piece comes back", #hash); \
        manylane_##hash##_ctx_mgr_free(manager); \
        expect(manager->mgr.banks == NULL, "a manager ends", #hash); \
        expect(isal_##hash##_ctx_mgr_submit(manager, job, &done, "d", 1, ISAL_HASH_LAST) \
                    == ISAL_CRYPTO_ERR_NOT_BEGUN_HERE \
                && done == job, \
            "a message of a manager that ended", #hash); \
        expect(isal_##hash##_ctx_mgr_submit(manager, job, &done, "abc", 3, ISAL_HASH_ENTIRE) == 0, \
            "anew", #hash); \
        expect(isal_##hash##_ctx_mgr_flush(manager, &done) == 0 && isal_hash_ctx_complete(job), \
            "whole", #hash); \
    } \
\
    /* A message goes on only where it began. */ \
    static void hash##_elsewhere(ISAL_##HASH##_HASH_CTX_MGR *manager) \
    { \
        ISAL_##HASH##_HASH_CTX *const job = &hash##_jobs[0], *done; \
        ISAL_##HASH##_HASH_CTX copy; \
        ISAL_##HASH##_HASH_CTX_MGR other; \
        unsigned char expected[64]; \
        const size_t size = sizeof job->job.result_digest; \
        const int big = strcmp(#hash, "md5") != 0; \
        isal_##hash##_ctx_mgr_init(&other); \
        isal_hash_ctx_init(job); \
        expect(isal_##hash##_ctx_mgr_submit(manager, job, &done, "ab", 2, ISAL_HASH_FIRST) == 0, \
            "ab", #hash); \
        expect(isal_##hash##_ctx_mgr_flush(manager, &done) == 0 && done == job, \
            "the piece comes back", #hash); \
        copy = *job; \
        expect(isal_##hash##_ctx_mgr_submit(&other, job, &done, "c", 1, ISAL_HASH_LAST) \
                    == ISAL_CRYPTO_ERR_NOT_BEGUN_HERE \
                && done == job && isal_hash_ctx_error(job) == ISAL_HASH_CTX_ERROR_NOT_BEGUN_HERE, \
            "another manager", #hash); \
        expect(isal_##hash##_ctx_mgr_submit(manager, &copy, &done, "c", 1, ISAL_HASH_LAST) \
                    == ISAL_CRYPTO_ERR_NOT_BEGUN_HERE \
                && done == &copy, \
            "a copy", #hash); \
        /* The refused pieces have changed nothing. */ \
        expect(isal_##hash##_ctx_mgr_submit(manager, job, &done, "c", 1, ISAL_HASH_LAST) == 0, \
            "c", #hash); \
        expect(isal_##hash##_ctx_mgr_flush(manager, &done) == 0 && done == job, "it ends", #hash); \
        expect(manylane_hash(#hash, "abc", 3, expected, size) == MANYLANE_STATUS_OK \
                && isal_hash_ctx_digest(job)[0] \
                    == manylane_isal_word(expected, sizeof job->job.result_digest[0], big), \
            "its digest", #hash); \
        expect(isal_##hash##_ctx_mgr_submit(&other, &copy, &done, "abc", 3, ISAL_HASH_FIRST) == 0, \
            "anew", #hash); \
        manylane_##hash##_ctx_mgr_free(&other); \
        expect(isal_##hash##_ctx_mgr_flush(manager, &done) == 0 && done == NULL, \
            "nothing is left", #hash); \
    } \
\
    static void hash##_all(void) \
    { \
        ISAL_##HASH##_HASH_CTX_MGR manager; \
        size_t i; \
        isal_##hash##_ctx_mgr_init(&manager); \
        for (i = 0; i < sizeof longest_pieces / sizeof longest_pieces[0]; i++) { \
            hash##_round(&manager, longest_pieces[i], 0); \
            hash##_round(&manager, longest_pieces[i], 1); \
        } \
        hash##_errors(&manager); \
        hash##_elsewhere(&manager); \
    }

HASH_TEST(md5, MD5)
HASH_TEST(sha1, SHA1)
HASH_TEST(sha256, SHA256)
HASH_TEST(sha512, SHA512)

/* A program of before version 2.25. */
static void old_names(void)
{
#ifndef NO_COMPAT_ISAL_CRYPTO_API_2_24
    static SHA256_HASH_CTX jobs[SHA256_MAX_LANES + 1];
    SHA256_HASH_CTX_MGR manager;
    SHA256_HASH_CTX *done;
    size_t i, count = 0;
    sha256_ctx_mgr_init(&manager);
    for (i = 0; i <= SHA256_MAX_LANES; i++) {
        hash_ctx_init(&jobs[i]);
        done = sha256_ctx_mgr_submit(&manager, &jobs[i], "abc", 3, HASH_ENTIRE);
        count += done != NULL;
    }
#ifndef MANYLANE_ISAL_QUEUE
    expect(count > 0, "submit gives contexts back when all lanes have one", "sha256");
#endif
    while ((done = sha256_ctx_mgr_flush(&manager)) != NULL)
        count++;
    expect(count == SHA256_MAX_LANES + 1, "all contexts come back", "sha256");
    for (i = 0; i <= SHA256_MAX_LANES; i++) {
        expect(hash_ctx_complete(&jobs[i]) && hash_ctx_digest(&jobs[i])[0] == 0xba7816bf, "\"abc\"",
            "sha256");
    }
#endif
}

int main(void)
{
    size_t i, k;
    for (i = 0; i < JOBS; i++) {
        for (k = 0; k < LONGEST; k++)
            messages[i][k] = (unsigned char)random_below(256);
    }
    md5_all();
    sha1_all();
    sha256_all();
    sha512_all();
    old_names();
    return faults != 0;
}
