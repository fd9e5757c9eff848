/* jobs_table.c - columns and order of the jobs screen. */
#include "ui/jobs/jobs_table.h"

#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/model/cause.h"
#include "src/model/jobeffective.h"
#include "src/text/jobtext.h"
#include "src/values/units.h"
#include "ui/info/job_info.h"
#include "ui/info/job_life.h"
#include "ui/jobs/array_info.h"
#include "ui/jobs/jobs_where.h"
#include "ui/table/radix.h"
#include "ui/text/view_text.h"
#include "ui/widget/bar.h"

static const struct job *jobs_table_job_of(const struct jobs_row *r)
{
    return r->cols.shown;
}

static struct wall jobs_table_now_of(const void *ctx)
{
    return ui_now(((const struct joblist *)ctx)->cols.ui);
}

/* --- columns: the one way to each value --- */

/* Of an array: the liveliest thing about it. */
static enum role array_role(const struct array_row *a, char *glyph)
{
    *glyph = a->run ? 'R' : a->wait ? 'P' : a->fail ? '!' : a->done ? 'D' : 'X';
    return a->run    ? ROLE_RUNNING
           : a->wait ? (a->pending && a->pending->hold ? ROLE_HELD : ROLE_WAITING)
           : a->fail ? ROLE_FAILED
                     : ROLE_DONE;
}

static void jobs_table_get_glyph(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    const struct jobs_row *r = row;
    char glyph = ' ';
    const struct job *j = jobrows_job(r);
    enum role role = j ? job_role(j) : array_role(r->array, &glyph);
    if (j)
        glyph = job_glyph(j);
    else if (role == ROLE_HELD)
        glyph = 'H';
    rich_sign(&f->text, role, glyph);
    f->has_num = true;
    f->num = role; /* those that are alike stand together */
}

/* Of each row while all are sorted or filtered: no format is read. */
static void add_slurms_word(struct table_field *f, enum job_state state)
{
    str_append(&f->text.text, " (");
    str_append(&f->text.text, job_state_long(state));
    str_append(&f->text.text, ")");
    rich_role(&f->text, ROLE_DIM);
}

/* Those that elements of the array have, with blanks between them. */
static void add_states(struct table_field *f, const struct array_row *a, enum role role,
                       const char *const words[static 4])
{
    const uint32_t n[] = {a->run, a->wait, a->fail, a->done};
    const char *separator = "";
    for (size_t i = 0; i < sizeof n / sizeof n[0]; i++) {
        if (!n[i])
            continue;
        rich_addf(&f->text, role, "%s%s", separator, words[i]);
        separator = " ";
    }
}

static void jobs_table_get_state(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    const struct jobs_row *r = row;
    const struct job *j = jobrows_job(r);
    if (j) {
        job_words(&f->text, j);
        if (!field_is_seen(f)) /* a filter or a program may know it by Slurm's word */
            add_slurms_word(f, (enum job_state)j->state);
    } else {
        const struct array_row *a = r->array;
        add_states(f, a, ROLE_NORMAL,
                   (const char *const[]){tr("running"), tr("waiting"), tr("failed"), tr("done")});
        if (field_is_seen(f))
            return;
        rich_add(&f->text, ROLE_DIM, " (");
        add_states(f, a, ROLE_DIM, (const char *const[]){"RUNNING", "PENDING", "FAILED", "COMPLETED"});
        rich_add(&f->text, ROLE_DIM, ")");
    }
}

/* Whose time is shown: an array's is that of its oldest running element; of one that has ended, of the
 * element that did so last. */
static const struct job *timed(const struct jobs_row *r)
{
    if (jobrows_job(r))
        return jobrows_job(r);
    const struct array_row *a = r->array;
    return a->oldest ? a->oldest : a->pending ? a->pending : a->last ? a->last : a->any;
}

/* Its elements ran and waited for different times: no single one is that of the array. */
static bool is_ended_array(const struct jobs_row *r)
{
    return !jobrows_job(r) && !r->array->run && !r->array->wait;
}

