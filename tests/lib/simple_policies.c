/* simple_policies.c - see simple_policies.h. Time jumps from one instant at which something happens to the
 * next; at each of them completions, then submissions, then the policy. */
#include "tests/lib/simple_policies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEVER INT64_MAX

struct simple_policy {
    struct procs_job *jobs;
    size_t n, n_submitted;
    int64_t machine, now;
    int64_t *planned; /* cons: reservation of each waiting job; NEVER: none */
    int64_t *ended;   /* 1: has ended */
};

static bool is_running(const struct simple_policy *s, size_t i)
{
    return s->jobs[i].start >= 0 && !s->ended[i];
}

static bool is_waiting(const struct simple_policy *s, size_t i)
{
    return i < s->n_submitted && s->jobs[i].start < 0;
}

static int64_t free_now(const struct simple_policy *s)
{
    int64_t used = 0;
    for (size_t i = 0; i < s->n_submitted; i++)
        used += is_running(s, i) ? s->jobs[i].procs : 0;
    return s->machine - used;
}

static void start(struct simple_policy *s, size_t i)
{
    s->jobs[i].start = s->now;
    s->planned[i] = NEVER;
}

/* --- what is used when, as the policy knows it: running jobs to their estimates, then reservations --- */

struct use {
    int64_t from, to, procs;
};
struct uses {
    struct use *v;
    size_t n;
};

static int64_t used_at(const struct uses *u, int64_t t)
{
    int64_t sum = 0;
    for (size_t i = 0; i < u->n; i++)
        sum += u->v[i].from <= t && t < u->v[i].to ? u->v[i].procs : 0;
    return sum;
}

static bool fits(const struct simple_policy *s, const struct uses *u, const struct procs_job *j, int64_t at)
{
    if (used_at(u, at) + j->procs > s->machine)
        return false;
    for (size_t i = 0; i < u->n; i++) /* use grows only where one begins */
        if (u->v[i].from > at && u->v[i].from < at + j->estimate &&
            used_at(u, u->v[i].from) + j->procs > s->machine)
            return false;
    return true;
}

/* The earliest instant at which the job fits for all of its estimate: now, or where a use ends. */
static int64_t earliest(const struct simple_policy *s, const struct uses *u, const struct procs_job *j)
{
    if (fits(s, u, j, s->now))
        return s->now;
    int64_t best = NEVER;
    for (size_t i = 0; i < u->n; i++)
        if (u->v[i].to > s->now && u->v[i].to < best && fits(s, u, j, u->v[i].to))
            best = u->v[i].to;
    return best;
}

static void add_use(struct uses *u, int64_t from, const struct procs_job *j)
{
    u->v[u->n++] = (struct use){from, from + j->estimate, j->procs};
}

/* Running jobs, and the reservations of those that wait, but for `but`. */
static struct uses uses_of(const struct simple_policy *s, size_t but)
{
    struct uses u = {.v = calloc(s->n + 1, sizeof *u.v)};
    for (size_t i = 0; i < s->n_submitted; i++) {
        if (is_running(s, i))
            add_use(&u, s->jobs[i].start, &s->jobs[i]);
        else if (is_waiting(s, i) && i != but && s->planned[i] != NEVER)
            add_use(&u, s->planned[i], &s->jobs[i]);
    }
    return u;
}

/* --- the policies --- */

/* Starts jobs in order while they fit. Returns the first that does not, or n. */
static size_t start_heads(struct simple_policy *s)
{
    int64_t room = free_now(s);
    for (size_t i = 0; i < s->n_submitted; i++) {
        if (!is_waiting(s, i))
            continue;
        if (s->jobs[i].procs > room)
            return i;
        start(s, i);
        room -= s->jobs[i].procs;
    }
    return s->n;
}

/* The first comes first; equal ones by submission. For SJBF the order of those behind the head. */
static double rank(const struct simple_policy *s, enum procs_policy policy, bool backfills,
                   const struct procs_job *j)
{
    double w = (double)(s->now - j->submit), r = (double)j->estimate, n = (double)j->procs;
    double lg = log2(n), age = (double)(j->submit - s->jobs[0].submit);
    switch ((int)policy) {
    case PROCS_EASY_SJBF: return backfills ? r : 0;
    case PROCS_EASY_SJF: return r;
    case PROCS_EASY_WFP3: return -pow(w / r, 3) * n;
    case PROCS_EASY_UNICEP: return -w / ((lg < 1 ? 1 : lg) * r);
    case PROCS_EASY_F1: return log10(r) * n + 870 * log10(age < 1 ? 1 : age);
    default: return 0;
    }
}

