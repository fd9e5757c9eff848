/* priority.c - the factors of a priority, and their sum. */
#include "backend/sched/priority/priority.h"

#include <string.h>

#include "src/model/need.h"

static double prio_at_least_one(double v)
{
    return v >= 1 ? v : 1.0;
}

static void prio_total_up(struct prio_ctx *c)
{
    for (size_t i = 0; i < c->model->n_nodes; i++) {
        const struct node *n = c->model->nodes[i];
        if (n->gone)
            continue;
        c->cpus += n->cpus;
        c->gpus += n->gpus;
        c->mem_mib += (double)n->mem_mib;
    }
    c->cpus = prio_at_least_one(c->cpus);
    c->gpus = prio_at_least_one(c->gpus);
    c->mem_mib = prio_at_least_one(c->mem_mib);
}

static void prio_scale_parts(struct prio_ctx *c, const struct cluster_spec *spec)
{
    uint32_t largest = 1;
    for (size_t i = 0; i < spec->parts.n; i++)
        if (spec->parts.v[i].priority_job_factor > largest)
            largest = spec->parts.v[i].priority_job_factor;
    c->part_factors = xcalloc(spec->parts.n + 1, sizeof *c->part_factors);
    for (size_t i = 0; i < spec->parts.n; i++)
        c->part_factors[i] = (double)spec->parts.v[i].priority_job_factor / largest;
}

static void prio_scale_qos(struct prio_ctx *c, const struct cluster_spec *spec)
{
    uint32_t largest = 1;
    for (size_t i = 0; i < spec->qos.n; i++)
        if (spec->qos.v[i].priority > largest)
            largest = spec->qos.v[i].priority;
    c->qos_factors = xcalloc(spec->qos.n + 1, sizeof *c->qos_factors);
    for (size_t i = 0; i < spec->qos.n; i++)
        c->qos_factors[i] = (double)spec->qos.v[i].priority / largest;
}

void prio_ctx_begin(struct prio_ctx *c, const struct model *m, struct wall now)
{
    *c = (struct prio_ctx){.model = m, .now = now};
    fairshare_begin(&c->fs, m, now);
    prio_total_up(c);
    prio_scale_parts(c, &m->spec);
    prio_scale_qos(c, &m->spec);
}

void prio_ctx_add(struct prio_ctx *c, const struct job *j)
{
    fairshare_add(&c->fs, c->model, j);
}

void prio_ctx_finish(struct prio_ctx *c)
{
    fairshare_finish(&c->fs);
}

void prio_ctx_init(struct prio_ctx *c, const struct model *m, struct wall now)
{
    prio_ctx_begin(c, m, now);
    list_for_each (j, &m->active, struct job, in_queue)
        prio_ctx_add(c, j);
    prio_ctx_finish(c);
}

void prio_ctx_fini(struct prio_ctx *c)
{
    fairshare_fini(&c->fs);
    free(c->part_factors);
    free(c->qos_factors);
    *c = (struct prio_ctx){0};
}

void prio_ctx_advance(struct prio_ctx *c, struct wall now)
{
    fairshare_advance(&c->fs, now);
    c->now = now;
}

/* --- factors --- */

static double prio_at_most_one(double v)
{
    return v < 1 ? v : 1.0;
}

static double prio_part_of_age(const struct prio_ctx *c, struct wall from, struct wall to)
{
    double max_ms = (double)c->model->spec.priority.max_age_s * MS_PER_S;
    if (!wall_is_set(from) || to.ms <= from.ms)
        return 0.0;
    return max_ms > 0 ? prio_at_most_one((double)(to.ms - from.ms) / max_ms) : 1.0;
}

/* Counts from when it could first start; a planned start stops it, its start ends it. */
static double prio_age_of(const struct prio_ctx *c, const struct job *j)
{
    struct wall from =
        j->t_eligible.ms > req_detail(&j->req)->begin.ms ? j->t_eligible : req_detail(&j->req)->begin;
    struct wall to = wall_is_set(j->t_start) ? j->t_start : c->now;
    return j->state == JOB_PENDING && j->hold != HOLD_NONE ? 0.0 : prio_part_of_age(c, from, to);
}

struct prio_amounts {
    double cpus, mem_mib, gpus;
};

/* What it asks for, of the whole cluster. Nodes by name are not counted: that would take their
 * list apart. */
