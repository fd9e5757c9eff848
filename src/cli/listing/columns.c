/* columns.c - the tables of the columns of jobs and steps.
 *
 * Source of titles and letters: squeue(1), -o and -O.
 */
#include "src/cli/listing/columns.h"

#include <stdlib.h>
#include <string.h>

#include "src/cli/listing/columnvalues.h"
#include "src/jobattr/jobattr.h"
#include "src/model/members.h"
#include "src/record/json.h"
#include "src/text/jobtext.h"
#include "src/values/units.h"

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

/* --- what each looks at --- */

/* The members that a row must have for the column to be right: for requests that leave out the others.
 * Beside them every row has its id, kind and state. */
#define READS(NAME, JOB, REQ) static const struct job_members reads_##NAME = {.job = (JOB), .req = (REQ)};
/* The same, where tasks that have ended count. */
#define READS_ALL_TASKS(NAME, JOB, REQ) \
    static const struct job_members reads_##NAME = {.job = (JOB), .req = (REQ), .all_tasks = true};
#define J(member) JOB_HAS(member)
#define R(member) REQ_HAS(member)

#define ARRAY   (J(array_job) | J(array_index) | J(array_pending))
#define REASON  (J(reason) | J(reason_detail) | J(hold) | J(exit_signal))
#define LIMIT   (J(t_start) | J(time_limit_s) | J(partition))
#define LIMIT_R (R(time_limit_s) | R(partition))
#define ELAPSED (J(t_start) | J(t_end) | J(t_suspend) | J(suspended_ms))
#define HELD    (J(alloc) | J(steps))
#define NODES_R (R(nodes_min) | R(nodes_max) | R(ntasks) | R(ntasks_per_node) | GPUS_R | R(nodelist))
#define GPUS_R  (R(gpus) | R(gpus_per_node) | R(gpus_per_task))
#define MEM_R   (R(mem_node_mib) | R(mem_cpu_mib) | R(mem_gpu_mib))
#define HELD_R  (NODES_R | MEM_R | R(cpus_per_task))

/* clang-format off */
READS(id, ARRAY, R(array_throttle))         READS(raw_id, 0, 0)                  READS(array_id, J(array_job), 0)
READS(array_index, ARRAY, R(array_throttle)) READS(user, J(user), 0)
READS(uid, J(uid), 0)                       READS(group, J(group), 0)            READS(gid, J(gid), 0)
READS(qos, 0, R(qos))                READS(partition, J(partition) | J(t_start), R(partition))

READS(command, J(command), 0)
READS(submit_host, J(submit_host), 0) READS(cluster, 0, 0)
READS(null, 0, 0)                           READS(na, 0, 0)                      READS(star, 0, 0)
READS(sct, 0, 0)                            READS(zero, 0, 0)                    READS(state_short, 0, 0)
READS(zero_time, 0, 0)                      READS(not_set, 0, 0)                 READS(not_any, 0, 0)
READS(state, 0, 0)                          READS(reason, REASON, R(nodelist))   READS(nodes_or_reason, REASON | HELD, R(nodelist))
READS(reason_words, REASON | J(exit_code) | J(steps),
      HELD_R | R(partition) | R(array_throttle) | R(dependency) | R(licenses) | R(features) | R(reservation) |
          R(gpu_type) | R(exclusive) | R(exclusive_user))
