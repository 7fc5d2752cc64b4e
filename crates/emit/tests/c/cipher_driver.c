/* Prints what the modes make of data of all lengths up to three blocks and one byte. */
#include "P.h"

#include <stdio.h>
#include <string.h>

static void print(const uint8_t *bytes, size_t length)
{
    size_t i;
    for (i = 0; i < length; i++) {
        printf("%02x", (unsigned)bytes[i]);
    }
    printf("\n");
}

int main(void)
{
    static uint8_t memory[4 * UP_BLOCK_BYTES + 16];
    uint8_t key[UP_KEY_BYTES + 1];
    uint8_t iv[UP_BLOCK_BYTES];
    uint8_t plain[4 * UP_BLOCK_BYTES];
    P_ctx c;
    P_ctx copy;
    unsigned length;
    unsigned i;

    for (length = 0; length <= 3 * UP_BLOCK_BYTES + 1; length++) {
        uint8_t *const data = memory + length % 9;
        size_t padded = length;
        for (i = 0; i < sizeof key; i++) {
            key[i] = (uint8_t)(i * 31u + length);
        }
        for (i = 0; i < sizeof plain; i++) {
            plain[i] = (uint8_t)(i * 89u + length);
        }
        P_init(&c, key);
        P_clone(&copy, &c);
        memcpy(data, plain, length);

        if (length % UP_BLOCK_BYTES != 0) {
            memset(iv, 7, sizeof iv);
            if (P_ecb_encrypt(&c, data, length) != UP_NOT_WHOLE_BLOCKS
                || P_ecb_decrypt(&c, data, length) != UP_NOT_WHOLE_BLOCKS
                || P_cbc_encrypt(&c, iv, data, length) != UP_NOT_WHOLE_BLOCKS
                || P_cbc_decrypt(&c, iv, data, length) != UP_NOT_WHOLE_BLOCKS
                || memcmp(data, plain, length) != 0) {
                printf("%u bytes are taken for whole blocks\n", length);
                return 1;
            }
        } else {
            if (P_ecb_encrypt(&c, data, length) != UP_OK) {
                return 1;
            }
            print(data, length);
            if (P_ecb_decrypt(&copy, data, length) != UP_OK || memcmp(data, plain, length) != 0) {
                printf("ECB does not undo itself at %u\n", length);
                return 1;
            }
            /* In two parts: the vector goes on. */
            memset(iv, 7, sizeof iv);
            if (length != 0 && P_cbc_encrypt(&c, iv, data, UP_BLOCK_BYTES) != UP_OK) {
                return 1;
            }
            if (length != 0
                && P_cbc_encrypt(&c, iv, data + UP_BLOCK_BYTES, length - UP_BLOCK_BYTES) != UP_OK) {
                return 1;
            }
            print(data, length);
            memset(iv, 7, sizeof iv);
            if (P_cbc_decrypt(&c, iv, data, length) != UP_OK || memcmp(data, plain, length) != 0) {
                printf("CBC does not undo itself at %u\n", length);
                return 1;
            }
        }

        memset(iv, 255, sizeof iv);
        iv[0] = 254;
        if (P_ctr(&c, iv, data, length) != UP_OK) {
            return 1;
        }
        print(data, length);
        print(iv, sizeof iv);
        memcpy(data, plain, length);

        memset(iv, 9, sizeof iv);
        if (P_cbc_pad_encrypt(&c, iv, data, &padded) != UP_OK) {
            return 1;
        }
        print(data, padded);
        if (P_cbc_pad_decrypt(&c, iv, data, &padded) != UP_OK || padded != length
            || memcmp(data, plain, length) != 0) {
            printf("padding does not undo itself at %u\n", length);
            return 1;
        }
        /* Every last block that is no padding is refused, and the data cleared. */
        memcpy(data, plain, length);
        padded = length - length % UP_BLOCK_BYTES;
        if (padded != 0) {
            unsigned n;
            for (n = 0; n < 256; n++) {
                size_t rest = padded;
                int is_right;
                int answer;
                memcpy(data, plain, padded);
                memset(data + padded - UP_BLOCK_BYTES, (int)n, UP_BLOCK_BYTES);
                if (n > 1 && n <= UP_BLOCK_BYTES && length % 2 == 1) {
                    data[padded - n] ^= 1;
                }
                is_right = n >= 1 && n <= UP_BLOCK_BYTES && (n == 1 || length % 2 == 0);
                memset(iv, 0, sizeof iv);
                if (P_cbc_encrypt(&c, iv, data, padded) != UP_OK) {
                    return 1;
                }
                memset(iv, 0, sizeof iv);
                answer = P_cbc_pad_decrypt(&c, iv, data, &rest);
                if (answer != (is_right ? UP_OK : UP_BAD_PADDING)
                    || (is_right && rest != padded - n)) {
                    printf("padding of %u at %u: %d\n", n, length, answer);
                    return 1;
                }
            }
        }
    }
    if (P_self_test() != 0) {
        printf("self-test\n");
        return 1;
    }
    P_wipe(&c);
    for (i = 0; i < sizeof c; i++) {
        if (((const uint8_t *)&c)[i] != 0) {
            return 1;
        }
    }
    return 0;
}
