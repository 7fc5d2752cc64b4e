@ What both Cortex-M33 of an MPS2 AN521 do first. Both start here.

    .syntax unified
    .cpu cortex-m33
    .thumb

    .section .vectors, "a"
    .word   __stack_0
    .word   _start + 1
    .rept   14
    .word   trap + 1
    .endr

    .section .text._start, "ax"
    .globl  _start
    .thumb_func
_start:
    ldr     r0, =0x5001f000     @ the number of the core
    ldr     r0, [r0]
    cbnz    r0, 2f
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
@ Core 1 is held until the first worker is there.
2:  ldr     r0, =__stack_1
    mov     sp, r0
    bl      board_serve

    .thumb_func
trap:
    mrs     r0, ipsr
    bl      board_trap
    .pool
