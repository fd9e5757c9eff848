/* squeuelist.c - squeue's rows: which jobs, elements and steps are taken, and how they are printed.
 *
 * Texts and defaults are those of squeue(1); scripts parse them.
 */
#include <errno.h>
#include <stdlib.h>

#include "src/cli/ask.h"
#include "src/cli/listing/jobjson.h"
#include "src/cli/slurm/squeue.h"
#include "src/model/model.h"
#include "src/model/stepstate.h"

#define FORMAT_DEFAULT "%.18i %.9P %.8j %.8u %.2t %.10M %.6D %R"
#define FORMAT_LONG    "%.18i %.9P %.8j %.8u %.8T %.10M %.9l %.6D %R"
#define FORMAT_START   "%.18i %.9P %.8j %.8u %.2t %.19S %.6D %20Y %R"
#define FORMAT_STEPS   "%.15i %.8j %.9P %.8u %.9M %N"

static void push_row(struct squeue_listing *l, const struct job *j, const struct step *s, uint32_t element)
{
    const struct job_row row = {.job = j, .step = s, .element = element};
    if (l->q->json) {
        struct str object = STR_INIT; /* of its own: lines are sorted before commas are set between them */
        job_json_append(&object, &row, &l->cx);
        str_append_n(&l->lines.text, object.s, object.len);
        str_fini(&object);
    } else {
        format_row(&l->lines.text, &l->format, &row, &l->cx);
        str_append_char(&l->lines.text, '\n');
    }
    listing_lines_end(&l->lines, &row, &l->cx);
}

static bool is_wanted_element(const struct squeue *q, const struct job *j, uint32_t index)
{
    bool whole = !q->filter.targets.list.n;
    for (size_t i = 0; i < q->filter.targets.list.n && !whole; i++) {
        const struct job_target *t = &q->filter.targets.list.v[i];
        whole = (t->job == j->id || t->job == j->array_job) &&
                (t->array_index == ARRAY_NONE || t->array_index == index);
    }
    return whole;
}

/* Does a target name the whole record, not only some of its elements? */
static bool is_wanted_whole(const struct squeue *q, const struct job *j)
{
    for (size_t i = 0; i < q->filter.targets.list.n; i++) {
        const struct job_target *t = &q->filter.targets.list.v[i];
        if (t->array_index == ARRAY_NONE && (t->job == j->id || t->job == j->array_job))
            return true;
    }
    return !q->filter.targets.list.n;
}

/* There may be many, and all but their names they have in common. */
static void push_element(struct squeue_listing *l, const struct stencil *s, const struct job *j,
                         uint32_t element, bool alike)
{
    const struct job_row row = {.job = j, .element = element};
    stencil_row(&l->lines.text, s, &row, &l->cx);
    str_append_char(&l->lines.text, '\n');
    if (alike)
        listing_lines_end_alike(&l->lines);
    else
        listing_lines_end(&l->lines, &row, &l->cx);
}

static bool sorts_by_element(const struct squeue_listing *l)
{
    vec_for_each (&l->sorting.items, i)
        if (column_names_element(l->sorting.items.v[i].col))
            return true;
    return false;
}

static void push_elements(struct squeue_listing *l, const struct job *j)
{
    const struct job_row any = {.job = j, .element = job_rare(j)->array_pending.v[0].first};
    struct stencil s;
    stencil_make(&s, &l->format, &any, &l->cx, column_names_element);
    bool can_be_alike = !sorts_by_element(l), is_first = true;
    for (size_t i = 0; i < job_rare(j)->array_pending.n; i++) {
        const struct index_range *range = &job_rare(j)->array_pending.v[i];
        for (uint64_t k = range->first; k <= range->last; k += range->step ? range->step : 1) {
            if (!is_wanted_element(l->q, j, (uint32_t)k))
                continue;
            if (l->q->json)
                push_row(l, j, NULL, (uint32_t)k);
            else
                push_element(l, &s, j, (uint32_t)k, can_be_alike && !is_first);
            is_first = false;
        }
    }
    stencil_fini(&s);
}

static bool squeuelist_is_named(const struct squeue *q, const struct job *j)
{
    const struct target_list *t = &q->filter.targets;
    for (size_t i = 0; i < t->list.n; i++)
        if (job_is_named(j, t->list.v[i].job, t->list.v[i].array_index))
            return true;
    return !t->list.n;
}

static bool step_is_wanted(const struct squeue *q, const struct job *j, const struct step *s)
{
    const struct target_list *t = &q->step_ids;
    for (size_t i = 0; i < t->list.n; i++)
        if (job_is_named(j, t->list.v[i].job, t->list.v[i].array_index) &&
            (t->list.v[i].step == STEP_ALL || t->list.v[i].step == s->id))
            return true;
    return !t->list.n;
}

static void push_steps(struct squeue_listing *l, const struct job *j)
{
    for (size_t i = 0; i < j->steps.n; i++) {
        const struct step *s = &j->steps.v[i];
        if (!s->done && step_has_begun(s) && step_is_wanted(l->q, j, s))
            push_row(l, j, s, ARRAY_NONE);
    }
}

static bool is_taken(const struct squeue *q, const struct job *j)
{
    return squeuelist_is_named(q, j) && job_filter_takes(&q->filter, j) &&
           (!q->start || j->state == JOB_PENDING);
}

