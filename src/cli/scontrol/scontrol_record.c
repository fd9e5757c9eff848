/* scontrol_record.c - the records of scontrol show.
 *
 * Keys and their order were seen on Slurm 22.05 and read in scontrol(1); clients split at blanks and the
 * first '='.
 */
#include "src/cli/scontrol/scontrol_record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/jobattr/jobattr.h"
#include "src/jobenv/filename.h"
#include "src/model/fold/jobevents.h"
#include "src/model/jobeffective.h"
#include "src/model/nodestate.h"
#include "src/model/usage.h"
#include "src/text/eventtext.h"
#include "src/text/jobtext.h"
#include "src/text/nodetext.h"
#include "src/values/hostlist.h"
#include "src/values/units.h"

#define NULL_TEXT "(null)"

void record_begin(struct show_record *r, struct str *out, bool oneline)
{
    *r = (struct show_record){.out = out, .oneline = oneline, .line_begins = true};
}

void record_line(struct show_record *r)
{
    str_append(r->out, r->oneline ? " " : "\n   ");
    r->line_begins = true;
}

void record_end(struct show_record *r)
{
    str_append(r->out, r->oneline ? "\n" : "\n\n");
}

static void record_add_key(struct show_record *r, const char *key)
{
    if (!r->line_begins)
        str_append_char(r->out, ' ');
    r->line_begins = false;
    str_append(r->out, key);
    str_append_char(r->out, '=');
}

void record_add(struct show_record *r, const char *key, const char *fmt, ...)
{
    va_list ap;
    record_add_key(r, key);
    va_start(ap, fmt);
    str_vappendf(r->out, fmt, ap);
    va_end(ap);
}

void record_text(struct show_record *r, const char *key, const char *value)
{
    record_add_key(r, key);
    text_append_foreign(r->out, str_is_empty(value) ? NULL : value, NULL_TEXT);
}

/* A key whose value a function appends: what it leaves out becomes (null). */
#define RECORD_BY(r, key, call)              \
    do {                                     \
        record_add_key(r, key);                     \
        size_t at_ = (r)->out->len;          \
        call;                                \
        if ((r)->out->len == at_)            \
            str_append((r)->out, NULL_TEXT); \
    } while (0)

static void record_time(struct show_record *r, const char *key, const struct timetext *f, struct wall t,
                        const char *unset)
{
    record_add_key(r, key);
    timetext_append(r->out, f, t, unset);
}

static void record_duration(struct show_record *r, const char *key, uint32_t s)
{
    char buf[UNITS_TEXT_SIZE];
    record_add(r, key, "%s", s == DURATION_NOT_SET ? "N/A" : duration_format_padded(s, buf));
}

static uint32_t record_given(uint32_t v, uint32_t otherwise)
{
    return v == NOT_GIVEN ? otherwise : v;
}

/* --- jobs --- */

static void record_attr_value(struct show_record *r, const struct job_attr *a, const struct job_req *q)
{
    if (job_attr_is_text(a)) {
        record_text(r, a->shown, job_attr_text(a, q));
        return;
    }
    record_add_key(r, a->shown);
    if (a->kind == JOB_ATTR_LOST_NODE || a->kind == JOB_ATTR_SWITCHES)
        job_attr_append(r->out, a, q);
    else
        str_appendf(r->out, "%" PRId64, job_attr_number(a, q));
}

/* An attribute of the request that has its place in Slurm's record. */
static void record_attr(struct show_record *r, enum job_attr_id id, const struct job_req *q)
{
    record_attr_value(r, &job_attrs[id], q);
}

/* Those that Slurm does not have: at the end, where they are set. */
static void record_other_attrs(struct show_record *r, const struct job_req *q)
{
    job_attr_for_each (a) {
        bool is_set = a->shown_last && (job_attr_is_text(a) ? !str_is_empty(job_attr_text(a, q))
                                                            : job_attr_number(a, q) != 0);
        if (!is_set)
            continue;
        record_line(r);
        record_attr_value(r, a, q);
    }
}

