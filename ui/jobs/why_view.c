/* why_view.c - why a job waits. */
#include "ui/jobs/why_view.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/units.h"
#include "src/base/xalloc.h"
#include "src/model/jobeffective.h"
#include "src/text/jobtext.h"
#include "src/text/why_text.h"
#include "ui/dialogs/job_dialogs.h"
#include "ui/info/job_efficiency.h"
#include "ui/info/job_info.h"
#include "ui/jobs/array_info.h"
#include "ui/text/view_text.h"
#include "ui/widget/bar.h"

static bool starts_by_itself(uint32_t cls)
{
    static const bool self[WHY_N_CLASSES] = {
#define X(name, text, by_itself) [WHY_##name] = by_itself,
        WHY_CLASSES(X)
#undef X
    };
    return cls < WHY_N_CLASSES && self[cls];
}

#define LABEL 8

/* "about 14:25, in 25 min (if no job ends early; 40 s old)", and the usual error of such forecasts. */
static void start_lines(struct lines *l, const struct msg_why *w, const struct cause_reader *reader)
{
    struct wall now = reader->now;
    char b[UNITS_TEXT_SIZE];
    if (!wall_is_set(w->start))
        return;
    struct rich *r = lines_pair(l, "start", LABEL);
    rich_add(r, ROLE_NORMAL, "about ");
    when_about(&r->text, w->start, now);
    rich_role(r, ROLE_STRONG);
    rich_addf(r, ROLE_NORMAL, ", in %s", duration_format_words(wall_elapsed_s(now, w->start), b));
    bool basis = w->basis.code != CAUSE_NONE;
    if (basis) {
        str_append(&r->text, " (");
        cause_full(&r->text, &w->basis, reader);
        rich_role(r, ROLE_DIM);
    }
    if (wall_is_set(w->made))
        rich_addf(r, ROLE_DIM, "%s%s old", basis ? "; " : " (",
                  duration_format_words(wall_elapsed_s(w->made, now), b));
    if (basis || wall_is_set(w->made))
        rich_add(r, ROLE_DIM, ")");
    if (w->held && !basis)
        rich_add(lines_pair(l, "", LABEL), ROLE_GOOD, "start is planned");
    if (!wall_is_set(w->likely))
        return;
    struct str from = STR_INIT, to = STR_INIT;
    when_about(&from, w->likely, now);
    when_about(&to, w->unlikely, now);
    r = lines_pair(l, "likely", LABEL);
    if (str_eq(from.s, to.s))
        rich_addf(r, ROLE_NORMAL, "about %s", from.s);
    else
        rich_addf(r, ROLE_NORMAL, "%s to %s", from.s, to.s);
    str_fini(&from);
    str_fini(&to);
    rich_addf(r, ROLE_DIM, " (half of %u such forecasts)", w->samples);
}

/* "812 train, 4_7 sweep": a number alone does not tell which job is meant. */
static void blocker_line(struct lines *l, const struct msg_why *w, const struct ui *ui)
{
    struct rich *r = lines_pair(l, "room", LABEL);
    rich_add(r, ROLE_NORMAL, "freed by ");
    for (size_t i = 0; i < w->blockers.n; i++) {
        const struct job *j = model_get_job(ui_model(ui), (uint32_t)strtoul(w->blockers.v[i], NULL, 10));
        rich_addf(r, ROLE_NORMAL, "%s%s", i ? ", " : "", w->blockers.v[i]);
        if (j && !str_is_empty(j->req.name))
            rich_addf(r, ROLE_DIM, " %s", j->req.name);
    }
}

static void estimate(struct lines *l, const struct msg_why *w, const struct ui *ui,
                     const struct cause_reader *reader)
{
    start_lines(l, w, reader);
    if (w->rank) {
        struct rich *r = lines_pair(l, "place", LABEL);
        text_append_ordinal(&r->text, w->rank);
        rich_role(r, ROLE_NORMAL);
        rich_addf(r, ROLE_NORMAL, " of %u", w->rank_of);
    }
    if (w->blockers.n)
        blocker_line(l, w, ui);
    if (w->advice.code != CAUSE_NONE) {
        struct rich *r = lines_pair(l, "try", LABEL);
        cause_full(&r->text, &w->advice, reader);
        rich_role(r, ROLE_GOOD);
    }
}

