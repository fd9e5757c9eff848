/* job_view.c - the page of one job: how it stands in a sentence, its time, what it uses, the tree of its
 * tasks and the last lines of its output; beside that, or by Tab where it is narrow, the details: why it
 * waits, efficiency, dependencies, events, request and script. */
#include "ui/jobs/job_view.h"

#include <stdlib.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/text/jobtext.h"
#include "ui/dialogs/job_dialogs.h"
#include "ui/dialogs/shell.h"
#include "ui/form/form_view.h"
#include "ui/form/resubmit.h"
#include "ui/info/job_efficiency.h"
#include "ui/info/job_info.h"
#include "ui/info/job_life.h"
#include "ui/info/job_script.h"
#include "ui/jobs/depends_view.h"
#include "ui/jobs/job_tree.h"
#include "ui/jobs/use_graphs.h"
#include "ui/jobs/why_lines.h"
#include "ui/jobs/why_view.h"
#include "ui/output/output_peek.h"
#include "ui/output/output_view.h"
#include "ui/text/view_text.h"

#define WHY_PAUSE_MS 2000 /* between two questions while the queue moves */
#define BAR_CELLS    28   /* of its time, and of its life */
#define BAR_LEAST    12
#define HEAD_MAX     6  /* lines of the sentence, the time and its life */
#define BELOW_MIN    4  /* lines below the tree that are worth something */
#define TREE_MIN     3  /* lines of the tree, before there is anything below it */
#define ROOMY        28 /* lines of a page with empty lines between its parts */

struct jobpage {
    struct view v;
    uint32_t job;
    struct jobtree tree;
    struct pane head, text, cause;
    struct output_peek peek;
    bool on_text; /* the details have the focus, and the room where there is little */
    struct rect tree_area;
    struct msg_why why;
    bool has_why, asking;
    struct wall asked;
    struct jobscript script;
    bool script_asked;
    bool chose; /* the user has moved the cursor of the tree */
};

static struct jobpage *jobpage_of(struct view *v)
{
    return (struct jobpage *)(void *)v;
}

static const struct job *job_view_of(const struct jobpage *p)
{
    return ui_job(p->v.ui, p->job);
}

/* --- why it waits, kept up while it does --- */

static void why_answered(struct ui *ui, struct view *owner, uint64_t arg, const struct incoming *in)
{
    (void)ui;
    (void)arg;
    struct jobpage *p = jobpage_of(owner);
    p->asking = false;
    if (!in || in->kind != MSG_WHY_CAUSES)
        return;
    rec_fini(&msg_why_rec, &p->why);
    rec_copy(&msg_why_rec, &p->why, in->body);
    p->has_why = true;
}

static void job_ask_why(struct jobpage *p)
{
    const struct job *j = job_view_of(p);
    struct wall now = ui_now(p->v.ui);
    if (!j || j->state != JOB_PENDING || p->asking || (p->has_why && now.ms - p->asked.ms < WHY_PAUSE_MS))
        return;
    struct msg_job ask = {.target = {.job = j->id, .array_index = ARRAY_NONE, .step = STEP_ALL}};
    p->asked = now;
    p->asking = ui_send(p->v.ui, MSG_WHY, &ask, &p->v, why_answered, 0);
}

/* --- what it runs --- */

static void script_answered(struct ui *ui, struct view *owner, uint64_t arg, const struct incoming *in)
{
    (void)arg;
    struct jobpage *p = jobpage_of(owner);
    p->script_asked = in != NULL;
    jobscript_take(&p->script, in);
    ui_changed(ui);
}

static void job_ask_script(struct jobpage *p)
{
    const struct job *j = job_view_of(p);
    if (!j || j->kind != JOB_KIND_BATCH || p->script_asked ||
        (j->uid != ui_uid(p->v.ui) && !ui_is_admin(p->v.ui)))
        return;
    struct msg_job ask = {.target = {.job = j->id, .array_index = ARRAY_NONE, .step = STEP_ALL}};
    p->script_asked = ui_send(p->v.ui, MSG_SCRIPT, &ask, &p->v, script_answered, 0);
}

