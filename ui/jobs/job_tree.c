/* job_tree.c - the steps, tasks and ranks of a job.
 *
 *      R   batch        n01      1:02:03           running
 *      R v 0 train                                 6/8 done  2 run
 *      D     task 0     n01  0     40:12     3.1G  done
 *      R   v task 1     n02  1     41:00           running
 *      !       rank 2   n02                        exit 1
 */
#include "ui/jobs/job_tree.h"

#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/model/stepstate.h"
#include "src/model/task_parts.h"
#include "src/text/steptext.h"
#include "src/values/units.h"
#include "ui/frame/job_load.h"
#include "ui/text/view_text.h"
#include "ui/widget/graph.h"

static const struct job *job_tree_job_of(const struct jobtree *t)
{
    return ui_job(t->ui, t->job);
}

static uint64_t job_tree_row_id(const struct tree_row *r)
{
    uint64_t id = (uint64_t)(r->step->id + 1000) << 44;
    if (r->task) /* where it stands in its step: nodes of a task have its number */
        id |= (uint64_t)(r->task - r->step->tasks.v + 1) << 22;
    return id | (uint64_t)(r->rank + 1);
}

/* --- columns --- */

#define TREND 8
#define LIVE  (COLUMN_RIGHT | COLUMN_HIDDEN) /* shown while the job runs */

static void get_what(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    const struct tree_row *r = row;
    char id[16];
    if (r->rank >= 0) {
        rich_addf(&f->text, ROLE_NORMAL, tr("rank %lld"), (long long)r->rank);
    } else if (r->task && r->step->tasks.n > 1) {
        rich_addf(&f->text, ROLE_NORMAL, tr("task %u"), r->task->index);
    } else {
        rich_add(&f->text, ROLE_STRONG, step_format_id(r->step->id, id));
        if (r->step->id >= 0 && r->step->name)
            rich_addf(&f->text, ROLE_NORMAL, " %s", r->step->name);
    }
}

static const struct rank_end *job_tree_end_of(const struct tree_row *r)
{
    uint32_t i = 0;
    if (r->rank >= 0 && step_find_rank(r->step, (uint32_t)r->rank, &i) != r->task)
        return NULL;
    return r->rank >= 0 && r->task->state == TASK_DONE ? task_rank_end(r->task, i) : NULL;
}

/* The state of a step with many tasks: what matters most of theirs. */
static const struct task *speaker(const struct step *s)
{
    const struct task *best = NULL;
    for (size_t i = 0; i < s->tasks.n; i++) {
        const struct task *t = &s->tasks.v[i];
        if (!best || (task_has_failed(t) && !task_has_failed(best)) ||
            (task_is_live(t) && !task_is_live(best) && !task_has_failed(best)))
            best = t;
    }
    return best;
}

static bool never_ran(const struct jobtree *t, const struct tree_row *r)
{
    const struct job *j = job_tree_job_of(t);
    return j && step_stage(j, r->step) == STEP_NOT_RUN;
}

static void job_tree_get_glyph(const void *ctx, const void *row, struct table_field *f)
{
    const struct tree_row *r = row;
    const struct task *t = r->task ? r->task : speaker(r->step);
    const struct rank_end *end = job_tree_end_of(r);
    if (end && !task_was_stopped(t))
        rich_sign(&f->text, end->code || end->signal ? ROLE_FAILED : ROLE_DONE,
                  end->code || end->signal ? '!' : 'D');
    else if (t)
        rich_sign(&f->text, task_role(t), task_glyph(t));
    else if (never_ran(ctx, r))
        rich_add(&f->text, ROLE_CANCELLED, "-");
    else
        rich_sign(&f->text, ROLE_WAITING, 'P');
}

static void job_tree_get_state(const void *ctx, const void *row, struct table_field *f)
{
    const struct job *j = job_tree_job_of(ctx);
    const struct tree_row *r = row;
    const struct rank_end *end = job_tree_end_of(r);
    if (!j)
        return;
    if (end && task_was_stopped(r->task)) {
        tasktext_stopped(&f->text.text, j, r->step, r->task);
        rich_role(&f->text, ROLE_CANCELLED);
    } else if (end && end->signal)
        rich_addf(&f->text, ROLE_ERROR, tr("signal %d"), end->signal);
    else if (end)
        exit_words(&f->text, end->code ? ROLE_ERROR : ROLE_DONE, end->code);
    else if (r->task)
        task_in_job_words(&f->text, j, r->step, r->task, r->rank < 0);
    else
        step_words(&f->text, j, r->step);
}

static void job_tree_get_node(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    const struct tree_row *r = row;
    if (r->task)
        rich_add(&f->text, ROLE_NORMAL, r->task->alloc.node);
}

static void job_tree_get_gpus(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    const struct tree_row *r = row;
    if (!r->task || r->rank >= 0)
        return;
    char *gpus = cpuset_format(&r->task->alloc.gpus);
    rich_add(&f->text, ROLE_NORMAL, gpus);
    free(gpus);
}

