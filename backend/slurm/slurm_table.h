/* slurm_table.h - rows of `squeue -O`: the columns that are asked for, and how an answer is cut into them.
 * Pure.
 *
 * Slurm escapes nothing: the name of a job may hold any byte, a newline and a whole forged row too. So each
 * column ends with a word that is chosen at random for each answer, after the jobs got their names.
 */
#ifndef STOKER_BACKEND_SLURM_SLURM_TABLE_H
#define STOKER_BACKEND_SLURM_SLURM_TABLE_H

#include "backend/slurm/slurm_value.h"
#include "src/base/err.h"
#include "src/base/str.h"

/* X(enum member, what squeue -O calls it). Nothing that changes without a change of the job, as the time it
 * has run: rows are compared by their text. No name of the group: squeue asks the name service for it once
 * for each job. Source: squeue(1), --Format; all of them are in Slurm 20.11. */
#define SLURM_COLUMNS(X)                                                                                     \
    X(ID, "JobID")                                                                                           \
    X(ARRAY, "ArrayJobID")                                                                                   \
    X(INDEX, "ArrayTaskID")                                                                                  \
    X(STATE, "State")                                                                                        \
    X(UID, "UserID")                                                                                         \
    X(USER, "UserName")                                                                                      \
    X(GID, "GroupID")                                                                                        \
    X(PARTITION, "Partition")                                                                                \
    X(ACCOUNT, "Account")                                                                                    \
    X(QOS, "QOS")                                                                                            \
    X(CPUS, "NumCPUs")                                                                                       \
    X(NODES, "NumNodes")                                                                                     \
    X(TASKS, "NumTasks")                                                                                     \
    X(TASK_CPUS, "cpus-per-task")                                                                            \
    X(TRES, "tres-alloc")                                                                                    \
    X(GRES, "tres-per-node")                                                                                 \
    X(TIME_LIMIT, "TimeLimit")                                                                               \
    X(NODE_LIST, "NodeList")                                                                                 \
    X(REASON, "Reason")                                                                                      \
    X(PRIORITY, "PriorityLong")                                                                              \
    X(SUBMIT, "SubmitTime")                                                                                  \
    X(ELIGIBLE, "EligibleTime")                                                                              \
    X(START, "StartTime")                                                                                    \
    X(END, "EndTime")                                                                                        \
    X(EXIT, "exit_code")                                                                                     \
    X(RESTARTS, "restartcnt")                                                                                \
    X(BATCH, "BatchFlag")                                                                                    \
    X(NICE, "nice")                                                                                          \
    X(FEATURES, "Feature")                                                                                   \
    X(LICENSES, "Licenses")                                                                                  \
    X(DEPENDENCY, "Dependency")                                                                              \
    X(RESERVATION, "Reservation")                                                                            \
    X(WORKDIR, "WorkDir")                                                                                    \
    X(STDOUT, "StdOut")                                                                                      \
    X(STDERR, "StdErr")                                                                                      \
    X(COMMENT, "Comment")                                                                                    \
    X(COMMAND, "Command")                                                                                    \
    X(NAME, "Name")

enum slurm_column {
#define X(name, text) SLURM_COLUMN_##name,
    SLURM_COLUMNS(X)
#undef X
        SLURM_N_COLUMNS
};

struct slurm_row {
    struct slurm_span whole;
    struct slurm_span columns[SLURM_N_COLUMNS];
};

/* Adds to a command the option -O for n columns, with that word behind each. */
void slurm_columns_ask(struct strv *argv, const char *const *names, size_t n, const char *word);
/* Takes the next row of n columns off what is left of an answer of that command. Returns 1, 0 at its end,
 * or -EBADMSG where the answer is cut off or not of that form. */
int slurm_columns_next(struct slurm_span *rest, const char *word, struct slurm_span *ret, size_t n,
                       const char *command, struct errtext *err) __attribute__((warn_unused_result));

/* Adds the command that prints the rows of all jobs: other options may follow. */
void slurm_table_ask(struct strv *argv, const char *word);

/* The next row of all columns, as slurm_columns_next(). */
int slurm_table_next(struct slurm_span *rest, const char *word, struct slurm_row *ret, struct errtext *err)
    __attribute__((warn_unused_result));

/* The same for equal columns, whatever the word of their answer was. */
uint64_t slurm_table_hash(const struct slurm_row *row);

#endif
