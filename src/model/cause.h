/* cause.h - a cause as data: why a job waits, why a request was refused, what would help.
 *
 * A cause is a code with arguments: numbers, names, times, lists of nodes and jobs, and further causes. The
 * policy and the controller make causes and never compose a sentence; src/text/cause_text.h makes a
 * sentence of each. The codes and the members that each of them sets are listed here; a member that a code
 * does not set is zero.
 */
#ifndef STOKER_ANSWERS_CAUSE_H
#define STOKER_ANSWERS_CAUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "src/record/rec.h"

/* X(enum member, name, starts by itself): the classes of causes. */
#define WHY_CLASSES(X)                                                                                       \
    X(NO_FIT, "NO_FIT", false) X(NOT_ALLOWED, "NOT_ALLOWED", false) X(DEP_DEAD, "DEP_DEAD", false)           \
    X(HELD, "HELD", false) X(BEHIND, "BEHIND", true) X(BUSY, "BUSY", true) X(USER_LIMIT, "USER_LIMIT", true) \
    X(GROUP_LIMIT, "GROUP_LIMIT", true) X(DEP_WAIT, "DEP_WAIT", true) X(NOT_YET, "NOT_YET", true)            \
    X(ARRAY_THROTTLE, "ARRAY_THROTTLE", true) X(WINDOW, "WINDOW", true) X(NODE_OUT, "NODE_OUT", true)        \
    X(FOREIGN_GPU, "FOREIGN_GPU", true) X(COOLDOWN, "COOLDOWN", true) X(LAUNCH_RETRY, "LAUNCH_RETRY", true)  \
    X(PARTITION_DOWN, "PARTITION_DOWN", true)

enum why_class {
#define X(name, text, self) WHY_##name,
    WHY_CLASSES(X)
#undef X
        WHY_N_CLASSES
};

/* X(enum member, members of struct cause that it sets). Numbers travel on the wire: new ones are appended
 * to the refusals, which are the last table. Why a job waits: */
