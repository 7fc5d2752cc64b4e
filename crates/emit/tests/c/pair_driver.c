/* Messages on two cores, with delays that are drawn in both, beside the same on one. */
#include <stdint.h>

static void delay(void);
/* The hooks, with a delay before each: DELAYS says how many of 1024 are long. */
#define MANYLANE_PORT_PTHREADS 1
#define MANYLANE_POST(flag, number) (delay(), MANYLANE_STORE((flag), (number)))
#define MANYLANE_WAIT(flag, number) (delay(), manylane_wait((flag), (number)))
#include "P.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t seeds[2] = { 1, 2 };
static pthread_t first;

static void delay(void)
{
    uint32_t *const seed = &seeds[pthread_equal(pthread_self(), first) != 0];
    unsigned turns;
    *seed = *seed * 1664525u + 1013904223u;
    turns = (*seed >> 8) % 1024u < DELAYS ? (*seed >> 18) % 4096u : 0;
    while (turns != 0) {
        MANYLANE_PAUSE();
        turns--;
    }
}

#include "src/P.c"

int main(void)
{
    static manylane_second second;
    static P_pair pair;
    static uint8_t message[9 * UP_BLOCK_BYTES];
    uint8_t expected[UP_DIGEST_BYTES];
    uint8_t digest[UP_DIGEST_BYTES];
    unsigned i;
    unsigned run;
    uint32_t jobs;

    first = pthread_self();
    /* Nobody serves yet. */
    manylane_second_init(&second);
    P_pair_init(&pair, &second);
    for (run = 0; run < RUNS; run++) {
        P_ctx c;
        const unsigned length = (run * 37u) % (unsigned)sizeof message;
        const unsigned cut = length == 0 ? 0 : (run * 11u) % length;
        if (run == 3) {
            if (!manylane_begin(&second)) {
                printf("no thread\n");
                return 1;
            }
            while (MANYLANE_LOAD(&second.serves) == 0) {
                MANYLANE_PAUSE();
            }
            /* Numbers that go round soon. */
            MANYLANE_STORE(&second.posted, UINT32_C(0xffffff00));
            second.claimed = UINT32_C(0xffffff00);
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
            printf("run %u differs\n", run);
            return 1;
        }
    }
    jobs = MANYLANE_LOAD(&second.asked);
    manylane_end(&second);
    if (!P_pair_wipe(&pair)) {
        return 1;
    }
    for (i = 0; i < sizeof pair.block; i++) {
        if (((const uint8_t *)pair.block)[i] != 0) {
            printf("a pair is not wiped\n");
            return 1;
        }
    }
    printf("%u jobs\n", (unsigned)jobs);
    return 0;
}
