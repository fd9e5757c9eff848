/* fit.c - placing one request on nodes.
 *
 * Candidates are the partition's nodes that satisfy the constraints. One node where one does: the lightest
 * by weight, then the fullest that still fits (so that large holes stay whole). Else as few as take it: the
 * lightest first, then the roomiest, and where those do not do the roomiest of all. Tasks are spread evenly
 * where a number of nodes was asked for, else the nodes are filled one after the other.
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

/* A node as a request sees it. */
struct candidate {
    struct fit_node *f;
    uint32_t tasks, gpus; /* that it could take and give; once chosen: those that it shall */
    bool listed;          /* the request names it: it must be part of the allocation */
    size_t order;
};

/* The memory a request takes on this node for so many CPUs and GPUs; *ret_must says whether it must be free
 * or is a share taken as far as it goes. */
static uint64_t mem_wanted(const struct fit_node *f, const struct job_need *need, uint32_t cpus,
                           uint32_t gpus, bool *ret_must)
{
    *ret_must = true;
    if (need->mem_per_cpu_mib)
        return cpus && need->mem_per_cpu_mib > UINT64_MAX / cpus ? UINT64_MAX
                                                                 : need->mem_per_cpu_mib * cpus;
    if (need->mem_per_gpu_mib)
        return gpus && need->mem_per_gpu_mib > UINT64_MAX / gpus ? UINT64_MAX
                                                                 : need->mem_per_gpu_mib * gpus;
    if (need->mem_per_node_mib != MEM_NOT_GIVEN)
        return need->mem_per_node_mib ? need->mem_per_node_mib : f->node->mem_mib;
    *ret_must = false;
    return mem_share_mib(f->node->mem_mib, f->node->cpus, cpus);
}

/* Where the node is not to be looked at closely at all: the count that says so; else NULL. */
static uint32_t *ruled_out(const struct fit_node *f, const struct fit_request *r,
                           const struct fit_constraints *c, bool listed_only, struct fit_refusals *why)
{
    const struct node *n = f->node;
    bool unlisted = listed_only && !strv_has(&c->only, n->spec.name);
    if (c->bad || unlisted || strv_has(&c->never, n->spec.name))
        return &why->excluded;
    if (!f->usable)
        return n->drain ? &why->drained : n->state != NODE_UP || n->gone ? &why->out : &why->busy_whole;
    if (!has_features(n, &c->features))
        return &why->features;
    if (r->gpu_type && r->need.gpus && n->gpus && !str_ieq(r->gpu_type, n->gpu_type))
        return &why->gpu_type;
    return r->need.whole_nodes && !f->empty ? &why->busy_whole : NULL;
}

/* GPUs that the node must have for the request to look at it. */
static uint32_t gpus_at_least(const struct job_need *need)
{
    if (need->gpus_per_task)
        return need->gpus_per_task;
    return need->gpus_anywhere ? need->gpus > 0 : need->gpus_per_node;
}

/* How many of the request's tasks the node could take, by its CPUs. */
static uint32_t tasks_by_cpus(const struct fit_node *f, const struct fit_request *r)
{
    const struct job_need *need = &r->need;
    uint32_t tasks =
        r->req && r->req->overcommit && f->n_cpus ? need->tasks : f->n_cpus / need->cpus_per_task;
    if (!need->tasks_per_node)
        return min_u32(tasks, need->tasks);
    /* With a number of tasks beside it, it is the most that a node gets; alone it is what each gets. */
    bool is_most = r->req && r->req->ntasks != NOT_GIVEN;
    return is_most || tasks >= need->tasks_per_node
               ? min_u32(min_u32(tasks, need->tasks_per_node), need->tasks)
               : 0;
}

/* Fills in what the node could take; false where it will not do: why is counted. */
static bool look_at(struct candidate *v, const struct fit_request *r, struct fit_refusals *why)
{
    const struct fit_node *f = v->f;
    const struct job_need *need = &r->need;
    v->gpus = f->n_gpus;
    v->tasks = tasks_by_cpus(f, r);
    uint32_t least_gpus = gpus_at_least(need);
    if (f->n_gpus < least_gpus) {
        why->gpus++;
        return false;
    }
    if (need->gpus_per_task)
        v->tasks = min_u32(v->tasks, f->n_gpus / need->gpus_per_task);
    if (!v->tasks) {
        why->cpus++;
        return false;
    }
    bool must;
    uint64_t mem = mem_wanted(f, need, need->cpus_per_task, least_gpus, &must);
    if (must ? mem > f->mem_free_mib : mem && !f->mem_free_mib) {
        why->mem++;
        return false;
    }
    if (need->mem_per_cpu_mib && mem)
        v->tasks = (uint32_t)(f->mem_free_mib / mem < v->tasks ? f->mem_free_mib / mem : v->tasks);
    if (need->mem_per_gpu_mib && f->mem_free_mib / need->mem_per_gpu_mib < v->gpus) {
        v->gpus = (uint32_t)(f->mem_free_mib / need->mem_per_gpu_mib);
        if (need->gpus_per_task)
            v->tasks = min_u32(v->tasks, v->gpus / need->gpus_per_task);
    }
    why->fit++;
    return true;
}

