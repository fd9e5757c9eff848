/* stepstate.c - what has become of the steps and tasks of a job. */
#include "src/model/stepstate.h"

#include "src/model/task_parts.h"

bool step_has_begun(const struct step *s)
{
    return wall_is_set(s->t_start);
}

static bool stepstate_is_over(const struct job *j)
{
    return j->state == JOB_COMPLETING || job_state_is_final((enum job_state)j->state);
}

enum step_stage step_stage(const struct job *j, const struct step *s)
{
    bool placed = false;
    for (size_t i = 0; i < s->tasks.n; i++) {
        const struct task *t = &s->tasks.v[i];
        placed |= t->state != TASK_WAITING && (t->state != TASK_DONE || t->end_kind != END_NOT_RUN);
    }
    if (placed)
        return s->done ? STEP_OVER : STEP_RUNS;
    if (s->done || stepstate_is_over(j))
        return STEP_NOT_RUN;
    return s->tasks.n || j->kind != JOB_KIND_STEPS ? STEP_WAITS : STEP_LATER;
}

/* --- tasks --- */

bool task_was_stopped(const struct task *t)
{
    return t->state == TASK_DONE && t->end_kind == END_KILLED;
}

bool task_has_failed(const struct task *t)
{
    return t->state == TASK_DONE && t->end_kind != END_NOT_RUN && t->end_kind != END_NONE &&
           t->end_kind != END_KILLED && (t->end_kind != END_EXITED || t->code != 0);
}

static bool ended_before(const struct task *a, const struct task *b)
{
    return wall_is_set(a->t_end) && a->t_end.ms < b->t_end.ms;
}

const struct task *step_first_failed(const struct step *s)
{
    const struct task *first = NULL;
    for (size_t i = 0; i < s->tasks.n; i = task_parts_end(s, i)) {
        const struct task *t = task_parts_speaker(s, i);
        if (task_has_failed(t) && (!first || ended_before(t, first)))
            first = t;
    }
    return first;
}

/* A step whose failures the job goes on after is looked at last. */
const struct task *job_first_failed(const struct job *j, const struct step **ret_step)
{
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < j->steps.n; i++) {
            const struct task *t = step_first_failed(&j->steps.v[i]);
            if (!t || (pass == 0) == j->steps.v[i].keep_going)
                continue;
            *ret_step = &j->steps.v[i];
            return t;
        }
    return NULL;
}

struct step_exit step_exit(const struct job *j, const struct step *s)
{
    const struct task *t = j->kind == JOB_KIND_STEPS ? step_first_failed(s) : NULL;
    if (t && (t->code || t->signal))
        return (struct step_exit){t->code, t->signal};
    return (struct step_exit){s->code, s->signal};
}

struct step_tally step_count(const struct step *s)
{
    struct step_tally c = {0};
    for (size_t i = 0; i < s->tasks.n; i = task_parts_end(s, i)) {
        const struct task *t = task_parts_speaker(s, i);
        c.n++;
        if (t->state == TASK_WAITING)
            c.waiting++;
        else if (t->state != TASK_DONE)
            c.live++;
        else if (t->end_kind == END_NOT_RUN)
            c.not_run++;
        else if (task_was_stopped(t))
            c.stopped++;
        else if (task_has_failed(t))
            c.failed++;
        else
            c.done++;
    }
    c.n = c.n > s->n_tasks ? c.n : s->n_tasks;
    return c;
}
