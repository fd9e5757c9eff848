/* acctfields.c - what sacct and sstat print of a job and of a step. */
#include "src/cli/acctfields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/base/hostlist.h"
#include "src/base/units.h"
#include "src/model/filename.h"
#include "src/model/jobtext.h"
#include "src/model/need.h"
#include "src/model/runs.h"

#define GET(NAME)                                                                                  \
    static void get_##NAME(                                                                        \
        __attribute__((unused)) struct str *out, __attribute__((unused)) const struct acct_row *r, \
        __attribute__((unused)) const struct acct_cx *cx)

/* A field that only jobs have. */
#define GET_OF_JOB(NAME, CALL)       \
    GET(NAME)                        \
    {                                \
        const struct job *j = r->job; \
        (void)j;                      \
        if (r->kind == ACCT_JOB)     \
            CALL;                    \
    }

GET(nothing)
{
}

static bool is_step(const struct acct_row *r)
{
    return r->kind == ACCT_STEP;
}

static bool is_over(const struct job *j)
{
    return job_state_is_final((enum job_state)j->state);
}

/* --- who and what --- */

static void append_step(struct str *out, const struct acct_row *r)
{
    char buf[16];
    if (r->kind == ACCT_JOB)
        return;
    str_append_char(out, '.');
    str_append(out, r->kind == ACCT_EXTERN ? "extern" : step_format_id(r->step->id, buf));
}

