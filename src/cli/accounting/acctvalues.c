/* acctvalues.c - what sacct and sstat print of a job and of a step. Source: sacct(1), Job Accounting
 * Fields. */
#include "src/cli/accounting/acctvalues.h"

#include <stdlib.h>
#include <string.h>

#include "src/jobenv/filename.h"
#include "src/model/jobeffective.h"
#include "src/model/need.h"
#include "src/model/runs.h"
#include "src/model/stepstate.h"
#include "src/model/usage.h"
#include "src/text/eventtext.h"
#include "src/text/jobtext.h"
#include "src/values/units.h"

/* A field that only jobs have. */
#define GET_OF_JOB(NAME, CALL)        \
    ACCT_VALUE(NAME)                  \
    {                                 \
        const struct job *j = r->job; \
        (void)j;                      \
        if (r->kind == ACCT_JOB)      \
            CALL;                     \
    }

ACCT_VALUE(nothing)
{
}

static bool acctvalues_is_step(const struct acct_row *r)
{
    return r->kind == ACCT_STEP;
}

static bool acctvalues_is_over(const struct job *j)
{
    return job_state_is_final((enum job_state)j->state);
}

/* --- who and what --- */

static void acctvalues_append_step(struct str *out, const struct acct_row *r)
{
    char buf[16];
    if (r->kind == ACCT_JOB)
        return;
    str_append_char(out, '.');
    str_append(out, r->kind == ACCT_EXTERN ? "extern" : step_format_id(r->step->id, buf));
}

ACCT_VALUE(job_id)
{
    jobtext_id(out, r->job, BITSTR_LEN_DEFAULT);
    acctvalues_append_step(out, r);
}
ACCT_VALUE(job_id_raw)
{
    text_append_u64(out, r->job->id);
    acctvalues_append_step(out, r);
}
ACCT_VALUE(job_name)
{
    if (acctvalues_is_step(r) && r->step->id == STEP_BATCH)
        str_append(out, "batch");
    else if (acctvalues_is_step(r))
        text_append_foreign(out, r->step->name ? r->step->name : r->step->command, "");
    else
        text_append_foreign(out, r->kind == ACCT_EXTERN ? "extern" : r->job->req.name, "");
}
GET_OF_JOB(partition, text_append_foreign(out, job_partition_text(j), ""))
ACCT_VALUE(account)
{
    text_append_foreign(out, r->job->req.account, "");
}
static void append_assoc(struct str *out, const struct job *j, const struct acct_cx *cx)
{
    uint64_t id = cx->assocs ? assoc_of_job(cx->assocs, j) : 0;
    if (id)
        text_append_u64(out, id);
}
GET_OF_JOB(assoc_id, append_assoc(out, j, cx))
GET_OF_JOB(user, text_append_foreign(out, j->user, ""))
GET_OF_JOB(uid, text_append_u64(out, j->uid))
GET_OF_JOB(group, text_append_foreign(out, job_origin(j)->group, ""))
GET_OF_JOB(gid, text_append_u64(out, job_origin(j)->gid))
ACCT_VALUE(cluster)
{
    text_append_foreign(out, cx->m->spec.name, "");
}
GET_OF_JOB(qos, text_append_foreign(out, job_qos(&j->req), ""))
/* Slurm leaves it to plugins: who or what ended the run. */
static void append_kill(struct str *out, const struct job *j)
{
    bool acted_on =
        j->kill_cause == KILL_CANCEL || j->kill_cause == KILL_REQUEUE || j->kill_cause == KILL_PREEMPT;
    if (acted_on && j->state != JOB_PENDING)
        jobtext_kill(out, j);
}
GET_OF_JOB(system_comment, append_kill(out, j))
GET_OF_JOB(priority, text_append_u64(out, j->priority))
GET_OF_JOB(restarts, text_append_u64(out, j->restarts))
GET_OF_JOB(reason, jobtext_reason(out, j, NULL))
ACCT_VALUE(submit_line)
{
    if (r->kind == ACCT_JOB)
        text_append_foreign(out, job_origin(r->job)->command, "");
    else if (acctvalues_is_step(r))
        text_append_foreign(out, r->step->command, "");
}
GET_OF_JOB(flags, str_append(out, j->state == JOB_PENDING ? "" : "SchedMain"))
static void append_path(struct str *out, char *path)
{
    text_append_foreign(out, path, "");
    free(path);
}
GET_OF_JOB(std_out, append_path(out, j->kind == JOB_KIND_BATCH ? job_stdout_path(j) : NULL))
GET_OF_JOB(std_err, append_path(out, j->kind == JOB_KIND_BATCH ? job_stderr_path(j) : NULL))
GET_OF_JOB(std_in,
           if (j->kind == JOB_KIND_BATCH)
               text_append_foreign(out, req_rare(&j->req)->std_in ? req_rare(&j->req)->std_in : "/dev/null",
                                   ""))