static void job_tree_get_cpus(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    const struct tree_row *r = row;
    if (r->task && r->rank < 0 && !cpuset_is_empty(&r->task->alloc.cpus)) {
        f->has_num = true;
        f->num = cpuset_count(&r->task->alloc.cpus);
        rich_addf(&f->text, ROLE_NORMAL, "%u", cpuset_count(&r->task->alloc.cpus));
    }
}

static void job_tree_get_time(const void *ctx, const void *row, struct table_field *f)
{
    const struct jobtree *t = ctx;
    const struct tree_row *r = row;
    struct wall from = r->task ? r->task->t_start : r->step->t_start,
                to = r->task ? r->task->t_end : r->step->t_end;
    bool live = r->task ? task_is_live(r->task) : !r->step->done;
    if (r->rank >= 0 || !wall_is_set(from) || (!live && !wall_is_set(to)))
        return;
    char b[UNITS_TEXT_SIZE];
    int64_t s = wall_elapsed_s(from, live ? ui_now(t->ui) : to);
    f->has_num = true;
    f->num = (double)s;
    f->ticks = live;
    rich_add(&f->text, live ? ROLE_NORMAL : ROLE_DIM, duration_format((uint32_t)s, b));
}

static void get_peak(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    const struct tree_row *r = row;
    if (!r->task || r->rank >= 0 || !r->task->peak_rss_kib || str_is_empty(r->task->sampled))
        return; /* never a number that was not measured */
    char b[UNITS_TEXT_SIZE];
    f->has_num = true;
    f->num = (double)r->task->peak_rss_kib;
    rich_add(&f->text, ROLE_NORMAL, mem_format_words(r->task->peak_rss_kib, b));
}

/* --- what tasks use now --- */

static bool job_tree_load(const struct jobtree *t, const struct tree_row *r, struct live_load *ret)
{
    const struct job *j = job_tree_job_of(t);
    return j && r->task && r->rank < 0 && task_load_now(t->ui, j, r->step, r->task, ret);
}

static void job_tree_get_cpu(const void *ctx, const void *row, struct table_field *f)
{
    const struct tree_row *r = row;
    struct live_load l;
    unsigned cpus = r->task ? cpuset_count(&r->task->alloc.cpus) : 0;
    if (!cpus || !job_tree_load(ctx, r, &l) || !l.measured)
        return;
    f->has_num = true;
    f->num = l.cpu_permille / 10.0 / cpus;
    rich_addf(&f->text, ROLE_NORMAL, "%.0f%%", f->num);
}

static void job_tree_get_memory(const void *ctx, const void *row, struct table_field *f)
{
    struct live_load l;
    char b[UNITS_TEXT_SIZE];
    if (!job_tree_load(ctx, row, &l) || !l.measured)
        return;
    f->has_num = true;
    f->num = (double)l.mem_kib;
    rich_add(&f->text, ROLE_NORMAL, mem_format_words(l.mem_kib, b));
}

static void job_tree_get_gpu(const void *ctx, const void *row, struct table_field *f)
{
    struct live_load l;
    if (!job_tree_load(ctx, row, &l) || !l.n_gpus)
        return;
    f->has_num = true;
    f->num = l.gpu_percent;
    rich_addf(&f->text, ROLE_NORMAL, "%u%%", l.gpu_percent);
}

/* Of its GPUs where it has any, else of its CPUs. */
static void job_tree_get_trend(const void *ctx, const void *row, struct table_field *f)
{
    const struct jobtree *t = ctx;
    const struct tree_row *r = row;
    const struct job *j = job_tree_job_of(t);
    bool live = j && r->task && r->rank < 0 && r->task->state == TASK_RUNNING;
    const struct load_past *p = live ? task_load_past(t->ui, j, r->step, r->task) : NULL;
    if (p)
        graph_add(&f->text, cpuset_is_empty(&r->task->alloc.gpus) ? &p->cpu : &p->gpu, ui_mono(t->ui),
                  TREND, 1, 0, ROLE_BAR_USED);
}

static const struct table_column columns[] = {
    {.name = "sign", .title = "S", .min = 1, .want = 1, .get = job_tree_get_glyph},
    {.name = "what",
     .title = N_("STEP"),
     .min = 10,
     .want = 40,
     .fit = 16,
     .flags = COLUMN_WORDS | COLUMN_TREE,
     .get = get_what},
    {.name = "node",
     .title = N_("NODE"),
     .min = 4,
     .want = 20,
     .fit = 12,
     .rank = 3,
     .flags = COLUMN_WORDS,
     .get = job_tree_get_node},
    {.name = "cpus",
     .title = N_("CPUS"),
     .min = 4,
     .want = 4,
     .rank = 8,
     .flags = COLUMN_RIGHT,
     .get = job_tree_get_cpus},
    {.name = "gpus",
     .title = N_("GPU#"),
     .min = 4,
     .want = 7,
     .rank = 7,
     .flags = COLUMN_RIGHT | COLUMN_IF_ANY,
     .get = job_tree_get_gpus},
    {.name = "time",
     .title = N_("TIME"),
     .min = 9,
     .want = 10,
     .rank = 2,
     .flags = COLUMN_RIGHT,
     .get = job_tree_get_time},
    {.name = "cpu",
     .title = N_("CPU"),
     .min = 4,
     .want = 5,
     .rank = 4,
     .flags = LIVE,
     .get = job_tree_get_cpu},
    {.name = "gpu",
     .title = N_("GPU"),
     .min = 4,
     .want = 4,
     .rank = 5,
     .flags = LIVE | COLUMN_IF_ANY,
     .get = job_tree_get_gpu},
    {.name = "memory",
     .title = N_("MEMORY"),
     .min = 8,
     .want = 9,
     .rank = 6,
     .flags = LIVE,
     .get = job_tree_get_memory},
    {.name = "trend",
     .title = N_("TREND"),
     .min = TREND,
     .want = TREND,
     .rank = 9,
     .flags = COLUMN_HIDDEN,
     .get = job_tree_get_trend},
    {.name = "peak",
     .title = N_("PEAK MEM"),
     .min = 8,
     .want = 9,
     .rank = 6,
     .flags = COLUMN_RIGHT,
     .get = get_peak},
    {.name = "state",
     .title = N_("STATE"),
     .min = 16,
     .fit = 72,
     .rank = 1,
     .flags = COLUMN_WORDS,
     .get = job_tree_get_state},
};

