/* view_text.c - roles, signs and short texts of jobs, tasks and nodes. */
#include "ui/text/view_text.h"
#include "src/text/amount_text.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "src/lang/lang.h"
#include "src/model/fold/jobevents.h"
#include "src/model/jobeffective.h"
#include "src/model/stepstate.h"
#include "src/text/eventtext.h"
#include "src/text/exit_text.h"
#include "src/text/jobtext.h"
#include "src/text/state_text.h"
#include "src/text/steptext.h"
#include "src/values/units.h"

enum role job_role(const struct job *j)
{
    switch ((enum job_state)j->state) {
    case JOB_PENDING: return j->hold ? ROLE_HELD : job_waits_preempted(j) ? ROLE_PREEMPTED : ROLE_WAITING;
    case JOB_RUNNING: return ROLE_RUNNING;
    case JOB_SUSPENDED: return ROLE_HELD;
    case JOB_COMPLETING: return ROLE_ENDING;
    case JOB_COMPLETED: return ROLE_DONE;
    case JOB_CANCELLED: return ROLE_CANCELLED;
    case JOB_PREEMPTED: return ROLE_PREEMPTED;
    case JOB_FAILED:
    case JOB_TIMEOUT:
    case JOB_NODE_FAIL:
    case JOB_OUT_OF_MEMORY:
    case JOB_DEADLINE: return ROLE_FAILED;
    case JOB_N_STATES: break;
    }
    return ROLE_NORMAL;
}

/* As text: reversed it would be too loud. */
static enum role words_role(const struct job *j)
{
    enum role r = job_role(j);
    return r == ROLE_FAILED ? ROLE_ERROR : r;
}

/* "signal SEGV" */
static void signal_words(struct rich *r, enum role role, int32_t number)
{
    const char *name = sigabbrev_np(number);
    if (name)
        rich_addf(r, role, tr("signal %s"), name);
    else
        rich_addf(r, role, tr("signal %d"), number);
}

/* How it ended: "failed: exit 2", "cancelled by ann". */
static void end_words(struct str *out, const struct job *j)
{
    struct str failure = STR_INIT;
    if (j->state == JOB_FAILED && !job_never_ran(j) && jobtext_failure(&failure, j))
        str_appendf(out, "%s%s", tr("failed: "), failure.s);
    else
        jobtext_end(out, j);
    str_fini(&failure);
}

void job_words(struct rich *r, const struct job *j)
{
    enum role role = words_role(j);
    if (j->state == JOB_PENDING && j->hold)
        str_append(&r->text, tr("held"));
    else if (job_is_in_grace(j)) /* it runs until the grace time is over */
        str_append(&r->text, job_state_word(JOB_RUNNING));
    else if (job_state_is_final((enum job_state)j->state))
        end_words(&r->text, j);
    else
        str_append(&r->text, job_state_word((enum job_state)j->state));
    if (j->state == JOB_COMPLETING && j->kill_cause) {
        str_append(&r->text, ": ");
        jobtext_kill(&r->text, j);
    }
    rich_role(r, role);
}

bool job_never_ran(const struct job *j)
{
    return j->state == JOB_FAILED && j->reason == REASON_LAUNCH_FAILURE;
}

bool job_is_between(const struct job *j)
{
    if (j->kind != JOB_KIND_STEPS || j->state != JOB_RUNNING)
        return false;
    for (size_t i = 0; i < j->steps.n; i++)
        for (size_t k = 0; k < j->steps.v[i].tasks.n; k++)
            if (task_is_live(&j->steps.v[i].tasks.v[k]))
                return false;
    return true;
}

/* "6 tasks of folds wait". */
static void between_words(struct rich *r, const struct job *j)
{
    for (size_t i = 0; i < j->steps.n; i++) {
        const struct step *s = &j->steps.v[i];
        size_t waiting = 0;
        for (size_t k = 0; k < s->tasks.n; k++)
            waiting += s->tasks.v[k].state == TASK_WAITING;
        if (s->done || !waiting)
            continue;
        if (s->name)
            str_appendf(&r->text, trn("%zu task of %s waits", "%zu tasks of %s wait", waiting), waiting,
                        s->name);
        else
            str_appendf(&r->text, trn("%zu task waits", "%zu tasks wait", waiting), waiting);
        rich_role(r, ROLE_WAITING);
        return;
    }
    rich_add(r, ROLE_DIM, tr("between two steps"));
}

void task_message(struct rich *r, enum role role, const struct task *t)
{
    struct str s = STR_INIT;
    tasktext_message(&s, t);
    if (s.len)
        rich_addf(r, role, ": %s", s.s);
    str_fini(&s);
}

