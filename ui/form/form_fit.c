/* form_fit.c - what nodes of a partition could give to a request. */
#include "ui/form/form_fit.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/values/hostlist.h"
#include "src/values/units.h"
#include "ui/info/node_free.h"

/* --- what one node must have --- */

/* Nodes that take part alike, so that what each gives is known. */
static bool fit_is_uniform(const struct job_need *n)
{
    if (n->nodes_max != n->nodes || n->mem_per_gpu_mib)
        return false;
    if (n->nodes == 1)
        return !n->tasks_per_node || n->tasks_per_node >= n->tasks;
    return !n->gpus_anywhere && n->tasks % n->nodes == 0 &&
           (n->tasks == n->nodes || n->tasks_per_node * n->nodes == n->tasks);
}

static void fit_ask(struct form_fit *f)
{
    const struct job_need *n = &f->need;
    uint64_t tasks = n->nodes_max <= 1 ? n->tasks : n->tasks_per_node ? n->tasks_per_node : 1;
    uint64_t cpus = tasks * n->cpus_per_task, gpus = n->nodes_max <= 1  ? n->gpus
                                                     : n->gpus_per_task ? tasks * n->gpus_per_task
                                                     : n->gpus_anywhere ? n->gpus > 0
                                                                        : n->gpus_per_node;
    f->asked[FIT_CPUS] = cpus;
    f->asked[FIT_GPUS] = gpus;
    f->asked[FIT_MEM] = n->mem_per_cpu_mib                     ? n->mem_per_cpu_mib * cpus
                        : n->mem_per_gpu_mib                   ? n->mem_per_gpu_mib * gpus
                        : n->mem_per_node_mib == MEM_NOT_GIVEN ? 0
                                                               : n->mem_per_node_mib;
}

static uint64_t fit_has(const struct form_fit *f, const struct node *n, enum fit_part p)
{
    bool typed = !req_detail(f->req)->gpu_type || str_ieq(req_detail(f->req)->gpu_type, n->gpu_type);
    switch (p) {
    case FIT_GPUS: return typed ? n->gpus : 0;
    case FIT_CPUS: return n->cpus;
    case FIT_MEM: return n->mem_mib;
    case FIT_PARTS: break;
    }
    return 0;
}

/* --- which nodes may be used --- */

/* "a100&nvlink|h100"; anything else is not understood. */
static bool fit_has_features(const struct form_fit *f, const struct node *n)
{
    bool any = false;
    struct strv ways = strv_split(req_detail(f->req)->features, "|");
    for (size_t i = 0; i < ways.n && !any; i++) {
        struct strv all = strv_split(ways.v[i], "&,");
        any = true;
        for (size_t k = 0; k < all.n && any; k++)
            any = strv_has(&n->spec.features, all.v[k]);
        strv_fini(&all);
    }
    strv_fini(&ways);
    return any;
}

static bool fit_is_named(const char *hosts, const struct node *n)
{
    struct strv names = {0};
    struct errtext err;
    bool is = hostlist_expand(hosts, &names, &err) >= 0 && strv_has(&names, n->spec.name);
    strv_fini(&names);
    return is;
}

/* The i-th node of the partition; NULL: the request does not want it. */
static const struct node *fit_node(const struct form_fit *f, size_t i)
{
    const struct node *n = model_get_node(f->m, f->part->nodes.v[i]);
    const struct job_req_rare *rare = req_rare(f->req);
    if (!n || (!str_is_empty(req_detail(f->req)->features) && !fit_has_features(f, n)) ||
        (!str_is_empty(rare->nodelist) && f->need.nodes_max <= 1 && !fit_is_named(rare->nodelist, n)) ||
        (!str_is_empty(rare->exclude) && fit_is_named(rare->exclude, n)))
        return NULL;
    return n;
}

/* Whether the node has all parts but one. A part that no node has does not count: its own offer comes
 * first. */
static bool fit_has_rest(const struct form_fit *f, const struct node *n, enum fit_part except)
{
    for (enum fit_part p = 0; p < FIT_PARTS; p++)
        if (p != except && f->asked[p] <= f->alone[p] && fit_has(f, n, p) < f->asked[p])
            return false;
    return true;
}

/* The largest amounts first. */
static int fit_most_first(const void *pa, const void *pb)
{
    uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;
    return (a < b) - (a > b);
}

