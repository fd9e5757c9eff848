/* widen.c - a start on more nodes than it needs: `--nodes=MIN-MAX`, `--spread-job`.
 *
 * Searches, plans and forecasts look for the fewest nodes, so that a job waits for no more than its minimum
 * and nothing is kept or preempted for the rest. Only when a start has been found, with all planned starts
 * in place again, is it spread over the other nodes that are free.
 */
#include "backend/sched/resources/pool_internal.h"

/* On k nodes or more. */
static bool widen_place_on(struct pool *p, const struct demand *d, const struct nodeset *s, uint32_t k,
                           struct pool_span span, struct pool_judge *judge, struct pool_parts *parts)
{
    static candidate_order *const orders[] = {candidates_by_weight, candidates_by_tasks,
                                              candidates_by_gpus};
    uint32_t chosen = 0;
    for (size_t i = 0; i < sizeof orders / sizeof *orders && !chosen; i++)
        chosen = candidates_choose(p, candidates_collect(p, d, s, span.from, span.len), d, k, orders[i]);
    candidates_take(p, chosen, d, parts);
    return chosen && pool_allows(judge, parts, span.len);
}

/* What a limit allows is found by halving: more nodes take more. */
bool pool_widen(struct pool *p, const struct demand *d, const struct nodeset *s, int64_t len,
                uint32_t before, struct pool_judge *judge, struct pool_parts *ret)
{
    if (p->n_groups && demand_is_in_groups(d, p->now))
        return false;
    struct pool_parts parts = {.v = VEC_INIT};
    struct pool_span span = {.from = p->now, .len = len};
    uint32_t free_now = candidates_collect(p, d, s, p->now, len), low = before;
    uint32_t high = free_now < d->nodes_max ? free_now : d->nodes_max;
    for (uint32_t k = high; low < high; k = low + (high - low + 1) / 2) {
        if (widen_place_on(p, d, s, k, span, judge, &parts)) {
            struct pool_parts swap = *ret;
            *ret = parts;
            parts = swap;
            low = k;
        } else {
            high = k - 1;
        }
    }
    vec_fini(&parts.v);
    return low > before;
}
