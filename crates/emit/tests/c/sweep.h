/* What the drivers of sweeps share: a second core that serves, where CORES is 2, and results that
 * are counted and compared. */
#include "board.h"
#if CORES == 2
#include "manylane_port.h"
#endif

#include <string.h>

static uint32_t runs;

#if CORES == 2
static manylane_second second;

static void serve(void *argument)
{
    manylane_serve((manylane_second *)argument);
}

/* Starts the second core; returns when it serves. */
static void begin_serving(void)
{
    board_start(serve, &second);
    while (MANYLANE_LOAD(&second.serves) == 0) {
        board_pause();
    }
}

/* Reports what was done, and ends the second core. */
static void end_serving(void)
{
    board_report("runs", runs);
    board_report("jobs", MANYLANE_LOAD(&second.asked));
    manylane_stop(&second);
    board_join();
}
#else
static void begin_serving(void)
{
}

static void end_serving(void)
{
    board_report("runs", runs);
    board_report("jobs", 0);
}
#endif

/* Says what is wrong; returns 0. */
static int wrong(const char *what, uint32_t length, uint32_t size)
{
    board_print(what);
    board_print(" is wrong\n");
    board_report("length", length);
    board_report("piece", size);
    return 0;
}

/* Whether a result is the right one; if not it says of which length and piece. */
static int same(const uint8_t *found, const uint8_t *right, size_t count, const char *what,
    uint32_t length, uint32_t size)
{
    runs++;
    return memcmp(found, right, count) == 0 || wrong(what, length, size);
}
