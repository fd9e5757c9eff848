/* eventtext.c - what has happened to a job, in words. */
#include "src/text/eventtext.h"

#include <stdlib.h>
#include <string.h>

#include "src/lang/lang.h"
#include "src/model/model.h"
#include "src/model/private_data.h"
#include "src/model/runs.h"
#include "src/text/cause_text.h"
#include "src/text/exit_text.h"
#include "src/text/jobtext.h"
#include "src/text/state_text.h"
#include "src/values/units.h"

#define AT_ONCE_MS 5000 /* a signal is on its way, its job ends, the end is reported */

void jobtext_who(struct str *out, const struct job *j, uint32_t uid, const char *user)
{
    if (str_is_empty(user))
        user = uid == j->uid && !str_is_empty(j->user) ? j->user : uid == 0 ? "root" : NULL;
    if (user)
        str_append(out, user);
    else if (uid == UID_PRIVATE)
        str_append(out, tr("another user"));
    else
        str_appendf(out, "uid %u", uid);
}

/* "job 328 of ann": the job that it was preempted for; user NULL: not known. */
static void jobtext_preemptor(struct str *out, uint32_t by_job, const char *user)
{
    if (!str_is_empty(user))
        str_appendf(out, tr("job %u of %s"), by_job, user);
    else
        str_appendf(out, tr("job %u"), by_job);
}

/* The rule as an earlier release has written it, without the name of the job that it begins with. */
static const char *eventtext_old_rule(const char *text, uint32_t by_job)
{
    char begin[32];
    struct str s = STR_INIT;
    str_appendf(&s, "job %u ", by_job);
    strncpy(begin, s.s, sizeof begin - 1);
    begin[sizeof begin - 1] = '\0';
    str_fini(&s);
    return text && str_starts(text, begin) ? text + strlen(begin) : text;
}

bool jobtext_preempted_by_rule(struct str *out, const struct job *j)
{
    const struct job_rare *rare = job_rare(j);
    if (!rare->preempted_by || (!rare->preempt_why.n && !rare->preempt_text))
        return false;
    if (rare->preempt_why.n)
        cause_full(out, &rare->preempt_why.v[0], NULL);
    else
        str_append(out, rare->preempt_text);
    return true;
}

static void append_signal(struct str *out, int32_t number)
{
    const char *name = sigabbrev_np(number);
    if (name)
        str_appendf(out, tr("signal %s"), name);
    else
        str_appendf(out, tr("signal %d"), number);
}

static bool is_requested(uint32_t cause)
{
    return cause == KILL_CANCEL || cause == KILL_REQUEUE;
}

/* "cancelled by ann", "requeued by root", "preempted by job 328 of ann", "time limit". */
static void eventtext_append_cause(struct str *out, const struct job *j, uint32_t cause, uint32_t uid,
                                   const char *user, uint32_t by_job)
{
    if (cause == KILL_PREEMPT && by_job) {
        struct str by = STR_INIT;
        jobtext_preemptor(&by, by_job, user);
        str_appendf(out, tr("preempted by %s"), by.s);
        str_fini(&by);
    } else if (cause == KILL_PREEMPT) {
        str_append(out, tr("preempted"));
    } else if (is_requested(cause) && (uid || !str_is_empty(user))) { /* else the controller has done it */
        struct str who = STR_INIT;
        jobtext_who(&who, j, uid, user);
        str_appendf(out, cause == KILL_CANCEL ? tr("cancelled by %s") : tr("requeued by %s"), who.s);
        str_fini(&who);
    } else {
        str_append(out, kill_cause_text((enum kill_cause)cause));
    }
}

void jobtext_kill(struct str *out, const struct job *j)
{
    const struct job_rare *rare = job_rare(j);
    eventtext_append_cause(out, j, j->kill_cause, rare->kill_uid, rare->kill_user,
                           j->kill_cause == KILL_PREEMPT ? rare->preempted_by : 0);
}

