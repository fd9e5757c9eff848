/* columns.c - the columns of jobs and steps.
 *
 * Source of titles and of what each letter means: squeue(1), -o and -O.
 */
#include "src/cli/columns.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/units.h"
#include "src/model/filename.h"
#include "src/model/jobtext.h"
#include "src/model/members.h"

#define NULL_TEXT "(null)"

struct job_cx job_cx_from_env(const struct model *m)
{
    const char *bits = getenv("SLURM_BITSTR_LEN");
    struct job_cx cx = {.m = m, .now = m->now, .bitstr_len = BITSTR_LEN_DEFAULT};
    cx.time = timetext_from(getenv("SLURM_TIME_FORMAT"), m->now);
    int64_t n;
    if (bits && int_parse(bits, 0, 1 << 20, &n, NULL) == 0)
        cx.bitstr_len = (size_t)n;
    return cx;
}

/* A column's two functions: NAME gets j, r, cx and out; unused ones cost nothing. */
#define GET(NAME)                                                                                 \
    static void get_##NAME##_(struct str *out, const struct job_row *r, const struct job *j,      \
                              const struct job_cx *cx);                                           \
    static void get_##NAME(struct str *out, const void *row, const void *ctx)                     \
    {                                                                                             \
        const struct job_row *r_ = row;                                                           \
        get_##NAME##_(out, r_, r_->job, ctx);                                                     \
    }                                                                                             \
    static void get_##NAME##_(                                                                    \
        __attribute__((unused)) struct str *out, __attribute__((unused)) const struct job_row *r, \
        __attribute__((unused)) const struct job *j, __attribute__((unused)) const struct job_cx *cx)

#define NUMBER(NAME, EXPR)                                      \
    static int64_t num_##NAME(const void *row, const void *ctx) \
    {                                                           \
        const struct job_row *r = row;                          \
        const struct job *j = r->job;                           \
        const struct job_cx *cx = ctx;                          \
        (void)j;                                                \
        (void)cx;                                               \
        return (int64_t)(EXPR);                                 \
    }

