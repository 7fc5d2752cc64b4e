/* What single operations cost in compiled C.
 *
 * Each is repeated 16 times in one function and 48 times in another. The difference of the two
 * times is that of 32 operations: calls, loads and stores around them cancel. KEEP holds a value in
 * registers between two operations, so that the compiler neither merges nor drops any. Operands are
 * in registers, and the result replaces the first of them.
 *
 * Prints lines `NAME.BITS CYCLES`, the cycles those of 32 operations.
 */
#include "board.h"

#define NOINLINE __attribute__((noinline))

/* In Thumb code of ARMv6-M only r0 to r7 take part in arithmetic. */
#if defined(__thumb__)
#define KEEP(x) __asm__ volatile("" : "+l"(x))
#else
#define KEEP(x) __asm__ volatile("" : "+r"(x))
#endif

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#define REPEAT_16(STEP)                                                        \
    STEP(1) STEP(7) STEP(13) STEP(19) STEP(25) STEP(30) STEP(5) STEP(11)       \
    STEP(17) STEP(23) STEP(29) STEP(4) STEP(10) STEP(16) STEP(22) STEP(28)

#define MEASURE(name, bits, STEP)                                              \
    static NOINLINE void name##_##bits##_few(u##bits *v)                       \
    {                                                                          \
        u##bits x = v[0], y = v[1], z = v[2];                                  \
        REPEAT_16(STEP)                                                        \
        v[0] = x; v[1] = y; v[2] = z;                                          \
    }                                                                          \
    static NOINLINE void name##_##bits##_many(u##bits *v)                      \
    {                                                                          \
        u##bits x = v[0], y = v[1], z = v[2];                                  \
        REPEAT_16(STEP) REPEAT_16(STEP) REPEAT_16(STEP)                        \
        v[0] = x; v[1] = y; v[2] = z;                                          \
    }                                                                          \
    static void name##_##bits(void)                                            \
    {                                                                          \
        static u##bits v[3] = {3, 5, 7};                                       \
        report(#name "." #bits, (step *)name##_##bits##_few,                   \
               (step *)name##_##bits##_many, v);                               \
    }

typedef void step(void *);

static u32 time_of(step *run, void *argument)
{
    u32 from = board_cycles();

    run(argument);
    return board_cycles() - from;
}

static void report(const char *name, step *few, step *many, void *argument)
{
    u32 time;

    /* The first calls also warm whatever the machine keeps. */
    (void)time_of(few, argument);
    (void)time_of(many, argument);
    time = time_of(many, argument);
    board_report(name, time - time_of(few, argument));
}

#define ADD(n) x += y; KEEP(x);
#define SUB(n) x -= y; KEEP(x);
#define AND(n) x &= y; KEEP(x);
#define OR(n) x |= y; KEEP(x);
#define XOR(n) x ^= y; KEEP(x);
#define XNOR(n) x = ~(x ^ y); KEEP(x);
#define NOT(n) x = ~x; KEEP(x);
/* An exclusive or whose operands are both needed afterwards. */
#define KEPT(n) KEEP(x); z = x ^ y; KEEP(z);
#define SHL(n) x <<= (n); KEEP(x);
#define SHR(n) x >>= (n); KEEP(x);
#define ROTL_32(n) x = x << (n) | x >> (32 - (n)); KEEP(x);
#define ROTR_32(n) x = x >> (n) | x << (32 - (n)); KEEP(x);
#define ROTL_64(n) x = x << (n) | x >> (64 - (n)); KEEP(x);
#define ROTR_64(n) x = x >> (n) | x << (64 - (n)); KEEP(x);
/* On a word narrower than a register the amount is masked, and the result cut. */
#define NARROW_VAR(WIDTH, OUT, INTO)                                           \
    {                                                                          \
        const unsigned by = (unsigned)y;                                       \
        x = (u##WIDTH)((x OUT (by & (WIDTH - 1U)))                             \
            | (x INTO ((0U - by) & (WIDTH - 1U))));                            \
        KEEP(x);                                                               \
    }
#define ROTL_VAR_8(n) NARROW_VAR(8, <<, >>)
#define ROTR_VAR_8(n) NARROW_VAR(8, >>, <<)
#define ROTL_VAR_16(n) NARROW_VAR(16, <<, >>)
#define ROTR_VAR_16(n) NARROW_VAR(16, >>, <<)
#define ROTL_VAR_32(n) x = x << (y & 31U) | x >> (-y & 31U); KEEP(x);
#define ROTR_VAR_32(n) x = x >> (y & 31U) | x << (-y & 31U); KEEP(x);
/* As emitted C has it, which never branches on the amount: halves change places under a mask. */
#define ROTATE_VAR_64(OUT, INTO)                                               \
    {                                                                          \
        const unsigned by = (unsigned)y & 31U;                                 \
        const u32 mask = (u32)0 - (((u32)y >> 5) & 1U);                        \
        const u32 crossed = ((u32)x ^ (u32)(x >> 32)) & mask;                  \
        const u32 low = (u32)x ^ crossed;                                      \
        const u32 high = (u32)(x >> 32) ^ crossed;                             \
        x = (u64)((high OUT by) | ((low INTO 1) INTO (31U - by))) << 32        \
            | (u64)((low OUT by) | ((high INTO 1) INTO (31U - by)));           \
        KEEP(x);                                                               \
        KEEP(y);                                                               \
    }
#define ROTL_VAR_64(n) ROTATE_VAR_64(<<, >>)
#define ROTR_VAR_64(n) ROTATE_VAR_64(>>, <<)
/* The carry out of a sum; the sum itself is priced as one. */
#define CARRY(n) x = z < x; KEEP(x);
/* The function of three bits that needs most operations in hashes: the majority. */
#define LUT3(n) x = (x & y) | (z & (x | y)); KEEP(x);
#define XTIME_32(n)                                                            \
    x = ((x & 0x7f7f7f7fU) << 1) ^ (((x >> 7) & 0x01010101U) * 0x1bU);         \
    KEEP(x);
#define XTIME_64(n)                                                            \
    x = ((x & 0x7f7f7f7f7f7f7f7fU) << 1) ^ (((x >> 7) & 0x0101010101010101U) * 0x1bU); \
    KEEP(x);

/* A word whose bytes are looked up in a table, one by one. */
static const uint8_t table[256] = {99, 124, 119, 123};
#define LOOK(x, at) (u32)table[(x) >> (at) & 255U] << (at)
#define LOOK_64(x, at) (u64)table[(x) >> (at) & 255U] << (at)
#define SUB_BYTES_32(n) x = LOOK(x, 0) | LOOK(x, 8) | LOOK(x, 16) | LOOK(x, 24); KEEP(x);
#define SUB_BYTES_64(n)                                                        \
    x = LOOK_64(x, 0) | LOOK_64(x, 8) | LOOK_64(x, 16) | LOOK_64(x, 24) |      \
        LOOK_64(x, 32) | LOOK_64(x, 40) | LOOK_64(x, 48) | LOOK_64(x, 56);     \
    KEEP(x);

/* The bytes in opposite order, in C that every compiler takes. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__riscv_zbb) && __riscv_xlen == 32
static inline uint32_t rev8(uint32_t x)
{
    __asm__("rev8 %0, %1" : "=r"(x) : "r"(x));
    return x;
}
#define SWAP(x) rev8(x)
#else
#define SWAP(x)                                                                \
    (((x) >> 24) | ((x) >> 8 & 0xff00U) | ((x) << 8 & 0xff0000U) | ((x) << 24))
#endif
#define SWAP_BYTES_32(n) x = SWAP(x); KEEP(x);
#define SWAP_BYTES_64(n)                                                       \
    {                                                                          \
        u32 low = (u32)x, high = (u32)(x >> 32);                               \
        low = SWAP(low);                                                       \
        high = SWAP(high);                                                     \
        x = (u64)low << 32 | high;                                             \
        KEEP(x);                                                               \
    }

MEASURE(rotl_var, 8, ROTL_VAR_8)
MEASURE(rotr_var, 8, ROTR_VAR_8)
MEASURE(rotl_var, 16, ROTL_VAR_16)
MEASURE(rotr_var, 16, ROTR_VAR_16)
MEASURE(add, 32, ADD)
MEASURE(sub, 32, SUB)
MEASURE(and, 32, AND)
MEASURE(or, 32, OR)
MEASURE(xor, 32, XOR)
MEASURE(xnor, 32, XNOR)
MEASURE(not, 32, NOT)
MEASURE(kept, 32, KEPT)
MEASURE(carry, 32, CARRY)
MEASURE(lut3, 32, LUT3)
MEASURE(shl, 32, SHL)
MEASURE(shr, 32, SHR)
MEASURE(rotl, 32, ROTL_32)
MEASURE(rotr, 32, ROTR_32)
MEASURE(rotl_var, 32, ROTL_VAR_32)
MEASURE(rotr_var, 32, ROTR_VAR_32)
MEASURE(sub_bytes, 32, SUB_BYTES_32)
MEASURE(xtime, 32, XTIME_32)
MEASURE(swap_bytes, 32, SWAP_BYTES_32)
MEASURE(add, 64, ADD)
MEASURE(sub, 64, SUB)
MEASURE(and, 64, AND)
MEASURE(or, 64, OR)
MEASURE(xor, 64, XOR)
MEASURE(xnor, 64, XNOR)
MEASURE(not, 64, NOT)
MEASURE(carry, 64, CARRY)
MEASURE(lut3, 64, LUT3)
MEASURE(shl, 64, SHL)
MEASURE(shr, 64, SHR)
MEASURE(rotl, 64, ROTL_64)
MEASURE(rotr, 64, ROTR_64)
MEASURE(rotl_var, 64, ROTL_VAR_64)
MEASURE(rotr_var, 64, ROTR_VAR_64)
MEASURE(sub_bytes, 64, SUB_BYTES_64)
MEASURE(xtime, 64, XTIME_64)
MEASURE(swap_bytes, 64, SWAP_BYTES_64)

/* Memory: words at constant distances from a base in a register. A load is used by the next
 * operation, whose cost is `add`'s. */
static volatile u32 memory[64];
#define LOAD(n) x = p[n]; KEEP(x);
#define LOAD_USED(n) x += p[n]; KEEP(x);
#define STORE(n) p[n] = x; KEEP(x);

/* A word of a message in either byte order, from bytes at any address. */
#define LITTLE(n)                                                              \
    x = (u32)q[n] | (u32)q[(n) + 1] << 8 | (u32)q[(n) + 2] << 16 | (u32)q[(n) + 3] << 24; \
    KEEP(x);
#define BIG(n)                                                                 \
    x = (u32)q[n] << 24 | (u32)q[(n) + 1] << 16 | (u32)q[(n) + 2] << 8 | (u32)q[(n) + 3]; \
    KEEP(x);

/* Handshakes: a counter that one core raises and the other waits for. */
#define SEND(n)                                                                \
    __asm__ volatile("" ::: "memory");                                         \
    x++;                                                                       \
    *p = x;
#define WAIT(flag)                                                             \
    while ((int32_t)(*(flag)-x) < 0) {                                         \
        board_pause();                                                         \
    }                                                                          \
    __asm__ volatile("" ::: "memory");
#define RECEIVE(n) x++; WAIT(p)
/* A flag of its own for each handshake: one core sets it to a number that both know, the other
 * waits for it. */
#define FLAG_SEND(n)                                                           \
    __asm__ volatile("" ::: "memory");                                         \
    p[n] = x;
#define FLAG_RECEIVE(n)                                                        \
    while (p[n] != x) {                                                        \
        board_pause();                                                         \
    }                                                                          \
    __asm__ volatile("" ::: "memory");
#define TRIP(n) SEND(n) WAIT(p + 4)
#define ANSWER(n) x++; WAIT(p) p[4] = x;

/* Each function gets the address of words, in whose first it counts. */
#define MEASURE_ACCESS(name, STEP)                                             \
    static NOINLINE void name##_few(void *v)                                   \
    {                                                                          \
        volatile u32 *p = (volatile u32 *)v;                                   \
        volatile const uint8_t *q = (volatile const uint8_t *)v;               \
        u32 x = counter;                                                       \
        KEEP(p);                                                               \
        KEEP(q);                                                               \
        REPEAT_16(STEP)                                                        \
        counter = x;                                                           \
    }                                                                          \
    static NOINLINE void name##_many(void *v)                                  \
    {                                                                          \
        volatile u32 *p = (volatile u32 *)v;                                   \
        volatile const uint8_t *q = (volatile const uint8_t *)v;               \
        u32 x = counter;                                                       \
        KEEP(p);                                                               \
        KEEP(q);                                                               \
        REPEAT_16(STEP) REPEAT_16(STEP) REPEAT_16(STEP)                        \
        counter = x;                                                           \
    }

static u32 counter;
MEASURE_ACCESS(load, LOAD)
MEASURE_ACCESS(load_used, LOAD_USED)
MEASURE_ACCESS(store, STORE)
MEASURE_ACCESS(load_little, LITTLE)
MEASURE_ACCESS(load_big, BIG)
MEASURE_ACCESS(send, SEND)
MEASURE_ACCESS(receive, RECEIVE)
MEASURE_ACCESS(flag_send, FLAG_SEND)
MEASURE_ACCESS(flag_receive, FLAG_RECEIVE)
MEASURE_ACCESS(trip, TRIP)

/* Core 1 answers every trip that is measured: twice 16 and twice 48. */
static void answer(void *argument)
{
    volatile u32 *p = memory;
    u32 x = 0, n;

    (void)argument;
    KEEP(p);
    for (n = 0; n < 8U; n++) {
        REPEAT_16(ANSWER)
    }
}

/* The turn of a loop around one word, without its body. */
static NOINLINE void turns(u32 count)
{
    u32 x = 0, n;

    for (n = 0; n < count; n++) {
        KEEP(x);
    }
}

static void loop_few(void *v)
{
    (void)v;
    turns(16);
}

static void loop_many(void *v)
{
    (void)v;
    turns(48);
}

#define REPORT(name) report(#name, name##_few, name##_many, words)

int main(void)
{
    void *words = (void *)(uintptr_t)memory;

    rotl_var_8(); rotr_var_8(); rotl_var_16(); rotr_var_16();
    add_32(); sub_32(); and_32(); or_32(); xor_32(); xnor_32(); not_32(); carry_32(); lut3_32();
    shl_32(); shr_32(); rotl_32(); rotr_32(); rotl_var_32(); rotr_var_32(); sub_bytes_32();
    xtime_32(); swap_bytes_32(); kept_32();
    add_64(); sub_64(); and_64(); or_64(); xor_64(); xnor_64(); not_64(); carry_64(); lut3_64();
    shl_64(); shr_64(); rotl_64(); rotr_64(); rotl_var_64(); rotr_var_64(); sub_bytes_64();
    xtime_64(); swap_bytes_64();
    REPORT(load);
    REPORT(load_used);
    REPORT(store);
    REPORT(load_little);
    REPORT(load_big);
    REPORT(loop);
    REPORT(send);
    /* What is waited for has happened. */
    memory[0] = 1000000U;
    counter = 0;
    REPORT(receive);
    counter = 1000000U;
    REPORT(flag_send);
    REPORT(flag_receive);
    memory[0] = 0;
    memory[4] = 0;
    counter = 0;
    board_start(answer, (void *)0);
    REPORT(trip);
    board_join();
    return 0;
}