/* --- life --- */

/* The output of the task under the cursor, else the one that says most. */
static void jobpage_show_output(struct jobpage *p)
{
    const struct job *j = job_view_of(p);
    const struct tree_row *r = jobtree_current(&p->tree);
    struct output_at at;
    bool chosen = r && r->task && p->chose;
    if (chosen)
        at = (struct output_at){.job = p->job,
                                .step = r->step->id,
                                .task = r->task->index,
                                .rank = r->rank >= 0 ? (uint32_t)r->rank : r->task->rank_base};
    bool began = j && j->state != JOB_PENDING && !job_never_ran(j);
    peek_show(&p->peek, began ? j : NULL, chosen ? &at : NULL);
}

static void jobpage_sync(struct view *v)
{
    struct jobpage *p = jobpage_of(v);
    table_refill(&p->tree.table);
    jobpage_show_output(p);
    job_ask_why(p);
    job_ask_script(p);
}

static struct view *jobpage_open(struct ui *ui, const void *arg)
{
    const uint32_t *id = arg;
    if (!ui_job(ui, *id))
        return NULL;
    struct jobpage *p = xcalloc(1, sizeof *p);
    p->v = (struct view){.ops = &jobpage_view, .ui = ui};
    p->job = *id;
    jobtree_init(&p->tree, ui, *id);
    peek_init(&p->peek, &p->v);
    jobpage_sync(&p->v);
    return &p->v;
}

static void jobpage_close(struct view *v)
{
    struct jobpage *p = jobpage_of(v);
    jobtree_fini(&p->tree);
    peek_fini(&p->peek);
    pane_fini(&p->head);
    pane_fini(&p->text);
    pane_fini(&p->cause);
    rec_fini(&msg_why_rec, &p->why);
    jobscript_fini(&p->script);
    free(p);
}

static void jobpage_title(struct view *v, struct rich *out)
{
    struct jobpage *p = jobpage_of(v);
    const struct job *j = job_view_of(p);
    rich_add(out, ROLE_TITLE, tr("Job "));
    if (!j) {
        rich_addf(out, ROLE_TITLE, "%u", p->job);
        return;
    }
    jobtext_id(&out->text, j, BITSTR_LEN_DEFAULT);
    rich_role(out, ROLE_TITLE);
    rich_addf(out, ROLE_STRONG, "  %s  ", jobtext_name(j));
    job_words(out, j);
    jobtext_restarts(&out->text, j);
    rich_role(out, ROLE_DIM);
}

/* --- the details --- */

static void job_view_why(const struct jobpage *p, const struct job *j, struct lines *l)
{
    jobinfo_section(l, tr("Why it waits"));
    if (p->has_why)
        why_lines(l, &p->why, p->v.ui);
    else
        job_wait_words(lines_add(l), p->v.ui, j);
}

/* Until a job has steps, the room of their list is for why it waits, beside the details. */
static bool job_view_waits_wide(const struct jobpage *p, const struct job *j, bool side)
{
    return side && j->state == JOB_PENDING && !p->tree.table.rows.n;
}

static void fill_text(struct jobpage *p, const struct job *j, bool side)
{
    struct lines *l = &p->text.lines;
    struct ui *ui = p->v.ui;
    bool ended = job_state_is_final((enum job_state)j->state);
    lines_clear(l);
    lines_clear(&p->cause.lines);
    if (j->state == JOB_PENDING)
        job_view_why(p, j, job_view_waits_wide(p, j, side) ? &p->cause.lines : l);
    if (ended && wall_is_set(j->t_start)) {
        jobinfo_section(l, tr("Efficiency"));
        job_use_lines(l, j, ui_model(ui), ui_now(ui));
    }
    if (j->alloc.n > 1 && !ended) {
        jobinfo_section(l, tr("Use by node"));
        usegraphs_nodes(l, ui, j);
    }
    jobinfo_section(l, tr("Allocation"));
    jobinfo_place(l, ui, j);
    jobinfo_section(l, tr("Events"));
    jobinfo_story(l, ui, j);
    jobinfo_section(l, tr("Request"));
    jobinfo_request(l, ui, j);
    if (p->script.there || p->script.why) {
        jobinfo_section(l, tr("Script"));
        jobscript_lines(&p->script, l);
    }
}