/* How long it has run; nothing before it has. */
static void jobs_table_get_time(const void *ctx, const void *row, struct table_field *f)
{
    const struct job *j = timed(row);
    char b[UNITS_TEXT_SIZE];
    if (j->state == JOB_PENDING || !wall_is_set(j->t_start) || is_ended_array(row))
        return;
    uint32_t s = job_run_s(j, jobs_table_now_of(ctx));
    f->has_num = true;
    f->num = s;
    f->ticks = !job_state_is_final((enum job_state)j->state);
    if (!f->text.mute)
        rich_add(&f->text, j->state == JOB_RUNNING ? ROLE_NORMAL : ROLE_DIM, duration_format(s, b));
}

/* How long it has waited, or had to wait until it started. */
static void get_waited(const void *ctx, const void *row, struct table_field *f)
{
    const struct job *j = timed(row);
    char b[UNITS_TEXT_SIZE];
    bool waits = j->state == JOB_PENDING;
    if ((!waits && !wall_is_set(j->t_start)) || is_ended_array(row))
        return;
    int64_t s = wall_elapsed_s(j->t_submit, waits ? jobs_table_now_of(ctx) : j->t_start);
    f->has_num = true;
    f->num = (double)s;
    f->ticks = waits;
    if (!f->text.mute)
        rich_add(&f->text, waits ? ROLE_NORMAL : ROLE_DIM, duration_format((uint32_t)s, b));
}

/* A time of a pending job, after a sign for how it is known. */
static void start_at(struct table_field *f, enum role role, const char *sign, struct wall t,
                     struct wall now)
{
    str_append(&f->text.text, sign);
    when_about(&f->text.text, t, now);
    rich_role(&f->text, role);
}

/* Of a pending job, as far as it is known: when it is expected to start, or what must come before. */
static void start_of_pending(struct table_field *f, struct ui *ui, const struct job *j)
{
    const struct cause *c = jobs_where_cause(f, ui, j);
    bool depends = c && c->code == CAUSE_DEPENDENCY && c->parts.n && c->parts.v[0].id;
    if (j->hold)
        rich_add(&f->text, ROLE_DIM, trc("in place of a time", "held"));
    else if (c && wall_is_set(c->start))
        start_at(f, ROLE_WHEN, "~", c->start, ui_now(ui));
    else if (c && (c->cls == WHY_NO_FIT || c->cls == WHY_NOT_ALLOWED || c->cls == WHY_DEP_DEAD))
        rich_add(&f->text, ROLE_WARN, tr("never"));
    else if (depends)
        rich_addf(&f->text, ROLE_NORMAL, tr("after %s"), c->parts.v[0].id);
    else if (c && c->code == CAUSE_AHEAD && c->n)
        rich_addf(&f->text, ROLE_NORMAL, tr("%llu ahead"), (unsigned long long)c->n);
    else if (wall_is_set(req_detail(&j->req)->begin) && req_detail(&j->req)->begin.ms > ui_now(ui).ms)
        start_at(f, ROLE_NORMAL, ">", req_detail(&j->req)->begin, ui_now(ui));
}

static void jobs_table_get_start(const void *ctx, const void *row, struct table_field *f)
{
    const struct joblist *l = ctx;
    const struct job *j = timed(row);
    if (j->state == JOB_PENDING && f->room) /* drawn: not sorted or filtered by */
        start_of_pending(f, l->cols.ui, j);
    else if (j->state != JOB_PENDING && !job_state_is_final((enum job_state)j->state))
        start_at(f, ROLE_DIM, "", j->t_start, jobs_table_now_of(ctx));
}

#define LIMIT_CELLS 8

