/* Every function of the interface, used well and used badly. Prints nothing if all is right. */
#include <manylane.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define CHECK(condition)                                                            \
    do {                                                                            \
        if (!(condition)) {                                                         \
            printf("line %d: %s; last error: %s\n", __LINE__, #condition,           \
                   manylane_last_error());                                          \
            failures++;                                                             \
        }                                                                           \
    } while (0)
#define OK(call) CHECK((call) == MANYLANE_STATUS_OK)
#define FAILS(status, call)                                                         \
    do {                                                                            \
        CHECK((call) == MANYLANE_STATUS_##status);                                  \
        CHECK(strlen(manylane_last_error()) > 0);                                   \
    } while (0)

/* FIPS 180-4, "abc". */
static const unsigned char ABC[32] = {
    0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23,
    0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad};
/* RFC 4231 section 4.3. */
static const unsigned char TAG[32] = {
    0x5b, 0xdc, 0xc1, 0x46, 0xbf, 0x60, 0x75, 0x4e, 0x6a, 0x04, 0x24, 0x26, 0x08, 0x95, 0x75, 0xc7,
    0x5a, 0x00, 0x3f, 0x08, 0x9d, 0x27, 0x39, 0x83, 0x9d, 0xec, 0x58, 0xb9, 0x64, 0xec, 0x38, 0x43};
static const char TEXT[] = "what do ya want for nothing?";

static void names(void)
{
    size_t count = 0, engines = 0;
    int status;
    while (manylane_algorithm_at(count) != NULL) {
        const char *name = manylane_algorithm_at(count++);
        CHECK(manylane_digest_bytes(name) >= 16);
        CHECK(manylane_block_bytes(name) >= 32);
    }
    CHECK(count >= 37);
    CHECK(manylane_algorithm_at((size_t)-1) == NULL);
    while (manylane_engine_at("sha256", engines) != NULL)
        engines++;
    CHECK(engines >= 2);
    CHECK(manylane_engine_at("no hash", 0) == NULL);
    CHECK(manylane_digest_bytes("skein512-128") == 16);
    CHECK(manylane_digest_bytes("sha257") == 0);
    CHECK(strstr(manylane_last_error(), "sha257") != NULL);
    CHECK(manylane_digest_bytes(NULL) == 0);
    CHECK(manylane_digest_bytes("") == 0);
    CHECK(manylane_digest_bytes("\xff\xfe") == 0);
    CHECK(manylane_block_bytes(NULL) == 0);
    CHECK(strcmp(manylane_warning("md5"), "collisions in seconds") == 0);
    CHECK(manylane_warning("sha3-256") == NULL);
    CHECK(manylane_warning(NULL) == NULL);
    CHECK(manylane_version()[0] >= '0' && manylane_version()[0] <= '9');
    for (status = MANYLANE_STATUS_OK; status <= MANYLANE_STATUS_INTERNAL; status++)
        CHECK(manylane_status_text(status) != NULL);
    CHECK(manylane_status_text(status) == NULL);
    CHECK(manylane_status_text(-1) == NULL);
}

static void one_message(void)
{
    unsigned char digest[64], other[64], overlap[64] = "abc";
    manylane_hasher *hasher = NULL, *clone = NULL;
    OK(manylane_hash("SHA-256", "abc", 3, digest, 32));
    CHECK(memcmp(digest, ABC, 32) == 0);
    OK(manylane_hash("sha256", NULL, 0, digest, 32));
    OK(manylane_hash("sha256", "", 0, other, 32));
    CHECK(memcmp(digest, other, 32) == 0);
    FAILS(NULL_POINTER, manylane_hash("sha256", NULL, 1, digest, 32));
    FAILS(NULL_POINTER, manylane_hash("sha256", "abc", 3, NULL, 32));
    FAILS(NULL_POINTER, manylane_hash(NULL, "abc", 3, digest, 32));
    FAILS(UNKNOWN_ALGORITHM, manylane_hash("md6", "abc", 3, digest, 32));
    FAILS(WRONG_LENGTH, manylane_hash("sha256", "abc", 3, digest, 31));
    FAILS(WRONG_LENGTH, manylane_hash("sha256", "abc", 3, digest, 64));
    FAILS(WRONG_LENGTH, manylane_hash("sha256", "abc", 3, digest, 0));
    FAILS(WRONG_LENGTH, manylane_hash("sha256", "abc", (size_t)-1, digest, 32));
    FAILS(OVERLAP, manylane_hash("sha256", overlap, 3, overlap, 32));
    FAILS(OVERLAP, manylane_hash("sha256", overlap + 31, 3, overlap, 32));
    OK(manylane_hash("sha256", overlap + 32, 3, overlap, 32));
    strcpy((char *)overlap + 25, "sha256");
    FAILS(OVERLAP, manylane_hash((char *)overlap + 25, "abc", 3, overlap, 32));
    FAILS(OVERLAP, manylane_hash((char *)overlap + 25, "abc", 3, overlap + 31, 32));
    OK(manylane_hash((char *)overlap + 25, "abc", 3, overlap + 32, 32));
    CHECK(memcmp(overlap + 32, ABC, 32) == 0);

    OK(manylane_hasher_new("sha256", NULL, &hasher));
    OK(manylane_hasher_update(hasher, "a", 1));
    OK(manylane_hasher_update(hasher, NULL, 0));
    FAILS(NULL_POINTER, manylane_hasher_update(hasher, NULL, 1));
    FAILS(NULL_POINTER, manylane_hasher_update(NULL, "a", 1));
    OK(manylane_hasher_clone(hasher, &clone));
    OK(manylane_hasher_update(hasher, "bc", 2));
    FAILS(WRONG_LENGTH, manylane_hasher_finish(hasher, digest, 20));
    FAILS(NULL_POINTER, manylane_hasher_finish(hasher, NULL, 32));
    FAILS(NOT_DEFINED, manylane_hasher_read(hasher, digest, 32));
    OK(manylane_hasher_finish(hasher, digest, 32));
    CHECK(memcmp(digest, ABC, 32) == 0);
    FAILS(FINISHED, manylane_hasher_finish(hasher, digest, 32));
    FAILS(FINISHED, manylane_hasher_update(hasher, "a", 1));
    CHECK(strstr(manylane_last_error(), "reset the hasher first") != NULL);
    OK(manylane_hasher_update(clone, "bc", 2));
    OK(manylane_hasher_finish(clone, other, 32));
    CHECK(memcmp(other, ABC, 32) == 0);
    OK(manylane_hasher_reset(hasher));
    OK(manylane_hasher_update(hasher, "abc", 3));
    OK(manylane_hasher_finish(hasher, digest, 32));
    CHECK(memcmp(digest, ABC, 32) == 0);
    manylane_hasher_free(hasher);
    manylane_hasher_free(clone);
    manylane_hasher_free(NULL);

    hasher = (manylane_hasher *)digest;
    FAILS(UNKNOWN_ALGORITHM, manylane_hasher_new("md6", NULL, &hasher));
    CHECK(hasher == NULL);
    FAILS(UNKNOWN_ENGINE, manylane_hasher_new("sha256", "mmx", &hasher));
    FAILS(ENGINE_UNAVAILABLE, manylane_hasher_new("md5", "sha-ni", &hasher));
    FAILS(NULL_POINTER, manylane_hasher_new("sha256", NULL, NULL));
    FAILS(NULL_POINTER, manylane_hasher_reset(NULL));
    hasher = (manylane_hasher *)digest;
    FAILS(NULL_POINTER, manylane_hasher_clone(NULL, &hasher));
    CHECK(hasher == NULL);
}

static void extendable(void)
{
    unsigned char whole[200], pieces[200];
    manylane_hasher *hasher;
    size_t at;
    OK(manylane_hasher_new("shake128", "scalar", &hasher));
    OK(manylane_hasher_update(hasher, "abc", 3));
    OK(manylane_hasher_read(hasher, whole, sizeof whole));
    FAILS(FINISHED, manylane_hasher_update(hasher, "abc", 3));
    FAILS(FINISHED, manylane_hasher_finish(hasher, pieces, 32));
    FAILS(NULL_POINTER, manylane_hasher_read(hasher, NULL, 1));
    OK(manylane_hasher_reset(hasher));
    OK(manylane_hasher_update(hasher, "abc", 3));
    for (at = 0; at < sizeof pieces; at += 25)
        OK(manylane_hasher_read(hasher, pieces + at, 25));
    OK(manylane_hasher_read(hasher, NULL, 0));
    CHECK(memcmp(whole, pieces, sizeof whole) == 0);
    OK(manylane_hasher_reset(hasher));
    OK(manylane_hasher_update(hasher, "abc", 3));
    OK(manylane_hasher_finish(hasher, pieces, 32));
    CHECK(memcmp(whole, pieces, 32) == 0);
    FAILS(FINISHED, manylane_hasher_read(hasher, pieces, 1));
    manylane_hasher_free(hasher);
    OK(manylane_hash("shake128-1600", "abc", 3, pieces, sizeof pieces));
    CHECK(memcmp(whole, pieces, sizeof whole) == 0);
}

static void saved(void)
{
    unsigned char state[512], digest[32];
    size_t size = 0, both[64] = {0};
    manylane_hasher *hasher, *later;
    OK(manylane_hasher_new("sha256", NULL, &hasher));
    OK(manylane_hasher_update(hasher, "ab", 2));
    OK(manylane_hasher_save(hasher, NULL, &size));
    CHECK(size > 0 && size < 512);
    size--;
    FAILS(WRONG_LENGTH, manylane_hasher_save(hasher, state, &size));
    CHECK(size > 0 && size < 512);
    OK(manylane_hasher_save(hasher, state, &size));
    both[1] = size;
    FAILS(OVERLAP, manylane_hasher_save(hasher, (uint8_t *)both, both + 1));
    CHECK(both[0] == 0 && both[1] == size);
    both[1] = 16;
    FAILS(WRONG_LENGTH, manylane_hasher_save(hasher, (uint8_t *)both, both + 1));
    CHECK(both[0] == 0 && both[1] == size);
    FAILS(NULL_POINTER, manylane_hasher_save(hasher, state, NULL));
    OK(manylane_hasher_restore(state, size, "portable", &later));
    OK(manylane_hasher_update(later, "c", 1));
    OK(manylane_hasher_finish(later, digest, 32));
    CHECK(memcmp(digest, ABC, 32) == 0);
    FAILS(FINISHED, manylane_hasher_save(later, state, &size));
    manylane_hasher_free(later);
    state[60] ^= 1;
    FAILS(BAD_STATE, manylane_hasher_restore(state, size, NULL, &later));
    CHECK(later == NULL);
    FAILS(BAD_STATE, manylane_hasher_restore(state, size - 1, NULL, &later));
    FAILS(BAD_STATE, manylane_hasher_restore(NULL, 0, NULL, &later));
    FAILS(NULL_POINTER, manylane_hasher_restore(NULL, 1, NULL, &later));
    manylane_hasher_free(hasher);
}

static void keyed(void)
{
    unsigned char tag[32];
    manylane_hmac *hmac = NULL, *clone = NULL;
    OK(manylane_hmac_new("sha256", NULL, "Jefe", 4, &hmac));
    OK(manylane_hmac_update(hmac, TEXT, 10));
    OK(manylane_hmac_clone(hmac, &clone));
    OK(manylane_hmac_update(hmac, TEXT + 10, strlen(TEXT) - 10));
    FAILS(WRONG_LENGTH, manylane_hmac_finish(hmac, tag, 16));
    OK(manylane_hmac_finish(hmac, tag, 32));
    CHECK(memcmp(tag, TAG, 32) == 0);
    FAILS(FINISHED, manylane_hmac_finish(hmac, tag, 32));
    CHECK(strstr(manylane_last_error(), "reset the HMAC first") != NULL);
    FAILS(FINISHED, manylane_hmac_update(hmac, TEXT, 1));
    FAILS(FINISHED, manylane_hmac_verify(hmac, TAG, 32));
    OK(manylane_hmac_update(clone, TEXT + 10, strlen(TEXT) - 10));
    OK(manylane_hmac_verify(clone, TAG, 32));
    OK(manylane_hmac_reset(clone));
    FAILS(MISMATCH, manylane_hmac_verify(clone, TAG, 32));
    FAILS(FINISHED, manylane_hmac_update(clone, TEXT, 1));
    OK(manylane_hmac_reset(clone));
    FAILS(NULL_POINTER, manylane_hmac_verify(clone, NULL, 32));
    FAILS(MISMATCH, manylane_hmac_verify(clone, NULL, 0));
    manylane_hmac_free(hmac);
    manylane_hmac_free(clone);
    manylane_hmac_free(NULL);
    OK(manylane_hmac_new("sha256", NULL, NULL, 0, &hmac));
    manylane_hmac_free(hmac);
    FAILS(NULL_POINTER, manylane_hmac_new("sha256", NULL, NULL, 1, &hmac));
    FAILS(NOT_DEFINED, manylane_hmac_new("skein256-264", NULL, "k", 1, &hmac));
    FAILS(NULL_POINTER, manylane_hmac_update(NULL, "", 0));
}

#define MANY 1000

static void many(void)
{
    static unsigned char data[MANY * 7], digests[MANY * 32], expected[MANY * 32];
    static uint64_t offsets[MANY + 1];
    static const void *messages[MANY];
    static size_t sizes[MANY];
    unsigned char one[32];
    manylane_options options = MANYLANE_OPTIONS;
    manylane_hmac *hmac;
    size_t i, at = 0;
    for (i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * 31 + i / 256);
    for (i = 0; i < MANY; i++) {
        offsets[i] = at;
        messages[i] = data + at;
        sizes[i] = i % 13;
        OK(manylane_hash("sha256", data + at, sizes[i], expected + 32 * i, 32));
        at += sizes[i];
    }
    offsets[MANY] = at;
    messages[0] = NULL;
    OK(manylane_hash_many("sha256", NULL, messages, sizes, MANY, digests, sizeof digests));
    CHECK(memcmp(digests, expected, sizeof digests) == 0);
    memset(digests, 0, sizeof digests);
    options.threads = 4;
    options.engine = "portable";
    OK(manylane_hash_many("sha256", &options, messages, sizes, MANY, digests, sizeof digests));
    CHECK(memcmp(digests, expected, sizeof digests) == 0);
    memset(digests, 0, sizeof digests);
    OK(manylane_hash_offsets("sha256", &options, data, sizeof data, offsets, MANY, digests,
                             sizeof digests));
    CHECK(memcmp(digests, expected, sizeof digests) == 0);

    options.prefix = data;
    options.prefix_size = 100;
    messages[1] = data + 100;
    sizes[1] = 50;
    OK(manylane_hash_many("sha256", &options, messages, sizes, 2, digests, 64));
    OK(manylane_hash("sha256", data, 150, one, 32));
    CHECK(memcmp(digests + 32, one, 32) == 0);
    options.key = "Jefe";
    options.key_size = 4;
    OK(manylane_hash_many("sha256", &options, messages, sizes, 2, digests, 64));
    OK(manylane_hmac_new("sha256", NULL, "Jefe", 4, &hmac));
    OK(manylane_hmac_update(hmac, data, 150));
    OK(manylane_hmac_verify(hmac, digests + 32, 32));
    manylane_hmac_free(hmac);

    OK(manylane_hash_many("sha256", NULL, NULL, NULL, 0, NULL, 0));
    {
        static unsigned char place[sizeof options + 16];
        const void *const odd = place + ((size_t)place % 2 == 0 ? 1 : 2);
        FAILS(NULL_POINTER,
            manylane_hash_many(
                "sha256", (const manylane_options *)odd, messages, sizes, 2, digests, 64));
        CHECK(strstr(manylane_last_error(), "not aligned") != NULL);
    }
    OK(manylane_hash_offsets("sha256", NULL, NULL, 0, NULL, 0, NULL, 0));
    FAILS(NULL_POINTER, manylane_hash_many("sha256", NULL, NULL, sizes, 2, digests, 64));
    FAILS(NULL_POINTER, manylane_hash_many("sha256", NULL, messages, NULL, 2, digests, 64));
    FAILS(NULL_POINTER, manylane_hash_many("sha256", NULL, messages, sizes, 2, NULL, 64));
    FAILS(WRONG_LENGTH, manylane_hash_many("sha256", NULL, messages, sizes, 2, digests, 63));
    FAILS(WRONG_LENGTH,
          manylane_hash_many("sha256", NULL, messages, sizes, (size_t)-1, digests, 63));
    FAILS(WRONG_LENGTH,
          manylane_hash_many("sha256", NULL, messages, sizes, ((size_t)-1 >> 5) + 2, digests, 32));
    FAILS(UNKNOWN_ALGORITHM, manylane_hash_many("", NULL, messages, sizes, 2, digests, 64));
    messages[1] = NULL;
    FAILS(NULL_POINTER, manylane_hash_many("sha256", NULL, messages, sizes, 2, digests, 64));
    messages[1] = digests;
    FAILS(OVERLAP, manylane_hash_many("sha256", NULL, messages, sizes, 2, digests, 64));
    messages[1] = digests + 63;
    FAILS(OVERLAP, manylane_hash_many("sha256", NULL, messages, sizes, 2, digests, 64));
    /* Digests between the messages lie apart from them. */
    memcpy(digests + 96, "abc", 3);
    memcpy(digests, "abc", 3);
    messages[1] = digests;
    messages[2] = digests + 96;
    sizes[1] = sizes[2] = 3;
    OK(manylane_hash_many("sha256", NULL, messages + 1, sizes + 1, 2, digests + 32, 64));
    CHECK(memcmp(digests + 32, ABC, 32) == 0 && memcmp(digests + 64, ABC, 32) == 0);
    FAILS(OVERLAP,
          manylane_hash_many("sha256", NULL, messages + 1, sizes + 1, 2, digests + 33, 64));
    sizes[2] = (size_t)-1;
    FAILS(WRONG_LENGTH,
          manylane_hash_many("sha256", NULL, messages + 1, sizes + 1, 2, digests + 32, 64));
    sizes[2] = (size_t)-1 >> 1;
    FAILS(OVERLAP,
          manylane_hash_many("sha256", NULL, messages + 1, sizes + 1, 2, digests + 320, 64));
    messages[1] = digests;
    sizes[1] = 50;
    options.key = digests;
    FAILS(OVERLAP, manylane_hash_many("sha256", &options, messages, sizes, 1, digests, 32));
    options.key = NULL;
    options.key_size = 1;
    FAILS(NULL_POINTER, manylane_hash_many("sha256", &options, messages, sizes, 1, digests, 32));
    options.key_size = 0;
    options.engine = "mmx";
    FAILS(UNKNOWN_ENGINE, manylane_hash_many("sha256", &options, messages, sizes, 1, digests, 32));
    options.size = 0;
    FAILS(WRONG_LENGTH, manylane_hash_many("sha256", &options, messages, sizes, 1, digests, 32));
    FAILS(NULL_POINTER, manylane_hash_offsets("sha256", NULL, NULL, 1, offsets, 1, digests, 32));
    FAILS(NULL_POINTER, manylane_hash_offsets("sha256", NULL, data, 1, NULL, 1, digests, 32));
    FAILS(WRONG_LENGTH, manylane_hash_offsets("sha256", NULL, data, 11, offsets, 6, digests, 192));
    offsets[3] = 0;
    FAILS(WRONG_LENGTH,
          manylane_hash_offsets("sha256", NULL, data, sizeof data, offsets, 6, digests, 192));
    offsets[3] = UINT64_MAX;
    FAILS(WRONG_LENGTH,
          manylane_hash_offsets("sha256", NULL, data, sizeof data, offsets, 6, digests, 192));
}

/* Digests over what says where the messages are and how they are hashed, which stays as it was. */
static void digests_over_other_inputs(void)
{
    static const void *messages[8];
    static size_t sizes[8];
    static uint64_t offsets[8];
    manylane_options both[2] = {MANYLANE_OPTIONS, MANYLANE_OPTIONS};
    char name[64] = "sha256", engine[64] = "portable";
    unsigned char digests[64];
    size_t i;
    for (i = 0; i < 8; i++) {
        messages[i] = "abc";
        sizes[i] = 3;
        offsets[i] = 3 * i;
    }
    FAILS(OVERLAP, manylane_hash_many("sha256", NULL, messages, sizes, 2, (uint8_t *)messages, 64));
    FAILS(OVERLAP,
          manylane_hash_many("sha256", NULL, messages, sizes, 2, (uint8_t *)(messages + 1), 64));
    FAILS(OVERLAP, manylane_hash_many("sha256", NULL, messages, sizes, 2, (uint8_t *)sizes, 64));
    FAILS(OVERLAP, manylane_hash_many("sha256", both, messages, sizes, 2, (uint8_t *)both, 64));
    FAILS(OVERLAP, manylane_hash_many(name, NULL, messages, sizes, 2, (uint8_t *)name, 64));
    FAILS(OVERLAP, manylane_hash_many(name, NULL, messages, sizes, 1, (uint8_t *)name + 6, 32));
    FAILS(OVERLAP, manylane_hash_offsets("sha256", NULL, "abcabc", 6, offsets, 2,
                                         (uint8_t *)offsets, 64));
    FAILS(OVERLAP, manylane_hash_offsets("sha256", NULL, "abc", 3, offsets, 1,
                                         (uint8_t *)(offsets + 1), 32));
    both[0].engine = engine;
    FAILS(OVERLAP, manylane_hash_many(name, both, messages, sizes, 1, (uint8_t *)engine, 32));
    CHECK(strcmp(name, "sha256") == 0 && strcmp(engine, "portable") == 0);
    for (i = 0; i < 8; i++)
        CHECK(messages[i] == messages[0] && sizes[i] == 3 && offsets[i] == 3 * i);
    /* What lies behind the elements that are read is free. */
    OK(manylane_hash_many(name, both, messages, sizes, 1, (uint8_t *)(messages + 1), 32));
    CHECK(memcmp(messages + 1, ABC, 32) == 0);
    OK(manylane_hash_many(name, both, messages, sizes, 1, (uint8_t *)(sizes + 1), 32));
    CHECK(memcmp(sizes + 1, ABC, 32) == 0);
    OK(manylane_hash_offsets(name, both, "abc", 3, offsets, 1, (uint8_t *)(offsets + 2), 32));
    CHECK(memcmp(offsets + 2, ABC, 32) == 0);
    OK(manylane_hash_many(name, both, messages, sizes, 1, (uint8_t *)engine + 9, 32));
    CHECK(memcmp(engine + 9, ABC, 32) == 0);
    OK(manylane_hash_many(name, both, messages, sizes, 1, (uint8_t *)name + 7, 32));
    CHECK(memcmp(name + 7, ABC, 32) == 0);
    OK(manylane_hash_many("sha256", both, messages, sizes, 1, digests, 32));
    CHECK(memcmp(digests, ABC, 32) == 0);
}

static void groups(void)
{
    manylane_group *group;
    const void *pieces[3];
    size_t sizes[3] = {1, 0, 3};
    unsigned char digest[32];
    pieces[0] = "a";
    pieces[1] = NULL;
    pieces[2] = "abc";
    OK(manylane_group_new("sha256", NULL, 3, &group));
    OK(manylane_group_update(group, pieces, sizes));
    OK(manylane_group_digest(group, 2, digest, 32));
    CHECK(memcmp(digest, ABC, 32) == 0);
    pieces[0] = "bc";
    sizes[0] = 2;
    sizes[2] = 0;
    OK(manylane_group_update(group, pieces, sizes));
    OK(manylane_group_digest(group, 0, digest, 32));
    CHECK(memcmp(digest, ABC, 32) == 0);
    OK(manylane_group_reset(group, 2));
    FAILS(WRONG_LENGTH, manylane_group_digest(group, 3, digest, 32));
    FAILS(WRONG_LENGTH, manylane_group_reset(group, 3));
    FAILS(WRONG_LENGTH, manylane_group_digest(group, 0, digest, 31));
    FAILS(NULL_POINTER, manylane_group_digest(group, 0, NULL, 32));
    FAILS(NULL_POINTER, manylane_group_update(group, NULL, sizes));
    sizes[1] = 1;
    FAILS(NULL_POINTER, manylane_group_update(group, pieces, sizes));
    manylane_group_free(group);
    manylane_group_free(NULL);
    FAILS(NO_MEMORY, manylane_group_new("sha256", NULL, (size_t)-1 / 2, &group));
    OK(manylane_group_new("sha256", NULL, 0, &group));
    OK(manylane_group_update(group, NULL, NULL));
    manylane_group_free(group);
}

static void cipher(void)
{
    unsigned char data[41] = "forty bytes are five blocks of RC5-32...", start[8] = {7};
    unsigned char copy[41];
    manylane_rc5 *rc5;
    memcpy(copy, data, sizeof data);
    OK(manylane_rc5_new(32, 12, "sixteen byte key", 16, NULL, &rc5));
    CHECK(manylane_rc5_block_bytes(rc5) == 8);
    CHECK(manylane_rc5_block_bytes(NULL) == 0);
    OK(manylane_rc5_ctr(rc5, start, data, sizeof data));
    CHECK(memcmp(data, copy, sizeof data) != 0);
    OK(manylane_rc5_ctr(rc5, start, data, sizeof data));
    CHECK(memcmp(data, copy, sizeof data) == 0);
    OK(manylane_rc5_cbc_encrypt(rc5, start, data, 40));
    CHECK(memcmp(data, copy, sizeof data) != 0);
    OK(manylane_rc5_cbc_decrypt(rc5, start, data, 40));
    CHECK(memcmp(data, copy, sizeof data) == 0);
    FAILS(BAD_INPUT, manylane_rc5_cbc_encrypt(rc5, start, data, 41));
    FAILS(NULL_POINTER, manylane_rc5_ctr(rc5, NULL, data, 40));
    FAILS(NULL_POINTER, manylane_rc5_ctr(rc5, start, NULL, 40));
    FAILS(NULL_POINTER, manylane_rc5_ctr(NULL, start, data, 40));
    FAILS(OVERLAP, manylane_rc5_ctr(rc5, data, data, 40));
    CHECK(memcmp(data, copy, sizeof data) == 0);
    OK(manylane_rc5_ctr(rc5, start, NULL, 0));
    manylane_rc5_free(rc5);
    manylane_rc5_free(NULL);
    FAILS(BAD_INPUT, manylane_rc5_new(33, 12, "key", 3, NULL, &rc5));
    CHECK(rc5 == NULL);
    FAILS(BAD_INPUT, manylane_rc5_new(32, 256, "key", 3, NULL, &rc5));
    FAILS(UNKNOWN_ENGINE, manylane_rc5_new(32, 12, "key", 3, "mmx", &rc5));
}

int main(void)
{
    CHECK(strcmp(manylane_last_error(), "") == 0);
    names();
    one_message();
    extendable();
    saved();
    keyed();
    many();
    digests_over_other_inputs();
    groups();
    cipher();
    if (failures > 0)
        printf("%d checks failed\n", failures);
    return failures > 0;
}
