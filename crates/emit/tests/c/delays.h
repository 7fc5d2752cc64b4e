/* Two cores as threads, with random delays in both. Included before the port. Arguments of
 * a program: how often something is computed, how many of 1024 delays are long, the turns of a
 * wait, the seed. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned runs;
static unsigned long_delays;
static uint32_t most_turns;
static uint32_t first_seed;

static void delay(void);
#define MANYLANE_LIMIT most_turns
/* The hooks, with a delay before each. */
#define MANYLANE_PORT_PTHREADS 1
#define MANYLANE_POST(flag, number) (delay(), MANYLANE_STORE((flag), (number)))
#define MANYLANE_WAIT(flag, number) (delay(), manylane_look((flag), (number)))
#define MANYLANE_MEET(flag, call) (delay(), manylane_look_for((flag), (call)))
#include "manylane_port.h"

static uint32_t seeds[2];
static uint32_t seed_of_jobs;
static pthread_t first;

static int arguments(int argc, char **argv)
{
    if (argc != 5) {
        printf("RUNS LONG_DELAYS MOST_TURNS SEED\n");
        return 0;
    }
    runs = (unsigned)strtoul(argv[1], NULL, 10);
    long_delays = (unsigned)strtoul(argv[2], NULL, 10);
    most_turns = (uint32_t)strtoul(argv[3], NULL, 10);
    first_seed = (uint32_t)strtoul(argv[4], NULL, 10);
    seeds[0] = first_seed;
    seeds[1] = first_seed + 1u;
    seed_of_jobs = first_seed + 6u;
    first = pthread_self();
    return 1;
}

/* Delays by up to a hundred thousand instructions. A delay by the scheduler would depend on what
 * else runs. */
static void delay(void)
{
    uint32_t *const seed = &seeds[pthread_equal(pthread_self(), first) != 0];
    volatile unsigned turns;
    *seed = *seed * 1664525u + 1013904223u;
    if ((*seed >> 8) % 1024u >= long_delays) {
        return;
    }
    for (turns = (*seed >> 18) * 2u; turns != 0; turns--) {
    }
    MANYLANE_PAUSE();
}

/* Starts the second core, with counters that wrap around soon. */
static int begin(manylane_second *second)
{
    if (!manylane_begin(second)) {
        printf("no thread\n");
        return 0;
    }
    while (MANYLANE_LOAD(&second->serves) == 0) {
        MANYLANE_PAUSE();
    }
    MANYLANE_STORE(&second->posted, UINT32_C(0xffffff00));
    MANYLANE_STORE(&second->given, UINT32_C(0xffffff00));
    second->claimed = UINT32_C(0xffffff00);
    return 1;
}

/* Somebody else's jobs: to the code under test the second core is busy now and then. */
static int seems_free(manylane_second *second)
{
    seed_of_jobs = seed_of_jobs * 1664525u + 1013904223u;
    return (seed_of_jobs >> 24) % 3u != 0 && manylane_is_free(second);
}
#define manylane_is_free(second) seems_free(second)

static int all_zero(const void *memory, size_t length)
{
    const uint8_t *const bytes = (const uint8_t *)memory;
    size_t i;
    for (i = 0; i < length; i++) {
        if (bytes[i] != 0) {
            printf("a pair is not wiped\n");
            return 0;
        }
    }
    return 1;
}
