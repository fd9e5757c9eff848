/* job_view.c - the page of one job: the tree of its tasks, and beside it (from 100 columns; else below it,
 * where there is room, and by Tab) why, request and story. */
#include "ui/jobs/job_view.h"

#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/text/jobtext.h"
#include "ui/dialogs/job_dialogs.h"
#include "ui/dialogs/shell.h"
#include "ui/form/resubmit.h"
#include "ui/info/job_depends.h"
#include "ui/info/job_info.h"
#include "ui/info/job_script.h"
#include "ui/jobs/job_tree.h"
#include "ui/jobs/why_view.h"
#include "ui/output/output_view.h"
#include "ui/text/view_text.h"

#define WHY_PAUSE_MS 2000 /* between two questions while the queue moves */
#define SUMMARY_MAX  7
#define BELOW_MIN    4 /* lines below the tree that are worth a text */

struct jobpage {
    struct view v;
    uint32_t job;
    struct jobtree tree;
    struct pane summary, text;
    bool on_text; /* the text has the focus, and the room where there is little */
    struct rect tree_area;
    struct msg_why why;
    bool has_why, asking;
    struct wall asked;
    struct jobscript script;
    bool script_asked;
};

static struct jobpage *page_of(struct view *v)
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
    struct jobpage *p = page_of(owner);
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
    struct jobpage *p = page_of(owner);
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

static struct view *page_open(struct ui *ui, const void *arg)
{
    const uint32_t *id = arg;
    if (!ui_job(ui, *id))
        return NULL;
    struct jobpage *p = xcalloc(1, sizeof *p);
    p->v = (struct view){.ops = &jobpage_view, .ui = ui};
    p->job = *id;
    jobtree_init(&p->tree, ui, *id);
    table_refill(&p->tree.table);
    job_ask_why(p);
    job_ask_script(p);
    return &p->v;
}

static void page_close(struct view *v)
{
    struct jobpage *p = page_of(v);
    jobtree_fini(&p->tree);
    pane_fini(&p->summary);
    pane_fini(&p->text);
    rec_fini(&msg_why_rec, &p->why);
    jobscript_fini(&p->script);
    free(p);
}

static void page_sync(struct view *v)
{
    struct jobpage *p = page_of(v);
    table_refill(&p->tree.table);
    job_ask_why(p);
    job_ask_script(p);
}

static void page_title(struct view *v, struct rich *out)
{
    struct jobpage *p = page_of(v);
    const struct job *j = job_view_of(p);
    rich_add(out, ROLE_TITLE, "Job ");
    if (!j) {
        rich_addf(out, ROLE_TITLE, "%u", p->job);
        return;
    }
    jobtext_id(&out->text, j, BITSTR_LEN_DEFAULT);
    rich_role(out, ROLE_TITLE);
    rich_addf(out, ROLE_STRONG, "  %s  ", j->req.name ? j->req.name : "");
    job_words(out, j);
    jobtext_restarts(&out->text, j);
    rich_role(out, ROLE_DIM);
}

/* --- drawing --- */

static void fill_text(struct jobpage *p, const struct job *j)
{
    struct lines *l = &p->text.lines;
    lines_clear(l);
    if (j->state == JOB_PENDING) {
        jobinfo_section(l, "Why it waits");
        if (p->has_why) {
            why_lines(l, &p->why, p->v.ui);
        } else {
            job_wait_words(lines_add(l), p->v.ui, j);
        }
    }
    jobinfo_section(l, "Events");
    jobinfo_story(l, p->v.ui, j);
    jobinfo_section(l, "Request");
    jobinfo_request(l, p->v.ui, j);
    if (p->script.there || p->script.why) {
        jobinfo_section(l, "Script");
        jobscript_lines(&p->script, l);
    }
}

/* The summary says what the text beside it does not: without its first line, which is the title's. */
static struct rect draw_summary(struct jobpage *p, struct canvas *c, struct rect body, const struct job *j)
{
    lines_clear(&p->summary.lines);
    jobinfo_summary(&p->summary.lines, p->v.ui, j);
    struct rect in = rect_make(body.y, body.x + 1, body.h, body.w - 2);
    int h = (int)pane_height(&p->summary, in.w) - 1, most = body.h / 3;
    h = h > SUMMARY_MAX ? SUMMARY_MAX : h;
    h = h > most ? most : h;
    if (h < 1)
        return body;
    struct rect old = canvas_clip(c, rect_make(in.y, in.x, h, in.w));
    for (int i = 0; i < h && (size_t)(i + 1) < p->summary.flowed.n; i++)
        rich_draw(&p->summary.flowed.v[i + 1], c, in.y + i, in.x, in.w);
    canvas_unclip(c, old);
    rect_take_top(&body, h + (body.h > h + 4 ? 1 : 0));
    return body;
}

