/* How core 0 gives work to core 1 where both share memory and nothing else is needed: for the
 * board.c of machines without an operating system. */
#ifndef MANYLANE_BOARD_WORKER_H
#define MANYLANE_BOARD_WORKER_H

#include "board.h"

/* Core 1 calls this once, after its stack is set. It does not return. */
void board_serve(void);

/* Given by the machine: wakes core 1; waits on core 1 until core 0 has woken it once more. */
void board_wake(uint32_t number);
void board_sleep(uint32_t last);

/* Given by the machine: orders what was written before against what is read and written after. */
void board_fence(void);

#endif
