/* A cipher on two cores, with delays that are drawn in both, beside the same on one. */
#include "delays.h"
#include "P.h"
#include <stdlib.h>
#include <string.h>

#include "src/P.c"
#include "src/P_selftest.c"

#define BYTES (41 * UP_BLOCK_BYTES)

static uint8_t plain[BYTES];
static uint8_t right[BYTES];
static uint8_t data[BYTES];
static uint8_t iv[UP_BLOCK_BYTES];
static uint8_t other[UP_BLOCK_BYTES];
static manylane_second second;
static P_pair pair;

/* Whether a mode gave the expected data and vector. */
static int same(int answer, const char *what, unsigned length)
{
    if (answer != UP_OK || memcmp(data, right, length) != 0 || memcmp(iv, other, sizeof iv) != 0) {
        printf("seed %u: %s of %u bytes differs\n", (unsigned)first_seed, what, length);
        return 0;
    }
    return 1;
}

static void again(unsigned run)
{
    memcpy(data, plain, sizeof data);
    memset(iv, (int)(run % 3 == 0 ? 255u : run % 256u), sizeof iv);
}

static void remember(void)
{
    memcpy(right, data, sizeof right);
    memcpy(other, iv, sizeof other);
}

int main(int argc, char **argv)
{
    uint8_t key[UP_KEY_BYTES + 1];
    P_ctx alone;
    P_ctx c;
    unsigned i;
    unsigned run;
    uint32_t jobs;

    if (!arguments(argc, argv)) {
        return 1;
    }
    /* Nobody serves yet. */
    manylane_second_init(&second);
    P_pair_init(&pair, &second);
    for (run = 0; run < runs; run++) {
        const unsigned length = (run * 29u) % BYTES;
        const unsigned whole = length - length % UP_BLOCK_BYTES;
        if (run == 3) {
            if (!begin(&second)) {
                return 1;
            }
            P_pair_init(&pair, &second);
        }
        for (i = 0; i < sizeof plain; i++) {
            plain[i] = (uint8_t)(i * 7u + run);
        }
        for (i = 0; i < sizeof key; i++) {
            key[i] = (uint8_t)(i * 31u + run);
        }
        P_init(&alone, key);
        again(run);
        (void)P_ecb_encrypt(&alone, data, whole);
        remember();
        again(run);
        if (!same(P_key_ecb_encrypt(&c, key, &pair, data, whole), "ECB with key", whole)) {
            return 1;
        }
        again(run);
        if (!same(P_ecb_encrypt(&c, data, whole), "ECB", whole)) {
            return 1;
        }
        (void)P_ecb_decrypt(&c, data, whole);
        if (memcmp(data, plain, sizeof data) != 0) {
            printf("ECB does not undo itself at %u\n", whole);
            return 1;
        }
        again(run);
        (void)P_ctr(&alone, iv, data, length);
        remember();
        again(run);
        if (!same(P_key_ctr(&c, key, &pair, iv, data, length), "CTR with key", length)) {
            return 1;
        }
        again(run);
        P_init_pair(&c, key, run % 5 == 4 ? NULL : &pair);
        if (!same(P_ctr(&c, iv, data, length), "CTR", length)) {
            return 1;
        }
        again(run);
        (void)P_cbc_encrypt(&alone, iv, data, whole);
        remember();
        again(run);
        memcpy(data, right, whole);
        (void)P_cbc_decrypt(&c, iv, data, whole);
        if (memcmp(data, plain, sizeof data) != 0) {
            printf("CBC does not undo itself at %u\n", whole);
            return 1;
        }
        if (whole != length
            && P_key_ecb_encrypt(&c, key, &pair, data, length) != UP_NOT_WHOLE_BLOCKS) {
            return 1;
        }
    }
    if (P_self_test() != 0 || P_self_test_pair(&pair) != 0) {
        printf("self-test\n");
        return 1;
    }
    jobs = MANYLANE_LOAD(&second.asked);
    manylane_end(&second);
    if (!P_pair_wipe(&pair) || !all_zero(pair.s, sizeof pair.s)
        || !all_zero(pair.words, sizeof pair.words)) {
        return 1;
    }
    printf("%u jobs\n", (unsigned)jobs);
    return 0;
}
