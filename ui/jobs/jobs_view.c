/* jobs_view.c - the jobs screen.
 *
 *      S JOB            NAME   USER  START      RAN CPUS GPU WHERE OR WHY   | 4688  train
 *     Running 2 jobs, 41 tasks ------------------------------------------   | running 1:02:03 of 4:00:00
 *      R 4688           train  alice 13:07  1:02:03    8   2 n01            | on   n01  8 CPUs 32G GPU 0-1
 *      R > 4711_[0-199] sweep  me    13:40    12:40   40     ##!>> 50 ...   |
 *     Waiting 1 job -----------------------------------------------------   |
 *      P 4720           eval   bo    ~15:59            8   1 needs 1 GPU    |
 */
#include "ui/jobs/jobs_view.h"

#include <stdlib.h>

#include "src/base/vec.h"
#include "src/lang/lang.h"
#include "src/text/jobtext.h"
#include "ui/array/array_view.h"
#include "ui/dialogs/job_dialogs.h"
#include "ui/dialogs/shell.h"
#include "ui/form/form_view.h"
#include "ui/form/resubmit.h"
#include "ui/info/job_info.h"
#include "ui/jobs/array_info.h"
#include "ui/jobs/depends_view.h"
#include "ui/jobs/job_copy.h"
#include "ui/jobs/job_pane.h"
#include "ui/jobs/job_view.h"
#include "ui/jobs/jobs_table.h"
#include "ui/jobs/other_matches.h"
#include "ui/jobs/welcome.h"
#include "ui/jobs/why_view.h"
#include "ui/output/output_view.h"
#include "ui/text/view_text.h"
#include "ui/view/table_view.h"

struct jobs_screen {
    struct view v;
    struct joblist list;
    struct jobpane pane;
    struct rect body; /* where the table was drawn */
    struct other_matches others;
    uint32_t awaited; /* the cursor goes to that job when it is there; 0: to none */
};

static struct jobs_screen *jobs_of(struct view *v)
{
    return (struct jobs_screen *)(void *)v;
}

static struct view *jobs_open(struct ui *ui, const void *arg)
{
    (void)arg;
    struct jobs_screen *j = xcalloc(1, sizeof *j);
    j->v = (struct view){.ops = &jobs_view, .ui = ui};
    joblist_init(&j->list, ui);
    jobpane_init(&j->pane, &j->v);
    table_refill(&j->list.table);
    return &j->v;
}

static void jobs_close(struct view *v)
{
    struct jobs_screen *j = jobs_of(v);
    joblist_fini(&j->list);
    jobpane_fini(&j->pane);
    othermatches_fini(&j->others);
    free(j);
}

static bool is_shown(const struct table *t, uint64_t id)
{
    for (size_t i = 0; i < t->shown.n; i++)
        if (table_shown(t, i)->id == id)
            return true;
    return false;
}

/* An array stands for its elements. */
static void look_for_awaited(struct jobs_screen *j)
{
    const struct job *job = j->awaited ? model_get_job(ui_model(j->v.ui), j->awaited) : NULL;
    if (!job)
        return;
    bool in_array = job->array_job && !j->list.table.flat;
    uint64_t id = in_array ? ARRAY_ROW | job->array_job : job->id;
    if (is_shown(&j->list.table, id))
        table_select(&j->list.table, id);
    else
        ui_toast(j->v.ui, ROLE_WARN, tr("job %u is queued, but the filter hides it: Esc clears the filter"),
                 j->awaited);
    j->awaited = 0;
}

static void jobs_sync(struct view *v)
{
    joblist_update(&jobs_of(v)->list);
    jobpane_sync(&jobs_of(v)->pane);
    othermatches_sync(&jobs_of(v)->others, &jobs_of(v)->list);
    look_for_awaited(jobs_of(v));
}

static void jobs_point_at(struct view *v, uint32_t job)
{
    jobs_of(v)->awaited = job;
}

