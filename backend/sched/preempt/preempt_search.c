/* preempt_search.c - the search for victims. docs/SCHEDULER.md, "Preemption", has the rules.
 *
 * The jobs that stand last in the queue, among those the ones that lose the least work, and only if the
 * preemptor can then really start: from the end of the longest grace time on, for as long as it may run.
 *
 *     level    the lowest place in the queue such that it fits once all candidates up to it have gone
 *     one      among these: the one of least loss that is enough by itself; or, if that loses less,
 *     several  by their losses until it fits; those off its nodes are spared, then each that can be
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/sched/preempt/preempt_internal.h"

#define SINGLES_MAX 32 /* tried one by one if the preemptor takes several nodes */
#define GRACES_MAX  8  /* different ends of grace times that are tried */

struct preempt_search {
    struct preempt *p;
    const struct job *job; /* for whom */
    struct preemptor by;
    const struct plan_request *item;
    uint32_t at; /* which choice of it: */
    const struct plan_choice *choice;
    VEC(struct victim) all;           /* that could be asked */
    VEC(struct victim) v;             /* those whose grace time is over by `start` */
    VEC(struct active_job *) leaving; /* the same of jobs on their way out: suspended all the while */
    int64_t start;                    /* the latest start */
    struct pool_parts parts;
    bool one_node; /* then only nodes that a job leaves are looked at: */
    struct nodeset near;
    struct nodeset could;    /* nodes of the choice that would fit if all candidates went */
    struct pool_judge judge; /* of the request; for the time after `start` alone */
};

/* --- candidates --- */

bool active_lies_on(const struct active_job *r, const struct nodeset *s)
{
    vec_for_each (&r->v, i)
        for (uint32_t k = 0; k < r->v.v[i]->use.n_parts; k++)
            if (nodeset_has(s, r->v.v[i]->use.parts[k].node))
                return true;
    return false;
}

static int64_t search_end_of_grace(const struct preempt *p, uint32_t grace_s)
{
    return p->queue->now.ms + ((int64_t)grace_s + 1) * MS_PER_S;
}

static int64_t search_last_end(const struct active_job *r)
{
    int64_t end = 0;
    vec_for_each (&r->v, k)
        if (r->v.v[k]->use.parts && r->v.v[k]->use.end > end)
            end = r->v.v[k]->use.end;
    return end;
}

/* Grace time and fate by its QOS if it is preempted by the QOS rule, else by its partition. */
static void search_judge_victim(const struct model *m, struct victim *v)
{
    const struct part_spec *its = model_job_part(m, v->job);
    const struct qos_spec *q = spec_find_qos(&m->spec, job_qos(&v->job->req));
    uint32_t mode = its ? its->preempt_mode : PREEMPT_OFF;
    bool by_qos = v->rule == PREEMPT_RULE_QOS && q && (q->grace_s || q->preempt_mode != PREEMPT_OFF);
    if (by_qos && q->preempt_mode != PREEMPT_OFF)
        mode = q->preempt_mode;
    bool comes_back = mode != PREEMPT_CANCEL && v->job->kind != JOB_KIND_INTERACTIVE &&
                      req_detail(&v->job->req)->requeue != 2;
    bool at_once = comes_back && !by_qos && mode == PREEMPT_REQUEUE && its && !its->requeue_after_grace;
    v->fate = comes_back ? FATE_REQUEUE : FATE_END;
    v->grace_s = by_qos ? q->grace_s : its && !at_once ? its->grace_s : 0;
}

static void search_collect(struct preempt_search *h)
{
    struct preempt *p = h->p;
    const struct model *m = p->queue->view->model;
    list_for_each (r, &p->queue->active.candidates, struct active_job, in_candidates) {
        enum preempt_rule rule = preempt_rule_for(r, &h->by);
        p->queue->pool.cost++;
        bool here =
            rule != PREEMPT_RULE_NONE && r->job != h->job->id && !r->noted && active_lies_on(r, &h->could);
        const struct job *j = here ? model_get_job(m, r->job) : NULL;
        if (!j)
            continue;
        struct victim v = {.runs = r,
                           .job = j,
                           .queue_precedence = r->candidate.borrowed ? 0 : r->candidate.queue_precedence,
                           .prio = candidate_priority(p, r, j),
                           .rule = rule};
        search_judge_victim(m, &v);
        v.loss = victim_loss(p, &v);
        int64_t grace = search_end_of_grace(p, v.grace_s), limit = search_last_end(r);
        v.end = grace < limit ? grace : limit;
        vec_push(&h->all, v);
    }
}