static struct prio_amounts prio_asked_of(const struct prio_ctx *c, const struct job *j)
{
    struct prio_amounts a;
    if (j->alloc.n || j->kind == JOB_KIND_STEPS) {
        a = (struct prio_amounts){job_cpus(j), (double)job_mem_mib(j), job_gpus(j)};
    } else {
        struct job_need n;
        if (req_rare(&j->req)->nodelist) {
            struct job_req_rare rare = *req_rare(&j->req);
            rare.nodelist = NULL;
            struct job_req r = j->req;
            r.rare = &rare;
            job_need(&r, &n);
        } else {
            job_need(&j->req, &n);
        }
        bool mem_known = n.mem_per_node_mib != MEM_NOT_GIVEN;
        a = (struct prio_amounts){n.cpus, mem_known ? (double)n.mem_per_node_mib * n.nodes : 0, n.gpus};
    }
    return (struct prio_amounts){prio_at_most_one(a.cpus / c->cpus),
                                 prio_at_most_one(a.mem_mib / c->mem_mib),
                                 prio_at_most_one(a.gpus / c->gpus)};
}

static double prio_qos_of(const struct prio_ctx *c, const char *name)
{
    const struct qos_spec *q = spec_find_qos(&c->model->spec, name);
    return q ? c->qos_factors[q - c->model->spec.qos.v] : 0.0;
}

/* --- the sum --- */

static uint32_t prio_points(double factor, uint32_t weight)
{
    return (uint32_t)(factor * weight + 0.5);
}

uint32_t prio_of(const struct prio_ctx *c, const struct job *j, const struct part_spec *part,
                 struct prio_parts *ret_parts)
{
    const struct priority_spec *w = &c->model->spec.priority;
    struct prio_parts p = {.nice = req_detail(&j->req)->nice};
    p.age = prio_age_of(c, j);
    p.fairshare = w->weight_fairshare || ret_parts ? fairshare_factor(&c->fs, job_account(j), j->user) : 0;
    if (w->weight_job_size || w->weight_cpu || w->weight_mem || w->weight_gpu || ret_parts) {
        struct prio_amounts a = prio_asked_of(c, j);
        p.job_size = w->favor_small ? 1.0 - a.cpus : a.cpus;
        p.cpu = a.cpus;
        p.mem = a.mem_mib;
        p.gpu = a.gpus;
    }
    p.partition = part ? c->part_factors[part - c->model->spec.parts.v] : 0.0;
    p.qos = prio_qos_of(c, job_qos(&j->req));
    int64_t sum = 0;
#define X(factor, weight)                                 \
    p.factor##_points = prio_points(p.factor, w->weight); \
    sum += p.factor##_points;
    PRIO_FACTORS(X)
#undef X
    sum -= p.nice;
    int64_t total = sum < 0 ? 0 : sum < UINT32_MAX ? sum : UINT32_MAX;
    if (req_detail(&j->req)->has_priority) {
        p.admin = (int64_t)req_detail(&j->req)->priority - sum;
        total = req_detail(&j->req)->priority;
    }
    p.total = (uint32_t)total;
    if (ret_parts)
        *ret_parts = p;
    return p.total;
}

int64_t prio_fixed(const struct prio_ctx *c, const struct job *j, const struct part_spec *part)
{
    struct prio_parts p;
    prio_of(c, j, part, &p);
    return (int64_t)p.job_size_points + p.partition_points + p.qos_points + p.cpu_points + p.mem_points +
           p.gpu_points - p.nice;
}

uint32_t prio_age_points(const struct prio_ctx *c, struct wall from)
{
    return prio_points(prio_part_of_age(c, from, c->now), c->model->spec.priority.weight_age);
}

uint32_t prio_share_points(const struct prio_ctx *c, const char *account, const char *user)
{
    uint32_t weight = c->model->spec.priority.weight_fairshare;
    return weight ? prio_points(fairshare_factor(&c->fs, account, user), weight) : 0;
}

uint64_t prio_version(const struct prio_ctx *c)
{
    const double totals[] = {c->cpus, c->mem_mib, c->gpus};
    return hash_bytes(totals, sizeof totals);
}

uint32_t prio_of_best(const struct prio_ctx *c, const struct job *j)
{
    const struct model *m = c->model;
    const char *names = j->req.partition;
    if (j->state == JOB_PENDING && j->hold != HOLD_NONE)
        return 0;
    if (j->state != JOB_PENDING || str_is_empty(names))
        return prio_of(c, j, names || j->partition ? model_job_part(m, j) : model_default_part(m), NULL);
    uint32_t best = 0;
    for (const char *at = names; *at;) {
        size_t n = strcspn(at, ",");
        const struct part_spec *part = NULL;
        for (size_t i = 0; i < m->spec.parts.n && !part; i++)
            if (strlen(m->spec.parts.v[i].name) == n && !strncmp(m->spec.parts.v[i].name, at, n))
                part = &m->spec.parts.v[i];
        uint32_t here = prio_of(c, j, part, NULL);
        best = here > best ? here : best;
        at += n + (at[n] == ',');
    }
    return best;
}
