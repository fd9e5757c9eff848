/* acctsource.c - jobs of the state and of the history as one. */
#include "src/cli/accounting/acctsource.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/model/model.h"
#include "src/model/runs.h"

struct acct_piece { /* what was made of one job; its text lies in source.text */
    uint32_t id;
    size_t at, n;
};

struct acct_source {
    const struct acct_query *q;
    struct model *m;
    struct str text;
    VEC(struct acct_piece) pieces;
    struct idmap seen; /* ids that came from the history */
    void (*fn)(void *ctx, struct str *out, const struct job *j, const struct model *m);
    void *ctx;
};

#define QUEUED (1u << JOB_PENDING)
#define RUNS   (1u << JOB_RUNNING | 1u << JOB_SUSPENDED | 1u << JOB_COMPLETING)
#define ENDED  (~(QUEUED | RUNS))
/* What jobs that have left the state seldom ended as, but what one of their earlier runs may well be. */
#define EARLIER (STATES_REQUEUED | 1u << JOB_NODE_FAIL | 1u << JOB_PREEMPTED)

static bool acctsource_overlaps(struct wall from, struct wall to, struct wall since, struct wall until)
{
    return (!wall_is_set(until) || !wall_is_set(from) || from.ms <= until.ms) &&
           (!wall_is_set(since) || !wall_is_set(to) || to.ms >= since.ms);
}

/* Was the job in one of the states at some time between the two? */
static bool was_in_state(const struct job *j, uint32_t states, struct wall since, struct wall until)
{
    bool started = wall_is_set(j->t_start) && j->state != JOB_PENDING;
    struct wall waited_to = started ? j->t_start : j->t_end;
    bool ended = job_state_is_final((enum job_state)j->state);
    if (!states)
        return acctsource_overlaps(j->t_submit, ended ? j->t_end : (struct wall){0}, since, until);
    if ((states & QUEUED) && acctsource_overlaps(j->t_submit, waited_to, since, until))
        return true;
    if ((states & RUNS) && started &&
        acctsource_overlaps(j->t_start, ended ? j->t_end : (struct wall){0}, since, until))
        return true;
    uint32_t as = run_was_requeued(j) ? STATES_REQUEUED : 1u << j->state;
    return ended && (states & as) && (states & ENDED) &&
           acctsource_overlaps(j->t_end, j->t_end, since, until);
}

/* Each run counts as a job; without `duplicates` the last of those that are meant stands for all of
 * them. */
static void acctsource_take(struct acct_source *s, const struct job *j)
{
    struct acct_piece p = {.id = j->id, .at = s->text.len};
    uint32_t n = runs_count(j), last = n;
    for (uint32_t k = 0; k < n; k++) {
        struct run_record record;
        const struct job *run = run_get(j, s->q->duplicates ? k : n - 1 - k, &record);
        if (!was_in_state(run, s->q->states, s->q->since, s->q->until) ||
            !job_filter_takes(&s->q->filter, run))
            continue;
        s->fn(s->ctx, &s->text, run, s->m);
        last = k;
        if (!s->q->duplicates)
            break;
    }
    p.n = s->text.len - p.at;
    if (last < n)
        vec_push(&s->pieces, p);
}

static int on_history(void *ctx, struct job *j)
{
    struct acct_source *s = ctx;
    idmap_set(&s->seen, j->id, s);
    acctsource_take(s, j);
    job_free(j);
    return 0;
}

static void copy_names(struct strv *dst, const struct strv *src)
{
    for (size_t i = 0; i < src->n && i < GET_NAMES_MAX; i++)
        strv_push(dst, src->v[i]);
}

/* What the controller can choose by; all of it is looked at again here. */
static void make_history_query(const struct acct_query *q, struct msg_history *h)
{
    const struct job_filter *f = &q->filter;
    *h = (struct msg_history){.since = q->since, .until = q->until};
    for (size_t i = 0; i < f->targets.list.n && f->targets.list.n <= GET_NAMES_MAX; i++)
        *rec_list_push(&h->jobs) = f->targets.list.v[i];
    if (f->by_user)
        copy_names(&h->users, &f->users);
    for (size_t i = 0; f->by_user && i < f->uids.n && i < GET_NAMES_MAX; i++)
        strv_push_take(&h->users, xasprintf("%u", (unsigned)f->uids.v[i]));
    if (!q->duplicates) /* an earlier run may have been in another one */
        copy_names(&h->partitions, &f->partitions);
    copy_names(&h->names, &f->names);
    copy_names(&h->accounts, &f->accounts);
    if (q->states && !q->duplicates && !(q->states & (QUEUED | RUNS | EARLIER))) {
        h->states = q->states;
        h->ended = true;
    }
}

static bool acctsource_is_named(const struct job_filter *f, const struct job *j)
{
    for (size_t i = 0; i < f->targets.list.n; i++)
        if (job_is_named(j, f->targets.list.v[i].job, f->targets.list.v[i].array_index))
            return true;
    return !f->targets.list.n;
}

static int by_id(const void *a, const void *b)
{
    const struct acct_piece *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

static void put_together(struct acct_source *s, struct str *out)
{
    if (s->pieces.n)
        qsort(s->pieces.v, s->pieces.n, sizeof s->pieces.v[0], by_id);
    vec_for_each (&s->pieces, i)
        str_append_n(out, s->text.s + s->pieces.v[i].at, s->pieces.v[i].n);
}

int acct_each(struct client *c, const struct acct_query *q, struct model *m, struct str *out,
              void (*fn)(void *ctx, struct str *out, const struct job *j, const struct model *m), void *ctx,
              struct errtext *err)
{
    struct acct_source s = {.q = q, .m = m, .text = STR_INIT, .pieces = VEC_INIT, .fn = fn, .ctx = ctx};
    struct msg_get get;
    struct msg_history h;
    struct job_filter all = q->filter;
    model_init(m);
    all.states = STATES_ALL; /* whatever it is now: it may have been something else then */
    job_filter_to_get(&all, GET_SPEC | GET_JOBS, &get);
    make_history_query(q, &h);
    /* The state first: a job that leaves it meanwhile is in the history then. */
    int r = client_fetch(c, &get, m, err);
    r = r ? r : client_history(c, &h, on_history, &s, err);
    if (r == 0) {
        list_for_each (j, &m->all, struct job, in_all)
            if (!idmap_get(&s.seen, j->id) && acctsource_is_named(&q->filter, j))
                acctsource_take(&s, j);
        put_together(&s, out);
    }
    rec_fini(&msg_get_rec, &get);
    rec_fini(&msg_history_rec, &h);
    idmap_fini(&s.seen);
    vec_fini(&s.pieces);
    str_fini(&s.text);
    return r;
}