void jobtext_end(struct str *out, const struct job *j)
{
    bool ended_by_kill = j->state == JOB_CANCELLED || j->state == JOB_PREEMPTED;
    if (ended_by_kill && j->kill_cause != KILL_NONE && j->kill_cause < KILL_N_CAUSES)
        jobtext_kill(out, j);
    else if (j->state == JOB_FAILED && j->reason == REASON_LAUNCH_FAILURE)
        str_append(out, end_kind_text(END_LAUNCH_FAILED));
    else if (j->state == JOB_FAILED && j->exit_signal) {
        str_append(out, tr("failed: "));
        append_signal(out, j->exit_signal);
    } else if (j->state == JOB_FAILED && !j->exit_code && j->reason != REASON_NONE) {
        str_append(out, tr("failed: ")); /* its end was not seen: its code is not known */
        jobtext_reason_words(out, j);
    } else if (j->state == JOB_FAILED) {
        str_append(out, tr("failed: "));
        exit_text_append(out, j->exit_code);
    } else
        str_append(out, job_state_word((enum job_state)j->state));
}

void jobtext_ended(struct str *out, const struct job *j, const char *id)
{
    str_appendf(out, tr("job %s has ended: "), id);
    jobtext_end(out, j);
}

/* --- the list --- */

static void tell(struct job_moments *m, struct wall t, enum moment_tone tone, struct str *take_text)
{
    if (wall_is_set(t))
        vec_push(&m->v,
                 (struct job_moment){.t = t, .order = m->v.n, .tone = tone, .text = str_take(take_text)});
    else
        str_fini(take_text);
}

static int by_time(const void *pa, const void *pb)
{
    const struct job_moment *a = pa, *b = pb;
    return a->t.ms != b->t.ms ? (a->t.ms > b->t.ms) - (a->t.ms < b->t.ms)
                              : (a->order > b->order) - (a->order < b->order);
}

/* Where it began. More nodes may come while a step job runs: the first of its tasks to be placed stays what
 * it is. */
static void append_first_nodes(struct str *out, const struct job *run)
{
    const struct task *first = NULL;
    if (run->kind != JOB_KIND_STEPS) {
        jobtext_nodes(out, run);
        return;
    }
    for (size_t i = 0; i < run->steps.n; i++)
        for (size_t k = 0; k < run->steps.v[i].tasks.n; k++) {
            const struct task *t = &run->steps.v[i].tasks.v[k];
            first = t->attempt && (!first || t->attempt < first->attempt) ? t : first;
        }
    if (first && first->alloc.node)
        str_append(out, first->alloc.node);
}

static void append_ran(struct str *out, struct wall from, struct wall to)
{
    char b[UNITS_TEXT_SIZE];
    if (wall_is_set(from) && to.ms >= from.ms)
        str_appendf(out, tr(" after %s"), duration_format((uint32_t)wall_elapsed_s(from, to), b));
}

static bool has_kill(const struct job *j, struct wall t)
{
    const struct job_rare *rare = job_rare(j);
    for (size_t i = 0; i < rare->events.n; i++)
        if (rare->events.v[i].kind == EV_KILL && rare->events.v[i].step == STEP_ALL &&
            rare->events.v[i].t.ms == t.ms)
            return true;
    return false;
}

/* Causes that the state of the ended run has a word for. */
static bool is_failure(uint32_t cause)
{
    return cause == KILL_TIMEOUT || cause == KILL_DEADLINE || cause == KILL_NODE_FAIL || cause == KILL_OOM;
}

static void tell_kill(struct job_moments *m, const struct job *run, const struct job_event *e)
{
    struct str s = STR_INIT;
    eventtext_append_cause(&s, run, e->n, e->uid, e->user, e->by_job);
    if (e->t.ms <= run->t_end.ms || !wall_is_set(run->t_end))
        append_ran(&s, run->t_start, e->t);
    const char *text = e->n == KILL_PREEMPT ? eventtext_old_rule(e->text, e->by_job) : e->text;
    if (e->why.n) {
        str_append(&s, ": ");
        cause_brief(&s, &e->why.v[0], NULL);
    } else if (!str_is_empty(text)) {
        str_appendf(&s, ": %s", text);
    }
    tell(m, e->t, is_failure(e->n) ? MOMENT_ERROR : MOMENT_WARN, &s);
}

