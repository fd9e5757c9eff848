/* past_jobs.c - jobs that have left the controller's state: asked for in pages, newest end first, when
 * somebody wants to see them, and kept up by taking along what leaves the mirror from then on.
 *
 *      want --> page --> page --> ... --> whole        each page begins behind the last row of the one
 *       |                                              before (its end and its id), so that nothing shifts
 *        +--another want--> from the newest on again; what is known already stays
 */
#include <stdlib.h>

#include "src/base/xalloc.h"
#include "ui/frame/frame_internal.h"

#define PAGE_ROWS 500
#define PAST_MAX  20000 /* kept, so that memory stays bounded */

static void forget_jobs(struct past *p)
{
    vec_for_each (&p->jobs, i)
        job_free(p->jobs.v[i]);
    vec_fini(&p->jobs);
    idmap_fini(&p->by_id);
    p->by_id = (struct idmap){0};
}

void past_fini(struct past *p)
{
    forget_jobs(p);
    rec_fini(&msg_history_rec, &p->query);
    *p = (struct past){0};
}

static bool ended_before(const struct job *a, const struct job *b)
{
    return a->t_end.ms != b->t_end.ms ? a->t_end.ms < b->t_end.ms : a->id < b->id;
}

static void drop_oldest(struct past *p)
{
    size_t oldest = 0;
    for (size_t i = 1; i < p->jobs.n; i++)
        if (ended_before(p->jobs.v[i], p->jobs.v[oldest]))
            oldest = i;
    struct job *j = p->jobs.v[oldest];
    idmap_remove(&p->by_id, j->id);
    job_free(j);
    p->jobs.v[oldest] = p->jobs.v[--p->jobs.n];
}

static void take(struct past *p, struct job *take_j)
{
    if (idmap_get(&p->by_id, take_j->id)) {
        job_free(take_j);
        return;
    }
    if (p->jobs.n >= PAST_MAX)
        drop_oldest(p);
    idmap_set(&p->by_id, take_j->id, take_j);
    vec_push(&p->jobs, take_j);
}

static struct job *copy_of(const struct job *j)
{
    struct job *copy = job_new();
    rec_fini(&job_rec, copy);
    rec_copy(&job_rec, copy, j);
    return copy;
}

void past_keep(struct ui *a, const struct job *j)
{
    if (a->past.asked)
        take(&a->past, copy_of(j));
}

/* --- asking --- */

static void ask_next(struct ui *a);

static void take_page(struct past *p, const struct msg_jobs *rows)
{
    for (size_t i = 0; i < rows->rows.n; i++) {
        const struct job *j = &rows->rows.v[i];
        take(p, copy_of(j));
        p->query.before = j->t_end;
        p->query.before_job = j->id;
    }
}

static void array_is_over(struct ui *a, bool ok)
{
    ui_fetched_fn *done = a->past.array.done;
    a->past.array.done = NULL;
    if (done)
        done(a, a->past.array.arg, ok);
}

static void answered(struct ui *a, struct view *owner, uint64_t arg, const struct incoming *in)
{
    (void)owner;
    struct past *p = &a->past;
    bool ours = arg == p->walk; /* else of a want that is no more */
    if (in && in->kind == MSG_JOBS) {
        if (ours)
            take_page(p, in->body);
        app_changed(a);
        return;
    }
    p->asking = false;
    if (in && ours) {
        const struct msg_history_end *end = in->kind == MSG_HISTORY_END ? in->body : NULL;
        p->whole = !end || end->n < PAGE_ROWS; /* a controller that refuses has no more for us */
    }
    if (in) {
        ask_next(a);
    } else {
        p->asked = false; /* asked again when the connection is back */
        array_is_over(a, false);
    }
    app_changed(a);
}

/* One question at a time: the controller answers no two. */
static void ask_page(struct ui *a)
{
    struct past *p = &a->past;
    if (p->asking || !a->online)
        return;
    p->query.newest = true;
    p->query.limit = PAGE_ROWS;
    p->asked_walk = p->walk;
    p->asking = ui_send(a, MSG_HISTORY, &p->query, NULL, answered, p->walk);
}

/* --- one array --- */

static void array_answered(struct ui *a, struct view *owner, uint64_t array, const struct incoming *in)
{
    (void)owner;
    struct past *p = &a->past;
    if (in && in->kind == MSG_JOBS) {
        const struct msg_jobs *rows = in->body;
        for (size_t i = 0; i < rows->rows.n; i++)
            take(p, copy_of(&rows->rows.v[i]));
        return;
    }
    p->asking = false;
    if (array == p->array.job)
        array_is_over(a, in && in->kind == MSG_HISTORY_END);
    if (in)
        ask_next(a);
    app_changed(a);
}

static void ask_array(struct ui *a)
{
    struct past *p = &a->past;
    struct msg_history ask = {.newest = true};
    *rec_list_push(&ask.jobs) =
        (struct job_target){.job = p->array.job, .array_index = ARRAY_NONE, .step = STEP_ALL};
    p->asking = ui_send(a, MSG_HISTORY, &ask, NULL, array_answered, p->array.job);
    rec_fini(&msg_history_rec, &ask);
    if (!p->asking)
        array_is_over(a, false);
}

/* What was put off while another question was being answered. */
static void ask_next(struct ui *a)
{
    if (a->past.array.done)
        ask_array(a);
    else if (a->past.asked && a->past.asked_walk != a->past.walk)
        ask_page(a);
}

void ui_fetch_array(struct ui *a, uint32_t array_job, ui_fetched_fn *done, uint64_t arg)
{
    a->past.array.job = array_job;
    a->past.array.done = done;
    a->past.array.arg = arg;
    if (!a->past.asking) /* else when that is answered */
        ask_array(a);
}

static bool is_same(const struct msg_history *q, const struct past_want *w)
{
    return str_eq(q->user_like, w->user) && str_eq(q->name_like, w->name) &&
           str_eq(q->partition_like, w->partition) && str_eq(q->account_like, w->account) &&
           q->states == w->states;
}

void ui_want_past(struct ui *a, const struct past_want *w)
{
    struct past *p = &a->past;
    if (p->asked && is_same(&p->query, w))
        return;
    if (p->jobs.n > PAST_MAX / 2)
        forget_jobs(p);
    rec_fini(&msg_history_rec, &p->query);
    p->query = (struct msg_history){.user_like = xstrdup(w->user),
                                    .name_like = xstrdup(w->name),
                                    .partition_like = xstrdup(w->partition),
                                    .account_like = xstrdup(w->account),
                                    .states = w->states};
    p->walk++;
    p->asked = a->online;
    p->whole = false;
    ask_page(a);
}

void ui_want_more_past(struct ui *a)
{
    struct past *p = &a->past;
    if (p->asked && !p->whole && p->jobs.n < PAST_MAX)
        ask_page(a);
}

enum past_state ui_past_state(const struct ui *a)
{
    const struct past *p = &a->past;
    return p->asking ? PAST_COMING : p->whole ? PAST_WHOLE : p->jobs.n >= PAST_MAX ? PAST_FULL : PAST_MORE;
}

struct wall ui_past_until(const struct ui *a)
{
    return a->past.query.before;
}

size_t ui_past(const struct ui *a, struct job *const **ret)
{
    *ret = a->past.jobs.v;
    return a->past.jobs.n;
}

const struct job *ui_job(const struct ui *a, uint32_t id)
{
    const struct job *j = model_get_job(a->m, id);
    return j ? j : idmap_get(&a->past.by_id, id);
}
