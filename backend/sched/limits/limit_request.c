/* limit_request.c - what a job asks of limits: at least so much, wherever it runs.
 *
 * Whole nodes, and all of their memory, come with what the nodes have: that is no less than what the
 * smallest have of those that could take part, each amount by itself. Where it is placed tells the rest.
 */
#include <stdlib.h>

#include "backend/sched/limits/deadline.h"
#include "backend/sched/limits/limit_usage.h"
#include "backend/sched/limits/node_rules.h"
#include "src/base/xalloc.h"
#include "src/values/units.h"

static uint64_t limit_request_saturating_mul(uint64_t a, uint64_t b)
{
    uint64_t r;
    return __builtin_mul_overflow(a, b, &r) ? UINT64_MAX : r;
}

static void limit_request_ask_need(const struct job_need *n, struct limit_request *ret)
{
    bool said = n->mem_per_node_mib != MEM_NOT_GIVEN && n->mem_per_node_mib;
    ret->gpus = n->gpus;
    ret->cpus = n->cpus;
    ret->nodes = n->nodes;
    ret->mem_mib = said ? limit_request_saturating_mul(n->mem_per_node_mib, n->nodes) : 0;
}

/* --- nodes that come with more --- */

struct node_sizes { /* of nodes that could take part, each amount by itself */
    int64_t *cpus, *mem_mib, *gpus;
    uint32_t n;
};

static void limit_request_sizes_add(struct node_sizes *v, struct amount a, bool whole)
{
    v->cpus[v->n] = whole ? a.cpus : 0;
    v->mem_mib[v->n] = a.mem_mib;
    v->gpus[v->n++] = whole ? a.gpus : 0;
}

static uint64_t limit_request_sum_of_smallest(int64_t *v, uint32_t n, uint32_t k)
{
    uint64_t sum = 0;
    k = k < n ? k : n;
    if (k)
        kth_smallest(v, n, k);
    for (uint32_t i = 0; i < k; i++)
        sum += (uint64_t)v[i];
    return sum;
}

static struct amount limit_request_smallest(const struct node_sizes *v, uint32_t k)
{
    return (struct amount){.cpus = (int64_t)limit_request_sum_of_smallest(v->cpus, v->n, k),
                           .mem_mib = (int64_t)limit_request_sum_of_smallest(v->mem_mib, v->n, k),
                           .gpus = (int64_t)limit_request_sum_of_smallest(v->gpus, v->n, k)};
}

/* Those of the partition that could take part, in two kinds: named by the request, so that they have to,
 * and others. */
static void limit_request_collect_sizes(const struct model *m, const struct part_spec *part,
                                        const struct demand *d, const struct node_rules *r,
                                        struct node_sizes *listed, struct node_sizes *others)
{
    for (size_t i = 0; i < part->nodes.n; i++) {
        const struct node *node = model_get_node(m, part->nodes.v[i]);
        if (!node || !node_rules_meet(r, node))
            continue;
        struct pool_node p = {.cap = {.cpus = node->cpus,
                                      .mem_mib = (int64_t)node->mem_mib,
                                      .gpus = node->gpus == UINT32_MAX ? 0 : node->gpus}};
        bool unknown = node_is_unknown(node);
        if (unknown || demand_could_be_on(d, &p))
            limit_request_sizes_add(strv_has(&r->only, node->spec.name) ? listed : others,
                                    unknown ? (struct amount){0} : p.cap, d->need.whole_nodes);
    }
}

static uint64_t limit_request_larger(uint64_t a, int64_t b)
{
    return b > 0 && (uint64_t)b > a ? (uint64_t)b : a;
}