/* The first waiting job in that order that has not been looked at. */
static size_t next_in_order(const struct simple_policy *s, enum procs_policy policy, bool backfills,
                            const bool *seen)
{
    size_t best = s->n;
    for (size_t i = 0; i < s->n_submitted; i++)
        if (is_waiting(s, i) && !seen[i] &&
            (best == s->n ||
             rank(s, policy, backfills, &s->jobs[i]) < rank(s, policy, backfills, &s->jobs[best])))
            best = i;
    return best;
}

/* When the head will fit, and what it leaves over then. */
static int64_t shadow_of(const struct simple_policy *s, size_t head, int64_t *ret_extra)
{
    struct uses u = uses_of(s, s->n);
    int64_t shadow = NEVER;
    for (size_t i = 0; i < u.n; i++)
        if (u.v[i].to < shadow && s->machine - used_at(&u, u.v[i].to) >= s->jobs[head].procs)
            shadow = u.v[i].to;
    *ret_extra = s->machine - used_at(&u, shadow) - s->jobs[head].procs;
    free(u.v);
    return shadow;
}

static void plan_easy(struct simple_policy *s, enum procs_policy policy)
{
    bool *seen = calloc(s->n + 1, sizeof *seen);
    size_t head = s->n;
    int64_t room = free_now(s), shadow = NEVER, extra = 0;
    for (size_t i; (i = next_in_order(s, policy, head < s->n, seen)) < s->n;) {
        const struct procs_job *j = &s->jobs[i];
        seen[i] = true;
        bool too_large = j->procs > room;
        if (too_large && head == s->n) {
            head = i;
            shadow = shadow_of(s, head, &extra);
        }
        if (too_large || (head < s->n && s->now + j->estimate > shadow && j->procs > extra))
            continue;
        if (head < s->n && s->now + j->estimate > shadow)
            extra -= j->procs;
        room -= j->procs;
        start(s, i);
    }
    free(seen);
}

static void plan_cons(struct simple_policy *s, bool completions, size_t n_before)
{
    for (size_t i = 0; i < s->n_submitted; i++) {
        if (!is_waiting(s, i) || (i < n_before && !completions))
            continue;
        struct uses u = uses_of(s, i);
        s->planned[i] = earliest(s, &u, &s->jobs[i]);
        free(u.v);
    }
    for (size_t i = 0; i < s->n_submitted; i++)
        if (is_waiting(s, i) && s->planned[i] == s->now)
            start(s, i);
}

static void plan_replan(struct simple_policy *s)
{
    struct uses u = uses_of(s, s->n);
    for (size_t i = 0; i < s->n_submitted; i++) {
        if (!is_waiting(s, i))
            continue;
        int64_t at = earliest(s, &u, &s->jobs[i]);
        add_use(&u, at, &s->jobs[i]);
        if (at == s->now)
            start(s, i);
    }
    free(u.v);
}

static int64_t next_instant(const struct simple_policy *s)
{
    int64_t t = s->n_submitted < s->n ? s->jobs[s->n_submitted].submit : NEVER;
    for (size_t i = 0; i < s->n_submitted; i++) {
        const struct procs_job *j = &s->jobs[i];
        if (is_running(s, i) && j->start + j->run < t)
            t = j->start + j->run;
        if (is_waiting(s, i) && s->planned[i] < t)
            t = s->planned[i];
    }
    return t;
}

void simple_run(struct procs_job *jobs, size_t n, int64_t machine, enum procs_policy policy)
{
    struct simple_policy s = {.jobs = jobs, .n = n, .machine = machine};
    s.planned = calloc(n + 1, sizeof *s.planned);
    s.ended = calloc(n + 1, sizeof *s.ended);
    for (size_t i = 0; i < n; i++) {
        s.planned[i] = NEVER;
        jobs[i].start = -1;
    }
    while ((s.now = next_instant(&s)) != NEVER) {
        bool completions = false;
        for (size_t i = 0; i < s.n_submitted; i++)
            if (is_running(&s, i) && jobs[i].start + jobs[i].run == s.now)
                s.ended[i] = completions = true;
        size_t n_before = s.n_submitted;
        while (s.n_submitted < n && jobs[s.n_submitted].submit == s.now)
            s.n_submitted++;
        switch (policy) {
        case PROCS_FCFS: start_heads(&s); break;
        case PROCS_EASY:
        case PROCS_EASY_SJBF:
        case PROCS_EASY_SJF:
        case PROCS_EASY_WFP3:
        case PROCS_EASY_UNICEP:
        case PROCS_EASY_F1: plan_easy(&s, policy); break;
        case PROCS_CONS: plan_cons(&s, completions, n_before); break;
        case PROCS_REPLAN: plan_replan(&s); break;
        case PROCS_N_POLICIES: break;
        }
    }
    free(s.planned);
    free(s.ended);
}
