/* Modes of a cipher on one core or two: data of all lengths up to BLOCKS blocks and one byte, in
 * pieces of several numbers of blocks, an empty one last. answers.h has what the definition
 * gives. */
#include "sweep.h"
#include "P.h"
#include "answers.h"

#define B UP_BLOCK_BYTES
#define MOST (BLOCKS * B + 1)

/* Bytes of the pieces: all at once, or so many blocks. */
static const uint32_t sizes[] = { MOST, B, 2 * B, 5 * B };
#define SIZES (sizeof sizes / sizeof sizes[0])

#if CORES == 2
static P_pair pair;
#define BEGIN(c, key) P_init_pair(c, key, &pair)
#else
#define BEGIN(c, key) P_init(c, key)
#endif

static uint8_t memory[MOST + B + 2];
static uint8_t vector[B];

/* The data in place, and the vector. */
static uint8_t *begin(uint32_t length, const uint8_t *data, const uint8_t *from)
{
    uint8_t *const place = memory + length % 3;
    memcpy(place, data, length);
    memcpy(vector, from, B);
    return place;
}

/* The first piece may be encrypted while the key is expanded. */
enum way { CTR, KEY_CTR, ECB, KEY_ECB, ECB_BACK, CBC, CBC_BACK };

static int call(P_ctx *c, enum way way, const uint8_t *key, uint8_t *data, uint32_t length)
{
    switch (way) {
#if CORES == 2
    case KEY_CTR:
        return P_key_ctr(c, key, &pair, vector, data, length);
    case KEY_ECB:
        return P_key_ecb_encrypt(c, key, &pair, data, length);
#else
    case KEY_CTR:
        P_init(c, key);
        return P_ctr(c, vector, data, length);
    case KEY_ECB:
        P_init(c, key);
        return P_ecb_encrypt(c, data, length);
#endif
    case ECB:
        return P_ecb_encrypt(c, data, length);
    case ECB_BACK:
        return P_ecb_decrypt(c, data, length);
    case CBC:
        return P_cbc_encrypt(c, vector, data, length);
    case CBC_BACK:
        return P_cbc_decrypt(c, vector, data, length);
    default:
        return P_ctr(c, vector, data, length);
    }
}

/* All pieces, and an empty one. */
static int pieces(enum way way, const uint8_t *key, uint8_t *data, uint32_t length, uint32_t size)
{
    P_ctx c;
    uint32_t at = 0;

    if (way != KEY_CTR && way != KEY_ECB) {
        BEGIN(&c, key);
    }
    do {
        const uint32_t n = size < length - at ? size : length - at;
        if (call(&c, way, key, data + at, n) != UP_OK) {
            return 0;
        }
        at += n;
        way = way == KEY_CTR ? CTR : way == KEY_ECB ? ECB : way;
    } while (at < length);
    return call(&c, way, key, data + at, 0) == UP_OK;
}

/* Whether pieces are taken and give the result, and this vector where the mode has one. */
static int gives(enum way way, uint32_t k, const uint8_t *data, const uint8_t *right,
    const uint8_t *after, const char *what, uint32_t length, uint32_t size)
{
    uint8_t *const place = begin(length, data, way == CTR || way == KEY_CTR ? counter : iv);

    return (pieces(way, keys[k], place, length, size) || wrong("the answer", length, size))
        && same(place, right, length, what, length, size)
        && same(vector, after, B, what, length, size);
}

/* What is no number of whole blocks is refused and left as it is. */
static int refuses(uint32_t k, uint32_t length)
{
    static const enum way ways[] = { ECB, KEY_ECB, ECB_BACK, CBC, CBC_BACK };
    P_ctx c;
    uint32_t i;

    BEGIN(&c, keys[k]);
    for (i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        uint8_t *const place = begin(length, plain, iv);
        if (call(&c, ways[i], keys[k], place, length) != UP_NOT_WHOLE_BLOCKS) {
            return wrong("the answer to a part of a block", length, 0);
        }
        if (!same(place, plain, length, "what was refused", length, 0)) {
            return 0;
        }
    }
    return 1;
}

/* CBC with padding, there and back. */
static int pads(uint32_t k, uint32_t length)
{
    uint8_t *const place = begin(length, plain, iv);
    const uint32_t whole = length / B * B;
    size_t padded = length;
    P_ctx c;

    BEGIN(&c, keys[k]);
    if (P_cbc_pad_encrypt(&c, iv, place, &padded) != UP_OK || padded != whole + B) {
        return wrong("the padded length", length, (uint32_t)padded);
    }
    if (!same(place, cbc[k], whole, "CBC before padding", length, 0)
        || !same(place + whole, ends[length], B, "padding", length, 0)) {
        return 0;
    }
    if (P_cbc_pad_decrypt(&c, iv, place, &padded) != UP_OK || padded != length) {
        return wrong("the length without padding", length, (uint32_t)padded);
    }
    return same(place, plain, length, "CBC without padding", length, 0);
}

static int every_way(uint32_t length)
{
    const uint32_t k = length % KEYS;
    uint32_t i;

    for (i = 0; i < SIZES; i++) {
        const uint32_t size = sizes[i];
        if (!gives(CTR, k, plain, ctr[k], counters[length], "CTR", length, size)
            || !gives(KEY_CTR, k, plain, ctr[k], counters[length], "CTR with key", length, size)
            || !gives(CTR, k, ctr[k], plain, counters[length], "CTR back", length, size)) {
            return 0;
        }
        if (length % B != 0) {
            continue;
        }
        if (!gives(ECB, k, plain, ecb[k], iv, "ECB", length, size)
            || !gives(KEY_ECB, k, plain, ecb[k], iv, "ECB with key", length, size)
            || !gives(ECB_BACK, k, ecb[k], plain, iv, "ECB back", length, size)
            || !gives(
                CBC, k, plain, cbc[k], length == 0 ? iv : cbc[k] + length - B, "CBC", length, size)
            || !gives(CBC_BACK, k, cbc[k], plain, length == 0 ? iv : cbc[k] + length - B,
                "CBC back", length, size)) {
            return 0;
        }
    }
    return (length % B == 0 || refuses(k, length)) && pads(k, length);
}

int main(void)
{
    uint32_t length;

#if CORES == 2
    manylane_second_init(&second);
    P_pair_init(&pair, &second);
#endif
    begin_serving();
    for (length = 0; length <= MOST; length++) {
        if (!every_way(length)) {
            return 1;
        }
    }
    end_serving();
#if CORES == 2
    return P_pair_wipe(&pair) ? 0 : 1;
#else
    return 0;
#endif
}