static void cause_line(struct lines *l, const struct cause *c, const struct cause_reader *reader)
{
    struct rich *r = lines_add(l);
    rich_add(r, starts_by_itself(c->cls) ? ROLE_WAITING : ROLE_ERROR,
             starts_by_itself(c->cls) ? "- " : "! ");
    cause_full(&r->text, c, reader);
    rich_role(r, ROLE_NORMAL);
    if (wall_is_set(c->clears)) {
        rich_add(r, ROLE_DIM, " (clears about ");
        when_about(&r->text, c->clears, reader->now);
        str_append_char(&r->text, ')');
        rich_role(r, ROLE_DIM);
    }
    r->hang = 2;
}

static void why_view_past_line(struct lines *l, const struct msg_why *w, struct wall now)
{
    struct str past = STR_INIT;
    struct wall t;
    why_text_past(&past, w, &t);
    if (past.len) {
        struct rich *r = lines_pair(l, "before", LABEL);
        rich_addf(r, ROLE_NORMAL, "%s%s", past.s, wall_is_set(t) ? ", " : "");
        if (wall_is_set(t))
            when_about(&r->text, t, now);
        rich_role(r, ROLE_NORMAL);
    }
    str_fini(&past);
}

void why_lines(struct lines *l, const struct msg_why *w, const struct ui *ui)
{
    struct cause_reader reader = ui_cause_reader(ui, model_get_job(ui_model(ui), w->job));
    struct rich *first = lines_add(l);
    if (w->causes.n) /* what the list says of it */
        cause_brief(&first->text, &w->causes.v[0], &reader);
    else
        why_text_summary(&first->text, w, &reader);
    rich_role(first, ROLE_STRONG);
    why_view_past_line(l, w, reader.now);
    for (size_t i = 0; i < w->causes.n; i++)
        if (i || wall_is_set(w->causes.v[i].clears) || !why_text_is_brief(&w->causes.v[i], &reader))
            cause_line(l, &w->causes.v[i], &reader);
    if (l->n && (wall_is_set(w->start) || w->rank || w->advice.code != CAUSE_NONE))
        lines_add(l);
    estimate(l, w, ui, &reader);
}

/* --- what its priority is made of --- */

#define BAR 10

static void factor(struct rich *r, const char *name, uint32_t points, uint32_t weight, uint64_t total)
{
    struct bar_part part = {.n = points, .role = ROLE_BAR_RUN};
    if (!weight)
        return;
    rich_addf(r, ROLE_LABEL, "%s ", name);
    bar_add(r, &part, 1, total, BAR);
    rich_addf(r, ROLE_NORMAL, " %-7u ", points);
}

