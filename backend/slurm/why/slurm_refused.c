#include "backend/slurm/why/slurm_refused.h"

#include <stdlib.h>

#include "backend/sched/limits/limits.h"
#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/model/window.h"
#include "src/values/hostlist.h"
#include "src/values/units.h"

/* --- a node --- */

static uint32_t slurm_refused_share(uint32_t all, uint32_t nodes)
{
    return nodes ? (all + nodes - 1) / nodes : all;
}

static struct slurm_demand slurm_demand_of(const struct job *j)
{
    const struct job_req *r = &j->req;
    struct job_amounts a = job_amounts(j);
    uint32_t nodes = r->nodes_min != NOT_GIVEN && r->nodes_min ? r->nodes_min : 1;
    return (struct slurm_demand){.nodes = nodes,
                                 .cpus = slurm_refused_share(a.cpus, nodes),
                                 .gpus = slurm_refused_share(a.gpus, nodes),
                                 .mem_mib = r->mem_node_mib == MEM_NOT_GIVEN ? 0 : r->mem_node_mib,
                                 .whole = req_detail(r)->exclusive};
}

static struct slurm_demand slurm_free_on(const struct node *n)
{
    uint32_t cpus = cpuset_count(&n->cpus_used), gpus = cpuset_count(&n->gpus_used);
    return (struct slurm_demand){.cpus = n->cpus > cpus ? n->cpus - cpus : 0,
                                 .gpus = n->gpus > gpus ? n->gpus - gpus : 0,
                                 .mem_mib =
                                     n->mem_mib > n->mem_used_mib ? n->mem_mib - n->mem_used_mib : 0};
}

/* SLURM_FITS where it has as much. */
static enum slurm_refusal slurm_refused_by_size(const struct slurm_demand *has,
                                                const struct slurm_demand *asked, bool ever)
{
    if (has->gpus < asked->gpus)
        return ever ? SLURM_FEW_GPUS : SLURM_FREE_GPUS;
    if (has->cpus < asked->cpus)
        return ever ? SLURM_FEW_CPUS : SLURM_FREE_CPUS;
    if (has->mem_mib < asked->mem_mib)
        return ever ? SLURM_LITTLE_MEMORY : SLURM_FREE_MEMORY;
    return SLURM_FITS;
}

struct slurm_look {
    const struct model *m;
    const struct job *j;
    struct job_req_detail features_alone;
    struct job_req with_features, with_names; /* apart: each is a cause of its own */
    struct node_rules features, names;
    struct wall until; /* by its time limit */
};

static void slurm_look_init(struct slurm_look *l, const struct model *m, const struct job *j,
                            const struct part_spec *part)
{
    uint32_t limit = j->req.time_limit_s != DURATION_NOT_SET ? j->req.time_limit_s : part->default_time_s;
    bool endless = limit == DURATION_NOT_SET || limit == DURATION_UNLIMITED;
    *l = (struct slurm_look){.m = m, .j = j};
    l->until = endless ? (struct wall){.ms = INT64_MAX} : wall_add_s(m->now, limit);
    l->features_alone.features = req_detail(&j->req)->features;
    l->with_features.detail = &l->features_alone;
    l->with_names.rare = j->req.rare;
    const char *reservation = req_rare(&j->req)->reservation;
    node_rules_init(&l->features, &l->with_features, NULL, NULL);
    node_rules_init(&l->names, &l->with_names, NULL, reservation ? model_get_window(m, reservation) : NULL);
}

static void slurm_look_fini(struct slurm_look *l)
{
    node_rules_fini(&l->features);
    node_rules_fini(&l->names);
}

static enum slurm_refusal slurm_look_at(const struct slurm_look *l, const struct node *n,
                                        struct slurm_refused *r)
{
    struct slurm_demand all = {.cpus = n->cpus, .gpus = n->gpus, .mem_mib = n->mem_mib};
    const struct strv *only = &l->names.only;
    bool listed =
        only->n < r->demand.nodes || strv_has(only, n->spec.name); /* others may be given beside them */
    if (!node_rules_meet(&l->names, n) || (only->n && !listed))
        return SLURM_NOT_ASKED;
    if (!node_rules_meet(&l->features, n))
        return SLURM_FEATURES;
    if (req_detail(&l->j->req)->gpu_type && r->demand.gpus && n->gpus &&
        !str_ieq(req_detail(&l->j->req)->gpu_type, n->gpu_type))
        return SLURM_GPU_TYPE;
    enum slurm_refusal why = slurm_refused_by_size(&all, &r->demand, true);
    if (why != SLURM_FITS)
        return why;
    if (n->drain)
        return SLURM_DRAINED;
    if (n->state != NODE_UP)
        return SLURM_OUT;
    struct slurm_demand free_now = slurm_free_on(n);
    r->free_cpus += free_now.cpus;
    r->free_gpus += free_now.gpus;
    if (r->demand.whole && n->n_jobs)
        return SLURM_NOT_EMPTY;
    why = slurm_refused_by_size(&free_now, &r->demand, false);
    if (why != SLURM_FITS)
        return why;
    const struct window *w =
        window_in_way(l->m, n->spec.name, req_rare(&l->j->req)->reservation, l->m->now, l->until);
    if (!w)
        return SLURM_FITS;
    r->window = r->window && r->window->start.ms <= w->start.ms ? r->window : w;
    return SLURM_WINDOW;
}