/* --- states and ends --- */

static const struct task *first_bad_task(const struct step *s)
{
    const struct task *failed = step_first_failed(s); /* the others were ended because of it */
    if (failed)
        return failed;
    for (size_t i = 0; i < s->tasks.n; i++)
        if (s->tasks.v[i].end_kind != END_EXITED || s->tasks.v[i].code || s->tasks.v[i].signal)
            return &s->tasks.v[i];
    return NULL;
}

static enum job_state state_of_kill(enum kill_cause cause, enum job_state otherwise)
{
    switch (cause) {
    case KILL_CANCEL:
    case KILL_REQUEUE:
    case KILL_OWNER_GONE:
    case KILL_TIMEOUT: /* Slurm's batch step of a job over its limit is a cancelled one */
    case KILL_PREEMPT: return JOB_CANCELLED;
    case KILL_NODE_FAIL: return JOB_NODE_FAIL;
    case KILL_OOM: return JOB_OUT_OF_MEMORY;
    case KILL_STEP_FAILED:
    case KILL_DEADLINE:
    case KILL_JOB_ENDED: return JOB_CANCELLED;
    case KILL_NONE:
    case KILL_DEPENDENCY:
    case KILL_N_CAUSES: break;
    }
    return otherwise;
}

static bool acctvalues_is_limited(const struct step *s)
{
    return s->time_limit_s && s->time_limit_s < DURATION_NOT_SET;
}

static enum job_state state_of_step(const struct job *j, const struct step *s)
{
    const struct task *bad = first_bad_task(s);
    if (!s->done && !acctvalues_is_over(j))
        return step_has_begun(s) ? JOB_RUNNING : JOB_PENDING;
    if (!bad)
        return JOB_COMPLETED;
    if (bad->end_kind == END_OOM)
        return JOB_OUT_OF_MEMORY;
    if (bad->end_kind == END_NODE_REBOOT || bad->end_kind == END_LEASE)
        return JOB_NODE_FAIL;
    if (bad->end_kind == END_TIMEOUT) /* its own limit, or as it is with Slurm its job's */
        return acctvalues_is_limited(s) && s->kill_cause == KILL_NONE ? JOB_TIMEOUT : JOB_CANCELLED;
    if (bad->end_kind == END_KILLED || bad->end_kind == END_NOT_RUN || bad->killing)
        return state_of_kill(s->kill_cause != KILL_NONE ? (enum kill_cause)s->kill_cause
                                                        : (enum kill_cause)j->kill_cause,
                             JOB_CANCELLED);
    return JOB_FAILED;
}

/* COMPLETED, "CANCELLED by 1000" ...: the state of a row. */
static void acctvalues_append_state(struct str *out, const struct acct_row *r)
{
    const struct job *j = r->job;
    enum job_state s = (enum job_state)j->state;
    if (acctvalues_is_step(r))
        s = state_of_step(j, r->step);
    else if (r->kind == ACCT_EXTERN)
        s = acctvalues_is_over(j) ? JOB_COMPLETED : JOB_RUNNING;
    if (r->kind == ACCT_JOB && run_was_requeued(j)) {
        str_append(out, "REQUEUED");
        return;
    }
    /* Accounting knows no cleaning up: the job runs until it is over. */
    str_append(out, job_state_long(s == JOB_COMPLETING ? JOB_RUNNING : s));
    if (r->kind == ACCT_JOB && s == JOB_CANCELLED && j->kill_cause == KILL_CANCEL)
        str_appendf(out, " by %u", job_rare(j)->kill_uid);
}

ACCT_VALUE(state)
{
    acctvalues_append_state(out, r);
}
ACCT_VALUE(exit_code)
{
    struct step_exit end = acctvalues_is_step(r) ? step_exit(r->job, r->step) : (struct step_exit){0};
    if (acctvalues_is_step(r))
        str_appendf(out, "%d:%d", end.code & 0xff, end.signal & 0x7f);
    else if (r->kind == ACCT_EXTERN)
        str_append(out, "0:0");
    else
        jobtext_exit(out, r->job);
}
GET_OF_JOB(derived_exit_code, str_appendf(out, "%d:0", job_rare(j)->derived_code & 0xff))

