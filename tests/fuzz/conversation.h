/* conversation.h - inputs that are lists of messages, and their mutation: whole messages (other type, other
 * connection, left out, sent twice, in another order), or bytes of one body, whose length follows.
 *
 * A message is: connection (one byte, where CONVERSATION_CONNS is more than 1), type and length (two bytes
 * each, the lower one first), body. Defined before this is included: CONVERSATION_CONNS. One .c file of a
 * program includes it. */
#ifndef STOKER_TESTS_FUZZ_CONVERSATION_H
#define STOKER_TESTS_FUZZ_CONVERSATION_H

#include <string.h>

#include "src/proto/msg.h"
#include "tests/fuzz/driver.h"

#define CONVERSATION_HEAD (CONVERSATION_CONNS > 1 ? 5u : 4u)
#define CONVERSATION_MAX  256 /* messages */

struct said {
    unsigned conn;
    uint16_t type;
    const uint8_t *body;
    size_t n;
};

/* The message at *at, which moves behind it. False: there is none. The last one may be cut. */
static inline bool conversation_next(const uint8_t *data, size_t size, size_t *at, struct said *ret)
{
    const uint8_t *p = data + *at;
    if (*at + CONVERSATION_HEAD > size)
        return false;
    ret->conn = CONVERSATION_CONNS > 1 ? *p++ % CONVERSATION_CONNS : 0;
    ret->type = (uint16_t)(p[0] | p[1] << 8);
    size_t n = (size_t)(p[2] | p[3] << 8), left = size - *at - CONVERSATION_HEAD;
    ret->body = data + *at + CONVERSATION_HEAD;
    ret->n = n < left ? n : left;
    *at += CONVERSATION_HEAD + ret->n;
    return true;
}

static inline size_t conversation_write(const struct said *m, uint8_t *out, size_t at, size_t max)
{
    if (at + CONVERSATION_HEAD + m->n > max)
        return at;
    if (CONVERSATION_CONNS > 1)
        out[at++] = (uint8_t)m->conn;
    for (int i = 0; i < 2; i++)
        out[at++] = (uint8_t)(m->type >> 8 * i & 0xff);
    for (int i = 0; i < 2; i++)
        out[at++] = (uint8_t)(m->n >> 8 * i & 0xff);
    memcpy(out + at, m->body, m->n);
    return at + m->n;
}

static inline uint32_t conversation_rand(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    static uint8_t out[1 << 16], body[1 << 16];
    struct said m[CONVERSATION_MAX];
    size_t n = 0, at = 0, done = 0;
    uint64_t rng = seed;
    max = max < sizeof out ? max : sizeof out;
    while (n < CONVERSATION_MAX && conversation_next(data, size, &at, &m[n]))
        n++;
    if (n == 0 || conversation_rand(&rng) % 8 == 0) /* bytes that are not a message too */
        return LLVMFuzzerMutate(data, size, max);
    size_t i = conversation_rand(&rng) % n, k = conversation_rand(&rng) % n, left_out = n;
    switch (conversation_rand(&rng) % 8) {
    case 0: m[i].type = (uint16_t)(conversation_rand(&rng) % (MSG_N_KINDS + 1)); break;
    case 1: m[i].conn = conversation_rand(&rng) % CONVERSATION_CONNS; break;
    case 2: left_out = i; break;
    case 3: {
        struct said other = m[i];
        m[i] = m[k];
        m[k] = other;
        break;
    }
    case 4:
        m[i].body = m[k].body;
        m[i].n = m[k].n;
        break;
    default:
        memcpy(body, m[i].body, m[i].n);
        m[i].n = LLVMFuzzerMutate(body, m[i].n, m[i].n + 64 < max ? m[i].n + 64 : m[i].n);
        m[i].body = body;
    }
    bool twice = conversation_rand(&rng) % 8 == 0;
    for (size_t x = 0; x < n; x++)
        for (int times = x == left_out ? 0 : x == i && twice ? 2 : 1; times; times--)
            done = conversation_write(&m[x], out, done, max);
    memcpy(data, out, done);
    return done;
}

#endif
