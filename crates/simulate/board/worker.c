/* Work for core 1, on machines without an operating system. */
#include "worker.h"

static void (*volatile work)(void *);
static void *volatile work_argument;
/* How many workers were started, written by core 0, and how many have returned, written by core
 * 1. */
static volatile uint32_t started;
static volatile uint32_t returned;

void board_start(void (*worker)(void *), void *argument)
{
    board_join();
    work = worker;
    work_argument = argument;
    board_fence();
    started++;
    board_fence();
    board_wake(started);
}

void board_join(void)
{
    while (returned != started) {
        board_pause();
    }
    board_fence();
}

void board_serve(void)
{
    for (;;) {
        uint32_t number = returned;

        board_sleep(number);
        board_fence();
        work(work_argument);
        board_fence();
        returned = number + 1U;
    }
}
