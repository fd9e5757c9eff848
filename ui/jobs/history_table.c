/* history_table.c - rows and columns of the history. */
#include "ui/jobs/history_table.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/text/jobtext.h"
#include "src/values/units.h"
#include "ui/info/job_efficiency.h"
#include "ui/jobs/array_info.h"
#include "ui/table/radix.h"
#include "ui/text/view_text.h"
#include "ui/widget/bar.h"

static struct wall history_table_now_of(const void *ctx)
{
    return ui_now(((const struct pastlist *)ctx)->cols.ui);
}

/* --- rows --- */

/* The latest end first; of those that ended together the latest job. */
static void order_jobs(struct pastlist *l)
{
    const struct job **sorted = xreallocarray(NULL, l->n_jobs + 1, sizeof *sorted);
    struct radix_key *keys = xreallocarray(NULL, l->n_jobs + 1, sizeof *keys);
    uint64_t *ends = xreallocarray(NULL, l->n_jobs + 1, sizeof *ends);
    for (size_t i = 0; i < l->n_jobs; i++) { /* one look at each job: those of many are in no cache */
        keys[i] = (struct radix_key){.value = l->jobs[i]->id, .what = (uint32_t)i};
        ends[i] = (uint64_t)l->jobs[i]->t_end.ms;
    }
    radix_sort(keys, l->n_jobs, true);
    for (size_t i = 0; i < l->n_jobs; i++)
        keys[i].value = ends[keys[i].what];
    radix_sort(keys, l->n_jobs, true);
    for (size_t i = 0; i < l->n_jobs; i++)
        sorted[i] = l->jobs[keys[i].what];
    memcpy(l->jobs, sorted, l->n_jobs * sizeof *sorted);
    free(ends);
    free(keys);
    free(sorted);
}

static void history_table_take(struct pastlist *l, const struct job *j)
{
    l->n_all++;
    if (!l->mine || j->uid == ui_uid(l->cols.ui))
        l->jobs[l->n_jobs++] = j;
}

static void history_table_take_all(struct pastlist *l)
{
    const struct model *m = ui_model(l->cols.ui);
    struct job *const *past;
    size_t n = ui_past(l->cols.ui, &past), room = m->n_ended + n + 1;
    if (room > l->room)
        l->jobs = xreallocarray(l->jobs, l->room = room, sizeof *l->jobs);
    l->n_jobs = l->n_all = 0;
    list_for_each (j, &m->ended, struct job, in_queue)
        history_table_take(l, j);
    for (size_t i = 0; i < n; i++)
        if (!model_get_job(m, past[i]->id))
            history_table_take(l, past[i]);
    order_jobs(l);
}

static void history_table_each_job(void *ctx, struct jobrows *r, jobrows_each_fn *each)
{
    const struct pastlist *l = ctx;
    for (size_t i = 0; i < l->n_jobs; i++)
        each(r, l->jobs[i]);
}

static void history_table_fill(void *ctx, struct table *t)
{
    struct pastlist *l = ctx;
    history_table_take_all(l);
    l->rows.flat = t->flat;
    l->rows.has_retired = true;
    jobrows_fill(&l->rows, l->n_jobs, history_table_each_job, l);
    jobrows_give(&l->rows, t, NULL);
}

static const struct job *history_table_job_of(const void *row)
{
    return ((const struct jobs_row *)row)->cols.shown;
}

/* --- columns --- */

static bool is_array(const void *row)
{
    return !jobrows_job(row);
}

static void history_table_get_sign(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    const struct jobs_row *r = row;
    if (!jobrows_job(r)) {
        bool failed = r->array->fail, other = r->array->ended;
        rich_sign(&f->text,
                  failed  ? ROLE_FAILED
                  : other ? ROLE_CANCELLED
                          : ROLE_DONE,
                  failed  ? '!'
                  : other ? 'X'
                          : 'D');
        return;
    }
    rich_sign(&f->text, job_role(jobrows_job(r)), job_state_glyph((enum job_state)jobrows_job(r)->state));
    f->has_num = true;
    f->num = job_role(jobrows_job(r));
}

static void history_table_get_ended(const void *ctx, const void *row, struct table_field *f)
{
    jobcols_when(ctx, f, history_table_job_of(row)->t_end);
}

static void get_ran(const void *ctx, const void *row, struct table_field *f)
{
    const struct job *j = history_table_job_of(row);
    char b[UNITS_TEXT_SIZE];
    if (is_array(row))
        return;
    f->has_num = true;
    f->num = job_run_s(j, history_table_now_of(ctx));
    rich_add(&f->text, ROLE_NORMAL, wall_is_set(j->t_start) ? duration_format((uint32_t)f->num, b) : "-");
}