READS(hold, J(hold), 0)                     READS(priority, J(priority), 0)      READS(priority_long, J(priority), 0)
READS(exit_code, J(exit_code) | J(exit_signal), 0)
READS(derived_code, J(derived_code), 0)     READS(restarts, J(restarts), 0)      READS(batch_flag, 0, 0)
READS(requeue, 0, R(requeue))               READS(start, J(t_start) | J(t_expected), 0) READS(end, LIMIT | ELAPSED | J(t_expected), LIMIT_R)
READS(submit, J(t_submit), 0)               READS(eligible, J(t_eligible), 0)    READS(deadline, 0, R(deadline))
READS(elapsed, ELAPSED, 0)                  READS(limit, LIMIT, LIMIT_R)         READS(left, LIMIT | ELAPSED, LIMIT_R)
READS(time_min, 0, R(time_min_s))           READS(pending_s, J(t_submit) | J(t_start), 0)
READS(cpus, HELD, HELD_R)                   READS(gpus, HELD, HELD_R)            READS(node_count, HELD, NODES_R)
READS(mem, HELD, HELD_R)                    READS(tasks, HELD, HELD_R)           READS(cpus_per_task, 0, R(cpus_per_task))
READS(min_cpus, 0, R(cpus_per_task) | R(ntasks_per_node))                        READS(max_nodes, 0, R(nodes_max))
READS(min_memory, 0, MEM_R)
READS(tres_per_node, 0, R(gpus_per_node) | R(gpu_type) | R(gres))
READS(tres_alloc, HELD, HELD_R | R(gpu_type))
READS(tres_per_job, 0, R(gpus) | R(gpu_type)) READS(tres_per_task, 0, R(gpus_per_task) | R(gpu_type))
READS(tasks_per_node, 0, R(ntasks_per_node)) READS(over_subscribe, 0, R(exclusive) | R(exclusive_user)) READS(nodes, HELD, 0)
READS_ALL_TASKS(batch_host, HELD, 0)        READS(req_nodes, 0, R(nodelist))     READS(exc_nodes, 0, R(exclude))
READS(stdin, 0, R(std_in))
/* at much, at other jobs too */
READS(stdout, UINT64_MAX, UINT64_MAX)       READS(stderr, UINT64_MAX, UINT64_MAX) READS(dependency, UINT64_MAX, UINT64_MAX)
    /* clang-format on */

    /* --- attributes of the request --- */

    static void attr_append_cell(struct str *out, const struct job_attr *a, const struct job *j)
{
    if (job_attr_is_text(a))
        text_append_foreign(out, job_attr_text(a, &j->req), NULL_TEXT);
    else
        value_append_number(out, job_attr_number(a, &j->req));
}

