/* limit_cause.c - a limit that is reached: as a cause, as Slurm's reason, as a class of causes. */
#include "backend/sched/limits/limit_usage.h"
#include "src/base/xalloc.h"

void limit_cause(const struct limit_verdict *v, struct cause *ret)
{
    if (v->state == LIMIT_OK || !cause_set(ret, CAUSE_LIMIT))
        return;
    ret->what = v->what;
    ret->scope = v->spec->scope;
    ret->soft = v->state == LIMIT_OVER_SOFT;
    ret->used = v->used;
    ret->most = v->most;
    ret->asked = v->asked;
    ret->name = xstrdup(v->name);
    ret->rule = xstrdup(v->spec->name);
    ret->part = xstrdup(v->spec->partition);
}

enum family { OF_USER, OF_GROUP, OF_QOS, N_FAMILIES };

static enum family family_of(const struct limit_verdict *v)
{
    switch ((enum limit_scope)v->spec->scope) {
    case LIMIT_USER: return OF_USER;
    case LIMIT_QOS:
    case LIMIT_PARTITION: return OF_QOS;
    case LIMIT_ACCOUNT:
    case LIMIT_CLUSTER: break;
    }
    return OF_GROUP;
}

enum reason limit_reason(const struct limit_verdict *v)
{
    static const enum reason reasons[LIMIT_N_WHATS][N_FAMILIES] = {
        [LIMIT_OF_GPUS] = {REASON_USER_GPUS, REASON_GROUP_GPUS, REASON_QOS_GPUS},
        [LIMIT_OF_CPUS] = {REASON_USER_CPUS, REASON_GROUP_CPUS, REASON_QOS_CPUS},
        [LIMIT_OF_MEMORY] = {REASON_USER_MEMORY, REASON_GROUP_MEMORY, REASON_QOS_MEMORY},
        [LIMIT_OF_NODES] = {REASON_USER_NODES, REASON_GROUP_NODES, REASON_QOS_NODES},
        [LIMIT_OF_RUNNING] = {REASON_USER_LIMIT, REASON_GROUP_LIMIT, REASON_QOS_JOBS},
        [LIMIT_OF_SUBMITTED] = {REASON_USER_SUBMITTED, REASON_GROUP_SUBMITTED, REASON_QOS_SUBMITTED},
        [LIMIT_OF_GPU_MINUTES] = {REASON_USER_GPU_MINUTES, REASON_GROUP_GPU_MINUTES,
                                  REASON_QOS_GPU_MINUTES},
        [LIMIT_OF_ARRAY_SIZE] = {REASON_USER_LIMIT, REASON_GROUP_LIMIT, REASON_QOS_JOBS},
    };
    return v->state == LIMIT_OK ? REASON_NONE : reasons[v->what][family_of(v)];
}

enum why_class limit_why_class(const struct limit_verdict *v)
{
    return family_of(v) == OF_USER ? WHY_USER_LIMIT : WHY_GROUP_LIMIT;
}
