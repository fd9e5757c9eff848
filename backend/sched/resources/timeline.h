/* timeline.h - what is free on one node, as a step function of time.
 *
 *     free                                   steps (t, free from t on):
 *       |          +--------                   now  4
 *       |    +-----+                           t1   6      a running job ends
 *       +----+                                 t2   8      another one
 *       +----+-----+---------> t
 *
 * Flat sorted steps: with the handful that a node has, and even with the thousands that a pool of
 * processors has in the simulator, a scan beats a tree. The first step holds from the beginning of time;
 * amounts may be negative, where a maintenance window is laid over a running job.
 */
#ifndef STOKER_BACKEND_SCHED_TIMELINE_H
#define STOKER_BACKEND_SCHED_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WHEN_NEVER INT64_MAX /* ms since the Epoch, and lengths in ms: without an end */

/* CPUs, memory in MiB, GPUs: counts alone; which ones is settled at the start. */
struct amount {
    int64_t cpus, mem_mib, gpus;
};

static inline bool amount_covers(struct amount have, struct amount need)
{
    return have.cpus >= need.cpus && have.gpus >= need.gpus && have.mem_mib >= need.mem_mib;
}

static inline bool amount_eq(struct amount a, struct amount b)
{
    return a.cpus == b.cpus && a.gpus == b.gpus && a.mem_mib == b.mem_mib;
}

static inline struct amount amount_plus(struct amount a, struct amount b)
{
    return (struct amount){a.cpus + b.cpus, a.mem_mib + b.mem_mib, a.gpus + b.gpus};
}

static inline struct amount amount_minus(struct amount a, struct amount b)
{
    return (struct amount){a.cpus - b.cpus, a.mem_mib - b.mem_mib, a.gpus - b.gpus};
}

static inline struct amount amount_min(struct amount a, struct amount b)
{
    return (struct amount){a.cpus < b.cpus ? a.cpus : b.cpus, a.mem_mib < b.mem_mib ? a.mem_mib : b.mem_mib,
                           a.gpus < b.gpus ? a.gpus : b.gpus};
}

static inline struct amount amount_max(struct amount a, struct amount b)
{
    return (struct amount){a.cpus > b.cpus ? a.cpus : b.cpus, a.mem_mib > b.mem_mib ? a.mem_mib : b.mem_mib,
                           a.gpus > b.gpus ? a.gpus : b.gpus};
}

/* The length of [t, end). */
static inline int64_t when_minus(int64_t end, int64_t t)
{
    return end == WHEN_NEVER ? WHEN_NEVER : end - t;
}

/* t + len, never past WHEN_NEVER. */
static inline int64_t when_plus(int64_t t, int64_t len)
{
    return len > WHEN_NEVER - t ? WHEN_NEVER : t + len;
}

struct timeline_step {
    int64_t t;
    struct amount free; /* from t to the next step */
};

struct timeline {
    struct timeline_step *v; /* ascending; v[0].t is INT64_MIN */
    uint32_t n, cap;
};

/* All of it free for ever. */
void timeline_init(struct timeline *l, struct amount all);
void timeline_fini(struct timeline *l);

/* Takes from [from, to), or gives back what was taken there. No-op when empty. Cost: O(steps). */
void timeline_take(struct timeline *l, int64_t from, int64_t to, struct amount a);
void timeline_give(struct timeline *l, int64_t from, int64_t to, struct amount a);

/* What is free throughout [from, to); from < to. Cost: O(log steps + steps within). */
struct amount timeline_min(const struct timeline *l, int64_t from, int64_t to);

/* The earliest t >= from with `need` free throughout [t, t + len); WHEN_NEVER: there is none. Cost: O(steps
 * after from). */
int64_t timeline_next(const struct timeline *l, int64_t from, int64_t len, struct amount need);
/* The same if it is before `before`; else that, or any later time. Cost: O(steps in between). */
int64_t timeline_next_before(const struct timeline *l, int64_t from, int64_t before, int64_t len,
                             struct amount need);

/* The first step after t; WHEN_NEVER: none. */
int64_t timeline_next_step(const struct timeline *l, int64_t t);

/* Makes it `free` from t on; t is behind all steps, or INT64_MIN in a fresh one. */
void timeline_append(struct timeline *l, int64_t t, struct amount free);

/* Forgets steps that are over before t. */
void timeline_trim(struct timeline *l, int64_t t);

#endif