/* What the filter would find if the list were not one's own jobs alone. */
static void jobs_add_others(const struct jobs_screen *j, struct rich *out)
{
    struct str key = STR_INIT;
    if (!j->list.mine || !j->others.n)
        return;
    keymap_format(ui_keymap(j->v.ui), ACTION_MINE, true, &key);
    rich_addf(
        out, ROLE_WARN,
        trn("   %u match in other users' jobs: %s", "   %u matches in other users' jobs: %s", j->others.n),
        j->others.n, key.s);
    str_fini(&key);
}

static void jobs_title(struct view *v, struct rich *out)
{
    struct jobs_screen *j = jobs_of(v);
    rich_add(out, ROLE_TITLE, j->list.mine ? tr("My jobs") : tr("Jobs"));
    tableview_title(v->ui, &j->list.table, j->list.rows.n_rows, out);
    jobs_add_others(j, out);
}

static void jobs_fill_side(struct jobs_screen *j)
{
    const struct jobs_row *r = joblist_current(&j->list);
    struct lines *l = &j->pane.pane.lines;
    lines_clear(l);
    if (!r)
        return;
    struct ui *ui = j->v.ui;
    const struct job *job = jobrows_job(r)      ? jobrows_job(r)
                            : r->array->oldest  ? r->array->oldest
                            : r->array->pending ? r->array->pending
                                                : r->array->any;
    if (!jobrows_job(r)) {
        array_id_text(&lines_add(l)->text, job);
        rich_role(&l->v[0], ROLE_TITLE);
        rich_addf(&l->v[0], ROLE_STRONG, "  %s", jobtext_name(job));
        arrayinfo_lines(l, r->array, j->list.rows.members + r->array->first);
        jobinfo_section(l, r->array->oldest    ? tr("Oldest running element")
                           : r->array->pending ? tr("Pending elements")
                                               : tr("One of the elements"));
    }
    jobinfo_summary(l, ui, job);
    if (job->steps.n) {
        jobinfo_section(l, tr("Steps"));
        jobinfo_steps(l, ui, job, 8);
    }
    jobinfo_section(l, tr("Request"));
    jobinfo_request(l, ui, job);
    if (job->state != JOB_PENDING) {
        jobinfo_section(l, tr("Events"));
        jobinfo_story(l, ui, job);
    }
}

static void say_empty(const struct jobs_screen *j, struct lines *l)
{
    if (!j->list.mine && !ui_has_all(j->v.ui)) {
        lines_addf(l, ROLE_LABEL, tr("Waiting for the jobs of all users."));
        return;
    }
    if (j->list.mine && ui_n_jobs(j->v.ui)) {
        lines_addf(l, ROLE_STRONG, tr("None of the %zu jobs is yours."), ui_n_jobs(j->v.ui));
        lines_addf(l, ROLE_NORMAL, tr("m shows all users."));
        return;
    }
    welcome_lines(l, j->v.ui);
}

#define BELOW_LINES 10 /* of details below the list, and a line above them */
#define BELOW_LEAST 24 /* lines of a body that has room for them below a few rows */
#define BELOW_FROM  36 /* lines of a body that has room for them whatever is listed */
#define BELOW_COLS  100

/* Where the list is as wide as the screen the details of the row under the cursor stand below it. */
static int jobs_pane_lines(struct view *v, int h, int w)
{
    const struct jobs_screen *j = jobs_of(v);
    const struct table *t = &j->list.table;
    int rows = t->shown.n < (size_t)h ? (int)t->shown.n : h;
    int left = h - rows - 2 * GROUPS - 1; /* below the heading, the rows and the titles of groups */
    if (h >= BELOW_FROM && w >= BELOW_COLS && left < BELOW_LINES)
        left = BELOW_LINES;
    if (left < BELOW_LINES || h < BELOW_LEAST || !joblist_current(&j->list))
        return 0;
    return left < h / 2 ? left : h / 2;
}

static const struct job *job_under_cursor(const struct jobs_screen *j);