/* The time that has gone of a running job's limit: a bar, and the limit. */
static void jobs_table_get_of_limit(const void *ctx, const void *row, struct table_field *f)
{
    const struct joblist *l = ctx;
    const struct job *j = timed(row);
    struct wall now = jobs_table_now_of(ctx), end = job_end_time(j, ui_model(l->cols.ui));
    if (j->state != JOB_RUNNING || !wall_is_set(end))
        return; /* no limit */
    int64_t left = wall_elapsed_s(now, end), ran = job_run_s(j, now);
    bool soon = joblife_ends_soon(left, left + ran);
    struct bar_part part = {.n = (uint64_t)ran, .role = soon ? ROLE_BAR_IDLE : ROLE_BAR_RUN};
    f->has_num = f->ticks = true;
    f->num = left + ran > 0 ? (double)ran / (double)(left + ran) : 1;
    if (f->text.mute)
        return;
    bar_add(&f->text, &part, 1, (uint64_t)(left + ran), LIMIT_CELLS);
    str_append_char(&f->text.text, ' ');
    jobtext_limit(&f->text.text, j, ui_model(l->cols.ui));
    rich_role(&f->text, ROLE_DIM);
}

static void get_left(const void *ctx, const void *row, struct table_field *f)
{
    const struct job *j = timed(row);
    const struct joblist *l = ctx;
    if (j->state != JOB_RUNNING)
        return;
    struct wall end = job_end_time(j, ui_model(l->cols.ui));
    if (!wall_is_set(end))
        return; /* no limit */
    f->has_num = f->ticks = true;
    f->num = (double)(end.ms - jobs_table_now_of(ctx).ms) / (double)MS_PER_S;
    if (f->text.mute)
        return;
    if (f->num > 0) /* not squeue's word for a job that runs over its limit */
        jobtext_left(&f->text.text, j, ui_model(l->cols.ui), jobs_table_now_of(ctx));
    rich_role(&f->text,
              joblife_ends_soon((int64_t)f->num, (int64_t)f->num + job_run_s(j, jobs_table_now_of(ctx)))
                  ? ROLE_WARM
                  : ROLE_DIM);
}

/* What it holds; what it asks for while it waits. */
static uint64_t amount(const struct jobs_row *r, uint64_t running, uint32_t (*count)(const struct job *))
{
    if (!jobrows_job(r))
        return running ? running : count(r->array->any);
    return job_is_between(jobrows_job(r)) ? 0 : count(jobrows_job(r));
}

static void jobs_table_get_cpus(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    const struct jobs_row *r = row;
    field_count(f, amount(r, jobrows_job(r) ? 0 : r->array->cpus, job_cpus), ROLE_NORMAL);
}

static void jobs_table_get_gpus(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    const struct jobs_row *r = row;
    field_count(f, amount(r, jobrows_job(r) ? 0 : r->array->gpus, job_gpus), ROLE_NORMAL);
}

static void jobs_table_get_nodes(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    const struct jobs_row *r = row;
    field_count(f, amount(r, jobrows_job(r) ? 0 : r->array->nodes, job_nodes), ROLE_NORMAL);
}

static void jobs_table_get_memory(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    uint64_t mib = job_mem_mib(jobs_table_job_of(row));
    if (!mib)
        return;
    f->has_num = true;
    f->num = (double)mib;
    if (f->text.mute)
        return;
    mem_text(&f->text.text, mib);
    rich_role(&f->text, ROLE_NORMAL);
}

static void jobs_table_get_limit(const void *ctx, const void *row, struct table_field *f)
{
    const struct joblist *l = ctx;
    uint32_t s = job_limit_s(jobs_table_job_of(row), ui_model(l->cols.ui));
    if (s == DURATION_NOT_SET)
        return;
    f->has_num = true;
    f->num = s;
    if (f->text.mute)
        return;
    jobtext_limit(&f->text.text, jobs_table_job_of(row), ui_model(l->cols.ui));
    rich_role(&f->text, ROLE_NORMAL);
}

static void get_priority(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    field_count(f, jobs_table_job_of(row)->priority, ROLE_NORMAL);
}

static void get_restarts(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    field_count(f, timed(row)->restarts, ROLE_NORMAL);
}

static void get_started(const void *ctx, const void *row, struct table_field *f)
{
    const struct job *j = timed(row);
    jobcols_when(ctx, f, j->state == JOB_PENDING ? (struct wall){0} : j->t_start);
}

