; SHA-1 of one block that is padded already, for the CPU12X, written for size.
; The block is the first 16 words of W; the chaining value is H, which is updated.
; A value of 32 bits in registers has its high half in D and its low half in Y.

H       = 0x2000                ; 5 words of 32 bits
va      = 0x2014                ; a, b, c, d, e
vb      = va+4
vc      = va+8
vd      = va+12
ve      = va+16
phase   = 0x2028                ; which function and constant
last    = 0x202a                ; the end of this phase's words
W       = 0x2100                ; 80 words of 32 bits

sha1:   ldx #W+64
expand: ldd -12,x               ; W[t-3] ^ W[t-8] ^ W[t-14] ^ W[t-16]
        ldy -10,x
        eora -32,x
        eorb -31,x
        eory -30,x
        eora -56,x
        eorb -55,x
        eory -54,x
        eora -64,x
        eorb -63,x
        eory -62,x
        bsr rotl1
        std 2,x+
        sty 2,x+
        cpx #W+320
        bne expand

        ldx #H                  ; a to e from the chaining value
        ldy #va
        ldab #10
copy:   movw 2,x+,2,y+
        dbne b,copy

        ldx #W
        movw #phases,phase
        movw #W+80,last
round:  ldd va                  ; a <<< 5 + f(b, c, d) + e + K + W[t]
        ldy va+2
        pshx
        ldx #5
five:   bsr rotl1
        dbne x,five
        pulx
        pshy
        pshd
        ldy phase
        jsr [4,y]
        addy 2,sp
        adcb 1,sp
        adca 0,sp
        leas 4,sp
        addy ve+2
        adcb ve+1
        adca ve
        addy 2,x
        adcb 1,x
        adca 0,x
        pshx
        ldx phase
        addy 2,x
        adcb 1,x
        adca 0,x
        pulx
        leax 4,x
        movw vd,ve
        movw vd+2,ve+2
        movw vc,vd
        movw vc+2,vd+2
        pshy
        pshd
        ldd vb                  ; b >>> 2
        ldy vb+2
        bsr rotr1
        bsr rotr1
        std vc
        sty vc+2
        movw va,vb
        movw va+2,vb+2
        puld
        puly
        std va
        sty va+2
        cpx last
        bne round
        ldd last                ; the next phase
        addd #80
        std last
        ldd phase
        addd #6
        std phase
        cpx #W+320
        bne round

        ldx #va                 ; added to the chaining value
sum:    ldd H-va,x
        ldy H-va+2,x
        addy 2,x
        adcb 1,x
        adca 0,x
        std H-va,x
        sty H-va+2,x
        leax 4,x
        cpx #va+20
        bne sum
        rts

rotl1:  lsly
        rolb
        rola
        adey #0
        rts

rotr1:  lsra
        rorb
        rory
        bcc 1f
        oraa #0x80
1:      rts

choose: ldd vc                  ; d ^ (b & (c ^ d))
        ldy vc+2
        eora vd
        eorb vd+1
        eory vd+2
        anda vb
        andb vb+1
        andy vb+2
        eora vd
        eorb vd+1
        eory vd+2
        rts

parity: ldd vb
        ldy vb+2
        eora vc
        eorb vc+1
        eory vc+2
        eora vd
        eorb vd+1
        eory vd+2
        rts

major:  ldd vb                  ; (b & c) | ((b | c) & d)
        ldy vb+2
        oraa vc
        orab vc+1
        ory vc+2
        anda vd
        andb vd+1
        andy vd+2
        pshy
        pshd
        ldd vb
        ldy vb+2
        anda vc
        andb vc+1
        andy vc+2
        oraa 0,sp
        orab 1,sp
        ory 2,sp
        leas 4,sp
        rts

phases: .long 0x5a827999
        .word choose
        .long 0x6ed9eba1
        .word parity
        .long 0x8f1bbcdc
        .word major
        .long 0xca62c1d6
        .word parity
