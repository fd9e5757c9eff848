/* preempt.c - who goes so that another can start.
 *
 * A running job may have to go for another that
 *   tier      stands in a partition of a higher tier, where the job's own partition has a preempt_mode
 *   QOS       has a QOS that names the job's
 *   borrowed  is within its own soft limits, while the job runs over one
 *
 * Of those the fewest possible of the lowest priorities, the youngest among equals, and only if the other
 * can then really start:
 *
 *     level    the lowest priority such that it fits once all up to there have gone
 *     one      among these: the first that is enough by itself; else
 *     several  largest first until it fits, those off its nodes spared, then each spared that can be
 */
#include <stdlib.h>
#include <string.h>

#include "backend/sched/planner_private.h"

#define SINGLES_MAX 32  /* tried one by one where it goes to several nodes */
#define HUNTS_MAX   100 /* in one decision, by what they cost; the others have their turn in the next ones \
                         */

enum rule { RULE_NONE, RULE_TIER, RULE_QOS, RULE_BORROWED };

struct victim {
    struct prey of;
    enum rule rule;
    bool away; /* lifted from the pool */
};

struct hunt {
    struct planner *p;
    const struct job *job; /* for whom */
    const struct qos_spec *qos;
    const struct backfill_item *item;
    const struct backfill_choice *choice;
    VEC(struct victim) v;
    VEC(struct runs *) leaving; /* lifted all the while: they go anyway */
    struct pool_parts parts;
    bool one_node; /* then only nodes that somebody leaves have to be looked at: */
    struct nodeset near;
};

static const struct qos_spec *qos_of(const struct model *m, const char *name)
{
    for (size_t i = 0; name && i < m->spec.qos.n; i++)
        if (str_eq(m->spec.qos.v[i].name, name))
            return &m->spec.qos.v[i];
    return NULL;
}

/* --- who could be asked to go --- */

static int64_t size_of(const struct runs *r)
{
    int64_t size = 0;
    vec_for_each (&r->v, i)
        for (uint32_t k = 0; k < r->v.v[i]->use.n_parts; k++)
            size += r->v.v[i]->use.parts[k].amount.gpus * 1000 + r->v.v[i]->use.parts[k].amount.cpus;
    return size;
}

static bool any_qos_preempts(const struct model *m, const char *qos)
{
    for (size_t i = 0; qos && i < m->spec.qos.n; i++)
        if (strv_has(&m->spec.qos.v[i].preempt, qos))
            return true;
    return false;
}

/* All that may be asked by anybody: found once in a pass. */
static void find_prey(struct planner *p)
{
    const struct model *m = p->view->model;
    if (p->prey_known)
        return;
    p->prey_known = true;
    vec_clear(&p->prey);
    list_for_each (r, &p->running, struct runs, link) {
        const struct job *j = model_get_job(m, r->job);
        if (!j || j->kill_cause != KILL_NONE || (j->state != JOB_RUNNING && j->state != JOB_SUSPENDED))
            continue;
        const struct part_spec *part = model_job_part(m, j);
        bool by_tier = part && part->preempt_mode != PREEMPT_OFF;
        if (!by_tier && !j->borrowed && !any_qos_preempts(m, j->req.qos))
            continue;
        vec_push(&p->prey, (struct prey){.runs = r,
                                         .job = j,
                                         .prio = prio_of(&p->prio, j, part, NULL),
                                         .size = size_of(r),
                                         .tier = by_tier ? part->priority_tier : UINT32_MAX});
    }
}

static enum rule rule_for(const struct hunt *h, const struct prey *v)
{
    const struct part_spec *mine = &h->p->view->model->spec.parts.v[h->choice->lane];
    if (v->job->id == h->job->id || !list_empty(&v->runs->in_leaving))
        return RULE_NONE;
    if (v->tier < mine->priority_tier)
        return RULE_TIER;
    if (h->qos && v->job->req.qos && strv_has(&h->qos->preempt, v->job->req.qos))
        return RULE_QOS;
    return v->job->borrowed ? RULE_BORROWED : RULE_NONE;
}

static bool lies_on(const struct runs *r, const struct nodeset *s)
{
    vec_for_each (&r->v, i)
        for (uint32_t k = 0; k < r->v.v[i]->use.n_parts; k++)
            if (nodeset_has(s, r->v.v[i]->use.parts[k].node))
                return true;
    return false;
}

