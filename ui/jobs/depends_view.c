/* depends_view.c - the dependencies of a job as a tree.
 *
 *      Job 55 waits for
 *      ▶  51      crossval   to succeed    running on gpu[01-02]
 *      ✓  └ 1     prepare    to succeed    done
 *      Jobs that wait for job 55
 *      ◷  60      report     to end        waits for 55
 */
#include "ui/jobs/depends_view.h"

#include <stdlib.h>

#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/model/dep.h"
#include "src/text/jobtext.h"
#include "src/text/state_text.h"
#include "ui/dialogs/job_dialogs.h"
#include "ui/form/form_view.h"
#include "ui/info/job_info.h"
#include "ui/jobs/awaited_lines.h"
#include "ui/jobs/job_view.h"
#include "ui/output/output_view.h"
#include "ui/table/table.h"
#include "ui/text/view_text.h"

#define DEPTH_MAX 8
#define ROWS_MAX  500

enum { GROUP_BEFORE, GROUP_AFTER };

struct depends_row {
    uint32_t job; /* 0: the dependency names none */
    int group;
    struct dep dep;
};

struct depends_page {
    struct view v;
    uint32_t job;
    struct table table;
    struct depends_row rows[ROWS_MAX];
    size_t n_rows;
    struct rect area;
};

static struct depends_page *depends_of(struct view *v)
{
    return (struct depends_page *)(void *)v;
}

static const struct job *depends_job(const struct depends_page *p, const void *row)
{
    return ui_job(p->v.ui, ((const struct depends_row *)row)->job);
}

/* --- columns --- */

static void depends_get_sign(const void *ctx, const void *row, struct table_field *f)
{
    const struct job *j = depends_job(ctx, row);
    if (j)
        rich_sign(&f->text, job_role(j), job_glyph(j));
}

static void depends_get_job(const void *ctx, const void *row, struct table_field *f)
{
    const struct depends_row *r = row;
    const struct job *j = depends_job(ctx, row);
    if (j)
        jobtext_id(&f->text.text, j, BITSTR_LEN_DEFAULT);
    else if (r->job)
        str_appendf(&f->text.text, "%u", r->job);
    rich_role(&f->text, ROLE_STRONG);
}

static void depends_get_name(const void *ctx, const void *row, struct table_field *f)
{
    const struct job *j = depends_job(ctx, row);
    if (j)
        rich_add(&f->text, ROLE_NORMAL, jobtext_name(j));
}

static void depends_get_user(const void *ctx, const void *row, struct table_field *f)
{
    const struct job *j = depends_job(ctx, row);
    if (j)
        rich_add(&f->text, ROLE_NORMAL, jobtext_user(j));
}

static void depends_get_needs(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    const struct depends_row *r = row;
    rich_add(&f->text, ROLE_DIM, dep_type_text(r->dep.type));
}

static void depends_get_state(const void *ctx, const void *row, struct table_field *f)
{
    const struct depends_page *p = ctx;
    const struct job *j = depends_job(ctx, row);
    if (!j && ((const struct depends_row *)row)->job)
        rich_add(&f->text, ROLE_DIM, tr("no longer in the queue"));
    else if (j && j->state == JOB_PENDING)
        job_wait_words(&f->text, p->v.ui, j);
    else if (j) {
        job_words(&f->text, j);
        rich_add(&f->text, ROLE_DIM, " ");
        jobtext_nodes(&f->text.text, j);
        rich_role(&f->text, ROLE_DIM);
    }
}

static const struct table_column columns[] = {
    {.name = "sign", .title = "S", .min = 1, .want = 1, .get = depends_get_sign},
    {.name = "job",
     .title = N_("JOB"),
     .min = 6,
     .want = 24,
     .fit = 16,
     .flags = COLUMN_TREE | COLUMN_WORDS,
     .get = depends_get_job},
    {.name = "name",
     .title = N_("NAME"),
     .min = 6,
     .want = 40,
     .fit = 20,
     .rank = 2,
     .get = depends_get_name},
    {.name = "user",
     .title = N_("USER"),
     .min = 4,
     .want = 16,
     .fit = 10,
     .rank = 3,
     .get = depends_get_user},
    {.name = "needs",
     .title = N_("WAITS FOR IT"),
     .min = 12,
     .want = 24,
     .fit = 14,
     .rank = 1,
     .get = depends_get_needs},
    {.name = "state", .title = N_("STATE"), .min = 12, .fit = 48, .get = depends_get_state},
};

/* --- rows --- */

static struct depends_row *depends_add(struct depends_page *p, struct table *t, uint64_t parent,
                                       uint8_t depth, const struct depends_row *row, uint64_t *ret_id)
{
    if (p->n_rows == ROWS_MAX)
        return NULL;
    struct depends_row *r = &p->rows[p->n_rows++];
    struct {
        uint64_t parent;
        uint32_t job, type;
    } key = {.parent = parent, .job = row->job, .type = (uint32_t)row->group << 8 | row->dep.type};
    *r = *row;
    *ret_id = hash_bytes(&key, sizeof key) | 1;
    table_add(t, (struct trow){.id = *ret_id, .data = r, .depth = depth});
    table_fold(t, *ret_id, true); /* all levels are there to be seen */
    return r;
}

static void depends_add_before(struct depends_page *p, struct table *t, const struct job *j,
                               uint64_t parent, uint8_t depth)
{
    struct deps deps;
    struct errtext err;
    if (depth > DEPTH_MAX || dep_parse(j->req.dependency, &deps, &err) < 0)
        return;
    for (size_t i = 0; i < deps.n; i++) {
        uint64_t id;
        struct depends_row row = {.job = deps.v[i].job, .group = GROUP_BEFORE, .dep = deps.v[i]};
        const struct job *on = row.job ? ui_job(p->v.ui, row.job) : NULL;
        if (depends_add(p, t, parent, depth, &row, &id) && on && on != j)
            depends_add_before(p, t, on, id, (uint8_t)(depth + 1));
    }
    deps_fini(&deps);
}

