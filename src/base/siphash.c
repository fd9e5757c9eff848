#include "src/base/siphash.h"

#include <string.h>
#include <sys/auxv.h>

static uint64_t process_key[2]; /* written once, before main */

/* Sixteen random bytes that the kernel gives each program. */
__attribute__((constructor)) static void siphash_take_key(void)
{
    const void *random = (const void *)getauxval(AT_RANDOM);
    if (random)
        memcpy(process_key, random, sizeof process_key);
}

static inline uint64_t rotate(uint64_t x, unsigned n)
{
    return x << n | x >> (64 - n);
}

static inline void siphash_round(uint64_t v[static 4])
{
    v[0] += v[1];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[0] = rotate(v[0], 32);
    v[2] += v[3];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[2] = rotate(v[2], 32);
}

static inline void siphash_add(uint64_t v[static 4], uint64_t eight, unsigned rounds)
{
    v[3] ^= eight;
    for (unsigned i = 0; i < rounds; i++)
        siphash_round(v);
    v[0] ^= eight;
}

/* The first n of eight bytes, the lowest first. */
static inline uint64_t siphash_load(const unsigned char *p, size_t n)
{
    uint64_t eight = 0;
    for (size_t i = 0; i < n; i++)
        eight |= (uint64_t)p[i] << 8 * i;
    return eight;
}

uint64_t siphash(const uint64_t key[static 2], unsigned rounds, unsigned final_rounds, const void *p,
                 size_t n)
{
    const unsigned char *s = p;
    size_t left = n;
    uint64_t v[4] = {key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du,
                     key[0] ^ 0x6c7967656e657261u, key[1] ^ 0x7465646279746573u};
    for (; left >= 8; s += 8, left -= 8)
        siphash_add(v, siphash_load(s, 8), rounds);
    siphash_add(v, siphash_load(s, left) | (uint64_t)n << 56, rounds);
    v[2] ^= 0xff;
    for (unsigned i = 0; i < final_rounds; i++)
        siphash_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint64_t hash_text(const void *p, size_t n)
{
    return siphash(process_key, 1, 3, p, n);
}