static void collect(struct hunt *h)
{
    struct planner *p = h->p;
    vec_for_each (&p->prey, i) {
        enum rule rule = rule_for(h, &p->prey.v[i]);
        if (rule != RULE_NONE && lies_on(p->prey.v[i].runs, h->choice->set))
            vec_push(&h->v, (struct victim){.of = p->prey.v[i], .rule = rule});
    }
}

/* --- whether it is worth looking --- */

static void add_runs(struct ground *g, const struct runs *r)
{
    vec_for_each (&r->v, i)
        for (uint32_t k = 0; k < r->v.v[i]->use.n_parts; k++) {
            const struct pool_part *part = &r->v.v[i]->use.parts[k];
            g->more[part->node] = amount_plus(g->more[part->node], part->amount);
            nodeset_add(&g->nodes, part->node);
        }
}

/* Made once in a decision; who has been asked to go since is in it already. */
static const struct ground *ground_of(const struct hunt *h)
{
    struct planner *p = h->p;
    uint32_t tier = p->view->model->spec.parts.v[h->choice->lane].priority_tier;
    vec_for_each (&p->grounds, i)
        if (p->grounds.v[i].tier == tier && p->grounds.v[i].qos == h->qos)
            return &p->grounds.v[i];
    struct ground g = {.tier = tier, .qos = h->qos};
    g.more = xcalloc(p->pool.n_nodes ? p->pool.n_nodes : 1, sizeof *g.more);
    nodeset_init(&g.nodes, p->pool.n_nodes);
    vec_for_each (&p->prey, i)
        if (rule_for(h, &p->prey.v[i]) != RULE_NONE)
            add_runs(&g, p->prey.v[i].runs);
    list_for_each (r, &p->leaving, struct runs, in_leaving)
        add_runs(&g, r);
    vec_push(&p->grounds, g);
    return &p->grounds.v[p->grounds.n - 1];
}

void planner_end_hunt(struct planner *p)
{
    vec_for_each (&p->grounds, i) {
        free(p->grounds.v[i].more);
        nodeset_fini(&p->grounds.v[i].nodes);
    }
    vec_clear(&p->grounds);
}

/* Whether there are nodes enough that could do if all went: most hunts end here. */
static bool is_worth_it(const struct hunt *h)
{
    const struct ground *g = ground_of(h);
    uint32_t found = 0, most = h->one_node ? 1 : h->choice->demand->need.nodes;
    const struct nodeset *near = h->one_node ? &g->nodes : h->choice->set;
    for (uint32_t w = 0; w < near->words && found < most; w++)
        for (uint64_t left = near->bits[w] & h->choice->set->bits[w]; left && found < most;
             left &= left - 1) {
            uint32_t node = w * 64 + (uint32_t)__builtin_ctzll(left);
            found += pool_could_take_with(&h->p->pool, h->choice->demand, node, g->more[node]);
        }
    return found == most;
}

/* --- where --- */

static void look_near(struct hunt *h, const struct runs *r)
{
    vec_for_each (&r->v, i)
        for (uint32_t k = 0; k < r->v.v[i]->use.n_parts && h->one_node; k++)
            if (nodeset_has(h->choice->set, r->v.v[i]->use.parts[k].node))
                nodeset_add(&h->near, r->v.v[i]->use.parts[k].node);
}

static void look_nowhere(struct hunt *h)
{
    if (h->one_node)
        memset(h->near.bits, 0, h->near.words * sizeof *h->near.bits);
}

static void look_near_all(struct hunt *h)
{
    look_nowhere(h);
    vec_for_each (&h->v, i)
        look_near(h, h->v.v[i].of.runs);
    vec_for_each (&h->leaving, i)
        look_near(h, h->leaving.v[i]);
}

/* --- trying --- */

static void lift_runs(struct pool *pool, struct runs *r, bool away)
{
    vec_for_each (&r->v, i) {
        struct pool_use *u = &r->v.v[i]->use;
        if (!u->parts)
            continue;
        if (away)
            pool_lift(pool, u);
        else
            pool_lay(pool, u);
    }
}

static void send_away(struct hunt *h, struct victim *v, bool away)
{
    if (v->away != away)
        lift_runs(&h->p->pool, v->of.runs, away);
    v->away = away;
}

