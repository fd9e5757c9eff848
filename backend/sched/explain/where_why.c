/* where_why.c - where a pending job is expected to start, and what is on those nodes until then. */
#include <stdlib.h>

#include "backend/sched/explain/why_internal.h"
#include "src/base/xalloc.h"
#include "src/values/hostlist.h"

#define ROWS_MAX 24

struct where {
    const struct question *q;
    struct pool_parts parts; /* of the place */
    struct nodeset nodes;    /* its nodes */
    int64_t start, end;
};

/* As the cycle has planned it. */
static void where_by_slot(struct where *w, const struct pool_use *slot)
{
    for (uint32_t i = 0; i < slot->n_parts; i++)
        vec_push(&w->parts.v, slot->parts[i]);
    w->start = slot->start;
    w->end = slot->end;
}

/* A forecast has no nodes: the earliest place from then on, in any of its partitions. */
static void where_by_search(struct where *w)
{
    const struct question *q = w->q;
    struct queue *queue = q->queue;
    int64_t from = q->w->start.ms > queue->pool.now ? q->w->start.ms : queue->pool.now;
    w->start = w->end = WHEN_NEVER;
    for (uint32_t i = 0; i < q->u->class->n_choices; i++) {
        const struct plan_choice *c = &q->u->class->choices[i];
        struct pool_parts parts = {.v = VEC_INIT};
        if (!request_shape_could_ever(queue, q->u->class->shapes[i]))
            continue;
        struct pool_span span = {.from = from, .before = w->start, .len = c->len_min};
        int64_t at = pool_earliest(&queue->pool, c->demand, c->set, span, &parts);
        if (at >= w->start) {
            vec_fini(&parts.v);
            continue;
        }
        vec_fini(&w->parts.v);
        w->parts = parts;
        w->start = at;
        w->end = when_plus(at, c->len);
    }
}

static struct wall where_instant(int64_t ms)
{
    return ms == WHEN_NEVER ? (struct wall){0} : (struct wall){.ms = ms};
}

/* Of a job on the nodes of the place. */
struct share {
    struct strv nodes;
    uint32_t cpus, gpus;
    int64_t end;
};

static void where_add_share(const struct where *w, const struct pool_use *use, struct share *ret)
{
    for (uint32_t i = 0; i < use->n_parts; i++) {
        if (!nodeset_has(&w->nodes, use->parts[i].node))
            continue;
        const char *name = w->q->v->model->nodes[use->parts[i].node]->spec.name;
        if (!strv_has(&ret->nodes, name))
            strv_push(&ret->nodes, name);
        ret->cpus += (uint32_t)use->parts[i].amount.cpus;
        ret->gpus += (uint32_t)use->parts[i].amount.gpus;
        ret->end = use->end > ret->end ? use->end : ret->end;
    }
}

/* Takes *share over. */
static void where_add_row(const struct where *w, enum plan_kind kind, uint32_t id, struct wall start,
                          struct share *share)
{
    const struct job *j = share->nodes.n ? model_get_job(w->q->v->model, id) : NULL;
    if (j) {
        struct plan_row *row = rec_list_push(&w->q->w->plan);
        report_fill_row(w->q->p, kind, j, row);
        row->n_nodes = (uint32_t)share->nodes.n;
        row->nodes = hostlist_compress(&share->nodes);
        row->cpus = share->cpus;
        row->gpus = share->gpus;
        row->start = start;
        row->end = where_instant(share->end);
    }
    strv_fini(&share->nodes);
}

static void where_add_own(const struct where *w, bool planned)
{
    const struct job *j = w->q->j;
    struct share own = {.end = w->end};
    vec_for_each (&w->parts.v, i) {
        const struct pool_part *part = &w->parts.v.v[i];
        strv_push(&own.nodes, w->q->v->model->nodes[part->node]->spec.name);
        own.cpus += (uint32_t)part->amount.cpus;
        own.gpus += (uint32_t)part->amount.gpus;
    }
    where_add_row(w, planned ? PLAN_HELD : PLAN_FORECAST, j->id, where_instant(w->start), &own);
}

