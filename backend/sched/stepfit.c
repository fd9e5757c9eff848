/* stepfit.c - steps inside an allocation: which part of it each srun gets.
 *
 * A step counts the CPUs of its ranks; GPUs and memory only where it says how many: what it does not name
 * it shares with the others. A step that overlaps counts nothing.
 */
#include <stdlib.h>

#include "backend/sched/sched.h"

/* What steps leave of one node of the allocation. */
struct room {
    const struct alloc *alloc;
    struct cpuset cpus, gpus;
    uint64_t mem_mib;
};

static bool counts(const struct step *s, const struct task *t)
{
    return s->id >= 0 && !s->overlap && (t->state == TASK_LAUNCHING || t->state == TASK_RUNNING);
}

static struct room *rooms_new(const struct job *j, bool empty)
{
    struct room *v = xcalloc(j->alloc.n, sizeof *v);
    for (size_t i = 0; i < j->alloc.n; i++) {
        const struct alloc *a = &j->alloc.v[i];
        v[i] = (struct room){.alloc = a, .cpus = a->cpus, .gpus = a->gpus, .mem_mib = a->mem_mib};
        for (size_t k = 0; !empty && k < j->steps.n; k++) {
            const struct step *s = &j->steps.v[k];
            for (size_t n = 0; n < s->tasks.n; n++) {
                const struct task *t = &s->tasks.v[n];
                if (!counts(s, t) || !str_eq(t->alloc.node, a->node))
                    continue;
                cpuset_andnot(&v[i].cpus, &t->alloc.cpus);
                if (s->gpus != NOT_GIVEN)
                    cpuset_andnot(&v[i].gpus, &t->alloc.gpus);
                if (s->mem_mib != MEM_NOT_GIVEN && s->mem_mib)
                    v[i].mem_mib -= t->alloc.mem_mib < v[i].mem_mib ? t->alloc.mem_mib : v[i].mem_mib;
            }
        }
    }
    return v;
}

static uint32_t per_rank(const struct step *s)
{
    return s->cpus_per_rank == NOT_GIVEN || !s->cpus_per_rank ? 1 : s->cpus_per_rank;
}

/* Ranks that a node could take. */
static uint32_t ranks_in(const struct step *s, const struct room *r, uint32_t gpus_here)
{
    bool mem = s->mem_mib == MEM_NOT_GIVEN || !s->mem_mib || r->mem_mib >= s->mem_mib;
    if (!mem || cpuset_count(&r->gpus) < gpus_here)
        return 0;
    if (s->overcommit)
        return s->n_ranks;
    return cpuset_count(&r->cpus) / per_rank(s);
}

static struct alloc take(const struct step *s, struct room *r, uint32_t ranks, uint32_t gpus_here)
{
    struct alloc a = {
        .node = xstrdup(r->alloc->node), .mem_mib = r->alloc->mem_mib, .gpus = r->alloc->gpus};
    uint32_t cpus = ranks * per_rank(s), free_cpus = cpuset_count(&r->cpus);
    if (s->overlap || s->overcommit)
        a.cpus = r->alloc->cpus;
    else
        a.cpus = cpuset_take_lowest(&r->cpus, cpus < free_cpus ? cpus : free_cpus);
    if (s->gpus != NOT_GIVEN)
        a.gpus = cpuset_take_lowest(&r->gpus, gpus_here);
    if (s->mem_mib != MEM_NOT_GIVEN && s->mem_mib) {
        a.mem_mib = s->mem_mib;
        r->mem_mib -= s->mem_mib;
    }
    return a;
}

/* Spreads the step's ranks over the rooms: ranks[i] for room i. False: not enough room. */
static bool spread(const struct step *s, const struct room *rooms, size_t n, uint32_t *ranks,
                   uint32_t *gpus)
{
    uint32_t nodes = s->nodes ? s->nodes : 1, left = s->n_ranks, used = 0;
    struct strv only = strv_split(s->nodelist, ",");
    uint32_t gpus_node = s->gpus == NOT_GIVEN ? 0 : (s->gpus + nodes - 1) / nodes;
    for (size_t i = 0; i < n && left; i++) {
        if (only.n && !strv_has(&only, rooms[i].alloc->node))
            continue;
        uint32_t most = ranks_in(s, &rooms[i], gpus_node);
        if (!most)
            continue;
        uint32_t to_come = used + 1 < nodes ? nodes - used - 1 : 0;
        uint32_t here = left > to_come ? left - to_come : left;
        if (to_come && here > (left + to_come) / (to_come + 1))
            here = (left + to_come) / (to_come + 1);
        ranks[i] = here < most ? here : most;
        gpus[i] = gpus_node;
        left -= ranks[i];
        used++;
    }
    strv_fini(&only);
    return left == 0 && used >= (nodes < s->n_ranks ? nodes : s->n_ranks);
}

static bool try_spread(const struct job *j, const struct step *s, bool empty, struct room **ret_rooms,
                       uint32_t *ranks, uint32_t *gpus)
{
    *ret_rooms = rooms_new(j, empty || s->overlap);
    return spread(s, *ret_rooms, j->alloc.n, ranks, gpus);
}

static void say_short(const struct job *j, const struct step *s, struct errtext *text)
{
    err_set(text, 0,
            "step asks for %u task%s with %u CPU%s each and %u GPUs; the job holds %u CPUs, %u GPUs on %zu "
            "node%s",
            s->n_ranks, s->n_ranks == 1 ? "" : "s", per_rank(s), per_rank(s) == 1 ? "" : "s",
            s->gpus == NOT_GIVEN ? 0 : s->gpus, job_cpus(j), job_gpus(j), j->alloc.n,
            j->alloc.n == 1 ? "" : "s");
}

enum step_fit sched_fit_step(const struct job *j, const struct step *s, struct sched_places *ret,
                             struct errtext *text)
{
    uint32_t *ranks = xcalloc(j->alloc.n * 2, sizeof *ranks), *gpus = ranks + j->alloc.n;
    struct room *rooms;
    bool ever = try_spread(j, s, true, &rooms, ranks, gpus);
    free(rooms);
    memset(ranks, 0, j->alloc.n * 2 * sizeof *ranks);
    bool now = ever && try_spread(j, s, false, &rooms, ranks, gpus);
    if (!now)
        say_short(j, s, text);
    uint32_t base = 0, task = 0;
    for (size_t i = 0; now && i < j->alloc.n; i++) {
        if (!ranks[i])
            continue;
        struct ev_place p = {.step = s->id, .task = task++, .rank_base = base, .n_ranks = ranks[i]};
        p.alloc = take(s, &rooms[i], ranks[i], gpus[i]);
        base += ranks[i];
        vec_push(&ret->v, p);
    }
    if (ever)
        free(rooms);
    free(ranks);
    return now ? STEP_FITS : ever ? STEP_BUSY : STEP_TOO_BIG;
}
