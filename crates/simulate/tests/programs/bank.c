/* Both cores load without end from one word each, STRIDE words apart, and count how often they did
 * until the other one had done so 1000 times. */
#include "board.h"

static volatile uint32_t words[8];
static volatile uint32_t ended[8];

static void loads(void *argument)
{
    uint32_t core = *(const uint32_t *)argument;
    volatile const uint32_t *word = &words[core * STRIDE];
    uint32_t n;

    for (n = 0; n < 1000U; n++) {
        (void)*word;
        (void)*word;
        (void)*word;
        (void)*word;
    }
    ended[4U * core] = board_cycles();
}

int main(void)
{
    static const uint32_t numbers[2] = {0, 1};
    uint32_t from = board_cycles();

    board_start(loads, (void *)(uintptr_t)&numbers[1]);
    loads((void *)(uintptr_t)&numbers[0]);
    board_join();
    board_report("core_0", ended[0] - from);
    board_report("core_1", ended[4] - from);
    return 0;
}
