/* placement.c - where a demand fits. Within groups of nodes: place_groups.c.
 *
 * On one node if one is enough: the lightest by weight, then the fullest that still fits, so that large
 * holes stay whole and GPUs stay free for jobs that ask for them. Else on as few nodes as take it: the
 * lightest first, then the roomiest, and if those are not enough the roomiest of all. Tasks are spread
 * evenly if a number of nodes was asked for, else the nodes are filled one after the other.
 *
 * If that takes more than limits allow (whole nodes, shares of memory): place_limited.c.
 */
#include <stdlib.h>

#include "backend/sched/resources/pool_internal.h"

static uint32_t placement_min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

struct pool_scratch *scratch_new(uint32_t n_nodes)
{
    struct pool_scratch *w = xcalloc(1, sizeof *w);
    uint32_t n = n_nodes ? n_nodes : 1;
    w->candidates = xcalloc(n, sizeof *w->candidates);
    w->shares = xcalloc(2 * (size_t)n, sizeof *w->shares);
    w->times = xcalloc(n, sizeof *w->times);
    return w;
}

void scratch_free(struct pool_scratch *w)
{
    if (!w)
        return;
    free(w->candidates);
    free(w->shares);
    free(w->times);
    vec_fini(&w->steps);
    vec_fini(&w->groups);
    free(w);
}

/* --- what a node could give --- */

/* How many of the tasks it could take, by its CPUs. */
static uint32_t placement_tasks_by_cpus(const struct demand *d, struct amount free)
{
    const struct job_need *need = &d->need;
    uint32_t cpus = clamp_u32(free.cpus);
    uint32_t tasks = d->overcommit && cpus ? need->tasks : cpus / need->cpus_per_task;
    if (!need->tasks_per_node)
        return placement_min_u32(tasks, need->tasks);
    return d->tasks_given || tasks >= need->tasks_per_node
               ? placement_min_u32(placement_min_u32(tasks, need->tasks_per_node), need->tasks)
               : 0;
}

/* GPUs that a node must have for the demand to look at it. */
static uint32_t placement_gpus_at_least(const struct job_need *need)
{
    if (need->gpus_per_task)
        return need->gpus_per_task;
    return need->gpus_anywhere ? need->gpus > 0 : need->gpus_per_node;
}

/* CPUs that a node must have free for any of its tasks; for all of them if they go to one node. */
static int64_t placement_cpus_at_least(const struct demand *d)
{
    const struct job_need *need = &d->need;
    uint64_t tasks = d->nodes_max == 1                         ? need->tasks
                     : need->tasks_per_node && !d->tasks_given ? need->tasks_per_node
                                                               : 1;
    tasks = tasks < need->tasks ? tasks : need->tasks;
    return d->overcommit || !tasks ? 1 : (int64_t)(tasks * need->cpus_per_task);
}

/* Fills in what the node could take; false if it cannot take part. */
static bool placement_look_at(struct node_candidate *v, const struct pool_node *n, const struct demand *d)
{
    const struct job_need *need = &d->need;
    uint32_t least_gpus = placement_gpus_at_least(need);
    if (v->free.cpus < 1 || v->free.gpus < least_gpus || (need->whole_nodes && !amount_eq(v->free, n->cap)))
        return false;
    v->gpus = clamp_u32(v->free.gpus);
    v->tasks = placement_tasks_by_cpus(d, v->free);
    if (need->gpus_per_task)
        v->tasks = placement_min_u32(v->tasks, v->gpus / need->gpus_per_task);
    if (!v->tasks)
        return false;
    bool must;
    int64_t mem = demand_mem(n, need, need->cpus_per_task, least_gpus, &must);
    if (must ? mem > v->free.mem_mib : mem && v->free.mem_mib < 1)
        return false;
    if (need->mem_per_cpu_mib && mem)
        v->tasks = placement_min_u32(v->tasks, clamp_u32(v->free.mem_mib / mem));
    if (need->mem_per_gpu_mib) {
        uint32_t most = clamp_u32(v->free.mem_mib / (int64_t)need->mem_per_gpu_mib);
        v->gpus = placement_min_u32(v->gpus, most);
        if (need->gpus_per_task)
            v->tasks = placement_min_u32(v->tasks, v->gpus / need->gpus_per_task);
    }
    return v->tasks > 0;
}

