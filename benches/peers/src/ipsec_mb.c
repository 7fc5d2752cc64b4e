/* libipsec-mb's job interface over whole messages. A shim in C, because the structures are long and
 * the calls are macros. */

#include <intel-ipsec-mb.h>
#include <stddef.h>
#include <string.h>

/* A manager for this CPU, or a null pointer. It is never freed: it serves to the program's end. */
IMB_MGR *shim_open(void)
{
        IMB_MGR *manager = alloc_mb_mgr(0);

        if (manager != NULL)
                init_mb_mgr_auto(manager, NULL);
        return manager;
}

/* The chaining value after one block, as HMAC wants it of the key. Returns 0 for another hash. */
int shim_one_block(IMB_MGR *manager, int hash, const void *block, void *state)
{
        switch (hash) {
        case IMB_AUTH_MD5:
                IMB_MD5_ONE_BLOCK(manager, block, state);
                return 1;
        case IMB_AUTH_HMAC_SHA_1:
                IMB_SHA1_ONE_BLOCK(manager, block, state);
                return 1;
        case IMB_AUTH_HMAC_SHA_256:
                IMB_SHA256_ONE_BLOCK(manager, block, state);
                return 1;
        case IMB_AUTH_HMAC_SHA_512:
                IMB_SHA512_ONE_BLOCK(manager, block, state);
                return 1;
        default:
                return 0;
        }
}

/* The number of the hash of that name, or 0. */
int shim_hash(const char *name)
{
        static const struct {
                const char *name;
                int hash;
        } hashes[] = {
                { "sha1", IMB_AUTH_SHA_1 },
                { "sha256", IMB_AUTH_SHA_256 },
                { "sha512", IMB_AUTH_SHA_512 },
                { "hmac-md5", IMB_AUTH_MD5 },
                { "hmac-sha1", IMB_AUTH_HMAC_SHA_1 },
                { "hmac-sha256", IMB_AUTH_HMAC_SHA_256 },
                { "hmac-sha512", IMB_AUTH_HMAC_SHA_512 },
        };

        for (size_t i = 0; i < sizeof(hashes) / sizeof(hashes[0]); i++)
                if (strcmp(name, hashes[i].name) == 0)
                        return hashes[i].hash;
        return 0;
}

/* Hashes the messages, each in a job of its own, and flushes. Returns the number of jobs done. */
size_t shim_run(IMB_MGR *manager, int hash, const uint8_t *inner, const uint8_t *outer,
                const uint8_t *const *messages, const size_t *lengths, size_t count, uint8_t *out,
                size_t digest_bytes)
{
        size_t done = 0;
        const IMB_JOB *ended;

        for (size_t i = 0; i < count; i++) {
                IMB_JOB *job = IMB_GET_NEXT_JOB(manager);

                job->cipher_mode = IMB_CIPHER_NULL;
                job->cipher_direction = IMB_DIR_ENCRYPT;
                job->chain_order = IMB_ORDER_HASH_CIPHER;
                job->hash_alg = (IMB_HASH_ALG) hash;
                job->src = messages[i];
                job->hash_start_src_offset_in_bytes = 0;
                job->msg_len_to_hash_in_bytes = lengths[i];
                job->auth_tag_output = out + i * digest_bytes;
                job->auth_tag_output_len_in_bytes = digest_bytes;
                job->u.HMAC._hashed_auth_key_xor_ipad = inner;
                job->u.HMAC._hashed_auth_key_xor_opad = outer;
                ended = IMB_SUBMIT_JOB_NOCHECK(manager);
                while (ended != NULL) {
                        done += ended->status == IMB_STATUS_COMPLETED;
                        ended = IMB_GET_COMPLETED_JOB(manager);
                }
        }
        while ((ended = IMB_FLUSH_JOB(manager)) != NULL)
                done += ended->status == IMB_STATUS_COMPLETED;
        return done;
}