/* Those who are on their way out are no longer in the way: nobody else goes in their place. */
static void lift_leaving(struct hunt *h)
{
    list_for_each (r, &h->p->leaving, struct runs, in_leaving)
        if (r->leaves_until > h->p->now.ms && lies_on(r, h->choice->set)) {
            lift_runs(&h->p->pool, r, true);
            vec_push(&h->leaving, r);
        }
}

static void lay_leaving(struct hunt *h)
{
    vec_for_each (&h->leaving, i)
        lift_runs(&h->p->pool, h->leaving.v[i], false);
    vec_clear(&h->leaving);
}

static void send_away_first(struct hunt *h, size_t n)
{
    vec_for_each (&h->v, i)
        send_away(h, &h->v.v[i], i < n);
}

static bool fits(struct hunt *h)
{
    const struct backfill_choice *c = h->choice;
    if (c->own)
        pool_lift(&h->p->pool, c->own);
    bool yes = pool_place(&h->p->pool, c->demand, h->one_node ? &h->near : c->set, h->p->pool.now, c->len,
                          &h->parts);
    if (c->own)
        pool_lay(&h->p->pool, c->own);
    return yes;
}

/* On one node: each that goes can only have made room where it ran. */
static size_t first_enough_near(struct hunt *h)
{
    send_away_first(h, 0);
    for (size_t n = 0; n < h->v.n; n++) {
        send_away(h, &h->v.v[n], true);
        look_nowhere(h);
        look_near(h, h->v.v[n].of.runs);
        if (fits(h))
            return n + 1;
    }
    return h->v.n + 1;
}

/* The smallest n with which it fits once the first n have gone; more than there are: none. */
static size_t first_enough(struct hunt *h)
{
    size_t low = 1, high = h->v.n + 1;
    if (h->one_node)
        return first_enough_near(h);
    send_away_first(h, h->v.n);
    if (!fits(h))
        return h->v.n + 1;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        send_away_first(h, mid);
        if (fits(h))
            high = mid;
        else
            low = mid + 1;
    }
    send_away_first(h, low);
    return low;
}

static int by_prio(const void *pa, const void *pb)
{
    const struct victim *a = pa, *b = pb;
    if (a->of.prio != b->of.prio)
        return a->of.prio < b->of.prio ? -1 : 1;
    if (a->of.job->t_start.ms != b->of.job->t_start.ms)
        return a->of.job->t_start.ms > b->of.job->t_start.ms ? -1 : 1;
    return a->of.job->id > b->of.job->id ? -1 : a->of.job->id < b->of.job->id;
}

static int by_prio_and_size(const void *pa, const void *pb)
{
    const struct victim *a = pa, *b = pb;
    if (a->of.prio != b->of.prio)
        return a->of.prio < b->of.prio ? -1 : 1;
    return a->of.size != b->of.size ? (a->of.size > b->of.size ? -1 : 1) : by_prio(pa, pb);
}

/* --- choosing --- */

static bool one_is_enough(struct hunt *h)
{
    send_away_first(h, 0);
    for (size_t i = 0; i < h->v.n && (i < SINGLES_MAX || h->one_node); i++) {
        send_away(h, &h->v.v[i], true);
        look_nowhere(h);
        look_near(h, h->v.v[i].of.runs);
        if (fits(h))
            return true;
        send_away(h, &h->v.v[i], false);
    }
    return false;
}

static bool has_node(const struct pool_parts *parts, uint32_t node)
{
    vec_for_each (&parts->v, i)
        if (parts->v.v[i].node == node)
            return true;
    return false;
}

static bool is_in_way(const struct runs *r, const struct pool_parts *parts)
{
    vec_for_each (&r->v, i)
        for (uint32_t k = 0; k < r->v.v[i]->use.n_parts; k++)
            if (has_node(parts, r->v.v[i]->use.parts[k].node))
                return true;
    return false;
}

static void spare_what_can_be(struct hunt *h)
{
    fits(h);
    vec_for_each (&h->v, i)
        if (h->v.v[i].away && !is_in_way(h->v.v[i].of.runs, &h->parts))
            send_away(h, &h->v.v[i], false);
    for (size_t i = h->v.n; i-- > 0;) {
        if (!h->v.v[i].away)
            continue;
        send_away(h, &h->v.v[i], false);
        if (!fits(h))
            send_away(h, &h->v.v[i], true);
    }
    fits(h);
}