/* --- drawing --- */

static void fill_head(struct jobpage *p, const struct job *j, int width)
{
    struct ui *ui = p->v.ui;
    struct lines *l = &p->head.lines;
    int cells = BAR_CELLS < width / 3 ? BAR_CELLS : width / 3;
    struct rich bar, words;
    lines_clear(l);
    struct rich *r = lines_add(l);
    joblife_headline(r, ui, j);
    r->hang = 2;
    rich_init(&bar);
    rich_init(&words);
    joblife_limit(&bar, ui, j, cells);
    int too_wide = cell_width(bar.text.s) - width;
    if (too_wide > 0 && cells - too_wide >= BAR_LEAST) { /* rather a shorter bar than a second line */
        cells -= too_wide;
        rich_clear(&bar);
        joblife_limit(&bar, ui, j, cells);
    }
    if (bar.text.len) {
        r = lines_add(l);
        rich_append(r, &bar);
        r->hang = cells + 2;
    }
    rich_clear(&bar);
    if (joblife_ribbon(&bar, &words, ui, j, cells)) {
        r = lines_add(l);
        rich_append(r, &bar);
        rich_add(r, ROLE_NORMAL, "  ");
        rich_append(r, &words);
        r->hang = cells + 2;
    }
    rich_fini(&bar);
    rich_fini(&words);
}

static void jobpage_draw_head(struct jobpage *p, struct canvas *c, struct rect *body, const struct job *j,
                              bool roomy)
{
    struct rect in = rect_make(body->y, body->x + 1, body->h, body->w - 2);
    fill_head(p, j, in.w);
    int h = (int)pane_height(&p->head, in.w);
    h = h > HEAD_MAX ? HEAD_MAX : h;
    h = h > body->h / 2 ? body->h / 2 : h;
    pane_draw(&p->head, c, rect_make(in.y, in.x, h, in.w));
    rect_take_top(body, h + roomy);
}

static void jobpage_draw_use(struct jobpage *p, struct canvas *c, struct rect *body, const struct job *j,
                             int room)
{
    int h = usegraphs_height(j, body->w - 2, room);
    if (!h || body->h < h + TREE_MIN)
        return;
    usegraphs_draw(p->v.ui, j, c, rect_make(body->y, body->x + 1, h, body->w - 2));
    rect_take_top(body, h + (room >= ROOMY));
}

static void jobpage_draw_tree(struct jobpage *p, struct canvas *c, struct rect r, const struct job *j,
                              bool focused)
{
    p->tree_area = r;
    if (p->tree.table.shown.n) {
        p->v.ticks |= table_draw(&p->tree.table, c, r, focused);
        return;
    }
    if (p->cause.lines.n)
        pane_draw(&p->cause, c, rect_make(r.y, r.x + 1, r.h, r.w - 2));
    else
        canvas_text(c, r.y, r.x + 1, ROLE_DIM,
                    j->state != JOB_PENDING ? tr("The job has no steps.")
                    : j->restarts           ? tr("It waits again: its tasks will appear here.")
                                            : tr("No task has started. Steps and tasks will appear here."),
                    r.w - 2);
}

static void jobpage_draw_output(struct jobpage *p, struct canvas *c, struct rect r, const struct job *j)
{
    struct rich title;
    struct str name = STR_INIT;
    rich_init(&title);
    rich_add(&title, ROLE_TITLE, tr("Output"));
    peek_name(&p->peek, j, &name);
    if (name.len)
        rich_addf(&title, ROLE_DIM, "  %s", name.s);
    rich_draw(&title, c, r.y, r.x + 1, r.w - 2);
    rich_fini(&title);
    str_fini(&name);
    peek_draw(&p->peek, c, rect_make(r.y + 1, r.x + 1, r.h - 1, r.w - 2));
}

