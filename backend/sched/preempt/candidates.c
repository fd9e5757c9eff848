/* candidates.c - the running jobs that may be preempted, and whether a search can succeed.
 *
 * An active job is read again when an event names it. For each tier and QOS that has searched there is a
 * `reclaimable`: how much more would come free on each node if all its candidates went. It follows starts
 * and ends. A search without victims is remembered with its shape: what is free and what could be reclaimed
 * together only grow on nodes in the freed log (a job that starts on free nodes and may go again changes
 * nothing), so until then another search is futile.
 */
#include <stdlib.h>
#include <string.h>

#include "backend/sched/preempt/preempt_internal.h"

static bool candidates_any_qos_preempts(const struct model *m, const char *qos)
{
    for (size_t i = 0; qos && i < m->spec.qos.n; i++)
        if (strv_has(&m->spec.qos.v[i].preempt, qos))
            return true;
    return false;
}

static bool candidates_has_left(const struct active_job *r)
{
    return !list_empty(&r->in_leaving);
}

struct preemptor preemptor_of(const struct preempt *p, uint32_t tier, const struct qos_spec *qos)
{
    uint32_t level = qos ? p->queue->qos_levels[qos - p->queue->view->model->spec.qos.v] : 0;
    return (struct preemptor){.tier = tier, .qos = qos, .queue_precedence = queue_precedence(tier, level)};
}

/* Borrowed jobs stand behind all others; else tiers come before QOS, and equals do not preempt
 * each other. */
static enum preempt_rule candidates_rule(const struct preempt_candidate *its, const struct preemptor *by)
{
    if (!its->borrowed && its->queue_precedence >= by->queue_precedence)
        return PREEMPT_RULE_NONE;
    if (its->by_tier && its->tier < by->tier)
        return PREEMPT_RULE_TIER;
    if (by->qos && its->qos && strv_has(&by->qos->preempt, its->qos->name))
        return PREEMPT_RULE_QOS;
    return its->borrowed ? PREEMPT_RULE_BORROWED : PREEMPT_RULE_NONE;
}

enum preempt_rule preempt_rule_for(const struct active_job *r, const struct preemptor *by)
{
    bool may = r->candidate.any && !candidates_has_left(r);
    return may ? candidates_rule(&r->candidate, by) : PREEMPT_RULE_NONE;
}

const struct active_job *preempt_first_exempt(const struct preempt *p, const struct preemptor *by,
                                              const struct nodeset *nodes, struct wall now, uint32_t *ret_n)
{
    const struct active_job *first = NULL;
    *ret_n = 0;
    for (size_t i = 0; i < p->queue->active.exempt.n; i++) {
        const struct active_job *r =
            container_of(p->queue->active.exempt.v[i], struct active_job, by_exemption);
        if (r->candidate.exempt_until <= now.ms ||
            candidates_rule(&r->candidate, by) == PREEMPT_RULE_NONE || !active_lies_on(r, nodes))
            continue;
        ++*ret_n;
        bool sooner = !first || r->candidate.exempt_until < first->candidate.exempt_until ||
                      (r->candidate.exempt_until == first->candidate.exempt_until && r->job < first->job);
        first = sooner ? r : first;
    }
    return first;
}

/* --- reclaimable resources --- */

static void candidates_add_runs(struct reclaimable *g, const struct active_job *r, int sign)
{
    if (!candidates_has_left(r) && preempt_rule_for(r, &g->by) == PREEMPT_RULE_NONE)
        return;
    vec_for_each (&r->v, i)
        for (uint32_t k = 0; k < r->v.v[i]->use.n_parts; k++) {
            const struct pool_part *part = &r->v.v[i]->use.parts[k];
            struct amount *more = &g->more[part->node];
            *more = sign > 0 ? amount_plus(*more, part->amount) : amount_minus(*more, part->amount);
            if (sign > 0)
                nodeset_add(&g->nodes, part->node);
        }
}

void candidate_before_change(struct preempt *p, const struct active_job *r)
{
    vec_for_each (&p->reclaimables, i)
        candidates_add_runs(&p->reclaimables.v[i], r, -1);
}

void candidate_after_change(struct preempt *p, const struct active_job *r)
{
    vec_for_each (&p->reclaimables, i)
        candidates_add_runs(&p->reclaimables.v[i], r, 1);
}

