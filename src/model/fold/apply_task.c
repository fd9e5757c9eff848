/* apply_task.c - the folds that concern steps and tasks. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/model/jobeffective.h"
#include "src/model/model_private.h"
#include "src/model/task_parts.h"

#define NOT_LAUNCHED_SIGNAL 53

/* A new step: its tasks wait to be placed. */
static bool step_is_fresh(const struct step *s)
{
    for (size_t i = 0; i < s->tasks.n; i++) {
        const struct task *t = &s->tasks.v[i];
        if (t->index != i || t->state != TASK_WAITING || t->attempt || t->killing ||
            t->end_kind != END_NONE)
            return false;
    }
    return s->id >= 0 && s->tasks.n && !s->done && !s->killing;
}

int apply_step(struct model *m, struct job *j, const struct event *ev, const struct ev_step *body)
{
    (void)m;
    (void)ev; /* it begins when it is placed: what it waits for is not its time */
    if (j->state != JOB_RUNNING || j->kind == JOB_KIND_STEPS || !step_is_fresh(&body->step))
        return -EINVAL;
    if ((uint32_t)body->step.id != j->next_step)
        return -EEXIST;
    struct step *s = rec_list_push(&j->steps);
    rec_copy(&step_rec, s, &body->step);
    j->next_step++;
    return 0;
}

/* After a restart it is not known how many wait: they are counted once. */
static void step_note_placed(struct step *s, const struct task *placed)
{
    uint32_t after = (uint32_t)(s->tasks.n - 1 - (size_t)(placed - s->tasks.v));
    if (s->n_waiting_last > after)
        s->n_waiting_last = after;
    while (s->n_waiting_last < after &&
           s->tasks.v[s->tasks.n - 1 - s->n_waiting_last].state == TASK_WAITING)
        s->n_waiting_last++;
}

static void task_take_place(const struct model *m, struct job *j, struct task *t, const struct alloc *a)
{
    rec_fini(&alloc_rec, &t->alloc);
    rec_copy(&alloc_rec, &t->alloc, a);
    t->state = TASK_LAUNCHING;
    t->attempt = ++j->launches;
    t->lease_s = job_lease_s(m, j);
}

/* All of its nodes or none. */
static int charge_place(struct model *m, const struct ev_place *body)
{
    int r = charge(m, &body->alloc, false);
    if (r == 0 && (r = charge_all(m, body->more.v, body->more.n, false)) < 0)
        uncharge(m, &body->alloc);
    return r;
}

int apply_place(struct model *m, struct job *j, const struct event *ev, const struct ev_place *body)
{
    struct step *s = job_find_step(j, body->step);
    struct task *t = s ? step_find_task(s, body->task) : NULL;
    bool steps = j->kind == JOB_KIND_STEPS;
    if (!t)
        return -ENOENT;
    size_t at = (size_t)(t - s->tasks.v);
    if (t->state != TASK_WAITING || (j->state != JOB_RUNNING && !(steps && j->state == JOB_PENDING)) ||
        task_parts_end(s, at) != at + 1 + body->more.n)
        return -EINVAL;
    if (steps) {
        int r = charge_place(m, body);
        if (r < 0)
            return r;
    }
    if (j->state == JOB_PENDING) {
        model_dequeue(m, j);
        j->state = JOB_RUNNING;
        j->reason = REASON_NONE;
        j->t_start = ev->t;
        j->time_limit_s = body->time_limit_s;
        j->borrowed = body->borrowed;
        if (body->partition) {
            xstrset(&j->partition, body->partition);
        }
        model_enqueue(m, j);
    }
    if (body->n_ranks) {
        t->rank_base = body->rank_base;
        t->n_ranks = body->n_ranks;
    }
    task_take_place(m, j, t, &body->alloc);
    for (size_t i = 0; i < body->more.n; i++)
        task_take_place(m, j, t + 1 + i, &body->more.v[i]);
    step_note_placed(s, t + body->more.n);
    if (!wall_is_set(s->t_start))
        s->t_start = ev->t;
    return 0;
}

