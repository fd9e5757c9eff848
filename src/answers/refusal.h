/* refusal.h - why a request was not done: one table, from which Slurm's texts and stoker's exit codes come.
 */
#ifndef STOKER_ANSWERS_REFUSAL_H
#define STOKER_ANSWERS_REFUSAL_H

/* X(enum member, stoker's exit code, Slurm's text). Numbers travel on the wire: new ones go to the END. */
#define REFUSALS(X)                                                                                          \
    X(NONE, 0, "")                                                                                           \
    X(BAD_REQUEST, 2, "Unspecified error")                                                                   \
    X(NO_JOB, 3, "Invalid job id specified")                                                                 \
    X(NO_NODE, 3, "Invalid node name specified")                                                             \
    X(NO_PARTITION, 4, "Invalid partition name specified")                                                   \
    X(NO_ACCOUNT, 4, "Invalid account or account/partition combination specified")                           \
    X(NO_QOS, 4, "Invalid qos specification")                                                                \
    X(NEVER_FITS, 4, "Requested node configuration is not available")                                        \
    X(TIME_LIMIT, 4, "Requested time limit is invalid (missing or exceeds some limit)")                      \
    X(NODE_COUNT, 4, "Node count specification invalid")                                                     \
    X(NOT_ALLOWED, 4, "Access/permission denied")                                                            \
    X(POLICY, 4, "Job violates accounting policy (job submit limit, user's size and/or time limits)")        \
    X(RATE, 4, "Submission rate too high, suggest using job arrays")                                         \
    X(DEPENDENCY, 4, "Job dependency problem")                                                               \
    X(ARRAY, 4, "Invalid job array specification")                                                           \
    X(PART_DOWN, 4, "Required partition not available (inactive or drain)")                                  \
    X(ENDED, 1, "Job/step already completing or completed")                                                  \
    X(NOT_RUNNING, 1, "Job is not running")                                                                  \
    X(NOT_PENDING, 1, "Job is no longer pending execution")                                                  \
    X(STEP_TOO_BIG, 1, "More processors requested than permitted")                                           \
    X(STEP_BUSY, 1, "Requested nodes are busy")                                                              \
    X(READ_ONLY, 1, "Unable to write to the state save location")                                            \
    X(TOO_BIG, 2, "Message size exceeds the limit")                                                          \
    X(NOT_SUPPORTED, 2, "Requested operation not supported")                                                 \
    X(NO_STEP, 3, "Invalid job step id specified")                                                           \
    X(GRES, 4, "Invalid generic resource (gres) specification")                                              \
    X(MEMORY, 4, "Memory required by task is not available")                                                 \
    X(SHUTTING_DOWN, 5, "Controller is shutting down")                                                       \
    X(RESERVATION, 4, "Requested reservation is invalid")                                                    \
    X(LICENSES, 4, "Invalid license specification")                                                          \
    X(NO_WINDOW, 3, "No reservation of that name")                                                           \
    X(PENDING, 1, "Job is pending execution")                                                                \
    X(FEATURE, 4, "Invalid feature specification")                                                           \
    X(NO_USER, 3, "Invalid user id")

enum refusal {
#define X(name, exit_code, slurm) REFUSAL_##name,
    REFUSALS(X)
#undef X
        REFUSAL_N
};

const char *refusal_slurm(enum refusal r);
int refusal_exit_code(enum refusal r);

#endif