/* Sends away whom it takes; nobody where it is enough to wait for those who leave. */
static bool choose(struct hunt *h)
{
    look_near_all(h);
    if (h->leaving.n && fits(h))
        return true;
    if (h->v.n == 0)
        return false;
    qsort(h->v.v, h->v.n, sizeof *h->v.v, by_prio);
    size_t enough = first_enough(h);
    if (enough > h->v.n) {
        send_away_first(h, 0);
        return false;
    }
    /* All of the level that is reached; nobody above it. */
    uint32_t level = h->v.v[enough - 1].of.prio;
    send_away_first(h, 0);
    while (h->v.n && h->v.v[h->v.n - 1].of.prio > level)
        h->v.n--;
    if (one_is_enough(h))
        return true;
    qsort(h->v.v, h->v.n, sizeof *h->v.v, by_prio_and_size);
    first_enough(h);
    spare_what_can_be(h);
    return true;
}

/* --- what becomes of them --- */

static struct sched_preempt sentence(const struct hunt *h, const struct victim *v)
{
    const struct model *m = h->p->view->model;
    const struct part_spec *mine = &m->spec.parts.v[h->choice->lane], *its = model_job_part(m, v->of.job);
    const struct qos_spec *q = qos_of(m, v->of.job->req.qos);
    uint32_t mode = its ? its->preempt_mode : PREEMPT_OFF, grace_s = its ? its->grace_s : 0;
    bool waits = mode != PREEMPT_REQUEUE || (its && its->requeue_after_grace);
    if (v->rule == RULE_QOS && q && (q->grace_s || q->preempt_mode != PREEMPT_OFF)) {
        mode = q->preempt_mode != PREEMPT_OFF ? q->preempt_mode : mode;
        grace_s = q->grace_s;
        waits = true;
    }
    bool comes_back =
        mode != PREEMPT_CANCEL && v->of.job->kind != JOB_KIND_INTERACTIVE && v->of.job->req.requeue != 2;
    struct sched_preempt r = {.job = v->of.job->id,
                              .by_job = h->job->id,
                              .grace_s = waits ? grace_s : 0,
                              .fate = comes_back ? FATE_REQUEUE : FATE_END};
    if (v->rule == RULE_TIER)
        r.text = xasprintf("job %u in partition %s (tier %u) comes before partition %s (tier %u)",
                           h->job->id, mine->name, mine->priority_tier, its->name, its->priority_tier);
    else if (v->rule == RULE_QOS)
        r.text = xasprintf("job %u has QOS %s, which may preempt QOS %s", h->job->id, h->job->req.qos,
                           v->of.job->req.qos);
    else
        r.text = xasprintf("job %u is within its limits and needs what this job had borrowed", h->job->id);
    return r;
}

/* When the last of those has gone who are in the way where it is to start. */
static int64_t end_of_leaving(const struct hunt *h)
{
    int64_t end = h->p->now.ms + 1;
    vec_for_each (&h->leaving, i) {
        const struct runs *r = h->leaving.v[i];
        vec_for_each (&r->v, k)
            if (is_in_way(r, &h->parts) && r->v.v[k]->use.end > end)
                end = r->v.v[k]->use.end;
    }
    return end;
}

static int64_t end_of_grace(const struct hunt *h, uint32_t grace_s)
{
    return h->p->now.ms + ((int64_t)grace_s + 1) * MS_PER_S;
}

/* The victims are charged until they have gone; ret: when that is. */
static void ask_to_go(struct hunt *h, const struct victim *v, int64_t *ret_last)
{
    struct planner *p = h->p;
    struct sched_preempt s = sentence(h, v);
    int64_t end = end_of_grace(h, s.grace_s);
    vec_push(&p->out->preempts, s);
    vec_for_each (&v->of.runs->v, k)
        if (v->of.runs->v.v[k]->use.parts && v->of.runs->v.v[k]->use.end > end)
            pool_change_end(&p->pool, &v->of.runs->v.v[k]->use, end);
    *ret_last = end > *ret_last ? end : *ret_last;
    planner_see_off(p, v->of.runs, h->job->id, WHEN_NEVER);
    planner_note_job(p, v->of.job->id);
}