static void add_percent(struct table_field *f, int percent, bool full_is_bad)
{
    if (percent < 0)
        return;
    f->has_num = true;
    f->num = percent;
    rich_addf(&f->text, full_is_bad ? load_role(percent) : ROLE_NORMAL, "%d%%", percent);
}

static void get_of_limit(const void *ctx, const void *row, struct table_field *f)
{
    const struct pastlist *l = ctx;
    struct job_use u;
    if (is_array(row))
        return;
    job_use(&u, history_table_job_of(row), ui_model(l->cols.ui), history_table_now_of(ctx));
    add_percent(f, u.time_percent, true);
}

static void history_table_get_cpu(const void *ctx, const void *row, struct table_field *f)
{
    const struct pastlist *l = ctx;
    struct job_use u;
    if (is_array(row))
        return;
    job_use(&u, history_table_job_of(row), ui_model(l->cols.ui), history_table_now_of(ctx));
    add_percent(f, u.cpu_percent, false);
}

static void history_table_get_gpu_use(const void *ctx, const void *row, struct table_field *f)
{
    const struct pastlist *l = ctx;
    struct job_use u;
    if (is_array(row))
        return;
    job_use(&u, history_table_job_of(row), ui_model(l->cols.ui), history_table_now_of(ctx));
    add_percent(f, u.gpu_percent, false);
}

static void history_table_get_memory(const void *ctx, const void *row, struct table_field *f)
{
    const struct pastlist *l = ctx;
    struct job_use u;
    char a[UNITS_TEXT_SIZE];
    if (is_array(row))
        return;
    job_use(&u, history_table_job_of(row), ui_model(l->cols.ui), history_table_now_of(ctx));
    if (!u.peak_kib)
        return;
    f->has_num = true;
    f->num = (double)(u.peak_kib / 1024);
    rich_add(&f->text, u.mem_percent >= 0 ? load_role(u.mem_percent) : ROLE_NORMAL,
             mem_format_words(u.peak_kib, a));
    if (u.mem_mib) {
        str_append(&f->text.text, tr(" of "));
        mem_text(&f->text.text, u.mem_mib);
        rich_role(&f->text, ROLE_DIM);
    }
}

static void history_table_get_gpus(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    field_count(f, job_gpus(history_table_job_of(row)), ROLE_NORMAL);
}

static void get_cause(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    const struct jobs_row *r = row;
    if (jobrows_job(r)) {
        job_cause(&f->text, jobrows_job(r));
        return;
    }
    arrayinfo_progress(r->array, false, f);
}

static void history_table_get_state(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    const struct job *j = history_table_job_of(row);
    rich_add(&f->text, ROLE_NORMAL, job_state_long((enum job_state)j->state));
}

static const struct table_column columns[] = {
    {.name = "sign", .title = "S", .min = 1, .want = 1, .get = history_table_get_sign},
    {.name = "id",
     .title = N_("JOB"),
     .min = 12,
     .want = 24,
     .fit = 18,
     .flags = COLUMN_WORDS | COLUMN_TREE,
     .get = jobrows_id},
    {.name = "name",
     .title = N_("NAME"),
     .min = 10,
     .want = 40,
     .fit = 10,
     .rank = 1,
     .flags = COLUMN_WORDS,
     .get = jobcols_name},
    {.name = "user",
     .title = N_("USER"),
     .min = 4,
     .want = 12,
     .fit = 8,
     .rank = 4,
     .flags = COLUMN_WORDS,
     .get = jobcols_user},
    {.name = "ended",
     .title = N_("ENDED"),
     .min = 9,
     .want = 10,
     .rank = 5,
     .get = history_table_get_ended},
    {.name = "ran",
     .title = N_("RAN"),
     .min = 5,
     .want = 10,
     .fit = 10,
     .rank = 2,
     .flags = COLUMN_RIGHT,
     .unit = FILTER_SECONDS,
     .get = get_ran},
    {.name = "of-limit",
     .title = N_("TIME%"),
     .min = 5,
     .want = 5,
     .rank = 6,
     .flags = COLUMN_RIGHT,
     .get = get_of_limit},
    {.name = "memory",
     .title = N_("MEMORY"),
     .min = 14,
     .want = 16,
     .rank = 7,
     .flags = COLUMN_RIGHT,
     .unit = FILTER_MIB,
     .get = history_table_get_memory},
    {.name = "cpu",
     .title = N_("CPU%"),
     .min = 4,
     .want = 5,
     .rank = 8,
     .flags = COLUMN_RIGHT,
     .get = history_table_get_cpu},
    {.name = "gpu-use",
     .title = N_("GPU%"),
     .min = 4,
     .want = 5,
     .rank = 9,
     .flags = COLUMN_RIGHT | COLUMN_IF_ANY,
     .get = history_table_get_gpu_use},
    {.name = "cause",
     .title = N_("HOW IT ENDED"),
     .min = 18,
     .fit = 32,
     .rank = 3,
     .flags = COLUMN_WORDS,
     .get = get_cause},
    {.name = "gpus",
     .title = N_("GPU"),
     .min = 3,
     .want = 4,
     .flags = COLUMN_HIDDEN | COLUMN_RIGHT | COLUMN_IF_ANY,
     .get = history_table_get_gpus},
    {.name = "state",
     .title = N_("STATE"),
     .min = 10,
     .want = 14,
     .flags = COLUMN_HIDDEN | COLUMN_WORDS,
     .get = history_table_get_state},
    {.name = "partition",
     .title = N_("PART"),
     .min = 6,
     .want = 10,
     .flags = COLUMN_HIDDEN | COLUMN_WORDS,
     .get = jobcols_partition},
    {.name = "account",
     .title = N_("ACCOUNT"),
     .min = 8,
     .want = 12,
     .flags = COLUMN_HIDDEN | COLUMN_WORDS,
     .get = jobcols_account},
};