static void record_job_identity(struct show_record *r, const struct job_row *row, const struct job_cx *cx)
{
    const struct job *j = row->job;
    uint32_t index = row->element != ARRAY_NONE ? row->element : j->array_index;
    record_add(r, "JobId", "%u", j->id);
    if (j->array_job) {
        record_add(r, "ArrayJobId", "%u", j->array_job);
        if (index != ARRAY_NONE) {
            record_add(r, "ArrayTaskId", "%u", index);
        } else {
            char *id = job_format_id(j, cx->bitstr_len);
            const char *open = strchr(id, '[');
            if (open)
                record_add(r, "ArrayTaskId", "%.*s", (int)strcspn(open + 1, "%]"), open + 1);
            free(id);
        }
        if (j->req.array_throttle)
            record_add(r, "ArrayTaskThrottle", "%u", j->req.array_throttle);
    }
    record_attr(r, ATTR_JOB_NAME, &j->req);
    record_line(r);
    record_add(r, "UserId", "%s(%u)", j->user ? j->user : "", j->uid);
    if (job_origin(j)->group)
        record_add(r, "GroupId", "%s(%u)", job_origin(j)->group, job_origin(j)->gid);
    else
        record_add(r, "GroupId", "%u", job_origin(j)->gid);
    record_add(r, "MCS_label", "N/A");
    record_line(r);
    record_add(r, "Priority", "%u", j->priority);
    record_attr(r, ATTR_NICE, &j->req);
    record_attr(r, ATTR_ACCOUNT, &j->req);
    record_text(r, "QOS", job_qos(&j->req));
}

/* Slurm prints it as one word. */
static void record_append_reason(struct str *out, const struct job *j, const struct model *m)
{
    size_t from = out->len;
    jobtext_reason(out, j, m);
    for (size_t i = from; i < out->len; i++)
        out->s[i] = out->s[i] == ' ' ? '_' : out->s[i];
}

static void job_state(struct show_record *r, const struct job *j, const struct job_cx *cx, bool detail)
{
    record_line(r);
    record_add(r, "JobState", "%s", job_state_long((enum job_state)j->state));
    RECORD_BY(r, "Reason", record_append_reason(r->out, j, cx->m));
    RECORD_BY(r, "Dependency", jobtext_dependency(r->out, j, cx->m));
    record_line(r);
    record_add(r, "Requeue", "%d", req_detail(&j->req)->requeue != 2);
    record_add(r, "Restarts", "%u", j->restarts);
    record_add(r, "BatchFlag", "%d", j->kind == JOB_KIND_BATCH);
    record_add(r, "Reboot", "0");
    RECORD_BY(r, "ExitCode", jobtext_exit(r->out, j));
    if (req_rare(&j->req)->lost_node != LOST_NOT_SAID && req_rare(&j->req)->lost_node < LOST_N)
        record_attr(r, ATTR_LOST_NODE, &j->req);
    if (req_rare(&j->req)->limit_restarts)
        record_attr(r, ATTR_RESTART_AT_LIMIT, &j->req);
    if (detail) {
        record_line(r);
        record_add(r, "DerivedExitCode", "%d:0", job_rare(j)->derived_code);
    }
}

static void who_and_when(struct show_record *r, const struct job_cx *cx, const char *who_key,
                         const char *when_key, const struct job *j, uint32_t uid, const char *user,
                         struct wall t)
{
    record_line(r);
    RECORD_BY(r, who_key, jobtext_who(r->out, j, uid, user));
    record_time(r, when_key, &cx->time, t, "Unknown");
}

/* What ended it last, or put it back into the queue, by its events. */
static bool last_action(const struct job *j, struct job_event *ret)
{
    const struct job_rare *rare = job_rare(j);
    for (size_t i = rare->events.n; i-- > 0;) {
        *ret = rare->events.v[i];
        bool by_kill = ret->kind == EV_KILL && ret->step == STEP_ALL;
        if (by_kill && ret->n != KILL_CANCEL && ret->n != KILL_REQUEUE && ret->n != KILL_PREEMPT)
            continue;
        if (by_kill || ret->kind == EV_REQUEUE)
            return true;
    }
    return false;
}

