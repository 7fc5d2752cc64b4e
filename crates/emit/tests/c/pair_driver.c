/* Messages on two cores, with delays that are drawn in both, beside the same on one. */
#include "delays.h"
#include "P.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/P.c"

int main(int argc, char **argv)
{
    static manylane_second second;
    static P_pair pair;
    static uint8_t message[9 * UP_BLOCK_BYTES];
    uint8_t expected[UP_DIGEST_BYTES];
    uint8_t digest[UP_DIGEST_BYTES];
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
        P_ctx c;
        const unsigned length = (run * 37u) % (unsigned)sizeof message;
        const unsigned cut = length == 0 ? 0 : (run * 11u) % length;
        if (run == 3) {
            if (!begin(&second)) {
                return 1;
            }
            P_pair_init(&pair, &second);
        }
        for (i = 0; i < length; i++) {
            message[i] = (uint8_t)(i * 7u + run);
        }
        P(expected, message, length);
        P_init_pair(&c, &pair);
        P_update(&c, message, cut);
        P_update(&c, message + cut, length - cut);
        P_final(&c, digest);
        /* What a late second core may still read is not the message. */
        memset(message, 0, sizeof message);
        if (memcmp(digest, expected, sizeof digest) != 0) {
            printf("seed %u, run %u: %u bytes, cut at %u, differ\n", (unsigned)first_seed, run,
                length, cut);
            return 1;
        }
    }
    jobs = MANYLANE_LOAD(&second.asked);
    manylane_end(&second);
    if (!P_pair_wipe(&pair)) {
        return 1;
    }
    if (!all_zero(pair.slots, sizeof pair.slots)) {
        return 1;
    }
    printf("%u jobs\n", (unsigned)jobs);
    return 0;
}
