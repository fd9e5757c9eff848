/* history.c - what has ended: how, what it used of what it had asked for.
 *
 *      S JOB     NAME      USER   ENDED        RAN   OF LIMIT  MEMORY        CPU  CAUSE
 *      M 4       merge     alice  11:02:13   45:12   19%       61.9 of 62G   88%  out of memory on cpu03
 *      ! > 8_[0-99] sweep  alice  10:40:01                                        34 done 2 failed
 *
 * Rows come from the queue, where they stay for a while, and from the controller's history. A number that
 * was not measured is not shown.
 */
#include "ui/view/history.h"

#include <stdlib.h>

#include "src/base/units.h"
#include "src/base/xalloc.h"
#include "src/model/jobtext.h"
#include "ui/view/again.h"
#include "ui/view/jobinfo.h"
#include "ui/view/joblist.h"
#include "ui/view/jobpage.h"
#include "ui/view/jobuse.h"
#include "ui/view/output.h"
#include "ui/view/tableview.h"
#include "ui/view/words.h"
#include "ui/widget/bar.h"

/* A job, or all that has ended of an array. */
struct past_row {
    const struct job *job; /* of an array: its latest end */
    bool array;
    uint32_t done, failed, other; /* elements */
    size_t first, n;              /* of an array: in history.members */
};

struct history {
    struct view v;
    struct table table;
    struct pane side;
    struct rect body;
    bool mine;
    const struct job **jobs; /* latest end first */
    struct past_row *rows;   /* of the list, then of members */
    const struct job **members;
    size_t n_jobs, n_rows, n_all;
};

static struct history *history_of(struct view *v)
{
    return (struct history *)(void *)v;
}

static struct wall now_of(const void *ctx)
{
    return ui_now(((const struct history *)ctx)->v.ui);
}

/* --- rows --- */

/* The latest end first. */
static int by_end(const void *pa, const void *pb)
{
    const struct job *a = *(const struct job *const *)pa, *b = *(const struct job *const *)pb;
    return a->t_end.ms != b->t_end.ms ? (a->t_end.ms < b->t_end.ms) - (a->t_end.ms > b->t_end.ms)
                                      : (a->id < b->id) - (a->id > b->id);
}

static void take(struct history *h, const struct job *j)
{
    h->n_all++;
    if (!h->mine || j->uid == ui_uid(h->v.ui))
        h->jobs[h->n_jobs++] = j;
}

static void take_all(struct history *h)
{
    const struct model *m = ui_model(h->v.ui);
    struct job *const *past;
    size_t n = ui_past(h->v.ui, &past), room = m->n_ended + n + 1;
    h->jobs = xreallocarray(h->jobs, room, sizeof *h->jobs);
    h->members = xreallocarray(h->members, room, sizeof *h->members);
    h->rows = xreallocarray(h->rows, 2 * room, sizeof *h->rows);
    h->n_jobs = h->n_rows = h->n_all = 0;
    list_for_each (j, &m->ended, struct job, in_queue)
        take(h, j);
    for (size_t i = 0; i < n; i++)
        if (!model_get_job(m, past[i]->id))
            take(h, past[i]);
    if (h->n_jobs)
        qsort(h->jobs, h->n_jobs, sizeof *h->jobs, by_end);
}

static void tally(struct past_row *r, const struct job *j)
{
    enum role role = job_role(j);
    r->done += role == ROLE_DONE;
    r->failed += role == ROLE_FAILED;
    r->other += role != ROLE_DONE && role != ROLE_FAILED;
    r->n++;
}

/* An array stands where its latest element ended. */
static void make_rows(struct history *h)
{
    struct idmap arrays = {0};
    size_t n_members = 0;
    for (size_t i = 0; i < h->n_jobs; i++) {
        const struct job *j = h->jobs[i];
        struct past_row *r = j->array_job ? idmap_get(&arrays, j->array_job) : NULL;
        if (!r) {
            r = &h->rows[h->n_rows++];
            *r = (struct past_row){.job = j, .array = j->array_job != 0};
            if (r->array)
                idmap_set(&arrays, j->array_job, r);
        }
        if (r->array)
            tally(r, j);
    }
    for (size_t i = 0; i < h->n_rows; i++) {
        h->rows[i].first = n_members;
        n_members += h->rows[i].n;
        h->rows[i].n = 0;
    }
    for (size_t i = 0; i < h->n_jobs; i++) {
        struct past_row *r = h->jobs[i]->array_job ? idmap_get(&arrays, h->jobs[i]->array_job) : NULL;
        if (r)
            h->members[r->first + r->n++] = h->jobs[i];
    }
    idmap_fini(&arrays);
}

