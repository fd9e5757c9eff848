/* refused.c - why the nodes of a partition do not do, counted by cause. */
#include "backend/sched/explain/refused.h"

#include <stdlib.h>

#include "src/model/window.h"
#include "src/values/hostlist.h"

struct look {
    const struct queue *queue;
    const struct job *j;
    struct demand demand;
    const char *gpu_type;
    struct strv only, never, features;
    const struct window *reservation; /* that it asks for; NULL: none */
    struct wall until;                /* it would run until then at least; unset: without a limit */
    uint32_t *in_group;               /* of those that would do: how many of each; NULL: never mind */
    bool spread;                      /* over nodes, no matter how much on each */
    bool empty;
};

/* By its name, its state, its kind: NULL where it is to be looked at closer. */
static uint32_t *ruled_out(const struct look *l, const struct node *n, struct refused *r)
{
    if ((l->only.n && !strv_has(&l->only, n->spec.name)) || strv_has(&l->never, n->spec.name))
        return &r->excluded;
    if (l->reservation && !window_has_node(l->reservation, n->spec.name))
        return &r->excluded;
    if (!node_has_features(n, &l->features))
        return &r->features;
    if (!node_has_tmp(n, &l->j->req))
        return &r->tmp;
    if (l->gpu_type && l->demand.need.gpus && n->gpus && !str_ieq(l->gpu_type, n->gpu_type))
        return &r->gpu_type;
    return NULL;
}

static const struct window *window_of(const struct look *l, const struct node *n)
{
    struct wall until = wall_is_set(l->until) ? l->until : (struct wall){.ms = INT64_MAX};
    return window_in_way(l->queue->view->model, n->spec.name, req_rare(&l->j->req)->reservation,
                         l->queue->now, until);
}

static uint32_t *too_small(struct amount have, struct amount need, uint32_t *cpus, uint32_t *gpus,
                           uint32_t *mem)
{
    if (have.gpus < need.gpus)
        return gpus;
    if (have.cpus < need.cpus)
        return cpus;
    return have.mem_mib < need.mem_mib ? mem : NULL;
}

/* Of those that are too small in something, the largest. */
static void note_most(struct refused *r, const uint32_t *why, struct amount cap)
{
    if (why == &r->no_cpus && cap.cpus > r->most.cpus)
        r->most.cpus = cap.cpus;
    if (why == &r->no_gpus && cap.gpus > r->most.gpus)
        r->most.gpus = cap.gpus;
    if (why == &r->no_mem && cap.mem_mib > r->most.mem_mib)
        r->most.mem_mib = cap.mem_mib;
}

static int64_t refused_end_of(const struct look *l)
{
    int64_t now = l->queue->pool.now;
    return !wall_is_set(l->until) ? WHEN_NEVER : l->until.ms > now ? l->until.ms : now + 1;
}

static void note_node(struct refused *r, uint32_t at, const uint32_t *why)
{
    if (r->n_named < REFUSED_NAMED)
        r->named[r->n_named++] = (struct refused_node){at, (uint32_t)((const char *)why - (const char *)r)};
}

static void note_free(struct refused *r, struct amount free_now)
{
    struct amount *m = &r->free_most;
    m->cpus = free_now.cpus > m->cpus ? free_now.cpus : m->cpus;
    m->gpus = free_now.gpus > m->gpus ? free_now.gpus : m->gpus;
    m->mem_mib = free_now.mem_mib > m->mem_mib ? free_now.mem_mib : m->mem_mib;
    r->free_all = amount_plus(r->free_all, free_now);
}

/* A planned start needs it before the job could have ended. */
static bool is_taken_later(const struct look *l, const struct pool_node *n, struct amount least)
{
    int64_t now = l->queue->pool.now, end = refused_end_of(l);
    return !amount_covers(timeline_min(&n->line, now, end), least) ||
           !node_users_allow(&n->users, l->demand.who, now, end);
}