/* What users and other jobs did to it: who, and when. */
static void job_actions(struct show_record *r, const struct job *j, const struct job_cx *cx)
{
    struct job_event e;
    if (j->state == JOB_PENDING && j->hold) {
        uint32_t uid;
        const char *user;
        struct wall t = job_held_since(j, &uid, &user);
        who_and_when(r, cx, "HeldBy", "HoldTime", j, uid, user, t);
    }
    if (!last_action(j, &e))
        return;
    if (e.kind == EV_REQUEUE || e.n == KILL_REQUEUE) {
        who_and_when(r, cx, "RequeuedBy", "RequeueTime", j, e.uid, e.user, e.t);
    } else if (e.n == KILL_CANCEL) {
        who_and_when(r, cx, "CancelledBy", "CancelTime", j, e.uid, e.user, e.t);
    } else {
        record_line(r);
        record_add(r, "PreemptedBy", "%u(%s)", e.by_job, e.user ? e.user : "");
        record_time(r, "PreemptTime", &cx->time, e.t, "Unknown");
    }
}

static void record_job_times(struct show_record *r, const struct job *j, const struct job_cx *cx)
{
    const struct timetext *t = &cx->time;
    bool waits = j->state == JOB_PENDING;
    record_line(r);
    record_duration(r, "RunTime", waits ? 0 : job_run_s(j, cx->now));
    record_duration(r, "TimeLimit", job_limit_s(j, cx->m));
    record_duration(r, "TimeMin", req_detail(&j->req)->time_min_s);
    record_line(r);
    record_time(r, "SubmitTime", t, j->t_submit, "Unknown");
    record_time(r, "EligibleTime", t, j->t_eligible, "Unknown");
    record_line(r);
    record_time(r, "AccrueTime", t, j->t_eligible, "Unknown");
    record_line(r);
    record_time(r, "StartTime", t, waits ? job_rare(j)->t_expected : j->t_start, "Unknown");
    record_time(r, "EndTime", t, job_end_time(j, cx->m), "Unknown");
    record_time(r, "Deadline", t, req_rare(&j->req)->deadline, "N/A");
    record_line(r);
    record_time(r, "SuspendTime", t, job_rare(j)->t_suspend, "None");
    record_add(r, "SecsPreSuspend", "0");
    record_time(r, "LastSchedEval", t, j->t_start, "Unknown");
    record_add(r, "Scheduler", "Backfill");
}

/* The ranges that have an equal share: "Nodes=n1 CPU_IDs=0-1 Mem=100 GRES=" for each node. */
static void job_allocs(struct show_record *r, const struct job *j)
{
    for (size_t i = 0; i < j->alloc.n; i++) {
        const struct alloc *a = &j->alloc.v[i];
        char *cpus = cpuset_format(&a->cpus), *gpus = cpuset_format(&a->gpus);
        record_line(r);
        str_append(r->out, r->oneline ? "" : "  ");
        record_add(r, "Nodes", "%s", a->node);
        record_add(r, "CPU_IDs", "%s", cpus);
        record_add(r, "Mem", "%" PRIu64, a->mem_mib);
        if (*gpus)
            record_add(r, "GRES", "gpu:%u(IDX:%s)", cpuset_count(&a->gpus), gpus);
        else
            record_add(r, "GRES", "%s", "");
        free(cpus);
        free(gpus);
    }
}

