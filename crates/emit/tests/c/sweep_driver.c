/* Digests and MACs on one core or two: of messages of all lengths up to three blocks and one byte,
 * in pieces of many sizes, an empty one last. answers.h has what the definition gives. */
#include "sweep.h"
#include "M.h"
#include "P.h"
#include "answers.h"

/* Sizes of pieces: the whole message, the edges of blocks, and 0 for sizes that are drawn. */
static const uint32_t sizes[] = {
    LENGTHS, UP_BLOCK_BYTES, 1, UP_BLOCK_BYTES - 1, 0, UP_BLOCK_BYTES + 1, 2 * UP_BLOCK_BYTES + 1,
};
#define SIZES (sizeof sizes / sizeof sizes[0])

#if CORES == 2
static M_pair pair;
#define BEGIN(c) P_init_pair(c, &pair.hash)
#define PREPARE(to, key, length) M_prepare_pair(to, key, length, &pair)
#define START(c, prepared) M_start_pair(c, prepared, &pair)
#define INIT(c, key, length) M_init_pair(c, key, length, &pair)
#else
#define BEGIN(c) P_init(c)
#define PREPARE(to, key, length) M_prepare(to, key, length)
#define START(c, prepared) M_start(c, prepared)
#define INIT(c, key, length) M_init(c, key, length)
#endif

static uint8_t memory[LENGTHS + 9];
static uint32_t seed = SEED;

static uint32_t draw(uint32_t below)
{
    seed = seed * UINT32_C(1664525) + UINT32_C(1013904223);
    return (seed >> 8) % below;
}

/* The next piece's size of a message of which `left` bytes are left. */
static uint32_t next(uint32_t size, uint32_t left)
{
    if (size == 0) {
        size = draw(draw(4) == 0 ? 2 * UP_BLOCK_BYTES : 9);
    }
    return size < left ? size : left;
}

/* A digest of a message in pieces. */
static int hashes(const uint8_t *message, uint32_t length, uint32_t size)
{
    uint8_t digest[UP_DIGEST_BYTES];
    P_ctx c;
    uint32_t at = 0;

    BEGIN(&c);
    while (at < length) {
        const uint32_t n = next(size, length - at);
        P_update(&c, message + at, n);
        at += n;
    }
    P_update(&c, NULL, 0);
    P_final(&c, digest);
    return same(digest, digests[length], sizeof digest, "a digest", length, size);
}

/* Digests of a message in two pieces, whatever their lengths. */
static int hashes_in_two(const uint8_t *message, uint32_t length)
{
    uint8_t digest[UP_DIGEST_BYTES];
    P_ctx c;
    uint32_t cut;

    for (cut = 0; cut <= length; cut++) {
        BEGIN(&c);
        P_update(&c, message, cut);
        P_update(&c, message + cut, length - cut);
        P_final(&c, digest);
        if (!same(digest, digests[length], sizeof digest, "a digest in two pieces", length, cut)) {
            return 0;
        }
    }
    return 1;
}

#if IS_XOF
/* Output of any length in pieces, beside that on one core. */
static int squeezes(const uint8_t *message, uint32_t length, uint32_t size)
{
    static uint8_t right[2 * UP_BLOCK_BYTES + 3];
    static uint8_t out[sizeof right];
    P_ctx c;
    uint32_t at;
    uint32_t n;

    P_xof(right, sizeof right, message, length);
    BEGIN(&c);
    P_update(&c, message, length);
    for (at = 0; at < sizeof out; at += n) {
        n = next(size, (uint32_t)sizeof out - at);
        P_squeeze(&c, out + at, n);
    }
    P_wipe(&c);
    return same(out, right, sizeof out, "the output", length, size)
        && same(out, digests[length], UP_DIGEST_BYTES, "the output", length, size);
}
#endif

/* A MAC of a message in pieces, under a key that is prepared for it or at once. */
static int authenticates(const uint8_t *message, uint32_t length, uint32_t size)
{
    const uint32_t key_length = length * 7 % (UP_BLOCK_BYTES + 20);
    const uint8_t *const key = keys + length % 5;
    uint8_t mac[UM_BYTES];
    M_key prepared;
    M_ctx c;
    uint32_t at = 0;

    if ((length + size) % 2 == 0) {
        PREPARE(&prepared, key, key_length);
        START(&c, &prepared);
    } else {
        INIT(&c, key, key_length);
    }
    while (at < length) {
        const uint32_t n = next(size, length - at);
        M_update(&c, message + at, n);
        at += n;
    }
    M_update(&c, NULL, 0);
    M_final(&c, mac);
    return same(mac, macs[length], sizeof mac, "a MAC", length, size);
}

/* Whether a length takes its turn: where it is one of `width` about a block's end, every size of
 * pieces does; of all lengths every `step`th one in one size. */
static int takes(uint32_t length, uint32_t size, uint32_t width, uint32_t step)
{
    return (length + width / 2) % UP_BLOCK_BYTES < width
        || (length % step == 0 && size == length / step % SIZES);
}

static int every_way(uint32_t length)
{
    uint8_t *const message = memory + length % 9;
    uint32_t i;

    for (i = 0; i < length; i++) {
        message[i] = (uint8_t)(i * 89 + i / 251 + length);
    }
    for (i = 0; i < SIZES; i++) {
        const int is_taken = takes(length, i, WIDTH, STEP);
        if (is_taken && !hashes(message, length, sizes[i])) {
            return 0;
        }
#if IS_XOF
        if (is_taken && !squeezes(message, length, sizes[i])) {
            return 0;
        }
#endif
        if (takes(length, i, MACS_WIDTH, MACS_STEP) && !authenticates(message, length, sizes[i])) {
            return 0;
        }
    }
    if (CUTS && !hashes_in_two(message, length)) {
        return 0;
    }
    return 1;
}

int main(void)
{
    uint32_t length;

#if CORES == 2
    manylane_second_init(&second);
    M_pair_init(&pair, &second);
#endif
    begin_serving();
    for (length = 0; length < LENGTHS; length++) {
        if (!every_way(length)) {
            return 1;
        }
    }
    end_serving();
#if CORES == 2
    return M_pair_wipe(&pair) ? 0 : 1;
#else
    return 0;
#endif
}