static void jobs_table_get_ended(const void *ctx, const void *row, struct table_field *f)
{
    const struct job *j = timed(row);
    if (job_state_is_final((enum job_state)j->state))
        jobcols_when(ctx, f, j->t_end);
}

static bool start_is_drawn(const struct joblist *l)
{
    return l->table.drawn[table_find_column(&l->table, "when")];
}

static void jobs_table_get_where(const void *ctx, const void *row, struct table_field *f)
{
    const struct jobs_row *r = row;
    const struct joblist *l = ctx;
    const struct job *j = jobrows_job(r);
    if (j && j->state == JOB_PENDING && f->room) {
        jobs_where_add_cause(l->cols.ui, j, start_is_drawn(l), f);
    } else if (j && f->room && jobs_where_add_silence(l->cols.ui, j, f)) {
        return;
    } else if (j) {
        job_where(&f->text, j, jobs_table_now_of(ctx));
        if (f->room) /* drawn: it depends on more than the job */
            job_silent_node(&f->text, l->cols.ui, j, SILENT_BEHIND);
    } else
        arrayinfo_progress(r->array, true, f);
}

static const struct table_column columns[] = {
    {.name = "sign", .title = "S", .min = 1, .want = 1, .get = jobs_table_get_glyph},
    {.name = "id",
     .title = N_("JOB"),
     .min = 6,
     .want = 24,
     .fit = 18,
     .flags = COLUMN_WORDS | COLUMN_TREE,
     .get = jobrows_id},
    {.name = "name",
     .title = N_("NAME"),
     .min = 12,
     .want = 40,
     .fit = 14,
     .rank = 1,
     .flags = COLUMN_WORDS | COLUMN_CUT,
     .get = jobcols_name},
    {.name = "user",
     .title = N_("USER"),
     .min = 4,
     .want = 12,
     .fit = 8,
     .rank = 5,
     .flags = COLUMN_WORDS,
     .get = jobcols_user},
    {.name = "partition",
     .title = N_("PART"),
     .min = 6,
     .want = 16,
     .fit = 10,
     .rank = 8,
     .flags = COLUMN_WORDS,
     .get = jobcols_partition},
    {.name = "cpus",
     .title = N_("CPUS"),
     .min = 4,
     .want = 5,
     .rank = 7,
     .flags = COLUMN_RIGHT,
     .get = jobs_table_get_cpus},
    {.name = "gpus",
     .title = N_("GPU"),
     .min = 3,
     .want = 4,
     .rank = 6,
     .flags = COLUMN_RIGHT | COLUMN_IF_ANY,
     .get = jobs_table_get_gpus},
    {.name = "when",
     .alias = "start",
     .title = N_("START"),
     .min = 6,
     .want = 10,
     .fit = 10,
     .rank = 4,
     .get = jobs_table_get_start},
    {.name = "waited",
     .title = N_("WAITED"),
     .min = 6,
     .want = 10,
     .fit = 10,
     .rank = 10,
     .flags = COLUMN_RIGHT,
     .unit = FILTER_SECONDS,
     .get = get_waited},
    {.name = "time",
     .alias = "ran",
     .title = N_("RAN"),
     .min = 5,
     .want = 10,
     .fit = 10,
     .rank = 2,
     .flags = COLUMN_RIGHT,
     .unit = FILTER_SECONDS,
     .get = jobs_table_get_time},
    {.name = "of-limit",
     .title = N_("OF LIMIT"),
     .min = 13,
     .want = 19,
     .fit = 19,
     .rank = 9,
     .flags = COLUMN_FULL,
     .get = jobs_table_get_of_limit},
    {.name = "where",
     .alias = "node",
     .title = N_("WHERE OR WHY"),
     .min = 20,
     .fit = 32,
     .rank = 3,
     .flags = COLUMN_WORDS,
     .get = jobs_table_get_where},
#define MORE(name_, title_, min_, want_, flags_, unit_, get_)                                          \
    {                                                                                                  \
        .name = name_, .title = title_, .min = min_, .want = want_, .flags = COLUMN_HIDDEN | (flags_), \
        .unit = unit_, .get = get_                                                                     \
    }
    MORE("left", N_("LEFT"), 7, 10, COLUMN_RIGHT | COLUMN_STEADY, FILTER_SECONDS, get_left),
    MORE("state", N_("STATE"), 9, 18, COLUMN_WORDS, FILTER_PLAIN, jobs_table_get_state),
    MORE("account", N_("ACCOUNT"), 8, 12, COLUMN_WORDS, FILTER_PLAIN, jobcols_account),
    MORE("qos", N_("QOS"), 6, 10, 0, FILTER_PLAIN, jobcols_qos),
    MORE("nodes", N_("NODES"), 5, 5, COLUMN_RIGHT, FILTER_PLAIN, jobs_table_get_nodes),
    MORE("memory", N_("MEM"), 6, 7, COLUMN_RIGHT, FILTER_MIB, jobs_table_get_memory),
    MORE("limit", N_("LIMIT"), 10, 10, COLUMN_RIGHT, FILTER_SECONDS, jobs_table_get_limit),
    MORE("priority", N_("PRIORITY"), 8, 8, COLUMN_RIGHT, FILTER_PLAIN, get_priority),
    MORE("restarts", N_("RESTARTS"), 8, 8, COLUMN_RIGHT, FILTER_PLAIN, get_restarts),
    MORE("submitted", N_("SUBMITTED"), 9, 12, 0, FILTER_PLAIN, jobcols_submitted),
    MORE("started", N_("STARTED"), 9, 12, 0, FILTER_PLAIN, get_started),
    MORE("ended", N_("ENDED"), 9, 12, 0, FILTER_PLAIN, jobs_table_get_ended),
    MORE("directory", N_("DIRECTORY"), 12, 24, COLUMN_WORDS, FILTER_PLAIN, jobcols_directory),
    MORE("comment", N_("COMMENT"), 10, 20, COLUMN_WORDS, FILTER_PLAIN, jobcols_comment),
#undef MORE
};