GET(job_id)
{
    jobtext_id(out, r->job, BITSTR_LEN_DEFAULT);
    append_step(out, r);
}
GET(job_id_raw)
{
    text_append_u64(out, r->job->id);
    append_step(out, r);
}
GET(job_name)
{
    if (is_step(r) && r->step->id == STEP_BATCH)
        str_append(out, "batch");
    else if (is_step(r))
        text_append_foreign(out, r->step->name ? r->step->name : r->step->command, "");
    else
        text_append_foreign(out, r->kind == ACCT_EXTERN ? "extern" : r->job->req.name, "");
}
GET_OF_JOB(partition, text_append_foreign(out, j->partition ? j->partition : j->req.partition, ""))
GET(account)
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
GET_OF_JOB(group, text_append_foreign(out, j->group, ""))
GET_OF_JOB(gid, text_append_u64(out, j->gid))
GET(cluster)
{
    text_append_foreign(out, cx->m->spec.name, "");
}
GET_OF_JOB(qos, text_append_foreign(out, j->req.qos, ""))
GET_OF_JOB(wckey, text_append_foreign(out, req_rare(&j->req)->wckey, ""))
GET_OF_JOB(comment, text_append_foreign(out, req_rare(&j->req)->comment, ""))
GET_OF_JOB(constraints, text_append_foreign(out, j->req.features, ""))
GET_OF_JOB(reservation, text_append_foreign(out, req_rare(&j->req)->reservation, ""))
GET_OF_JOB(licenses, text_append_foreign(out, j->req.licenses, ""))
GET_OF_JOB(work_dir, text_append_foreign(out, j->req.workdir, ""))
GET_OF_JOB(priority, text_append_u64(out, j->priority))
GET_OF_JOB(restarts, text_append_u64(out, j->restarts))
GET_OF_JOB(reason, jobtext_reason(out, j))
GET(submit_line)
{
    if (r->kind == ACCT_JOB)
        text_append_foreign(out, r->job->command, "");
    else if (is_step(r))
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

static enum job_state state_of_step(const struct job *j, const struct step *s)
{
    const struct task *bad = first_bad_task(s);
    if (!s->done && !is_over(j))
        return s->tasks.n ? JOB_RUNNING : JOB_PENDING;
    if (!bad)
        return JOB_COMPLETED;
    if (bad->end_kind == END_OOM)
        return JOB_OUT_OF_MEMORY;
    if (bad->end_kind == END_NODE_REBOOT || bad->end_kind == END_LEASE)
        return JOB_NODE_FAIL;
    if (bad->end_kind == END_TIMEOUT)
        return s->kill_cause == KILL_TIMEOUT ? JOB_TIMEOUT : JOB_CANCELLED;
    if (bad->end_kind == END_KILLED || bad->end_kind == END_NOT_RUN || bad->killing)
        return state_of_kill(s->kill_cause != KILL_NONE ? (enum kill_cause)s->kill_cause
                                                        : (enum kill_cause)j->kill_cause,
                             JOB_CANCELLED);
    return JOB_FAILED;
}

void acct_append_state(struct str *out, const struct acct_row *r)
{
    const struct job *j = r->job;
    enum job_state s = (enum job_state)j->state;
    if (is_step(r))
        s = state_of_step(j, r->step);
    else if (r->kind == ACCT_EXTERN)
        s = is_over(j) ? JOB_COMPLETED : JOB_RUNNING;
    if (r->kind == ACCT_JOB && run_was_requeued(j)) {
        str_append(out, "REQUEUED");
        return;
    }
    /* Accounting knows no cleaning up: the job runs until it is over. */
    str_append(out, job_state_long(s == JOB_COMPLETING ? JOB_RUNNING : s));
    if (r->kind == ACCT_JOB && s == JOB_CANCELLED && j->kill_cause == KILL_CANCEL)
        str_appendf(out, " by %u", job_rare(j)->kill_uid);
}

GET(state)
{
    acct_append_state(out, r);
}
GET(exit_code)
{
    if (is_step(r))
        str_appendf(out, "%d:%d", r->step->code & 0xff, r->step->signal & 0x7f);
    else if (r->kind == ACCT_EXTERN)
        str_append(out, "0:0");
    else
        jobtext_exit(out, r->job);
}
GET_OF_JOB(derived_exit_code, str_appendf(out, "%d:0", job_rare(j)->derived_code & 0xff))

/* --- times --- */

static struct wall start_of(const struct acct_row *r, const struct acct_cx *cx)
{
    struct wall t = is_step(r) ? r->step->t_start : r->job->t_start;
    if (r->job->state == JOB_PENDING)
        t = (struct wall){0};
    if (cx->truncate && wall_is_set(t) && wall_is_set(cx->since) && t.ms < cx->since.ms)
        t = cx->since;
    return t;
}

/* Steps that were cut short with their job end with it. */
static struct wall end_of(const struct acct_row *r, const struct acct_cx *cx)
{
    struct wall t = is_step(r) && wall_is_set(r->step->t_end) ? r->step->t_end : r->job->t_end;
    if (is_step(r) && !wall_is_set(r->step->t_end) && !is_over(r->job))
        t = (struct wall){0};
    if (cx->truncate && wall_is_set(cx->until) && (!wall_is_set(t) || t.ms > cx->until.ms))
        t = cx->until;
    return t;
}

static int64_t elapsed_s(const struct acct_row *r, const struct acct_cx *cx)
{
    struct wall from = start_of(r, cx), to = end_of(r, cx);
    return wall_is_set(from) ? wall_elapsed_s(from, wall_is_set(to) ? to : cx->now) : 0;
}

static void append_padded(struct str *out, int64_t s)
{
    char buf[UNITS_TEXT_SIZE];
    str_append(out, duration_format_padded(s < DURATION_NOT_SET ? (uint32_t)s : DURATION_NOT_SET - 1, buf));
}

GET(submit)
{
    timetext_append(out, &cx->time, is_step(r) ? r->step->t_start : r->job->t_submit, "Unknown");
}
GET_OF_JOB(eligible, timetext_append(out, &cx->time, j->t_eligible, "Unknown"))
GET(start)
{
    timetext_append(out, &cx->time, start_of(r, cx), is_over(r->job) ? "None" : "Unknown");
}
GET(end)
{
    timetext_append(out, &cx->time, end_of(r, cx), "Unknown");
}
GET(elapsed)
{
    append_padded(out, elapsed_s(r, cx));
}
GET(elapsed_raw)
{
    text_append_u64(out, (uint64_t)elapsed_s(r, cx));
}
GET_OF_JOB(suspended, append_padded(out, (int64_t)(job_rare(j)->suspended_ms / 1000)))
static int64_t planned_s(const struct job *j, const struct acct_cx *cx)
{
    struct wall from = wall_is_set(j->t_eligible) ? j->t_eligible : j->t_submit;
    struct wall to = j->state != JOB_PENDING && wall_is_set(j->t_start) ? j->t_start
                     : wall_is_set(j->t_end)                            ? j->t_end
                                                                        : cx->now;
    return wall_elapsed_s(from, to);
}
GET_OF_JOB(planned, append_padded(out, planned_s(j, cx)))
GET_OF_JOB(planned_cpu, append_padded(out, planned_s(j, cx) * job_cpus(j)))
GET_OF_JOB(planned_cpu_raw, text_append_u64(out, (uint64_t)planned_s(j, cx) * job_cpus(j)))
static void append_limit(struct str *out, const struct job *j, const struct acct_cx *cx, bool raw)
{
    uint32_t s = job_limit_s(j, cx->m);
    if (s == DURATION_UNLIMITED)
        str_append(out, "UNLIMITED");
    else if (s == DURATION_NOT_SET)
        str_append(out, "Partition_Limit");
    else if (raw)
        text_append_u64(out, s / 60);
    else
        append_padded(out, s);
}
GET_OF_JOB(limit, append_limit(out, j, cx, false))
GET_OF_JOB(limit_raw, append_limit(out, j, cx, true))

/* --- resources --- */

static uint32_t cpus_of(const struct acct_row *r)
{
    uint32_t n = 0;
    if (!is_step(r))
        return r->job->state == JOB_PENDING ? 0 : job_cpus(r->job);
    for (size_t i = 0; i < r->step->tasks.n; i++)
        n += cpuset_count(&r->step->tasks.v[i].alloc.cpus);
    return n ? n : job_cpus(r->job);
}

static uint32_t nodes_of(const struct acct_row *r)
{
    if (!is_step(r))
        return r->job->state == JOB_PENDING ? 0 : job_nodes(r->job);
    return r->step->tasks.n ? (uint32_t)r->step->tasks.n : r->step->nodes;
}

/* Of a job that was over before it started, nothing was allocated. */
static bool had_allocation(const struct acct_row *r)
{
    return r->job->state != JOB_PENDING && wall_is_set(r->job->t_start);
}

GET(alloc_cpus)
{
    text_append_u64(out, had_allocation(r) ? cpus_of(r) : 0);
}
GET(ncpus)
{
    text_append_u64(out, had_allocation(r) ? cpus_of(r) : job_cpus(r->job));
}
GET(req_cpus)
{
    struct job_need need;
    if (is_step(r) || r->job->kind == JOB_KIND_STEPS) {
        text_append_u64(out, is_step(r) ? cpus_of(r) : job_cpus(r->job));
        return;
    }
    job_need(&r->job->req, &need);
    text_append_u64(out, need.cpus);
}
GET(alloc_nodes)
{
    text_append_u64(out, had_allocation(r) ? nodes_of(r) : 0);
}
GET(nnodes)
{
    text_append_u64(out, had_allocation(r) ? nodes_of(r) : job_nodes(r->job));
}
GET_OF_JOB(req_nodes, text_append_u64(out, j->req.nodes_min == NOT_GIVEN ? 1 : j->req.nodes_min))
GET(ntasks)
{
    if (is_step(r))
        text_append_u64(out, r->step->n_ranks ? r->step->n_ranks : 1);
    else if (r->kind == ACCT_EXTERN)
        text_append_u64(out, job_nodes(r->job));
}
GET(node_list)
{
    size_t at = out->len;
    if (is_step(r))
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
static void append_tres(struct str *out, const struct acct_row *r, const struct acct_cx *cx)
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
GET(alloc_tres)
{
    if (!had_allocation(r))
        return;
    if (is_step(r))
        str_appendf(out, "cpu=%u,node=%u", cpus_of(r), nodes_of(r));
    else
        append_tres(out, r, cx);
}
GET_OF_JOB(req_tres, append_tres(out, r, cx))
GET(layout)
{
    if (is_step(r) && r->step->id >= 0)
        str_append(out, r->step->distribution ? "Cyclic" : "Block");
}

/* --- use --- */

struct use {
    uint64_t cpu_ms, max_rss_kib, sum_rss_kib, min_cpu_ms;
    uint32_t ranks;
    const struct task *max_rss, *min_cpu;
};

static void add_use(struct use *u, const struct step *s)
{
    for (size_t i = 0; i < s->tasks.n; i++) {
        const struct task *t = &s->tasks.v[i];
        u->cpu_ms += t->cpu_ms;
        u->sum_rss_kib += t->peak_rss_kib;
        u->ranks += t->n_ranks ? t->n_ranks : 1;
        if (!u->max_rss || t->peak_rss_kib > u->max_rss_kib) {
            u->max_rss = t;
            u->max_rss_kib = t->peak_rss_kib;
        }
        if (!u->min_cpu || t->cpu_ms < u->min_cpu_ms) {
            u->min_cpu = t;
            u->min_cpu_ms = t->cpu_ms;
        }
    }
}

static struct use use_of(const struct acct_row *r)
{
    struct use u = {0};
    if (is_step(r))
        add_use(&u, r->step);
    for (size_t i = 0; r->kind == ACCT_JOB && i < r->job->steps.n; i++)
        add_use(&u, &r->job->steps.v[i]);
    if (r->live && r->live->known) {
        u.cpu_ms = r->live->cpu_ms;
        u.max_rss_kib = u.sum_rss_kib = r->live->rss_kib;
    }
    return u;
}

/* "00:01.250", "01:02:03", "1-02:03:04". Source: sacct(1), TotalCPU. */
static void append_cpu_ms(struct str *out, uint64_t ms)
{
    uint64_t s = ms / 1000;
    if (s >= 3600)
        append_padded(out, (int64_t)s);
    else
        str_appendf(out, "%02u:%02u.%03u", (unsigned)(s / 60), (unsigned)(s % 60), (unsigned)(ms % 1000));
}

/* Amounts of memory: in KiB, or in the unit that --units names. */
static void append_size(struct str *out, uint64_t kib, const struct acct_cx *cx)
{
    static const char units[] = "KMGTP";
    const char *at = cx->units ? strchr(units, cx->units) : units;
    double v = (double)kib;
    for (const char *p = units; at && p < at; p++)
        v /= 1024;
    if (!kib)
        str_append(out, "0");
    else if (!at || at == units)
        str_appendf(out, "%lluK", (unsigned long long)kib);
    else if (v == (double)(uint64_t)v)
        str_appendf(out, "%llu%c", (unsigned long long)v, *at);
    else
        str_appendf(out, "%.2f%c", v, *at);
}

/* Steps alone have figures of memory, as in Slurm; without a measurement the cell is empty. */
static bool has_use(const struct acct_row *r, const struct use *u)
{
    return is_step(r) && (u->max_rss_kib || u->cpu_ms || r->step->done);
}

GET(total_cpu)
{
    append_cpu_ms(out, use_of(r).cpu_ms);
}
GET(ave_cpu)
{
    struct use u = use_of(r);
    if (has_use(r, &u))
        append_padded(out, (int64_t)(u.cpu_ms / 1000 / (u.ranks ? u.ranks : 1)));
}
GET(min_cpu)
{
    struct use u = use_of(r);
    if (has_use(r, &u))
        append_padded(out, (int64_t)(u.min_cpu_ms / 1000));
}
GET(min_cpu_node)
{
    struct use u = use_of(r);
    if (has_use(r, &u) && u.min_cpu)
        text_append_foreign(out, u.min_cpu->alloc.node, "");
}
GET(min_cpu_task)
{
    struct use u = use_of(r);
    if (has_use(r, &u) && u.min_cpu)
        text_append_u64(out, u.min_cpu->rank_base);
}
GET(max_rss)
{
    struct use u = use_of(r);
    if (has_use(r, &u))
        append_size(out, u.max_rss_kib, cx);
}
GET(max_rss_node)
{
    struct use u = use_of(r);
    if (has_use(r, &u))
        text_append_foreign(out,
                            r->live && r->live->node ? r->live->node
                            : u.max_rss              ? u.max_rss->alloc.node
                                                     : NULL,
                            "");
}
GET(max_rss_task)
{
    struct use u = use_of(r);
    if (has_use(r, &u) && u.max_rss)
        text_append_u64(out, u.max_rss->rank_base);
}
GET(ave_rss)
{
    struct use u = use_of(r);
    if (has_use(r, &u))
        append_size(out, u.sum_rss_kib / (u.ranks ? u.ranks : 1), cx);
}
GET(cpu_time)
{
    append_padded(out, elapsed_s(r, cx) * cpus_of(r));
}
GET(cpu_time_raw)
{
    text_append_u64(out, (uint64_t)elapsed_s(r, cx) * cpus_of(r));
}
GET(tres_usage)
{
    struct use u = use_of(r);
    if (has_use(r, &u))
        str_appendf(out, "cpu=%02llu:%02llu:%02llu,mem=%lluK", (unsigned long long)(u.cpu_ms / 3600000),
                    (unsigned long long)(u.cpu_ms / 60000 % 60), (unsigned long long)(u.cpu_ms / 1000 % 60),
                    (unsigned long long)u.max_rss_kib);
}
GET(pids)
{
    bool any = false;
    for (size_t i = 0; is_step(r) && i < r->step->tasks.n; i++)
        if (r->step->tasks.v[i].pid) {
            str_appendf(out, "%s%u", any ? "," : "", r->step->tasks.v[i].pid);
            any = true;
        }
}

#define F(NAME, WIDTH, GETTER)                            \
    {                                                     \
        .name = NAME, .width = WIDTH, .get = get_##GETTER \
    }

static const struct acct_field fields[] = {
    /* clang-format off */
    F("Account", 10, account), F("AdminComment", 19, nothing), F("AllocCPUS", 10, alloc_cpus),
    F("AllocNodes", 10, alloc_nodes), F("AllocTRES", 10, alloc_tres), F("AssocID", 7, assoc_id),
    F("AveCPU", 10, ave_cpu), F("AveCPUFreq", 10, nothing), F("AveDiskRead", 14, nothing),
    F("AveDiskWrite", 14, nothing), F("AvePages", 10, nothing), F("AveRSS", 10, ave_rss),
    F("AveVMSize", 10, nothing), F("BlockID", 16, nothing), F("Cluster", 10, cluster),
    F("Comment", 14, comment), F("Constraints", 19, constraints), F("ConsumedEnergy", 14, nothing),
    F("ConsumedEnergyRaw", 17, nothing), F("Container", 19, nothing), F("CPUTime", 10, cpu_time),
    F("CPUTimeRAW", 10, cpu_time_raw), F("DBIndex", 10, job_id_raw), F("DerivedExitCode", 15, derived_exit_code),
    F("Elapsed", 10, elapsed), F("ElapsedRaw", 10, elapsed_raw), F("Eligible", 19, eligible),
    F("End", 19, end), F("ExitCode", 8, exit_code), F("Extra", 19, nothing), F("FailedNode", 19, nothing),
    F("Flags", 20, flags), F("GID", 6, gid), F("Group", 9, group), F("JobID", -12, job_id),
    F("JobIDRaw", -12, job_id_raw), F("JobName", 10, job_name), F("Layout", 9, layout),
    F("Licenses", 10, licenses), F("MaxDiskRead", 12, nothing), F("MaxDiskReadNode", 15, nothing),
    F("MaxDiskReadTask", 15, nothing), F("MaxDiskWrite", 12, nothing), F("MaxDiskWriteNode", 16, nothing),
    F("MaxDiskWriteTask", 16, nothing), F("MaxPages", 8, nothing), F("MaxPagesNode", 12, nothing),
    F("MaxPagesTask", 14, nothing), F("MaxRSS", 10, max_rss), F("MaxRSSNode", 10, max_rss_node),
    F("MaxRSSTask", 10, max_rss_task), F("MaxVMSize", 10, nothing), F("MaxVMSizeNode", 14, nothing),
    F("MaxVMSizeTask", 14, nothing), F("McsLabel", 10, nothing), F("MinCPU", 10, min_cpu),
    F("MinCPUNode", 10, min_cpu_node), F("MinCPUTask", 10, min_cpu_task), F("NCPUS", 10, ncpus),
    F("NNodes", 8, nnodes), F("NodeList", 15, node_list), F("NTasks", 8, ntasks),
    F("Nodes", 15, node_list), F("Partition", 10, partition), F("Pids", 15, pids), F("Planned", 10, planned),
    F("PlannedCPU", 10, planned_cpu), F("PlannedCPURAW", 13, planned_cpu_raw), F("Priority", 10, priority),
    F("QOS", 10, qos), F("QOSRAW", 6, nothing), F("QOSREQ", 10, qos), F("Reason", 22, reason),
    F("ReqCPUFreq", 10, nothing), F("ReqCPUFreqGov", 13, nothing), F("ReqCPUFreqMax", 13, nothing),
    F("ReqCPUFreqMin", 13, nothing), F("ReqCPUS", 8, req_cpus), F("ReqGRES", 10, nothing), F("ReqMem", 10, req_mem),
    F("ReqNodes", 8, req_nodes), F("ReqTRES", 10, req_tres), F("Reservation", 20, reservation),
    F("ReservationId", 13, nothing), F("Reserved", 10, planned), F("Restarts", 8, restarts),
    F("ResvCPU", 10, planned_cpu), F("ResvCPURAW", 10, planned_cpu_raw), F("Start", 19, start),
    F("State", 10, state), F("StdErr", 20, std_err), F("StdIn", 20, std_in), F("StdOut", 20, std_out),
    F("Submit", 19, submit), F("SubmitLine", 20, submit_line), F("Suspended", 10, suspended),
    F("SystemComment", 20, nothing), F("SystemCPU", 10, nothing), F("Timelimit", 10, limit),
    F("TimelimitRaw", 12, limit_raw), F("TotalCPU", 10, total_cpu), F("TRESUsageInAve", 14, tres_usage),
    F("TRESUsageInMax", 14, tres_usage), F("TRESUsageInMaxNode", 18, nothing), F("TRESUsageInMaxTask", 18, nothing),
    F("TRESUsageInMin", 14, nothing), F("TRESUsageInMinNode", 18, nothing), F("TRESUsageInMinTask", 18, nothing),
    F("TRESUsageInTot", 14, tres_usage), F("TRESUsageOutAve", 15, nothing), F("TRESUsageOutMax", 15, nothing),
    F("TRESUsageOutMaxNode", 19, nothing), F("TRESUsageOutMaxTask", 19, nothing), F("TRESUsageOutMin", 15, nothing),
    F("TRESUsageOutMinNode", 19, nothing), F("TRESUsageOutMinTask", 19, nothing), F("TRESUsageOutTot", 15, nothing),
    F("UID", 6, uid), F("User", 9, user), F("UserCPU", 10, nothing), F("WCKey", 10, wckey),
    F("WCKeyID", 8, nothing), F("WorkDir", 20, work_dir),
    /* clang-format on */
};
#define N_FIELDS (sizeof fields / sizeof fields[0])

const struct acct_field *acct_field_find(const char *name, size_t n)
{
    /* a beginning will do, as in Slurm: the first field that fits is meant */
    for (size_t i = 0; n && i < N_FIELDS; i++)
        if (strlen(fields[i].name) == n && strncasecmp(fields[i].name, name, n) == 0)
            return &fields[i];
    for (size_t i = 0; n && i < N_FIELDS; i++)
        if (strncasecmp(fields[i].name, name, n) == 0)
            return &fields[i];
    return NULL;
}

void acct_fields_list(struct str *out)
{
    for (size_t i = 0; i < N_FIELDS; i++)
        str_appendf(out, "%-19s%s", fields[i].name, i % 4 == 3 || i + 1 == N_FIELDS ? "\n" : " ");
}

void acct_rows(const struct job *j, bool steps, void (*fn)(void *ctx, const struct acct_row *r), void *ctx)
{
    struct acct_row row = {.kind = ACCT_JOB, .job = j};
    fn(ctx, &row);
    if (!steps || !wall_is_set(j->t_start) || j->state == JOB_PENDING)
        return;
    const struct step *batch = job_find_step(j, STEP_BATCH);
    if (batch)
        fn(ctx, &(struct acct_row){.kind = ACCT_STEP, .job = j, .step = batch});
    if (j->kind != JOB_KIND_STEPS)
        fn(ctx, &(struct acct_row){.kind = ACCT_EXTERN, .job = j});
    for (size_t i = 0; i < j->steps.n; i++)
        if (&j->steps.v[i] != batch && j->steps.v[i].tasks.n)
            fn(ctx, &(struct acct_row){.kind = ACCT_STEP, .job = j, .step = &j->steps.v[i]});
}