static void draw_tree(struct jobpage *p, struct canvas *c, struct rect r, const struct job *j, bool focused)
{
    p->tree_area = r;
    if (p->tree.table.shown.n) {
        p->v.ticks |= table_draw(&p->tree.table, c, r, focused);
        return;
    }
    canvas_text(c, r.y + (r.h > 2), r.x + 2, ROLE_DIM,
                j->state == JOB_PENDING ? "No task has started. Steps and tasks will appear here."
                                        : "The job has no steps.",
                r.w - 3);
}

/* The text has what the tree leaves. */
static void draw_below(struct jobpage *p, struct canvas *c, struct rect *body)
{
    int tree = p->tree.table.shown.n ? (int)p->tree.table.shown.n + 1 : 1, left = body->h - tree - 1;
    if (left < BELOW_MIN)
        return;
    struct rect r = rect_take_bottom(body, left);
    pane_draw(&p->text, c, rect_make(r.y, r.x + 1, r.h, r.w - 2));
}

static void page_draw(struct view *v, struct canvas *c, const struct screen_layout *l)
{
    struct jobpage *p = page_of(v);
    const struct job *j = job_view_of(p);
    if (!j) {
        canvas_text(c, l->body.y, l->body.x + 2, ROLE_DIM,
                    "This job is no longer in the queue. q goes back.", l->body.w - 3);
        return;
    }
    fill_text(p, j);
    v->ticks = j->state == JOB_RUNNING || j->state == JOB_PENDING;
    struct rect body = draw_summary(p, c, l->body, j);
    bool side = !rect_is_empty(l->side);
    if (side)
        pane_draw(&p->text, c, rect_make(l->side.y, l->side.x + 1, l->side.h, l->side.w - 2));
    else if (p->on_text) {
        pane_draw(&p->text, c, rect_make(body.y, body.x + 1, body.h, body.w - 2));
        return;
    } else
        draw_below(p, c, &body);
    draw_tree(p, c, body, j, !p->on_text);
}

/* --- keys --- */

static unsigned page_input(struct view *v, const struct input *in)
{
    struct jobpage *p = page_of(v);
    return in->kind == INPUT_MOUSE ? table_input(&p->tree.table, in, p->tree_area) : 0;
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
    act_on_jobs(p->v.ui, a, &t);
}

static unsigned page_act(struct view *v, enum action a, const struct input *in)
{
    struct jobpage *p = page_of(v);
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
            ui_toast(v->ui, ROLE_NORMAL, "no task of this job failed");
    } else if (act_is_job_action(a))
        job_act_on_job(p, j, a);
    else if (a == ACTION_SHELL)
        shell_in_job(v->ui, j);
    else if (a == ACTION_DEPENDS)
        depends_open(v->ui, j);
    else if (again_act(v->ui, j, a))
        return DID_HANDLE | DID_REDRAW;
    else if (p->on_text && pane_act(&p->text, a))
        return DID_HANDLE | DID_REDRAW;
    else
        return a == ACTION_CLOSE && p->on_text ? (p->on_text = false, DID_HANDLE | DID_REDRAW)
                                               : table_act(&p->tree.table, a, in);
    return DID_HANDLE | DID_REDRAW;
}

static const char *page_label(struct view *v, enum action a)
{
    return again_label(job_view_of(page_of(v)), false, a);
}

static const enum scope scopes[] = {SCOPE_JOB, SCOPE_ACTS, SCOPE_AGAIN, SCOPE_MOVE};

const struct view_ops jobpage_view = {
    .name = "job",
    .scopes = scopes,
    .n_scopes = sizeof scopes / sizeof scopes[0],
    .wants_side = true,
    .open = page_open,
    .close = page_close,
    .sync = page_sync,
    .title = page_title,
    .draw = page_draw,
    .input = page_input,
    .act = page_act,
    .label = page_label,
};