static void carry_out(struct hunt *h, struct unit *u)
{
    int64_t start = end_of_leaving(h);
    size_t n = h->p->out->preempts.n;
    lay_leaving(h);
    vec_for_each (&h->v, i)
        if (h->v.v[i].away) {
            send_away(h, &h->v.v[i], false);
            ask_to_go(h, &h->v.v[i], &start);
        }
    if (h->p->out->preempts.n == n) { /* enough go anyway */
        backfill_claim_again(&h->p->backfill, h->item, &u->hold);
        return;
    }
    struct backfill_place at = {.choice = (uint32_t)(h->choice - h->item->choices),
                                .start = start,
                                .len = h->choice->len,
                                .parts = h->parts};
    backfill_claim(&h->p->backfill, h->item, &u->hold, &at);
}

/* Even if all went at once, with the longest grace that anybody has. */
static bool is_too_late(const struct hunt *h)
{
    uint32_t grace_s = 0;
    vec_for_each (&h->v, i) {
        const struct part_spec *part = model_job_part(h->p->view->model, h->v.v[i].of.job);
        grace_s = part && part->grace_s > grace_s ? part->grace_s : grace_s;
    }
    return h->item->deadline != WHEN_NEVER &&
           when_plus(end_of_grace(h, grace_s), h->choice->len) > h->item->deadline;
}

bool planner_is_waited_for(const struct planner *p, uint32_t job)
{
    list_for_each (r, &p->leaving, struct runs, in_leaving)
        if (r->for_job == job && r->leaves_until > p->now.ms)
            return true;
    return false;
}

static struct shape *shape_of(const struct unit *u, const struct backfill_choice *c)
{
    for (uint32_t i = 0; i < u->group->n_choices; i++)
        if (&u->group->shapes[i]->demand == c->demand)
            return u->group->shapes[i];
    return NULL;
}

static bool hunt(struct planner *p, struct unit *u, const struct backfill_item *it, uint32_t choice)
{
    struct hunt h = {.p = p, .job = planner_job(p, u->job), .item = it, .choice = &it->choices[choice]};
    struct shape *s = shape_of(u, h.choice);
    h.qos = qos_of(p->view->model, h.job->req.qos);
    h.one_node = h.choice->demand->nodes_max == 1 && !h.choice->set->n_listed;
    if (p->hunts >= HUNTS_MAX) {
        p->look_again = true;
        p->hunting = false;
        return false;
    }
    if (s->hunt_at == p->decision && s->hunt_freed == p->backfill.freed && s->hunt_qos == h.qos)
        return false;
    if (!is_worth_it(&h)) {
        s->hunt_at = p->decision;
        s->hunt_freed = p->backfill.freed;
        s->hunt_qos = h.qos;
        return false;
    }
    collect(&h);
    if (h.one_node)
        nodeset_init(&h.near, p->pool.n_nodes);
    bool too_late = is_too_late(&h), found = false;
    if (!too_late) {
        backfill_lift_behind(&p->backfill, it);
        if (u->hold.use.parts)
            pool_lift(&p->pool, &u->hold.use);
        look_near_all(&h);
        found = !fits(&h); /* else it starts by itself as soon as it may */
        lift_leaving(&h);
        found = found && choose(&h);
        if (found && !backfill_allows(it, choice, &h.parts, h.choice->len)) { /* nobody goes for nothing */
            send_away_first(&h, 0);
            found = false;
        }
        if (u->hold.use.parts)
            pool_lay(&p->pool, &u->hold.use);
        backfill_lay_behind(&p->backfill);
    }
    p->hunts += found ? 4 : h.one_node ? 1 : 50;
    if (found)
        carry_out(&h, u);
    lay_leaving(&h);
    if (!found && !too_late) {
        s->hunt_at = p->decision;
        s->hunt_freed = p->backfill.freed;
        s->hunt_qos = h.qos;
    }
    nodeset_fini(&h.near);
    vec_fini(&h.v);
    vec_fini(&h.leaving);
    vec_fini(&h.parts.v);
    return found;
}

bool planner_may_hunt(struct planner *p)
{
    if (!p->may_preempt || !p->looked.n)
        return false;
    find_prey(p);
    return p->prey.n || !list_empty(&p->leaving);
}

bool planner_preempt(struct planner *p, struct unit *u, const struct backfill_item *it)
{
    bool claims = u->hold.use.parts && u->hold.claim && !list_empty(&p->leaving);
    if (planner_is_waited_for(p, u->job) || (claims && !p->hunting))
        return backfill_claim_again(&p->backfill, it, &u->hold);
    for (uint32_t i = 0; i < it->n_choices && p->hunting; i++)
        if (hunt(p, u, it, i))
            return true;
    return false;
}
