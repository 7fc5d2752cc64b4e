@ What both cores of a machine with two Cortex-M do first. Both start here.

#if defined(__ARM_ARCH_6M__)
#define CORE_NUMBER 0xd0000000  /* CPUID of an RP2040; code and data are in RAM */
#else
#define CORE_NUMBER 0x5001f000  /* CPU_ID of an MPS2 AN521 */
#define HAS_FAULTS 1
#endif

    .syntax unified
    .thumb

    .section .vectors, "a"
    .word   __stack_0
    .word   _start + 1
#ifdef HAS_FAULTS
    .rept   14
    .word   trap + 1
    .endr
#endif

    .section .text._start, "ax"
    .globl  _start
    .thumb_func
_start:
    ldr     r0, =CORE_NUMBER
    ldr     r0, [r0]
    cmp     r0, #0
    bne     2f
    ldr     r0, =__bss_begin
    ldr     r1, =__bss_end
    movs    r2, #0
    b       1f
0:  str     r2, [r0]
    adds    r0, #4
1:  cmp     r0, r1
    blo     0b
    bl      main
    bl      board_exit
@ Core 1 reads .bss no sooner than it is given its first worker: an RP2040's waits for a word in its
@ FIFO, an AN521's is held until then.
2:  ldr     r0, =__stack_1
    mov     sp, r0
    bl      board_serve
    .pool

#ifdef HAS_FAULTS
    .thumb_func
trap:
    mrs     r0, ipsr
    bl      board_trap
#endif