/* What its priority is made of: a bar and the points for each factor that counts. */
static void prio_lines(struct lines *l, const struct prio_row *row, const struct priority_spec *weights)
{
    static const char *const names[] = {"age  ", "share", "size ", "part ",
                                        "qos  ", "cpu  ", "mem  ", "gpu  "};
    const struct prio_parts *p = &row->parts;
    struct rich *line = NULL;
    uint64_t total = 0; /* before what is taken off again */
    size_t i = 0, shown = 0;
#define X(member, weight) total += p->member##_points;
    PRIO_FACTORS(X)
#undef X
#define X(member, weight)                                                             \
    if (weights->weight) {                                                            \
        line = shown++ % 2 ? line : lines_pair(l, shown == 1 ? "points" : "", LABEL); \
        factor(line, names[i], p->member##_points, weights->weight, total);           \
    }                                                                                 \
    i++;
    PRIO_FACTORS(X)
#undef X
    struct rich *sum = lines_pair(l, "", LABEL);
    rich_add(sum, ROLE_DIM, "total ");
    rich_addf(sum, ROLE_STRONG, "%u", p->total);
    if (p->nice)
        rich_addf(sum, ROLE_DIM, ", nice -%d", p->nice);
    if (p->admin)
        rich_addf(sum, ROLE_DIM, ", %+lld by an administrator", (long long)p->admin);
}

/* --- the box --- */

#define PAUSE_MS 2000 /* between two questions while the queue moves */

enum remedy {
    REMEDY_NONE,
    REMEDY_CHANGE,  /* what the policy has found */
    REMEDY_RELEASE, /* of a hold */
    REMEDY_FREE,    /* of what will never come true */
};

struct why_box {
    uint32_t job;
    struct msg_why why;
    struct msg_prio_rows prio;
    bool has_why, has_prio;
    bool asking, stale; /* stale: the queue has moved since the last question */
    struct wall asked;
    enum remedy remedy;
};

static void box_free(void *p)
{
    struct why_box *b = p;
    rec_fini(&msg_why_rec, &b->why);
    rec_fini(&msg_prio_rows_rec, &b->prio);
    free(b);
}

static bool has_cause(const struct msg_why *w, enum why_class cls)
{
    for (size_t i = 0; i < w->causes.n; i++)
        if (w->causes.v[i].cls == (uint32_t)cls)
            return true;
    return false;
}

/* Its priority says whose turn comes first: now, or when what keeps it back lets go. */
static bool is_in_order(const struct msg_why *w)
{
    return w->rank || has_cause(w, WHY_BUSY) || has_cause(w, WHY_USER_LIMIT) ||
           has_cause(w, WHY_GROUP_LIMIT) || has_cause(w, WHY_ARRAY_THROTTLE);
}

/* May the user of these screens change it? */
static bool may_change(struct ui *ui, const struct job *j)
{
    return !ui_read_only(ui, false) && (j->uid == ui_uid(ui) || ui_is_admin(ui));
}

/* What Enter does about it. */
static enum remedy remedy_of(struct ui *ui, const struct why_box *b, const struct job *j)
{
    if (!b->has_why || !may_change(ui, j))
        return REMEDY_NONE;
    if (!str_is_empty(b->why.advice_key))
        return REMEDY_CHANGE;
    if (has_cause(&b->why, WHY_HELD))
        return REMEDY_RELEASE;
    return has_cause(&b->why, WHY_DEP_DEAD) ? REMEDY_FREE : REMEDY_NONE;
}

static char *remedy_text(enum remedy r, const struct msg_why *w)
{
    switch (r) {
    case REMEDY_NONE: break;
    case REMEDY_CHANGE: {
        struct str s = STR_INIT;
        cause_brief(&s, &w->advice, NULL);
        return str_take(&s);
    }
    case REMEDY_RELEASE: return xstrdup("release");
    case REMEDY_FREE: return xstrdup("remove the dependency");
    }
    return NULL;
}

/* Enter applies what would help, after the question that every change asks. */
static void closed(struct ui *ui, struct dialog *d, enum dialog_outcome outcome, void *arg)
{
    const struct why_box *b = arg;
    const struct job *j = model_get_job(ui_model(ui), b->job);
    if (outcome != DIALOG_YES || !d->verb || !j)
        return;
    struct targets t = {0};
    struct strv changes = {0};
    targets_add_job(&t, j);
    if (b->remedy == REMEDY_RELEASE) {
        act_on_jobs(ui, ACTION_RELEASE, &t);
        return;
    }
    if (b->remedy == REMEDY_CHANGE)
        strv_push_take(&changes, xasprintf("%s=%s", b->why.advice_key, b->why.advice_value));
    else
        strv_push(&changes, "Dependency=");
    act_update(ui, &changes, &t);
    strv_fini(&changes);
}

/* What is known here: of a job that does not wait this is all there is to say. */
static void now_lines(struct lines *l, const struct ui *ui, const struct job *j)
{
    if (job_state_is_final((enum job_state)j->state)) {
        job_cause(lines_add(l), j);
        struct rich *r = lines_pair(l, "ended", LABEL);
        when_text(&r->text, j->t_end, ui_now(ui));
        if (wall_is_set(j->t_start)) {
            str_append(&r->text, ", after ");
            jobtext_elapsed(&r->text, j, ui_now(ui));
            str_append(&r->text, " of ");
            jobtext_limit(&r->text, j, ui_model(ui));
        }
        rich_role(r, ROLE_NORMAL);
        return;
    }
    job_words(lines_add(l), j);
    if (j->state == JOB_PENDING) {
        job_where(lines_add(l), j, ui_now(ui));
        return;
    }
    job_where(lines_pair(l, job_is_between(j) ? "now" : "on", LABEL), j, ui_now(ui));
    struct rich *r = lines_pair(l, "since", LABEL);
    when_text(&r->text, j->t_start, ui_now(ui));
    rich_role(r, ROLE_NORMAL);
    if (wall_is_set(job_end_time(j, ui_model(ui)))) {
        r = lines_pair(l, "until", LABEL);
        when_about(&r->text, job_end_time(j, ui_model(ui)), ui_now(ui));
        str_append(&r->text, " at the latest");
        rich_role(r, ROLE_NORMAL);
    }
}

static void why_fill(struct ui *ui, struct dialog *d, struct why_box *b)
{
    const struct job *j = model_get_job(ui_model(ui), b->job);
    struct lines *l = &d->body.lines;
    lines_clear(l);
    free(d->verb);
    d->verb = NULL;
    if (!j) {
        lines_addf(l, ROLE_NORMAL, "The job has left the queue.");
        return;
    }
    if (j->state == JOB_PENDING && b->has_why) {
        why_lines(l, &b->why, ui);
        if (b->has_prio && b->prio.rows.n) /* in the first of its partitions: the others rank it alike */
            prio_lines(l, &b->prio.rows.v[0], &b->prio.weights);
        if (!l->n)
            lines_addf(l, ROLE_NORMAL, "The controller knows no further cause.");
        b->remedy = remedy_of(ui, b, j);
        d->verb = remedy_text(b->remedy, &b->why);
        if (b->remedy == REMEDY_FREE)
            rich_add(lines_pair(l, "try", LABEL), ROLE_GOOD,
                     "remove the dependency: the job then queues like any other");
    } else
        now_lines(l, ui, j);
}

static void prio_answered(struct ui *ui, struct view *owner, uint64_t number, const struct incoming *in)
{
    (void)owner;
    struct dialog *d = ui_find_dialog(ui, number);
    if (!d || !in || in->kind != MSG_PRIO_ROWS)
        return;
    struct why_box *b = ui_dialog_arg(ui, number);
    rec_fini(&msg_prio_rows_rec, &b->prio);
    rec_copy(&msg_prio_rows_rec, &b->prio, in->body);
    b->has_prio = true;
    why_fill(ui, d, b);
}

static void ask_prio(struct ui *ui, uint64_t number, uint32_t job)
{
    struct msg_prio ask = {0};
    *rec_list_push(&ask.jobs) =
        (struct job_target){.job = job, .array_index = ARRAY_NONE, .step = STEP_ALL};
    ui_send(ui, MSG_PRIO, &ask, NULL, prio_answered, number);
    rec_fini(&msg_prio_rec, &ask);
}

static void why_view_answered(struct ui *ui, struct view *owner, uint64_t number, const struct incoming *in)
{
    (void)owner;
    struct dialog *d = ui_find_dialog(ui, number);
    if (!d)
        return;
    struct why_box *b = ui_dialog_arg(ui, number);
    b->asking = false;
    if (!in || in->kind != MSG_WHY_CAUSES) { /* what was known before stays, and is asked again */
        b->stale = true;
        if (!b->has_why && in && in->kind == MSG_RESULT) {
            lines_clear(&d->body.lines);
            lines_addf(&d->body.lines, ROLE_ERROR, "%s", ((const struct msg_result *)in->body)->text);
        }
        return;
    }
    rec_fini(&msg_why_rec, &b->why);
    rec_copy(&msg_why_rec, &b->why, in->body);
    b->has_why = true;
    why_fill(ui, d, b);
    if (is_in_order(&b->why))
        ask_prio(ui, number, b->job);
}

static void why_ask(struct ui *ui, uint64_t number, struct why_box *b)
{
    struct msg_job m = {.target = {.job = b->job, .array_index = ARRAY_NONE, .step = STEP_ALL}};
    b->asked = ui_now(ui);
    b->stale = false;
    b->asking = ui_send(ui, MSG_WHY, &m, NULL, why_view_answered, number);
}

/* The queue has moved, or time has passed. */
static void follow(struct ui *ui, uint64_t number, bool changed)
{
    struct dialog *d = ui_find_dialog(ui, number);
    struct why_box *b = ui_dialog_arg(ui, number);
    const struct job *j = model_get_job(ui_model(ui), b->job);
    b->stale |= changed;
    if (j && j->state == JOB_PENDING && b->stale && !b->asking && ui_now(ui).ms - b->asked.ms >= PAUSE_MS)
        why_ask(ui, number, b);
    why_fill(ui, d, b);
}

void why_open(struct ui *ui, const struct job *j)
{
    struct str s = STR_INIT;
    if (job_is_array_record(j))
        array_id_text(&s, j);
    else
        jobtext_id(&s, j, BITSTR_LEN_DEFAULT);
    str_appendf(&s, " %s", j->req.name ? j->req.name : "");
    if (job_is_array_record(j))
        str_appendf(&s, ", %u waiting", job_pending_elements(j));
    struct dialog *d = dialog_new(DIALOG_TEXT, s.s);
    str_fini(&s);
    struct why_box *b = xcalloc(1, sizeof *b);
    b->job = j->id;
    why_fill(ui, d, b);
    uint64_t number = ui_take_dialog(ui, d, closed, b, box_free);
    ui_dialog_follows(ui, number, follow);
    if (j->state == JOB_PENDING)
        why_ask(ui, number, b);
}

void why_open_array(struct ui *ui, const struct array_row *a, const struct job *const *members)
{
    struct str s = STR_INIT;
    array_id_text(&s, a->any);
    str_appendf(&s, " %s", a->any->req.name ? a->any->req.name : "");
    struct dialog *d = dialog_new(DIALOG_TEXT, s.s);
    str_fini(&s);
    arrayinfo_lines(&d->body.lines, a, members);
    ui_take_dialog(ui, d, NULL, NULL, NULL);
}
