/* jobrows.c - the rows of a table of jobs. */
#include "ui/view/jobrows.h"

#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/model/jobtext.h"
#include "ui/view/words.h"

#define SLACK 64 /* jobs that may come until rows are given another place */

void jobrows_fini(struct jobrows *r)
{
    free(r->rows);
    free(r->arrays);
    free(r->members);
    idmap_fini(&r->by_number);
    *r = (struct jobrows){0};
}

static void make_room(struct jobrows *r, size_t max)
{
    if (r->rows && max <= r->room)
        return;
    r->room = max + SLACK;
    r->rows = xreallocarray(r->rows, 2 * r->room, sizeof *r->rows); /* of an array and of its elements */
    r->arrays = xreallocarray(r->arrays, r->room, sizeof *r->arrays);
    r->members = xreallocarray(r->members, r->room, sizeof *r->members);
}

static void count_member(struct array_row *a, const struct job *j)
{
    if (j->state == JOB_PENDING) {
        a->wait += job_pending_elements(j);
        if (job_is_array_record(j) || !a->pending)
            a->pending = j;
    } else if (j->state == JOB_COMPLETED)
        a->done++;
    else if (j->state == JOB_CANCELLED || j->state == JOB_PREEMPTED)
        a->ended++;
    else if (job_state_is_final((enum job_state)j->state))
        a->fail++;
    else {
        a->run++;
        if (!a->oldest || j->t_start.ms < a->oldest->t_start.ms)
            a->oldest = j;
    }
}

/* First look: which arrays there are, and how many jobs each has. */
static void count_job(struct jobrows *r, const struct job *j)
{
    struct array_row *a = j->array_job ? idmap_get(&r->by_number, j->array_job) : NULL;
    if (!a)
        r->rows[r->n_rows++] = (struct job_row){.cols.shown = j, .job = j};
    if (!j->array_job)
        return;
    if (!a) {
        a = &r->arrays[r->n_arrays++];
        *a = (struct array_row){.id = j->array_job, .any = j, .total = j->array_count};
        idmap_set(&r->by_number, j->array_job, a);
        r->rows[r->n_rows - 1] = (struct job_row){.cols.shown = j, .array = a};
    }
    a->n++;
    count_member(a, j);
}

/* Second look: the jobs of each array, side by side. */
static void place_job(struct jobrows *r, const struct job *j)
{
    struct array_row *a = j->array_job ? idmap_get(&r->by_number, j->array_job) : NULL;
    if (a)
        r->members[a->first + a->n++] = j;
}

void jobrows_fill(struct jobrows *r, size_t max, jobrows_walk_fn *walk, void *ctx)
{
    size_t n_members = 0;
    make_room(r, max);
    r->n_rows = r->n_arrays = 0;
    walk(ctx, r, count_job);
    for (size_t i = 0; i < r->n_arrays; i++) {
        r->arrays[i].first = n_members;
        n_members += r->arrays[i].n;
        r->arrays[i].n = 0;
    }
    if (r->n_arrays)
        walk(ctx, r, place_job);
    idmap_fini(&r->by_number);
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
        uint64_t id = a ? ARRAY_ROW | a->id : r->rows[i].job->id;
        table_add(t, (struct trow){.id = id,
                                   .data = &r->rows[i],
                                   .branch = a != NULL,
                                   .watched = is_watched(ui, a ? a->any : r->rows[i].job, a != NULL)});
        for (size_t k = 0; a && table_wants_children(t, id) && k < a->n; k++) {
            const struct job *j = r->members[a->first + k];
            r->rows[at] = (struct job_row){.cols.shown = j, .job = j, .array = a};
            table_add(t, (struct trow){.id = j->id,
                                       .data = &r->rows[at++],
                                       .depth = 1,
                                       .watched = is_watched(ui, j, false)});
        }
    }
}

const struct job_row *jobrows_row(const struct trow *row)
{
    return row ? row->data : NULL;
}

void jobrows_id(const void *ctx, const void *row, struct field *f)
{
    (void)ctx;
    const struct job_row *r = row;
    if (r->job)
        jobtext_id(&f->text.text, r->job, BITSTR_LEN_DEFAULT);
    else
        array_id_text(&f->text.text, r->cols.shown);
    rich_role(&f->text, ROLE_NORMAL);
    f->has_num = true;
    f->num = r->array ? r->array->id : r->job->id;
}