#define WAIT_CAUSES(X)                                                                                            \
    X(NONE, "")                                                                                              \
    /* the job itself */                                                                                     \
    X(HELD_BY_OWNER, "user at parts")                                                                        \
    X(HELD_BY_ADMIN, "user at parts")                                                                        \
    X(HELD_AFTER_LOSSES, "n")                                                                                \
    X(RELEASE_REFUSED, "parts")                                                                              \
    X(BEGIN_TIME, "at")                                                                                      \
    X(DEPENDENCY, "parts more any")                                                                          \
    X(DEPENDENCY_NEVER, "parts more any")                                                                    \
    X(DEPENDENCY_UNREADABLE, "text")                                                                         \
    X(DEPENDS_ON, "what id array dead state parts n")                                                       \
    X(DEPENDS_ON_NAME, "id name")                                                                            \
    X(STATE_ARRAY, "n of most")                                                                              \
    X(STATE_UNKNOWN, "")                                                                                     \
    X(STATE_ENDED, "")                                                                                       \
    X(STATE_WAITING, "")                                                                                     \
    X(STATE_HELD, "")                                                                                        \
    X(STATE_NEVER, "")                                                                                       \
    X(STATE_DEPENDS, "")                                                                                     \
    X(STATE_OTHER, "state")                                                                                  \
    X(STATE_FAILED, "state n of")                                                                            \
    X(DEADLINE_PASSED, "")                                                                                   \
    X(DEADLINE_NOW, "")                                                                                      \
    X(DEADLINE_BEGIN, "")                                                                                    \
    X(LATE_FOR_DEADLINE, "part at")                                                                          \
    X(LATE_FOR_RESERVATION, "part at name")                                                                  \
    X(NO_TIME_TO_DEADLINE, "part at")                                                                        \
    X(NO_TIME_TO_RESERVATION, "part at name")                                                                \
    X(THROTTLE, "most n more")                                                                               \
    X(LAUNCH_RETRY, "")                                                                                      \
    X(TASKS_WAIT, "n parts")                                                                                 \
    /* rules of partitions, accounts, reservations */                                                        \
    X(NO_PARTITION_GIVEN, "")                                                                                \
    X(NO_PARTITION, "part")                                                                                  \
    X(PARTITION_GONE, "part")                                                                                \
    X(PARTITION_INACTIVE, "part")                                                                            \
    X(PARTITION_DOWN, "part")                                                                                \
    X(PARTITION_DRAIN, "part")                                                                               \
    X(PARTITION_GROUPS, "part")                                                                              \
    X(PARTITION_ACCOUNTS, "part")                                                                            \
    X(PARTITION_QOS, "part")                                                                                 \
    X(PARTITION_TIME, "part asked most")                                                                     \
    X(PARTITION_TIME_MIN, "part asked most")                                                                 \
    X(PARTITION_NODES, "part asked most")                                                                    \
    X(NO_ACCOUNT, "name")                                                                                    \
    X(ACCOUNT_USER, "name user")                                                                             \
    X(NO_QOS, "name")                                                                                        \
    X(NO_RESERVATION, "name")                                                                                \
    X(RESERVATION_OVER, "name")                                                                              \
    X(RESERVATION_USER, "name user")                                                                         \
    X(RESERVATION_LATER, "name at")                                                                          \
    /* limits and licences */                                                                                \
    X(LIMIT, "what scope soft used most asked name rule part")                                               \
    X(LIMIT_BORROW, "what scope soft used most asked name rule part")                                        \
    X(LICENCES, "parts")                                                                                     \
    X(LICENCE_SHORT, "name asked used of n jobs more")                                                        \
    X(LICENCE_UNREADABLE, "name text")                                                                       \
    X(NO_LICENCE, "name")                                                                                    \
    X(LICENCE_COUNT, "name asked most")                                                                      \
    /* the queue */                                                                                          \
    X(AHEAD, "part n cpus gpus id start window_s")                                                                \
    X(AHEAD_TASKS, "part n gpus id start window_s")                                                          \
    X(AHEAD_UNKNOWN, "part id start window_s")                                                               \
    X(STARTS_NOW, "")                                                                                        \
    X(PREEMPTS, "id user at")                                                                                \
    X(DELAYS, "jobs more at")                                                                                \
    /* places */                                                                                             \
    X(NO_PLACE, "part parts next start window_s")                                                            \
    X(NODES_ARE_OUT, "part parts")                                                                           \
    X(NEVER_FITS, "part parts")                                                                              \
    X(IN_STEP, "name parts")                                                                                 \
    X(STEP_TOO_BIG, "ranks cpus gpus mem_mib nodes_n have_cpus have_gpus have_nodes")                        \
    X(STEP_WAITS, "ranks cpus gpus mem_mib nodes_n have_cpus have_gpus have_nodes")                          \
    X(WINDOW_AHEAD, "n nodes name at")                                                                       \
    X(WINDOW_NOW, "n nodes name at")                                                                         \
    X(RESERVED_AHEAD, "n nodes name at")                                                                     \
    X(RESERVED_NOW, "n nodes name at")                                                                       \
    /* parts of those */                                                                                     \
    X(WANTS, "cpus gpus type mem_mib nodes_n whole")                                                         \
    X(NEEDS_GPUS, "asked free type nodes nodes_n one")                                                       \
    X(NEEDS_CPUS, "asked free nodes nodes_n one")                                                            \
    X(NEEDS_MEMORY, "asked free one")                                                                        \
    X(NEEDS_NODES, "asked free")                                                                             \
    X(NODES, "n parts")                                                                                      \
    X(NODES_FREE_GPUS, "n nodes")                                                                            \
    X(NODES_FREE_CPUS, "n nodes")                                                                            \
    X(NODES_FREE_MEMORY, "n nodes")                                                                          \
    X(NODES_NOT_EMPTY, "n nodes")                                                                            \
    X(NODES_FEW_GPUS, "n nodes asked most")                                                                  \
    X(NODES_FEW_CPUS, "n nodes asked most")                                                                  \
    X(NODES_LITTLE_MEMORY, "n nodes asked most")                                                             \
    X(NODES_GPU_TYPE, "n nodes")                                                                             \
    X(NODES_FEATURES, "n nodes")                                                                             \
    X(NODES_TMP, "n nodes")                                                                                  \
    X(NODES_NOT_ASKED, "n nodes")                                                                            \
    X(NODES_WINDOW, "n nodes")                                                                               \
    X(NODES_PLANNED, "n nodes")                                                                              \
    X(NODES_LOST_GPUS, "n nodes")                                                                            \
    X(NODES_AVOID_USER, "n nodes")                                                                           \
    X(NODES_DRAINED, "n")                                                                                    \
    X(NODES_OUT, "n")                                                                                        \
    X(NODES_FIT, "n nodes")                                                                                  \
    X(NODES_FIT_PART, "n nodes cpus gpus together")                                                          \
    X(OUT_DRAINED, "nodes n text user")                                                                      \
    X(OUT_DRAINING, "nodes n text user")                                                                     \
    X(OUT_GONE, "nodes n text")                                                                              \
    X(OUT_DOWN, "nodes n text")                                                                              \
    X(OUT_SILENT, "nodes n text")                                                                            \
    X(OUT_MORE, "n")                                                                                         \
    X(NODE_GPUS, "name text")                                                                                \
    X(NODE_AVOIDS, "name text")                                                                              \
    X(ROOM_AFTER, "id")                                                                                      \
    X(ROOM_NEVER, "id")                                                                                      \
    /* what an expected start rests on */                                                                    \
    X(START_HELD, "")                                                                                        \
    X(START_PLANNED, "")                                                                                     \
    X(START_LIMITED, "")                                                                                     \
    X(START_DEADLINE, "")                                                                                    \
    X(START_BEYOND, "window_s")                                                                              \
    X(START_NOT_BEFORE, "")                                                                                  \
    X(START_AT_ONCE, "")                                                                                     \
    X(START_AFTER, "")                                                                                       \
    X(START_DEPENDS, "")                                                                                     \
    X(START_FREE, "")                                                                                        \
    /* what would help */                                                                                    \
    X(TRY_OPTION, "name text nodes")                                                                         \
    X(TRY_COUNT, "name n of nodes")                                                                          \
    X(TRY_PARTITION, "part nodes")                                                                           \
    /* a job that is not in the queue */                                                                     \
    X(WAITS_REASON, "state start window_s")                                                                  \
    X(WAITS_BEYOND, "window_s")                                                                              \
    X(WAITS_FOR_ROOM, "")