static void look_at(const struct look *l, uint32_t at, struct refused *r)
{
    const struct node *n = l->queue->view->model->nodes[at];
    const struct pool_node *pn = &l->queue->pool.nodes[at];
    uint32_t *why = ruled_out(l, n, r);
    r->nodes++;
    if (why) {
        ++*why;
        note_node(r, at, why);
        return;
    }
    struct amount all = l->queue->empty.nodes[at].cap;
    struct amount need = demand_on_node(&l->demand, l->empty ? &l->queue->empty.nodes[at] : pn);
    if (l->spread)
        need = demand_piece(&l->demand).need;
    struct amount least = need;
    if (l->demand.need.whole_nodes)
        least = (struct amount){least.cpus < 1 ? least.cpus : 1, 0, l->demand.need.gpus_per_node};
    r->asked = need;
    why = all.cpus ? too_small(all, least, &r->no_cpus, &r->no_gpus, &r->no_mem) : NULL;
    note_most(r, why, all);
    if (!why && !l->empty) {
        const struct window *w;
        if (node_avoids(n, l->j->uid)) {
            why = &r->avoided;
            r->first_avoided = r->first_avoided ? r->first_avoided : n;
        } else if (n->drain)
            why = &r->drained;
        else if (n->state != NODE_UP || n->gone)
            why = &r->out;
        else if (l->demand.need.whole_nodes && (n->n_jobs || node_rare(n)->n_unknown))
            why = &r->busy_whole;
        else if (!node_users_allow(&pn->users, l->demand.who, l->queue->pool.now, l->queue->pool.now + 1))
            why = l->demand.who.alone ? &r->other_users : &r->one_user;
        else if (pn->cap.gpus < least.gpus) /* whichever job ends */
            why = &r->lost_gpus;
        else if ((why = too_small(pn->free_now, least, &r->cpus, &r->gpus, &r->mem)) == NULL &&
                 (w = window_of(l, n))) {
            r->first_window =
                r->first_window && r->first_window->start.ms <= w->start.ms ? r->first_window : w;
            why = &r->window;
        } else if (!why && is_taken_later(l, pn, least)) {
            why = &r->held;
        }
    }
    if (!l->empty && why != &r->drained && why != &r->out && why != &r->avoided && why != &r->no_cpus &&
        why != &r->no_gpus && why != &r->no_mem)
        note_free(r, pn->free_now);
    bool few = why == &r->lost_gpus || why == &r->gpus;
    if (few && pn->cap.gpus < all.gpus && !r->first_gpus)
        r->first_gpus = n;
    if (!why && l->in_group)
        l->in_group[pn->group]++;
    if (!why)
        r->together = amount_plus(r->together, l->empty ? all : pn->free_now);
    why = why ? why : &r->fit;
    ++*why;
    note_node(r, at, why);
}

static int refused_most_first(const void *pa, const void *pb)
{
    const uint32_t *a = pa, *b = pb;
    return *a == *b ? 0 : *a > *b ? -1 : 1;
}

/* Of the groups that it may lie in, those with the most. */
static void refused_sum_groups(struct look *l, struct refused *r)
{
    uint32_t n = l->queue->pool.n_groups + 1;
    if (!l->in_group)
        return;
    qsort(l->in_group, n, sizeof *l->in_group, refused_most_first);
    r->groups_max = l->demand.groups_max;
    for (uint32_t i = 0; i < n && i < r->groups_max; i++)
        r->fit_in_groups += l->in_group[i];
    free(l->in_group);
}

void refused_count(const struct queue *q, const struct job *j, const struct step *s, uint32_t part,
                   bool empty, struct refused *ret)
{
    const struct part_spec *spec = &q->view->model->spec.parts.v[part];
    struct look l = {.queue = q, .j = j, .empty = empty};
    uint32_t limit_s = deadline_least_s(j, spec);
    *ret = (struct refused){0};
    demand_of_job(j, s, spec, &l.demand);
    queue_bind_groups(q, j, &l.demand);
    if (demand_is_in_groups(&l.demand, q->now.ms) && !empty)
        l.in_group = xcalloc(q->pool.n_groups + 1, sizeof *l.in_group);
    ret->nodes_max = l.demand.nodes_max;
    ret->spread = l.spread = l.demand.nodes_max > 1 && !demand_is_uniform(&l.demand);
    l.gpu_type = s && s->gpu_type ? s->gpu_type : req_detail(&j->req)->gpu_type;
    if (limit_s != DURATION_UNLIMITED && limit_s != DURATION_NOT_SET)
        l.until = wall_add_s(q->now, limit_s);
    if (req_rare(&j->req)->nodelist && hostlist_expand(req_rare(&j->req)->nodelist, &l.only, NULL) < 0)
        strv_fini(&l.only);
    if (!l.demand.one_task && l.only.n < l.demand.nodes_max) /* nodes beside those may take part */
        strv_fini(&l.only);
    if (req_rare(&j->req)->exclude && hostlist_expand(req_rare(&j->req)->exclude, &l.never, NULL) < 0)
        strv_fini(&l.never);
    if (req_detail(&j->req)->features)
        l.features = strv_split(req_detail(&j->req)->features, "&,");
    if (!str_is_empty(req_rare(&j->req)->reservation))
        l.reservation = model_get_window(q->view->model, req_rare(&j->req)->reservation);
    for (uint32_t i = 0; i < q->pool.n_nodes; i++)
        if (nodeset_has(&q->nodes.part_nodes[part], i))
            look_at(&l, i, ret);
    refused_sum_groups(&l, ret);
    strv_fini(&l.only);
    strv_fini(&l.never);
    strv_fini(&l.features);
}