/* --- rows --- */

static size_t count_rows(const struct job *j)
{
    size_t n = 0;
    for (size_t i = 0; i < j->steps.n; i++) {
        n++;
        for (size_t k = 0; k < j->steps.v[i].tasks.n; k++)
            n += 1 + j->steps.v[i].tasks.v[k].n_ranks;
    }
    return n;
}

static const struct tree_row *job_tree_push_row(struct jobtree *t, struct table *table, struct tree_row row,
                                                uint8_t depth, bool branch)
{
    struct tree_row *r = &t->rows[t->n_rows++];
    *r = row;
    table_add(table, (struct trow){.id = job_tree_row_id(r), .data = r, .depth = depth, .branch = branch});
    return r;
}

static void push_task(struct jobtree *t, struct table *table, const struct step *s, const struct task *task,
                      uint8_t depth)
{
    const struct tree_row *r = job_tree_push_row(
        t, table, (struct tree_row){.step = s, .task = task, .rank = -1}, depth, task->n_ranks > 1);
    if (task->n_ranks <= 1 || !table_wants_children(table, job_tree_row_id(r)))
        return;
    for (uint32_t k = 0; k < task->n_ranks; k++)
        job_tree_push_row(t, table,
                          (struct tree_row){.step = s, .task = task, .rank = step_rank(s, task, k)},
                          (uint8_t)(depth + 1), false);
}

static void job_tree_fill(void *ctx, struct table *table)
{
    struct jobtree *t = ctx;
    const struct job *j = job_tree_job_of(t);
    t->n_rows = 0;
    if (!j)
        return;
    size_t need = count_rows(j);
    if (need > t->cap)
        t->rows = xreallocarray(t->rows, t->cap = need, sizeof *t->rows);
    for (size_t i = 0; i < j->steps.n; i++) {
        const struct step *s = &j->steps.v[i];
        if (s->tasks.n == 1) { /* the step is its task: one row for both */
            push_task(t, table, s, &s->tasks.v[0], 0);
            continue;
        }
        const struct tree_row *r =
            job_tree_push_row(t, table, (struct tree_row){.step = s, .rank = -1}, 0, s->tasks.n > 1);
        if (!t->seen_any && s->tasks.n > 1)
            table_fold(table, job_tree_row_id(r), true);
        if (table_wants_children(table, job_tree_row_id(r)))
            for (size_t k = 0; k < s->tasks.n; k++)
                if (task_part_is_listed(&s->tasks.v[k]))
                    push_task(t, table, s, &s->tasks.v[k], 1);
    }
    t->seen_any = true;
}

void jobtree_init(struct jobtree *t, struct ui *ui, uint32_t job)
{
    *t = (struct jobtree){.ui = ui, .job = job};
    table_init(&t->table, columns, sizeof columns / sizeof columns[0], job_tree_fill, t);
}

void jobtree_show_use(struct jobtree *t, const struct job *j)
{
    struct live_load now;
    bool known = job_load_now(t->ui, j, NULL, &now);
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        if (columns[i].flags & COLUMN_HIDDEN)
            table_show_column(&t->table, i, known && (columns[i].get != job_tree_get_gpu || now.n_gpus));
}

void jobtree_fini(struct jobtree *t)
{
    table_fini(&t->table);
    free(t->rows);
}

const struct tree_row *jobtree_current(const struct jobtree *t)
{
    const struct trow *row = table_current(&t->table);
    return row ? row->data : NULL;
}

bool jobtree_next_failed(struct jobtree *t)
{
    const struct table *table = &t->table;
    for (size_t n = 1; n <= table->shown.n; n++) {
        size_t i = (table->list.cursor + n) % table->shown.n;
        const struct tree_row *r = table_shown(table, i)->data;
        const struct rank_end *end = job_tree_end_of(r);
        if (r->task && task_has_failed(r->task) && (!end || end->code || end->signal)) {
            table_select(&t->table, table_shown(table, i)->id);
            return true;
        }
    }
    return false;
}