static struct task *find_attempt(struct job *j, int32_t step, uint32_t task, uint32_t attempt,
                                 struct step **ret_step)
{
    struct step *s = *ret_step = job_find_step(j, step);
    return s ? step_find_attempt(s, task, attempt) : NULL;
}

/* As before its place was found. Its number and its ranks stay. */
static void task_forget_run(struct task *t)
{
    struct task fresh = {
        .index = t->index, .part = t->part, .rank_base = t->rank_base, .n_ranks = t->n_ranks};
    rec_fini(&task_rec, t);
    *t = fresh;
}

/* A task of which a part could not be begun waits again when all of its parts are over. */
static void task_wait_again(struct step *s, size_t at)
{
    size_t end = task_parts_end(s, at);
    bool unplaced = false;
    for (size_t i = at; i < end; i++)
        unplaced = unplaced || s->tasks.v[i].unplaced;
    if (!unplaced || s->killing || !task_parts_are_over(s, at))
        return;
    for (size_t i = at; i < end; i++)
        task_forget_run(&s->tasks.v[i]);
    if (s->n_done_first > at)
        s->n_done_first = (uint32_t)at;
}

int apply_unplace(struct model *m, struct job *j, const struct event *ev, const struct ev_unplace *body)
{
    struct step *s;
    struct task *t = find_attempt(j, body->step, body->task, body->attempt, &s);
    if (!t)
        return -ENOENT;
    if (j->kind != JOB_KIND_STEPS || j->state != JOB_RUNNING || t->state != TASK_LAUNCHING || t->killing)
        return -EINVAL;
    uncharge(m, &t->alloc);
    t->state = TASK_DONE;
    t->end_kind = END_NOT_RUN;
    t->t_end = ev->t;
    t->unplaced = true;
    task_end_parts(s, task_parts_of(s, t));
    task_wait_again(s, task_parts_of(s, t));
    return 0;
}

int apply_running(struct model *m, struct job *j, const struct event *ev, const struct ev_running *body)
{
    (void)m;
    (void)ev;
    struct step *s;
    struct task *t = find_attempt(j, body->step, body->task, body->attempt, &s);
    if (!t)
        return -ENOENT;
    if (t->state != TASK_LAUNCHING)
        return -EINVAL;
    t->state = TASK_RUNNING;
    t->t_start = body->t;
    t->pid = body->pid;
    return 0;
}

/* The worst rank speaks for its task: the highest code, a signal counting as 128 + n. */
static void task_take_worst(struct task *t)
{
    int32_t worst = -1;
    for (size_t i = 0; i < t->ranks.n; i++) {
        int32_t w = t->ranks.v[i].signal ? 128 + t->ranks.v[i].signal : t->ranks.v[i].code;
        if (w > worst) {
            worst = w;
            t->code = t->ranks.v[i].code;
            t->signal = t->ranks.v[i].signal;
        }
    }
}

static bool apply_task_ends_alike(const struct rank_end *a, const struct rank_end *b)
{
    return a->code == b->code && a->signal == b->signal;
}

/* Each entry goes into an earlier one that is like it: the one before it, or with `any` any one. */
static void merge_ends(struct task *t, bool any)
{
    size_t n = 0;
    for (size_t i = 0; i < t->ranks.n; i++) {
        struct rank_end e = t->ranks.v[i];
        size_t at = n;
        for (size_t k = any || !n ? 0 : n - 1; k < n && at == n; k++)
            at = apply_task_ends_alike(&t->ranks.v[k], &e) ? k : n;
        if (at < n)
            t->ranks.v[at].count = rank_end_count(&t->ranks.v[at]) + rank_end_count(&e);
        else
            t->ranks.v[n++] = e;
    }
    t->ranks.n = n;
}

/* A record must stay readable, however many processes its steps start. */
static void bound_ends(struct task *t)
{
    if (t->ranks.n > RANK_ENDS_MAX)
        merge_ends(t, false);
    t->ends_by_code = t->ranks.n > RANK_ENDS_MAX;
    if (t->ends_by_code)
        merge_ends(t, true);
}

