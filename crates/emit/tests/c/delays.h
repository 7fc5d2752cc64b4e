/* Two cores as threads, with delays that are drawn in both. Included before the port. */
#include <stdint.h>
#include <stdio.h>

static void delay(void);
/* The hooks, with a delay before each: DELAYS says how many of 1024 are long. */
#define MANYLANE_PORT_PTHREADS 1
#define MANYLANE_POST(flag, number) (delay(), MANYLANE_STORE((flag), (number)))
#define MANYLANE_WAIT(flag, number) (delay(), manylane_look((flag), (number)))
#define MANYLANE_MEET(flag, call) (delay(), manylane_look_for((flag), (call)))
#include "manylane_port.h"

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

/* Starts the second core, with numbers that go round soon. */
static int begin(manylane_second *second)
{
    first = pthread_self();
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
    static uint32_t seed = 7;
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 24) % 3u != 0 && manylane_is_free(second);
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
