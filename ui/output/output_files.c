/* output_files.c - the outputs of a job. */
#include "ui/output/output_files.h"

#include <stdlib.h>

#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/jobenv/filename.h"
#include "src/model/private_data.h"
#include "src/model/stepstate.h"
#include "src/model/task_parts.h"

struct ats {
    VEC(struct output_at) v;
};

void places_fini(struct places *p)
{
    vec_for_each (&p->v, i) {
        free(p->v.v[i].path);
        free(p->v.v[i].label);
    }
    vec_fini(&p->v);
    p->more = 0;
}

bool place_path(const struct job *j, const struct output_at *at, bool err, char **ret)
{
    if (job_is_masked(j))
        return false;
    if (at->step == STEP_BATCH) {
        *ret = err ? job_stderr_pattern(j) : job_stdout_pattern(j);
        return true;
    }
    const struct step *s = job_find_step(j, at->step);
    const struct task *t = s ? step_find_task(s, at->task) : NULL;
    if (!t)
        return false;
    const struct task *part = task_parts_find_rank(s, task_parts_of(s, t), at->rank);
    t = part ? part : t;
    *ret = err ? step_stderr_path(j, s, t, at->rank) : step_stdout_path(j, s, t, at->rank);
    return true;
}

static bool is_pattern(const struct job *j, const struct output_at *at, bool err, const char *path)
{
    if (at->step != STEP_BATCH || !job_is_array_record(j))
        return false;
    char *file = err ? job_stderr_path(j) : job_stdout_path(j);
    bool other = !str_eq(file, path);
    free(file);
    return other;
}

/* Every output of the job, in the order of its steps, tasks and ranks. */
static void list_ats(const struct job *j, struct ats *p)
{
    bool batch = false;
    for (size_t i = 0; i < j->steps.n; i++) {
        const struct step *s = &j->steps.v[i];
        batch |= s->id == STEP_BATCH;
        for (size_t k = 0; k < s->tasks.n; k++)
            for (uint32_t r = 0; r < (s->tasks.v[k].n_ranks ? s->tasks.v[k].n_ranks : 1); r++)
                vec_push(&p->v, (struct output_at){.job = j->id,
                                                   .step = s->id,
                                                   .task = s->tasks.v[k].index,
                                                   .rank = step_rank(s, &s->tasks.v[k], r)});
    }
    if (j->kind == JOB_KIND_BATCH && !batch)
        vec_push(&p->v, (struct output_at){.job = j->id, .step = STEP_BATCH});
}

void places_one(const struct job *j, const struct output_at *at, bool err, struct places *ret)
{
    char *path = NULL;
    if (place_path(j, at, err, &path))
        vec_push(&ret->v, (struct output_file){.at = *at,
                                               .err = err,
                                               .path = path,
                                               .owner = j->uid,
                                               .own = is_pattern(j, at, err, path),
                                               .label = xstrdup("")});
}

static char *make_array_label(const struct job *j, const struct output_at *at, bool err)
{
    const char *mark = err ? "!" : "";
    char id[16];
    return at->step < 0
               ? xasprintf("_%u%s", j->array_index, mark)
               : xasprintf("_%u.%s.%u%s", j->array_index, step_format_id(at->step, id), at->task, mark);
}

static char *make_label(const struct job *j, const struct output_at *at, bool err)
{
    size_t steps = 0;
    char id[16];
    for (size_t i = 0; i < j->steps.n; i++)
        steps += j->steps.v[i].id >= 0;
    const char *mark = err ? "!" : "";
    /* Ranks are counted through a step; the tasks that a step job declares each count their own. */
    uint32_t number = j->kind == JOB_KIND_STEPS ? at->task : at->rank;
    if (at->step < 0)
        return xasprintf("%s%s", step_format_id(at->step, id), mark);
    if (steps > 1)
        return xasprintf("%s.%u%s", step_format_id(at->step, id), number, mark);
    return xasprintf("%u%s", number, mark);
}

static bool output_files_has_path(const struct places *p, const char *path)
{
    vec_for_each (&p->v, i)
        if (path && str_eq(p->v.v[i].path, path))
            return true;
    return false;
}