/* --- where --- */

static void search_look_near(struct preempt_search *h, const struct active_job *r)
{
    vec_for_each (&r->v, i)
        for (uint32_t k = 0; k < r->v.v[i]->use.n_parts && h->one_node; k++)
            if (nodeset_has(&h->could, r->v.v[i]->use.parts[k].node))
                nodeset_add(&h->near, r->v.v[i]->use.parts[k].node);
}

static void search_look_nowhere(struct preempt_search *h)
{
    if (h->one_node)
        memset(h->near.bits, 0, h->near.words * sizeof *h->near.bits);
}

static void search_look_near_all(struct preempt_search *h)
{
    search_look_nowhere(h);
    vec_for_each (&h->v, i)
        search_look_near(h, h->v.v[i].runs);
    vec_for_each (&h->leaving, i)
        search_look_near(h, h->leaving.v[i]);
}

static void search_look_near_everywhere(struct preempt_search *h)
{
    vec_for_each (&h->all, i)
        search_look_near(h, h->all.v[i].runs);
}

/* --- trying --- */

static void search_suspend_active(struct pool *pool, struct active_job *r, bool away)
{
    r->away = away;
    vec_for_each (&r->v, i) {
        struct pool_use *u = &r->v.v[i]->use;
        if (!u->parts)
            continue;
        if (away)
            pool_suspend(pool, u);
        else
            pool_restore(pool, u);
    }
}

static void search_send_away(struct preempt_search *h, struct victim *v, bool away)
{
    if (v->away != away)
        search_suspend_active(&h->p->queue->pool, v->runs, away);
    v->away = away;
}

static bool search_is_awaited(const struct preempt_search *h, const struct active_job *r)
{
    return r->leaves_until > h->p->queue->now.ms && active_lies_on(r, &h->could);
}

/* Jobs on their way out are no obstacle: no other job is preempted in their place. */
static void search_suspend_leaving(struct preempt_search *h)
{
    list_for_each (r, &h->p->queue->active.leaving, struct active_job, in_leaving)
        if (search_is_awaited(h, r) && search_last_end(r) <= h->start) {
            search_suspend_active(&h->p->queue->pool, r, true);
            vec_push(&h->leaving, r);
        }
}

static void search_restore_leaving(struct preempt_search *h)
{
    vec_for_each (&h->leaving, i)
        search_suspend_active(&h->p->queue->pool, h->leaving.v[i], false);
    vec_clear(&h->leaving);
}

static void search_send_away_first(struct preempt_search *h, size_t n)
{
    vec_for_each (&h->v, i)
        search_send_away(h, &h->v.v[i], i < n);
}

/* Nodes that would not fit even if all went make no difference; but the listed ones must be there. */
static const struct nodeset *search_where_of(const struct preempt_search *h)
{
    return h->one_node ? &h->near : h->choice->set->n_listed ? h->choice->set : &h->could;
}

/* Limits are checked for the time that it runs, without the time before. */
static bool search_allows_run(void *ctx, uint32_t choice, const struct pool_parts *parts, int64_t len)
{
    struct preempt_search *h = ctx;
    (void)len;
    return pool_allows(&h->judge, parts, plan_request_length_at(h->item, choice, h->start));
}

/* Free for so long from now on: allocations that do not end before `start` are as much an obstacle as
 * planned starts. */
static bool search_is_free_for(struct preempt_search *h, int64_t len)
{
    const struct plan_choice *c = h->choice;
    struct pool_judge judge = {
        .allows = h->judge.allows ? search_allows_run : NULL, .ctx = h, .choice = h->at};
    if (c->own)
        pool_suspend(&h->p->queue->pool, c->own);
    bool yes = pool_place_allowed(&h->p->queue->pool, c->demand, search_where_of(h), h->p->queue->pool.now,
                                  len, &judge, &h->parts);
    if (c->own)
        pool_restore(&h->p->queue->pool, c->own);
    return yes;
}

/* Leaves enough of limits and licences for planned starts. */
static bool search_leaves_promises(struct preempt_search *h, int64_t len)
{
    const struct plan_request *it = h->item;
    if (!it->leaves || it->leaves(it->ctx, h->at, &h->parts, h->start, len))
        return true;
    h->judge.refused = true;
    return false;
}