static void job_resources(struct show_record *r, const struct job *j, const struct job_cx *cx, bool detail)
{
    const struct job_req *q = &j->req;
    const char *host = job_batch_host(j);
    uint32_t per_task = record_given(q->cpus_per_task, 1),
             per_node = record_given(req_detail(q)->ntasks_per_node, 0);
    record_line(r);
    record_text(r, "Partition", job_partition_text(j));
    record_add(r, "AllocNode:Sid", "%s:0", job_origin(j)->submit_host ? job_origin(j)->submit_host : "");
    record_line(r);
    record_attr(r, ATTR_NODELIST, q);
    record_attr(r, ATTR_EXCLUDE, q);
    record_line(r);
    record_add_key(r, "NodeList"); /* without any it is empty, as observed: not (null) */
    jobtext_nodes(r->out, j);
    if (host) {
        record_line(r);
        record_add(r, "BatchHost", "%s", host);
    }
    record_line(r);
    record_add(r, "NumNodes", "%u", job_nodes(j));
    record_add(r, "NumCPUs", "%u", job_cpus(j));
    record_add(r, "NumTasks", "%u", record_given(q->ntasks, per_node ? per_node * job_nodes(j) : 1));
    record_add(r, "CPUs/Task", "%u", per_task);
    record_add(r, "ReqB:S:C:T", "0:0:*:*");
    record_line(r);
    RECORD_BY(r, "ReqTRES", jobtext_tres(r->out, j, cx->m));
    record_line(r);
    RECORD_BY(r, "AllocTRES", if (j->state != JOB_PENDING) jobtext_tres(r->out, j, cx->m));
    record_line(r);
    record_add(r, "Socks/Node", "*");
    record_add(r, "NtasksPerN:B:S:C", "%u:0:*:*", per_node);
    record_add(r, "CoreSpec", "*");
    if (detail)
        job_allocs(r, j);
    record_line(r);
    record_add(r, "MinCPUsNode", "%u", per_task * (per_node ? per_node : 1));
    bool per_cpu = q->mem_node_mib == MEM_NOT_GIVEN && req_detail(q)->mem_cpu_mib != MEM_NOT_GIVEN;
    RECORD_BY(r, per_cpu ? "MinMemoryCPU" : "MinMemoryNode", jobtext_min_memory(r->out, j, false));
    record_attr(r, ATTR_TMP, q);
    record_line(r);
    record_attr(r, ATTR_CONSTRAINT, q);
    record_add(r, "DelayBoot", "00:00:00");
    record_line(r);
    record_add(r, "OverSubscribe", "%s", jobtext_sharing(j));
    record_attr(r, ATTR_CONTIGUOUS, q);
    record_attr(r, ATTR_LICENSES, q);
    record_add(r, "Network", NULL_TEXT);
}

static void record_path(struct show_record *r, const char *key, char *path)
{
    record_line(r);
    record_text(r, key, path);
    free(path);
}

void record_job(struct str *out, const struct job_row *row, const struct job_cx *cx, bool oneline,
                bool detail)
{
    const struct job *j = row->job;
    struct show_record r;
    record_begin(&r, out, oneline);
    record_job_identity(&r, row, cx);
    job_state(&r, j, cx, detail);
    record_job_times(&r, j, cx);
    job_actions(&r, j, cx);
    job_resources(&r, j, cx, detail);
    record_line(&r);
    record_text(&r, "Command", job_origin(j)->command);
    record_line(&r);
    record_attr(&r, ATTR_CHDIR, &j->req);
    if (!str_is_empty(req_rare(&j->req)->comment)) {
        record_line(&r);
        record_attr(&r, ATTR_COMMENT, &j->req);
    }
    if (j->kind == JOB_KIND_BATCH) {
        record_path(&r, "StdErr", job_stderr_path(j));
        record_line(&r);
        record_text(&r, "StdIn", req_rare(&j->req)->std_in ? req_rare(&j->req)->std_in : "/dev/null");
        record_path(&r, "StdOut", job_stdout_path(j));
    }
    record_line(&r);
    record_add(&r, "Power", "%s", "");
    if (!str_is_empty(req_detail(&j->req)->gres) ||
        (j->req.gpus_per_node != NOT_GIVEN && j->req.gpus_per_node)) {
        record_line(&r);
        RECORD_BY(&r, "TresPerNode", jobtext_tres_per_node(out, j));
    }
    if (!str_is_empty(req_rare(&j->req)->mail_type)) {
        record_line(&r);
        record_text(&r, "MailUser", req_rare(&j->req)->mail_user ? req_rare(&j->req)->mail_user : j->user);
        record_attr(&r, ATTR_MAIL_TYPE, &j->req);
    }
    record_other_attrs(&r, &j->req);
    record_end(&r);
}

