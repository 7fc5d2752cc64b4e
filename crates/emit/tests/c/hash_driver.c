/* Prints the digest and the MAC of messages of all lengths up to three blocks and one byte, or with
 * NEAR of those within that many bytes of a block's end, and holds every way to compute them to
 * each other. */
#include "P.h"
#include "M.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t seed = 1;

static unsigned draw(unsigned below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

static void print(const uint8_t *bytes, size_t length)
{
    size_t i;
    for (i = 0; i < length; i++) {
        printf("%02x", (unsigned)bytes[i]);
    }
}

static void same(const uint8_t *a, const uint8_t *b, size_t length, const char *what, unsigned at)
{
    if (memcmp(a, b, length) != 0) {
        printf("%s differ at %u\n", what, at);
        exit(1);
    }
}

int main(void)
{
    static uint8_t memory[3 * UP_BLOCK_BYTES + 16];
    uint8_t digest[UP_DIGEST_BYTES];
    uint8_t again[UP_DIGEST_BYTES];
    uint8_t mac[UM_BYTES];
    uint8_t other[UM_BYTES];
    unsigned length;
    for (length = 0; length <= 3 * UP_BLOCK_BYTES + 1; length++) {
        uint8_t *const message = memory + length % 9;
        const unsigned beyond = (length + NEAR) % UP_BLOCK_BYTES;
        const unsigned key_length = (length * 7) % (UP_BLOCK_BYTES + 20);
        P_ctx c;
        P_ctx copy;
        M_key key;
        M_ctx mac_c;
        M_ctx mac_copy;
        unsigned at;
        unsigned i;
        if (beyond > 2 * NEAR) {
            continue;
        }
        for (i = 0; i < length; i++) {
            message[i] = (uint8_t)(i * 89u + i / 251u + length);
        }
        P(digest, message, length);
        P_init(&c);
        M_prepare(&key, message, key_length > length ? length : key_length);
        M_start(&mac_c, &key);
        for (at = 0; at < length;) {
            unsigned n = draw(draw(4) == 0 ? 2 * UP_BLOCK_BYTES : 9);
            if (n > length - at) {
                n = length - at;
            }
            P_update(&c, message + at, n);
            M_update(&mac_c, message + at, n);
            at += n;
        }
        P_update(&c, NULL, 0);
        M_update(&mac_c, NULL, 0);
        P_clone(&copy, &c);
        M_clone(&mac_copy, &mac_c);
        P_final(&c, again);
        same(digest, again, sizeof digest, "digests in pieces", length);
        P_final(&copy, again);
        same(digest, again, sizeof digest, "digests of clones", length);
        M_final(&mac_c, mac);
        M_final(&mac_copy, other);
        same(mac, other, sizeof mac, "MACs of clones", length);
        M(other, message, key_length > length ? length : key_length, message, length);
        same(mac, other, sizeof mac, "MACs at once", length);
        if (!M_verify(mac, sizeof mac, message, key_length > length ? length : key_length, message,
                length)
            || !M_verify(
                mac, 4, message, key_length > length ? length : key_length, message, length)
            || M_verify(mac, 3, message, key_length > length ? length : key_length, message, length)
            || M_verify(mac, sizeof mac + 1, message, key_length > length ? length : key_length,
                message, length)) {
            printf("right MACs are refused at %u\n", length);
            return 1;
        }
        mac[length % sizeof mac] ^= (uint8_t)(1u << length % 8u);
        if (M_verify(mac, sizeof mac, message, key_length > length ? length : key_length, message,
                length)) {
            printf("wrong MACs are taken at %u\n", length);
            return 1;
        }
        /* What is wiped is zeros. */
        for (i = 0; i < sizeof c; i++) {
            if (((const uint8_t *)&c)[i] != 0) {
                printf("a context is not wiped at %u\n", length);
                return 1;
            }
        }
        print(digest, sizeof digest);
        printf(" ");
        print(other, sizeof other);
        printf("\n");
    }
    if (P_self_test() != 0 || M_self_test() != 0) {
        printf("self-test\n");
        return 1;
    }
    return 0;
}