struct amount pool_least_of(const struct demand *d)
{
    const struct job_need *need = &d->need;
    uint32_t gpus = placement_gpus_at_least(need);
    uint64_t tasks = need->tasks_per_node && !d->tasks_given ? need->tasks_per_node : 1;
    uint64_t cpus = d->overcommit ? 1 : tasks * need->cpus_per_task;
    uint64_t mem = need->mem_per_cpu_mib                     ? need->mem_per_cpu_mib * need->cpus_per_task
                   : need->mem_per_gpu_mib                   ? need->mem_per_gpu_mib * gpus
                   : need->mem_per_node_mib == MEM_NOT_GIVEN ? 0
                                                             : need->mem_per_node_mib;
    return (struct amount){cpus < 1           ? 1
                           : cpus < INT32_MAX ? (int64_t)cpus
                                              : INT32_MAX,
                           mem < INT64_MAX ? (int64_t)mem : INT64_MAX, gpus};
}

bool pool_could_take(const struct pool *p, const struct demand *d, uint32_t node)
{
    const struct pool_node *n = &p->nodes[node];
    struct node_candidate v = {.node = node, .free = n->free_now};
    return n->usable && placement_look_at(&v, n, d);
}

bool pool_could_take_with(const struct pool *p, const struct demand *d, uint32_t node, struct amount more)
{
    const struct pool_node *n = &p->nodes[node];
    struct node_candidate v = {.node = node, .free = amount_plus(n->free_now, more)};
    return n->usable && placement_look_at(&v, n, d);
}

bool pool_could_ever_take(const struct pool *p, const struct demand *d, uint32_t node)
{
    const struct pool_node *n = &p->nodes[node];
    struct node_candidate v = {.node = node, .free = n->cap};
    return n->usable && placement_look_at(&v, n, d);
}

/* For a uniform demand any node that takes its part will do. */
static bool placement_takes_its_part(const struct node_candidate *v, const struct job_need *need)
{
    return (uint64_t)v->tasks * need->nodes >= need->tasks &&
           (!need->gpus_anywhere || v->gpus >= need->gpus);
}

bool demand_could_be_on(const struct demand *d, const struct pool_node *n)
{
    struct node_candidate v = {.free = n->cap};
    return placement_look_at(&v, n, d) && (!demand_is_uniform(d) || placement_takes_its_part(&v, &d->need));
}

/* Of the nodes that may have room for it now. */
static struct free_rows placement_free_rows(const struct pool *p, const struct demand *d)
{
    return free_index_rows(&p->free, placement_cpus_at_least(d), placement_gpus_at_least(&d->need));
}

bool pool_fits_easily(const struct pool *p, const struct demand *d, const struct nodeset *s)
{
    const struct job_need *need = &d->need;
    uint32_t left = need->nodes;
    if (!demand_is_uniform(d) || (s->n_listed && !d->one_task))
        return false;
    struct free_rows free_now = placement_free_rows(p, d);
    for (uint32_t w = 0; w < s->words; w++)
        for (uint64_t bits = s->bits[w] & free_rows_word(&free_now, w); bits; bits &= bits - 1) {
            const struct pool_node *node = &p->nodes[w * 64 + (uint32_t)__builtin_ctzll(bits)];
            struct node_candidate v = {.free = node->free_now};
            if (node->usable && placement_look_at(&v, node, d) && placement_takes_its_part(&v, need) &&
                --left == 0)
                return true;
        }
    return false;
}

/* --- choosing among the candidates --- */

static int placement_by_list(const struct node_candidate *a, const struct node_candidate *b)
{
    return a->listed == b->listed ? 0 : a->listed ? -1 : 1;
}

static int placement_by_weight(const struct node_candidate *a, const struct node_candidate *b)
{
    return a->weight == b->weight ? 0 : a->weight < b->weight ? -1 : 1;
}

/* Tight first. */
static bool placement_fits_better(const struct node_candidate *a, const struct node_candidate *b)
{
    if (placement_by_weight(a, b))
        return placement_by_weight(a, b) < 0;
    if (a->free.gpus != b->free.gpus)
        return a->free.gpus < b->free.gpus;
    if (a->free.cpus != b->free.cpus)
        return a->free.cpus < b->free.cpus;
    return a->node < b->node;
}

