/* Core c writes every byte whose address is c modulo 2, and both read back all of the other's:
 * no write reaches a neighbour, whatever bank it is in and whoever else writes there at the same
 * time. */
#include "board.h"

#include <string.h>

#define BYTES 1024U

static volatile uint8_t bytes[BYTES];

static void write(void *argument)
{
    uint32_t core = *(const uint32_t *)argument, n;

    for (n = core; n < BYTES; n += 2U) {
        bytes[n] = (uint8_t)(n * 37U + 11U);
    }
}

int main(void)
{
    static const uint32_t cores[2] = {0, 1};
    uint8_t copy[12];
    uint32_t n, wrong = 0, word;

    board_start(write, (void *)(uintptr_t)&cores[1]);
    write((void *)(uintptr_t)&cores[0]);
    board_join();
    for (n = 0; n < BYTES; n++) {
        wrong += bytes[n] != (uint8_t)(n * 37U + 11U);
    }
    /* Words at every distance from a multiple of four, as a message in a buffer may lie. */
    for (n = 0; n < 8U; n++) {
        word = 0x01020304U * (n + 1U);
        (void)memcpy(&copy[n], &word, sizeof word);
        (void)memcpy(&word, &copy[n], sizeof word);
        wrong += word != 0x01020304U * (n + 1U);
    }
    board_report("wrong", wrong);
    return wrong == 0U ? 0 : 1;
}