static void add_place(const struct job *j, const struct output_at *at, bool err, struct places *ret)
{
    char *path = NULL;
    if (!place_path(j, at, err, &path) || output_files_has_path(ret, path) ||
        is_pattern(j, at, err, path)) {
        free(path);
    } else if (ret->v.n >= PLACES_MAX) {
        ret->more++;
        free(path);
    } else {
        vec_push(&ret->v, (struct output_file){.at = *at,
                                               .err = err,
                                               .path = path,
                                               .owner = j->uid,
                                               .label = at->array ? make_array_label(j, at, err)
                                                                  : make_label(j, at, err)});
    }
}

/* Steps whose outputs have no file of their own. */
static bool streams_some(const struct job *j)
{
    for (size_t i = 0; i < j->steps.n; i++)
        if (j->steps.v[i].id >= 0 && j->steps.v[i].tasks.n && !j->steps.v[i].std_out)
            return true;
    return false;
}

void places_all(const struct job *j, struct places *ret)
{
    struct ats all = {.v = VEC_INIT};
    bool twice = j->kind == JOB_KIND_BATCH && streams_some(j);
    list_ats(j, &all);
    vec_for_each (&all.v, i) {
        if (twice && all.v.v[i].step == STEP_BATCH)
            continue;
        add_place(j, &all.v.v[i], false, ret);
        add_place(j, &all.v.v[i], true, ret);
    }
    vec_fini(&all.v);
}

static void add_element(const struct job *j, uint32_t array, struct places *ret)
{
    struct output_at at;
    if (j->array_job != array || job_is_array_record(j) || !wall_is_set(j->t_start) ||
        !output_best_place(j, &at))
        return;
    at.array = array;
    add_place(j, &at, false, ret);
    add_place(j, &at, true, ret);
}

static int output_files_by_job(const void *pa, const void *pb)
{
    const struct output_file *a = pa, *b = pb;
    if (a->at.job != b->at.job)
        return (a->at.job > b->at.job) - (a->at.job < b->at.job);
    return a->err - b->err;
}

void places_array(const struct ui *ui, uint32_t array, struct places *ret)
{
    const struct model *m = ui_model(ui);
    struct job *const *past;
    size_t n = ui_past(ui, &past);
    list_for_each (j, &m->active, struct job, in_queue)
        add_element(j, array, ret);
    for (struct list *l = m->ended.prev; l != &m->ended; l = l->prev)
        add_element(container_of(l, struct job, in_queue), array, ret);
    for (size_t i = 0; i < n; i++)
        if (past[i]->array_job == array && !model_get_job(m, past[i]->id))
            add_element(past[i], array, ret);
    if (ret->v.n > 1)
        qsort(ret->v.v, ret->v.n, sizeof *ret->v.v, output_files_by_job);
}

static bool same_place(const struct output_at *a, const struct output_at *b)
{
    return a->step == b->step && a->task == b->task && a->rank == b->rank;
}

bool places_next(const struct job *j, struct output_at *at, bool err, int by)
{
    struct ats all = {.v = VEC_INIT};
    char *own = NULL;
    list_ats(j, &all);
    bool found = false, known = place_path(j, at, err, &own);
    size_t here = 0;
    while (here < all.v.n && !same_place(&all.v.v[here], at))
        here++;
    for (long i = (long)here + by; !found && i >= 0 && i < (long)all.v.n; i += by) {
        char *path = NULL;
        bool there = place_path(j, &all.v.v[i], err, &path);
        found = there && (!path || !known || !str_eq(path, own));
        if (found)
            *at = all.v.v[i];
        free(path);
    }
    free(own);
    vec_fini(&all.v);
    return found;
}

bool output_best_place(const struct job *j, struct output_at *ret)
{
    bool found = j->kind == JOB_KIND_BATCH;
    *ret = (struct output_at){.job = j->id, .step = STEP_BATCH};
    for (size_t i = 0; i < j->steps.n && j->kind != JOB_KIND_BATCH; i++)
        for (size_t k = 0; k < j->steps.v[i].tasks.n; k++) {
            const struct task *t = &j->steps.v[i].tasks.v[k];
            if (t->state == TASK_WAITING)
                continue;
            *ret = (struct output_at){.job = j->id,
                                      .step = j->steps.v[i].id,
                                      .task = t->index,
                                      .rank = step_rank(&j->steps.v[i], t, 0)};
            found = true;
            if (task_has_failed(t))
                return true;
        }
    return found;
}