void slurm_refused_count(const struct model *m, const struct job *j, const struct part_spec *part,
                         struct slurm_refused *ret)
{
    struct slurm_look l;
    *ret = (struct slurm_refused){.part = part,
                                  .demand = slurm_demand_of(j),
                                  .nodes = xcalloc(part->nodes.n + 1, sizeof *ret->nodes)};
    slurm_look_init(&l, m, j, part);
    for (size_t i = 0; i < part->nodes.n; i++) {
        const struct node *n = model_get_node(m, part->nodes.v[i]);
        if (!n || n->gone)
            continue;
        enum slurm_refusal why = slurm_look_at(&l, n, ret);
        ret->nodes[ret->n++] = (struct slurm_refused_node){n, why};
        ret->by[why]++;
        ret->most.cpus = n->cpus > ret->most.cpus ? n->cpus : ret->most.cpus;
        ret->most.gpus = n->gpus > ret->most.gpus ? n->gpus : ret->most.gpus;
        ret->most.mem_mib = n->mem_mib > ret->most.mem_mib ? n->mem_mib : ret->most.mem_mib;
    }
    slurm_look_fini(&l);
}

void slurm_refused_fini(struct slurm_refused *r)
{
    free(r->nodes);
    *r = (struct slurm_refused){0};
}

char *slurm_refused_names(const struct slurm_refused *r, enum slurm_refusal why)
{
    struct strv names = {0};
    for (uint32_t i = 0; i < r->n; i++)
        if (r->nodes[i].why == why)
            strv_push(&names, r->nodes[i].node->spec.name);
    char *list = names.n ? hostlist_compress(&names) : NULL;
    strv_fini(&names);
    return list;
}

/* --- what they come to --- */

static uint32_t slurm_refused_never_n(const struct slurm_refused *r)
{
    return r->by[SLURM_FEW_GPUS] + r->by[SLURM_FEW_CPUS] + r->by[SLURM_LITTLE_MEMORY] +
           r->by[SLURM_GPU_TYPE] + r->by[SLURM_FEATURES] + r->by[SLURM_NOT_ASKED];
}

static uint32_t slurm_refused_busy_n(const struct slurm_refused *r)
{
    return r->by[SLURM_FREE_GPUS] + r->by[SLURM_FREE_CPUS] + r->by[SLURM_FREE_MEMORY] +
           r->by[SLURM_NOT_EMPTY];
}

bool slurm_refused_is_never(const struct slurm_refused *r)
{
    return r->n - slurm_refused_never_n(r) < r->demand.nodes;
}

bool slurm_refused_is_out(const struct slurm_refused *r)
{
    uint32_t out = r->by[SLURM_DRAINED] + r->by[SLURM_OUT];
    return out && r->by[SLURM_FITS] + slurm_refused_busy_n(r) + r->by[SLURM_WINDOW] < r->demand.nodes;
}

/* --- as a cause --- */

static void slurm_refused_add_wants(const struct slurm_refused *r, const struct job *j, struct cause *to)
{
    struct job_amounts a = job_amounts(j);
    struct cause *c = cause_add(to, CAUSE_WANTS);
    c->cpus = a.cpus;
    c->gpus = a.gpus;
    c->type = a.gpus && req_detail(&j->req)->gpu_type ? xstrdup(req_detail(&j->req)->gpu_type) : NULL;
    c->mem_mib = r->demand.mem_mib;
    c->nodes_n = r->demand.nodes;
    c->whole = r->demand.whole;
}