static void where_add_running(const struct where *w)
{
    list_for_each (r, &w->q->queue->active.list, struct active_job, link) {
        const struct job *j = model_get_job(w->q->v->model, r->job);
        struct share share = {0};
        vec_for_each (&r->v, i)
            where_add_share(w, &r->v.v[i]->use, &share);
        where_add_row(w, PLAN_RUNNING, r->job, j ? j->t_start : (struct wall){0}, &share);
    }
}

/* Starts that are planned there before the job would have ended. */
static void where_add_planned(const struct where *w)
{
    list_for_each (h, &w->q->queue->slots.list, struct plan_slot, link) {
        const struct pending_entry *u = container_of(h, struct pending_entry, slot);
        struct share share = {0};
        if (u == w->q->u || h->use.start >= w->end)
            continue;
        where_add_share(w, &h->use, &share);
        where_add_row(w, PLAN_HELD, u->job, where_instant(h->use.start), &share);
    }
}

struct where_ranked {
    int64_t rank;
    struct plan_row row;
};

/* The own run, then what ends by its start, the last one first, then the rest. */
static int64_t where_rank(const struct plan_row *r, const struct plan_row *own)
{
    int64_t end = wall_is_set(r->end) ? r->end.ms : WHEN_NEVER;
    if (r->job == own->job)
        return 0;
    return end <= own->start.ms ? 1 + own->start.ms - end : end;
}

static int where_by_rank(const void *pa, const void *pb)
{
    const struct where_ranked *a = pa, *b = pb;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->row.job > b->row.job) - (a->row.job < b->row.job);
}

/* Only the first rows are kept. */
static void where_sort(struct msg_why *why)
{
    struct where_ranked *all = xcalloc(why->plan.n, sizeof *all);
    size_t n = why->plan.n, kept = n < ROWS_MAX ? n : ROWS_MAX;
    for (size_t i = 0; i < n; i++)
        all[i] = (struct where_ranked){where_rank(&why->plan.v[i], &why->plan.v[0]), why->plan.v[i]};
    qsort(all, n, sizeof *all, where_by_rank);
    for (size_t i = 0; i < n; i++)
        if (i < kept)
            why->plan.v[i] = all[i].row;
        else
            rec_fini(&plan_row_rec, &all[i].row);
    why->plan.n = (uint32_t)kept;
    why->plan_more = (uint32_t)(n - kept);
    free(all);
}

/* It waits for its turn or for room; licences and limits open wherever it may run. */
static bool where_is_asked(const struct msg_why *w)
{
    for (size_t i = 0; i < w->causes.n; i++)
        switch ((enum why_class)w->causes.v[i].cls) {
        case WHY_BEHIND:
        case WHY_WINDOW:
        case WHY_NODE_OUT:
        case WHY_FOREIGN_GPU: return true;
        case WHY_BUSY:
            if (w->causes.v[i].code != CAUSE_LICENCES)
                return true;
            break;
        case WHY_NO_FIT:
        case WHY_NOT_ALLOWED:
        case WHY_DEP_DEAD:
        case WHY_HELD:
        case WHY_USER_LIMIT:
        case WHY_GROUP_LIMIT:
        case WHY_DEP_WAIT:
        case WHY_NOT_YET:
        case WHY_ARRAY_THROTTLE:
        case WHY_COOLDOWN:
        case WHY_LAUNCH_RETRY:
        case WHY_PARTITION_DOWN:
        case WHY_N_CLASSES: break;
        }
    return false;
}

void why_where(const struct question *q)
{
    struct where w = {.q = q, .parts = {.v = VEC_INIT}};
    const struct pool_use *slot = &q->u->slot.use;
    if (!wall_is_set(q->w->start) || !where_is_asked(q->w))
        return;
    if (slot->parts)
        where_by_slot(&w, slot);
    else
        where_by_search(&w);
    nodeset_init(&w.nodes, q->queue->pool.n_nodes);
    vec_for_each (&w.parts.v, i)
        nodeset_add(&w.nodes, w.parts.v.v[i].node);
    if (w.parts.v.n) {
        where_add_own(&w, slot->parts != NULL);
        where_add_running(&w);
        where_add_planned(&w);
        where_sort(q->w);
    }
    nodeset_fini(&w.nodes);
    vec_fini(&w.parts.v);
}
