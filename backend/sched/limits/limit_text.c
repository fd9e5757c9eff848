/* limit_text.c - a limit that is reached: in words, as Slurm's reason, as a class of causes. */
#include "backend/sched/limits/limit_usage.h"
#include "src/base/units.h"

static void limit_text_append_amount(struct str *out, enum limit_what what, uint64_t n)
{
    char buf[UNITS_TEXT_SIZE];
    if (what != LIMIT_OF_MEMORY)
        str_appendf(out, "%llu", (unsigned long long)n);
    else
        str_append(out, mem_format_words(n > UINT64_MAX / 1024 ? UINT64_MAX : n * 1024, buf));
}

/* "GPUs", "GPU": by the number in front of it. */
static void limit_text_append_unit(struct str *out, enum limit_what what, uint64_t n)
{
    static const char *const many[LIMIT_N_WHATS] = {
#define X(name, member, words) [LIMIT_OF_##name] = words,
        LIMIT_WHATS(X)
#undef X
            [LIMIT_OF_ARRAY_SIZE] = "elements in an array",
    };
    static const char *const one[LIMIT_N_WHATS] = {
        [LIMIT_OF_GPUS] = "GPU",
        [LIMIT_OF_CPUS] = "CPU",
        [LIMIT_OF_MEMORY] = "memory",
        [LIMIT_OF_NODES] = "node",
        [LIMIT_OF_RUNNING] = "running job",
        [LIMIT_OF_SUBMITTED] = "job in the queue",
        [LIMIT_OF_GPU_MINUTES] = "GPU minute",
        [LIMIT_OF_ARRAY_SIZE] = "element in an array",
    };
    str_append(out, what == LIMIT_OF_MEMORY ? " of memory" : " ");
    if (what != LIMIT_OF_MEMORY)
        str_append(out, n == 1 ? one[what] : many[what]);
}

static const char *limit_text_scope_words(uint32_t scope)
{
    switch ((enum limit_scope)scope) {
    case LIMIT_USER: return "user";
    case LIMIT_ACCOUNT: return "account";
    case LIMIT_QOS: return "QOS";
    case LIMIT_PARTITION: return "partition";
    case LIMIT_CLUSTER: return "cluster";
    }
    return "";
}

static void limit_text_append_whom(struct str *out, const struct limit_verdict *v)
{
    if (v->spec->scope == LIMIT_CLUSTER)
        str_append(out, "the cluster");
    else
        str_appendf(out, "%s %s", limit_text_scope_words(v->spec->scope), v->name);
}

static void limit_text_append_rule(struct str *out, const struct limit_verdict *v)
{
    const struct limit_spec *s = v->spec;
    bool each = str_is_empty(s->name) || str_eq(s->name, "*");
    str_appendf(out, " (%s limit for ", v->state == LIMIT_OVER_SOFT ? "soft" : "hard");
    if (s->scope == LIMIT_CLUSTER)
        str_append(out, "the cluster");
    else if (each)
        str_appendf(out, "%s%s", s->scope == LIMIT_QOS ? "each " : "", limit_text_scope_words(s->scope));
    else
        str_appendf(out, "%s %s", limit_text_scope_words(s->scope), s->name);
    if (each && s->scope != LIMIT_CLUSTER && s->scope != LIMIT_QOS)
        str_append(out, "s");
    if (s->partition)
        str_appendf(out, " in partition %s", s->partition);
    str_append(out, ")");
}

/* Alone already too much. */
static void limit_text_append_alone(struct str *out, const struct limit_verdict *v)
{
    if (v->asked == UINT64_MAX)
        str_append(out, "GPUs without a time limit asked; ");
    else {
        limit_text_append_amount(out, v->what, v->asked);
        limit_text_append_unit(out, v->what, v->asked);
        str_append(out, " asked; ");
    }
    limit_text_append_whom(out, v);
    str_append(out, v->what == LIMIT_OF_ARRAY_SIZE ? " may have " : " may hold ");
    limit_text_append_amount(out, v->what, v->most);
}

void limit_text(const struct limit_verdict *v, struct str *out)
{
    if (v->state == LIMIT_OK)
        return;
    if (v->asked > v->most || v->what == LIMIT_OF_ARRAY_SIZE) {
        limit_text_append_alone(out, v);
        limit_text_append_rule(out, v);
        return;
    }
    limit_text_append_whom(out, v);
    str_append(out, v->what == LIMIT_OF_SUBMITTED || v->what == LIMIT_OF_RUNNING ? " has "
                    : v->what == LIMIT_OF_GPU_MINUTES                            ? " has used or holds "
                                                                                 : " holds ");
    limit_text_append_amount(out, v->what, v->used);
    str_append(out, " of ");
    limit_text_append_amount(out, v->what, v->most);
    limit_text_append_unit(out, v->what, v->most);
    if (v->what != LIMIT_OF_RUNNING || v->asked > 1) {
        str_append(out, " and asks for ");
        limit_text_append_amount(out, v->what, v->asked);
        str_append(out, v->used ? " more" : "");
    }
    limit_text_append_rule(out, v);
}

void limit_head(const struct limit_verdict *v, struct str *out)
{
    bool alone = v->asked > v->most || v->what == LIMIT_OF_ARRAY_SIZE, full = !alone && v->used >= v->most;
    str_appendf(out, "%s%s limit%s%s%s: ", v->state == LIMIT_OVER_SOFT ? "soft " : "",
                limit_text_scope_words(v->spec->scope), v->spec->partition ? " in " : "",
                v->spec->partition ? v->spec->partition : "", full ? " reached" : "");
    if (alone) {
        limit_text_append_amount(out, v->what, v->most);
        limit_text_append_unit(out, v->what, v->most);
        str_append(out, " at most, asks for ");
        if (v->asked == UINT64_MAX)
            str_append(out, "no end");
        else
            limit_text_append_amount(out, v->what, v->asked);
        return;
    }
    limit_text_append_amount(out, v->what, v->used);
    str_append(out, " of ");
    limit_text_append_amount(out, v->what, v->most);
    limit_text_append_unit(out, v->what, v->most);
    if (!full) {
        str_append(out, v->what == LIMIT_OF_SUBMITTED || v->what == LIMIT_OF_RUNNING ? "" : " in use");
        str_append(out, ", asks for ");
        limit_text_append_amount(out, v->what, v->asked);
    }
}

enum family { OF_USER, OF_GROUP, OF_QOS, N_FAMILIES };

static enum family limit_text_family_of(const struct limit_verdict *v)
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
    return v->state == LIMIT_OK ? REASON_NONE : reasons[v->what][limit_text_family_of(v)];
}

enum why_class limit_why_class(const struct limit_verdict *v)
{
    return limit_text_family_of(v) == OF_USER ? WHY_USER_LIMIT : WHY_GROUP_LIMIT;
}