/* --- what the controller can look for --- */

static bool is_column(const struct pastlist *l, const struct term_word *w, const char *name)
{
    return w->column >= 0 && str_eq(l->table.cols[w->column].name, name);
}

static uint32_t states_like(const char *text)
{
    uint32_t states = 0;
    for (int s = 0; s < JOB_N_STATES; s++)
        if (strcasestr(job_state_long((enum job_state)s), text))
            states |= 1u << s;
    return states ? states : 1u << JOB_PENDING; /* none: as none has ended */
}

void pastlist_want(const struct pastlist *l, struct past_want *ret)
{
    const struct filter *f = &l->table.filter;
    *ret = (struct past_want){0};
    for (size_t i = 0; i < f->n; i++) {
        const struct term_word *w = &f->v[i];
        bool has_other = w->either || (i + 1 < f->n && f->v[i + 1].either);
        if (w->negate || has_other || w->op != ':' || str_is_empty(w->text))
            continue;
        if (is_column(l, w, "user"))
            ret->user = w->text;
        else if (is_column(l, w, "name"))
            ret->name = w->text;
        else if (is_column(l, w, "partition"))
            ret->partition = w->text;
        else if (is_column(l, w, "account"))
            ret->account = w->text;
        else if (is_column(l, w, "state"))
            ret->states = states_like(w->text);
    }
}

void pastlist_init(struct pastlist *l, struct ui *ui)
{
    *l = (struct pastlist){.cols.ui = ui};
    table_init(&l->table, columns, sizeof columns / sizeof columns[0], history_table_fill, l);
    l->table.parent = jobrows_parent;
}

void pastlist_fini(struct pastlist *l)
{
    table_fini(&l->table);
    free(l->jobs);
    jobrows_fini(&l->rows);
}

const struct job *pastlist_job(const struct trow *row)
{
    return row ? history_table_job_of(row->data) : NULL;
}

struct past_use pastlist_use(const struct pastlist *l)
{
    double mem = 0, mem_had = 0, cpu = 0, cpu_had = 0, gpu = 0, gpu_had = 0;
    for (size_t i = 0; i < l->n_jobs; i++) {
        struct job_use u;
        job_use(&u, l->jobs[i], ui_model(l->cols.ui), ui_now(l->cols.ui));
        if (u.mem_percent >= 0) {
            mem += (double)u.peak_kib / 1024 * u.ran_s;
            mem_had += (double)u.mem_mib * u.ran_s;
        }
        if (u.cpu_percent >= 0) {
            cpu += (double)u.cpu_ms;
            cpu_had += (double)u.ran_s * 1000 * job_cpus(l->jobs[i]);
        }
        if (u.gpu_percent >= 0) {
            gpu += (double)u.ran_s * job_gpus(l->jobs[i]) * u.gpu_percent;
            gpu_had += (double)u.ran_s * job_gpus(l->jobs[i]);
        }
    }
    return (struct past_use){.mem_percent = mem_had > 0 ? (int)(100 * mem / mem_had) : -1,
                             .cpu_percent = cpu_had > 0 ? (int)(100 * cpu / cpu_had) : -1,
                             .gpu_percent = gpu_had > 0 ? (int)(gpu / gpu_had) : -1};
}