/* What the tree leaves is for the output, and for the details where there is none of them beside it. */
static void jobpage_draw_below(struct jobpage *p, struct canvas *c, struct rect *body, const struct job *j,
                               bool side)
{
    int rows = (int)p->tree.table.shown.n, tree = rows + 1 > TREE_MIN ? rows + 1 : rows ? TREE_MIN : 1;
    int least = tree < TREE_MIN ? tree : TREE_MIN, left = body->h - tree - (rows != 1);
    if (left < BELOW_MIN) /* the tree scrolls */
        left = body->h / 2 < body->h - 1 - least ? body->h / 2 : body->h - 1 - least;
    if (left < BELOW_MIN || (!p->peek.at.job && side))
        return;
    struct rect r = rect_take_bottom(body, left);
    rect_take_bottom(body, rows != 1); /* with one row its last line is empty */
    if (p->peek.at.job)
        jobpage_draw_output(p, c, r, j);
    else if (!side)
        pane_draw(&p->text, c, rect_make(r.y, r.x + 1, r.h, r.w - 2));
}

static void jobpage_draw(struct view *v, struct canvas *c, const struct screen_layout *l)
{
    struct jobpage *p = jobpage_of(v);
    const struct job *j = job_view_of(p);
    if (!j) {
        canvas_text(c, l->body.y, l->body.x + 2, ROLE_DIM,
                    tr("This job is no longer in the queue. q goes back."), l->body.w - 3);
        return;
    }
    bool side = !rect_is_empty(l->side);
    fill_text(p, j, side);
    jobtree_show_use(&p->tree, j);
    v->ticks = !job_state_is_final((enum job_state)j->state);
    struct rect body = l->body;
    int room = body.h;
    jobpage_draw_head(p, c, &body, j, room >= ROOMY);
    if (side) {
        pane_draw(&p->text, c, rect_make(l->side.y, l->side.x + 1, l->side.h, l->side.w - 2));
    } else if (p->on_text) {
        pane_draw(&p->text, c, rect_make(body.y, body.x + 1, body.h, body.w - 2));
        return;
    }
    jobpage_draw_use(p, c, &body, j, room);
    jobpage_draw_below(p, c, &body, j, side);
    jobpage_draw_tree(p, c, body, j, !p->on_text);
}

/* --- keys --- */

/* The cursor of the tree may be on another task: its output is shown. */
static unsigned jobpage_move(struct jobpage *p, unsigned did)
{
    if (did & DID_REDRAW) {
        p->chose = true;
        jobpage_show_output(p);
    }
    return did;
}

static unsigned jobpage_input(struct view *v, const struct input *in)
{
    struct jobpage *p = jobpage_of(v);
    return in->kind == INPUT_MOUSE ? jobpage_move(p, table_input(&p->tree.table, in, p->tree_area)) : 0;
}

static void open_output(struct jobpage *p, const struct job *j)
{
    const struct tree_row *r = jobtree_current(&p->tree);
    if (!r || !r->task) {
        output_open(p->v.ui, j);
        return;
    }
    struct output_at at = {.job = j->id,
                           .step = r->step->id,
                           .task = r->task->index,
                           .rank = r->rank >= 0 ? (uint32_t)r->rank : r->task->rank_base};
    ui_push(p->v.ui, &output_view, &at);
}

static void job_act_on_job(struct jobpage *p, const struct job *j, enum action a)
{
    struct targets t = {0};
    targets_add_job(&t, j);
    submit_act_on_jobs(p->v.ui, a, &t);
}

static void jobpage_measure(struct jobpage *p, const struct job *j)
{
    struct ui *ui = p->v.ui;
    if (!ui_engine(ui))
        ui_toast(ui, ROLE_NORMAL, tr("the agents measure it each second"));
    else if (j->state != JOB_RUNNING)
        ui_toast(ui, ROLE_WARN, tr("only a running job can be measured"));
    else
        ui_measure(ui, j->id);
}

