/* jobs_rows.c - the rows of a table of jobs. */
#include "ui/jobs/jobs_rows.h"

#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/text/arraytext.h"
#include "src/text/jobtext.h"
#include "ui/table/radix.h"
#include "ui/text/view_text.h"

#define INDEX_END 4194304.0 /* what an index is below, for the order of ids */
#define SLACK     64        /* jobs that may come until rows are given another place */

void jobrows_fini(struct jobrows *r)
{
    free(r->rows);
    free(r->arrays);
    free(r->members);
    free(r->indices);
    free(r->found);
    idmap_fini(&r->by_number);
    *r = (struct jobrows){0};
}

static void jobs_rows_make_room(struct jobrows *r, size_t max)
{
    if (r->rows && max <= r->room)
        return;
    r->room = max + SLACK;
    r->rows = xreallocarray(r->rows, 2 * r->room, sizeof *r->rows); /* of an array and of its elements */
    r->arrays = xreallocarray(r->arrays, r->room, sizeof *r->arrays);
    r->members = xreallocarray(r->members, r->room, sizeof *r->members);
    r->indices = xreallocarray(r->indices, r->room, sizeof *r->indices);
    r->found = xreallocarray(r->found, r->room, sizeof *r->found);
}

static void count_ended(struct array_row *a, uint32_t state, uint32_t n)
{
    enum element_is is = element_of_state((enum job_state)state);
    if (is == ELEMENT_DONE)
        a->done += n;
    else if (is == ELEMENT_CANCELLED)
        a->ended += n;
    else
        a->fail += n;
}

static void count_member(struct array_row *a, const struct job *j)
{
    if (j->state == JOB_RUNNING || j->state == JOB_COMPLETING) {
        a->cpus += job_cpus(j);
        a->gpus += job_gpus(j);
        a->nodes += job_nodes(j);
    }
    if (j->state == JOB_PENDING) {
        a->wait += job_pending_elements(j);
        if (job_is_array_record(j) || !a->pending)
            a->pending = j;
    } else if (job_state_is_final((enum job_state)j->state)) {
        count_ended(a, j->state, 1);
        if (!a->last || j->t_end.ms > a->last->t_end.ms)
            a->last = j;
    } else {
        a->run++;
        if (!a->oldest || j->t_start.ms < a->oldest->t_start.ms)
            a->oldest = j;
    }
}

/* Mostly that of the job before. */
static struct array_row *array_of(struct jobrows *r, uint32_t id)
{
    struct array_row *last = r->n_found ? &r->arrays[r->found[r->n_found - 1].array] : NULL;
    return last && last->id == id ? last : idmap_get(&r->by_number, id);
}

static void jobs_rows_take_job(struct jobrows *r, const struct job *j)
{
    if (j->state == JOB_PENDING)
        r->n_wait += j->array_job ? job_pending_elements(j) : 1;
    else
        r->n_run += !job_state_is_final((enum job_state)j->state);
    if (!j->array_job || r->flat) {
        r->rows[r->n_rows++] = (struct jobs_row){.cols.shown = j};
        return;
    }
    struct array_row *a = array_of(r, j->array_job);
    if (!a) {
        a = &r->arrays[r->n_arrays++];
        *a = (struct array_row){.id = j->array_job, .any = j, .total = job_origin(j)->array_count};
        idmap_set(&r->by_number, j->array_job, a);
        r->rows[r->n_rows++] = (struct jobs_row){.cols.shown = j, .array = a};
    }
    a->n++;
    count_member(a, j);
    for (size_t i = 0; !r->has_retired && i < job_rare(j)->array_gone.n; i++)
        count_ended(a, job_rare(j)->array_gone.v[i].state, job_rare(j)->array_gone.v[i].n);
    r->found[r->n_found++] = (struct jobrows_found){
        .job = j,
        .array = (uint32_t)(a - r->arrays),
        .index = job_is_array_record(j) ? UINT32_MAX : j->array_index,
    };
}

/* The jobs of each array, side by side. */
static void place_members(struct jobrows *r)
{
    size_t first = 0;
    for (size_t i = 0; i < r->n_arrays; i++) {
        r->arrays[i].first = first;
        first += r->arrays[i].n;
        r->arrays[i].n = 0;
    }
    for (size_t i = 0; i < r->n_found; i++) {
        struct array_row *a = &r->arrays[r->found[i].array];
        size_t at = a->first + a->n++;
        r->members[at] = r->found[i].job;
        r->indices[at] = r->found[i].index;
    }
}