static void jobs_draw(struct view *v, struct canvas *c, const struct screen_layout *l)
{
    struct jobs_screen *j = jobs_of(v);
    enum job_tab tab = (enum job_tab)ui_pane_tab(v->ui, v);
    struct lines empty = {0};
    if (!j->list.table.shown.n)
        say_empty(j, &empty);
    j->list.table.elsewhere = ui_lacks(v->ui, LACK_HISTORY)
                                  ? NULL
                                  : tr("Ended jobs leave this list after a while; the history has them.");
    j->body = l->body;
    v->ticks = tableview_draw(v->ui, &j->list.table, c, l, &empty);
    lines_fini(&empty);
    if (rect_is_empty(l->side)) {
        jobpane_rest(&j->pane);
        return;
    }
    if (tab == JOB_TAB_DETAILS)
        jobs_fill_side(j);
    jobpane_draw(&j->pane, job_under_cursor(j), tab, c, l);
}

static unsigned jobs_input(struct view *v, const struct input *in)
{
    jobs_of(v)->awaited = 0; /* the user has moved on: the cursor stays where it is */
    return table_input(&jobs_of(v)->list.table, in, jobs_of(v)->body);
}

/* --- what is done to the marked ones --- */

struct targets_gathering {
    struct jobs_screen *j;
    struct targets targets;
};

static void jobs_gather(void *arg, const struct trow *row)
{
    struct targets_gathering *g = arg;
    const struct jobs_row *r = jobrows_row(row);
    const struct joblist *l = &g->j->list;
    if (!jobrows_job(r))
        targets_add_array(&g->targets, l->rows.members + r->array->first, r->array->n);
    else if (!r->array ||
             !list_is_marked(&l->table.list, ARRAY_ROW | r->array->id)) /* else its array stands for it */
        targets_add_job(&g->targets, jobrows_job(r));
}

static void jobs_act_on_targets(struct jobs_screen *j, enum action a)
{
    struct targets_gathering g = {.j = j};
    table_targets(&j->list.table, jobs_gather, &g);
    submit_act_on_jobs(j->v.ui, a, &g.targets);
}

/* The job that a key for one job means: of an array the element that there is most to see of. */
static const struct job *job_under_cursor(const struct jobs_screen *j)
{
    const struct jobs_row *r = joblist_current(&j->list);
    if (!r)
        return NULL;
    if (jobrows_job(r))
        return jobrows_job(r);
    return r->array->oldest ? r->array->oldest : r->array->pending ? r->array->pending : r->array->any;
}

/* Of an array what it is that waits; NULL: nothing of it does, or it is none. */
static const struct job *waiting_of(const struct jobs_screen *j)
{
    const struct jobs_row *r = joblist_current(&j->list);
    return r && !jobrows_job(r) ? r->array->pending : NULL;
}

static void jobs_ask_why(struct jobs_screen *j, const struct job *job)
{
    const struct array_row *a = joblist_current(&j->list)->array;
    if (waiting_of(j))
        why_open(j->v.ui, waiting_of(j));
    else if (!jobrows_job(joblist_current(&j->list)) && !a->oldest)
        why_open_array(j->v.ui, a, j->list.rows.members + a->first);
    else
        why_open(j->v.ui, job);
}

static void jobs_open_job(struct jobs_screen *j)
{
    const struct jobs_row *r = joblist_current(&j->list);
    if (!r)
        return;
    if (jobrows_job(r))
        ui_push(j->v.ui, &jobpage_view, &jobrows_job(r)->id);
    else
        ui_push(j->v.ui, &array_view, &r->array->id);
}

