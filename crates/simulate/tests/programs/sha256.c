/* SHA-256 (FIPS 180-4) by hand, on one core and on two: the message schedule on core 1, the rounds
 * on core 0. It measures both and prints the digests. */
#include "board.h"

#ifndef BLOCKS
#define BLOCKS 8U
#endif

#define ROTR(x, n) (((x) >> (n)) | ((x) << (32 - (n))))
#define CH(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define MAJ(x, y, z) (((x) & (y)) | ((z) & ((x) | (y))))
#define BIG0(x) (ROTR(x, 2) ^ ROTR(x, 13) ^ ROTR(x, 22))
#define BIG1(x) (ROTR(x, 6) ^ ROTR(x, 11) ^ ROTR(x, 25))
#define SMALL0(x) (ROTR(x, 7) ^ ROTR(x, 18) ^ ((x) >> 3))
#define SMALL1(x) (ROTR(x, 17) ^ ROTR(x, 19) ^ ((x) >> 10))

static const uint32_t k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static const uint32_t initial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

/* The word at a multiple of four bytes, in the order of the standard. */
static uint32_t load(const uint8_t *at)
{
    uint32_t word = *(const uint32_t *)(const void *)at;

#if defined(__riscv_zbb)
    __asm__("rev8 %0, %0" : "+r"(word));
#elif __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap32(word);
#endif
    return word;
}

#define EXPAND(i) w[16 + (i)] = SMALL1(w[14 + (i)]) + w[9 + (i)] + SMALL0(w[1 + (i)]) + w[i]

/* The sixteen words of the schedule that follow those at w. */
static void expand(uint32_t *w)
{
    EXPAND(0); EXPAND(1); EXPAND(2); EXPAND(3); EXPAND(4); EXPAND(5); EXPAND(6); EXPAND(7);
    EXPAND(8); EXPAND(9); EXPAND(10); EXPAND(11); EXPAND(12); EXPAND(13); EXPAND(14); EXPAND(15);
}

#define ROUND(a, b, c, d, e, f, g, h, i)                                       \
    h += BIG1(e) + CH(e, f, g) + kt[i] + wt[i];                                \
    d += h;                                                                    \
    h += BIG0(a) + MAJ(a, b, c)

#define EIGHT(i)                                                               \
    ROUND(a, b, c, d, e, f, g, h, i);                                          \
    ROUND(h, a, b, c, d, e, f, g, i + 1);                                      \
    ROUND(g, h, a, b, c, d, e, f, i + 2);                                      \
    ROUND(f, g, h, a, b, c, d, e, i + 3);                                      \
    ROUND(e, f, g, h, a, b, c, d, i + 4);                                      \
    ROUND(d, e, f, g, h, a, b, c, i + 5);                                      \
    ROUND(c, d, e, f, g, h, a, b, i + 6);                                      \
    ROUND(b, c, d, e, f, g, h, a, i + 7)

#define BEGIN                                                                  \
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];           \
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];           \
    const uint32_t *kt = k

#define END                                                                    \
    state[0] += a; state[1] += b; state[2] += c; state[3] += d;                \
    state[4] += e; state[5] += f; state[6] += g; state[7] += h

static void compress(uint32_t *state, const uint8_t *block)
{
    uint32_t w[64];
    const uint32_t *wt = w;
    unsigned i;
    BEGIN;

    for (i = 0; i < 16U; i++) {
        w[i] = load(&block[4U * i]);
    }
    for (i = 0; i < 3U; i++) {
        expand(&w[16U * i]);
    }
    for (; kt < &k[64]; kt += 16, wt += 16) {
        EIGHT(0);
        EIGHT(8);
    }
    END;
}

/* What the cores share. Core 1 writes the schedules of odd and even blocks to one half each, and
 * counts the sixteenths of a schedule that are done; core 0 counts the blocks that it needs no
 * more. */
static uint32_t schedule[2][64];
static volatile uint32_t quarters;
static volatile uint32_t done;
static const uint8_t *volatile message;
static volatile uint32_t blocks;

/* Ibex and the Cortex-M0+ do everything in the order of the program. */
#if defined(__riscv) || defined(__ARM_ARCH_6M__)
#define FENCE __asm__ volatile("" ::: "memory")
#else
#define FENCE __atomic_thread_fence(__ATOMIC_SEQ_CST)
#endif

static void schedules(void *argument)
{
    const uint8_t *at = message;
    uint32_t n, end = blocks, posted = 0;

    (void)argument;
    for (n = 0; n < end; n++, at += 64) {
        uint32_t *w = schedule[n & 1U];
        unsigned i;

        while (n - done >= 2U) {
            board_pause();
        }
        for (i = 0; i < 16U; i++) {
            w[i] = load(&at[4U * i]);
        }
        FENCE;
        quarters = ++posted;
        for (i = 0; i < 3U; i++) {
            expand(&w[16U * i]);
            FENCE;
            quarters = ++posted;
        }
    }
}

static void compress_all(uint32_t *state)
{
    uint32_t n, taken = 0, end = blocks;

    for (n = 0; n < end; n++) {
        const uint32_t *wt = schedule[n & 1U];
        BEGIN;

        for (; kt < &k[64]; kt += 16, wt += 16) {
            taken++;
            while ((int32_t)(quarters - taken) < 0) {
                board_pause();
            }
            FENCE;
            EIGHT(0);
            EIGHT(8);
        }
        END;
        FENCE;
        done = n + 1U;
    }
}

static void copy(uint32_t *state)
{
    unsigned i;

    for (i = 0; i < 8U; i++) {
        state[i] = initial[i];
    }
}

static uint32_t words[16U * BLOCKS];

static volatile uint32_t ping;
static volatile uint32_t pong;

static void echo(void *argument)
{
    uint32_t n;

    (void)argument;
    for (n = 1; n <= 64U; n++) {
        while (ping != n) {
        }
        pong = n;
    }
}

static void nothing(void *argument)
{
    (void)argument;
}

int main(void)
{
    uint8_t *text = (uint8_t *)words;
    uint32_t one[8], two[8], from, i;

    /* "abc" padded, and then blocks of numbers. */
    text[0] = 'a';
    text[1] = 'b';
    text[2] = 'c';
    text[3] = 0x80;
    text[63] = 24;
    copy(one);
    compress(one, text);
    for (i = 0; i < 8U; i++) {
        one[i] = load((const uint8_t *)&one[i]);
    }
    board_report_bytes("abc", one, 32);
    for (i = 0; i < 64U * BLOCKS; i++) {
        text[i] = (uint8_t)(i * 7U + (i >> 8));
    }
    copy(one);
    from = board_cycles();
    for (i = 0; i < BLOCKS; i++) {
        compress(one, &text[64U * i]);
    }
    board_report("one_core", (board_cycles() - from) / BLOCKS);

    /* The first start of core 1 may take longer than others. */
    board_start(nothing, (void *)0);
    board_join();
    copy(two);
    message = text;
    blocks = BLOCKS;
    done = 0;
    quarters = 0;
    from = board_cycles();
    board_start(schedules, (void *)0);
    compress_all(two);
    board_report("two_cores", (board_cycles() - from) / BLOCKS);
    board_join();

    board_start(echo, (void *)0);
    ping = 1;
    while (pong != 1U) {
    }
    from = board_cycles();
    for (i = 2; i <= 64U; i++) {
        ping = i;
        while (pong != i) {
        }
    }
    board_report("round_trips_63", board_cycles() - from);
    board_join();

    for (i = 0; i < 8U; i++) {
        if (one[i] != two[i]) {
            return 1;
        }
    }
    return 0;
}