int candidates_by_tasks(const void *pa, const void *pb)
{
    const struct node_candidate *a = pa, *b = pb;
    if (placement_by_list(a, b))
        return placement_by_list(a, b);
    if (a->tasks != b->tasks)
        return a->tasks > b->tasks ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

int candidates_by_gpus(const void *pa, const void *pb)
{
    const struct node_candidate *a = pa, *b = pb;
    if (placement_by_list(a, b))
        return placement_by_list(a, b);
    return a->gpus != b->gpus ? (a->gpus > b->gpus ? -1 : 1) : candidates_by_tasks(pa, pb);
}

int candidates_by_weight(const void *pa, const void *pb)
{
    const struct node_candidate *a = pa, *b = pb;
    if (placement_by_list(a, b))
        return placement_by_list(a, b);
    return placement_by_weight(a, b) ? placement_by_weight(a, b) : candidates_by_tasks(pa, pb);
}

/* v[0 .. k) is a heap with the last in order on top. */
static void placement_sink(struct node_candidate *v, uint32_t i, uint32_t k, candidate_order *order)
{
    for (uint32_t child; (child = 2 * i + 1) < k; i = child) {
        child += child + 1 < k && order(&v[child + 1], &v[child]) > 0;
        if (order(&v[i], &v[child]) >= 0)
            return;
        struct node_candidate swap = v[i];
        v[i] = v[child];
        v[child] = swap;
    }
}

/* Sorts the first k of n to the front: mostly few of many. */
static void placement_put_first(struct node_candidate *v, uint32_t n, uint32_t k, candidate_order *order)
{
    k = k < n ? k : n;
    if (k && k < n / 4) {
        for (uint32_t i = k / 2; i-- > 0;)
            placement_sink(v, i, k, order);
        for (uint32_t i = k; i < n; i++) {
            if (order(&v[i], &v[0]) > 0)
                continue;
            struct node_candidate swap = v[i];
            v[i] = v[0];
            v[0] = swap;
            placement_sink(v, 0, k, order);
        }
        n = k;
    }
    qsort(v, n, sizeof *v, order);
}

/* The best of those that take it whole, put first. */
static bool placement_choose_one(struct node_candidate *v, uint32_t n, const struct job_need *need,
                                 bool must_be_listed)
{
    uint32_t best = n;
    for (uint32_t i = 0; i < n; i++) {
        if (v[i].tasks < need->tasks || (must_be_listed && !v[i].listed) ||
            (need->gpus_anywhere && v[i].gpus < need->gpus))
            continue;
        if (best == n || placement_fits_better(&v[i], &v[best]))
            best = i;
    }
    if (best < n)
        v[0] = v[best];
    return best < n;
}

/* The smallest number of first candidates, within least and most, that takes it; 0: there is none. */
static uint32_t placement_enough(const struct node_candidate *v, uint32_t n, const struct job_need *need,
                                 uint32_t least, uint32_t most)
{
    uint64_t tasks = 0, gpus = 0;
    for (uint32_t i = 0; i < n && i < most; i++) {
        tasks += v[i].tasks;
        gpus += v[i].gpus;
        if (i + 1 >= least && tasks >= need->tasks && (!need->gpus_anywhere || gpus >= need->gpus))
            return i + 1;
    }
    return 0;
}

/* Distributes `total` so that each of n gets at least one if possible, and none more than its cap[], which
 * becomes what it gets. Evenly: from the back, where the small ones are, so that the others share what
 * those cannot take. Else the first ones first. */
static void placement_share_out(uint32_t *cap, uint32_t n, uint32_t total, bool evenly)
{
    uint32_t left = total;
    uint64_t room = 0; /* what those to come can take at most */
    for (uint32_t i = 0; i < n; i++)
        room += cap[i];
    for (uint32_t k = 0; k < n; k++) {
        uint32_t i = evenly ? n - 1 - k : k;
        uint32_t to_come = n - 1 - k, keep = left > to_come ? to_come : left ? left - 1 : 0;
        room -= cap[i];
        uint32_t must = room < left ? left - (uint32_t)room : 0;
        uint32_t want = evenly ? left / (to_come + 1) : left - keep;
        cap[i] = placement_min_u32(want > must ? want : must, cap[i]);
        left -= cap[i];
    }
}

/* Of a range of nodes each further one brings its own tasks, unless their number was given. */
static uint32_t placement_tasks_on(const struct demand *d, uint32_t n)
{
    uint32_t each = d->need.tasks_per_node ? d->need.tasks_per_node : 1;
    return d->need.most_nodes && !d->tasks_given && n > d->need.nodes ? n * each : d->need.tasks;
}

static void placement_share_tasks_and_gpus(struct pool *p, uint32_t n, const struct demand *d)
{
    const struct job_need *need = &d->need;
    uint32_t all_tasks = placement_tasks_on(d, n);
    struct node_candidate *v = p->work->candidates;
    uint32_t *tasks = p->work->shares, *gpus = tasks + p->n_nodes;
    for (uint32_t i = 0; i < n; i++) {
        tasks[i] = v[i].tasks;
        gpus[i] = v[i].gpus;
    }
    placement_share_out(tasks, n, all_tasks, need->nodes > 1 || all_tasks > need->tasks);
    if (need->gpus_anywhere)
        placement_share_out(gpus, n, need->gpus, true);
    for (uint32_t i = 0; i < n; i++) {
        v[i].tasks = tasks[i];
        v[i].gpus = need->gpus_anywhere   ? gpus[i]
                    : need->gpus_per_task ? tasks[i] * need->gpus_per_task
                                          : need->gpus_per_node;
    }
}

uint32_t candidates_choose_one(struct pool *p, uint32_t n, const struct demand *d, bool must_be_listed)
{
    if (!placement_choose_one(p->work->candidates, n, &d->need, must_be_listed))
        return 0;
    placement_share_tasks_and_gpus(p, 1, d);
    return 1;
}

uint32_t candidates_choose(struct pool *p, uint32_t n, const struct demand *d, uint32_t least,
                           candidate_order *order)
{
    struct node_candidate *v = p->work->candidates;
    placement_put_first(v, n, d->nodes_max, order);
    uint32_t chosen = placement_enough(v, n, &d->need, least, d->nodes_max);
    if (chosen)
        placement_share_tasks_and_gpus(p, chosen, d);
    return chosen;
}

uint32_t candidates_choose_any(struct pool *p, uint32_t n, const struct demand *d, uint32_t listed)
{
    static candidate_order *const orders[] = {candidates_by_weight, candidates_by_tasks,
                                              candidates_by_gpus};
    uint32_t least = listed > d->need.nodes ? listed : d->need.nodes, chosen = 0;
    if (least == 1)
        chosen = candidates_choose_one(p, n, d, listed > 0);
    if (!chosen && (d->nodes_max < least || (least == 1 && d->nodes_max == 1)))
        return 0;
    for (size_t i = 0; i < sizeof orders / sizeof *orders && !chosen; i++)
        chosen = candidates_choose(p, n, d, least, orders[i]);
    return chosen;
}

struct amount candidate_takes(const struct node_candidate *v, const struct pool_node *n,
                              const struct job_need *need)
{
    if (need->whole_nodes)
        return n->cap;
    int64_t cpus = (int64_t)v->tasks * need->cpus_per_task;
    cpus = cpus < 1 ? 1 : cpus < v->free.cpus ? cpus : v->free.cpus;
    bool must;
    int64_t mem = demand_mem(n, need, (uint32_t)cpus, v->gpus, &must);
    return (struct amount){cpus, mem < v->free.mem_mib ? mem : v->free.mem_mib, v->gpus};
}

/* What stays free on a node throughout [t, end). Without planned starts the beginning is the tightest,
 * since allocations only end. */
static struct amount placement_free_throughout(const struct pool *p, const struct pool_node *n, int64_t t,
                                               int64_t end)
{
    if (!n->n_planned)
        return t <= p->now ? n->free_now : timeline_min(&n->line, t, t + 1);
    return timeline_min(&n->line, t, end);
}

uint32_t candidates_collect(struct pool *p, const struct demand *d, const struct nodeset *s, int64_t t,
                            int64_t len)
{
    uint32_t n = 0, listed = d->one_task ? 0 : s->n_listed, listed_here = 0;
    int64_t end = when_plus(t, len);
    struct node_candidate *v = p->work->candidates;
    struct free_rows free_now = placement_free_rows(p, d);
    p->cost += s->words / WORDS_LIKE_A_NODE + 1;
    for (uint32_t w = 0; w < s->words; w++) {
        uint64_t left = s->bits[w] & (t <= p->now ? free_rows_word(&free_now, w) : UINT64_MAX);
        for (; left; left &= left - 1) {
            uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(left);
            const struct pool_node *node = &p->nodes[i];
            p->cost++;
            if (!node->usable || !node_users_allow(&node->users, d->who, t, end))
                continue;
            v[n] = (struct node_candidate){.node = i, .weight = node->weight};
            v[n].free = placement_free_throughout(p, node, t, end);
            if (!placement_look_at(&v[n], node, d))
                continue;
            v[n].listed = listed && nodeset_is_listed(s, i);
            listed_here += v[n++].listed;
        }
    }
    return listed_here == listed ? n : 0;
}

void candidates_take(struct pool *p, uint32_t chosen, const struct demand *d, struct pool_parts *parts)
{
    const struct node_candidate *v = p->work->candidates;
    vec_clear(&parts->v);
    parts->who = d->who;
    for (uint32_t i = 0; i < chosen; i++)
        vec_push(&parts->v,
                 (struct pool_part){.node = v[i].node,
                                    .amount = candidate_takes(&v[i], &p->nodes[v[i].node], &d->need)});
}

bool pool_place(struct pool *p, const struct demand *d, const struct nodeset *s, int64_t t, int64_t len,
                struct pool_parts *parts)
{
    uint32_t n = candidates_collect(p, d, s, t, len);
    uint32_t chosen = 0, listed = d->one_task ? 0 : s->n_listed;
    if (n && p->n_groups)
        chosen = groups_choose(p, n, d, listed, t);
    else if (n)
        chosen = candidates_choose_any(p, n, d, listed);
    candidates_take(p, chosen, d, parts);
    return chosen > 0;
}
