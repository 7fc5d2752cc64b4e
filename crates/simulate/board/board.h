/* What a program asks of the machine that it runs on. One implementation per machine.
 *
 * `main` runs on core 0. What it measures it prints with board_report, a line `NAME VALUE`.
 */
#ifndef MANYLANE_BOARD_H
#define MANYLANE_BOARD_H

#include <stdint.h>

/* A clock that both cores share, modulo 2^32; the difference of two readings is a time. It counts
 * cycles on simulated machines that have them, ticks of another clock on a computer, and is 0
 * elsewhere. */
uint32_t board_cycles(void);

/* Cycles of the calling core in the program itself, modulo 2^32, where the system counts them;
 * otherwise board_cycles. board_clock says in words which of the two it is, and why; it is empty
 * where cycles are simulated. */
#if defined(__linux__)
uint32_t board_own_cycles(void);
const char *board_clock(void);
#else
#define board_own_cycles board_cycles
#define board_clock() ""
#endif

/* Prints a byte. Cores that print at the same time mix their bytes. */
void board_put(char byte);

/* Ends the program on both cores, 0 for success. It does not return. */
void board_exit(int status);

/* Makes core 1 call worker(argument). If it still runs an earlier worker, waits until that returns.
 * What was written before the call is seen by the worker. The first call may take longer than
 * others. */
void board_start(void (*worker)(void *), void *argument);

/* Waits until the worker has returned. What it wrote is seen after the call. */
void board_join(void);

/* Begins to note each load and store of 4,096 bytes, by either core, where the simulator can; the
 * program is not slowed by it. NULL ends it. */
void board_watch(const void *from);

/* To be called in a loop that waits for the other core. */
static inline void board_pause(void)
{
#if defined(__arm__) || defined(__aarch64__)
    __asm__ volatile("yield");
#elif defined(__i386__) || defined(__x86_64__)
    __asm__ volatile("pause");
#endif
}

/* Prints a text that ends with a zero byte. */
void board_print(const char *text);

/* Prints the line `NAME VALUE`, the value in decimal. */
void board_report(const char *name, uint32_t value);

/* Prints the line `NAME HEX`, two digits per byte. */
void board_report_bytes(const char *name, const void *bytes, uint32_t count);

#endif