void job_where(struct rich *r, const struct job *j, struct wall now)
{
    if (job_is_between(j)) {
        between_words(r, j);
        return;
    }
    if (j->state == JOB_PENDING && j->reason == REASON_BEGIN_TIME &&
        wall_is_set(req_detail(&j->req)->begin)) {
        rich_add(r, ROLE_WAITING, tr("not before "));
        when_about(&r->text, req_detail(&j->req)->begin, now);
        rich_role(r, ROLE_WAITING);
        return;
    }
    if (job_never_ran(j)) {
        const struct step *s;
        const struct task *t = job_first_failed(j, &s);
        job_words(r, j);
        if (t)
            task_message(r, ROLE_NORMAL, t);
    } else if (job_state_is_final((enum job_state)j->state) || j->state == JOB_COMPLETING) {
        const struct step *s;
        job_words(r, j);
        if (j->state == JOB_FAILED && j->kind == JOB_KIND_STEPS && job_first_failed(j, &s))
            return; /* it has said where */
        str_append(&r->text, job_state_is_final((enum job_state)j->state) ? "  " : tr(" on "));
        jobtext_nodes(&r->text, j);
        rich_role(r, ROLE_DIM);
    } else if (j->state == JOB_PENDING) {
        jobtext_reason_words(&r->text, j);
        rich_role(r, j->hold ? ROLE_HELD : ROLE_WAITING);
    } else {
        jobtext_nodes(&r->text, j);
        rich_role(r, ROLE_NORMAL);
    }
}

void mem_text(struct str *out, uint64_t mib)
{
    if (mib < 1024)
        str_appendf(out, "%lluM", (unsigned long long)mib);
    else if (mib % 1024 < 52 || mib >= 100 * 1024)
        str_appendf(out, "%lluG", (unsigned long long)(mib + 512) / 1024);
    else
        str_appendf(out, "%.1fG", (double)mib / 1024);
}

void job_asked(struct str *out, const struct job *j)
{
    count_text(out, job_nodes(j), "%llu node", "%llu nodes");
    str_append(out, ", ");
    count_text(out, job_cpus(j), "%llu CPU", "%llu CPUs");
    if (job_mem_mib(j)) {
        str_append(out, ", ");
        mem_text(out, job_mem_mib(j));
    }
    if (job_gpus(j)) {
        str_append(out, ", ");
        count_text(out, job_gpus(j), "%llu GPU", "%llu GPUs");
        if (req_detail(&j->req)->gpu_type)
            str_appendf(out, " %s", req_detail(&j->req)->gpu_type);
    }
}

void limit_words(struct str *out, const struct job *j, const struct model *m)
{
    uint32_t limit = job_limit_s(j, m);
    if (limit == DURATION_UNLIMITED || limit == DURATION_NOT_SET) {
        str_append(out, tr(" without a time limit"));
        return;
    }
    str_append(out, tr(" for "));
    jobtext_limit(out, j, m);
}

void array_id_text(struct str *out, const struct job *j)
{
    str_appendf(out, "%u_[%u-%u", j->array_job, job_origin(j)->array_min, job_origin(j)->array_max);
    if (job_origin(j)->array_step > 1)
        str_appendf(out, ":%u", job_origin(j)->array_step);
    str_append_char(out, ']');
}

bool task_is_live(const struct task *t)
{
    return t->state == TASK_LAUNCHING || t->state == TASK_RUNNING;
}

char task_glyph(const struct task *t)
{
    if (t->state != TASK_DONE)
        return t->state == TASK_RUNNING ? 'R' : t->state == TASK_LAUNCHING ? 's' : 'P';
    switch ((enum end_kind)t->end_kind) {
    case END_EXITED: return t->code ? '!' : 'D';
    case END_SIGNALED:
    case END_LAUNCH_FAILED: return '!';
    case END_OOM: return 'M';
    case END_TIMEOUT: return 'T';
    case END_KILLED: return 'X';
    case END_LEASE:
    case END_NODE_REBOOT: return 'N';
    case END_UNKNOWN: return '?';
    case END_NONE:
    case END_NOT_RUN:
    case END_N_KINDS: break;
    }
    return '-';
}

enum role task_role(const struct task *t)
{
    if (t->state != TASK_DONE)
        return t->state == TASK_RUNNING     ? ROLE_RUNNING
               : t->state == TASK_LAUNCHING ? ROLE_ENDING
                                            : ROLE_WAITING;
    if (t->end_kind == END_KILLED || t->end_kind == END_NOT_RUN)
        return ROLE_CANCELLED;
    return task_has_failed(t) ? ROLE_FAILED : ROLE_DONE;
}