void record_step(struct str *out, const struct job *j, const struct step *s, const struct job_cx *cx,
                 bool oneline)
{
    struct show_record r;
    char buf[16];
    uint32_t cpus = 0;
    for (size_t i = 0; i < s->tasks.n; i++)
        cpus += cpuset_count(&s->tasks.v[i].alloc.cpus);
    record_begin(&r, out, oneline);
    record_add_key(&r, "StepId");
    jobtext_id(out, j, cx->bitstr_len);
    str_appendf(out, ".%s", step_format_id(s->id, buf));
    record_add(&r, "UserId", "%u", j->uid);
    record_time(&r, "StartTime", &cx->time, s->t_start, "Unknown");
    record_duration(&r, "TimeLimit",
                    s->time_limit_s && s->time_limit_s != DURATION_NOT_SET ? s->time_limit_s
                                                                           : DURATION_UNLIMITED);
    record_line(&r);
    record_add(&r, "State", "%s", s->done ? "COMPLETED" : s->killing ? "COMPLETING" : "RUNNING");
    record_text(&r, "Partition", j->partition);
    RECORD_BY(&r, "NodeList", steptext_nodes(out, s));
    record_line(&r);
    record_add(&r, "Nodes", "%zu", s->tasks.n);
    record_add(&r, "CPUs", "%u", cpus);
    record_add(&r, "Tasks", "%u", s->n_ranks);
    record_text(&r, "Name", s->name);
    record_add(&r, "Network", NULL_TEXT);
    record_line(&r);
    record_add(&r, "ResvPorts", NULL_TEXT);
    record_line(&r);
    record_add(&r, "CPUFreqReq", "Default");
    record_add(&r, "Dist", "%s", s->distribution ? "Cyclic" : "Block");
    record_line(&r);
    record_add(&r, "SrunHost:Pid", "%s:0", job_origin(j)->submit_host ? job_origin(j)->submit_host : "");
    record_end(&r);
}

/* --- nodes and partitions --- */

static void record_append_list(struct str *out, const struct strv *list, const char *empty)
{
    char *text = list->n ? strv_join(list, ",") : NULL;
    text_append_foreign(out, text, empty);
    free(text);
}

static void node_partitions(struct str *out, const struct node *n, const struct model *m)
{
    const char *sep = "";
    for (size_t i = 0; i < m->spec.parts.n; i++)
        if (strv_has(&m->spec.parts.v[i].nodes, n->spec.name)) {
            str_appendf(out, "%s%s", sep, m->spec.parts.v[i].name);
            sep = ",";
        }
}

static void add_node_reason(struct show_record *r, const struct node *n, const struct node_cx *cx)
{
    const char *user;
    struct wall t;
    const char *reason = node_reason(n, &user, &t);
    if (!n->drain && !reason)
        return;
    record_line(r);
    record_text(r, "Reason", reason);
    str_append(r->out, " [");
    text_append_foreign(r->out, user, "");
    str_append_char(r->out, '@');
    timetext_append(r->out, &cx->time, t, "Unknown");
    str_append_char(r->out, ']');
}

/* What has happened to it, the oldest first. */
static void add_node_events(struct show_record *r, const struct node *n, const struct node_cx *cx)
{
    struct str text = STR_INIT;
    for (size_t i = 0; i < n->events.n; i++) {
        str_clear(&text);
        timetext_append(&text, &cx->time, n->events.v[i].t, "Unknown");
        str_append_char(&text, ' ');
        nodetext_event(&text, &n->events.v[i]);
        record_line(r);
        record_text(r, "Event", text.s);
    }
    str_fini(&text);
}

