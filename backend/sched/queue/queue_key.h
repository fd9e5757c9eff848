/* queue_key.h - the position of a job in the queue: all that its order depends on. */
#ifndef STOKER_BACKEND_SCHED_QUEUE_KEY_H
#define STOKER_BACKEND_SCHED_QUEUE_KEY_H

#include <stdbool.h>
#include <stdint.h>

struct queue_key {
    uint64_t first;  /* within limits, tier, level, begun, priority: the largest goes first */
    int64_t then_ms; /* submission */
    uint64_t last;   /* id and index: the smallest go first */
};

static inline bool queue_key_before(const struct queue_key *a, const struct queue_key *b)
{
    if (a->first != b->first)
        return a->first > b->first;
    return a->then_ms != b->then_ms ? a->then_ms < b->then_ms : a->last < b->last;
}

static inline uint64_t queue_key_capped(uint32_t n, uint32_t most)
{
    return n < most ? n : most;
}

/* What is compared before priorities: a job may preempt only jobs of a lower precedence. */
static inline uint64_t queue_precedence(uint32_t tier, uint32_t level)
{
    return queue_key_capped(tier, UINT16_MAX) << 8 | queue_key_capped(level, UINT8_MAX);
}

#endif
