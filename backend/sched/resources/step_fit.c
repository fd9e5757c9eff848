/* step_fit.c - steps inside an allocation: which part of it each srun gets.
 *
 * A step takes the CPUs of its ranks and the GPUs that it names. A step that names no GPUs takes all GPUs
 * that its job has on the nodes of the step, as in Slurm, so no GPU is in two steps. It takes memory only
 * if it says how much. A step that overlaps takes nothing.
 *
 * A step runs on exactly as many nodes as it asks for: the client that waits for it knows from the start
 * how many tasks there will be.
 */
#include <stdio.h>
#include <stdlib.h>

#include "backend/sched/resources/step_fit.h"
#include "src/base/xalloc.h"
#include "src/model/need.h"

/* What steps leave of one node of the allocation. */
struct step_room {
    const struct alloc *alloc;
    struct cpuset cpus, gpus;
    uint64_t mem_mib;
};

static bool step_fit_counts(const struct step *s, const struct task *t)
{
    return s->id >= 0 && !s->overlap && (t->state == TASK_LAUNCHING || t->state == TASK_RUNNING);
}

static struct step_room *step_fit_rooms_new(const struct job *j, bool empty)
{
    struct step_room *v = xcalloc(j->alloc.n, sizeof *v);
    for (size_t i = 0; i < j->alloc.n; i++) {
        const struct alloc *a = &j->alloc.v[i];
        v[i] = (struct step_room){.alloc = a, .cpus = a->cpus, .gpus = a->gpus, .mem_mib = a->mem_mib};
        if (!job_limits_memory(&j->req)) /* the share that it is charged limits no step */
            v[i].mem_mib = UINT64_MAX;
        for (size_t k = 0; !empty && k < j->steps.n; k++) {
            const struct step *s = &j->steps.v[k];
            for (size_t n = 0; n < s->tasks.n; n++) {
                const struct task *t = &s->tasks.v[n];
                if (!step_fit_counts(s, t) || !str_eq(t->alloc.node, a->node))
                    continue;
                cpuset_andnot(&v[i].cpus, &t->alloc.cpus);
                cpuset_andnot(&v[i].gpus, &t->alloc.gpus);
                if (s->mem_mib != MEM_NOT_GIVEN && s->mem_mib)
                    v[i].mem_mib -= t->alloc.mem_mib < v[i].mem_mib ? t->alloc.mem_mib : v[i].mem_mib;
            }
        }
    }
    return v;
}

static uint32_t step_fit_per_rank(const struct step *s)
{
    return s->cpus_per_rank == NOT_GIVEN || !s->cpus_per_rank ? 1 : s->cpus_per_rank;
}

/* Whether the node does, and the ranks that it could take. */
static uint32_t step_fit_ranks_in(const struct step *s, const struct step_room *r, uint32_t gpus_here)
{
    bool mem = s->mem_mib == MEM_NOT_GIVEN || !s->mem_mib || r->mem_mib >= s->mem_mib;
    uint32_t gpus = cpuset_count(&r->gpus), ranks = cpuset_count(&r->cpus) / step_fit_per_rank(s);
    if (!mem || gpus < gpus_here || (s->gpus == NOT_GIVEN && gpus < cpuset_count(&r->alloc->gpus)))
        return 0;
    if (s->overcommit)
        ranks = s->n_ranks;
    return s->gpus_per_rank && gpus / s->gpus_per_rank < ranks ? gpus / s->gpus_per_rank : ranks;
}

static struct alloc step_fit_take(const struct step *s, struct step_room *r, uint32_t ranks,
                                  uint32_t gpus_here)
{
    struct alloc a = {
        .node = xstrdup(r->alloc->node), .mem_mib = r->alloc->mem_mib, .gpus = r->alloc->gpus};
    uint32_t free_cpus = cpuset_count(&r->cpus);
    uint64_t cpus = (uint64_t)ranks * step_fit_per_rank(s);
    if (s->overlap || !free_cpus) /* overcommitted: it shares the CPUs of other steps */
        a.cpus = r->alloc->cpus;
    else
        a.cpus = cpuset_take_lowest(&r->cpus, cpus < free_cpus ? (uint32_t)cpus : free_cpus);
    if (s->gpus != NOT_GIVEN)
        a.gpus = cpuset_take_lowest(&r->gpus, gpus_here);
    else
        cpuset_andnot(&r->gpus, &a.gpus);
    if (s->mem_mib != MEM_NOT_GIVEN && s->mem_mib) {
        a.mem_mib = s->mem_mib;
        r->mem_mib -= s->mem_mib;
    }
    return a;
}

/* The nodes that a step runs on: as many as it wants, each with a rank at least. */
static uint32_t step_fit_nodes_of(const struct step *s)
{
    uint32_t nodes = s->nodes ? s->nodes : 1;
    return nodes < s->n_ranks ? nodes : s->n_ranks;
}

/* The roomiest node that is not marked yet; n if there is none. */
static size_t step_fit_roomiest(const uint32_t *most, const bool *marked, size_t n)
{
    size_t best = n;
    for (size_t i = 0; i < n; i++)
        if (!marked[i] && most[i] && (best == n || most[i] > most[best]))
            best = i;
    return best;
}

/* Marks the `nodes` roomiest, of equal ones the first. False: there are fewer, or not
 * roomy enough. */
static bool step_fit_mark_nodes(const struct step *s, const uint32_t *most, size_t n, uint32_t nodes,
                                bool *marked)
{
    uint64_t room = 0;
    for (uint32_t k = 0; k < nodes; k++) {
        size_t best = step_fit_roomiest(most, marked, n);
        if (best == n)
            return false;
        marked[best] = true;
        room += most[best];
    }
    return room >= s->n_ranks;
}

