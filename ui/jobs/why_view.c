/* why_view.c - the page of why a job waits.
 *
 *      next in line, needs 8 GPUs on one node (5 free), starts ~15:59
 *      start   about 15:59, in 1 h 40 min
 *     Room on gpu01 at 15:59
 *                v14:20     15:00      v15:59
 *      gpu01 0-3 7 pretrain############52 finetune-7b####
 *     Nodes
 *      2 too few free GPUs   gpu[02-03]
 *     Priority 6610
 *      fair share #########...   6200
 */
#include "ui/jobs/why_view.h"

#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/model/jobeffective.h"
#include "src/text/jobtext.h"
#include "src/values/units.h"
#include "ui/dialogs/job_dialogs.h"
#include "ui/dialogs/shell.h"
#include "ui/form/form_view.h"
#include "ui/info/job_efficiency.h"
#include "ui/info/job_info.h"
#include "ui/jobs/array_info.h"
#include "ui/jobs/awaited_lines.h"
#include "ui/jobs/depends_view.h"
#include "ui/jobs/job_view.h"
#include "ui/jobs/why_lines.h"
#include "ui/jobs/why_picture.h"
#include "ui/text/view_text.h"
#include "ui/view/seldom.h"

#define PAUSE_MS 2000 /* between two questions while the queue moves */
#define LABEL    8
#define TEXT_MAX 112 /* cells of a line of text */

enum remedy {
    REMEDY_NONE,
    REMEDY_CHANGE,  /* what the policy has found */
    REMEDY_RELEASE, /* of a hold */
    REMEDY_FREE,    /* of what will never come true */
};

struct why_screen {
    struct view v;
    uint32_t job;
    struct msg_why why;
    struct msg_prio_rows prio;
    bool has_prio;
    char *refused; /* the controller's text in place of an answer; NULL: none */
    struct seldom ask;
    struct seldom plan_ask; /* of a running job: what is planned on its nodes */
    struct msg_plan plan;
    struct why_picture picture;
    struct pane pane;
    size_t at_picture; /* lines of pane.lines before the picture */
    char *tried;       /* what another engine's test of the suggestion has come to; NULL: none */
    bool tries;
    enum remedy remedy;
    char *verb; /* what Enter does; NULL: nothing */
};

static struct why_screen *why_of(struct view *v)
{
    return (struct why_screen *)(void *)v;
}

static const struct job *why_job(const struct why_screen *s)
{
    return model_get_job(ui_model(s->v.ui), s->job);
}

/* --- what would help --- */

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
static enum remedy remedy_of(struct ui *ui, const struct why_screen *s, const struct job *j)
{
    if (!s->ask.has || !may_change(ui, j))
        return REMEDY_NONE;
    if (!str_is_empty(s->why.advice_key))
        return REMEDY_CHANGE;
    if (has_cause(&s->why, WHY_HELD))
        return REMEDY_RELEASE;
    return has_cause(&s->why, WHY_DEP_DEAD) ? REMEDY_FREE : REMEDY_NONE;
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
    case REMEDY_RELEASE: return xstrdup(tr("release"));
    case REMEDY_FREE: return xstrdup(tr("remove the dependency"));
    }
    return NULL;
}

/* After the question that every change asks. */
static void why_apply(struct why_screen *s)
{
    const struct job *j = why_job(s);
    struct targets t = {0};
    struct strv changes = {0};
    if (!j || s->remedy == REMEDY_NONE)
        return;
    targets_add_job(&t, j);
    if (s->remedy == REMEDY_RELEASE) {
        act_on_jobs(s->v.ui, ACTION_RELEASE, &t);
        return;
    }
    if (s->remedy == REMEDY_CHANGE)
        strv_push_take(&changes, xasprintf("%s=%s", s->why.advice_key, s->why.advice_value));
    else
        strv_push(&changes, "Dependency=");
    act_update(s->v.ui, &changes, &t);
    strv_fini(&changes);
}

/* --- a test of what would help --- */