/* The most that as many nodes as are needed have beside the rest. */
static uint64_t fit_find_most(const struct form_fit *f, enum fit_part p, uint64_t *room)
{
    uint32_t n = 0, nodes = f->need.nodes < f->n_nodes ? f->need.nodes : f->n_nodes;
    for (size_t i = 0; i < f->part->nodes.n; i++) {
        const struct node *node = fit_node(f, i);
        if (node && fit_has_rest(f, node, p))
            room[n++] = fit_has(f, node, p);
    }
    qsort(room, n, sizeof *room, fit_most_first);
    return nodes && n >= nodes ? room[nodes - 1] : 0;
}

void formfit_look(struct form_fit *ret, const struct model *m, const struct part_spec *part,
                  const struct job_req *req)
{
    *ret = (struct form_fit){.m = m, .part = part, .req = req};
    job_need(req, &ret->need);
    fit_ask(ret);
    ret->sure = fit_is_uniform(&ret->need) &&
                (str_is_empty(req_detail(req)->features) || !strpbrk(req_detail(req)->features, "[]()*!"));
    for (size_t i = 0; i < part->nodes.n; i++) {
        const struct node *n = fit_node(ret, i);
        for (enum fit_part p = 0; n && p < FIT_PARTS; p++)
            ret->alone[p] = fit_has(ret, n, p) > ret->alone[p] ? fit_has(ret, n, p) : ret->alone[p];
        ret->typed |= n && fit_has(ret, n, FIT_GPUS);
        ret->n_nodes += n != NULL;
    }
    uint64_t *room = xreallocarray(NULL, part->nodes.n + 1, sizeof *room);
    ret->fits = ret->need.nodes <= ret->n_nodes;
    for (enum fit_part p = 0; p < FIT_PARTS; p++) {
        ret->most[p] = fit_find_most(ret, p, room);
        ret->fits = ret->fits && ret->most[p] >= ret->asked[p];
    }
    free(room);
    /* A screen of the user's own jobs gets the nodes when it asks for them: until then all is possible. */
    ret->fits = ret->fits || !m->n_nodes;
}

/* --- now --- */

static bool fit_is_free(const struct ui *ui, const struct form_fit *f, const struct node *n)
{
    struct node_room has = node_free_of(ui, n);
    if (req_detail(f->req)->exclusive && n->n_jobs)
        return false;
    return has.cpus && has.cpus >= f->asked[FIT_CPUS] && has.mem_mib >= f->asked[FIT_MEM] &&
           (!f->asked[FIT_GPUS] || (fit_has(f, n, FIT_GPUS) && has.gpus >= f->asked[FIT_GPUS]));
}

bool formfit_has_room_now(const struct ui *ui, const struct form_fit *f)
{
    uint32_t n = 0;
    for (size_t i = 0; f->sure && f->part->state == PART_UP && i < f->part->nodes.n; i++) {
        const struct node *node = fit_node(f, i);
        n += node && fit_is_free(ui, f, node);
    }
    return n && n >= f->need.nodes;
}

/* --- several nodes --- */

uint32_t formfit_nodes_for_gpus(const struct form_fit *f, uint32_t *ret_all)
{
    uint64_t *gpus = xreallocarray(NULL, f->part->nodes.n + 1, sizeof *gpus), sum = 0;
    uint32_t nodes = 0;
    size_t n = 0;
    for (size_t i = 0; i < f->part->nodes.n; i++) {
        const struct node *node = fit_node(f, i);
        if (node && fit_has_rest(f, node, FIT_GPUS) && fit_has(f, node, FIT_GPUS))
            gpus[n++] = fit_has(f, node, FIT_GPUS);
    }
    qsort(gpus, n, sizeof *gpus, fit_most_first);
    for (size_t i = 0; i < n; i++) {
        sum += gpus[i];
        if (!nodes && sum >= f->asked[FIT_GPUS])
            nodes = (uint32_t)i + 1;
    }
    free(gpus);
    *ret_all = (uint32_t)sum;
    return nodes <= f->part->max_nodes ? nodes : 0;
}

void formfit_rest(const struct form_fit *f, enum fit_part except, struct str *out)
{
    char b[UNITS_TEXT_SIZE];
    for (enum fit_part p = 0; p < FIT_PARTS; p++) {
        if (p == except || f->asked[p] < 2 || f->asked[p] > f->alone[p])
            continue;
        str_append(out, out->len ? tr(" and ") : "");
        if (p == FIT_MEM)
            str_append(out, mem_format_slurm(f->asked[p], b));
        else
            str_appendf(out, "%u %s", (unsigned)f->asked[p], p == FIT_GPUS ? tr("GPUs") : tr("CPUs"));
    }
}