void jobrows_fill(struct jobrows *r, size_t max, jobrows_walk_fn *walk, void *ctx)
{
    jobs_rows_make_room(r, max);
    r->n_rows = r->n_arrays = r->n_found = r->n_run = r->n_wait = 0;
    walk(ctx, r, jobs_rows_take_job);
    place_members(r);
    idmap_fini(&r->by_number);
}

static void order_members(struct jobrows *r, const struct array_row *a)
{
    struct radix_key *keys = xreallocarray(NULL, a->n, sizeof *keys);
    for (size_t i = 0; i < a->n; i++) {
        keys[i] = (struct radix_key){.value = r->indices[a->first + i], .what = (uint32_t)i};
        r->found[i].job = r->members[a->first + i]; /* what was found has been placed */
    }
    radix_sort(keys, a->n, false);
    for (size_t i = 0; i < a->n; i++)
        r->members[a->first + i] = r->found[keys[i].what].job;
    free(keys);
}

static uint64_t jobs_rows_row_id(const struct jobs_row *r)
{
    return r->array ? ARRAY_ROW | r->array->id : r->cols.shown->id;
}

void jobrows_order(struct jobrows *r, const struct table *t)
{
    for (size_t i = 0; i < r->n_arrays; i++)
        if (table_wants_children(t, ARRAY_ROW | r->arrays[i].id))
            order_members(r, &r->arrays[i]);
}

static bool is_watched(const struct ui *ui, const struct job *j, bool array)
{
    struct job_target t = {.job = j->array_job ? j->array_job : j->id,
                           .array_index = array ? ARRAY_NONE : j->array_index};
    return ui && ui_is_watched(ui, &t);
}

void jobrows_give(struct jobrows *r, struct table *t, const struct ui *ui)
{
    size_t at = r->n_rows; /* the table points to the rows of elements too */
    for (size_t i = 0; i < r->n_rows; i++) {
        const struct array_row *a = r->rows[i].array;
        uint64_t id = jobs_rows_row_id(&r->rows[i]);
        if (a && table_wants_children(t, id))
            r->arrays[a - r->arrays].open = &r->rows[at];
        table_add(t, (struct trow){.id = id,
                                   .data = &r->rows[i],
                                   .branch = a != NULL,
                                   .watched = is_watched(ui, r->rows[i].cols.shown, a != NULL)});
        for (size_t k = 0; a && a->open && k < a->n; k++) {
            const struct job *j = r->members[a->first + k];
            r->rows[at] = (struct jobs_row){.cols.shown = j, .array = a};
            table_add(t, (struct trow){.id = j->id,
                                       .data = &r->rows[at++],
                                       .depth = 1,
                                       .watched = is_watched(ui, j, false)});
        }
    }
}

uint64_t jobrows_parent(const void *row)
{
    const struct job *j = ((const struct jobs_row *)row)->cols.shown;
    return j->array_job ? ARRAY_ROW | j->array_job : 0;
}

const struct job *jobrows_job(const struct jobs_row *r)
{
    const struct array_row *a = r->array;
    bool element = a && a->open && r >= a->open && r < a->open + a->n;
    return a && !element ? NULL : r->cols.shown;
}

const struct jobs_row *jobrows_row(const struct trow *row)
{
    return row ? row->data : NULL;
}

void jobrows_id(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    const struct jobs_row *r = row;
    if (jobrows_job(r))
        jobtext_id(&f->text.text, jobrows_job(r), BITSTR_LEN_DEFAULT);
    else
        array_id_text(&f->text.text, r->cols.shown);
    rich_role(&f->text, ROLE_NORMAL);
    f->has_num = true;
    const struct job *j = r->cols.shown;
    f->num = j->array_job ? j->array_job : j->id;
    if (jobrows_job(r) && j->array_job) /* exact: both are below the 53 bits of a double */
        f->minor = job_is_array_record(j) || j->array_index >= INDEX_END ? (INDEX_END - 1.0) / INDEX_END
                                                                         : j->array_index / INDEX_END;
}