void record_node(struct str *out, const struct node *n, const struct node_cx *cx, bool oneline)
{
    struct show_record r;
    record_begin(&r, out, oneline);
    record_text(&r, "NodeName", n->spec.name);
    record_text(&r, "Arch", n->arch);
    record_add(&r, "CoresPerSocket", "1");
    record_line(&r);
    record_add(&r, "CPUAlloc", "%u", cpuset_count(&n->cpus_used));
    record_add(&r, "CPUEfctv", "%u", n->cpus);
    record_add(&r, "CPUTot", "%u", n->cpus);
    record_add(&r, "CPULoad", "N/A");
    record_line(&r);
    RECORD_BY(&r, "AvailableFeatures", record_append_list(out, &n->spec.features, NULL_TEXT));
    record_line(&r);
    RECORD_BY(&r, "ActiveFeatures", record_append_list(out, &n->spec.features, NULL_TEXT));
    record_line(&r);
    RECORD_BY(&r, "Gres", nodetext_gres(out, n));
    if (n->gpus) {
        record_line(&r);
        RECORD_BY(&r, "GresUsed", nodetext_gres_used(out, n));
    }
    record_line(&r);
    record_text(&r, "NodeAddr", n->spec.address ? n->spec.address : n->spec.name);
    record_text(&r, "NodeHostName", n->spec.name);
    record_add(&r, "Port", "%u", n->spec.port);
    record_text(&r, "Version", n->version);
    record_line(&r);
    record_text(&r, "OS", n->os);
    record_line(&r);
    record_add(&r, "RealMemory", "%" PRIu64, n->mem_mib);
    record_add(&r, "AllocMem", "%" PRIu64, n->mem_used_mib);
    record_add(&r, "FreeMem", "N/A");
    record_add(&r, "Sockets", "%u", n->cpus);
    record_add(&r, "Boards", "1");
    record_line(&r);
    RECORD_BY(&r, "State", node_append_state_full(out, n, cx));
    record_add(&r, "ThreadsPerCore", "1");
    record_add(&r, "TmpDisk", "%" PRIu64, n->tmp_mib);
    record_add(&r, "Weight", "%u", n->spec.weight);
    record_add(&r, "Owner", "N/A");
    record_add(&r, "MCS_label", "N/A");
    record_line(&r);
    RECORD_BY(&r, "Partitions", node_partitions(out, n, cx->m));
    record_line(&r);
    record_time(&r, "BootTime", &cx->time, n->t_boot, "None");
    record_time(&r, "SlurmdStartTime", &cx->time, n->t_agent, "None");
    record_line(&r);
    record_time(&r, "LastBusyTime", &cx->time, n->t_state, "Unknown");
    record_line(&r);
    RECORD_BY(&r, "CfgTRES", nodetext_tres(out, n, cx->m, false));
    record_line(&r);
    record_add_key(&r, "AllocTRES");
    nodetext_tres(out, n, cx->m, true);
    if (node_containment(n)) { /* a line of Stoker's own */
        record_line(&r);
        record_text(&r, "Containment", node_containment(n));
    }
    add_node_reason(&r, n, cx);
    add_node_events(&r, n, cx);
    record_end(&r);
}

struct totals {
    uint64_t cpus, mem_mib, gpus, nodes;
};

static struct totals part_totals(const struct part_spec *p, const struct model *m)
{
    struct totals t = {0};
    for (size_t i = 0; i < p->nodes.n; i++) {
        const struct node *n = model_get_node(m, p->nodes.v[i]);
        if (!n)
            continue;
        t.nodes++;
        t.cpus += n->cpus;
        t.mem_mib += n->mem_mib;
        t.gpus += n->gpus;
    }
    return t;
}

static void part_tres(struct str *out, const struct totals *t, const struct model *m)
{
    const struct priority_spec *p = &m->spec.priority;
    double billing = p->billing_cpu * (double)t->cpus + p->billing_mem_gb * (double)t->mem_mib / 1024 +
                     p->billing_gpu * (double)t->gpus;
    str_appendf(out, "cpu=%" PRIu64 ",mem=", t->cpus);
    jobtext_mem(out, t->mem_mib, false);
    str_appendf(out, ",node=%" PRIu64 ",billing=%.0f", t->nodes, billing);
    if (t->gpus)
        str_appendf(out, ",gres/gpu=%" PRIu64, t->gpus);
}

static void part_nodes(struct str *out, const struct part_spec *p)
{
    if (!p->nodes.n)
        return;
    char *list = hostlist_compress(&p->nodes);
    str_append(out, list);
    free(list);
}