static unsigned jobpage_act(struct view *v, enum action a, const struct input *in)
{
    struct jobpage *p = jobpage_of(v);
    const struct job *j = job_view_of(p);
    if (!j)
        return 0;
    if (a == ACTION_PANEL)
        p->on_text = !p->on_text;
    else if (a == ACTION_WHY)
        why_open(v->ui, j);
    else if (a == ACTION_TASK_OUTPUT)
        open_output(p, j);
    else if (a == ACTION_FAILED) {
        if (!jobtree_next_failed(&p->tree))
            ui_toast(v->ui, ROLE_NORMAL, tr("no task of this job failed"));
    } else if (act_is_job_action(a))
        job_act_on_job(p, j, a);
    else if (a == ACTION_MEASURE)
        jobpage_measure(p, j);
    else if (a == ACTION_SHELL)
        shell_in_job(v->ui, j);
    else if (a == ACTION_DEPENDS)
        depends_open(v->ui, j);
    else if (again_act(v->ui, j, a))
        return DID_HANDLE | DID_REDRAW;
    else if (p->on_text && pane_act(&p->text, a))
        return DID_HANDLE | DID_REDRAW;
    else if (a == ACTION_CLOSE && p->on_text)
        p->on_text = false;
    else
        return jobpage_move(p, table_act(&p->tree.table, a, in));
    return DID_HANDLE | DID_REDRAW;
}

static const char *jobpage_label(struct view *v, enum action a)
{
    const struct jobpage *p = jobpage_of(v);
    if (a == ACTION_PANEL)
        return p->on_text ? tr("tasks") : tr("details");
    return again_label(job_view_of(p), false, a);
}

/* The node of the task under the cursor comes before that of the job. */
static void jobpage_subject(struct view *v, struct row_subject *ret)
{
    struct jobpage *p = jobpage_of(v);
    const struct tree_row *r = jobtree_current(&p->tree);
    ret->job = job_view_of(p);
    if (ret->job && r && r->task && r->task->alloc.node)
        ret->node = model_get_node(ui_model(v->ui), r->task->alloc.node);
}

static uint32_t jobpage_watches(struct view *v)
{
    const struct job *j = job_view_of(jobpage_of(v));
    return j && j->state != JOB_PENDING && !job_state_is_final((enum job_state)j->state) ? j->id : 0;
}

static int jobpage_fd(struct view *v)
{
    return peek_fd(&jobpage_of(v)->peek);
}

static unsigned jobpage_wake(struct view *v)
{
    return peek_wake(&jobpage_of(v)->peek);
}

static bool jobpage_work(struct view *v)
{
    return peek_work(&jobpage_of(v)->peek);
}

/* Its list of tasks with all that is measured. */
static int jobpage_cols(struct view *v)
{
    (void)v;
    return 78;
}

static bool jobpage_shows_own(struct view *v)
{
    return !ui_is_foreign(v->ui, jobpage_of(v)->job);
}

static const enum scope scopes[] = {SCOPE_JOB, SCOPE_ACTS, SCOPE_AGAIN, SCOPE_MOVE};

const struct view_ops jobpage_view = {
    .name = "job",
    .scopes = scopes,
    .n_scopes = sizeof scopes / sizeof scopes[0],
    .wants_side = true,
    .body_cols = jobpage_cols,
    .open = jobpage_open,
    .close = jobpage_close,
    .sync = jobpage_sync,
    .title = jobpage_title,
    .draw = jobpage_draw,
    .input = jobpage_input,
    .act = jobpage_act,
    .label = jobpage_label,
    .subject = jobpage_subject,
    .watches_job = jobpage_watches,
    .fd = jobpage_fd,
    .wake = jobpage_wake,
    .work = jobpage_work,
    .shows_own = jobpage_shows_own,
};