static const struct reclaimable *candidates_reclaimable_of(struct preempt *p, uint32_t tier,
                                                           const struct qos_spec *qos)
{
    vec_for_each (&p->reclaimables, i)
        if (p->reclaimables.v[i].by.tier == tier && p->reclaimables.v[i].by.qos == qos)
            return &p->reclaimables.v[i];
    struct reclaimable g = {.by = preemptor_of(p, tier, qos)};
    g.more = xcalloc(p->queue->pool.n_nodes ? p->queue->pool.n_nodes : 1, sizeof *g.more);
    nodeset_init(&g.nodes, p->queue->pool.n_nodes);
    list_for_each (r, &p->queue->active.candidates, struct active_job, in_candidates)
        if (!candidates_has_left(r))
            candidates_add_runs(&g, r, 1);
    list_for_each (r, &p->queue->active.leaving, struct active_job, in_leaving)
        candidates_add_runs(&g, r, 1);
    vec_push(&p->reclaimables, g);
    return &p->reclaimables.v[p->reclaimables.n - 1];
}

struct amount preempt_most_reclaimable(const struct preempt *p, uint32_t node)
{
    struct amount most = {0};
    vec_for_each (&p->reclaimables, i)
        most = amount_max(most, p->reclaimables.v[i].more[node]);
    return most;
}

static void candidates_reclaimables_forget(struct preempt *p)
{
    vec_for_each (&p->reclaimables, i) {
        free(p->reclaimables.v[i].more);
        nodeset_fini(&p->reclaimables.v[i].nodes);
    }
    vec_clear(&p->reclaimables);
}

/* --- who --- */

int64_t preempt_exempt_until(const struct model *m, const struct job *j)
{
    const struct part_spec *part = model_job_part(m, j);
    const struct qos_spec *qos = spec_find_qos(&m->spec, job_qos(&j->req));
    uint32_t s = qos && qos->preempt_exempt_s ? qos->preempt_exempt_s : part ? part->preempt_exempt_s : 0;
    if (s == DURATION_UNLIMITED)
        return WHEN_NEVER;
    return s ? j->t_start.ms + (int64_t)job_rare(j)->suspended_ms + (int64_t)s * MS_PER_S : 0;
}

static void candidates_candidate_update(struct preempt *p, struct active_job *r, const struct job *j,
                                        bool is_new)
{
    const struct model *m = p->queue->view->model;
    bool was = r->candidate.any;
    r->candidate = (struct preempt_candidate){.any = false};
    list_unlink(&r->in_candidates);
    heap_remove(&p->queue->active.exempt, &r->by_exemption);
    if (!p->queue->may_preempt || j->kill_cause != KILL_NONE ||
        (j->state != JOB_RUNNING && j->state != JOB_SUSPENDED))
        return;
    const struct part_spec *part = model_job_part(m, j);
    bool by_tier = part && part->preempt_mode != PREEMPT_OFF;
    if (!by_tier && !j->borrowed && !candidates_any_qos_preempts(m, job_qos(&j->req)))
        return;
    struct preemptor as =
        preemptor_of(p, part ? part->priority_tier : 0, spec_find_qos(&m->spec, job_qos(&j->req)));
    int64_t exempt_until = preempt_exempt_until(m, j);
    r->candidate = (struct preempt_candidate){.any = exempt_until <= p->queue->now.ms,
                                              .borrowed = j->borrowed,
                                              .qos = as.qos,
                                              .by_tier = by_tier,
                                              .tier = as.tier,
                                              .queue_precedence = as.queue_precedence};
    if (!r->candidate.any) {
        r->candidate.exempt_until = exempt_until;
        heap_insert(&p->queue->active.exempt, &r->by_exemption, exempt_until);
        return;
    }
    list_append(&p->queue->active.candidates, &r->in_candidates);
    for (size_t i = 0; !was && !is_new && i < r->v.n; i++) /* it was one that stays */
        plan_slots_note_freed_all(&p->queue->slots, &r->v.v[i]->use);
}

uint32_t candidate_priority(struct preempt *p, struct active_job *r, const struct job *j)
{
    if (r->candidate.shares != p->queue->prios.shares)
        r->candidate.prio =
            prio_of(&p->queue->prios.ctx, j, model_job_part(p->queue->view->model, j), NULL);
    r->candidate.shares = p->queue->prios.shares;
    return r->candidate.prio;
}

/* --- whether a search can succeed --- */

static bool candidates_could_take(struct preempt *p, const struct reclaimable *g,
                                  const struct request_shape *s, uint32_t node)
{
    p->queue->pool.cost++;
    return nodeset_has(&s->set->nodes, node) &&
           pool_could_take_with(&p->queue->pool, &s->demand, node, g->more[node]);
}

static bool candidates_is_for_one_node(const struct request_shape *s)
{
    return s->demand.nodes_max == 1 && !s->set->nodes.n_listed;
}