void record_partition(struct str *out, const struct part_spec *p, const struct model *m, bool oneline)
{
    static const char *const preempt[] = {
        [PREEMPT_OFF] = "OFF", [PREEMPT_REQUEUE] = "REQUEUE", [PREEMPT_CANCEL] = "CANCEL"};
    struct show_record r;
    struct totals t = part_totals(p, m);
    record_begin(&r, out, oneline);
    record_text(&r, "PartitionName", p->name);
    record_line(&r);
    RECORD_BY(&r, "AllowGroups", record_append_list(out, &p->allow_groups, "ALL"));
    RECORD_BY(&r, "AllowAccounts", record_append_list(out, &p->allow_accounts, "ALL"));
    RECORD_BY(&r, "AllowQos", record_append_list(out, &p->allow_qos, "ALL"));
    if (p->deny_accounts.n)
        RECORD_BY(&r, "DenyAccounts", record_append_list(out, &p->deny_accounts, ""));
    if (p->deny_qos.n)
        RECORD_BY(&r, "DenyQos", record_append_list(out, &p->deny_qos, ""));
    record_line(&r);
    record_add(&r, "AllocNodes", "ALL");
    record_add(&r, "Default", "%s", p->is_default ? "YES" : "NO");
    record_add(&r, "QoS", "N/A");
    record_line(&r);
    record_add_key(&r, "DefaultTime");
    char buf[UNITS_TEXT_SIZE];
    str_append(out, p->default_time_s == DURATION_NOT_SET ? "NONE"
                                                          : duration_format_padded(p->default_time_s, buf));
    record_add(&r, "DisableRootJobs", "NO");
    record_add(&r, "ExclusiveUser", "%s", p->exclusive_user ? "YES" : "NO");
    record_add(&r, "GraceTime", "%u", p->grace_s);
    record_add(&r, "Hidden", "NO");
    record_line(&r);
    if (p->max_nodes == UINT32_MAX)
        record_add(&r, "MaxNodes", "UNLIMITED");
    else
        record_add(&r, "MaxNodes", "%u", p->max_nodes);
    record_add(&r, "MaxTime", "%s",
               duration_format_padded(
                   p->max_time_s == DURATION_NOT_SET ? DURATION_UNLIMITED : p->max_time_s, buf));
    record_add(&r, "MinNodes", "0");
    record_add(&r, "LLN", "NO");
    record_add(&r, "MaxCPUsPerNode", "UNLIMITED");
    record_line(&r);
    RECORD_BY(&r, "Nodes", part_nodes(out, p));
    record_line(&r);
    record_add(&r, "PriorityJobFactor", "%u", p->priority_job_factor);
    record_add(&r, "PriorityTier", "%u", p->priority_tier);
    record_add(&r, "RootOnly", "NO");
    record_add(&r, "ReqResv", "NO");
    record_add(&r, "OverSubscribe", "NO");
    record_line(&r);
    record_add(&r, "OverTimeLimit", "NONE");
    record_add(&r, "PreemptMode", "%s",
               preempt[p->preempt_mode <= PREEMPT_CANCEL ? p->preempt_mode : PREEMPT_OFF]);
    if (p->preempt_exempt_s)
        record_add(&r, "PreemptExemptTime", "%s", duration_format_padded(p->preempt_exempt_s, buf));
    if (p->limit_restarts)
        record_add(&r, "LimitRestarts", "%u", p->limit_restarts);
    record_line(&r);
    if (p->batch_only)
        record_add(&r, "BatchOnly", "YES");
    record_add(&r, "State", "%s", part_state_text((enum part_state)p->state));
    record_add(&r, "TotalCPUs", "%" PRIu64, t.cpus);
    record_add(&r, "TotalNodes", "%" PRIu64, t.nodes);
    record_add(&r, "SelectTypeParameters", "NONE");
    record_line(&r);
    if (p->default_mem_gpu_mib)
        record_add(&r, "JobDefaults", "DefMemPerGPU=%" PRIu64, p->default_mem_gpu_mib);
    else
        record_add(&r, "JobDefaults", NULL_TEXT);
    record_line(&r);
    if (p->default_mem_cpu_mib)
        record_add(&r, "DefMemPerCPU", "%" PRIu64, p->default_mem_cpu_mib);
    else if (p->default_mem_node_mib)
        record_add(&r, "DefMemPerNode", "%" PRIu64, p->default_mem_node_mib);
    else
        record_add(&r, "DefMemPerNode", "UNLIMITED");
    record_add(&r, "MaxMemPerNode", "UNLIMITED");
    record_line(&r);
    RECORD_BY(&r, "TRES", part_tres(out, &t, m));
    record_end(&r);
}

/* --- configuration --- */