/* A column that prints the number that it sorts by. */
#define GET_NUMBER(NAME, EXPR)                 \
    NUMBER(NAME, EXPR)                         \
    GET(NAME)                                  \
    {                                          \
        append_signed(out, num_##NAME(r, cx)); \
    }

#define GET_TEXT(NAME, VALUE, NULLS)            \
    GET(NAME)                                   \
    {                                           \
        text_append_foreign(out, VALUE, NULLS); \
    }

#define GET_CONST(NAME, TEXT)  \
    GET(NAME)                  \
    {                          \
        str_append(out, TEXT); \
    }

static void append_signed(struct str *out, int64_t v)
{
    if (v < 0)
        str_append_char(out, '-');
    text_append_u64(out, v < 0 ? (uint64_t)-v : (uint64_t)v);
}

static uint32_t given(uint32_t v, uint32_t otherwise)
{
    return v == NOT_GIVEN ? otherwise : v;
}

/* --- who and what --- */

/* Array elements sort behind one another, whatever their raw ids. */
NUMBER(id, (int64_t)(j->array_job ? j->array_job : j->id) << 31 |
               (r->element != ARRAY_NONE       ? r->element
                : j->array_index != ARRAY_NONE ? j->array_index
                                               : 0))
GET(id)
{
    if (r->element == ARRAY_NONE) {
        jobtext_id(out, j, cx->bitstr_len);
        return;
    }
    text_append_u64(out, j->array_job);
    str_append_char(out, '_');
    text_append_u64(out, r->element);
}
GET_NUMBER(raw_id, j->id)
GET_NUMBER(array_id, j->array_job ? j->array_job : j->id)
GET(array_index)
{
    uint32_t index = r->element != ARRAY_NONE ? r->element : j->array_index;
    if (!j->array_job) {
        str_append(out, "N/A");
    } else if (index != ARRAY_NONE) {
        text_append_u64(out, index);
    } else {
        char *id = job_format_id(j, cx->bitstr_len);
        char *open = strchr(id, '[');
        if (open)
            str_append_n(out, open + 1, strlen(open) - 2);
        free(id);
    }
}
GET_TEXT(name, j->req.name, NULL_TEXT)
GET_TEXT(user, j->user, NULL_TEXT)
GET_NUMBER(uid, j->uid)
GET_TEXT(group, j->group, NULL_TEXT)
GET_NUMBER(gid, j->gid)
GET_TEXT(account, j->req.account, NULL_TEXT)
GET_TEXT(qos, j->req.qos, NULL_TEXT)
GET_TEXT(partition, j->partition ? j->partition : j->req.partition, NULL_TEXT)
GET_TEXT(comment, j->req.comment, NULL_TEXT)
GET_TEXT(wckey, j->req.wckey, NULL_TEXT)
GET_TEXT(reservation, j->req.reservation, NULL_TEXT)
GET_TEXT(licenses, j->req.licenses, NULL_TEXT)
GET_TEXT(features, j->req.features, NULL_TEXT)
GET_TEXT(command, j->command, NULL_TEXT)
GET_TEXT(workdir, j->req.workdir, NULL_TEXT)
GET_TEXT(submit_host, j->submit_host, NULL_TEXT)
GET_TEXT(cluster, cx->m->spec.name, NULL_TEXT)
GET_CONST(null, NULL_TEXT)
GET_CONST(na, "N/A")
GET_CONST(star, "*")
GET_CONST(sct, "*:*:*")
GET_CONST(zero, "0")
GET_CONST(zero_time, "0:00")
GET_CONST(not_set, "NotSet")
GET_CONST(not_any, "NA")

/* --- state --- */

/* Slurm's order: the flag COMPLETING counts above every base state. */
NUMBER(state, j->state == JOB_COMPLETING ? JOB_N_STATES : j->state)
GET(state_short)
{
    str_append(out, job_state_short((enum job_state)j->state));
}
GET(state)
{
    str_append(out, job_state_long((enum job_state)j->state));
}
GET(reason)
{
    jobtext_reason(out, j);
}
GET(reason_words)
{
    jobtext_reason_words(out, j);
}
GET(nodes_or_reason)
{
    jobtext_nodes_or_reason(out, j);
}
NUMBER(priority, j->priority)
GET(priority_long)
{
    text_append_u64(out, j->priority);
}
GET(priority)
{
    str_appendf(out, "%.14f", (double)j->priority / (double)UINT32_MAX);
}
GET_NUMBER(nice, j->req.nice)
GET(dependency)
{
    size_t at = out->len;
    jobtext_dependency(out, j, cx->m);
    if (out->len == at)
        str_append(out, NULL_TEXT);
}
GET(exit_code)
{
    jobtext_exit(out, j);
}
GET(derived_code)
{
    append_signed(out, j->derived_code);
    str_append(out, ":0");
}
GET_NUMBER(restarts, j->restarts)
GET_NUMBER(batch_flag, j->kind == JOB_KIND_BATCH)
GET_NUMBER(requeue, j->req.requeue != 2)
GET(hold)
{
    str_append(out, j->hold == HOLD_ADMIN ? "admin" : j->hold == HOLD_USER ? "user" : "none");
}

/* --- times --- */

static void append_time(struct str *out, const struct job_cx *cx, struct wall t)
{
    timetext_append(out, &cx->time, t, "N/A");
}

static struct wall start_time(const struct job *j, const struct job_cx *cx)
{
    if (wall_is_set(j->t_start) && j->state != JOB_PENDING)
        return j->t_start;
    const struct wall *estimate = cx->starts ? idmap_get(cx->starts, j->id) : NULL;
    return estimate ? *estimate : j->t_expected;
}

/* What has no time yet comes after everything that has one. */
static int64_t time_order(struct wall t)
{
    return wall_is_set(t) ? t.ms : INT64_MAX;
}

NUMBER(start, time_order(start_time(j, cx)))
GET(start)
{
    append_time(out, cx, start_time(j, cx));
}
NUMBER(end, time_order(job_end_time(j, cx->m)))
GET(end)
{
    timetext_append(out, &cx->time, job_end_time(j, cx->m), "N/A");
}
NUMBER(submit, j->t_submit.ms)
GET(submit)
{
    append_time(out, cx, j->t_submit);
}
NUMBER(eligible, time_order(j->t_eligible))
GET(eligible)
{
    append_time(out, cx, j->t_eligible);
}
GET(deadline)
{
    append_time(out, cx, j->req.deadline);
}
NUMBER(elapsed, j->state == JOB_PENDING ? 0 : job_run_s(j, cx->now))
GET(elapsed)
{
    jobtext_elapsed(out, j, cx->now);
}
NUMBER(limit, job_limit_s(j, cx->m))
GET(limit)
{
    jobtext_limit(out, j, cx->m);
}
static int64_t left_s(const struct job *j, const struct job_cx *cx)
{
    uint32_t limit = job_limit_s(j, cx->m), used = j->state == JOB_PENDING ? 0 : job_run_s(j, cx->now);
    return limit >= DURATION_NOT_SET ? limit : (int64_t)limit - used;
}
NUMBER(left, left_s(j, cx))
GET(left)
{
    jobtext_left(out, j, cx->m, cx->now);
}
GET(time_min)
{
    if (j->req.time_min_s == DURATION_NOT_SET)
        str_append(out, "N/A");
    else
        text_append_duration(out, j->req.time_min_s);
}
/* Seconds between its submission and its start, or now. */
GET_NUMBER(pending_s,
           wall_elapsed_s(j->t_submit,
                          wall_is_set(j->t_start) && j->state != JOB_PENDING ? j->t_start : cx->now))

/* --- resources --- */

GET_NUMBER(cpus, job_cpus(j))
GET_NUMBER(gpus, job_gpus(j))
GET_NUMBER(node_count, job_nodes(j))
NUMBER(mem, job_mem_mib(j))
GET_NUMBER(tasks, given(j->req.ntasks,
                        j->req.ntasks_per_node != NOT_GIVEN ? j->req.ntasks_per_node * job_nodes(j) : 1))
GET_NUMBER(cpus_per_task, given(j->req.cpus_per_task, 1))
GET_NUMBER(min_cpus, (int64_t)given(j->req.cpus_per_task, 1) * given(j->req.ntasks_per_node, 1))
GET_NUMBER(max_nodes, given(j->req.nodes_max, 0))
GET_NUMBER(min_tmp, j->req.min_tmp_mib)
GET_NUMBER(contiguous, j->req.contiguous)
NUMBER(min_memory, j->req.mem_node_mib != MEM_NOT_GIVEN  ? j->req.mem_node_mib
                   : j->req.mem_cpu_mib != MEM_NOT_GIVEN ? j->req.mem_cpu_mib
                                                         : 0)
GET(min_memory)
{
    jobtext_min_memory(out, j, cx->noconvert);
}
GET(mem)
{
    jobtext_mem(out, job_mem_mib(j), cx->noconvert);
}
GET(tres_per_node)
{
    jobtext_tres_per_node(out, j);
}
GET(tres_alloc)
{
    if (j->state == JOB_PENDING)
        str_append(out, "N/A");
    else
        jobtext_tres(out, j, cx->m);
}
static void append_gpus_per(struct str *out, const struct job *j, uint32_t n)
{
    if (n == NOT_GIVEN || !n)
        str_append(out, "N/A");
    else
        str_appendf(out, "gres:gpu%s%s:%u", j->req.gpu_type ? ":" : "",
                    j->req.gpu_type ? j->req.gpu_type : "", n);
}
GET(tres_per_job)
{
    append_gpus_per(out, j, j->req.gpus);
}
GET(tres_per_task)
{
    append_gpus_per(out, j, j->req.gpus_per_task);
}
GET(tasks_per_node)
{
    if (j->req.ntasks_per_node == NOT_GIVEN)
        str_append_char(out, '0');
    else
        text_append_u64(out, j->req.ntasks_per_node);
}
GET(over_subscribe)
{
    str_append(out, j->req.exclusive ? "NO" : "OK");
}
GET(nodes)
{
    jobtext_nodes(out, j);
}
GET(batch_host)
{
    const char *host = job_batch_host(j);
    str_append(out, host ? host : "n/a");
}
GET_TEXT(req_nodes, j->req.nodelist, "")
GET_TEXT(exc_nodes, j->req.exclude, "")

/* --- files --- */

static void append_taken(struct str *out, char *path)
{
    text_append_foreign(out, path, NULL_TEXT);
    free(path);
}
GET(stdout)
{
    append_taken(out, j->kind == JOB_KIND_BATCH ? job_stdout_path(j) : NULL);
}
GET(stderr)
{
    append_taken(out, j->kind == JOB_KIND_BATCH ? job_stderr_path(j) : NULL);
}
GET_TEXT(stdin, j->req.std_in ? j->req.std_in : "/dev/null", "/dev/null")

/* --- what each looks at --- */

/* The members that a row must have for the column to be right: for requests that leave out the others.
 * Beside them every row has its id, kind and state. */
#define READS(NAME, JOB, REQ) static const struct job_members reads_##NAME = {.job = (JOB), .req = (REQ)};
#define J(member)             JOB_HAS(member)
#define R(member)             REQ_HAS(member)

#define ARRAY   (J(array_job) | J(array_index) | J(array_pending))
#define REASON  (J(reason) | J(hold) | J(exit_signal))
#define LIMIT   (J(t_start) | J(time_limit_s) | J(partition))
#define LIMIT_R (R(time_limit_s) | R(partition))
#define ELAPSED (J(t_start) | J(t_end) | J(t_suspend) | J(suspended_ms))
#define HELD    (J(alloc) | J(steps))
#define NODES_R (R(nodes_min) | R(ntasks) | R(ntasks_per_node) | R(gpus) | R(gpus_per_node) | R(nodelist))
#define MEM_R   (R(mem_node_mib) | R(mem_cpu_mib) | R(mem_gpu_mib))
#define HELD_R  (NODES_R | MEM_R | R(cpus_per_task) | R(gpus_per_task))

/* clang-format off */
READS(id, ARRAY, R(array_throttle))         READS(raw_id, 0, 0)                  READS(array_id, J(array_job), 0)
READS(array_index, ARRAY, R(array_throttle)) READS(name, 0, R(name))             READS(user, J(user), 0)
READS(uid, J(uid), 0)                       READS(group, J(group), 0)            READS(gid, J(gid), 0)
READS(account, 0, R(account))               READS(qos, 0, R(qos))                READS(partition, J(partition), R(partition))
READS(comment, 0, R(comment))               READS(wckey, 0, R(wckey))            READS(reservation, 0, R(reservation))
READS(licenses, 0, R(licenses))             READS(features, 0, R(features))      READS(command, J(command), 0)
READS(workdir, 0, R(workdir))               READS(submit_host, J(submit_host), 0) READS(cluster, 0, 0)
READS(null, 0, 0)                           READS(na, 0, 0)                      READS(star, 0, 0)
READS(sct, 0, 0)                            READS(zero, 0, 0)                    READS(state_short, 0, 0)
READS(zero_time, 0, 0)                      READS(not_set, 0, 0)                 READS(not_any, 0, 0)
READS(state, 0, 0)                          READS(reason, REASON, 0)             READS(nodes_or_reason, REASON | HELD, 0)
READS(reason_words, REASON | J(reason_detail) | J(exit_code),
      HELD_R | R(partition) | R(array_throttle) | R(dependency) | R(licenses) | R(features) | R(reservation) |
          R(gpu_type) | R(exclusive))
READS(hold, J(hold), 0)                     READS(priority, J(priority), 0)      READS(priority_long, J(priority), 0)
READS(nice, 0, R(nice))                     READS(exit_code, J(exit_code) | J(exit_signal), 0)
READS(derived_code, J(derived_code), 0)     READS(restarts, J(restarts), 0)      READS(batch_flag, 0, 0)
READS(requeue, 0, R(requeue))               READS(start, J(t_start) | J(t_expected), 0) READS(end, LIMIT | ELAPSED | J(t_expected), LIMIT_R)
READS(submit, J(t_submit), 0)               READS(eligible, J(t_eligible), 0)    READS(deadline, 0, R(deadline))
READS(elapsed, ELAPSED, 0)                  READS(limit, LIMIT, LIMIT_R)         READS(left, LIMIT | ELAPSED, LIMIT_R)
READS(time_min, 0, R(time_min_s))           READS(pending_s, J(t_submit) | J(t_start), 0)
READS(cpus, HELD, HELD_R)                   READS(gpus, HELD, HELD_R)            READS(node_count, HELD, NODES_R)
READS(mem, HELD, HELD_R)                    READS(tasks, HELD, HELD_R)           READS(cpus_per_task, 0, R(cpus_per_task))
READS(min_cpus, 0, R(cpus_per_task) | R(ntasks_per_node))                        READS(max_nodes, 0, R(nodes_max))
READS(min_tmp, 0, R(min_tmp_mib))           READS(contiguous, 0, R(contiguous))  READS(min_memory, 0, MEM_R)
READS(tres_per_node, 0, R(gpus_per_node) | R(gpu_type) | R(gres))
READS(tres_alloc, HELD, HELD_R | R(gpu_type))
READS(tres_per_job, 0, R(gpus) | R(gpu_type)) READS(tres_per_task, 0, R(gpus_per_task) | R(gpu_type))
READS(tasks_per_node, 0, R(ntasks_per_node)) READS(over_subscribe, 0, R(exclusive)) READS(nodes, HELD, 0)
READS(batch_host, HELD, 0)                  READS(req_nodes, 0, R(nodelist))     READS(exc_nodes, 0, R(exclude))
READS(stdin, 0, R(std_in))
/* at much, at other jobs too */
READS(stdout, UINT64_MAX, UINT64_MAX)       READS(stderr, UINT64_MAX, UINT64_MAX) READS(dependency, UINT64_MAX, UINT64_MAX)
/* clang-format on */

#define C_WITH(LETTER, NAMES, TITLE, KEY, GETTER, NUM, UNCUT) \
    {.letter = LETTER,                                        \
     .names = NAMES,                                          \
     .title = TITLE,                                          \
     .key = KEY,                                              \
     .get = get_##GETTER,                                     \
     .number = NUM,                                           \
     .reads = &reads_##GETTER,                                \
     .uncut = UNCUT},
#define C(LETTER, NAMES, TITLE, KEY, GETTER, NUM) C_WITH(LETTER, NAMES, TITLE, KEY, GETTER, NUM, false)
#define C_DURATION(LETTER, NAMES, TITLE, KEY, GETTER, NUM) \
    C_WITH(LETTER, NAMES, TITLE, KEY, GETTER, NUM, true)

            static const
    struct column job_table[] = {
        /* clang-format off */
    C('i', "jobarrayid",            "JOBID",            "id",            id,             num_id)
    C('A', "jobid",                 "JOBID",            "job_id",        raw_id,         num_raw_id)
    C('F', "arrayjobid",            "ARRAY_JOB_ID",     "array_job_id",  array_id,       num_array_id)
    C('K', "arraytaskid",           "ARRAY_TASK_ID",    "array_task_id", array_index,    NULL)
    C('j', "name",                  "NAME",             "name",          name,           NULL)
    C('u', "username",              "USER",             "user",          user,           NULL)
    C('U', "userid",                "UID",              "uid",           uid,            num_uid)
    C('g', "groupname",             "GROUP",            "group",         group,          NULL)
    C('G', "groupid",               "GROUP",            "gid",           gid,            num_gid)
    C('a', "account",               "ACCOUNT",          "account",       account,        NULL)
    C('q', "qos",                   "QOS",              "qos",           qos,            NULL)
    C('P', "partition",             "PARTITION",        "partition",     partition,      NULL)
    C('t', "statecompact",          "ST",               "state_short",   state_short,    num_state)
    C('T', "state",                 "STATE",            "state",         state,          num_state)
    C('r', "reason",                "REASON",           "reason",        reason,         NULL)
    C('R', "reasonlist",            "NODELIST(REASON)", NULL,            nodes_or_reason, NULL)
    C(0,   NULL,                    "WHY",              "why",           reason_words,   NULL)
    C(0,   NULL,                    "HOLD",             "hold",          hold,           NULL)
    C('p', "priority",              "PRIORITY",         NULL,            priority,       num_priority)
    C('Q', "prioritylong",          "PRIORITY",         "priority",      priority_long,  num_priority)
    C('y', "nice",                  "NICE",             "nice",          nice,           num_nice)
    C('E', "dependency",            "DEPENDENCY",       "dependency",    dependency,     NULL)
    C_DURATION('M', "timeused",              "TIME",             "elapsed_s",     elapsed,        num_elapsed)
    C_DURATION('l', "timelimit",             "TIME_LIMIT",       NULL,            limit,          num_limit)
    C_DURATION('L', "timeleft",              "TIME_LEFT",        NULL,            left,           num_left)
    C('S', "starttime",             "START_TIME",       "start",         start,          num_start)
    C('e', "endtime",               "END_TIME",         "end",           end,            num_end)
    C('V', "submittime",            "SUBMIT_TIME",      "submit",        submit,         num_submit)
    C(0,   "eligibletime accruetime", "ELIGIBLE_TIME",  "eligible",      eligible,       num_eligible)
    C(0,   "deadline",              "DEADLINE",         NULL,            deadline,       NULL)
    C(0,   "mintime",               "MIN_TIME",         NULL,            time_min,       NULL)
    C(0,   "pendingtime",           "PENDING_TIME",     "pending_s",     pending_s,      num_pending_s)
    C('C', "numcpus",               "CPUS",             "cpus",          cpus,           num_cpus)
    C(0,   "maxcpus",               "MAX_CPUS",         NULL,            cpus,           num_cpus)
    C(0,   "numgpus",               "GPUS",             "gpus",          gpus,           num_gpus)
    C('D', "numnodes",              "NODES",            "node_count",    node_count,     num_node_count)
    C(0,   "maxnodes",              "MAX_NODES",        NULL,            max_nodes,      num_max_nodes)
    C(0,   "numtasks",              "TASKS",            "tasks",         tasks,          num_tasks)
    C(0,   "cpuspertask cpus-per-task", "CPUS_PER_TASK", "cpus_per_task", cpus_per_task, num_cpus_per_task)
    C(0,   "ntpernode",             "NTASKS_PER_NODE",  NULL,            tasks_per_node, NULL)
    C('c', "mincpus",               "MIN_CPUS",         NULL,            min_cpus,       num_min_cpus)
    C('m', "minmemory",             "MIN_MEMORY",       NULL,            min_memory,     num_min_memory)
    C(0,   NULL,                    "MEMORY",           "mem_mib",       mem,            num_mem)
    C('d', "mintmpdisk",            "MIN_TMP_DISK",     NULL,            min_tmp,        num_min_tmp)
    C('b', "tres-per-node gres",    "TRES_PER_NODE",    NULL,            tres_per_node,  NULL)
    C(0,   "tres-per-job",          "TRES_PER_JOB",     NULL,            tres_per_job,   NULL)
    C(0,   "tres-per-task",         "TRES_PER_TASK",    NULL,            tres_per_task,  NULL)
    C(0,   "tres-per-socket",       "TRES_PER_SOCKET",  NULL,            na,             NULL)
    C(0,   "tres-per-step",         "TRES_PER_STEP",    NULL,            na,             NULL)
    C(0,   "mem-per-tres",          "MEM_PER_TRES",     NULL,            na,             NULL)
    C(0,   "cpus-per-tres",         "CPUS_PER_TRES",    NULL,            na,             NULL)
    C(0,   "tres-bind",             "TRES_BIND",        NULL,            na,             NULL)
    C(0,   "tres-freq",             "TRES_FREQ",        NULL,            na,             NULL)
    C(0,   "tres-alloc tres",       "TRES_ALLOC",       "tres",          tres_alloc,     NULL)
    C('N', "nodelist nodes",        "NODELIST",         "nodes",         nodes,          NULL)
    C('B', "batchhost",             "EXEC_HOST",        NULL,            batch_host,     NULL)
    C('n', "reqnodes",              "REQ_NODES",        NULL,            req_nodes,      NULL)
    C('x', "excnodes",              "EXC_NODES",        NULL,            exc_nodes,      NULL)
    C('Y', "schednodes",            "SCHEDNODES",       NULL,            null,           NULL)
    C('f', "feature",               "FEATURES",         "features",      features,       NULL)
    C('h', "oversubscribe",         "OVER_SUBSCRIBE",   NULL,            over_subscribe, NULL)
    C('O', "contiguous",            "CONTIGUOUS",       NULL,            contiguous,     num_contiguous)
    C('H', "sockets",               "SOCKETS_PER_NODE", NULL,            star,           NULL)
    C('I', "cores",                 "CORES_PER_SOCKET", NULL,            star,           NULL)
    C('J', "threads",               "THREADS_PER_CORE", NULL,            star,           NULL)
    C('z', "sct",                   "S:C:T",            NULL,            sct,            NULL)
    C('X', "corespec",              "CORE_SPEC",        NULL,            na,             NULL)
    C('v', "reservation",           "RESERVATION",      NULL,            reservation,    NULL)
    C('w', "wckey",                 "WCKEY",            NULL,            wckey,          NULL)
    C('W', "licenses",              "LICENSES",         NULL,            licenses,       NULL)
    C('k', "comment",               "COMMENT",          "comment",       comment,        NULL)
    C('o', "command",               "COMMAND",          "command",       command,        NULL)
    C('Z', "workdir",               "WORK_DIR",         "workdir",       workdir,        NULL)
    C(0,   "stdout",                "STDOUT",           "stdout",        stdout,         NULL)
    C(0,   "stderr",                "STDERR",           "stderr",        stderr,         NULL)
    C(0,   "stdin",                 "STDIN",            NULL,            stdin,          NULL)
    C(0,   "exit_code exitcode",    "EXIT_CODE",        "exit_code",     exit_code,      NULL)
    C(0,   "derivedec",             "DERIVED_EC",       NULL,            derived_code,   NULL)
    C(0,   "restartcnt",            "RESTART_COUNT",    "restarts",      restarts,       num_restarts)
    C(0,   "batchflag",             "BATCH_FLAG",       NULL,            batch_flag,     num_batch_flag)
    C(0,   "requeue",               "REQUEUE",          NULL,            requeue,        num_requeue)
    C(0,   "allocnodes allocsid",   "ALLOC_NODES",      NULL,            submit_host,    NULL)
    C(0,   "cluster",               "CLUSTER",          NULL,            cluster,        NULL)
    C(0,   "admin_comment",         "ADMIN_COMMENT",    NULL,            null,           NULL)
    C(0,   "system_comment",        "SYSTEM_COMMENT",   NULL,            null,           NULL)
    C(0,   "clusterfeature",        "CLUSTER_FEATURES", NULL,            null,           NULL)
    C(0,   "prefer",                "PREFER",           NULL,            null,           NULL)
    C(0,   "network",               "NETWORK",          NULL,            null,           NULL)
    C(0,   "burstbuffer",           "BURST_BUFFER",     NULL,            null,           NULL)
    C(0,   "burstbufferstate",      "BURST_BUFFER_STATE", NULL,          null,           NULL)
    C(0,   "container",             "CONTAINER",        NULL,            null,           NULL)
    C(0,   "mcslabel",              "MCSLABEL",         NULL,            null,             NULL)
    C(0,   "delayboot",             "DELAY_BOOT",       NULL,            zero_time,      NULL)
    C(0,   "reboot",                "REBOOT",           NULL,            zero,           NULL)
    C(0,   "associd",               "ASSOC_ID",         NULL,            zero,           NULL)
    C(0,   "reqswitch",             "REQ_SWITCH",       NULL,            zero,           NULL)
    C(0,   "wait4switch",           "WAIT4SWITCH",      NULL,            zero_time,      NULL)
    C(0,   "resvport",              "RESV_PORT",        NULL,            zero,           NULL)
    C(0,   "profile",               "PROFILE",          NULL,            not_set,        NULL)
    C(0,   "lastschedeval",         "LAST_SCHED_EVAL",  NULL,            na,             NULL)
    C(0,   "preempttime",           "PREEMPT_TIME",     NULL,            na,             NULL)
    C(0,   "resizetime",            "RESIZE_TIME",      NULL,            na,             NULL)
    C(0,   "cpufreq",               "CPU_FREQ",         NULL,            na,             NULL)
    C(0,   "ntpercore",             "NTASKS_PER_CORE",  NULL,            na,             NULL)
    C(0,   "ntpersocket",           "NTASKS_PER_SOCKET", NULL,           na,             NULL)
    C(0,   "ntperboard",            "NTASKS_PER_BOARD", NULL,            zero,           NULL)
    C(0,   "boardspernode",         "BOARDS_PER_NODE",  NULL,            zero,           NULL)
    C(0,   "sperboard",             "SOCKETS_PER_BOARD", NULL,           zero,           NULL)
    C(0,   "hetjobid",              "HET_JOB_ID",       NULL,            na,             NULL)
    C(0,   "hetjoboffset",          "HET_JOB_OFFSET",   NULL,            na,             NULL)
    C(0,   "hetjobidset",           "HET_JOB_ID_SET",   NULL,            na,             NULL)
    C(0,   "origin",                "ORIGIN",           NULL,            not_any,        NULL)
    C(0,   "originraw",             "ORIGIN_RAW",       NULL,            not_any,        NULL)
    C(0,   "siblingsactive",        "ACTIVE_SIBLINGS",  NULL,            not_any,        NULL)
    C(0,   "siblingsactiveraw",     "ACTIVE_SIBLINGS_RAW", NULL,         not_any,        NULL)
    C(0,   "siblingsviable",        "VIABLE_SIBLINGS",  NULL,            not_any,        NULL)
    C(0,   "siblingsviableraw",     "VIABLE_SIBLINGS_RAW", NULL,         not_any,        NULL)
        /* clang-format on */
};
const struct columns job_columns = COLUMNS(job_table);

bool column_names_element(const struct column *col)
{
    return col->get == get_id || col->get == get_array_index;
}

/* --- steps: squeue -s --- */

GET(step_id)
{
    char buf[16];
    jobtext_id(out, j, cx->bitstr_len);
    str_append_char(out, '.');
    str_append(out, step_format_id(r->step->id, buf));
}
GET_TEXT(step_name, r->step->name, "")
GET(step_nodes)
{
    steptext_nodes(out, r->step);
}
NUMBER(step_elapsed,
       wall_is_set(r->step->t_start)
           ? wall_elapsed_s(r->step->t_start, wall_is_set(r->step->t_end) ? r->step->t_end : cx->now)
           : 0)
GET(step_elapsed)
{
    text_append_duration(out, (uint32_t)num_step_elapsed(r, cx));
}
NUMBER(step_start, time_order(r->step->t_start))
GET(step_start)
{
    append_time(out, cx, r->step->t_start);
}
static int64_t step_cpus(const struct step *s)
{
    int64_t n = 0;
    for (size_t i = 0; i < s->tasks.n; i++)
        n += cpuset_count(&s->tasks.v[i].alloc.cpus);
    return n;
}
GET_NUMBER(step_cpus, step_cpus(r->step))
GET_NUMBER(step_tasks, r->step->n_ranks)
GET_NUMBER(step_node_count, r->step->tasks.n ? r->step->tasks.n : r->step->nodes)
GET(step_limit)
{
    text_append_duration(out, r->step->time_limit_s && r->step->time_limit_s != DURATION_NOT_SET
                                  ? r->step->time_limit_s
                                  : DURATION_UNLIMITED);
}
GET(step_state)
{
    str_append(out, r->step->done ? "COMPLETED" : r->step->killing ? "COMPLETING" : "RUNNING");
}
GET_TEXT(step_command, r->step->command, NULL_TEXT)

#define STEP_READS(X)                                                                              \
    X(step_id) X(step_name) X(step_elapsed) X(step_limit) X(step_start) X(step_nodes) X(step_cpus) \
    X(step_tasks) X(step_node_count) X(step_state) X(step_command)
#define X(NAME) READS(NAME, J(steps) | ARRAY, R(array_throttle))
STEP_READS(X)
#undef X

static const struct column step_table[] = {
    /* clang-format off */
    C('i', "stepid",            "STEPID",        "id",         step_id,         num_id)
    C(0,   "jobid arrayjobid",  "JOBID",         "job_id",     raw_id,          num_raw_id)
    C('F', "jobarrayid",        "ARRAY_JOB_ID",  NULL,         array_id,        num_array_id)
    C('K', "arraytaskid",       "ARRAY_TASK_ID", NULL,         array_index,     NULL)
    C('j', "stepname name",     "NAME",          "name",       step_name,       NULL)
    C('P', "partition",         "PARTITION",     "partition",  partition,       NULL)
    C('u', "username",          "USER",          "user",       user,            NULL)
    C('U', "userid",            "USER",          "uid",        uid,             num_uid)
    C_DURATION('M', "timeused",          "TIME",          "elapsed_s",  step_elapsed,    num_step_elapsed)
    C_DURATION('l', "timelimit",         "TIME_LIMIT",    NULL,         step_limit,      NULL)
    C('S', "starttime",         "START_TIME",    NULL,         step_start,      num_step_start)
    C('N', "nodelist nodes",    "NODELIST",      "nodes",      step_nodes,      NULL)
    C('C', "numcpus",           "CPUS",          "cpus",       step_cpus,       num_step_cpus)
    C('A', "numtasks",          "TASKS",         "tasks",      step_tasks,      num_step_tasks)
    C('D', "numnodes",          "NODES",         "node_count", step_node_count, num_step_node_count)
    C('T', "state stepstate",   "STATE",         "state",      step_state,      NULL)
    C('o', "command",           "COMMAND",       "command",    step_command,    NULL)
    C(0,   "tres-per-node gres", "TRES_PER_NODE", NULL,        na,              NULL)
    C('b', "tres-per-job",      "TRES_PER_JOB",  NULL,         null,            NULL)
    C(0,   "cluster",           "CLUSTER",       NULL,         cluster,         NULL)
    /* clang-format on */
};
const struct columns step_columns = COLUMNS(step_table);

/* Times are columns that count milliseconds; JSON has whole seconds, null where unset. */
static bool is_time(const struct column *c)
{
    return c->number == num_start || c->number == num_end || c->number == num_submit ||
           c->number == num_eligible;
}

/* A state sorts by its place but is a word; an id with an index is text. */
static bool is_json_number(const struct column *c)
{
    return c->number && c->number != num_state && c->number != num_id;
}

void columns_to_json(struct str *out, const struct columns *cs, const void *row, const void *cx)
{
    struct str text = STR_INIT;
    char sep = '{';
    for (size_t i = 0; i < cs->n; i++) {
        const struct column *c = &cs->v[i];
        if (!c->key)
            continue;
        str_append_char(out, sep);
        sep = ',';
        str_appendf(out, "\"%s\":", c->key);
        if (is_time(c)) {
            int64_t ms = c->number(row, cx);
            if (ms == INT64_MAX || !ms)
                str_append(out, "null");
            else
                append_signed(out, ms / MS_PER_S);
        } else if (is_json_number(c)) {
            append_signed(out, c->number(row, cx));
        } else {
            str_clear(&text);
            c->get(&text, row, cx);
            json_append_str(out, strcmp(text.s, NULL_TEXT) == 0 ? NULL : text.s);
        }
    }
    str_append_char(out, '}');
    str_fini(&text);
}