/* What the record of the run says about it, where the event itself is not kept. */
static void tell_kill_of_run(struct job_moments *m, const struct job *j, const struct job *run)
{
    const struct job_rare *rare = job_rare(run);
    if (run->kill_cause == KILL_NONE || run->kill_cause >= KILL_N_CAUSES || has_kill(j, rare->t_kill))
        return;
    bool preempted = run->kill_cause == KILL_PREEMPT;
    struct job_event e = {.t = rare->t_kill,
                          .n = run->kill_cause,
                          .uid = rare->kill_uid,
                          .user = rare->kill_user,
                          .by_job = preempted ? rare->preempted_by : 0,
                          .text = preempted ? rare->preempt_text : NULL};
    if (preempted)
        e.why = rare->preempt_why;
    tell_kill(m, run, &e);
}

static enum moment_tone tone_of_end(const struct job *j)
{
    switch ((enum job_state)j->state) {
    case JOB_FAILED:
    case JOB_TIMEOUT:
    case JOB_NODE_FAIL:
    case JOB_OUT_OF_MEMORY:
    case JOB_DEADLINE: return MOMENT_ERROR;
    case JOB_PENDING:
    case JOB_RUNNING:
    case JOB_SUSPENDED:
    case JOB_COMPLETING:
    case JOB_COMPLETED:
    case JOB_CANCELLED:
    case JOB_PREEMPTED:
    case JOB_N_STATES: break;
    }
    return MOMENT_STRONG;
}

/* Whether the event that ended it has told how it ended, and how long it ran. */
static bool is_told_by_kill(const struct job *run)
{
    static const enum kill_cause causes[JOB_N_STATES] = {[JOB_TIMEOUT] = KILL_TIMEOUT,
                                                         [JOB_DEADLINE] = KILL_DEADLINE,
                                                         [JOB_NODE_FAIL] = KILL_NODE_FAIL,
                                                         [JOB_OUT_OF_MEMORY] = KILL_OOM};
    bool asked = run->state == JOB_CANCELLED || run->state == JOB_PREEMPTED;
    if (run->kill_cause == KILL_NONE || !wall_is_set(job_rare(run)->t_kill))
        return false;
    return asked || causes[run->state] == run->kill_cause;
}

/* Processes that end at the first signal leave nothing to tell beside the event that sent it. */
static bool ended_at_once(const struct job *run)
{
    return run->t_end.ms - job_rare(run)->t_kill.ms < AT_ONCE_MS;
}

static void tell_end(struct job_moments *m, const struct job *run, bool began, bool is_last)
{
    struct str s = STR_INIT;
    bool told = is_told_by_kill(run);
    if (told && is_last && (!began || ended_at_once(run)))
        return;
    if (told)
        str_append(&s, tr("ended"));
    else
        jobtext_end(&s, run);
    if (began)
        append_ran(&s, run->t_start, run->t_end);
    if (told && !is_last) {
        str_append(&s, tr(", queued again"));
        tell(m, run->t_settled, MOMENT_NORMAL, &s);
        return;
    }
    tell(m, run->t_end, told ? MOMENT_STRONG : tone_of_end(run), &s);
    if (is_last)
        return;
    str_init(&s);
    str_append(&s, tr("queued again"));
    tell(m, run->t_settled, MOMENT_NORMAL, &s);
}

static void tell_run(struct job_moments *m, const struct job *j, const struct job *run, bool is_last)
{
    struct str s = STR_INIT;
    bool began = wall_is_set(run->t_start) && run->state != JOB_PENDING;
    if (began) {
        struct str nodes = STR_INIT;
        append_first_nodes(&nodes, run);
        bool part = !str_is_empty(run->partition);
        if (nodes.len && part)
            str_appendf(&s, tr("started on %s in %s"), nodes.s, run->partition);
        else if (nodes.len)
            str_appendf(&s, tr("started on %s"), nodes.s);
        else if (part)
            str_appendf(&s, tr("started in %s"), run->partition);
        else
            str_append(&s, tr("started"));
        str_fini(&nodes);
        tell(m, run->t_start, MOMENT_NORMAL, &s);
    }
    tell_kill_of_run(m, j, run);
    if (job_state_is_final((enum job_state)run->state))
        tell_end(m, run, began, is_last);
}