static void config_line(struct str *out, const char *key, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void config_line(struct str *out, const char *key, const char *fmt, ...)
{
    va_list ap;
    str_appendf(out, "%-23s = ", key);
    va_start(ap, fmt);
    str_vappendf(out, fmt, ap);
    va_end(ap);
    str_append_char(out, '\n');
}

static void config_days(struct str *out, const char *key, uint32_t s)
{
    char buf[UNITS_TEXT_SIZE];
    config_line(out, key, "%s", s >= DURATION_NOT_SET ? "UNLIMITED" : duration_format_padded(s, buf));
}

/* NULL or empty: Slurm's word for nothing. */
static void config_names(struct str *out, const char *key, const struct strv *names)
{
    char *text = names && names->n ? strv_join(names, ",") : NULL;
    config_line(out, key, "%s", text ? text : "(null)");
    free(text);
}

void record_config(struct str *out, const struct model *m, const struct timetext *time, const char *host,
                   const char *state_dir)
{
    const struct cluster_spec *s = &m->spec;
    const struct priority_spec *p = &s->priority;
    str_append(out, "Configuration data as of ");
    timetext_append(out, time, m->now, "Unknown");
    str_append_char(out, '\n');
    config_line(out, "AccountingStorageType", "accounting_storage/stoker");
    config_line(out, "AuthType", "auth/peercred");
    config_line(out, "ClusterName", "%s", s->name ? s->name : "");
    config_line(out, "EnforcePartLimits", "ANY");
    config_line(out, "GresTypes", "gpu");
    config_line(out, "JobFileAppend", "1"); /* a requeued job appends */
    config_line(out, "JobRequeue", "1");
    config_line(out, "KillWait", "%u sec", s->kill_wait_s);
    config_line(out, "MaxArraySize", "%u", s->max_array_size);
    config_line(out, "MaxJobCount", "%u", s->max_jobs);
    config_line(out, "MinJobAge", "%u sec", s->min_job_age_s);
    config_line(out, "MpiDefault", "none");
    config_line(out, "NEXT_JOB_ID", "%u", m->next_job);
    config_days(out, "PriorityDecayHalfLife", p->decay_half_life_s);
    config_line(out, "PriorityFavorSmall", "%s", p->favor_small ? "Yes" : "No");
    config_line(out, "PriorityFlags", "%s", p->fair_tree ? "" : "NO_FAIR_TREE");
    config_days(out, "PriorityMaxAge", p->max_age_s);
    config_line(out, "PriorityType", "priority/multifactor");
    config_line(out, "PriorityWeightAge", "%u", p->weight_age);
    config_line(out, "PriorityWeightAssoc", "0");
    config_line(out, "PriorityWeightFairShare", "%u", p->weight_fairshare);
    config_line(out, "PriorityWeightJobSize", "%u", p->weight_job_size);
    config_line(out, "PriorityWeightPartition", "%u", p->weight_partition);
    config_line(out, "PriorityWeightQOS", "%u", p->weight_qos);
    config_line(out, "PriorityWeightTRES", "CPU=%u,Mem=%u,GRES/gpu=%u", p->weight_cpu, p->weight_mem,
                p->weight_gpu);
    config_line(out, "PropagatePrioProcess", "0");
    config_names(out, "PropagateResourceLimits",
                 s->propagate_limits_except.n ? NULL : &s->propagate_limits);
    config_names(out, "PropagateResourceLimitsExcept", &s->propagate_limits_except);
    config_line(out, "SchedulerType", "%s",
                s->backfill == BACKFILL_OFF ? "sched/builtin" : "sched/backfill");
    config_line(out, "SelectType", "select/cons_tres");
    config_line(out, "SelectTypeParameters", "CR_CPU_MEMORY");
    config_line(out, "SlurmctldHost[0]", "%s", host ? host : "");
    config_line(out, "SlurmdTimeout", "%u sec", s->node_timeout_s);
    config_line(out, "SLURM_VERSION", "23.02.7");
    config_line(out, "StateSaveLocation", "%s", state_dir ? state_dir : "");
    config_line(out, "SwitchType", "switch/none");
    config_line(out, "TaskPlugin", "task/affinity");
    str_appendf(out, "\nSlurmctld(primary) at %s is UP\n", host ? host : "");
}