static void why_take_test(struct why_screen *s, const struct msg_result *r)
{
    struct cause_reader reader = ui_cause_reader(s->v.ui, why_job(s));
    struct str text = STR_INIT;
    if (r->refusal)
        str_appendf(&text, tr("%s refuses it: %s"), ui_engine(s->v.ui) ? ui_engine(s->v.ui) : "?",
                    r->text ? r->text : refusal_slurm((enum refusal)r->refusal));
    else if (r->count)
        str_append(&text, tr("such a job would start at once"));
    else if (r->cause.code != CAUSE_NONE)
        cause_full(&text, &r->cause, &reader);
    else
        str_append(&text, r->text ? r->text : "?");
    free(s->tried);
    s->tried = str_take(&text);
}

static void why_tested(struct ui *ui, struct view *owner, uint64_t arg, const struct incoming *in)
{
    (void)arg;
    struct why_screen *s = why_of(owner);
    s->tries = false;
    if (in && in->kind == MSG_RESULT)
        why_take_test(s, in->body);
    ui_changed(ui);
}

static bool why_may_test(const struct why_screen *s)
{
    const struct job *j = why_job(s);
    return j && j->state == JOB_PENDING && s->ask.has && ui_engine(s->v.ui) && may_change(s->v.ui, j);
}

/* One call: a job like this one with the suggestion, or as it is where there is none. */
static void why_test(struct why_screen *s)
{
    struct msg_update m = {.target = {.job = s->job, .array_index = ARRAY_NONE, .step = STEP_ALL}};
    if (!why_may_test(s) || s->tries)
        return;
    if (s->remedy == REMEDY_CHANGE)
        strv_push_take(&m.changes, xasprintf("%s=%s", s->why.advice_key, s->why.advice_value));
    s->tries = ui_send(s->v.ui, MSG_TRY, &m, &s->v, why_tested, 0);
    strv_fini(&m.changes);
}

/* --- what is said --- */

