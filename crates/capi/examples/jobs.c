/* What replaces isa-l_crypto's context managers: the jobs of a server, first those whose messages
 * are there as a whole, then those whose messages arrive in pieces.
 *
 *     isa-l_crypto                                     manylane
 *     sha256_ctx_mgr_init                              nothing
 *     hash_ctx_init, _submit(ENTIRE) each, _flush all  manylane_hash_many
 *     _submit(FIRST), _submit(UPDATE), _submit(LAST)   manylane_group_update, manylane_group_digest
 *     hash_ctx_digest                                  the digests, in the order of the messages
 *
 * Nothing is queued: when a call returns, its digests are there. */
#include <manylane.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOBS 100
#define DIGEST 32
#define PIECE 4096

static void check(manylane_status status)
{
    if (status != MANYLANE_STATUS_OK) {
        fprintf(stderr, "jobs: %s\n", manylane_last_error());
        exit(1);
    }
}

static void print(const unsigned char *digest)
{
    int i;
    for (i = 0; i < DIGEST; i++)
        printf("%02x", digest[i]);
    putchar('\n');
}

/* Job i has a message of 250 * i bytes. */
static unsigned char messages[JOBS][250 * JOBS];

static size_t length(size_t job)
{
    return 250 * job;
}

int main(void)
{
    static unsigned char whole[JOBS * DIGEST], pieced[JOBS * DIGEST];
    const void *pointers[JOBS];
    size_t sizes[JOBS], job, at;
    manylane_group *group;

    for (job = 0; job < JOBS; job++)
        memset(messages[job], (int)job, length(job));

    /* Whole messages: one call. */
    for (job = 0; job < JOBS; job++) {
        pointers[job] = messages[job];
        sizes[job] = length(job);
    }
    check(manylane_hash_many("sha256", NULL, pointers, sizes, JOBS, whole, sizeof whole));

    /* Messages in pieces: in every turn a piece of each that has one; the others get an empty
     * one. */
    check(manylane_group_new("sha256", NULL, JOBS, &group));
    for (at = 0; at < length(JOBS); at += PIECE) {
        for (job = 0; job < JOBS; job++) {
            size_t left = length(job) > at ? length(job) - at : 0;
            pointers[job] = left > 0 ? messages[job] + at : NULL;
            sizes[job] = left < PIECE ? left : PIECE;
        }
        check(manylane_group_update(group, pointers, sizes));
    }
    for (job = 0; job < JOBS; job++)
        check(manylane_group_digest(group, job, pieced + job * DIGEST, DIGEST));
    manylane_group_free(group);

    if (memcmp(whole, pieced, sizeof whole) != 0) {
        fputs("jobs: the two ways differ\n", stderr);
        return 1;
    }
    for (job = 0; job < JOBS; job++)
        print(whole + job * DIGEST);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("jobs: standard output");
        return 1;
    }
    return 0;
}