/* clang-format off */
#define X(ID, ...) \
    static void attr_cell_##ID(struct str *out, const void *row, __attribute__((unused)) const void *cx) \
    { \
        attr_append_cell(out, &job_attrs[ATTR_##ID], ((const struct job_row *)row)->job); \
    } \
    __attribute__((unused)) static int64_t attr_number_##ID(const void *row, __attribute__((unused)) const void *cx) \
    { \
        return job_attr_number(&job_attrs[ATTR_##ID], &((const struct job_row *)row)->job->req); \
    }
#define O(...)
#define ALIAS(...)
JOB_ATTRS(X, O, ALIAS)
#undef X
/* clang-format on */

#define X(ID, KIND, PLACE, MEMBER, OPTION, IS, COLUMN, ...)           \
    {.get = attr_cell_##ID,                                           \
     .reads = &(const struct job_members){.req = REQ_HAS(MEMBER)},    \
     JOB_ATTR_UNWRAP COLUMN},

#define C_WITH(LETTER, NAMES, TITLE, KEY, GETTER, NUM, UNCUT) \
    {.letter = LETTER,                                        \
     .names = NAMES,                                          \
     .title = TITLE,                                          \
     .key = KEY,                                              \
     .get = value_##GETTER,                                     \
     .number = NUM,                                           \
     .reads = &reads_##GETTER,                                \
     .uncut = UNCUT},
#define C(LETTER, NAMES, TITLE, KEY, GETTER, NUM) C_WITH(LETTER, NAMES, TITLE, KEY, GETTER, NUM, false)
#define C_DURATION(LETTER, NAMES, TITLE, KEY, GETTER, NUM) \
    C_WITH(LETTER, NAMES, TITLE, KEY, GETTER, NUM, true)

static const struct column job_table[] = {
    /* clang-format off */
    C('i', "jobarrayid",            "JOBID",            "id",            id,             number_id)
    C('A', "jobid",                 "JOBID",            "job_id",        raw_id,         number_raw_id)
    C('F', "arrayjobid",            "ARRAY_JOB_ID",     "array_job_id",  array_id,       number_array_id)
    C('K', "arraytaskid",           "ARRAY_TASK_ID",    "array_task_id", array_index,    NULL)
    C('u', "username",              "USER",             "user",          user,           NULL)
    C('U', "userid",                "UID",              "uid",           uid,            number_uid)
    C('g', "groupname",             "GROUP",            "group",         group,          NULL)
    C('G', "groupid",               "GROUP",            "gid",           gid,            number_gid)
    C('q', "qos",                   "QOS",              "qos",           qos,            NULL)
    C('P', "partition",             "PARTITION",        "partition",     partition,      NULL)
    C('t', "statecompact",          "ST",               "state_short",   state_short,    number_state)
    C('T', "state",                 "STATE",            "state",         state,          number_state)
    C('r', "reason",                "REASON",           "reason",        reason,         NULL)
    C('R', "reasonlist",            "NODELIST(REASON)", NULL,            nodes_or_reason, NULL)
    C(0,   NULL,                    "WHY",              "why",           reason_words,   NULL)
    C(0,   NULL,                    "HOLD",             "hold",          hold,           NULL)
    C('p', "priority",              "PRIORITY",         NULL,            priority,       number_priority)
    C('Q', "prioritylong",          "PRIORITY",         "priority",      priority_long,  number_priority)
    C('E', "dependency",            "DEPENDENCY",       "dependency",    dependency,     NULL)
    C_DURATION('M', "timeused",              "TIME",             "elapsed_s",     elapsed,        number_elapsed)
    C_DURATION('l', "timelimit",             "TIME_LIMIT",       NULL,            limit,          number_limit)
    C_DURATION('L', "timeleft",              "TIME_LEFT",        NULL,            left,           number_left)
    C('S', "starttime",             "START_TIME",       "start",         start,          number_start)
    C('e', "endtime",               "END_TIME",         "end",           end,            number_end)
    C('V', "submittime",            "SUBMIT_TIME",      "submit",        submit,         number_submit)
    C(0,   "eligibletime accruetime", "ELIGIBLE_TIME",  "eligible",      eligible,       number_eligible)
    C(0,   "deadline",              "DEADLINE",         NULL,            deadline,       NULL)
    C(0,   "mintime",               "MIN_TIME",         NULL,            time_min,       NULL)
    C(0,   "pendingtime",           "PENDING_TIME",     "pending_s",     pending_s,      number_pending_s)
    C('C', "numcpus",               "CPUS",             "cpus",          cpus,           number_cpus)
    C(0,   "maxcpus",               "MAX_CPUS",         NULL,            cpus,           number_cpus)
    C(0,   "numgpus",               "GPUS",             "gpus",          gpus,           number_gpus)
    C('D', "numnodes",              "NODES",            "node_count",    node_count,     number_node_count)
    C(0,   "maxnodes",              "MAX_NODES",        NULL,            max_nodes,      number_max_nodes)
    C(0,   "numtasks",              "TASKS",            "tasks",         tasks,          number_tasks)
    C(0,   "cpuspertask cpus-per-task", "CPUS_PER_TASK", "cpus_per_task", cpus_per_task, number_cpus_per_task)
    C(0,   "ntpernode",             "NTASKS_PER_NODE",  NULL,            tasks_per_node, NULL)
    C('c', "mincpus",               "MIN_CPUS",         NULL,            min_cpus,       number_min_cpus)
    C('m', "minmemory",             "MIN_MEMORY",       NULL,            min_memory,     number_min_memory)
    C(0,   NULL,                    "MEMORY",           "mem_mib",       mem,            number_mem)
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
    C('h', "oversubscribe",         "OVER_SUBSCRIBE",   NULL,            over_subscribe, NULL)
    C('H', "sockets",               "SOCKETS_PER_NODE", NULL,            star,           NULL)
    C('I', "cores",                 "CORES_PER_SOCKET", NULL,            star,           NULL)
    C('J', "threads",               "THREADS_PER_CORE", NULL,            star,           NULL)
    C('z', "sct",                   "S:C:T",            NULL,            sct,            NULL)
    C('X', "corespec",              "CORE_SPEC",        NULL,            na,             NULL)
    C('o', "command",               "COMMAND",          "command",       command,        NULL)
    C(0,   "stdout",                "STDOUT",           "stdout",        stdout,         NULL)
    C(0,   "stderr",                "STDERR",           "stderr",        stderr,         NULL)
    C(0,   "stdin",                 "STDIN",            NULL,            stdin,          NULL)
    C(0,   "exit_code exitcode",    "EXIT_CODE",        "exit_code",     exit_code,      NULL)
    C(0,   "derivedec",             "DERIVED_EC",       NULL,            derived_code,   NULL)
    C(0,   "restartcnt",            "RESTART_COUNT",    "restarts",      restarts,       number_restarts)
    C(0,   "batchflag",             "BATCH_FLAG",       NULL,            batch_flag,     number_batch_flag)
    C(0,   "requeue",               "REQUEUE",          NULL,            requeue,        number_requeue)
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
    JOB_ATTRS(X, O, ALIAS)
    /* clang-format on */
};
const struct columns job_columns = COLUMNS(job_table);
#undef X
#undef O
#undef ALIAS

bool column_names_element(const struct column *col)
{
    return col->get == value_id || col->get == value_array_index;
}

/* --- steps: squeue -s --- */

#define STEP_READS(X)                                                                              \
    X(step_id) X(step_name) X(step_elapsed) X(step_limit) X(step_start) X(step_nodes) X(step_cpus) \
    X(step_tasks) X(step_node_count) X(step_state) X(step_command)
#define X(NAME) READS(NAME, J(steps) | ARRAY, R(array_throttle))
STEP_READS(X)
#undef X

static const struct column step_table[] = {
    /* clang-format off */
    C('i', "stepid",            "STEPID",        "id",         step_id,         number_id)
    C(0,   "jobid arrayjobid",  "JOBID",         "job_id",     raw_id,          number_raw_id)
    C('F', "jobarrayid",        "ARRAY_JOB_ID",  NULL,         array_id,        number_array_id)
    C('K', "arraytaskid",       "ARRAY_TASK_ID", NULL,         array_index,     NULL)
    C('j', "stepname name",     "NAME",          "name",       step_name,       NULL)
    C('P', "partition",         "PARTITION",     "partition",  partition,       NULL)
    C('u', "username",          "USER",          "user",       user,            NULL)
    C('U', "userid",            "USER",          "uid",        uid,             number_uid)
    C_DURATION('M', "timeused",          "TIME",          "elapsed_s",  step_elapsed,    number_step_elapsed)
    C_DURATION('l', "timelimit",         "TIME_LIMIT",    NULL,         step_limit,      NULL)
    C('S', "starttime",         "START_TIME",    NULL,         step_start,      number_step_start)
    C('N', "nodelist nodes",    "NODELIST",      "nodes",      step_nodes,      NULL)
    C('C', "numcpus",           "CPUS",          "cpus",       step_cpus,       number_step_cpus)
    C('A', "numtasks",          "TASKS",         "tasks",      step_tasks,      number_step_tasks)
    C('D', "numnodes",          "NODES",         "node_count", step_node_count, number_step_node_count)
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
    return c->number == number_start || c->number == number_end || c->number == number_submit ||
           c->number == number_eligible;
}

/* A state sorts by its place but is a word; an id with an index is text. */
static bool is_json_number(const struct column *c)
{
    return c->number && c->number != number_state && c->number != number_id;
}

void columns_to_json(struct str *out, const struct columns *cs, const void *row, const void *cx)
{
    struct str text = STR_INIT;
    json_begin_object(out, NULL);
    for (size_t i = 0; i < cs->n; i++) {
        const struct column *c = &cs->v[i];
        if (!c->key)
            continue;
        if (is_time(c)) {
            int64_t ms = c->number(row, cx);
            json_time(out, c->key, (struct wall){.ms = ms == INT64_MAX ? 0 : ms});
        } else if (is_json_number(c)) {
            json_int(out, c->key, c->number(row, cx));
        } else {
            str_clear(&text);
            c->get(&text, row, cx);
            json_text_or_null(out, c->key, strcmp(text.s, NULL_TEXT) == 0 ? NULL : text.s);
        }
    }
    json_end_object(out);
    str_fini(&text);
}