static void limit_request_ask_whole(const struct model *m, const struct job *j,
                                    const struct part_spec *part, struct limit_request *ret)
{
    struct demand d;
    struct node_rules r;
    size_t n = part->nodes.n ? part->nodes.n : 1;
    int64_t *v = xcalloc(6 * n, sizeof *v);
    struct node_sizes listed = {v, v + n, v + 2 * n, 0}, others = {v + 3 * n, v + 4 * n, v + 5 * n, 0};
    demand_of_job(j, NULL, part, &d);
    const struct window *w = str_is_empty(req_rare(&j->req)->reservation)
                                 ? NULL
                                 : model_get_window(m, req_rare(&j->req)->reservation);
    node_rules_init(&r, &j->req, d.need.gpus ? req_detail(&j->req)->gpu_type : NULL, w);
    limit_request_collect_sizes(m, part, &d, &r, &listed, &others);
    uint32_t nodes = d.need.nodes ? d.need.nodes : 1;
    struct amount a = limit_request_smallest(&listed, listed.n);
    a = amount_plus(a, limit_request_smallest(&others, nodes > listed.n ? nodes - listed.n : 0));
    ret->cpus = limit_request_larger(ret->cpus, a.cpus);
    ret->gpus = limit_request_larger(ret->gpus, a.gpus);
    ret->mem_mib = limit_request_larger(ret->mem_mib, a.mem_mib);
    node_rules_fini(&r);
    free(v);
}

/* --- a job --- */

static uint32_t limit_in(const struct job *j, const struct part_spec *part)
{
    return part ? deadline_limit_s(j, part) : j->req.time_limit_s;
}

void limits_request_job(struct limits *l, const struct model *m, const struct job *j,
                        const struct part_spec *part, struct limit_request *ret)
{
    *ret = (struct limit_request){.jobs = 1, .limit_s = limit_in(j, part)};
    if (!limits_any(l))
        return;
    ret->who = limits_who(l, m, j->user, job_account(j), job_qos(&j->req), part ? part->name : NULL);
    struct job_need n;
    job_need(&j->req, &n);
    limit_request_ask_need(&n, ret);
    if (part && (n.whole_nodes || !n.mem_per_node_mib))
        limit_request_ask_whole(m, j, part, ret);
}

void limits_request_task(struct limits *l, const struct model *m, const struct job *j, const struct step *s,
                         const struct part_spec *part, struct limit_request *ret)
{
    *ret = (struct limit_request){.jobs = j->state == JOB_PENDING, .limit_s = limit_in(j, part)};
    if (!limits_any(l))
        return;
    ret->who = limits_who(l, m, j->user, job_account(j), job_qos(&j->req), part ? part->name : NULL);
    struct job_need n;
    step_task_need(s, &n);
    limit_request_ask_need(&n, ret);
    ret->nodes = j->state == JOB_PENDING ? n.nodes : 0; /* of one that runs it may have them all already */
}

void limits_request_next(struct limits *l, const struct model *m, const struct job *j,
                         const struct part_spec *part, struct limit_request *ret)
{
    for (size_t i = 0; j->kind == JOB_KIND_STEPS && i < j->steps.n; i++)
        for (size_t k = step_live_begin(&j->steps.v[i]); k < j->steps.v[i].tasks.n; k++)
            if (j->steps.v[i].tasks.v[k].state == TASK_WAITING) {
                limits_request_task(l, m, j, &j->steps.v[i], part, ret);
                return;
            }
    limits_request_job(l, m, j, part, ret);
}

uint32_t limit_seconds(int64_t len_ms)
{
    return len_ms == WHEN_NEVER ? DURATION_UNLIMITED : (uint32_t)(len_ms / MS_PER_S);
}

void limit_request_set_placement(const struct pool_parts *parts, int64_t len_ms,
                                 struct limit_request *request)
{
    struct amount sum = {0, 0, 0};
    vec_for_each (&parts->v, i)
        sum = amount_plus(sum, parts->v.v[i].amount);
    request->cpus = (uint64_t)sum.cpus;
    request->gpus = (uint64_t)sum.gpus;
    request->mem_mib = (uint64_t)sum.mem_mib;
    request->nodes = parts->v.n;
    request->limit_s = limit_seconds(len_ms);
}