bool refused_is_out(const struct refused *r)
{
    return r->out + r->drained + r->avoided && !refused_is_busy(r) && !r->window && !r->held &&
           !r->lost_gpus;
}

bool refused_is_lost_gpus(const struct refused *r)
{
    return r->lost_gpus && !refused_is_busy(r) && !r->window && !r->held;
}

bool refused_is_busy(const struct refused *r)
{
    return r->gpus || r->cpus || r->mem || r->busy_whole || r->other_users || r->one_user;
}

/* --- as causes --- */

static void refused_names_of(const struct queue *q, const struct refused *r, const uint32_t *counter,
                             struct strv *ret)
{
    uint32_t place = (uint32_t)((const char *)counter - (const char *)r);
    for (uint32_t i = 0; i < r->n_named; i++)
        if (r->named[i].why == place)
            strv_push(ret, q->view->model->nodes[r->named[i].node]->spec.name);
}

static char *refused_compress(struct strv *names_taken)
{
    char *list = names_taken->n ? hostlist_compress(names_taken) : NULL;
    strv_fini(names_taken);
    return list;
}

char *refused_names(const struct queue *q, const struct refused *r, const uint32_t *counter)
{
    struct strv names = {0};
    refused_names_of(q, r, counter, &names);
    return refused_compress(&names);
}

struct refused_tally {
    const struct queue *q;
    const struct refused *r;
    bool named;
    struct cause *to;
};

/* With names where all of the nodes are known by name. Returns NULL where there is none. */
static struct cause *add_counter(const struct refused_tally *t, const uint32_t *counter,
                                 enum cause_code code)
{
    struct strv names = {0};
    if (!*counter)
        return NULL;
    struct cause *c = cause_add(t->to, code);
    c->n = *counter;
    if (t->named)
        refused_names_of(t->q, t->r, counter, &names);
    if (names.n == *counter)
        c->nodes = refused_compress(&names);
    else
        strv_fini(&names);
    return c;
}

static void add_small(const struct refused_tally *t, const uint32_t *counter, enum cause_code code,
                      int64_t asked, int64_t most)
{
    struct cause *c = add_counter(t, counter, code);
    if (!c)
        return;
    c->asked = (uint64_t)asked;
    c->most = (uint64_t)most;
}

static void add_fit(const struct refused_tally *t)
{
    const struct refused *r = t->r;
    struct cause *c = add_counter(t, &r->fit, r->spread ? CAUSE_NODES_FIT_PART : CAUSE_NODES_FIT);
    if (!c || !r->spread || r->fit > r->nodes_max)
        return;
    c->together = true;
    c->cpus = (uint64_t)r->together.cpus;
    c->gpus = r->asked.gpus ? (uint64_t)r->together.gpus : 0;
}

