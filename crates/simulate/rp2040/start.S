@ What both cores of an RP2040 do first. Both start here, and code and data are in RAM.

    .syntax unified
    .cpu cortex-m0plus
    .thumb

    .section .vectors, "a"
    .word   __stack_0
    .word   _start + 1

    .section .text._start, "ax"
    .globl  _start
    .thumb_func
_start:
    ldr     r0, =0xd0000000
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
@ Core 1 reads .bss no sooner than it has a word in its FIFO.
2:  ldr     r0, =__stack_1
    mov     sp, r0
    bl      board_serve
    .pool
