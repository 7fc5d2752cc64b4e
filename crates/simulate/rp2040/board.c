/* Two Cortex-M0+ of an RP2040. The FIFOs are the chip's; the other registers are the
 * simulator's. */
#include "worker.h"

#define FIFO_STATUS (*(volatile uint32_t *)0xd0000050U)
#define FIFO_WRITE (*(volatile uint32_t *)0xd0000054U)
#define FIFO_READ (*(volatile uint32_t *)0xd0000058U)
#define CYCLES (*(volatile uint32_t *)0xd0010000U)
#define PUT (*(volatile uint32_t *)0xd0010004U)
#define EXIT (*(volatile uint32_t *)0xd0010008U)
#define WATCH (*(volatile uint32_t *)0xd001000cU)

uint32_t board_cycles(void)
{
    return CYCLES;
}

void board_put(char byte)
{
    PUT = (uint32_t)(unsigned char)byte;
}

void board_exit(int status)
{
    EXIT = (uint32_t)status;
    for (;;) {
    }
}

void board_watch(const void *from)
{
    WATCH = (uint32_t)from;
}

void board_fence(void)
{
    __asm__ volatile("dmb" ::: "memory");
}

void board_wake(uint32_t number)
{
    FIFO_WRITE = number;
    __asm__ volatile("sev");
}

void board_sleep(uint32_t last)
{
    (void)last;
    while ((FIFO_STATUS & 1U) == 0U) {
        __asm__ volatile("wfe");
    }
    (void)FIFO_READ;
}