/* Why a request was refused, and what else its answer says. */
#define REFUSAL_CAUSES(X) \
    /* what was asked for is not there */                                                                    \
    X(NO_JOB, "n")                                                                                           \
    X(NO_JOB_OF_YOURS, "n")                                                                                  \
    X(NO_INTERACTIVE_JOB, "n")                                                                               \
    X(NO_STEP_OR_TASK, "n")                                                                                  \
    X(NO_NODE, "name")                                                                                       \
    X(NO_FEATURE, "name")                                                                                    \
    X(NO_WINDOW, "name")                                                                                     \
    X(NO_USER, "name")                                                                                       \
    X(NO_SCRIPT, "n")                                                                                        \
    X(NO_UNKNOWN_TASK, "name n")                                                                             \
    /* rights */                                                                                             \
    X(ADMINS_ONLY, "what name")                                                                              \
    X(OTHER_USERS_JOB, "")                                                                                   \
    X(OTHER_USERS_SCRIPT, "")                                                                                \
    X(ONE_USER, "user")                                                                                      \
    X(ADMIN_HOLD, "")                                                                                        \
    X(NO_REQUEUE, "")                                                                                        \
    X(KNOWN_JOB, "n")                                                                                        \
    X(OTHER_IDENTITY, "n user name text")                                                                    \
    X(NOT_ON_LOGIN_NODE, "user name")                                                                        \
    /* the state of the job */                                                                               \
    X(JOB_ENDED, "")                                                                                         \
    X(JOB_ENDING, "")                                                                                        \
    X(JOB_ENDED_OR_ENDING, "")                                                                               \
    X(JOB_WAITS, "")                                                                                         \
    X(JOB_SUSPENDED, "")                                                                                     \
    X(JOB_NOT_RUNNING, "")                                                                                   \
    X(JOB_NOT_SUSPENDED, "")                                                                                 \
    X(JOB_NOT_WAITING, "")                                                                                   \
    X(JOB_IN_STATE, "n state")                                                                               \
    X(JOB_NEVER_STARTED, "")                                                                                 \
    X(NO_STEP_RUNS, "")                                                                                      \
    X(NO_TASK_RUNS, "")                                                                                      \
    X(INTERACTIVE_REQUEUE, "")                                                                               \
    X(STEP_JOB_SUSPEND, "")                                                                                  \
    /* changes */                                                                                            \
    X(UPDATE_UNKNOWN, "name parts")                                                                          \
    X(UPDATE_NO_PAIR, "name")                                                                                \
    X(UPDATE_WHILE_WAITING, "name")                                                                          \
    X(UPDATE_LEASE, "")                                                                                      \
    X(TIME_LIMIT_NONE, "")                                                                                   \
    X(TIME_LIMIT_WHOLE, "")                                                                                  \
    X(TIME_LIMIT_LONG, "")                                                                                   \
    /* values */                                                                                             \
    X(WORDS, "text")                                                                                         \
    X(MALFORMED, "")                                                                                         \
    X(VALUE_EMPTY, "name")                                                                                   \
    X(VALUE_LONG, "name most")                                                                               \
    X(VALUE_NOT_UTF8, "name")                                                                                \
    X(VALUE_INVISIBLE, "name")                                                                               \
    X(VALUE_COUNT, "name most")                                                                              \
    X(WORKDIR_RELATIVE, "name")                                                                              \
    X(NOTHING_TO_RUN, "")                                                                                    \
    X(SCRIPT_LARGE, "most")                                                                                  \
    X(ENVIRONMENT_LARGE, "most n")                                                                           \
    X(RESOURCE_LIMITS, "most")                                                                               \
    X(INPUT_LARGE, "most")                                                                                   \
    X(ASKED_TOO_MANY, "most")                                                                                \
    X(EXIT_STATUS, "n of")                                                                                   \
    X(DRAIN_REASON, "")                                                                                      \
    X(NOTE_TEXT, "most")                                                                                     \
    /* steps */                                                                                              \
    X(STEPS_UNDECLARED, "")                                                                                  \
    X(STEPS_ARRAY, "")                                                                                       \
    X(STEPS_COUNT, "most")                                                                                   \
    X(STEPS_TASKS, "most")                                                                                   \
    X(STEPS_LARGE, "most")                                                                                   \
    X(STEP_PROCESSES, "most")                                                                                \
    X(STEP_TASKS, "most")                                                                                    \
    X(STEP_NODE_TASKS, "ranks nodes_n most")                                                                 \
    X(STEP_OVER, "n most")                                                                                   \
    X(NODE_TASKS, "most")                                                                                    \
    X(RECORD_LARGE, "n of most")                                                                             \
    /* windows and reservations */                                                                           \
    X(WINDOW_NODES, "name")                                                                                  \
    X(WINDOW_EXISTS, "name")                                                                                 \
    X(WINDOW_OVER, "name")                                                                                   \
    X(WINDOW_USERS, "name")                                                                                  \
    X(WINDOW_TEXT, "")                                                                                       \
    X(WINDOWS_TOO_MANY, "")                                                                                  \
    /* dependencies */                                                                                       \
    X(DEPENDENCY_SELF, "name")                                                                               \
    X(DEPENDENCY_ELEMENT, "name")                                                                            \
    X(DEPENDENCY_NO_JOB, "name")                                                                             \
    X(DEPENDENCY_CIRCLE, "name")                                                                             \
    X(DEPENDENCY_CIRCLE_NAME, "name")                                                                        \
    X(DEPENDENCY_HISTORY, "name")                                                                            \
    /* the controller and its nodes */                                                                       \
    X(STOPPING, "")                                                                                          \
    X(STOPPING_JOBS, "")                                                                                     \
    X(READ_ONLY, "text")                                                                                     \
    X(NOT_COMMITTED, "text")                                                                                 \
    X(QUEUE_FULL, "")                                                                                        \
    X(QUEUE_TASKS, "most")                                                                                   \
    X(QUEUE_USER, "n most")                                                                                  \
    X(NO_JOB_ID, "")                                                                                         \
    X(HISTORY_FULL, "")                                                                                      \
    X(HISTORY_BUSY, "")                                                                                      \
    X(HISTORY_UNREADABLE, "text")                                                                            \
    X(SCRIPTS_TOO_MANY, "")                                                                                  \
    X(OUTPUTS_TOO_MANY, "")                                                                                  \
    X(CONNECTIONS, "n")                                                                                      \
    X(CONNECTIONS_USER, "n")                                                                                 \
    X(PROTOCOL, "name n of most")                                                                            \
    X(NODE_NONE_YET, "")                                                                                     \
    X(NODE_SILENT, "name")                                                                                   \
    X(NODE_KEEPS, "name")                                                                                    \
    X(NODE_REMOVED, "name")                                                                                  \
    X(NODE_BUSY, "name")                                                                                     \
    X(NODE_UNREACHED, "name")                                                                                \
    /* answers to sbatch --test-only and hints about a submission */                                         \
    X(WOULD_START, "at cpus nodes part parts")                                                               \
    X(NO_MAIL, "")                                                                                           \
    /* by which rule a job is preempted */                                                                   \
    X(PREEMPT_TIER, "n part most name of")                                                                   \
    X(PREEMPT_QOS, "n name rule")                                                                            \
    X(PREEMPT_BORROWED, "n")                                                                                 \
    X(PREEMPTED_JOBS, "parts")                                                                               \
    X(PREEMPTED_JOB, "n user parts")                                                                         \
    /* why a job or a task was ended, where the kind of its end does not say it */                           \
    X(JOB_NODE_LOST, "name")                                                                                 \
    X(JOB_NODE_REFUSED, "name text")                                                                         \
    X(JOB_LATE_FOR_DEADLINE, "")                                                                             \
    X(TASK_NODE_LOST, "")                                                                                    \
    X(TASK_NODE_LOST_LEASE, "")                                                                              \
    X(TASK_NODE_REBOOTED, "")                                                                                \
    X(TASK_NODE_FORGOT, "")                                                                                  \
    X(TASK_RANKS_TOO_MANY, "")                                                                               \
    X(TASK_NO_SCRIPT, "")                                                                                    \
    X(TASK_LAUNCH_TOO_BIG, "most")                                                                           \
    X(TASK_NOT_STARTED, "")                                                                                  \
    /* who may name what */                                                                                  \
    X(ACCOUNT_GROUP, "name user")                                                                            \
    X(QOS_CLOSED, "name")                                                                                    \
    X(QOS_USER, "name user")                                                                                 \
    X(PARTITION_BATCH_ONLY, "part")                                                                          \
    /* bytes */                                                                                              \
    X(USER_BYTES, "name used most")                                                                          \
    X(SHORT_OF_DISK, "free")                                                                                 \
    X(SHORT_OF_MEMORY, "used most")                                                                          \
    X(NOTE_RATE, "n")                                                                                        \
    /* a victim's minimum run */                                                                             \
    X(PREEMPTS_LATER, "id at n")                                                                             \
    X(NAME_SERVICE, "name") \
    /* a word of Slurm; n: there is nothing else to be known of it */                                        \
    X(SLURM_REASON, "name text n start window_s")                                                            \
    X(LIMIT_TIME, "scope name asked most")                                                                   \
    X(TRY_ADMITTED, "name text part")                                                                        \
    /* the planned start of a job needs what a limit leaves */                                               \
    X(LIMIT_PLANNED, "jobs at")                                                                              \
    X(OTHER_USERS_OUTPUT, "") \
    X(ROOM_AFTER_PLANNED, "id")                                                                              \
    /* --exclusive=user: of this job, of other jobs */                                                       \
    X(NEEDS_OWN_NODES, "asked free")                                                                         \
    X(NEEDS_NODES_OF_USER, "asked free")                                                                     \
    X(NODES_OTHER_USERS, "n nodes")                                                                          \
    X(NODES_ONE_USER, "n nodes")                                                                             \
    /* --switches */                                                                                         \
    X(NEEDS_GROUPS, "asked free of")                                                                         \
    X(NODES_IN_GROUPS, "n of")                                                                               \
    /* a node whose agent has not connected yet since the node was configured */                             \
    X(OUT_STARTING, "nodes n text")