static unsigned jobs_act(struct view *v, enum action a, const struct input *in)
{
    struct jobs_screen *j = jobs_of(v);
    const struct job *job = job_under_cursor(j);
    if (a == ACTION_MINE) {
        j->list.mine = !j->list.mine;
        table_refill(&j->list.table);
    } else if (act_is_job_action(a)) {
        jobs_act_on_targets(j, a);
        if (a == ACTION_WATCH)
            table_refill(&j->list.table); /* its signs */
    } else if (a == ACTION_OPEN_JOB) {
        jobs_open_job(j);
    } else if (a == ACTION_SHELL && job) {
        shell_in_job(v->ui, job);
    } else if (a == ACTION_DEPENDS && job) {
        depends_open(v->ui, job);
    } else if (a == ACTION_WHY && job) {
        jobs_ask_why(j, job);
    } else if (a == ACTION_COPY && job) {
        job_copy_open(v->ui, job, &j->list.table);
    } else if (a == ACTION_OUTPUT && job) {
        output_open(v->ui, job);
    } else if (!again_act(v->ui, job, a) && (j->list.n_jobs || !welcome_act(v->ui, a))) {
        return tableview_act(v->ui, &j->list.table, a, in);
    }
    return DID_HANDLE | DID_REDRAW;
}

static const char *jobs_label(struct view *v, enum action a)
{
    struct jobs_screen *j = jobs_of(v);
    const struct jobs_row *r = joblist_current(&j->list);
    const struct array_row *of = r && !jobrows_job(r) ? r->array : NULL;
    if (!r || list_n_marks(&j->list.table.list) || (of && of->run + of->wait))
        return NULL;
    return again_label(job_under_cursor(j), of && of->fail, a);
}

static void jobs_subject(struct view *v, struct row_subject *ret)
{
    ret->job = job_under_cursor(jobs_of(v));
}

static struct table *jobs_table(struct view *v)
{
    return &jobs_of(v)->list.table;
}

static bool *jobs_mine(struct view *v)
{
    return &jobs_of(v)->list.mine;
}

/* With a filter the list tells what it matches of the jobs of other users, too. */
static bool jobs_shows_own(struct view *v)
{
    const struct joblist *l = &jobs_of(v)->list;
    return l->mine && !table_is_filtered(&l->table);
}

/* --- the pane --- */

static struct pane *jobs_pane(struct view *v)
{
    return &jobs_of(v)->pane.pane;
}

static void jobs_rest(struct view *v)
{
    jobpane_rest(&jobs_of(v)->pane);
}

static void jobs_timer(struct view *v)
{
    jobpane_timer(&jobs_of(v)->pane);
}

static int jobs_fd(struct view *v)
{
    return peek_fd(&jobs_of(v)->pane.peek);
}

static unsigned jobs_wake(struct view *v)
{
    return peek_wake(&jobs_of(v)->pane.peek);
}

static bool jobs_work(struct view *v)
{
    struct jobs_screen *j = jobs_of(v);
    bool done, more = othermatches_work(&j->others, &j->list, &done);
    if (done)
        ui_changed(v->ui);
    return peek_work(&j->pane.peek) || more;
}

static const enum scope scopes[] = {SCOPE_JOBS, SCOPE_ACTS, SCOPE_AGAIN, SCOPE_LIST, SCOPE_MOVE};

const struct view_ops jobs_view = {
    .name = "jobs",
    .scopes = scopes,
    .n_scopes = sizeof scopes / sizeof scopes[0],
    .wants_side = true,
    .open = jobs_open,
    .close = jobs_close,
    .sync = jobs_sync,
    .title = jobs_title,
    .draw = jobs_draw,
    .input = jobs_input,
    .act = jobs_act,
    .label = jobs_label,
    .subject = jobs_subject,
    .table = jobs_table,
    .mine = jobs_mine,
    .shows_own = jobs_shows_own,
    .point_at = jobs_point_at,
    .pane = jobs_pane,
    .pane_lines = jobs_pane_lines,
    .tabs = job_tab_names,
    .n_tabs = JOB_TABS,
    .rest = jobs_rest,
    .timer = jobs_timer,
    .fd = jobs_fd,
    .wake = jobs_wake,
    .work = jobs_work,
};
