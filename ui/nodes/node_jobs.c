/* node_jobs.c - the table of the jobs on a node.
 *
 *      S JOB  NAME          USER       RAN  ENDS BY  CPUS  MEM GPU#
 *      R 6    train-resnet  bo     1:12:16    18:40     8  64G 0-3
 */
#include "ui/nodes/node_jobs.h"

#include <math.h>
#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/model/jobeffective.h"
#include "src/text/jobtext.h"
#include "src/values/units.h"
#include "ui/info/job_share.h"
#include "ui/text/view_text.h"

struct node_job {
    const struct job *job;
    struct job_share share;
};

static const struct ui *node_jobs_ui_of(const void *ctx)
{
    return ((const struct nodejobs *)ctx)->ui;
}

static const struct job *node_jobs_job_of(const void *row)
{
    return ((const struct node_job *)row)->job;
}

/* --- columns --- */

static void node_jobs_get_sign(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    rich_sign(&f->text, job_role(node_jobs_job_of(row)), job_glyph(node_jobs_job_of(row)));
}

static void node_jobs_get_id(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    const struct job *j = node_jobs_job_of(row);
    f->has_num = true;
    f->num = j->id;
    jobtext_id(&f->text.text, j, BITSTR_LEN_DEFAULT);
    rich_role(&f->text, ROLE_STRONG);
}

static void node_jobs_get_name(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    rich_add(&f->text, ROLE_NORMAL, jobtext_name(node_jobs_job_of(row)));
}

static void node_jobs_get_user(const void *ctx, const void *row, struct table_field *f)
{
    const struct job *j = node_jobs_job_of(row);
    rich_add(&f->text, j->uid == ui_uid(node_jobs_ui_of(ctx)) ? ROLE_OWN : ROLE_NORMAL, jobtext_user(j));
}

static void node_jobs_get_ran(const void *ctx, const void *row, struct table_field *f)
{
    const struct node_job *r = row;
    char b[UNITS_TEXT_SIZE];
    if (!wall_is_set(r->share.since))
        return;
    int64_t s = wall_elapsed_s(r->share.since, ui_now(node_jobs_ui_of(ctx)));
    f->has_num = true;
    f->num = (double)s;
    f->ticks = true;
    rich_add(&f->text, ROLE_NORMAL, duration_format((uint32_t)s, b));
}

static void node_jobs_get_ends(const void *ctx, const void *row, struct table_field *f)
{
    const struct ui *ui = node_jobs_ui_of(ctx);
    struct wall end = job_end_time(node_jobs_job_of(row), ui_model(ui));
    f->has_num = true;
    f->num = wall_is_set(end) ? (double)end.ms : HUGE_VAL;
    if (wall_is_set(end))
        when_about(&f->text.text, end, ui_now(ui));
    else
        str_append(&f->text.text, tr("no limit"));
    rich_role(&f->text, ROLE_NORMAL);
}

static void node_jobs_get_cpus(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    field_count(f, cpuset_count(&((const struct node_job *)row)->share.cpus), ROLE_NORMAL);
}

static void node_jobs_get_memory(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    uint64_t mib = ((const struct node_job *)row)->share.mem_mib;
    f->has_num = true;
    f->num = (double)mib;
    if (mib)
        mem_text(&f->text.text, mib);
    rich_role(&f->text, ROLE_NORMAL);
}

static void node_jobs_get_gpus(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    char *gpus = cpuset_format(&((const struct node_job *)row)->share.gpus);
    rich_add(&f->text, ROLE_NORMAL, gpus);
    free(gpus);
}

static const struct table_column columns[] = {
    {.name = "sign", .title = "S", .min = 1, .want = 1, .get = node_jobs_get_sign},
    {.name = "job",
     .title = N_("JOB"),
     .min = 4,
     .want = 24,
     .fit = 12,
     .flags = COLUMN_WORDS | COLUMN_TREE,
     .get = node_jobs_get_id},
    {.name = "name",
     .title = N_("NAME"),
     .min = 6,
     .want = 40,
     .fit = 14,
     .rank = 3,
     .flags = COLUMN_WORDS,
     .get = node_jobs_get_name},
    {.name = "user",
     .title = N_("USER"),
     .min = 4,
     .want = 16,
     .fit = 8,
     .rank = 1,
     .flags = COLUMN_WORDS,
     .get = node_jobs_get_user},
    {.name = "ran",
     .title = N_("RAN"),
     .min = 8,
     .want = 10,
     .rank = 4,
     .flags = COLUMN_RIGHT,
     .unit = FILTER_SECONDS,
     .get = node_jobs_get_ran},
    {.name = "ends",
     .title = N_("ENDS BY"),
     .min = 8,
     .want = 16,
     .fit = 9,
     .rank = 2,
     .flags = COLUMN_RIGHT,
     .get = node_jobs_get_ends},
    {.name = "cpus",
     .title = N_("CPUS"),
     .min = 4,
     .want = 5,
     .rank = 5,
     .flags = COLUMN_RIGHT,
     .get = node_jobs_get_cpus},
    {.name = "memory",
     .title = N_("MEM"),
     .min = 5,
     .want = 6,
     .rank = 7,
     .flags = COLUMN_RIGHT,
     .unit = FILTER_MIB,
     .get = node_jobs_get_memory},
    {.name = "gpus",
     .title = N_("GPU#"),
     .min = 4,
     .want = 12,
     .fit = 5,
     .rank = 6,
     .flags = COLUMN_IF_ANY,
     .get = node_jobs_get_gpus},
};

/* --- rows --- */

static void node_jobs_fill(void *ctx, struct table *t)
{
    struct nodejobs *l = ctx;
    const struct model *m = ui_model(l->ui);
    struct job_share share;
    size_t n = 0;
    list_for_each (i, &m->active, struct job, in_queue)
        n += jobshare_of(i, l->node, &share);
    l->rows = xreallocarray(l->rows, n + 1, sizeof *l->rows);
    l->n_rows = 0;
    list_for_each (j, &m->active, struct job, in_queue) {
        struct node_job *r = &l->rows[l->n_rows];
        if (!jobshare_of(j, l->node, &r->share))
            continue;
        r->job = j;
        l->n_rows++;
        table_add(t, (struct trow){.id = j->id, .data = r});
    }
}

void nodejobs_init(struct nodejobs *l, struct ui *ui, const char *node)
{
    *l = (struct nodejobs){.ui = ui, .node = xstrdup(node)};
    table_init(&l->table, columns, sizeof columns / sizeof columns[0], node_jobs_fill, l);
}

void nodejobs_fini(struct nodejobs *l)
{
    table_fini(&l->table);
    free(l->rows);
    free(l->node);
}

const struct job *nodejobs_job(const struct trow *row)
{
    return row ? ((const struct node_job *)row->data)->job : NULL;
}

const struct job *nodejobs_current(const struct nodejobs *l)
{
    return nodejobs_job(table_current(&l->table));
}
