/* past_jobs.c - jobs that have left the controller's state: asked for in pages, newest end first, once a
 * view shows them, and kept up to date with the jobs that leave the mirror from then on.
 *
 *      want --> page --> page --> ... --> whole        each page begins behind the last row of the one
 *       |                                              before (its end and its id), so that nothing shifts
 *        +--another want--> from the newest on again; what is known already stays
 */
#include "ui/frame/past_jobs.h"

#include <stdlib.h>

#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "ui/state/changes.h"
#include "ui/state/ui_state.h"

#define PAGE_ROWS 500
#define PAST_MAX  20000 /* kept, so that memory stays bounded */

struct past_jobs { /* in an order that means nothing */
    VEC(struct job *) jobs;
    struct idmap by_id;
    struct msg_history query; /* what is wanted; before: the last row that has come of it */
    uint64_t walk;            /* counts the wants */
    uint64_t asked_walk;      /* of the last page that was asked for */
    struct {                  /* an array that is needed whole; done NULL: it is not being asked for */
        uint32_t job;         /* the last one; its elements are kept when they leave the mirror */
        ui_fetched_fn *done;
        uint64_t arg;
    } array;
    bool asked, asking, whole;
};

static void past_jobs_clear(struct past_jobs *p)
{
    vec_for_each (&p->jobs, i)
        job_free(p->jobs.v[i]);
    vec_fini(&p->jobs);
    idmap_fini(&p->by_id);
    p->by_id = (struct idmap){0};
}

void past_jobs_new(struct ui *ui)
{
    ui->past = xcalloc(1, sizeof *ui->past);
}

void past_jobs_free(struct ui *ui)
{
    past_jobs_clear(ui->past);
    rec_fini(&msg_history_rec, &ui->past->query);
    free(ui->past);
    ui->past = NULL;
}

void past_jobs_lost(struct ui *ui)
{
    ui->past->asked = false;
}

static bool past_jobs_ended_before(const struct job *a, const struct job *b)
{
    return a->t_end.ms != b->t_end.ms ? a->t_end.ms < b->t_end.ms : a->id < b->id;
}

static void past_jobs_drop_oldest(struct past_jobs *p)
{
    size_t oldest = 0;
    for (size_t i = 1; i < p->jobs.n; i++)
        if (past_jobs_ended_before(p->jobs.v[i], p->jobs.v[oldest]))
            oldest = i;
    struct job *j = p->jobs.v[oldest];
    idmap_remove(&p->by_id, j->id);
    job_free(j);
    p->jobs.v[oldest] = p->jobs.v[--p->jobs.n];
}

static void past_jobs_take(struct past_jobs *p, struct job *take_j)
{
    if (idmap_get(&p->by_id, take_j->id)) {
        job_free(take_j);
        return;
    }
    if (p->jobs.n >= PAST_MAX)
        past_jobs_drop_oldest(p);
    idmap_set(&p->by_id, take_j->id, take_j);
    vec_push(&p->jobs, take_j);
}

static struct job *past_jobs_copy(const struct job *j)
{
    struct job *copy = xcalloc(1, sizeof *copy);
    rec_fini(&job_rec, copy);
    rec_copy(&job_rec, copy, j);
    return copy;
}

void past_jobs_keep(struct ui *ui, const struct job *j)
{
    if (ui->past->asked || (j->array_job && j->array_job == ui->past->array.job))
        past_jobs_take(ui->past, past_jobs_copy(j));
}

/* --- asking --- */

static void past_jobs_ask_next(struct ui *ui);

static void past_jobs_take_page(struct past_jobs *p, const struct msg_jobs *rows)
{
    for (size_t i = 0; i < rows->rows.n; i++) {
        const struct job *j = &rows->rows.v[i];
        past_jobs_take(p, past_jobs_copy(j));
        p->query.before = j->t_end;
        p->query.before_job = j->id;
    }
}

static void past_jobs_array_done(struct ui *ui, bool ok)
{
    ui_fetched_fn *done = ui->past->array.done;
    ui->past->array.done = NULL;
    if (done)
        done(ui, ui->past->array.arg, ok);
}

static void past_jobs_answered(struct ui *ui, struct view *owner, uint64_t arg, const struct incoming *in)
{
    (void)owner;
    struct past_jobs *p = ui->past;
    bool ours = arg == p->walk; /* else of a want that is no more */
    if (in && in->kind == MSG_JOBS) {
        if (ours)
            past_jobs_take_page(p, in->body);
        changes_everything(ui);
        return;
    }
    p->asking = false;
    if (in && ours) {
        const struct msg_history_end *end = in->kind == MSG_HISTORY_END ? in->body : NULL;
        p->whole = !end || end->n < PAGE_ROWS; /* a controller that refuses has no more for us */
    }
    if (in) {
        past_jobs_ask_next(ui);
    } else {
        p->asked = false; /* asked again when the connection is back */
        past_jobs_array_done(ui, false);
    }
    changes_everything(ui);
}

