#include "backend/slurm/past/slurm_history.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "backend/slurm/past/slurm_ends.h"
#include "backend/slurm/past/slurm_sacct.h"
#include "backend/slurm/slurm_word.h"
#include "src/base/vec.h"
#include "src/base/xalloc.h"

#define FIRST_WINDOW_S 86400
#define WIDENS         4
#define REACH_S        (10LL * 365 * 86400) /* nothing older is looked for */
#define FRESH_MS       30000                /* the newest window is not read again sooner */
#define OVERLAP_S      900                  /* accounting may lag behind */
#define ROWS_MAX       128                  /* of a frame */
#define WAIT_MS        120000
#define PAUSE_FACTOR   2 /* pause between two windows, for each millisecond of the last one */

struct past_question {
    struct list link;
    uint64_t session, tag;
    struct msg_history q;
    bool named; /* sacct has answered about the jobs of q */
};

struct slurm_history {
    struct slurm_hub *hub;
    const struct slurm_mirror *mirror;
    struct slurm_ends *ends;
    struct list questions; /* the first one is being answered */
    struct slurm_command *running;
    struct loop_timer timer;
    struct mono next, newest_at;
    VEC(struct job *) jobs; /* that are known */
    struct idmap by_id;
    struct wall from, to; /* every end of the user's jobs in between is known; unset: none is */
    struct wall asked_from, asked_to;
    int64_t width_s;
    bool is_disabled; /* there is no accounting */
    char word[SLURM_WORD_SIZE];
};

static void slurm_past_next(struct slurm_history *h);

static void slurm_past_on_timer(void *ctx)
{
    slurm_past_next(ctx);
}

struct slurm_history *slurm_history_new(struct slurm_hub *hub, const struct slurm_mirror *mirror,
                                        const char *ends_path)
{
    struct slurm_history *h = xcalloc(1, sizeof *h);
    *h = (struct slurm_history){
        .hub = hub, .mirror = mirror, .ends = slurm_ends_new(ends_path), .width_s = FIRST_WINDOW_S};
    h->timer = (struct loop_timer){.fn = slurm_past_on_timer, .ctx = h};
    list_init(&h->questions);
    return h;
}

static void question_free(struct past_question *a)
{
    list_unlink(&a->link);
    rec_fini(&msg_history_rec, &a->q);
    free(a);
}

void slurm_history_free(struct slurm_history *h)
{
    if (!h)
        return;
    list_for_each (a, &h->questions, struct past_question, link)
        question_free(a);
    slurm_command_free(h->running);
    loop_timer_cancel(h->hub->loop, &h->timer);
    vec_for_each (&h->jobs, i)
        job_free(h->jobs.v[i]);
    vec_fini(&h->jobs);
    idmap_fini(&h->by_id);
    slurm_ends_free(h->ends);
    free(h);
}

void slurm_history_note(struct slurm_history *h, const struct job *j)
{
    if (j->uid == geteuid())
        slurm_ends_note(h->ends, j);
}

/* --- what is known --- */

/* The later row of an id is the better one: a job that was queued again has ended twice. */
static void slurm_past_take(struct slurm_history *h, struct job *take_j)
{
    struct job *old = idmap_get(&h->by_id, take_j->id);
    if (old && old->t_end.ms >= take_j->t_end.ms) {
        job_free(take_j);
        return;
    }
    if (old) {
        vec_for_each (&h->jobs, i)
            if (h->jobs.v[i] == old)
                h->jobs.v[i] = take_j;
        job_free(old);
    } else {
        vec_push(&h->jobs, take_j);
    }
    idmap_set(&h->by_id, take_j->id, take_j);
}

static void slurm_past_take_copy(void *ctx, const struct job *j)
{
    struct job *copy = xcalloc(1, sizeof *copy);
    rec_fini(&job_rec, copy);
    rec_copy(&job_rec, copy, j);
    slurm_past_take(ctx, copy);
}

/* --- which rows are wanted --- */

static bool slurm_past_is_like(const char *text, const char *part)
{
    return str_is_empty(part) || (text && strcasestr(text, part));
}

static bool slurm_past_is_one_of(const char *text, const struct strv *names)
{
    return !names->n || (text && strv_has(names, text));
}

static bool is_target(const struct msg_history *q, const struct job *j)
{
    for (size_t i = 0; i < q->jobs.n; i++) {
        const struct job_target *t = &q->jobs.v[i];
        if (t->array_index == ARRAY_NONE ? t->job == j->id || t->job == j->array_job
                                         : t->job == j->array_job && t->array_index == j->array_index)
            return true;
    }
    return !q->jobs.n;
}

static bool is_before(const struct msg_history *q, const struct job *j)
{
    if (!wall_is_set(q->before))
        return true;
    return j->t_end.ms < q->before.ms || (j->t_end.ms == q->before.ms && j->id < q->before_job);
}

