/* HMAC on two cores, with delays that are drawn in both, beside the same on one. */
#include "delays.h"
#include "M.h"
#include <stdlib.h>
#include <string.h>

#include "src/P.c"
#include "src/M.c"
#include "src/P_selftest.c"
#include "src/M_selftest.c"

int main(int argc, char **argv)
{
    static manylane_second second;
    static M_pair pair;
    static uint8_t bytes[9 * UP_BLOCK_BYTES];
    uint8_t expected[UM_BYTES];
    uint8_t mac[UM_BYTES];
    M_key key;
    M_key same;
    unsigned i;
    unsigned run;
    uint32_t jobs;

    if (!arguments(argc, argv)) {
        return 1;
    }
    /* Nobody serves yet. */
    manylane_second_init(&second);
    M_pair_init(&pair, &second);
    for (run = 0; run < runs; run++) {
        M_ctx c;
        const unsigned length = (run * 37u) % (unsigned)sizeof bytes;
        const unsigned key_length = (run * 13u) % (2u * UP_BLOCK_BYTES);
        const unsigned cut = length == 0 ? 0 : (run * 11u) % length;
        if (run == 3) {
            if (!begin(&second)) {
                return 1;
            }
            M_pair_init(&pair, &second);
        }
        for (i = 0; i < sizeof bytes; i++) {
            bytes[i] = (uint8_t)(i * 7u + run);
        }
        M(expected, bytes, key_length, bytes, length);
        M_init_pair(&c, bytes, key_length, run % 5 == 4 ? NULL : &pair);
        M_update(&c, bytes, cut);
        M_update(&c, bytes + cut, length - cut);
        M_final(&c, mac);
        M_prepare(&same, bytes, key_length);
        M_prepare_pair(&key, bytes, key_length, &pair);
        M_start_pair(&c, &key, &pair);
        M_update(&c, bytes, length);
        /* What a late second core may still read is neither key nor message. */
        memset(bytes, 0, sizeof bytes);
        if (memcmp(mac, expected, sizeof mac) != 0 || memcmp(&key, &same, sizeof key) != 0
            || !M_final_verify(&c, expected, sizeof expected)) {
            printf("seed %u, run %u: %u bytes, cut at %u, differ\n", (unsigned)first_seed, run,
                length, cut);
            return 1;
        }
    }
    if (M_self_test() != 0 || M_self_test_pair(&pair) != 0) {
        printf("self-test\n");
        return 1;
    }
    jobs = MANYLANE_LOAD(&second.asked);
    manylane_end(&second);
    if (!M_pair_wipe(&pair) || !all_zero(pair.block, sizeof pair.block)
        || !all_zero(pair.outer, sizeof pair.outer)) {
        return 1;
    }
    printf("%u jobs\n", (unsigned)jobs);
    return 0;
}
