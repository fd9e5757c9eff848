/* claims.c - places for the elements of an array behind the next one, while others are on their way out for
 * them.
 *
 * A unit holds one place. Where others are asked to go for several elements at once each of those has one:
 * the next element's is the unit's, the others lie here. They count against no lane, give way only to
 * what starts in a higher tier, and go with the unit's own.
 */
#include <stdlib.h>

#include "backend/sched/queue/planner_private.h"

uint32_t claims_most(const struct planner *p, const struct unit *u)
{
    const struct job *j = planner_job(p, u->job);
    if (!job_is_array_record(j) || u->by_element || u->singleton || u->group->licensed)
        return 1;
    uint32_t most = planner_throttle_leaves(p, j);
    return most >= u->count ? u->count : most ? most : 1;
}

static void add(struct planner *p, struct unit *u, uint32_t lane, const struct pool_parts *parts,
                int64_t start, int64_t end)
{
    u->more = xreallocarray(u->more, u->n_more + 1, sizeof *u->more);
    struct claim *c = &u->more[u->n_more++];
    c->lane = lane;
    pool_hold(&p->pool, &c->use, parts, start, end);
    list_move_to_end(&p->claimers, &u->in_claimers);
}

static void parts_of(const struct pool_use *use, struct pool_parts *ret)
{
    *ret = (struct pool_parts){VEC_INIT};
    for (uint32_t i = 0; i < use->n_parts; i++)
        vec_push(&ret->v, use->parts[i]);
}

/* Nothing comes free by that: it is held on. */
void claims_push(struct planner *p, struct unit *u)
{
    struct pool_parts parts;
    struct backfill_hold *h = &u->hold;
    int64_t start = h->use.start, end = h->use.end;
    uint32_t lane = h->lane;
    parts_of(&h->use, &parts);
    pool_drop(&p->pool, &h->use);
    list_unlink(&h->link);
    *h = (struct backfill_hold){0};
    add(p, u, lane, &parts, start, end);
    vec_fini(&parts.v);
}

void claims_pop(struct planner *p, struct unit *u, const struct backfill_item *it)
{
    struct claim *last = &u->more[u->n_more - 1];
    struct backfill_place at = {.start = last->use.start,
                                .len = when_minus(last->use.end, last->use.start)};
    while (at.choice + 1 < it->n_choices && it->choices[at.choice].lane != last->lane)
        at.choice++;
    parts_of(&last->use, &at.parts);
    pool_drop(&p->pool, &last->use);
    u->n_more--;
    backfill_claim(&p->backfill, it, &u->hold, &at);
    backfill_place_fini(&at);
    if (!u->n_more)
        claims_drop(p, u);
}

struct limit_ask claims_ask(const struct unit *u, uint32_t lane, const struct pool_use *use)
{
    const struct group *g = u->group;
    struct pool_parts parts;
    uint32_t at = 0;
    while (at + 1 < g->n_choices && g->choices[at].lane != lane)
        at++;
    struct limit_ask ask = g->asks[at];
    parts_of(use, &parts);
    planner_ask_exactly(&parts, when_minus(use->end, use->start), &ask);
    vec_fini(&parts.v);
    return ask;
}

void claims_charge(struct planner *p, const struct unit *u, uint32_t lane, const struct pool_use *use)
{
    struct limit_ask ask = claims_ask(u, lane, use);
    limits_charge(p->limits, &ask);
}

static int64_t last_to_leave(const struct planner *p, uint32_t job)
{
    int64_t last = p->now.ms;
    list_for_each (r, &p->leaving, struct runs, in_leaving)
        for (size_t i = 0; r->for_job == job && i < r->v.n; i++)
            if (r->v.v[i]->use.end != WHEN_NEVER && r->v.v[i]->use.end > last)
                last = r->v.v[i]->use.end;
    return last;
}

void claims_again(struct planner *p, struct unit *u, const struct backfill_item *it)
{
    uint32_t most = claims_most(p, u);
    if (most <= 1 || !u->hold.use.parts)
        return;
    struct backfill_place at = {0};
    size_t mark = limits_mark(p->limits);
    int64_t before = when_plus(last_to_leave(p, u->job), 1);
    claims_charge(p, u, u->hold.lane, &u->hold.use);
    for (uint32_t i = 0; i < u->n_more; i++)
        claims_charge(p, u, u->more[i].lane, &u->more[i].use);
    /* One that is free now could start, were nobody before it: there is nothing to wait for. */
    while (u->n_more + 1 < most && backfill_earliest(&p->backfill, it, before, &at) &&
           at.start > p->now.ms) {
        uint32_t lane = it->choices[at.choice].lane;
        add(p, u, lane, &at.parts, at.start, when_plus(at.start, at.len));
        claims_charge(p, u, lane, &u->more[u->n_more - 1].use);
    }
    limits_rewind(p->limits, mark);
    backfill_place_fini(&at);
}

void claims_set_aside(struct planner *p, struct unit *u, bool aside)
{
    for (uint32_t i = 0; i < u->n_more; i++)
        if (aside)
            pool_lift(&p->pool, &u->more[i].use);
        else
            pool_lay(&p->pool, &u->more[i].use);
}

void claims_drop(struct planner *p, struct unit *u)
{
    for (uint32_t i = 0; i < u->n_more; i++) {
        backfill_gain_all(&p->backfill, &u->more[i].use);
        pool_drop(&p->pool, &u->more[i].use);
        p->backfill.freed++;
    }
    free(u->more);
    u->more = NULL;
    u->n_more = 0;
    list_unlink(&u->in_claimers);
}

static bool are_sound(struct planner *p, struct unit *u)
{
    for (uint32_t i = 0; i < u->n_more; i++)
        if (!backfill_is_use_sound(&p->backfill, &u->more[i].use, u->hold.own))
            return false;
    return true;
}

bool claims_step_aside(struct planner *p, const struct unit *self, const struct backfill_item *it)
{
    bool any = false;
    list_for_each (u, &p->claimers, struct unit, in_claimers) {
        u->more_aside = u != self && u->hold.tier < it->tier && u->hold.visited != p->backfill.pass;
        any = any || u->more_aside;
        if (u->more_aside)
            claims_set_aside(p, u, true);
    }
    return any;
}

void claims_step_back(struct planner *p, const struct backfill_place *taken)
{
    struct pool_use use;
    list_for_each (u, &p->claimers, struct unit, in_claimers)
        if (u->more_aside)
            claims_set_aside(p, u, false);
    if (!taken)
        return;
    pool_hold(&p->pool, &use, &taken->parts, taken->start, when_plus(taken->start, taken->len));
    list_for_each (u, &p->claimers, struct unit, in_claimers)
        if (u->more_aside && !are_sound(p, u))
            claims_drop(p, u);
    pool_drop(&p->pool, &use);
}

void claims_sweep(struct planner *p)
{
    list_for_each (u, &p->claimers, struct unit, in_claimers) {
        bool over = !u->hold.use.parts || !u->hold.claim || (p->backfill.shaken && !are_sound(p, u));
        for (uint32_t i = 0; i < u->n_more; i++)
            over = over || u->more[i].use.start <= p->now.ms;
        if (over)
            claims_drop(p, u);
    }
}

void claims_copy(struct planner *p, struct unit *u, const struct unit *from)
{
    for (uint32_t i = 0; i < from->n_more; i++) {
        const struct claim *c = &from->more[i];
        struct pool_parts parts;
        parts_of(&c->use, &parts);
        add(p, u, c->lane, &parts, c->use.start, c->use.end);
        vec_fini(&parts.v);
    }
}