/* Jobs that are in squeue still are not history yet. */
static bool slurm_past_is_wanted(const struct slurm_history *h, const struct msg_history *q,
                                 const struct job *j)
{
    struct wall until = q->until, by = q->ended ? j->t_end : j->t_submit;
    if (!q->jobs.n && j->uid != geteuid())
        return false;
    return !model_get_job(slurm_mirror_model(h->mirror), j->id) && is_target(q, j) && is_before(q, j) &&
           (!q->states || q->states & 1u << j->state) &&
           (!wall_is_set(q->since) || j->t_end.ms >= q->since.ms) &&
           (!wall_is_set(until) || by.ms <= until.ms) && slurm_past_is_one_of(j->user, &q->users) &&
           slurm_past_is_one_of(j->req.name, &q->names) &&
           slurm_past_is_one_of(j->partition, &q->partitions) &&
           slurm_past_is_one_of(j->req.account, &q->accounts) &&
           slurm_past_is_like(j->user, q->user_like) && slurm_past_is_like(j->req.name, q->name_like) &&
           slurm_past_is_like(j->partition, q->partition_like) &&
           slurm_past_is_like(j->req.account, q->account_like);
}

static int slurm_past_by_end(const void *pa, const void *pb)
{
    const struct job *a = *(struct job *const *)pa, *b = *(struct job *const *)pb;
    if (a->t_end.ms != b->t_end.ms)
        return a->t_end.ms < b->t_end.ms ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

static size_t slurm_past_count(const struct slurm_history *h, const struct msg_history *q)
{
    size_t n = 0;
    vec_for_each (&h->jobs, i)
        n += slurm_past_is_wanted(h, q, h->jobs.v[i]);
    return n;
}

/* Shallow copies of the rows go out, a frame at a time. */
static uint32_t slurm_past_send(struct slurm_history *h, struct slurm_session *s,
                                const struct past_question *a)
{
    struct job rows[ROWS_MAX];
    struct msg_jobs m = {.rows = {.v = rows}};
    uint32_t sent = 0;
    if (h->jobs.n)
        qsort(h->jobs.v, h->jobs.n, sizeof *h->jobs.v, slurm_past_by_end);
    for (size_t i = 0; i < h->jobs.n && (!a->q.limit || sent < a->q.limit); i++) {
        const struct job *j = h->jobs.v[a->q.newest ? h->jobs.n - 1 - i : i];
        if (!slurm_past_is_wanted(h, &a->q, j))
            continue;
        rows[m.rows.n++] = *j;
        sent++;
        if (m.rows.n == ROWS_MAX) {
            slurm_session_send(s, MSG_JOBS, a->tag, &m);
            m.rows.n = 0;
        }
    }
    if (m.rows.n)
        slurm_session_send(s, MSG_JOBS, a->tag, &m);
    return sent;
}

static void slurm_past_answer(struct slurm_history *h, struct past_question *a)
{
    struct slurm_session *s = slurm_hub_find(h->hub, a->session);
    if (s) {
        struct msg_history_end end = {.n = slurm_past_send(h, s, a)};
        slurm_session_send(s, MSG_HISTORY_END, a->tag, &end);
    }
    question_free(a);
}

/* --- asking --- */

static struct wall slurm_past_reach(const struct slurm_history *h)
{
    return wall_add_s(loop_wall(h->hub->loop), -REACH_S);
}

static bool slurm_past_needs_newest(const struct slurm_history *h, const struct past_question *a)
{
    if (!wall_is_set(h->to))
        return true;
    return !wall_is_set(a->q.before) &&
           (loop_now(h->hub->loop).ns - h->newest_at.ns) / NS_PER_MS > FRESH_MS;
}

static bool slurm_past_has_enough(const struct slurm_history *h, const struct past_question *a)
{
    if (h->is_disabled || a->named)
        return true;
    if (a->q.jobs.n || slurm_past_needs_newest(h, a))
        return false;
    return h->from.ms <= slurm_past_reach(h).ms ||
           (wall_is_set(a->q.since) && h->from.ms <= a->q.since.ms) ||
           (a->q.newest && a->q.limit && slurm_past_count(h, &a->q) >= a->q.limit);
}

static void slurm_past_push_time(struct strv *argv, const char *option, struct wall t)
{
    char text[WALL_TEXT_SIZE];
    strv_push(argv, option);
    strv_push(argv, wall_format_iso(t, text));
}

static void slurm_past_push_jobs(struct strv *argv, const struct msg_history *q)
{
    struct str ids = STR_INIT;
    for (size_t i = 0; i < q->jobs.n; i++)
        str_appendf(&ids, "%s%u", i ? "," : "", q->jobs.v[i].job);
    strv_push(argv, "-j");
    strv_push_take(argv, str_take(&ids));
}

/* Either the newest ends once more, or the window behind the oldest. */
static void slurm_past_choose_window(struct slurm_history *h, const struct past_question *a)
{
    struct wall now = loop_wall(h->hub->loop);
    if (!wall_is_set(h->to)) {
        h->asked_from = wall_add_s(now, -h->width_s);
        h->asked_to = now;
    } else if (slurm_past_needs_newest(h, a)) {
        h->asked_from = wall_add_s(h->to, -OVERLAP_S);
        h->asked_to = now;
    } else {
        h->asked_from = wall_add_s(h->from, -h->width_s);
        h->asked_to = h->from;
    }
}

static void slurm_past_on_answer(void *ctx, const struct slurm_output *o);

static void slurm_past_run(struct slurm_history *h, const struct past_question *a)
{
    struct strv argv = {0};
    slurm_word_make(h->word);
    strv_push(&argv, "sacct");
    strv_push(&argv, "--allocations");
    strv_push(&argv, "--noheader");
    strv_push(&argv, "--parsable");
    strv_push_take(&argv, xasprintf("--delimiter=%s", h->word));
    strv_push_take(&argv, slurm_sacct_format());
    h->asked_from = h->asked_to = (struct wall){0};
    if (a->q.jobs.n) {
        slurm_past_push_jobs(&argv, &a->q);
    } else {
        slurm_past_choose_window(h, a);
        strv_push(&argv, "-u");
        strv_push_take(&argv, xasprintf("%u", (unsigned)geteuid()));
        slurm_past_push_time(&argv, "-S", h->asked_from);
        slurm_past_push_time(&argv, "-E", h->asked_to);
    }
    h->running = slurm_command_new(
        h->hub->loop,
        &(struct slurm_command_spec){
            .dir = h->hub->dir, .argv = &argv, .env = &h->hub->env, .timeout_ms = WAIT_MS},
        slurm_past_on_answer, h);
    strv_fini(&argv);
}

static struct past_question *slurm_past_first(const struct slurm_history *h)
{
    list_for_each (a, &h->questions, struct past_question, link)
        return a;
    return NULL;
}

static void slurm_past_next(struct slurm_history *h)
{
    struct past_question *a;
    while (!h->running && (a = slurm_past_first(h))) {
        int64_t wait_ms = (h->next.ns - loop_now(h->hub->loop).ns) / NS_PER_MS;
        if (!slurm_hub_find(h->hub, a->session)) {
            question_free(a);
        } else if (slurm_past_has_enough(h, a)) {
            slurm_past_answer(h, a);
        } else if (wait_ms > 0) {
            loop_timer_set(h->hub->loop, &h->timer, wait_ms);
            return;
        } else {
            slurm_past_run(h, a);
        }
    }
}

/* --- answers of sacct --- */

static int slurm_past_read(struct slurm_history *h, const struct slurm_output *o, struct errtext *err)
{
    struct slurm_span rest = {o->out.s, o->out.len};
    struct job *j;
    int r;
    while ((r = slurm_sacct_next(&rest, h->word, &j, err)) > 0)
        if (j)
            slurm_past_take(h, j);
    return r;
}

static void slurm_past_note_window(struct slurm_history *h)
{
    bool first = !wall_is_set(h->to), newest = first || h->asked_to.ms > h->to.ms;
    if (newest) {
        h->to = h->asked_to;
        h->newest_at = loop_now(h->hub->loop);
    }
    if (first || h->asked_to.ms <= h->from.ms) {
        h->from = h->asked_from;
        h->width_s *= WIDENS;
    }
}

static bool is_without_accounting(const char *says)
{
    return strstr(says, "accounting storage is disabled") || strstr(says, "supported accounting_storage") ||
           strstr(says, "cannot be started"); /* sacct is not installed */
}

static void slurm_past_refuse(struct slurm_history *h, struct past_question *a, const char *says)
{
    struct slurm_session *s = slurm_hub_find(h->hub, a->session);
    if (s)
        slurm_session_refuse(s, a->tag, REFUSAL_NOT_SUPPORTED,
                             *says ? says : "sacct has failed without a reason");
    question_free(a);
}

static void slurm_past_on_answer(void *ctx, const struct slurm_output *o)
{
    struct slurm_history *h = ctx;
    struct past_question *a = slurm_past_first(h);
    struct errtext err = {""};
    bool ok = o->exit_code == 0 && slurm_past_read(h, o, &err) == 0;
    h->next = mono_add_ms(loop_now(h->hub->loop), o->ms * PAUSE_FACTOR);
    if (ok && a && a->q.jobs.n)
        a->named = true;
    else if (ok && wall_is_set(h->asked_to))
        slurm_past_note_window(h);
    else if (!ok && is_without_accounting(o->says.s)) {
        h->is_disabled = true;
        slurm_ends_each(h->ends, slurm_past_take_copy, h);
    } else if (!ok && a) {
        slurm_past_refuse(h, a, *err.s ? err.s : o->says.s);
    }
    slurm_command_free(h->running);
    h->running = NULL;
    slurm_past_next(h);
}

void slurm_history_ask(struct slurm_session *s, uint64_t tag, struct msg_history *m)
{
    struct slurm_history *h = s->history;
    struct past_question *a = xcalloc(1, sizeof *a);
    *a = (struct past_question){.session = s->number, .tag = tag, .q = *m};
    *m = (struct msg_history){.limit = 0};
    list_init(&a->link);
    list_append(&h->questions, &a->link);
    if (h->is_disabled) /* what has ended since */
        slurm_ends_each(h->ends, slurm_past_take_copy, h);
    slurm_past_next(h);
}
