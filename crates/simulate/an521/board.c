/* Two Cortex-M33 of an MPS2 AN521, as QEMU has it: function only, nothing counts cycles. */
#include "worker.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define UART_DATA REGISTER(0x50200000U)
#define UART_STATE REGISTER(0x50200004U)
#define UART_CONTROL REGISTER(0x50200008U)
#define UART_DIVISOR REGISTER(0x50200010U)
#define CORE_1_VECTORS REGISTER(0x50021114U)
#define CORES_HELD REGISTER(0x50021118U)
#define CODE 0x10000000U

void board_trap(uint32_t number);

uint32_t board_cycles(void)
{
    return 0;
}

void board_put(char byte)
{
    UART_DIVISOR = 16;
    UART_CONTROL = 1;
    while ((UART_STATE & 1U) != 0U) {
    }
    UART_DATA = (uint32_t)(unsigned char)byte;
}

void board_watch(const void *from)
{
    (void)from;
}

/* Semihosting: SYS_EXIT_EXTENDED with ADP_Stopped_ApplicationExit and the status. */
void board_exit(int status)
{
    uint32_t block[2];
    register uint32_t operation __asm__("r0") = 0x20;
    register uint32_t *argument __asm__("r1") = block;

    block[0] = 0x20026;
    block[1] = (uint32_t)status;
    __asm__ volatile("bkpt 0xab" : "+r"(operation) : "r"(argument) : "memory");
    for (;;) {
    }
}

/* The numbers are those of ARMv8-M's exceptions: 3 a hard fault, 4 to 7 other faults. */
void board_trap(uint32_t number)
{
    board_report("board_exception", number);
    board_exit(255);
}

void board_fence(void)
{
    __asm__ volatile("dmb" ::: "memory");
}

static volatile uint32_t bell;

void board_wake(uint32_t number)
{
    bell = number;
    CORE_1_VECTORS = CODE;
    CORES_HELD = 0;
}

void board_sleep(uint32_t last)
{
    while (bell == last) {
        board_pause();
    }
}
