/* steptext.c - steps and tasks in words. */
#include "src/text/steptext.h"

#include <string.h>

#include "src/lang/lang.h"
#include "src/model/stepstate.h"
#include "src/model/task_parts.h"
#include "src/text/cause_text.h"
#include "src/text/eventtext.h"
#include "src/text/exit_text.h"
#include "src/text/jobtext.h"
#include "src/text/state_text.h"

/* "exit 1", "signal 9", "out of memory": how a task ended. */
static void tasktext_end(struct str *out, const struct task *t)
{
    const char *signal = sigabbrev_np(t->signal);
    if (t->end_kind == END_EXITED)
        exit_text_append(out, t->code);
    else if (t->end_kind == END_SIGNALED && signal)
        str_appendf(out, tr("signal %s"), signal);
    else if (t->end_kind == END_SIGNALED)
        str_appendf(out, tr("signal %d"), t->signal);
    else if (t->end_kind < END_N_KINDS)
        str_append(out, end_kind_text((enum end_kind)t->end_kind));
}

bool jobtext_failure(struct str *out, const struct job *j)
{
    const struct step *s = NULL;
    const struct task *t = j->kind == JOB_KIND_STEPS ? job_first_failed(j, &s) : NULL;
    char id[16];
    if (!t)
        return false;
    struct str what = STR_INIT;
    if (s->tasks.n > 1)
        str_appendf(&what, tr("step %s task %u"), step_format_id(s->id, id), t->index);
    else
        str_appendf(&what, tr("step %s"), step_format_id(s->id, id));
    if (t->end_kind == END_EXITED) {
        const char *meaning = exit_text_meaning(t->code);
        str_appendf(out, tr("%s exited with %d"), what.s, t->code);
        if (meaning)
            str_appendf(out, " (%s)", meaning);
    } else {
        str_appendf(out, "%s: ", what.s);
        tasktext_end(out, t);
    }
    if (t->alloc.node)
        str_appendf(out, tr(" on %s"), t->alloc.node);
    str_fini(&what);
    return true;
}

static bool steptext_is_over(const struct job *j)
{
    return j->state == JOB_COMPLETING || job_state_is_final((enum job_state)j->state);
}

/* What ended them: "task 4 failed", "step 1 failed", "cancelled by ann". Nothing where it is not known. */
static void steptext_cause(struct str *out, const struct job *j, const struct step *s)
{
    const struct step *of = NULL;
    const struct task *t = step_first_failed(s);
    enum kill_cause cause = (enum kill_cause)(j->kill_cause ? j->kill_cause : s->kill_cause);
    char id[16];
    if (j->kill_cause && steptext_is_over(j)) {
        jobtext_kill(out, j);
    } else if (t && (cause == KILL_STEP_FAILED || s->kill_on_bad_exit)) {
        str_appendf(out, tr("task %u failed"), t->index);
    } else if (cause == KILL_STEP_FAILED && job_first_failed(j, &of) && of != s) {
        str_appendf(out, tr("step %s failed"), step_format_id(of->id, id));
    } else if (cause != KILL_NONE && cause < KILL_N_CAUSES) {
        str_append(out, kill_cause_text(cause));
    } else if (steptext_is_over(j)) {
        str_append(out, kill_cause_text(KILL_JOB_ENDED));
    }
}

static void append_behind(struct str *out, const char *before, const struct str *cause, const char *after)
{
    if (cause->len)
        str_appendf(out, "%s%s%s", before, cause->s, after);
}

void tasktext_message(struct str *out, const struct task *t)
{
    if (t->why.n)
        cause_full(out, &t->why.v[0], NULL);
    else if (t->message)
        str_append(out, t->message);
}

void tasktext_stopped(struct str *out, const struct job *j, const struct step *s, const struct task *t)
{
    struct str cause = STR_INIT;
    steptext_cause(&cause, j, s);
    str_append(out, t->end_kind == END_NOT_RUN ? tr("not run") : tr("stopped"));
    append_behind(out, ": ", &cause, "");
    str_fini(&cause);
}

static uint64_t given_or_one(uint32_t n)
{
    return n && n != NOT_GIVEN ? n : 1;
}

