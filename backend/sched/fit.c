/* fit.c - placing one request on nodes.
 *
 * Candidates are the partition's nodes that satisfy the constraints; of these the lightest by weight, then
 * the fullest that still fits (so that large holes stay whole). One node where one does, else the roomiest
 * first until all tasks have a place.
 */
#include "backend/sched/fit.h"

#include <errno.h>
#include <stdlib.h>

#include "src/base/hostlist.h"

static uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

struct fit_node *fit_nodes_new(const struct model *m, bool pretend_empty)
{
    struct fit_node *v = xcalloc(m->n_nodes, sizeof *v);
    for (size_t i = 0; i < m->n_nodes; i++) {
        const struct node *n = m->nodes[i];
        struct fit_node *f = &v[i];
        f->node = n;
        cpuset_add_range(&f->cpus_free, 0, min_u32(n->cpus, CPUSET_MAX));
        cpuset_add_range(&f->gpus_free, 0, min_u32(n->gpus == UINT32_MAX ? 0 : n->gpus, CPUSET_MAX));
        f->mem_free_mib = n->mem_mib;
        f->usable = f->empty = true;
        if (!pretend_empty) {
            cpuset_andnot(&f->cpus_free, &n->cpus_used);
            cpuset_andnot(&f->gpus_free, &n->gpus_used);
            f->mem_free_mib -= n->mem_used_mib < n->mem_mib ? n->mem_used_mib : n->mem_mib;
            f->usable = n->state == NODE_UP && !n->drain && !n->exclusive && !n->gone;
            f->empty = n->n_jobs == 0;
        }
        f->n_cpus = cpuset_count(&f->cpus_free);
        f->n_gpus = cpuset_count(&f->gpus_free);
    }
    return v;
}

void fit_constraints_init(struct fit_constraints *c, const struct job_req *req)
{
    *c = (struct fit_constraints){0};
    if (req && req->nodelist && hostlist_expand(req->nodelist, &c->only, NULL) < 0)
        c->bad = true;
    if (req && req->exclude && hostlist_expand(req->exclude, &c->never, NULL) < 0)
        c->bad = true;
    if (req && req->features)
        c->features = strv_split(req->features, "&,");
}

void fit_constraints_fini(struct fit_constraints *c)
{
    strv_fini(&c->only);
    strv_fini(&c->never);
    strv_fini(&c->features);
}

static bool has_features(const struct node *n, const struct strv *wanted)
{
    for (size_t i = 0; i < wanted->n; i++) {
        struct strv any = strv_split(wanted->v[i], "|");
        bool found = false;
        for (size_t k = 0; k < any.n; k++)
            found = found || strv_has(&n->spec.features, any.v[k]);
        strv_fini(&any);
        if (!found)
            return false;
    }
    return true;
}

/* The memory a request takes on this node for so many CPUs; *ret_must says whether it must be free or is a
 * share taken as far as it goes. */
static uint64_t mem_wanted(const struct fit_node *f, const struct fit_request *r, uint32_t cpus,
                           bool *ret_must)
{
    uint64_t asked = r->need.mem_per_node_mib;
    *ret_must = asked != MEM_NOT_GIVEN;
    if (asked == 0)
        return f->node->mem_mib;
    if (asked != MEM_NOT_GIVEN)
        return r->req && r->req->mem_node_mib == MEM_NOT_GIVEN && r->req->mem_cpu_mib != MEM_NOT_GIVEN
                   ? r->req->mem_cpu_mib * cpus
                   : asked;
    return mem_share_mib(f->node->mem_mib, f->node->cpus, cpus);
}