/* The set of nodes of a reclaimable never shrinks: there must be a candidate on the node. */
static bool candidates_may_help(struct preempt *p, const struct reclaimable *g,
                                const struct request_shape *s, uint32_t node)
{
    return (!candidates_is_for_one_node(s) || !amount_eq(g->more[node], (struct amount){0})) &&
           candidates_could_take(p, g, s, node);
}

/* Whether enough nodes would fit if all candidates went: most searches end here. */
static bool candidates_is_worth_it(struct preempt *p, const struct reclaimable *g,
                                   const struct request_shape *s)
{
    bool one = candidates_is_for_one_node(s);
    uint32_t found = 0, most = one ? 1 : s->demand.need.nodes;
    const struct nodeset *near = one ? &g->nodes : &s->set->nodes;
    for (uint32_t w = 0; w < near->words && found < most; w++)
        for (uint64_t left = near->bits[w] & s->set->nodes.bits[w]; left && found < most; left &= left - 1)
            found += candidates_may_help(p, g, s, w * 64 + (uint32_t)__builtin_ctzll(left));
    return found == most;
}

static struct futile_search *candidates_futile_search_of(struct request_shape *s,
                                                         const struct qos_spec *qos)
{
    vec_for_each (&s->futile_searches, i)
        if (s->futile_searches.v[i].qos == qos)
            return &s->futile_searches.v[i];
    return NULL;
}

void preempt_note_futile(struct preempt *p, struct request_shape *s, const struct qos_spec *qos)
{
    struct futile_search *h = candidates_futile_search_of(s, qos);
    if (!h) {
        vec_push(&s->futile_searches, (struct futile_search){.qos = qos});
        h = &s->futile_searches.v[s->futile_searches.n - 1];
    }
    h->mark = plan_slots_freed_mark(&p->queue->slots);
}

static bool candidates_gained_since(struct preempt *p, const struct reclaimable *g,
                                    const struct request_shape *s, uint64_t mark)
{
    const struct plan_slots *b = &p->queue->slots;
    if (mark < b->freed_forgotten)
        return true;
    for (size_t i = (size_t)(mark - b->freed_forgotten); i < b->freed_log.n; i++)
        if (candidates_could_take(p, g, s, b->freed_log.v[i]))
            return true;
    return false;
}

static const struct reclaimable *
candidates_reclaimable_for(struct preempt *p, const struct request_shape *s, const struct qos_spec *qos)
{
    return candidates_reclaimable_of(p, p->queue->view->model->spec.parts.v[s->set->part].priority_tier,
                                     qos);
}

void candidates_fill_nodes(struct preempt *p, const struct request_shape *s, const struct qos_spec *qos,
                           struct nodeset *ret)
{
    const struct reclaimable *g = candidates_reclaimable_for(p, s, qos);
    for (uint32_t w = 0; w < s->set->nodes.words; w++)
        for (uint64_t left = s->set->nodes.bits[w]; left; left &= left - 1) {
            uint32_t node = w * 64 + (uint32_t)__builtin_ctzll(left);
            if (candidates_could_take(p, g, s, node))
                nodeset_add(ret, node);
        }
}

bool preempt_shape_is_futile_since(struct preempt *p, struct request_shape *s, const struct qos_spec *qos,
                                   uint64_t mark)
{
    const struct reclaimable *g = candidates_reclaimable_for(p, s, qos);
    return (mark && !candidates_gained_since(p, g, s, mark - 1)) || !candidates_is_worth_it(p, g, s);
}

bool preempt_shape_is_futile(struct preempt *p, struct request_shape *s, const struct qos_spec *qos)
{
    const struct futile_search *h = candidates_futile_search_of(s, qos);
    if (!preempt_shape_is_futile_since(p, s, qos, h ? h->mark + 1 : 0))
        return false;
    preempt_note_futile(p, s, qos);
    return true;
}

void preempt_sync_job(struct preempt *p, uint32_t id, const struct job *j)
{
    struct active_job *r = idmap_get(&p->queue->active.by_job, id);
    bool is_new = !r;
    if (r)
        candidate_before_change(p, r);
    r = sync_active(p->queue, id, j);
    if (!r)
        return;
    candidates_candidate_update(p, r, j, is_new);
    candidate_after_change(p, r);
}

void preempt_init(struct preempt *p, struct queue *q)
{
    *p = (struct preempt){.queue = q};
}

void preempt_forget(struct preempt *p)
{
    preempt_fini(p);
    *p = (struct preempt){.queue = p->queue, .out = p->out};
}

void preempt_fini(struct preempt *p)
{
    candidates_reclaimables_forget(p);
    vec_fini(&p->reclaimables);
    vec_fini(&p->preemptor_charges);
    licence_use_fini(&p->licences);
}
