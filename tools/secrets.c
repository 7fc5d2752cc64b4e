/* Runs an emitted library on messages and keys that memcheck takes for undefined, and reports every
 * branch and every address that depends on them. MAC and HASH, or CIPHER, are the prefixes of the
 * library's names; LEAK plants a branch on a secret. For tools/test-ct.sh. */
#include <stdio.h>
#include <string.h>
#include <valgrind/memcheck.h>

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define TEXT_(name) #name
#define TEXT(name) TEXT_(name)

#ifdef MAC
#define HEADER TEXT(MAC.h)
#else
#define HEADER TEXT(CIPHER.h)
#endif
#include HEADER

enum { LONGEST = 300, KEY = 300 };

static union {
    uint64_t aligned;
    uint8_t bytes[LONGEST + 1];
} message;
static uint8_t key[KEY];
static uint8_t out[1024];

static void hide(void *memory, size_t length)
{
    memset(memory, 0x5a, length);
    VALGRIND_MAKE_MEM_UNDEFINED(memory, length);
}

/* What is printed is known to all. */
static void show(size_t length)
{
    VALGRIND_MAKE_MEM_DEFINED(out, length);
    printf("%02x", (unsigned)out[length - 1]);
}

#ifdef MAC
static void run(JOIN(MAC, pair) *pair)
{
    /* Lengths around the ends of blocks, and keys that are hashed first. */
    static const size_t lengths[]
        = { 0, 1, 31, 32, 55, 56, 63, 64, 65, 111, 112, 128, 136, 144, 200, LONGEST };
    static const size_t keys[] = { 0, 16, 64, 65, KEY };
    size_t i;
    for (i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const size_t n = lengths[i];
        const size_t key_length = keys[i % (sizeof keys / sizeof *keys)];
        /* At an odd address, too. */
        uint8_t *const text = message.bytes + i % 2;
        JOIN(HASH, ctx) c;
        JOIN(MAC, ctx) mac;
        int verified;
        hide(&message, sizeof message);
        hide(key, sizeof key);
        JOIN(HASH, init)(&c);
        JOIN(HASH, update)(&c, text, n / 3);
        JOIN(HASH, update)(&c, text + n / 3, n - n / 3);
        JOIN(HASH, final)(&c, out);
        show(4);
        JOIN(MAC, init_pair)(&mac, key, key_length, pair);
        JOIN(MAC, update)(&mac, text, n);
        JOIN(MAC, final)(&mac, out);
        hide(out, 4);
        verified = JOIN(MAC, verify)(out, 4, key, key_length, text, n);
        VALGRIND_MAKE_MEM_DEFINED(&verified, sizeof verified);
        printf("%d", verified);
        show(4);
    }
#ifdef LEAK
    hide(message.bytes, 1);
    printf("%s", message.bytes[0] & 1 ? "odd" : "even");
#endif
}
#else
static void run(JOIN(CIPHER, pair) *pair)
{
    size_t n;
    for (n = 0; n <= LONGEST; n += n < 33 ? 1 : 48) {
        uint8_t iv[16];
        JOIN(CIPHER, ctx) c;
        hide(&message, sizeof message);
        hide(key, sizeof key);
        /* Vectors and counters are known to all. */
        memset(iv, 0xff, sizeof iv);
        (void)JOIN(CIPHER, key_ctr)(&c, key, pair, iv, message.bytes, n);
        JOIN(CIPHER, init_pair)(&c, key, pair);
        memset(iv, 0xff, sizeof iv);
        (void)JOIN(CIPHER, ctr)(&c, iv, message.bytes + 1, n);
        (void)JOIN(CIPHER, ecb_encrypt)(&c, message.bytes, n / 16 * 16);
        (void)JOIN(CIPHER, ecb_decrypt)(&c, message.bytes, n / 16 * 16);
        (void)JOIN(CIPHER, cbc_encrypt)(&c, iv, message.bytes, n / 16 * 16);
        (void)JOIN(CIPHER, cbc_decrypt)(&c, iv, message.bytes, n / 16 * 16);
        JOIN(CIPHER, encrypt_block)(&c, message.bytes, out);
        JOIN(CIPHER, wipe)(&c);
        show(2);
    }
}
#endif

int main(void)
{
    static manylane_second second;
#ifdef MAC
    static JOIN(MAC, pair) pair;
#else
    static JOIN(CIPHER, pair) pair;
#endif
    run(NULL);
    if (!manylane_begin(&second)) {
        return 1;
    }
    while (MANYLANE_LOAD(&second.serves) == 0) {
        MANYLANE_PAUSE();
    }
#ifdef MAC
    JOIN(MAC, pair_init)(&pair, &second);
#else
    JOIN(CIPHER, pair_init)(&pair, &second);
#endif
    run(&pair);
    if (MANYLANE_LOAD(&second.asked) == 0) {
        return 2;
    }
    manylane_end(&second);
    printf("\n");
    return 0;
}