/* How many of the request's tasks the node could take; 0 where it will not do, and why is counted. */
static uint32_t capacity(const struct fit_node *f, const struct fit_request *r,
                         const struct fit_constraints *c, struct fit_refusals *why)
{
    const struct node *n = f->node;
    const struct job_need *need = &r->need;
    if (!f->usable) {
        *(n->drain ? &why->drained : n->state != NODE_UP || n->gone ? &why->out : &why->busy_whole) += 1;
        return 0;
    }
    if (c->bad || (c->only.n && !strv_has(&c->only, n->spec.name)) || strv_has(&c->never, n->spec.name)) {
        why->excluded++;
        return 0;
    }
    if (!has_features(n, &c->features)) {
        why->features++;
        return 0;
    }
    if (r->gpu_type && need->gpus && !str_ieq(r->gpu_type, n->gpu_type)) {
        why->gpu_type++;
        return 0;
    }
    if (need->whole_nodes && !f->empty) {
        why->busy_whole++;
        return 0;
    }
    if (f->n_gpus < need->gpus_per_node) {
        why->gpus++;
        return 0;
    }
    uint32_t tasks = f->n_cpus / need->cpus_per_task;
    if (r->req && r->req->overcommit && f->n_cpus)
        tasks = need->tasks;
    if (!tasks) {
        why->cpus++;
        return 0;
    }
    if (need->tasks_per_node)
        tasks = tasks < need->tasks_per_node ? 0 : need->tasks_per_node;
    if (!tasks) {
        why->cpus++;
        return 0;
    }
    bool must;
    uint64_t mem = mem_wanted(f, r, need->cpus_per_task, &must);
    bool per_cpu = r->req && r->req->mem_node_mib == MEM_NOT_GIVEN && r->req->mem_cpu_mib != MEM_NOT_GIVEN;
    if (must && mem > f->mem_free_mib) {
        why->mem++;
        return 0;
    }
    if (must && per_cpu && mem)
        tasks = min_u32(tasks, (uint32_t)(f->mem_free_mib / mem));
    why->fit++;
    return min_u32(tasks, need->tasks);
}

struct candidate {
    struct fit_node *f;
    uint32_t tasks; /* that it could take */
    size_t order;
};