#define CAUSES(X) WAIT_CAUSES(X) REFUSAL_CAUSES(X)

/* X(enum member): what only administrators may do. */
#define ADMIN_ACTS(X)                                                                                        \
    X(NONE) X(DRAIN) X(NOTE) X(END_TASKS) X(WINDOW) X(RELOAD) X(STOP) X(SUSPEND) X(PRIORITY) X(NICE)         \
    X(FORCE) X(RAISE_TIME_LIMIT)

enum admin_act {
#define X(name) ADMIN_ACT_##name,
    ADMIN_ACTS(X)
#undef X
        ADMIN_N_ACTS
};

enum cause_code {
#define X(name, sets) CAUSE_##name,
    CAUSES(X)
#undef X
        CAUSE_N_CODES
};

/* X(enum member, member of struct limit_set): what a limit counts. */
#define LIMIT_WHATS(X)           \
    X(GPUS, gpus)                \
    X(CPUS, cpus)                \
    X(MEMORY, mem_mib)           \
    X(NODES, nodes)              \
    X(RUNNING, running_jobs)     \
    X(SUBMITTED, submitted_jobs) \
    X(GPU_MINUTES, gpu_minutes)

enum limit_what {
#define X(name, member) LIMIT_OF_##name,
    LIMIT_WHATS(X)
#undef X
        LIMIT_OF_ARRAY_SIZE, /* checked at submission, never counted */
    LIMIT_N_WHATS
};