static void fill(void *ctx, struct table *t)
{
    struct history *h = ctx;
    take_all(h);
    make_rows(h);
    size_t at = h->n_rows;
    for (size_t i = 0; i < h->n_rows; i++) {
        const struct past_row *r = &h->rows[i];
        uint64_t id = r->array ? ARRAY_ROW | r->job->array_job : r->job->id;
        table_add(t, (struct trow){.id = id, .data = r, .branch = r->array});
        for (size_t k = 0; r->array && table_wants_children(t, id) && k < r->n; k++) {
            h->rows[at] = (struct past_row){.job = h->members[r->first + k]};
            table_add(t, (struct trow){.id = h->rows[at].job->id, .data = &h->rows[at], .depth = 1});
            at++;
        }
    }
}

static const struct job *job_of(const void *row)
{
    return ((const struct past_row *)row)->job;
}

/* --- columns --- */

static bool is_array(const void *row)
{
    return ((const struct past_row *)row)->array;
}

static void get_sign(const void *ctx, const void *row, struct field *f)
{
    (void)ctx;
    const struct past_row *r = row;
    const struct job *j = r->job;
    if (r->array) {
        rich_add(&f->text,
                 r->failed  ? ROLE_FAILED
                 : r->other ? ROLE_CANCELLED
                            : ROLE_DONE,
                 r->failed  ? "!"
                 : r->other ? "X"
                            : "D");
        return;
    }
    rich_addf(&f->text, job_role(j), "%c", job_state_glyph((enum job_state)j->state));
    f->has_num = true;
    f->num = job_role(j);
}

static void get_id(const void *ctx, const void *row, struct field *f)
{
    (void)ctx;
    const struct past_row *r = row;
    const struct job *j = r->job;
    if (r->array)
        str_appendf(&f->text.text, "%u_[%u-%u]", j->array_job, j->array_min, j->array_max);
    else
        jobtext_id(&f->text.text, j, BITSTR_LEN_DEFAULT);
    rich_role(&f->text, ROLE_NORMAL);
    f->has_num = true;
    f->num = j->id;
}

static void get_name(const void *ctx, const void *row, struct field *f)
{
    (void)ctx;
    rich_add(&f->text, ROLE_NORMAL, job_of(row)->req.name);
}

static void get_user(const void *ctx, const void *row, struct field *f)
{
    const struct history *h = ctx;
    const struct job *j = job_of(row);
    rich_add(&f->text, j->uid == ui_uid(h->v.ui) ? ROLE_STRONG : ROLE_NORMAL, j->user);
}

static void get_partition(const void *ctx, const void *row, struct field *f)
{
    (void)ctx;
    rich_add(&f->text, ROLE_NORMAL, job_of(row)->partition);
}

static void get_account(const void *ctx, const void *row, struct field *f)
{
    (void)ctx;
    rich_add(&f->text, ROLE_NORMAL, job_of(row)->req.account);
}

static void get_ended(const void *ctx, const void *row, struct field *f)
{
    const struct job *j = job_of(row);
    f->has_num = true;
    f->num = (double)j->t_end.ms;
    when_text(&f->text.text, j->t_end, now_of(ctx));
    rich_role(&f->text, ROLE_NORMAL);
}

static void get_ran(const void *ctx, const void *row, struct field *f)
{
    const struct job *j = job_of(row);
    char b[UNITS_TEXT_SIZE];
    if (is_array(row))
        return;
    f->has_num = true;
    f->num = job_run_s(j, now_of(ctx));
    rich_add(&f->text, ROLE_NORMAL, wall_is_set(j->t_start) ? duration_format((uint32_t)f->num, b) : "-");
}

static void add_percent(struct field *f, int percent, bool full_is_bad)
{
    if (percent < 0)
        return;
    f->has_num = true;
    f->num = percent;
    rich_addf(&f->text, full_is_bad ? load_role(percent) : ROLE_NORMAL, "%d%%", percent);
}

static void get_of_limit(const void *ctx, const void *row, struct field *f)
{
    const struct history *h = ctx;
    struct job_use u;
    if (is_array(row))
        return;
    job_use(&u, job_of(row), ui_model(h->v.ui), now_of(ctx));
    add_percent(f, u.time_percent, true);
}