/* --- choosing among the candidates --- */

static int by_list(const struct candidate *a, const struct candidate *b)
{
    return a->listed == b->listed ? 0 : a->listed ? -1 : 1;
}

static int by_weight(const struct candidate *a, const struct candidate *b)
{
    uint32_t wa = a->f->node->spec.weight, wb = b->f->node->spec.weight;
    return wa == wb ? 0 : wa < wb ? -1 : 1;
}

static int by_fit(const void *pa, const void *pb)
{
    const struct candidate *a = pa, *b = pb;
    if (by_weight(a, b))
        return by_weight(a, b);
    if (a->f->n_gpus != b->f->n_gpus) /* keep GPUs for those who ask */
        return a->f->n_gpus < b->f->n_gpus ? -1 : 1;
    if (a->f->n_cpus != b->f->n_cpus)
        return a->f->n_cpus < b->f->n_cpus ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

static int by_tasks(const void *pa, const void *pb)
{
    const struct candidate *a = pa, *b = pb;
    if (by_list(a, b))
        return by_list(a, b);
    if (a->tasks != b->tasks)
        return a->tasks > b->tasks ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

static int by_gpus(const void *pa, const void *pb)
{
    const struct candidate *a = pa, *b = pb;
    if (by_list(a, b))
        return by_list(a, b);
    return a->gpus != b->gpus ? (a->gpus > b->gpus ? -1 : 1) : by_tasks(pa, pb);
}

static int by_weight_and_tasks(const void *pa, const void *pb)
{
    const struct candidate *a = pa, *b = pb;
    if (by_list(a, b))
        return by_list(a, b);
    return by_weight(a, b) ? by_weight(a, b) : by_tasks(pa, pb);
}

/* The first of v that takes it whole. */
static bool choose_one(struct candidate *v, size_t n, const struct job_need *need, size_t listed)
{
    qsort(v, n, sizeof *v, by_fit);
    for (size_t i = 0; i < n; i++) {
        if (v[i].tasks < need->tasks || (listed && !v[i].listed) ||
            (need->gpus_anywhere && v[i].gpus < need->gpus))
            continue;
        v[0] = v[i];
        return true;
    }
    return false;
}

/* The smallest number of first candidates, within least and most, that takes it; 0: there is none. */
static size_t enough(const struct candidate *v, size_t n, const struct job_need *need, size_t least,
                     size_t most)
{
    uint64_t tasks = 0, gpus = 0;
    for (size_t i = 0; i < n && i < most; i++) {
        tasks += v[i].tasks;
        gpus += v[i].gpus;
        if (i + 1 >= least && tasks >= need->tasks && (!need->gpus_anywhere || gpus >= need->gpus))
            return i + 1;
    }
    return 0;
}

/* Gives out `total` so that each of n gets at least one where that goes round, and none more than its
 * cap[], which becomes what it gets. Evenly: from the back, where the small ones are, so that the others
 * share what those cannot take. Else the first ones first. */
static void share_out(uint32_t *cap, size_t n, uint32_t total, bool evenly)
{
    uint32_t left = total;
    uint64_t room = 0; /* what those to come can take at most */
    for (size_t i = 0; i < n; i++)
        room += cap[i];
    for (size_t k = 0; k < n; k++) {
        size_t i = evenly ? n - 1 - k : k;
        uint32_t to_come = (uint32_t)(n - 1 - k), keep = left > to_come ? to_come : left ? left - 1 : 0;
        room -= cap[i];
        uint32_t must = room < left ? left - (uint32_t)room : 0;
        uint32_t want = evenly ? left / (to_come + 1) : left - keep;
        cap[i] = min_u32(want > must ? want : must, cap[i]);
        left -= cap[i];
    }
}

static void share_tasks_and_gpus(struct candidate *v, size_t n, const struct job_need *need)
{
    uint32_t *tasks = xcalloc(2 * n, sizeof *tasks), *gpus = tasks + n;
    for (size_t i = 0; i < n; i++) {
        tasks[i] = v[i].tasks;
        gpus[i] = v[i].gpus;
    }
    share_out(tasks, n, need->tasks, need->nodes > 1);
    if (need->gpus_anywhere)
        share_out(gpus, n, need->gpus, true);
    for (size_t i = 0; i < n; i++) {
        v[i].tasks = tasks[i];
        v[i].gpus = need->gpus_anywhere   ? gpus[i]
                    : need->gpus_per_task ? tasks[i] * need->gpus_per_task
                                          : need->gpus_per_node;
    }
    free(tasks);
}

/* Chooses among the candidates: v[0..return), with the tasks and GPUs that each shall take. 0: not enough.
 */
static size_t choose(struct candidate *v, size_t n, const struct job_need *need, size_t listed,
                     uint32_t nodes_max)
{
    static int (*const orders[])(const void *, const void *) = {by_weight_and_tasks, by_tasks, by_gpus};
    size_t least = listed > need->nodes ? listed : need->nodes, chosen = 0;
    if (least == 1 && choose_one(v, n, need, listed))
        chosen = 1;
    for (size_t i = 0; i < sizeof orders / sizeof *orders && !chosen; i++) {
        qsort(v, n, sizeof *v, orders[i]);
        chosen = enough(v, n, need, least, nodes_max);
    }
    if (chosen)
        share_tasks_and_gpus(v, chosen, need);
    return chosen;
}

static void debit(const struct candidate *v, const struct job_need *need, struct alloc *ret)
{
    struct fit_node *f = v->f;
    *ret = (struct alloc){.node = xstrdup(f->node->spec.name)};
    uint32_t cpus =
        (uint32_t)((uint64_t)v->tasks * need->cpus_per_task < f->n_cpus ? v->tasks * need->cpus_per_task
                                                                        : f->n_cpus);
    bool must;
    if (need->whole_nodes) {
        ret->cpus = f->cpus_free;
        ret->gpus = f->gpus_free;
        ret->mem_mib = f->node->mem_mib;
        f->cpus_free = f->gpus_free = (struct cpuset){0};
        f->usable = false;
    } else {
        cpus = cpus ? cpus : 1;
        ret->cpus = cpuset_take_lowest(&f->cpus_free, cpus);
        ret->gpus = cpuset_take_lowest(&f->gpus_free, v->gpus);
        uint64_t mem = mem_wanted(f, need, cpus, v->gpus, &must);
        ret->mem_mib = mem < f->mem_free_mib ? mem : f->mem_free_mib;
    }
    f->mem_free_mib -= ret->mem_mib < f->mem_free_mib ? ret->mem_mib : f->mem_free_mib;
    f->n_cpus = cpuset_count(&f->cpus_free);
    f->n_gpus = cpuset_count(&f->gpus_free);
    f->empty = false;
}

int fit_place(const struct model *m, struct fit_node *nodes, const struct part_spec *part,
              const struct fit_request *r, struct alloc **ret_alloc, size_t *ret_n,
              struct fit_refusals *ret_why)
{
    struct fit_constraints c;
    fit_constraints_init(&c, r->req);
    uint32_t nodes_max = min_u32(r->need.nodes_max, part->max_nodes);
    size_t listed = r->one_task ? 0 : c.only.n, listed_here = 0, n = 0, chosen = 0;
    bool listed_only = c.only.n && (r->one_task || listed >= nodes_max);
    struct candidate *v = xcalloc(m->n_nodes, sizeof *v);
    *ret_why = (struct fit_refusals){0};
    for (size_t i = 0; i < m->n_nodes; i++) {
        if (!strv_has(&part->nodes, nodes[i].node->spec.name))
            continue;
        ret_why->nodes++;
        v[n] = (struct candidate){.f = &nodes[i], .order = i};
        uint32_t *out = ruled_out(&nodes[i], r, &c, listed_only, ret_why);
        if (out)
            ++*out;
        else if (look_at(&v[n], r, ret_why)) {
            v[n].listed = listed && strv_has(&c.only, nodes[i].node->spec.name);
            listed_here += v[n++].listed;
        }
    }
    if (listed_here == listed)
        chosen = choose(v, n, &r->need, listed, nodes_max);
    if (chosen) {
        *ret_alloc = xcalloc(chosen, sizeof **ret_alloc);
        *ret_n = chosen;
        for (size_t i = 0; i < chosen; i++)
            debit(&v[i], &r->need, &(*ret_alloc)[i]);
    }
    free(v);
    fit_constraints_fini(&c);
    return chosen ? 0 : -EAGAIN;
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