/* Causes within one another: a hold, a release that is refused, the step, what it needs, the nodes, each
 * kind of nodes. */
#define CAUSE_LEVELS_MAX 6

struct cause {
    uint32_t code;      /* enum cause_code */
    uint32_t cls;       /* enum why_class, of what keeps a job waiting */
    struct wall clears; /* earliest time it can clear; unset: not known */

    uint64_t n, of, more;             /* more: things that are not listed */
    uint64_t asked, used, free, most; /* memory in MiB, times in seconds; UINT64_MAX: without an end */
    uint64_t cpus, gpus, mem_mib, ranks, nodes_n, have_cpus, have_gpus, have_nodes;
    bool whole;     /* whole nodes */
    bool one;       /* on one node */
    bool next;      /* it is the first in its partition's queue */
    bool soft;      /* a soft limit */
    bool any;       /* one of the parts is enough */
    bool array;     /* id is an array */
    bool dead;      /* it can no longer happen */
    bool together;  /* cpus and gpus are the sum of those nodes */
    uint32_t what;  /* enum limit_what, enum dep_type or enum admin_act, as the code says */
    uint32_t scope; /* enum limit_scope */
    uint32_t state; /* enum job_state; WAITS_REASON: enum reason */

    char *id; /* of a job, as users write it */
    char *user, *name, *rule, *part, *type;
    char *nodes; /* compressed */
    char *text;  /* what a user or an administrator wrote */
    struct strv jobs;
    struct wall at;    /* the time that the cause is about */
    struct wall start; /* of the waiting job, as expected */
    uint32_t window_s; /* the start is not expected within that time */
    REC_LIST(struct cause) parts;
};
#define CAUSE_FIELDS(F, G, S)                                                                                \
    F(S, U32, code) F(S, U32, cls) F(S, WALL, clears) F(S, U64, n) F(S, U64, of) F(S, U64, more)             \
    F(S, U64, asked) F(S, U64, used) F(S, U64, free) F(S, U64, most) F(S, U64, cpus) F(S, U64, gpus)         \
    F(S, U64, mem_mib) F(S, U64, ranks) F(S, U64, nodes_n) F(S, U64, have_cpus) F(S, U64, have_gpus)         \
    F(S, U64, have_nodes) F(S, BOOL, whole) F(S, BOOL, one) F(S, BOOL, next) F(S, BOOL, soft)                \
    F(S, BOOL, any) F(S, BOOL, array) F(S, BOOL, dead) F(S, BOOL, together) F(S, U32, what)                  \
    F(S, U32, scope) F(S, U32, state) F(S, STR, id) F(S, STR, user) F(S, STR, name) F(S, STR, rule)          \
    F(S, STR, part) F(S, STR, type) F(S, STR, nodes) F(S, STR, text) F(S, STRV, jobs) F(S, WALL, at)         \
    F(S, WALL, start) F(S, U32, window_s) G(S, LISTOF, parts, cause)

extern const struct rec_desc cause_rec;

/* A REC_LIST of causes that several records have: an event and the record that keeps it. */
struct causes {
    struct cause *v;
    size_t n;
};

const char *why_class_name(enum why_class c);
const char *cause_code_name(enum cause_code c);

/* Empties *c and gives it the code. c NULL: no-op. Returns c. */
struct cause *cause_set(struct cause *c, enum cause_code code);
/* Appends a part with that code. */
struct cause *cause_add(struct cause *c, enum cause_code code);
/* Moves *from to the end of the parts and leaves *from empty. Returns the part. */
struct cause *cause_add_take(struct cause *c, struct cause *from);
void cause_clear(struct cause *c);

/* The only element of a list that is empty, with that code. */
struct cause *causes_set(struct causes *list, enum cause_code code);
/* Appends a copy of c. */
void causes_add_copy(struct causes *list, const struct cause *c);
/* Replaces what is in *to by copies. */
void causes_copy(struct causes *to, const struct causes *from);

#endif
