/* The cores take turns: each adds to a sum that both share when it is its turn, TURNS times. It is
 * right only if no turn is lost, doubled or overtaken. */
#include "board.h"

static uint32_t turn;
static uint32_t sum;

static void await(uint32_t number)
{
    while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != number) {
        board_pause();
    }
}

static void take(uint32_t first)
{
    uint32_t n;

    for (n = first; n < TURNS; n += 2U) {
        await(n);
        sum = sum * 31U + n;
        __atomic_store_n(&turn, n + 1U, __ATOMIC_RELEASE);
    }
}

static void second(void *argument)
{
    (void)argument;
    take(1);
}

int main(void)
{
    uint32_t expected = 0, n;

    board_start(second, (void *)0);
    take(0);
    board_join();
    for (n = 0; n < TURNS; n++) {
        expected = expected * 31U + n;
    }
    board_report("turns", turn);
    return sum == expected ? 0 : 1;
}
