/* state.c - names of the states, from their tables. */
#include "src/model/state.h"

#include "src/base/err.h"
#include "src/base/str.h"

const char *job_state_short(enum job_state s)
{
    static const char *const names[JOB_N_STATES] = {
#define X(name, shrt, lng, final) [JOB_##name] = shrt,
        JOB_STATES(X)
#undef X
    };
    bug_on((unsigned)s >= JOB_N_STATES);
    return names[s];
}

const char *job_state_long(enum job_state s)
{
    static const char *const names[JOB_N_STATES] = {
#define X(name, shrt, lng, final) [JOB_##name] = lng,
        JOB_STATES(X)
#undef X
    };
    bug_on((unsigned)s >= JOB_N_STATES);
    return names[s];
}

bool job_state_is_final(enum job_state s)
{
    static const bool is_final[JOB_N_STATES] = {
#define X(name, shrt, lng, final) [JOB_##name] = final,
        JOB_STATES(X)
#undef X
    };
    bug_on((unsigned)s >= JOB_N_STATES);
    return is_final[s];
}

bool job_state_parse(const char *text, enum job_state *ret)
{
    for (enum job_state s = 0; s < JOB_N_STATES; s++) {
        if (str_ieq(text, job_state_short(s)) || str_ieq(text, job_state_long(s))) {
            *ret = s;
            return true;
        }
    }
    return false;
}

#define TEXT_FUNCTION(function, type, count, TABLE, PREFIX)      \
    const char *function(enum type v)                            \
    {                                                            \
        static const char *const names[count] = {TABLE(PREFIX)}; \
        bug_on((unsigned)v >= (count));                          \
        return names[v];                                         \
    }

#define TASK_ENTRY(name, text) [TASK_##name] = text,
TEXT_FUNCTION(task_state_text, task_state, TASK_N_STATES, TASK_STATES, TASK_ENTRY)
#define NODE_ENTRY(name, text) [NODE_##name] = text,
TEXT_FUNCTION(node_state_text, node_state, NODE_N_STATES, NODE_STATES, NODE_ENTRY)
#define REASON_SLURM_ENTRY(name, slurm) [REASON_##name] = slurm,
TEXT_FUNCTION(reason_slurm, reason, REASON_N, REASONS, REASON_SLURM_ENTRY)
#define LOST_ENTRY(name, text) [LOST_##name] = text,
TEXT_FUNCTION(lost_node_text, lost_node, LOST_N, LOST_NODES, LOST_ENTRY)

bool lost_node_parse(const char *text, enum lost_node *ret)
{
    for (enum lost_node l = LOST_HOLD; l < LOST_N; l++)
        if (str_ieq(text, lost_node_text(l))) {
            *ret = l;
            return true;
        }
    return false;
}