static void slurm_refused_add_counts(const struct slurm_refused *r, struct cause *to)
{
    static const enum cause_code codes[SLURM_N_REFUSALS] = {
        [SLURM_FREE_GPUS] = CAUSE_NODES_FREE_GPUS,
        [SLURM_FREE_CPUS] = CAUSE_NODES_FREE_CPUS,
        [SLURM_FREE_MEMORY] = CAUSE_NODES_FREE_MEMORY,
        [SLURM_NOT_EMPTY] = CAUSE_NODES_NOT_EMPTY,
        [SLURM_FEW_GPUS] = CAUSE_NODES_FEW_GPUS,
        [SLURM_FEW_CPUS] = CAUSE_NODES_FEW_CPUS,
        [SLURM_LITTLE_MEMORY] = CAUSE_NODES_LITTLE_MEMORY,
        [SLURM_GPU_TYPE] = CAUSE_NODES_GPU_TYPE,
        [SLURM_FEATURES] = CAUSE_NODES_FEATURES,
        [SLURM_NOT_ASKED] = CAUSE_NODES_NOT_ASKED,
        [SLURM_WINDOW] = CAUSE_NODES_WINDOW,
        [SLURM_DRAINED] = CAUSE_NODES_DRAINED,
        [SLURM_OUT] = CAUSE_NODES_OUT,
        [SLURM_FITS] = CAUSE_NODES_FIT,
    };
    struct cause *all = cause_add(to, CAUSE_NODES);
    all->n = r->n;
    for (enum slurm_refusal why = 0; why < SLURM_N_REFUSALS; why++) {
        if (!r->by[why])
            continue;
        struct cause *c = cause_add(all, codes[why]);
        c->n = r->by[why];
        if (why != SLURM_DRAINED && why != SLURM_OUT) /* their names stand beside the reasons */
            c->nodes = slurm_refused_names(r, why);
        if (why == SLURM_FEW_GPUS) {
            c->asked = r->demand.gpus;
            c->most = r->most.gpus;
        } else if (why == SLURM_FEW_CPUS) {
            c->asked = r->demand.cpus;
            c->most = r->most.cpus;
        } else if (why == SLURM_LITTLE_MEMORY) {
            c->asked = r->demand.mem_mib;
            c->most = r->most.mem_mib;
        }
    }
}

/* --- nodes that are out, in groups of one reason --- */

#define OUT_GROUPS 3

static enum cause_code slurm_out_code(const struct node *n)
{
    if (n->drain)
        return n->n_jobs ? CAUSE_OUT_DRAINING : CAUSE_OUT_DRAINED;
    return n->state == NODE_DOWN ? CAUSE_OUT_DOWN : CAUSE_OUT_SILENT;
}

static const char *slurm_out_text(const struct node *n)
{
    return n->drain ? n->drain_reason : n->trouble;
}

static bool slurm_out_alike(const struct node *a, const struct node *b)
{
    return slurm_out_code(a) == slurm_out_code(b) && str_eq(slurm_out_text(a), slurm_out_text(b));
}

static bool slurm_refused_is_out_node(const struct slurm_refused *r, uint32_t i)
{
    return r->nodes[i].why == SLURM_DRAINED || r->nodes[i].why == SLURM_OUT;
}

/* The nodes behind the first one that are out for the same reason; said: those that are told of. */
static void slurm_refused_add_group(const struct slurm_refused *r, uint32_t first, bool *said,
                                    struct cause *to)
{
    const struct node *n = r->nodes[first].node;
    const char *text = slurm_out_text(n);
    struct strv names = {0};
    for (uint32_t k = first; k < r->n; k++)
        if (!said[k] && slurm_refused_is_out_node(r, k) && slurm_out_alike(n, r->nodes[k].node)) {
            said[k] = true;
            strv_push(&names, r->nodes[k].node->spec.name);
        }
    struct cause *c = cause_add(to, slurm_out_code(n));
    c->n = names.n;
    c->nodes = hostlist_compress(&names);
    c->text = str_is_empty(text) ? NULL : xstrdup(text);
    c->user = n->drain && !str_is_empty(n->drain_user) ? xstrdup(n->drain_user) : NULL;
    strv_fini(&names);
}

static void slurm_refused_add_out(const struct slurm_refused *r, struct cause *to)
{
    bool *said = xcalloc(r->n + 1, sizeof *said);
    uint32_t groups = 0;
    uint64_t told = 0, all = r->by[SLURM_DRAINED] + r->by[SLURM_OUT];
    for (uint32_t i = 0; i < r->n && groups < OUT_GROUPS; i++) {
        if (said[i] || !slurm_refused_is_out_node(r, i))
            continue;
        slurm_refused_add_group(r, i, said, to);
        told += to->parts.v[to->parts.n - 1].n;
        groups++;
    }
    if (all > told)
        cause_add(to, CAUSE_OUT_MORE)->n = all - told;
    free(said);
}

/* What is short, for the line of a list: GPUs before CPUs. */
static void slurm_refused_add_need(const struct slurm_refused *r, const struct job *j, struct cause *to)
{
    struct job_amounts a = job_amounts(j);
    bool gpus = r->by[SLURM_FREE_GPUS];
    if (r->by[SLURM_NOT_EMPTY]) {
        struct cause *c = cause_add(to, CAUSE_NEEDS_NODES);
        c->asked = r->demand.nodes;
        c->free = r->by[SLURM_FITS];
    } else if (gpus || r->by[SLURM_FREE_CPUS]) {
        struct cause *c = cause_add(to, gpus ? CAUSE_NEEDS_GPUS : CAUSE_NEEDS_CPUS);
        c->asked = gpus ? a.gpus : a.cpus;
        c->free = gpus ? r->free_gpus : r->free_cpus;
        c->type = gpus && req_detail(&j->req)->gpu_type ? xstrdup(req_detail(&j->req)->gpu_type) : NULL;
        c->nodes_n = r->demand.nodes;
        c->one = r->demand.nodes <= 1 && c->free >= c->asked;
    }
}