void listing_make_cx(struct squeue_listing *l)
{
    if (l->cx.m)
        return;
    l->cx = job_cx_from_env(l->m);
    l->cx.noconvert = l->q->noconvert;
    l->cx.starts = l->q->start ? &l->starts : NULL;
}

void listing_add_job(void *ctx, const struct job *j)
{
    struct squeue_listing *l = ctx;
    listing_make_cx(l);
    const struct squeue *q = l->q;
    if (!job_is_listed(j, l->m))
        return;
    l->any_named = l->any_named || squeuelist_is_named(q, j);
    listing_lines_begin(&l->lines, j->id);
    if (!is_taken(q, j))
        return;
    if (q->steps)
        push_steps(l, j);
    else if (job_is_array_record(j) && job_rare(j)->array_pending.n &&
             (q->elements || !is_wanted_whole(q, j)))
        push_elements(l, j);
    else
        push_row(l, j, NULL, ARRAY_NONE);
}

bool listing_wants_start(const struct squeue_listing *l, const struct job *j)
{
    return job_is_listed(j, l->m) && is_taken(l->q, j);
}

/* --- its form --- */

static void free_starts(struct idmap *starts)
{
    idmap_for_each (starts, slot)
        free(slot->value);
    idmap_fini(starts);
}

static const struct columns *columns_of(const struct squeue *q)
{
    return q->steps ? &step_columns : &job_columns;
}

static void squeuelist_make_format(struct squeue_listing *l)
{
    const struct squeue *q = l->q;
    const char *usual = q->steps       ? FORMAT_STEPS
                        : q->start     ? FORMAT_START
                        : q->long_form ? FORMAT_LONG
                                       : FORMAT_DEFAULT;
    if (q->names)
        format_parse_names(&l->format, columns_of(q), q->names, &l->bad_columns);
    else
        format_parse_letters(&l->format, columns_of(q), q->letters ? q->letters : usual, &l->bad_columns);
}

static void make_sorting(struct squeue_listing *l)
{
    const struct squeue *q = l->q;
    const char *spec = q->sort ? q->sort : q->steps ? "P,i" : q->start ? "S" : "P,t,-p";
    if (sorting_parse(&l->sorting, columns_of(q), spec, &l->bad_sorting) < 0 && !*l->bad_sorting.s)
        err_set(&l->bad_sorting, -EINVAL, "Invalid sort specification: %s", spec);
}

void listing_init(struct squeue_listing *l, const struct squeue *q, const struct model *m)
{
    *l = (struct squeue_listing){.q = q, .m = m};
    squeuelist_make_format(l);
    make_sorting(l);
    listing_lines_init(&l->lines, &l->sorting);
}

void listing_fini(struct squeue_listing *l)
{
    format_fini(&l->format);
    strv_fini(&l->bad_columns);
    sorting_fini(&l->sorting);
    free_starts(&l->starts);
    listing_lines_fini(&l->lines);
}

/* --- what it looks at --- */

/* What the choice of jobs looks at. */
static struct job_members chosen_by(const struct squeue *q)
{
    struct job_members m = job_filter_reads(&q->filter);
    m.job |= JOB_HAS(array_job) | JOB_HAS(array_index) | JOB_HAS(array_pending);
    m.job |= JOB_HAS(t_end) | JOB_HAS(t_settled) | (q->steps ? JOB_HAS(steps) | JOB_HAS(command) : 0);
    m.all_tasks = m.all_tasks || q->steps;
    return m;
}

struct job_members listing_reads(const struct squeue_listing *l)
{
    if (l->q->json || l->q->start)
        return MEMBERS_ALL;
    struct job_members m = chosen_by(l->q);
    vec_for_each (&l->format.items, i)
        if (l->format.items.v[i].col)
            m = members_add(m, *l->format.items.v[i].col->reads);
    vec_for_each (&l->sorting.items, i)
        m = members_add(m, *l->sorting.items.v[i].col->reads);
    return m;
}

/* --- printing --- */

static void print_head(const struct squeue_listing *l)
{
    const struct squeue *q = l->q;
    struct str out = STR_INIT;
    if (q->no_header)
        return;
    if (q->cluster)
        str_appendf(&out, "CLUSTER: %s\n", l->m->spec.name);
    if (q->long_form || q->iterate_s)
        timetext_append_date_line(&out, l->cx.now);
    format_header(&out, &l->format);
    str_append_char(&out, '\n');
    fwrite(out.s, 1, out.len, stdout);
    str_fini(&out);
}

static void squeuelist_print_json(struct squeue_listing *l)
{
    struct str out = STR_INIT;
    job_json_open(&out);
    fwrite(out.s, 1, out.len, stdout);
    listing_lines_print(&l->lines, ",");
    str_clear(&out);
    job_json_close(&out);
    out_flush(&out);
    str_fini(&out);
}

int listing_print(struct squeue_listing *l, const struct cli *cli)
{
    if (*l->bad_sorting.s) {
        cli_error(cli, "%s", l->bad_sorting.s);
        return 1;
    }
    if (l->q->json) {
        squeuelist_print_json(l);
        return 0;
    }
    for (size_t i = 0; i < l->bad_columns.n; i++)
        cli_error(cli, "Invalid job format specification: %s", l->bad_columns.v[i]);
    print_head(l);
    listing_lines_print(&l->lines, "");
    return 0;
}