static void tell_event(struct job_moments *m, const struct job *j, const struct job_event *e)
{
    struct str s = STR_INIT, who = STR_INIT, signal = STR_INIT;
    enum moment_tone tone = MOMENT_NORMAL;
    jobtext_who(&who, j, e->uid, e->user);
    switch (e->kind) {
    case EV_KILL: /* of one step: those of the job are told with their run */
        tone = MOMENT_WARN;
        str_appendf(&s, tr("step %d "), e->step);
        eventtext_append_cause(&s, j, e->n, e->uid, e->user, 0);
        break;
    case EV_SIGNAL:
        tone = MOMENT_WARN;
        append_signal(&signal, (int32_t)e->n);
        str_appendf(&s, tr("%s sent by %s"), signal.s, who.s);
        break;
    case EV_HOLD: str_appendf(&s, e->n ? tr("held by %s") : tr("released by %s"), who.s); break;
    case EV_REQUEUE:
        tone = MOMENT_WARN;
        str_appendf(&s, tr("requeued by %s"), who.s);
        break;
    case EV_UPDATE: str_appendf(&s, tr("request changed by %s"), who.s); break;
    case EV_SUSPEND: str_appendf(&s, e->n ? tr("suspended by %s") : tr("resumed by %s"), who.s); break;
    case EV_PREEMPT:
        if (e->why.n)
            cause_full(&s, &e->why.v[0], NULL);
        else
            str_appendf(&s, tr("preempted %s"), e->text ? e->text : tr("other jobs"));
        break;
    default: break;
    }
    if (s.len)
        tell(m, e->t, tone, &s);
    str_fini(&s);
    str_fini(&who);
    str_fini(&signal);
}

/* The run that was under way then. */
static const struct job *run_at(const struct job *j, struct wall t, struct run_record *r)
{
    uint32_t n = runs_count(j);
    for (uint32_t k = 0; k + 1 < n; k++) {
        const struct job *run = run_get(j, k, r);
        if (t.ms <= run->t_settled.ms)
            return run;
    }
    return run_get(j, n - 1, r);
}

void jobevents_list(const struct job *j, struct job_moments *ret)
{
    const struct job_rare *rare = job_rare(j);
    struct run_record r;
    struct str s = STR_INIT;
    *ret = (struct job_moments){VEC_INIT};
    if (!str_is_empty(job_origin(j)->submit_host))
        str_appendf(&s, tr("submitted on %s"), job_origin(j)->submit_host);
    else
        str_append(&s, tr("submitted"));
    tell(ret, j->t_submit, MOMENT_NORMAL, &s);
    for (size_t i = 0; i < rare->events.n; i++) {
        const struct job_event *e = &rare->events.v[i];
        if (e->kind == EV_KILL && e->step == STEP_ALL)
            tell_kill(ret, run_at(j, e->t, &r), e);
        else
            tell_event(ret, j, e);
    }
    for (uint32_t k = 0, n = runs_count(j); k < n; k++) {
        const struct job *run = run_get(j, k, &r);
        if (run->t_eligible.ms > run->t_submit.ms + MS_PER_S) {
            str_init(&s);
            str_append(&s, tr("eligible"));
            tell(ret, run->t_eligible, MOMENT_NORMAL, &s);
        }
        tell_run(ret, j, run, k + 1 == n);
    }
    if (ret->v.n)
        qsort(ret->v.v, ret->v.n, sizeof *ret->v.v, by_time);
}

void job_moments_fini(struct job_moments *m)
{
    vec_for_each (&m->v, i)
        free(m->v.v[i].text);
    vec_fini(&m->v);
}

void jobtext_run(struct str *out, const struct job *run, struct wall *ret)
{
    struct wall killed = job_rare(run)->t_kill;
    bool asked = run->kill_cause == KILL_PREEMPT || run->kill_cause == KILL_REQUEUE;
    const struct cause *refusal = run_refusal(run);
    if (asked)
        jobtext_kill(out, run);
    else if (refusal)
        cause_full(out, refusal, NULL);
    else
        jobtext_end(out, run);
    *ret = asked && wall_is_set(killed) ? killed : run->t_end;
    if (!refusal)
        append_ran(out, run->t_start, *ret);
}

void jobtext_last_run(struct str *out, const struct job *j, struct wall *ret)
{
    struct run_record r;
    uint32_t n = runs_count(j);
    *ret = (struct wall){0};
    if (n >= 2)
        jobtext_run(out, run_get(j, n - 2, &r), ret);
}
