# What both Ibex cores do first, and what they do on an exception.

    .section .start, "ax"
    # mtvec, which is aligned to 256 bytes: an exception goes to its first entry. Ibex begins 0x80
    # bytes after it.
    .globl vectors
vectors:
    j       trap
    .org    0x80
    .globl  _start
_start:
    .option push
    .option norelax
    la      gp, __global_pointer$
    .option pop
    csrr    t0, mhartid
    bnez    t0, second
    la      sp, __stack_0
    # .bss is zero before core 1 reads it, for it waits for the doorbell. `.data` was loaded.
    la      t0, __bss_begin
    la      t1, __bss_end
1:  bgeu    t0, t1, 2f
    sw      zero, 0(t0)
    addi    t0, t0, 4
    j       1b
2:  call    main
    call    board_exit
second:
    la      sp, __stack_1
    # The first worker is number 1; before it .bss is not to be read.
    li      t0, 0x80000000
3:  lw      t1, 4(t0)
    beqz    t1, 3b
    call    board_serve

trap:
    li      t0, 0x80000000
    csrr    t1, mepc
    sw      t1, 16(t0)
    csrr    t1, mtval
    sw      t1, 20(t0)
    csrr    t1, mcause
    sw      t1, 24(t0)
4:  j       4b