static void depends_add_after(struct depends_page *p, struct table *t, const struct job *j, uint64_t parent,
                              uint8_t depth)
{
    if (depth > DEPTH_MAX)
        return;
    list_for_each (by, &ui_model(p->v.ui)->pending, struct job, in_queue) {
        struct depends_row row = {.job = by->id, .group = GROUP_AFTER};
        uint64_t id;
        if (by != j && awaited_depends_on(by, j, &row.dep) && depends_add(p, t, parent, depth, &row, &id))
            depends_add_after(p, t, by, id, (uint8_t)(depth + 1));
    }
}

static void depends_fill(void *ctx, struct table *t)
{
    struct depends_page *p = ctx;
    const struct job *j = ui_job(p->v.ui, p->job);
    p->n_rows = 0;
    if (!j)
        return;
    depends_add_before(p, t, j, GROUP_BEFORE, 0);
    depends_add_after(p, t, j, GROUP_AFTER, 0);
}

static int depends_group(const void *row)
{
    return ((const struct depends_row *)row)->group;
}

static void depends_group_title(const void *ctx, int group, size_t n, struct rich *out)
{
    const struct depends_page *p = ctx;
    (void)n;
    if (group == GROUP_BEFORE)
        rich_addf(out, ROLE_NORMAL, tr("Job %u waits for"), p->job);
    else
        rich_addf(out, ROLE_NORMAL, tr("Jobs that wait for job %u"), p->job);
}

/* --- the view --- */

static struct view *depends_view_open(struct ui *ui, const void *arg)
{
    const uint32_t *id = arg;
    if (!ui_job(ui, *id))
        return NULL;
    struct depends_page *p = xcalloc(1, sizeof *p);
    p->v = (struct view){.ops = &depends_view, .ui = ui};
    p->job = *id;
    table_init(&p->table, columns, sizeof columns / sizeof columns[0], depends_fill, p);
    p->table.group = depends_group;
    p->table.group_title = depends_group_title;
    table_refill(&p->table);
    return &p->v;
}

static void depends_close(struct view *v)
{
    table_fini(&depends_of(v)->table);
    free(v);
}

static void depends_sync(struct view *v)
{
    table_refill(&depends_of(v)->table);
}

static void depends_title(struct view *v, struct rich *out)
{
    rich_addf(out, ROLE_TITLE, tr("Dependencies of job %u"), depends_of(v)->job);
}

static void depends_draw(struct view *v, struct canvas *c, const struct screen_layout *l)
{
    struct depends_page *p = depends_of(v);
    p->area = l->body;
    if (!p->table.shown.n)
        canvas_text(c, l->body.y, l->body.x + 2, ROLE_DIM,
                    tr("The job waits for no other job, and no job waits for it."), l->body.w - 3);
    else
        v->ticks = table_draw(&p->table, c, l->body, true);
}

static unsigned depends_input(struct view *v, const struct input *in)
{
    struct depends_page *p = depends_of(v);
    return in->kind == INPUT_MOUSE ? table_input(&p->table, in, p->area) : 0;
}

static const struct job *depends_current(struct depends_page *p)
{
    const struct trow *row = table_current(&p->table);
    return row ? depends_job(p, row->data) : NULL;
}

static unsigned depends_act(struct view *v, enum action a, const struct input *in)
{
    struct depends_page *p = depends_of(v);
    const struct job *j = depends_current(p);
    if (a == ACTION_OPEN_DEP && !j)
        ui_toast(v->ui, ROLE_NORMAL, tr("this job is no longer in the queue"));
    else if (a == ACTION_OPEN_DEP)
        ui_push(v->ui, &jobpage_view, &j->id);
    else if (a == ACTION_DEP_OUTPUT && j)
        output_open(v->ui, j);
    else if (a == ACTION_DEPENDS && j)
        depends_open(v->ui, j);
    else if (act_is_job_action(a) && j) {
        struct targets t = {0};
        targets_add_job(&t, j);
        submit_act_on_jobs(v->ui, a, &t);
    } else {
        return table_act(&p->table, a, in);
    }
    return DID_HANDLE | DID_REDRAW;
}

static const enum scope scopes[] = {SCOPE_DEPENDS, SCOPE_ACTS, SCOPE_MOVE};

static void depends_subject(struct view *v, struct row_subject *ret)
{
    ret->job = depends_current(depends_of(v));
}

const struct view_ops depends_view = {
    .name = "depends",
    .scopes = scopes,
    .n_scopes = sizeof scopes / sizeof scopes[0],
    .open = depends_view_open,
    .close = depends_close,
    .sync = depends_sync,
    .title = depends_title,
    .draw = depends_draw,
    .input = depends_input,
    .act = depends_act,
    .subject = depends_subject,
};

static bool depends_has_any(const struct ui *ui, const struct job *j)
{
    struct dep dep;
    if (j->req.dependency)
        return true;
    list_for_each (by, &ui_model(ui)->pending, struct job, in_queue)
        if (by != j && awaited_depends_on(by, j, &dep))
            return true;
    return false;
}

void depends_open(struct ui *ui, const struct job *j)
{
    if (depends_has_any(ui, j))
        ui_push(ui, &depends_view, &j->id);
    else
        ui_toast(ui, ROLE_NORMAL, tr("job %u waits for no other job, and no job waits for it"), j->id);
}