void exit_words(struct rich *r, enum role role, int code)
{
    if (code)
        exit_text_append(&r->text, code);
    else
        str_append(&r->text, tr("done"));
    rich_role(r, role);
}

/* "running", "exit 1", "signal 9", "out of memory": how a task stands. */
static void task_words(struct rich *r, const struct task *t)
{
    enum role role = task_role(t);
    role = role == ROLE_FAILED ? ROLE_ERROR : role;
    if (t->state != TASK_DONE)
        rich_add(r, role, t->killing ? tr("ending") : task_state_word((enum task_state)t->state));
    else if (t->end_kind == END_EXITED)
        exit_words(r, role, t->code);
    else if (t->end_kind == END_SIGNALED)
        signal_words(r, role, t->signal);
    else
        rich_add(r, role, end_kind_text((enum end_kind)t->end_kind));
}

void task_story(struct rich *r, const struct task *t)
{
    size_t from = r->text.len;
    task_words(r, t);
    struct str more = STR_INIT;
    tasktext_message(&more, t);
    const char *words = r->text.s + from;
    if (more.len &&
        strncmp(more.s, words, strlen(words)) == 0) /* "out of memory: 65 MiB used" says it again */
        rich_add(r, ROLE_DIM, more.s + strlen(words));
    else if (more.len)
        rich_addf(r, ROLE_DIM, ": %s", more.s);
    str_fini(&more);
}

void task_in_job_words(struct rich *r, const struct job *j, const struct step *s, const struct task *t,
                       bool whole)
{
    bool alone = s->tasks.n == 1 && step_stage(j, s) != STEP_RUNS && step_stage(j, s) != STEP_OVER;
    if (alone) {
        step_words(r, j, s);
    } else if (task_was_stopped(t) || (t->state == TASK_DONE && t->end_kind == END_NOT_RUN)) {
        tasktext_stopped(&r->text, j, s, t);
        rich_role(r, ROLE_CANCELLED);
    } else if (whole)
        task_story(r, t);
    else
        task_words(r, t);
}

/* In short: its tasks have rows below it. */
static void running_words(struct rich *r, const struct step_tally *c)
{
    rich_addf(r, ROLE_NORMAL, tr("%u/%u done"), c->done, c->n);
    if (c->live)
        rich_addf(r, ROLE_RUNNING, tr("  %u run"), c->live);
    if (c->failed)
        rich_addf(r, ROLE_ERROR, tr("  %u failed"), c->failed);
    if (c->stopped)
        rich_addf(r, ROLE_CANCELLED, tr("  %u stopped"), c->stopped);
}

void step_words(struct rich *r, const struct job *j, const struct step *s)
{
    enum step_stage stage = step_stage(j, s);
    struct step_tally c = step_count(s);
    if (stage == STEP_RUNS) {
        running_words(r, &c);
        return;
    }
    steptext_state(&r->text, j, s);
    rich_role(r, stage == STEP_LATER || stage == STEP_WAITS ? ROLE_WAITING
                 : stage == STEP_NOT_RUN                    ? ROLE_CANCELLED
                 : c.failed                                 ? ROLE_ERROR
                                                            : ROLE_NORMAL);
}

static void when_as(struct str *out, struct wall t, struct wall now, bool seconds)
{
    if (!wall_is_set(t)) {
        str_append(out, "-");
        return;
    }
    time_t at = (time_t)(t.ms / MS_PER_S), today = (time_t)(now.ms / MS_PER_S);
    struct tm a, b;
    localtime_r(&at, &a);
    localtime_r(&today, &b);
    bool same = a.tm_year == b.tm_year && a.tm_yday == b.tm_yday;
    bool week = at - today < 6 * 86400 && today - at < 6 * 86400;
    char text[40];
    if (same && seconds)
        strftime(text, sizeof text, "%H:%M:%S", &a);
    else if (same)
        strftime(text, sizeof text, "%H:%M", &a);
    else if (week)
        snprintf(text, sizeof text, "%s %02d:%02d", weekday_word(a.tm_wday), a.tm_hour, a.tm_min);
    else
        strftime(text, sizeof text, "%Y-%m-%d %H:%M", &a);
    str_append(out, text);
}

void when_text(struct str *out, struct wall t, struct wall now)
{
    when_as(out, t, now, true);
}

void when_about(struct str *out, struct wall t, struct wall now)
{
    when_as(out, t, now, false);
}