/* --- rows --- */

static void jobs_table_each_job(void *ctx, struct jobrows *r, jobrows_each_fn *each)
{
    const struct joblist *l = ctx;
    const struct model *m = ui_model(l->cols.ui);
    uint32_t uid = ui_uid(l->cols.ui);
    list_for_each (j, &m->active, struct job, in_queue)
        if (!l->mine || j->uid == uid)
            each(r, j);
    list_for_each (p, &m->pending, struct job, in_queue)
        if (!l->mine || p->uid == uid)
            each(r, p);
    for (struct list *e = m->ended.prev; e != &m->ended; e = e->prev) { /* about the latest first */
        const struct job *j = container_of(e, struct job, in_queue);
        if (!l->mine || j->uid == uid)
            each(r, j);
    }
}

enum { GROUP_RUNNING, GROUP_WAITING, GROUP_ENDED }; /* GROUPS of them */

/* As jobs_table_each_job brings them. */
static int row_group(const void *row)
{
    const struct jobs_row *r = row;
    if (r->array)
        return r->array->run ? GROUP_RUNNING : r->array->wait ? GROUP_WAITING : GROUP_ENDED;
    enum job_state s = (enum job_state)r->cols.shown->state;
    return s == JOB_PENDING ? GROUP_WAITING : job_state_is_final(s) ? GROUP_ENDED : GROUP_RUNNING;
}

/* In a flat list elements stand side by side in the order of their indices. */
static uint64_t jobs_table_row_number(const struct jobs_row *r)
{
    const struct job *j = r->cols.shown;
    return j->array_job ? (uint64_t)j->array_job << 32 | (jobrows_job(r) ? j->array_index : 0)
                        : (uint64_t)j->id << 32;
}

/* The latest end comes first. */
static uint64_t jobs_table_end_number(const struct jobs_row *r)
{
    const struct job *j = timed(r);
    return UINT64_MAX - (uint64_t)j->t_end.ms;
}