static bool search_fits(struct preempt_search *h)
{
    int64_t len = plan_request_length_at(h->item, h->at, h->start);
    return plan_request_is_in_time(h->item, h->start, len) &&
           search_is_free_for(h, when_plus(len, h->start - h->p->queue->pool.now)) &&
           search_leaves_promises(h, len);
}

/* On one node: a victim makes room only where it ran. */
static size_t search_first_enough_near(struct preempt_search *h)
{
    search_send_away_first(h, 0);
    for (size_t n = 0; n < h->v.n; n++) {
        search_send_away(h, &h->v.v[n], true);
        search_look_nowhere(h);
        search_look_near(h, h->v.v[n].runs);
        if (search_fits(h))
            return n + 1;
    }
    return h->v.n + 1;
}

/* The smallest n such that it fits once the first n have gone; more than there are: none. */
static size_t search_first_enough(struct preempt_search *h)
{
    size_t low = 1, high = h->v.n + 1;
    if (h->one_node)
        return search_first_enough_near(h);
    search_send_away_first(h, h->v.n);
    if (!search_fits(h))
        return h->v.n + 1;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        search_send_away_first(h, mid);
        if (search_fits(h))
            high = mid;
        else
            low = mid + 1;
    }
    search_send_away_first(h, low);
    return low;
}

/* --- choosing --- */

static bool search_is_enough(struct preempt_search *h, size_t at)
{
    search_send_away(h, &h->v.v[at], true);
    search_look_nowhere(h);
    search_look_near(h, h->v.v[at].runs);
    return search_fits(h);
}

/* The first that is enough by itself, which is sent away; v.n: none. */
static size_t search_one_is_enough(struct preempt_search *h)
{
    search_send_away_first(h, 0);
    for (size_t i = 0; i < h->v.n && (i < SINGLES_MAX || h->one_node); i++) {
        if (search_is_enough(h, i))
            return i;
        search_send_away(h, &h->v.v[i], false);
    }
    return h->v.n;
}

static double search_loss(const struct preempt_search *h)
{
    double sum = 0;
    vec_for_each (&h->v, i)
        sum += h->v.v[i].away ? h->v.v[i].loss : 0;
    return sum;
}

static bool search_has_node(const struct pool_parts *parts, uint32_t node)
{
    vec_for_each (&parts->v, i)
        if (parts->v.v[i].node == node)
            return true;
    return false;
}

static bool search_is_in_way(const struct active_job *r, const struct pool_parts *parts)
{
    vec_for_each (&r->v, i)
        for (uint32_t k = 0; k < r->v.v[i]->use.n_parts; k++)
            if (search_has_node(parts, r->v.v[i]->use.parts[k].node))
                return true;
    return false;
}

static void search_spare_what_can_be(struct preempt_search *h)
{
    search_fits(h);
    vec_for_each (&h->v, i)
        if (h->v.v[i].away && !search_is_in_way(h->v.v[i].runs, &h->parts))
            search_send_away(h, &h->v.v[i], false);
    for (size_t i = h->v.n; i-- > 0;) {
        if (!h->v.v[i].away)
            continue;
        search_send_away(h, &h->v.v[i], false);
        if (!search_fits(h))
            search_send_away(h, &h->v.v[i], true);
    }
    search_fits(h);
}

/* The first that is enough alone, or several by their losses, whichever loses less. */
static void search_choose_least_loss(struct preempt_search *h)
{
    size_t one = search_one_is_enough(h);
    double alone = one < h->v.n ? h->v.v[one].loss : HUGE_VAL;
    if (one == 0)
        return;
    search_first_enough(h);
    search_spare_what_can_be(h);
    if (alone > search_loss(h))
        return;
    search_send_away_first(h, 0);
    search_is_enough(h, one);
}

/* Chooses the victims; none if it is enough to wait for jobs on their way out. */
static bool search_choose(struct preempt_search *h)
{
    search_look_near_all(h);
    if (h->leaving.n && search_fits(h))
        return true;
    if (h->v.n == 0)
        return false;
    victims_order_by_loss(h->v.v, h->v.n);
    size_t enough = search_first_enough(h);
    if (enough > h->v.n) {
        search_send_away_first(h, 0);
        return false;
    }
    /* All of the level that is reached, none above it. */
    uint64_t level = h->v.v[enough - 1].queue_precedence;
    search_send_away_first(h, 0);
    while (h->v.n && h->v.v[h->v.n - 1].queue_precedence > level)
        h->v.n--;
    search_choose_least_loss(h);
    return true;
}

/* --- what becomes of them --- */