/* What is known here: of a job that does not wait this is all there is to say. */
static void now_lines(struct lines *l, const struct ui *ui, const struct job *j)
{
    if (job_state_is_final((enum job_state)j->state)) {
        job_cause(lines_add(l), j);
        struct rich *r = lines_pair(l, tr("ended"), LABEL);
        when_text(&r->text, j->t_end, ui_now(ui));
        if (wall_is_set(j->t_start)) {
            str_append(&r->text, tr(", after "));
            jobtext_elapsed(&r->text, j, ui_now(ui));
            str_append(&r->text, tr(" of "));
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
    if (job_is_between(j) || !j->alloc.n)
        job_where(lines_pair(l, job_is_between(j) ? tr("now") : tr("on"), LABEL), j, ui_now(ui));
    else
        jobinfo_allocs(l, ui, j, LABEL);
    struct rich *r = lines_pair(l, tr("since"), LABEL);
    when_text(&r->text, j->t_start, ui_now(ui));
    rich_role(r, ROLE_NORMAL);
    if (wall_is_set(job_end_time(j, ui_model(ui)))) {
        r = lines_pair(l, tr("until"), LABEL);
        when_about(&r->text, job_end_time(j, ui_model(ui)), ui_now(ui));
        str_append(&r->text, tr(" at the latest"));
        rich_role(r, ROLE_NORMAL);
    }
}

static void why_try_line(struct why_screen *s, struct lines *l)
{
    struct cause_reader reader = ui_cause_reader(s->v.ui, why_job(s));
    if (s->remedy == REMEDY_FREE) {
        rich_add(lines_pair(l, tr("try"), LABEL), ROLE_GOOD,
                 tr("remove the dependency: the job then queues like any other"));
    } else if (s->why.advice.code != CAUSE_NONE) {
        struct rich *r = lines_pair(l, tr("try"), LABEL);
        cause_full(&r->text, &s->why.advice, &reader);
        rich_role(r, ROLE_GOOD);
    }
    if (s->tried || s->tries)
        rich_add(lines_pair(l, tr("test"), LABEL), ROLE_NORMAL,
                 s->tries ? tr("sbatch --test-only runs") : s->tried);
}

/* Room for the picture, which is drawn over these lines. */
static void why_picture_lines(struct why_screen *s, struct lines *l)
{
    int height = why_picture_height(&s->picture);
    struct str title = STR_INIT;
    if (!height)
        return;
    const struct plan_row *own = &s->picture.plan.rows.v[0];
    str_appendf(&title, tr("Room on %s at "), own->nodes);
    when_about(&title, own->start, ui_now(s->v.ui));
    jobinfo_section(l, title.s);
    str_fini(&title);
    s->at_picture = l->n;
    for (int i = 0; i < height; i++)
        lines_add(l);
}

static bool depends(const struct msg_why *w)
{
    return has_cause(w, WHY_DEP_WAIT) || has_cause(w, WHY_DEP_DEAD);
}

static void why_fill_waiting(struct why_screen *s, const struct job *j)
{
    struct lines *l = &s->pane.lines;
    struct ui *ui = s->v.ui;
    why_lines_head(l, &s->why, ui);
    why_lines_causes(l, &s->why, ui);
    if (wall_is_set(s->why.start) || s->why.rank || s->why.advice.code != CAUSE_NONE ||
        s->remedy == REMEDY_FREE)
        lines_add(l);
    why_lines_start(l, &s->why, ui);
    if (!why_picture_height(&s->picture))
        why_lines_blockers(l, &s->why, ui);
    why_try_line(s, l);
    why_picture_lines(s, l);
    if (depends(&s->why))
        why_lines_depends(l, ui, j);
    why_lines_nodes(l, &s->why, ui);
    if (s->has_prio && s->prio.rows.n) /* in the first of its partitions: the others rank it alike */
        why_lines_priority(l, &s->prio.rows.v[0], &s->prio.weights);
}

static void why_fill(struct why_screen *s)
{
    const struct job *j = why_job(s);
    lines_clear(&s->pane.lines);
    free(s->verb);
    s->verb = NULL;
    s->remedy = REMEDY_NONE;
    s->at_picture = 0;
    if (!j) {
        lines_addf(&s->pane.lines, ROLE_NORMAL, tr("The job has left the queue."));
        return;
    }
    if (j->state == JOB_PENDING && s->ask.has) {
        s->remedy = remedy_of(s->v.ui, s, j);
        s->verb = remedy_text(s->remedy, &s->why);
        why_fill_waiting(s, j);
        return;
    }
    now_lines(&s->pane.lines, s->v.ui, j);
    if (j->state == JOB_RUNNING)
        awaited_lines(&s->pane.lines, s->v.ui, j, s->plan_ask.has ? &s->plan : NULL);
    if (s->refused)
        lines_addf(&s->pane.lines, ROLE_ERROR, "%s", s->refused);
}

/* --- asking --- */

static void why_prio_answered(struct ui *ui, struct view *owner, uint64_t arg, const struct incoming *in)
{
    (void)arg;
    struct why_screen *s = why_of(owner);
    if (!in || in->kind != MSG_PRIO_ROWS)
        return;
    rec_fini(&msg_prio_rows_rec, &s->prio);
    rec_copy(&msg_prio_rows_rec, &s->prio, in->body);
    s->has_prio = true;
    ui_changed(ui);
}

static void why_ask_prio(struct why_screen *s)
{
    struct msg_prio ask = {0};
    *rec_list_push(&ask.jobs) =
        (struct job_target){.job = s->job, .array_index = ARRAY_NONE, .step = STEP_ALL};
    ui_send(s->v.ui, MSG_PRIO, &ask, &s->v, why_prio_answered, 0);
    rec_fini(&msg_prio_rec, &ask);
}

static void why_view_answered(struct ui *ui, struct view *owner, uint64_t arg, const struct incoming *in)
{
    (void)arg;
    struct why_screen *s = why_of(owner);
    free(s->refused);
    s->refused = NULL;
    if (!seldom_answered(&s->ask, in, MSG_WHY_CAUSES)) { /* what was known before stays */
        if (in && in->kind == MSG_RESULT)
            s->refused = xstrdup(((const struct msg_result *)in->body)->text);
        return;
    }
    rec_fini(&msg_why_rec, &s->why);
    rec_copy(&msg_why_rec, &s->why, in->body);
    why_picture_fill(&s->picture, ui, &s->why);
    if (is_in_order(&s->why))
        why_ask_prio(s);
    ui_changed(ui);
}

static void why_plan_answered(struct ui *ui, struct view *owner, uint64_t arg, const struct incoming *in)
{
    (void)arg;
    struct why_screen *s = why_of(owner);
    if (!seldom_answered(&s->plan_ask, in, MSG_PLAN_DATA))
        return;
    rec_fini(&msg_plan_rec, &s->plan);
    rec_copy(&msg_plan_rec, &s->plan, in->body);
    ui_changed(ui);
}

static void why_ask_plan(struct why_screen *s)
{
    struct msg_plan_get get = {.waiting = true};
    if (seldom_is_due(&s->plan_ask, s->v.ui, PAUSE_MS))
        seldom_sent(&s->plan_ask, ui_send(s->v.ui, MSG_PLAN, &get, &s->v, why_plan_answered, 0));
    s->v.due = s->plan_ask.due;
}

static void why_ask(struct why_screen *s)
{
    const struct job *j = why_job(s);
    struct msg_job m = {.target = {.job = s->job, .array_index = ARRAY_NONE, .step = STEP_ALL}};
    if (j && j->state == JOB_PENDING && seldom_is_due(&s->ask, s->v.ui, PAUSE_MS))
        seldom_sent(&s->ask, ui_send(s->v.ui, MSG_WHY, &m, &s->v, why_view_answered, 0));
    s->v.due = s->ask.due;
    if (j && j->state == JOB_RUNNING)
        why_ask_plan(s);
}

/* --- the view --- */

static struct view *why_view_open(struct ui *ui, const void *arg)
{
    const uint32_t *id = arg;
    if (!model_get_job(ui_model(ui), *id))
        return NULL;
    struct why_screen *s = xcalloc(1, sizeof *s);
    s->v = (struct view){.ops = &why_view, .ui = ui};
    s->job = *id;
    why_ask(s);
    return &s->v;
}

static void why_view_close(struct view *v)
{
    struct why_screen *s = why_of(v);
    rec_fini(&msg_why_rec, &s->why);
    rec_fini(&msg_prio_rows_rec, &s->prio);
    rec_fini(&msg_plan_rec, &s->plan);
    why_picture_fini(&s->picture);
    pane_fini(&s->pane);
    free(s->refused);
    free(s->tried);
    free(s->verb);
    free(s);
}

/* The lanes hold pointers into the model. */
static void why_view_sync(struct view *v)
{
    struct why_screen *s = why_of(v);
    why_picture_fill(&s->picture, v->ui, &s->why);
    why_ask(s);
}

static void why_view_timer(struct view *v)
{
    why_ask(why_of(v));
}

static void why_view_title(struct view *v, struct rich *out)
{
    const struct why_screen *s = why_of(v);
    const struct job *j = why_job(s);
    rich_add(out, ROLE_TITLE, tr("Why "));
    if (!j) {
        rich_addf(out, ROLE_TITLE, "%u", s->job);
        return;
    }
    if (job_is_array_record(j))
        array_id_text(&out->text, j);
    else
        jobtext_id(&out->text, j, BITSTR_LEN_DEFAULT);
    rich_role(out, ROLE_TITLE);
    rich_addf(out, ROLE_STRONG, "  %s", jobtext_name(j));
    rich_addf(out, ROLE_DIM, trc("a job and its user", " of %s"), jobtext_user(j));
    if (job_is_array_record(j))
        rich_addf(out, ROLE_NORMAL, tr(", %u waiting"), job_pending_elements(j));
}

static void why_view_draw(struct view *v, struct canvas *c, const struct screen_layout *l)
{
    struct why_screen *s = why_of(v);
    struct rect body = rect_make(l->body.y, l->body.x + 1, l->body.h, l->body.w - 2);
    why_fill(s);
    v->ticks = true; /* times to go */
    struct rect text = body;
    text.w = text.w > TEXT_MAX && text.w < TEXT_MAX + TEXT_MAX / 2 ? TEXT_MAX : text.w;
    pane_draw(&s->pane, c, text);
    if (!s->at_picture)
        return;
    struct lines before = {s->pane.lines.v, s->at_picture, s->at_picture}, flowed = {0};
    bool bar = s->pane.flowed.n > (size_t)body.h; /* of scrolling */
    lines_flow(&before, text.w - 2 * bar, &flowed);
    int y = body.y + (int)flowed.n - (int)s->pane.top;
    struct rect old = canvas_clip(c, body);
    why_picture_draw(&s->picture, c,
                     rect_make(y, body.x, why_picture_height(&s->picture), body.w - 2 * bar));
    canvas_unclip(c, old);
    lines_fini(&flowed);
}

static unsigned why_view_input(struct view *v, const struct input *in)
{
    struct why_screen *s = why_of(v);
    if (in->kind != INPUT_MOUSE || (in->what != MOUSE_WHEEL_UP && in->what != MOUSE_WHEEL_DOWN))
        return 0;
    pane_scroll(&s->pane, in->what == MOUSE_WHEEL_UP ? -3 : 3);
    return DID_HANDLE | DID_REDRAW;
}

static void why_act_on_job(struct why_screen *s, const struct job *j, enum action a)
{
    struct targets t = {0};
    targets_add_job(&t, j);
    submit_act_on_jobs(s->v.ui, a, &t);
}

static unsigned why_view_act(struct view *v, enum action a, const struct input *in)
{
    (void)in;
    struct why_screen *s = why_of(v);
    const struct job *j = why_job(s);
    if (a == ACTION_WHY)
        ui_close(v->ui, v);
    else if (a == ACTION_WHY_APPLY)
        why_apply(s);
    else if (a == ACTION_WHY_TRY)
        why_test(s);
    else if (a == ACTION_WHY_JOB && j)
        ui_push(v->ui, &jobpage_view, &s->job);
    else if (act_is_job_action(a) && j)
        why_act_on_job(s, j, a);
    else if (a == ACTION_SHELL && j)
        shell_in_job(v->ui, j);
    else if (a == ACTION_DEPENDS && j)
        depends_open(v->ui, j);
    else
        return pane_act(&s->pane, a);
    return DID_HANDLE | DID_REDRAW;
}

static const char *why_view_label(struct view *v, enum action a)
{
    const struct why_screen *s = why_of(v);
    if (a == ACTION_WHY_APPLY)
        return s->verb ? s->verb : "";
    if (a == ACTION_WHY_TRY)
        return why_may_test(s) ? NULL : "";
    return a == ACTION_WHY || (a == ACTION_CANCEL && !why_job(s)) ? "" : NULL;
}

static const enum scope scopes[] = {SCOPE_WHY, SCOPE_ACTS, SCOPE_MOVE};

static void why_view_subject(struct view *v, struct row_subject *ret)
{
    ret->job = why_job(why_of(v));
}

const struct view_ops why_view = {
    .name = "why",
    .scopes = scopes,
    .n_scopes = sizeof scopes / sizeof scopes[0],
    .open = why_view_open,
    .close = why_view_close,
    .sync = why_view_sync,
    .title = why_view_title,
    .draw = why_view_draw,
    .input = why_view_input,
    .act = why_view_act,
    .timer = why_view_timer,
    .label = why_view_label,
    .subject = why_view_subject,
};

void why_open(struct ui *ui, const struct job *j)
{
    ui_push(ui, &why_view, &j->id);
}

void why_open_array(struct ui *ui, const struct array_row *a, const struct job *const *members)
{
    struct str s = STR_INIT;
    array_id_text(&s, a->any);
    str_appendf(&s, " %s", jobtext_name(a->any));
    struct dialog *d = dialog_new(DIALOG_TEXT, s.s);
    str_fini(&s);
    arrayinfo_lines(&d->body.lines, a, members);
    ui_take_dialog(ui, d, NULL, NULL, NULL);
}