/* One question at a time: the controller answers no two. */
static void past_jobs_ask_page(struct ui *ui)
{
    struct past_jobs *p = ui->past;
    if (p->asking || !ui->session.online)
        return;
    p->query.newest = true;
    p->query.limit = PAGE_ROWS;
    p->asked_walk = p->walk;
    p->asking = ui_send(ui, MSG_HISTORY, &p->query, NULL, past_jobs_answered, p->walk);
}

/* --- one array --- */

static void past_jobs_array_answered(struct ui *ui, struct view *owner, uint64_t array,
                                     const struct incoming *in)
{
    (void)owner;
    struct past_jobs *p = ui->past;
    if (in && in->kind == MSG_JOBS) {
        const struct msg_jobs *rows = in->body;
        for (size_t i = 0; i < rows->rows.n; i++)
            past_jobs_take(p, past_jobs_copy(&rows->rows.v[i]));
        return;
    }
    p->asking = false;
    if (array == p->array.job)
        past_jobs_array_done(ui, in && in->kind == MSG_HISTORY_END);
    if (in)
        past_jobs_ask_next(ui);
    changes_everything(ui);
}

static void past_jobs_ask_array(struct ui *ui)
{
    struct past_jobs *p = ui->past;
    struct msg_history ask = {.newest = true};
    *rec_list_push(&ask.jobs) =
        (struct job_target){.job = p->array.job, .array_index = ARRAY_NONE, .step = STEP_ALL};
    p->asking = ui_send(ui, MSG_HISTORY, &ask, NULL, past_jobs_array_answered, p->array.job);
    rec_fini(&msg_history_rec, &ask);
    if (!p->asking)
        past_jobs_array_done(ui, false);
}

/* What was put off while another question was being answered. */
static void past_jobs_ask_next(struct ui *ui)
{
    if (ui->past->array.done)
        past_jobs_ask_array(ui);
    else if (ui->past->asked && ui->past->asked_walk != ui->past->walk)
        past_jobs_ask_page(ui);
}

void ui_fetch_array(struct ui *ui, uint32_t array_job, ui_fetched_fn *done, uint64_t arg)
{
    ui->past->array.job = array_job;
    ui->past->array.done = done;
    ui->past->array.arg = arg;
    if (!ui->past->asking) /* else when that is answered */
        past_jobs_ask_array(ui);
}

static bool past_jobs_is_wanted(const struct msg_history *q, const struct past_want *w)
{
    return str_eq(q->user_like, w->user) && str_eq(q->name_like, w->name) &&
           str_eq(q->partition_like, w->partition) && str_eq(q->account_like, w->account) &&
           q->states == w->states;
}

void ui_want_past(struct ui *ui, const struct past_want *w)
{
    struct past_jobs *p = ui->past;
    if (p->asked && past_jobs_is_wanted(&p->query, w))
        return;
    if (p->jobs.n > PAST_MAX / 2)
        past_jobs_clear(p);
    rec_fini(&msg_history_rec, &p->query);
    p->query = (struct msg_history){.user_like = xstrdup(w->user),
                                    .name_like = xstrdup(w->name),
                                    .partition_like = xstrdup(w->partition),
                                    .account_like = xstrdup(w->account),
                                    .states = w->states};
    p->walk++;
    p->asked = ui->session.online;
    p->whole = false;
    past_jobs_ask_page(ui);
}

void ui_want_more_past(struct ui *ui)
{
    struct past_jobs *p = ui->past;
    if (p->asked && !p->whole && p->jobs.n < PAST_MAX)
        past_jobs_ask_page(ui);
}

enum past_state ui_past_state(const struct ui *ui)
{
    const struct past_jobs *p = ui->past;
    return p->asking ? PAST_COMING : p->whole ? PAST_WHOLE : p->jobs.n >= PAST_MAX ? PAST_FULL : PAST_MORE;
}

struct wall ui_past_until(const struct ui *ui)
{
    return ui->past->query.before;
}

size_t ui_past(const struct ui *ui, struct job *const **ret)
{
    *ret = ui->past->jobs.v;
    return ui->past->jobs.n;
}

const struct job *ui_job(const struct ui *ui, uint32_t id)
{
    const struct job *j = model_get_job(ui->m, id);
    return j ? j : idmap_get(&ui->past->by_id, id);
}

bool ui_is_foreign(const struct ui *ui, uint32_t job)
{
    const struct job *j = ui_job(ui, job);
    return j && j->uid != ui_uid(ui);
}
