/* plan_slots_book.c - the place that is held for an item which cannot start: where, and where else. */
#include "backend/sched/resources/plan_slots_internal.h"

/* counts: in which lane; NO_LANE: in none. */
static void hold(struct backfill *b, const struct backfill_item *it, struct backfill_hold *h, bool claim,
                 uint32_t counts, const struct backfill_place *at)
{
    const struct backfill_choice *c = &it->choices[at->choice];
    *h = (struct backfill_hold){.lane = c->lane,
                                .entry = it->entry,
                                .tier = it->tier,
                                .counts = counts,
                                .claim = claim,
                                .visited = b->pass,
                                .mark = backfill_mark(b),
                                .own = c->own};
    pool_hold(b->pool, &h->use, &at->parts, at->start, when_plus(at->start, at->len));
    list_append(&b->holds, &h->link);
    if (counts != NO_LANE)
        b->lanes[counts].n_held++;
}

/* What it waited for did not end in time, or is gone. */
static bool is_broken(struct backfill *b, struct backfill_hold *h)
{
    return h->use.start <= b->pool->now || (b->shaken && !backfill_is_sound(b, h));
}

/* Moves it to an earlier start where there is one now. */
static bool move_earlier(struct backfill *b, const struct backfill_item *it, struct backfill_hold *h,
                         uint32_t counts)
{
    struct backfill_place at = {0};
    struct backfill_item part;
    bool claim = h->claim, limited = h->limited, earlier = false, others = false;
    backfill_narrow(b, it, h, &part);
    if (part.n_choices) {
        pool_lift(b->pool, &h->use);
        others = backfill_lift_plans_below(b, &part, claim);
        earlier = backfill_earliest(b, &part, h->use.start, &at);
        if (others)
            backfill_lay_behind(b);
        pool_lay(b->pool, &h->use);
    }
    if (earlier) {
        backfill_give_up(b, h);
        hold(b, it, h, claim, counts, &at);
    }
    if (earlier && others)
        backfill_push_aside(b);
    h->mark = backfill_mark(b);
    h->limited = limited;
    backfill_place_fini(&at);
    return earlier;
}

/* No later than before, and earlier where that has become possible. */
static bool hold_again(struct backfill *b, const struct backfill_item *it, struct backfill_hold *h)
{
    uint32_t counts = h->claim || is_broken(b, h) ? NO_LANE : backfill_lane_left(b, it, h->counts);
    if (counts == NO_LANE) {
        backfill_give_up(b, h);
        return backfill_reserve(b, it, h);
    }
    if (!move_earlier(b, it, h, counts)) {
        b->lanes[counts].n_held++;
        h->counts = counts;
    }
    return true;
}

/* At the earliest that those before it leave. */
static bool hold_anew(struct backfill *b, const struct backfill_item *it, struct backfill_hold *h,
                      bool claim)
{
    struct backfill_place at = {0};
    bool others = backfill_lift_plans_behind(b, it, claim),
         found = backfill_earliest(b, it, WHEN_NEVER, &at);
    if (others)
        backfill_lay_behind(b);
    /* The turn of a higher tier was over while it had a better place: it may find one there now. */
    b->again = b->again || (h->lost == b->pass && it->entry > 0);
    if (found)
        hold(b, it, h, claim, claim ? NO_LANE : backfill_lane_left(b, it, it->choices[at.choice].lane),
             &at);
    if (found && others)
        backfill_push_aside(b);
    backfill_place_fini(&at);
    return found;
}

/* Another entry holds a place for it: this one does in its stead where it finds an earlier one. Only
 * upwards: were it to move down as well, a job before it might get a place by that which then takes the new
 * one, and so on round. Where places are made anew in each pass the first one stays. */
static bool hold_instead(struct backfill *b, const struct backfill_item *it, struct backfill_hold *h)
{
    struct backfill_place at = {0};
    if (!b->opts.keep || it->entry > h->entry || !backfill_may_hold(b, it))
        return false;
    uint64_t visited = backfill_set_own_aside(b, h);
    bool others = backfill_lift_plans_behind(b, it, false),
         found = backfill_earliest(b, it, h->use.start, &at);
    if (others)
        backfill_lay_behind(b);
    backfill_lay_own(b, h, visited);
    if (found) {
        backfill_give_up_counted(b, h);
        hold(b, it, h, false, backfill_lane_left(b, it, it->choices[at.choice].lane), &at);
        backfill_push_aside(b);
    }
    backfill_place_fini(&at);
    return found;
}

bool backfill_reserve(struct backfill *b, const struct backfill_item *it, struct backfill_hold *h)
{
    if (h->use.parts && h->entry != it->entry) {
        bool instead = hold_instead(b, it, h);
        backfill_close(b, it);
        return instead;
    }
    if (h->use.parts)
        return hold_again(b, it, h);
    bool found = backfill_may_hold(b, it) && hold_anew(b, it, h, false);
    backfill_close(b, it);
    return found;
}

void backfill_claim(struct backfill *b, const struct backfill_item *it, struct backfill_hold *h,
                    const struct backfill_place *at)
{
    backfill_give_up(b, h);
    hold(b, it, h, true, NO_LANE, at);
    list_for_each (other, &b->holds, struct backfill_hold, link)
        other->aside = other->visited != b->pass && (!other->claim || other->tier < it->tier);
    backfill_push_aside(b);
    backfill_close(b, it);
}

/* Its time has come and it cannot start, behind somebody who waits in its lane: the same place from now on,
 * if it is still free. Else everybody would be asked in each pass who may have use for it. */
static bool put_off(struct backfill *b, const struct backfill_item *it, struct backfill_hold *h)
{
    struct backfill_place at = {0};
    pool_lift(b->pool, &h->use);
    bool same = backfill_earliest(b, it, when_plus(b->pool->now, 1), &at) && backfill_is_same_place(h, &at);
    pool_lay(b->pool, &h->use);
    if (same) {
        backfill_give_up_for_same(b, h);
        hold(b, it, h, true, NO_LANE, &at);
    }
    backfill_place_fini(&at);
    return same;
}

/* Its victims leave nodes of this entry, but another entry has planned a start. The claim replaces that
 * start unless it is later. Giving the start up without a claim would free a place in each cycle that the
 * other entry takes again in the next one. */
static bool claim_instead(struct backfill *b, const struct backfill_item *it, struct backfill_hold *h)
{
    struct backfill_place at = {0};
    uint64_t visited = backfill_set_own_aside(b, h);
    bool others = backfill_lift_plans_behind(b, it, true),
         found = backfill_earliest(b, it, when_plus(h->use.start, 1), &at);
    if (others)
        backfill_lay_behind(b);
    backfill_lay_own(b, h, visited);
    if (found) {
        backfill_give_up_counted(b, h);
        hold(b, it, h, true, NO_LANE, &at);
        backfill_push_aside(b);
    }
    backfill_place_fini(&at);
    return found;
}

bool backfill_claim_again(struct backfill *b, const struct backfill_item *it, struct backfill_hold *h)
{
    backfill_close(b, it);
    if (h->use.parts && h->entry != it->entry)
        return claim_instead(b, it, h);
    if (h->use.parts && h->claim && !is_broken(b, h)) {
        move_earlier(b, it, h, NO_LANE);
        return true;
    }
    if (h->use.parts && h->claim && put_off(b, it, h))
        return true;
    backfill_give_up(b, h);
    return hold_anew(b, it, h, true);
}
