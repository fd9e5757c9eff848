/* job_columns.c - the columns that all tables of jobs have. */
#include "ui/jobs/job_columns.h"

#include "src/text/jobtext.h"
#include "ui/text/view_text.h"

static struct ui *job_columns_ui_of(const void *ctx)
{
    return ((const struct jobcols *)ctx)->ui;
}

static const struct job *job_columns_job_of(const void *row)
{
    return ((const struct jobcols_row *)row)->shown;
}

void jobcols_name(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    rich_add(&f->text, ROLE_NORMAL, jobtext_name(job_columns_job_of(row)));
}

void jobcols_user(const void *ctx, const void *row, struct table_field *f)
{
    const struct job *j = job_columns_job_of(row);
    rich_add(&f->text, j->uid == ui_uid(job_columns_ui_of(ctx)) ? ROLE_OWN : ROLE_NORMAL, jobtext_user(j));
}

void jobcols_account(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    rich_add(&f->text, ROLE_NORMAL, job_columns_job_of(row)->req.account);
}

void jobcols_qos(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    rich_add(&f->text, ROLE_NORMAL, req_detail(&job_columns_job_of(row)->req)->qos);
}

void jobcols_partition(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    rich_add(&f->text, ROLE_NORMAL, job_partition_text(job_columns_job_of(row)));
}

void jobcols_submitted(const void *ctx, const void *row, struct table_field *f)
{
    jobcols_when(ctx, f, job_columns_job_of(row)->t_submit);
}

void jobcols_directory(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    rich_add(&f->text, ROLE_NORMAL, job_columns_job_of(row)->req.workdir);
}

void jobcols_comment(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    rich_add(&f->text, ROLE_NORMAL, req_rare(&job_columns_job_of(row)->req)->comment);
}

void jobcols_when(const void *ctx, struct table_field *f, struct wall t)
{
    if (!wall_is_set(t))
        return;
    f->has_num = true;
    f->num = (double)t.ms;
    if (f->text.mute)
        return;
    when_text(&f->text.text, t, ui_now(job_columns_ui_of(ctx)));
    rich_role(&f->text, ROLE_NORMAL);
}