void slurm_refused_cause(const struct slurm_refused *r, const struct job *j, struct cause *ret)
{
    bool never = slurm_refused_is_never(r), out = slurm_refused_is_out(r);
    if (r->by[SLURM_FITS] >= r->demand.nodes)
        return;
    ret->code = never ? CAUSE_NEVER_FITS : out ? CAUSE_NODES_ARE_OUT : CAUSE_NO_PLACE;
    ret->cls = never ? WHY_NO_FIT : out ? WHY_NODE_OUT : WHY_BUSY;
    ret->part = xstrdup(r->part->name);
    slurm_refused_add_wants(r, j, ret);
    slurm_refused_add_counts(r, ret);
    slurm_refused_add_out(r, ret);
    if (ret->code == CAUSE_NO_PLACE)
        slurm_refused_add_need(r, j, ret);
}

/* --- room --- */

struct slurm_end {
    struct wall at;
    const struct job *job;
};

static int slurm_end_compare(const void *pa, const void *pb)
{
    const struct slurm_end *a = pa, *b = pb;
    return (a->at.ms > b->at.ms) - (a->at.ms < b->at.ms);
}

struct slurm_room {
    const struct slurm_refused *r;
    struct slurm_demand *has; /* of each of its nodes */
    uint32_t *jobs, fit;
};

static bool slurm_room_fits(const struct slurm_room *s, uint32_t i)
{
    const struct slurm_demand *d = &s->r->demand;
    return (!d->whole || !s->jobs[i]) && slurm_refused_by_size(&s->has[i], d, false) == SLURM_FITS;
}

/* Its place among those that lack nothing but room; UINT32_MAX: it is none of them. */
static uint32_t slurm_room_find(const struct slurm_room *s, const char *name)
{
    for (uint32_t i = 0; i < s->r->n; i++)
        if (s->r->nodes[i].why <= SLURM_NOT_EMPTY && str_eq(s->r->nodes[i].node->spec.name, name))
            return i;
    return UINT32_MAX;
}

static void slurm_room_free(struct slurm_room *s, const struct job *j)
{
    for (size_t k = 0; k < j->alloc.n; k++) {
        const struct alloc *a = &j->alloc.v[k];
        uint32_t i = slurm_room_find(s, a->node);
        if (i == UINT32_MAX || slurm_room_fits(s, i))
            continue;
        s->has[i].cpus += cpuset_count(&a->cpus);
        s->has[i].gpus += cpuset_count(&a->gpus);
        s->has[i].mem_mib += a->mem_mib;
        s->jobs[i] -= s->jobs[i] > 0;
        s->fit += slurm_room_fits(s, i);
    }
}

/* What runs, by the ends of its time limits; the caller frees it. */
static struct slurm_end *slurm_room_ends(const struct model *m, size_t *ret_n)
{
    VEC(struct slurm_end) ends = VEC_INIT;
    list_for_each (j, &m->active, struct job, in_queue)
        if (j->time_limit_s != DURATION_NOT_SET && j->time_limit_s != DURATION_UNLIMITED)
            vec_push(&ends, ((struct slurm_end){wall_add_s(j->t_start, j->time_limit_s), j}));
    if (ends.n)
        qsort(ends.v, ends.n, sizeof *ends.v, slurm_end_compare);
    *ret_n = ends.n;
    return ends.v;
}

const struct job *slurm_refused_room(const struct model *m, const struct slurm_refused *r,
                                     struct wall *ret_when)
{
    size_t n;
    const struct job *last = NULL;
    struct slurm_end *ends = slurm_room_ends(m, &n);
    struct slurm_room s = {.r = r, .fit = r->by[SLURM_FITS]};
    s.has = xcalloc(r->n + 1, sizeof *s.has);
    s.jobs = xcalloc(r->n + 1, sizeof *s.jobs);
    for (uint32_t i = 0; i < r->n; i++) {
        s.has[i] = slurm_free_on(r->nodes[i].node);
        s.jobs[i] = r->nodes[i].node->n_jobs;
    }
    for (size_t i = 0; i < n && s.fit < r->demand.nodes; i++) {
        slurm_room_free(&s, ends[i].job);
        last = ends[i].job;
        *ret_when = ends[i].at;
    }
    bool enough = s.fit >= r->demand.nodes;
    free(ends);
    free(s.has);
    free(s.jobs);
    return enough ? last : NULL;
}