void refused_add(const struct queue *q, const struct refused *r, bool named, struct cause *ret)
{
    struct refused_tally t = {.q = q, .r = r, .named = named, .to = cause_add(ret, CAUSE_NODES)};
    t.to->n = r->nodes;
    add_counter(&t, &r->gpus, CAUSE_NODES_FREE_GPUS);
    add_counter(&t, &r->cpus, CAUSE_NODES_FREE_CPUS);
    add_counter(&t, &r->mem, CAUSE_NODES_FREE_MEMORY);
    add_counter(&t, &r->busy_whole, CAUSE_NODES_NOT_EMPTY);
    add_counter(&t, &r->other_users, CAUSE_NODES_OTHER_USERS);
    add_counter(&t, &r->one_user, CAUSE_NODES_ONE_USER);
    add_small(&t, &r->no_gpus, CAUSE_NODES_FEW_GPUS, r->asked.gpus, r->most.gpus);
    add_small(&t, &r->no_cpus, CAUSE_NODES_FEW_CPUS, r->asked.cpus, r->most.cpus);
    add_small(&t, &r->no_mem, CAUSE_NODES_LITTLE_MEMORY, r->asked.mem_mib, r->most.mem_mib);
    add_counter(&t, &r->gpu_type, CAUSE_NODES_GPU_TYPE);
    add_counter(&t, &r->features, CAUSE_NODES_FEATURES);
    add_counter(&t, &r->tmp, CAUSE_NODES_TMP);
    add_counter(&t, &r->excluded, CAUSE_NODES_NOT_ASKED);
    add_counter(&t, &r->window, CAUSE_NODES_WINDOW);
    add_counter(&t, &r->held, CAUSE_NODES_PLANNED);
    add_counter(&t, &r->lost_gpus, CAUSE_NODES_LOST_GPUS);
    add_counter(&t, &r->avoided, CAUSE_NODES_AVOID_USER);
    t.named = false; /* their names stand beside the reasons */
    add_counter(&t, &r->drained, CAUSE_NODES_DRAINED);
    add_counter(&t, &r->out, CAUSE_NODES_OUT);
    t.named = named;
    add_fit(&t);
    if (r->groups_max && r->fit_in_groups < r->fit) {
        struct cause *c = cause_add(t.to, CAUSE_NODES_IN_GROUPS);
        c->n = r->fit_in_groups;
        c->of = r->groups_max;
    }
}

/* --- nodes that are out --- */

static enum cause_code out_code(const struct node *n)
{
    if (n->drain)
        return n->n_jobs ? CAUSE_OUT_DRAINING : CAUSE_OUT_DRAINED;
    if (n->gone)
        return CAUSE_OUT_GONE;
    if (n->state == NODE_UNKNOWN && !n->boot_id)
        return CAUSE_OUT_STARTING;
    return n->state == NODE_DOWN ? CAUSE_OUT_DOWN : CAUSE_OUT_SILENT;
}

/* What an administrator said about it, else what is known. */
static const char *out_reason(const struct node *n)
{
    return n->drain ? n->drain_reason : n->trouble;
}

static bool is_alike(const struct node *a, const struct node *b)
{
    return out_code(a) == out_code(b) && str_eq(out_reason(a), out_reason(b)) &&
           (!a->drain || str_eq(a->drain_user, b->drain_user));
}

static bool is_named_out(const struct refused *r, uint32_t i)
{
    const char *at = (const char *)r + r->named[i].why;
    return at == (const char *)&r->drained || at == (const char *)&r->out;
}

#define OUT_GROUPS 3 /* nodes that are out for one reason each */

void refused_add_out(const struct queue *q, const struct refused *r, struct cause *ret)
{
    bool said[REFUSED_NAMED] = {false};
    uint32_t groups = 0, told = 0;
    for (uint32_t i = 0; i < r->n_named && groups < OUT_GROUPS; i++) {
        if (said[i] || !is_named_out(r, i))
            continue;
        const struct node *n = q->view->model->nodes[r->named[i].node];
        struct strv names = {0};
        for (uint32_t k = i; k < r->n_named; k++) {
            const struct node *other = q->view->model->nodes[r->named[k].node];
            if (said[k] || !is_named_out(r, k) || !is_alike(n, other))
                continue;
            said[k] = true;
            strv_push(&names, other->spec.name);
        }
        struct cause *c = cause_add(ret, out_code(n));
        c->n = names.n;
        c->text = str_is_empty(out_reason(n)) ? NULL : xstrdup(out_reason(n));
        c->user = n->drain && !str_is_empty(n->drain_user) ? xstrdup(n->drain_user) : NULL;
        c->nodes = refused_compress(&names);
        told += (uint32_t)c->n;
        groups++;
    }
    if (r->drained + r->out > told)
        cause_add(ret, CAUSE_OUT_MORE)->n = r->drained + r->out - told;
}