static struct sched_preempt search_preempt_search_verdict(const struct preempt_search *h,
                                                          const struct victim *v)
{
    const struct model *m = h->p->queue->view->model;
    const struct part_spec *mine = &m->spec.parts.v[h->choice->partition], *its = model_job_part(m, v->job);
    struct sched_preempt r = {
        .job = v->job->id, .by_job = h->job->id, .grace_s = v->grace_s, .fate = v->fate};
    if (v->rule == PREEMPT_RULE_TIER)
        r.why = (struct cause){.code = CAUSE_PREEMPT_TIER,
                               .n = h->job->id,
                               .part = xstrdup(mine->name),
                               .most = mine->priority_tier,
                               .name = xstrdup(its->name),
                               .of = its->priority_tier};
    else if (v->rule == PREEMPT_RULE_QOS)
        r.why = (struct cause){.code = CAUSE_PREEMPT_QOS,
                               .n = h->job->id,
                               .name = xstrdup(job_qos(&h->job->req)),
                               .rule = xstrdup(job_qos(&v->job->req))};
    else
        r.why = (struct cause){.code = CAUSE_PREEMPT_BORROWED, .n = h->job->id};
    return r;
}

/* When the last job on its way out has left the nodes of the start. */
static int64_t search_end_of_leaving(const struct preempt_search *h)
{
    int64_t end = h->p->queue->now.ms + 1;
    vec_for_each (&h->leaving, i) {
        const struct active_job *r = h->leaving.v[i];
        vec_for_each (&r->v, k)
            if (search_is_in_way(r, &h->parts) && r->v.v[k]->use.end > end)
                end = r->v.v[k]->use.end;
    }
    return end;
}

/* The victim stays charged until its end; *ret_last: when that is. */
static void search_ask_to_go(struct preempt_search *h, const struct victim *v, int64_t *ret_last)
{
    struct preempt *p = h->p;
    struct sched_preempt s = search_preempt_search_verdict(h, v);
    int64_t end = search_end_of_grace(p, s.grace_s);
    vec_push(&p->out->preempts, s);
    vec_for_each (&v->runs->v, k) {
        plan_slots_note_freed_all(&p->queue->slots,
                                  &v->runs->v.v[k]->use); /* other jobs may use what it leaves too */
        if (v->runs->v.v[k]->use.parts && v->runs->v.v[k]->use.end > end)
            pool_change_end(&p->queue->pool, &v->runs->v.v[k]->use, end);
    }
    *ret_last = v->end > *ret_last ? v->end : *ret_last;
    candidate_before_change(p, v->runs);
    active_mark_leaving(p->queue, v->runs, h->job->id, WHEN_NEVER);
    candidate_after_change(p, v->runs);
    queue_note_job(p->queue, v->job->id);
}

static void search_carry_out(struct preempt_search *h, struct pending_entry *u)
{
    int64_t start = search_end_of_leaving(h);
    size_t n = h->p->out->preempts.n;
    u->victims_found = h->p->queue->cycle_no;
    search_restore_leaving(h);
    vec_for_each (&h->v, i)
        if (h->v.v[i].away) {
            search_send_away(h, &h->v.v[i], false);
            search_ask_to_go(h, &h->v.v[i], &start);
        }
    if (h->p->out->preempts.n == n) { /* enough go anyway */
        plan_slots_rebook_preemptor(&h->p->queue->slots, h->item, &u->slot);
        return;
    }
    struct placement at = {.choice = h->at,
                           .start = start,
                           .len = plan_request_length_at(h->item, h->at, start),
                           .parts = h->parts};
    plan_slots_book_preemptor(&h->p->queue->slots, h->item, &u->slot, &at);
}

/* The latest end of a candidate before `before`; 0: there is none. */
static int64_t search_latest_end(const struct preempt_search *h, int64_t before)
{
    int64_t end = 0;
    vec_for_each (&h->all, i)
        if (h->all.v[i].end < before && h->all.v[i].end > end)
            end = h->all.v[i].end;
    return end;
}

static int64_t search_latest_of_leaving(const struct preempt_search *h)
{
    int64_t end = 0;
    list_for_each (r, &h->p->queue->active.leaving, struct active_job, in_leaving)
        if (search_is_awaited(h, r) && search_last_end(r) != WHEN_NEVER && search_last_end(r) > end)
            end = search_last_end(r);
    return end;
}