static void task_take_end(struct task *t, const struct ev_end *body)
{
    struct ev_end copy;
    rec_copy(&ev_end_rec, &copy, body);
    t->state = TASK_DONE;
    t->end_kind = body->end_kind;
    free(t->ranks.v);
    t->ranks.v = copy.ranks.v;
    t->ranks.n = copy.ranks.n;
    if (wall_is_set(body->t_start))
        t->t_start = body->t_start;
    t->t_end = body->t_end;
    t->peak_rss_kib = body->peak_rss_kib;
    t->cpu_ms = body->cpu_ms;
    t->gpu_use = body->gpu_use;
    free(t->sampled);
    t->sampled = copy.sampled;
    free(t->message);
    t->message = copy.message;
    rec_list_free(&cause_rec, &t->why);
    t->why = copy.why;
    t->waited_out = body->waited_out;
    task_take_worst(t);
    if (t->end_kind == END_OOM) {
        t->code = 0;
        t->signal = OUT_OF_MEMORY_SIGNAL;
    }
    bound_ends(t);
}

static bool task_failed(const struct task *t)
{
    return t->end_kind != END_EXITED || t->code != 0;
}

/* Ended by its node or by a kill, and not by its own processes. */
static bool task_was_ended(const struct task *t)
{
    return t->end_kind != END_EXITED && t->end_kind != END_SIGNALED;
}

/* A part of a task of a step job has ended. The task has failed when all parts are over and the one that
 * speaks for it has. */
static const struct task *task_part_ended(struct step *s, const struct task *t)
{
    size_t at = task_parts_of(s, t);
    if (task_was_ended(t))
        task_end_parts(s, at);
    task_wait_again(s, at);
    const struct task *speaker = task_parts_speaker(s, at);
    return task_parts_are_over(s, at) && task_failed(speaker) ? speaker : NULL;
}

static void batch_job_advance(struct model *m, struct job *j, const struct step *s, const struct task *t,
                              struct wall at)
{
    int32_t sig = s->signal == OUT_OF_MEMORY_SIGNAL ? SIGKILL : s->signal;
    int32_t code = sig ? 128 + sig : s->code;
    if (s->id != STEP_BATCH && s->done && code > job_rare(j)->derived_code)
        job_rare_mut(j)->derived_code = code;
    if (s->id == STEP_BATCH) {
        bool launched = t->end_kind != END_LAUNCH_FAILED; /* not the code of a program: Slurm says 0:53 */
        j->exit_code = launched ? t->code : 0;
        j->exit_signal = launched ? t->signal : NOT_LAUNCHED_SIGNAL;
        /* A script that had ended before the kill could reach it keeps its own end. */
        if (j->kill_cause != KILL_NONE && t->end_kind == END_EXITED && j->kill_cause != KILL_NODE_FAIL) {
            j->kill_cause = KILL_NONE;
            j->fate = FATE_END;
        }
        if (j->state == JOB_RUNNING || j->state == JOB_SUSPENDED)
            job_begin_end(m, j, KILL_JOB_ENDED, at);
    }
}

int apply_end(struct model *m, struct job *j, const struct event *ev, const struct ev_end *body)
{
    struct step *s;
    struct task *t = find_attempt(j, body->step, body->task, body->attempt, &s);
    if (!t)
        return -ENOENT;
    if ((t->state != TASK_LAUNCHING && t->state != TASK_RUNNING) || body->end_kind >= END_N_KINDS ||
        body->end_kind == END_NONE)
        return -EINVAL;
    const struct task *failed = NULL;
    task_take_end(t, body);
    if (j->kind == JOB_KIND_STEPS) {
        struct wall end = body->t_end.ms && body->t_end.ms < ev->t.ms ? body->t_end : ev->t;
        usage_charge(m, j, &t->alloc, 1, usage_task_start(j, t, end), end, ev->t);
        uncharge(m, &t->alloc);
        failed = task_part_ended(s, t);
    }
    if ((s->kill_on_bad_exit && task_failed(t)) || t->waited_out)
        step_kill(s, KILL_STEP_FAILED, ev->t);
    step_settle(s, ev->t);
    if (j->kind == JOB_KIND_STEPS)
        job_advance_steps(m, j, s, failed, ev->t);
    else
        batch_job_advance(m, j, s, t, ev->t);
    job_settle(m, j, ev->t);
    return 0;
}