static void get_cpu(const void *ctx, const void *row, struct field *f)
{
    const struct history *h = ctx;
    struct job_use u;
    if (is_array(row))
        return;
    job_use(&u, job_of(row), ui_model(h->v.ui), now_of(ctx));
    add_percent(f, u.cpu_percent, false);
}

static void get_memory(const void *ctx, const void *row, struct field *f)
{
    const struct history *h = ctx;
    struct job_use u;
    char a[UNITS_TEXT_SIZE];
    if (is_array(row))
        return;
    job_use(&u, job_of(row), ui_model(h->v.ui), now_of(ctx));
    if (!u.peak_kib)
        return;
    f->has_num = true;
    f->num = (double)(u.peak_kib / 1024);
    rich_add(&f->text, u.mem_percent >= 0 ? load_role(u.mem_percent) : ROLE_NORMAL,
             mem_format_words(u.peak_kib, a));
    if (u.mem_mib)
        rich_addf(&f->text, ROLE_DIM, " of %s", mem_format_slurm(u.mem_mib, a));
}

static void get_gpus(const void *ctx, const void *row, struct field *f)
{
    (void)ctx;
    uint32_t n = job_gpus(job_of(row));
    f->has_num = true;
    f->num = n;
    if (n)
        rich_addf(&f->text, ROLE_NORMAL, "%u", n);
}

static void get_cause(const void *ctx, const void *row, struct field *f)
{
    (void)ctx;
    const struct past_row *r = row;
    if (!r->array) {
        job_cause(&f->text, r->job);
        return;
    }
    if (r->failed)
        rich_addf(&f->text, ROLE_ERROR, "%u failed  ", r->failed);
    if (r->done)
        rich_addf(&f->text, ROLE_DONE, "%u done  ", r->done);
    if (r->other)
        rich_addf(&f->text, ROLE_DIM, "%u cancelled", r->other);
}

static void get_state(const void *ctx, const void *row, struct field *f)
{
    (void)ctx;
    const struct job *j = job_of(row);
    rich_add(&f->text, ROLE_NORMAL, job_state_long((enum job_state)j->state));
}

static const struct column columns[] = {
    {.name = "sign", .title = "S", .min = 1, .want = 1, .get = get_sign},
    {.name = "id",
     .title = "JOB",
     .min = 12,
     .want = 16,
     .flags = COLUMN_WORDS | COLUMN_TREE,
     .get = get_id},
    {.name = "name",
     .title = "NAME",
     .min = 10,
     .want = 20,
     .rank = 1,
     .flags = COLUMN_WORDS,
     .get = get_name},
    {.name = "user",
     .title = "USER",
     .min = 7,
     .want = 10,
     .rank = 4,
     .flags = COLUMN_WORDS,
     .get = get_user},
    {.name = "ended", .title = "ENDED", .min = 9, .want = 10, .rank = 5, .get = get_ended},
    {.name = "ran",
     .title = "RAN",
     .min = 8,
     .want = 10,
     .rank = 2,
     .flags = COLUMN_RIGHT,
     .unit = FILTER_SECONDS,
     .get = get_ran},
    {.name = "of-limit",
     .title = "OF TIME",
     .min = 7,
     .want = 7,
     .rank = 6,
     .flags = COLUMN_RIGHT,
     .get = get_of_limit},
    {.name = "memory",
     .title = "MEMORY",
     .min = 14,
     .want = 16,
     .rank = 7,
     .flags = COLUMN_RIGHT,
     .unit = FILTER_MIB,
     .get = get_memory},
    {.name = "cpu", .title = "CPU", .min = 4, .want = 5, .rank = 8, .flags = COLUMN_RIGHT, .get = get_cpu},
    {.name = "cause",
     .title = "HOW IT ENDED",
     .min = 18,
     .share = 30,
     .rank = 3,
     .flags = COLUMN_WORDS,
     .get = get_cause},
    {.name = "gpus",
     .title = "GPU",
     .min = 3,
     .want = 4,
     .flags = COLUMN_HIDDEN | COLUMN_RIGHT,
     .get = get_gpus},
    {.name = "state",
     .title = "STATE",
     .min = 10,
     .want = 14,
     .flags = COLUMN_HIDDEN | COLUMN_WORDS,
     .get = get_state},
    {.name = "partition",
     .title = "PART",
     .min = 6,
     .want = 10,
     .flags = COLUMN_HIDDEN | COLUMN_WORDS,
     .get = get_partition},
    {.name = "account",
     .title = "ACCOUNT",
     .min = 8,
     .want = 12,
     .flags = COLUMN_HIDDEN | COLUMN_WORDS,
     .get = get_account},
};