/* Mostly they are in that order. */
static void order_rows(struct jobs_row *rows, size_t n, uint64_t (*number)(const struct jobs_row *))
{
    bool sorted = true;
    for (size_t i = 1; i < n && sorted; i++)
        sorted = number(&rows[i - 1]) <= number(&rows[i]);
    if (sorted)
        return;
    struct radix_key *keys = xreallocarray(NULL, n, sizeof *keys);
    struct jobs_row *before = xmemdup(rows, n * sizeof *rows);
    for (size_t i = 0; i < n; i++)
        keys[i] = (struct radix_key){.value = number(&rows[i]), .what = (uint32_t)i};
    radix_sort(keys, n, false);
    for (size_t i = 0; i < n; i++)
        rows[i] = before[keys[i].what];
    free(before);
    free(keys);
}

/* What runs stands in the order of its numbers: an array would change its place with each element that
 * starts or ends. */
static void order_active(struct jobrows *r)
{
    size_t n = 0;
    while (n < r->n_rows && row_group(&r->rows[n]) == GROUP_RUNNING)
        n++;
    order_rows(r->rows, n, jobs_table_row_number);
}

/* A snapshot brings what has ended in the order of its numbers, events in that of its ends. */
static void order_ended(struct jobrows *r)
{
    size_t first = r->n_rows;
    while (first && row_group(&r->rows[first - 1]) == GROUP_ENDED)
        first--;
    order_rows(r->rows + first, r->n_rows - first, jobs_table_end_number);
}

static void group_title(const void *ctx, int group, size_t n, struct rich *out)
{
    static const struct {
        const char *name;
        enum role role;
    } groups[] = {{N_("Running"), ROLE_RUNNING}, {N_("Waiting"), ROLE_WHEN}, {N_("Ended"), ROLE_LABEL}};
    const struct joblist *l = ctx;
    rich_addf(out, groups[group].role, "%s ", tr(groups[group].name));
    count_text(&out->text, n, "%llu job", "%llu jobs");
    uint32_t tasks = group == GROUP_RUNNING ? l->rows.n_run : group == GROUP_WAITING ? l->rows.n_wait : 0;
    if (tasks > n && !table_is_filtered(&l->table)) { /* elements of arrays */
        str_append(&out->text, ", ");
        count_text(&out->text, tasks, "%llu task", "%llu tasks");
    }
    rich_role(out, ROLE_DIM);
}

static void jobs_table_fill(void *ctx, struct table *t)
{
    struct joblist *l = ctx;
    struct jobrows *r = &l->rows;
    l->n_jobs = ui_model(l->cols.ui)->jobs.n;
    r->flat = t->flat;
    jobrows_fill(r, l->n_jobs, jobs_table_each_job, l);
    order_active(r);
    order_ended(r);
    jobrows_order(r, t);
    jobrows_give(r, t, l->cols.ui);
}

static bool has_changed(const void *ctx, const struct trow *row)
{
    const struct ui *ui = ((const struct joblist *)ctx)->cols.ui;
    uint32_t id = (uint32_t)row->id;
    return row->id & ARRAY_ROW ? ui_array_changed(ui, id) : ui_job_changed(ui, id);
}

void joblist_update(struct joblist *l)
{
    table_update(&l->table, has_changed);
}

static void jobs_table_fetch(const void *row)
{
    const char *j = (const char *)((const struct jobs_row *)row)->cols.shown;
    for (size_t i = 0; i < sizeof(struct job); i += 64)
        __builtin_prefetch(j + i);
}

void joblist_init(struct joblist *l, struct ui *ui)
{
    *l = (struct joblist){.cols.ui = ui};
    table_init(&l->table, columns, sizeof columns / sizeof columns[0], jobs_table_fill, l);
    l->table.fetch = jobs_table_fetch;
    l->table.parent = jobrows_parent;
    l->table.group = row_group;
    l->table.group_title = group_title;
}

void joblist_fini(struct joblist *l)
{
    table_fini(&l->table);
    jobrows_fini(&l->rows);
}

const struct jobs_row *joblist_current(const struct joblist *l)
{
    return jobrows_row(table_current(&l->table));
}