/* --- times --- */

static struct wall start_of(const struct acct_row *r, const struct acct_cx *cx)
{
    struct wall t = acctvalues_is_step(r) ? r->step->t_start : r->job->t_start;
    if (r->job->state == JOB_PENDING)
        t = (struct wall){0};
    if (cx->truncate && wall_is_set(t) && wall_is_set(cx->since) && t.ms < cx->since.ms)
        t = cx->since;
    return t;
}

/* Steps that were cut short with their job end with it. */
static struct wall acctvalues_end_of(const struct acct_row *r, const struct acct_cx *cx)
{
    struct wall t = acctvalues_is_step(r) && wall_is_set(r->step->t_end) ? r->step->t_end : r->job->t_end;
    if (acctvalues_is_step(r) && !wall_is_set(r->step->t_end) && !acctvalues_is_over(r->job))
        t = (struct wall){0};
    if (cx->truncate && wall_is_set(cx->until) && (!wall_is_set(t) || t.ms > cx->until.ms))
        t = cx->until;
    return t;
}

/* Time in which the job was suspended does not count. How much of it lies within a step is not recorded: a
 * step ran for no longer than its job. */
static int64_t elapsed_s(const struct acct_row *r, const struct acct_cx *cx)
{
    struct wall from = start_of(r, cx), to = acctvalues_end_of(r, cx);
    int64_t all = wall_is_set(from) ? wall_elapsed_s(from, wall_is_set(to) ? to : cx->now) : 0;
    bool paused = r->job->state == JOB_SUSPENDED || job_rare(r->job)->suspended_ms;
    int64_t ran = paused ? job_run_s(r->job, cx->now) : all;
    return ran < all ? ran : all;
}

void acct_append_padded(struct str *out, int64_t s)
{
    char buf[UNITS_TEXT_SIZE];
    str_append(out, duration_format_padded(s < DURATION_NOT_SET ? (uint32_t)s : DURATION_NOT_SET - 1, buf));
}

ACCT_VALUE(submit)
{
    timetext_append(out, &cx->time, acctvalues_is_step(r) ? r->step->t_start : r->job->t_submit, "Unknown");
}
GET_OF_JOB(eligible, timetext_append(out, &cx->time, j->t_eligible, "Unknown"))
ACCT_VALUE(start)
{
    timetext_append(out, &cx->time, start_of(r, cx), acctvalues_is_over(r->job) ? "None" : "Unknown");
}
ACCT_VALUE(end)
{
    timetext_append(out, &cx->time, acctvalues_end_of(r, cx), "Unknown");
}
ACCT_VALUE(elapsed)
{
    acct_append_padded(out, elapsed_s(r, cx));
}
ACCT_VALUE(elapsed_raw)
{
    text_append_u64(out, (uint64_t)elapsed_s(r, cx));
}
GET_OF_JOB(suspended, acct_append_padded(out, (int64_t)(job_rare(j)->suspended_ms / 1000)))
static int64_t planned_s(const struct job *j, const struct acct_cx *cx)
{
    struct wall from = wall_is_set(j->t_eligible) ? j->t_eligible : j->t_submit;
    struct wall to = j->state != JOB_PENDING && wall_is_set(j->t_start) ? j->t_start
                     : wall_is_set(j->t_end)                            ? j->t_end
                                                                        : cx->now;
    return wall_elapsed_s(from, to);
}
GET_OF_JOB(planned, acct_append_padded(out, planned_s(j, cx)))
GET_OF_JOB(planned_cpu, acct_append_padded(out, planned_s(j, cx) * job_cpus(j)))
GET_OF_JOB(planned_cpu_raw, text_append_u64(out, (uint64_t)planned_s(j, cx) * job_cpus(j)))
static void acctvalues_append_limit(struct str *out, const struct job *j, const struct acct_cx *cx,
                                    bool raw)
{
    uint32_t s = job_limit_s(j, cx->m);
    if (s == DURATION_UNLIMITED)
        str_append(out, "UNLIMITED");
    else if (s == DURATION_NOT_SET)
        str_append(out, "Partition_Limit");
    else if (raw)
        text_append_u64(out, s / 60);
    else
        acct_append_padded(out, s);
}
GET_OF_JOB(limit, acctvalues_append_limit(out, j, cx, false))
GET_OF_JOB(limit_raw, acctvalues_append_limit(out, j, cx, true))