/* --- the view --- */

static struct view *history_open(struct ui *ui, const void *arg)
{
    (void)arg;
    struct history *h = xcalloc(1, sizeof *h);
    h->v = (struct view){.ops = &history_view, .ui = ui};
    ui_want_past(ui);
    table_init(&h->table, columns, sizeof columns / sizeof columns[0], fill, h);
    table_refill(&h->table);
    return &h->v;
}

static void history_close(struct view *v)
{
    struct history *h = history_of(v);
    table_fini(&h->table);
    pane_fini(&h->side);
    free(h->jobs);
    free(h->members);
    free(h->rows);
    free(h);
}

static void history_sync(struct view *v)
{
    ui_want_past(v->ui); /* again after a connection that was lost */
    table_refill(&history_of(v)->table);
}

static void history_title(struct view *v, struct rich *out)
{
    struct history *h = history_of(v);
    rich_add(out, ROLE_TITLE, h->mine ? "My history" : "History");
    tableview_title(v->ui, &h->table, h->n_rows, out);
    if (ui_past_is_coming(v->ui))
        rich_add(out, ROLE_DIM, "   more is coming ...");
}

static void fill_side(struct history *h, const struct job *j)
{
    struct lines *l = &h->side.lines;
    lines_clear(l);
    jobinfo_summary(l, h->v.ui, j);
    jobinfo_section(l, "Used of what it asked for");
    job_use_lines(l, j, ui_model(h->v.ui), ui_now(h->v.ui));
    if (j->steps.n) {
        jobinfo_section(l, "Steps");
        jobinfo_steps(l, h->v.ui, j, 8);
    }
    jobinfo_section(l, "Story");
    jobinfo_story(l, h->v.ui, j);
    jobinfo_section(l, "Request");
    jobinfo_request(l, h->v.ui, j);
}

static void history_draw(struct view *v, struct canvas *c, const struct layout *l)
{
    struct history *h = history_of(v);
    struct lines empty = {0};
    if (h->mine && h->n_all)
        lines_addf(&empty, ROLE_NORMAL, "None of the %zu is yours. m shows everybody's.", h->n_all);
    else
        lines_addf(&empty, ROLE_NORMAL, "Nothing has ended yet.");
    h->body = l->body;
    v->ticks = tableview_draw(v->ui, &h->table, c, l, &empty);
    lines_fini(&empty);
    const struct trow *row = table_current(&h->table);
    if (rect_is_empty(l->side) || !row)
        return;
    fill_side(h, job_of(row->data));
    pane_draw(&h->side, c, rect_make(l->side.y, l->side.x + 1, l->side.h, l->side.w - 2));
}

static unsigned history_input(struct view *v, const struct input *in)
{
    return table_input(&history_of(v)->table, in, history_of(v)->body);
}

static unsigned history_act(struct view *v, enum action a, const struct input *in)
{
    struct history *h = history_of(v);
    const struct trow *row = table_current(&h->table);
    const struct job *j = row ? job_of(row->data) : NULL;
    if (a == ACTION_PAST_MINE) {
        h->mine = !h->mine;
        table_refill(&h->table);
    } else if (a == ACTION_OPEN_PAST && j && row->branch) {
        table_fold(&h->table, row->id, !table_is_open(&h->table, row->id));
        table_refill(&h->table);
    } else if (a == ACTION_OPEN_PAST && j) {
        ui_push(v->ui, &jobpage_view, &j->id);
    } else if (a == ACTION_PAST_OUTPUT && j) {
        output_open(v->ui, j);
    } else if (!again_act(v->ui, j, a)) {
        return tableview_act(v->ui, &h->table, a, in);
    }
    return DID_HANDLE | DID_REDRAW;
}

static struct table *history_table(struct view *v)
{
    return &history_of(v)->table;
}

static bool *history_mine(struct view *v)
{
    return &history_of(v)->mine;
}

static const enum scope scopes[] = {SCOPE_HISTORY, SCOPE_AGAIN, SCOPE_LIST, SCOPE_MOVE};

const struct view_ops history_view = {
    .name = "history",
    .scopes = scopes,
    .n_scopes = sizeof scopes / sizeof scopes[0],
    .wants_side = true,
    .open = history_open,
    .close = history_close,
    .sync = history_sync,
    .title = history_title,
    .draw = history_draw,
    .input = history_input,
    .act = history_act,
    .table = history_table,
    .mine = history_mine,
};