/* With candidates that are gone by h->start. */
static bool search_choose_until(struct preempt_search *h)
{
    vec_clear(&h->v);
    vec_for_each (&h->all, i)
        if (h->all.v[i].end <= h->start)
            vec_push(&h->v, h->all.v[i]);
    search_suspend_leaving(h);
    bool found = search_choose(h);
    if (!found)
        search_restore_leaving(h);
    return found;
}

/* If all of them together are not enough for a moment, fewer are not either. */
static bool search_has_enough(struct preempt_search *h)
{
    search_suspend_leaving(h);
    search_send_away_first(h, h->v.n);
    search_look_near_all(h);
    bool enough = search_is_free_for(h, 1);
    search_send_away_first(h, 0);
    search_restore_leaving(h);
    return enough;
}

/* By the end of the longest grace time all are candidates. If a planned start is in the way then, the job
 * may still start by the end of a shorter one, with fewer candidates. */
static bool search_choose_when(struct preempt_search *h)
{
    int64_t graces = search_latest_end(h, WHEN_NEVER), leaving = search_latest_of_leaving(h);
    h->start = leaving > graces ? leaving : graces;
    for (int i = 0; h->start && i < GRACES_MAX; i++) {
        if (search_choose_until(h))
            return true;
        if (i == 0 && !search_has_enough(h))
            return false;
        h->start = search_latest_end(h, h->start);
    }
    return false;
}

static void search_init(struct preempt_search *h, const struct pending_entry *u)
{
    struct preempt *p = h->p;
    h->job = queue_job(p->queue, u->job);
    h->choice = &h->item->choices[h->at];
    h->judge = plan_request_judge(h->item, h->at);
    h->by = preemptor_of(p, h->item->tier, u->class->qos);
    h->one_node = h->choice->demand->nodes_max == 1 && !h->choice->set->n_listed;
    nodeset_init(&h->could, p->queue->pool.n_nodes);
    candidates_fill_nodes(p, request_shape_of(u, h->choice), u->class->qos, &h->could);
    search_collect(h);
    if (h->one_node)
        nodeset_init(&h->near, p->queue->pool.n_nodes);
}

static void search_fini(struct preempt_search *h)
{
    search_restore_leaving(h);
    nodeset_fini(&h->near);
    nodeset_fini(&h->could);
    vec_fini(&h->all);
    vec_fini(&h->v);
    vec_fini(&h->leaving);
    vec_fini(&h->parts.v);
}

/* Slots that may give way are out of the pool: all of them, or those of jobs behind it. */
static enum search_result search_for(struct preempt_search *h, struct pending_entry *u, bool all)
{
    struct preempt *p = h->p;
    uint64_t visited = u->slot.visited;
    u->slot.visited = p->queue->slots.iteration; /* its own is suspended here */
    if (all)
        plan_slots_suspend_all(&p->queue->slots, h->item);
    else
        plan_slots_suspend_behind(&p->queue->slots, h->item);
    if (u->slot.use.parts)
        pool_suspend(&p->queue->pool, &u->slot.use);
    h->start = p->queue->now.ms;
    search_look_near_everywhere(h);
    bool fits_now = search_fits(h); /* it starts without preemption */
    bool found = !fits_now && search_choose_when(h);
    if (u->slot.use.parts)
        pool_restore(&p->queue->pool, &u->slot.use);
    plan_slots_restore_behind(&p->queue->slots);
    u->slot.visited = visited;
    bool own_end = h->item->deadline != WHEN_NEVER || h->item->ends; /* it may be just this one */
    return found ? SEARCH_FOUND : fits_now || own_end || h->judge.refused ? SEARCH_UNKNOWN : SEARCH_NONE;
}

enum search_result preempt_search_run(struct preempt *p, struct pending_entry *u,
                                      const struct plan_request *it, uint32_t choice)
{
    struct preempt_search h = {.p = p, .item = it, .at = choice};
    search_init(&h, u);
    p->search_cost += 5 + (uint32_t)h.all.n / 8 + (h.one_node ? 0 : h.could.n / 8);
    enum search_result result = search_for(&h, u, false);
    if (result == SEARCH_FOUND)
        search_carry_out(&h, u);
    search_fini(&h);
    return result;
}

enum search_result preempt_search_ask(struct preempt *p, struct pending_entry *u,
                                      const struct plan_request *it, uint32_t choice)
{
    struct preempt_search h = {.p = p, .item = it, .at = choice};
    search_init(&h, u);
    enum search_result result = search_for(&h, u, true);
    vec_for_each (&h.v, i)
        search_send_away(&h, &h.v.v[i], false);
    search_fini(&h);
    return result;
}