/* --- resources --- */

static uint32_t cpus_of(const struct acct_row *r)
{
    uint32_t n = 0;
    if (!acctvalues_is_step(r))
        return r->job->state == JOB_PENDING ? 0 : job_cpus(r->job);
    for (size_t i = 0; i < r->step->tasks.n; i++)
        n += cpuset_count(&r->step->tasks.v[i].alloc.cpus);
    return n ? n : job_cpus(r->job);
}

static uint32_t acctvalues_nodes_of(const struct acct_row *r)
{
    if (!acctvalues_is_step(r))
        return r->job->state == JOB_PENDING ? 0 : job_nodes(r->job);
    return r->step->tasks.n ? (uint32_t)r->step->tasks.n : r->step->nodes;
}

/* Of a job that was over before it started, nothing was allocated. */
static bool had_allocation(const struct acct_row *r)
{
    return r->job->state != JOB_PENDING && wall_is_set(r->job->t_start);
}

ACCT_VALUE(alloc_cpus)
{
    text_append_u64(out, had_allocation(r) ? cpus_of(r) : 0);
}
ACCT_VALUE(ncpus)
{
    text_append_u64(out, had_allocation(r) ? cpus_of(r) : job_cpus(r->job));
}
ACCT_VALUE(req_cpus)
{
    struct job_need need;
    if (acctvalues_is_step(r) || r->job->kind == JOB_KIND_STEPS) {
        text_append_u64(out, acctvalues_is_step(r) ? cpus_of(r) : job_cpus(r->job));
        return;
    }
    job_need(&r->job->req, &need);
    text_append_u64(out, need.cpus);
}
ACCT_VALUE(alloc_nodes)
{
    text_append_u64(out, had_allocation(r) ? acctvalues_nodes_of(r) : 0);
}
ACCT_VALUE(nnodes)
{
    text_append_u64(out, had_allocation(r) ? acctvalues_nodes_of(r) : job_nodes(r->job));
}
GET_OF_JOB(req_nodes, text_append_u64(out, j->req.nodes_min == NOT_GIVEN ? 1 : j->req.nodes_min))
ACCT_VALUE(ntasks)
{
    if (acctvalues_is_step(r))
        text_append_u64(out, r->step->n_ranks ? r->step->n_ranks : 1);
    else if (r->kind == ACCT_EXTERN)
        text_append_u64(out, job_nodes(r->job));
}
ACCT_VALUE(node_list)
{
    size_t at = out->len;
    if (acctvalues_is_step(r))
        steptext_nodes(out, r->step);
    else
        jobtext_nodes(out, r->job);
    if (out->len == at)
        str_append(out, "None assigned");
}
GET_OF_JOB(req_mem, jobtext_mem(out, job_mem_mib(j), false))

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Accounting sorts them by name. */
static void acctvalues_append_tres(struct str *out, const struct acct_row *r, const struct acct_cx *cx)
{
    struct str text = STR_INIT;
    jobtext_tres(&text, r->job, cx->m);
    struct strv items = strv_split(text.s, ",");
    if (items.n)
        qsort(items.v, items.n, sizeof items.v[0], by_text);
    char *joined = strv_join(&items, ",");
    str_append(out, joined);
    free(joined);
    strv_fini(&items);
    str_fini(&text);
}
ACCT_VALUE(alloc_tres)
{
    if (!had_allocation(r))
        return;
    if (acctvalues_is_step(r))
        str_appendf(out, "cpu=%u,node=%u", cpus_of(r), acctvalues_nodes_of(r));
    else
        acctvalues_append_tres(out, r, cx);
}
GET_OF_JOB(req_tres, acctvalues_append_tres(out, r, cx))
ACCT_VALUE(layout)
{
    if (acctvalues_is_step(r) && r->step->id >= 0)
        str_append(out, r->step->distribution ? "Cyclic" : "Block");
}

ACCT_VALUE(cpu_time)
{
    acct_append_padded(out, elapsed_s(r, cx) * cpus_of(r));
}
ACCT_VALUE(cpu_time_raw)
{
    text_append_u64(out, (uint64_t)elapsed_s(r, cx) * cpus_of(r));
}