/* "2 nodes, 8 CPUs, 1 GPU, 4G". */
static void append_amounts(struct str *out, const struct step *s, bool of_task)
{
    uint32_t each = of_task ? step_task_nodes(s) : 1; /* what a declared task names it has on each node */
    unsigned long long cpus = given_or_one(s->n_ranks) * given_or_one(s->cpus_per_rank) * each;
    uint32_t gpus = s->gpus == NOT_GIVEN ? 0 : s->gpus * each;
    if (s->nodes > 1)
        str_appendf(out, trn("%u node, ", "%u nodes, ", s->nodes), s->nodes);
    str_appendf(out, trn("%llu CPU", "%llu CPUs", cpus), cpus);
    if (gpus)
        str_appendf(out, trn(", %u GPU", ", %u GPUs", gpus), gpus);
    if (s->mem_mib && s->mem_mib != MEM_NOT_GIVEN) {
        str_append(out, ", ");
        jobtext_mem(out, s->mem_mib * each, false);
    }
}

void steptext_needs(struct str *out, const struct job *j, const struct step *s)
{
    bool of_task = j->kind == JOB_KIND_STEPS;
    struct str amounts = STR_INIT;
    append_amounts(&amounts, s, of_task);
    str_appendf(out, of_task ? tr("needs %s") : tr("needs %s of the job"), amounts.s);
    str_fini(&amounts);
}

static void append_waits(struct str *out, const struct job *j, const struct step *s)
{
    struct str needs = STR_INIT;
    steptext_needs(&needs, j, s);
    if (j->kind == JOB_KIND_STEPS && s->n_tasks > 1)
        str_appendf(out, trn("%u task waits, each %s", "%u tasks wait, each %s", s->n_tasks), s->n_tasks,
                    needs.s);
    else
        str_appendf(out, tr("waits, %s"), needs.s);
    str_fini(&needs);
}

/* "1 failed (task 4, exit 1, gpu1)" */
static void append_failed(struct str *out, const struct step *s, uint32_t n)
{
    const struct task *t = step_first_failed(s);
    struct str end = STR_INIT;
    tasktext_end(&end, t);
    if (t->alloc.node)
        str_appendf(out, tr("%u failed (task %u, %s, %s)"), n, t->index, end.s, t->alloc.node);
    else
        str_appendf(out, tr("%u failed (task %u, %s)"), n, t->index, end.s);
    str_fini(&end);
}

static void append_running(struct str *out, const struct step *s)
{
    struct step_tally c = step_count(s);
    str_appendf(out, tr("%u of %u done"), c.done, c.n);
    if (c.live)
        str_appendf(out, tr(", %u running"), c.live);
    if (c.failed)
        str_appendf(out, tr(", %u failed"), c.failed);
    if (c.stopped)
        str_appendf(out, tr(", %u stopped"), c.stopped);
    if (c.waiting)
        str_appendf(out, tr(", %u waiting"), c.waiting);
}

static void append_over(struct str *out, const struct step *s)
{
    struct step_tally c = step_count(s);
    const char *sep = "";
    if (c.failed) {
        append_failed(out, s, c.failed);
        sep = ", ";
    }
    if (c.stopped) {
        bool because = c.failed && s->kill_cause == KILL_STEP_FAILED;
        str_append(out, sep);
        str_appendf(out, because ? tr("%u stopped because of it") : tr("%u stopped"), c.stopped);
        sep = ", ";
    }
    if (c.not_run) {
        str_append(out, sep);
        str_appendf(out, tr("%u not run"), c.not_run);
        sep = ", ";
    }
    if (c.done || !*sep) {
        str_append(out, sep);
        str_appendf(out, tr("%u of %u done"), c.done, c.n);
    }
}

void steptext_state(struct str *out, const struct job *j, const struct step *s)
{
    struct str cause = STR_INIT;
    switch (step_stage(j, s)) {
    case STEP_LATER:
        str_appendf(out, trn("not started, %u task", "not started, %u tasks", s->n_tasks), s->n_tasks);
        break;
    case STEP_WAITS: append_waits(out, j, s); break;
    case STEP_NOT_RUN:
        steptext_cause(&cause, j, s);
        str_append(out, tr("not run"));
        append_behind(out, " (", &cause, ")");
        break;
    case STEP_RUNS: append_running(out, s); break;
    case STEP_OVER: append_over(out, s); break;
    }
    str_fini(&cause);
}