/* Spreads `total` over the marked nodes, evenly as far as each can take: most[] becomes what each gets.
 * From the back: what does not divide goes to the first. */
static void step_fit_share_out(uint32_t *most, const bool *marked, size_t n, uint32_t total)
{
    uint64_t room = 0; /* in those to come */
    uint32_t nodes = 0, left = total;
    for (size_t i = 0; i < n; i++) {
        most[i] = marked[i] ? most[i] : 0;
        room += most[i];
        nodes += marked[i];
    }
    for (size_t i = n; i-- > 0;) {
        if (!marked[i])
            continue;
        room -= most[i];
        uint32_t even = left / nodes, must = room < left ? left - (uint32_t)room : 0;
        uint32_t want = even > must ? even : must;
        most[i] = want < most[i] ? want : most[i];
        left -= most[i];
        nodes--;
    }
}

/* Distribution 2: as many on each node as the list names it. False: a node that is not one of the job's, or
 * has not the room. */
static bool step_fit_count_listed(const struct step *s, const struct step_room *rooms, size_t n,
                                  uint32_t *ranks, bool *marked)
{
    struct strv names = strv_split(s->rank_nodes, ",");
    uint32_t *want = xcalloc(n, sizeof *want);
    bool ok = names.n == s->n_ranks;
    for (size_t k = 0; k < names.n && ok; k++) {
        size_t i = 0;
        while (i < n && !str_eq(rooms[i].alloc->node, names.v[k]))
            i++;
        ok = i < n && ++want[i] <= ranks[i];
    }
    uint32_t nodes = 0;
    for (size_t i = 0; i < n; i++) {
        ranks[i] = want[i];
        marked[i] = want[i] > 0;
        nodes += marked[i];
    }
    free(want);
    strv_fini(&names);
    return ok && nodes == step_fit_nodes_of(s);
}

/* Spreads the step's ranks and GPUs over the rooms: ranks[i] and gpus[i] for room i. False: not enough
 * room. */
static bool step_fit_spread(const struct step *s, const struct step_room *rooms, size_t n, uint32_t *ranks,
                            uint32_t *gpus)
{
    uint32_t nodes = step_fit_nodes_of(s), left = s->gpus == NOT_GIVEN ? 0 : s->gpus, to_come = nodes;
    uint32_t most_gpus = s->gpus_per_rank ? s->gpus_per_rank
                         : nodes          ? left / nodes + (left % nodes != 0)
                                          : 0;
    struct strv only = strv_split(s->nodelist, ",");
    bool *marked = xcalloc(n, sizeof *marked);
    for (size_t i = 0; i < n; i++)
        if (!only.n || strv_has(&only, rooms[i].alloc->node))
            ranks[i] = step_fit_ranks_in(s, &rooms[i], most_gpus);
    strv_fini(&only);
    bool listed = s->distribution == 2, ok = nodes && nodes <= n;
    ok = ok && (listed ? step_fit_count_listed(s, rooms, n, ranks, marked)
                       : step_fit_mark_nodes(s, ranks, n, nodes, marked));
    if (ok && !listed)
        step_fit_share_out(ranks, marked, n, s->n_ranks);
    for (size_t i = 0; i < n && ok; i++)
        if (marked[i]) {
            gpus[i] =
                s->gpus_per_rank ? ranks[i] * s->gpus_per_rank : left / to_come + (left % to_come != 0);
            left -= gpus[i] < left ? gpus[i] : left;
            to_come--;
        }
    free(marked);
    return ok;
}

static bool step_fit_try_spread(const struct job *j, const struct step *s, bool empty,
                                struct step_room **ret_rooms, uint32_t *ranks, uint32_t *gpus)
{
    *ret_rooms = step_fit_rooms_new(j, empty || s->overlap);
    return step_fit_spread(s, *ret_rooms, j->alloc.n, ranks, gpus);
}

static void step_fit_say_short(const struct job *j, const struct step *s, bool ever, struct cause *why)
{
    if (!cause_set(why, ever ? CAUSE_STEP_WAITS : CAUSE_STEP_TOO_BIG))
        return;
    why->ranks = s->n_ranks;
    why->cpus = step_fit_per_rank(s);
    why->gpus = s->gpus == NOT_GIVEN ? 0 : s->gpus;
    why->mem_mib = s->mem_mib == MEM_NOT_GIVEN ? 0 : s->mem_mib;
    why->nodes_n = step_fit_nodes_of(s);
    why->have_cpus = job_cpus(j);
    why->have_gpus = job_gpus(j);
    why->have_nodes = j->alloc.n;
}

enum step_fit sched_fit_step(const struct job *j, const struct step *s, struct sched_places *ret,
                             struct cause *why)
{
    uint32_t *ranks = xcalloc(j->alloc.n * 2, sizeof *ranks), *gpus = ranks + j->alloc.n;
    struct step_room *rooms;
    bool ever = step_fit_try_spread(j, s, true, &rooms, ranks, gpus);
    free(rooms);
    memset(ranks, 0, j->alloc.n * 2 * sizeof *ranks);
    bool now = ever && step_fit_try_spread(j, s, false, &rooms, ranks, gpus);
    if (!now)
        step_fit_say_short(j, s, ever, why);
    uint32_t base = 0, task = 0;
    for (size_t i = 0; now && i < j->alloc.n; i++) {
        if (!ranks[i])
            continue;
        struct ev_place p = {.step = s->id, .task = task++, .rank_base = base, .n_ranks = ranks[i]};
        p.alloc = step_fit_take(s, &rooms[i], ranks[i], gpus[i]);
        base += ranks[i];
        vec_push(&ret->v, p);
    }
    if (ever)
        free(rooms);
    free(ranks);
    return now ? STEP_FITS : ever ? STEP_BUSY : STEP_TOO_BIG;
}