static int by_fit(const void *pa, const void *pb)
{
    const struct candidate *a = pa, *b = pb;
    if (a->f->node->spec.weight != b->f->node->spec.weight)
        return a->f->node->spec.weight < b->f->node->spec.weight ? -1 : 1;
    if (a->f->n_gpus != b->f->n_gpus) /* keep GPUs for those who ask */
        return a->f->n_gpus < b->f->n_gpus ? -1 : 1;
    if (a->f->n_cpus != b->f->n_cpus)
        return a->f->n_cpus < b->f->n_cpus ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

static int by_room(const void *pa, const void *pb)
{
    const struct candidate *a = pa, *b = pb;
    if (a->f->node->spec.weight != b->f->node->spec.weight)
        return a->f->node->spec.weight < b->f->node->spec.weight ? -1 : 1;
    if (a->tasks != b->tasks)
        return a->tasks > b->tasks ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

static void debit(struct fit_node *f, const struct fit_request *r, uint32_t tasks, struct alloc *ret)
{
    *ret = (struct alloc){.node = xstrdup(f->node->spec.name)};
    uint32_t cpus = min_u32(tasks * r->need.cpus_per_task, f->n_cpus);
    bool must;
    if (r->need.whole_nodes) {
        ret->cpus = f->cpus_free;
        ret->gpus = f->gpus_free;
        ret->mem_mib = f->node->mem_mib;
        f->cpus_free = f->gpus_free = (struct cpuset){0};
        f->usable = false;
    } else {
        ret->cpus = cpuset_take_lowest(&f->cpus_free, cpus ? cpus : 1);
        ret->gpus = cpuset_take_lowest(&f->gpus_free, r->need.gpus_per_node);
        uint64_t mem = mem_wanted(f, r, cpus, &must);
        ret->mem_mib = mem < f->mem_free_mib ? mem : f->mem_free_mib;
    }
    f->mem_free_mib -= ret->mem_mib < f->mem_free_mib ? ret->mem_mib : f->mem_free_mib;
    f->n_cpus = cpuset_count(&f->cpus_free);
    f->n_gpus = cpuset_count(&f->gpus_free);
    f->empty = false;
}

/* Chooses among the candidates: first[0..*ret_n) with the tasks each shall take. False: not enough. */
static bool choose(struct candidate *v, size_t n, const struct job_need *need, size_t *ret_n)
{
    if (need->nodes == 1) {
        qsort(v, n, sizeof *v, by_fit);
        for (size_t i = 0; i < n; i++)
            if (v[i].tasks >= need->tasks) {
                struct candidate first = v[i];
                v[0] = first;
                v[0].tasks = need->tasks;
                *ret_n = 1;
                return true;
            }
    }
    uint32_t nodes_max = need->nodes_max > need->nodes ? need->nodes_max : need->nodes;
    if (need->nodes == 1 && need->nodes_max <= 1)
        nodes_max = need->tasks; /* -n without -N may spread */
    qsort(v, n, sizeof *v, by_room);
    uint32_t left = need->tasks;
    size_t used = 0;
    for (; used < n && used < nodes_max && (left || used < need->nodes); used++) {
        /* Keep one task for each node that is still to come. */
        uint32_t nodes_to_come = used + 1 < need->nodes ? need->nodes - (uint32_t)used - 1 : 0;
        uint32_t spare = left > nodes_to_come ? left - nodes_to_come : (left ? 1 : 0);
        uint32_t even = need->nodes > 1 ? (left + nodes_to_come) / (nodes_to_come + 1) : spare;
        v[used].tasks =
            min_u32(min_u32(v[used].tasks, spare), need->nodes > 1 && nodes_to_come ? even : spare);
        left -= v[used].tasks;
    }
    *ret_n = used;
    return left == 0 && used >= need->nodes;
}

int fit_place(const struct model *m, struct fit_node *nodes, const struct part_spec *part,
              const struct fit_request *r, struct alloc **ret_alloc, size_t *ret_n,
              struct fit_refusals *ret_why)
{
    struct fit_constraints c;
    fit_constraints_init(&c, r->req);
    struct candidate *v = xcalloc(m->n_nodes, sizeof *v);
    size_t n = 0, chosen = 0;
    *ret_why = (struct fit_refusals){0};
    for (size_t i = 0; i < m->n_nodes; i++) {
        if (!strv_has(&part->nodes, nodes[i].node->spec.name))
            continue;
        ret_why->nodes++;
        uint32_t tasks = capacity(&nodes[i], r, &c, ret_why);
        if (tasks)
            v[n++] = (struct candidate){.f = &nodes[i], .tasks = tasks, .order = i};
    }
    bool ok = choose(v, n, &r->need, &chosen);
    if (ok) {
        *ret_alloc = xcalloc(chosen, sizeof **ret_alloc);
        *ret_n = chosen;
        for (size_t i = 0; i < chosen; i++)
            debit(v[i].f, r, v[i].tasks, &(*ret_alloc)[i]);
    }
    free(v);
    fit_constraints_fini(&c);
    return ok ? 0 : -EAGAIN;
}

void fit_describe(const struct fit_refusals *f, bool empty, struct str *out)
{
    const char *free_word = empty ? "" : " free";
    str_appendf(out, "%u node%s:", f->nodes, f->nodes == 1 ? "" : "s");
    const struct {
        uint32_t n;
        const char *before, *after;
    } parts[] = {{f->gpus, "too few", " GPUs"},
                 {f->cpus, "too few", " CPUs"},
                 {f->mem, "too little", " memory"},
                 {f->gpu_type, NULL, "another GPU type"},
                 {f->features, NULL, "without the features"},
                 {f->excluded, NULL, "not among those wanted"},
                 {f->busy_whole, NULL, "not empty"},
                 {f->drained, NULL, "drained"},
                 {f->out, NULL, "not answering"},
                 {f->fit, NULL, "would do alone"}};
    const char *sep = " ";
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!parts[i].n)
            continue;
        str_appendf(out, "%s%u ", sep, parts[i].n);
        if (parts[i].before)
            str_appendf(out, "%s%s%s", parts[i].before, free_word, parts[i].after);
        else
            str_append(out, parts[i].after);
        sep = ", ";
    }
}
