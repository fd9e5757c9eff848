#include "src/model/task_parts.h"

uint32_t step_task_nodes(const struct step *s)
{
    return s->nodes ? s->nodes : 1;
}

uint32_t step_task_ranks(const struct step *s)
{
    uint64_t n = (uint64_t)(s->n_ranks ? s->n_ranks : 1) * step_task_nodes(s);
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

size_t task_parts_begin(const struct step *s, size_t at)
{
    while (at > 0 && s->tasks.v[at].part)
        at--;
    return at;
}

size_t task_parts_end(const struct step *s, size_t at)
{
    for (at++; at < s->tasks.n && s->tasks.v[at].part;)
        at++;
    return at;
}

size_t task_parts_of(const struct step *s, const struct task *t)
{
    return task_parts_begin(s, (size_t)(t - s->tasks.v));
}

bool task_parts_are_over(const struct step *s, size_t at)
{
    size_t end = task_parts_end(s, at);
    for (size_t i = task_parts_begin(s, at); i < end; i++)
        if (s->tasks.v[i].state != TASK_DONE)
            return false;
    return true;
}

/* What an end says about its task, the more the higher. */
static int end_weight(const struct task *t)
{
    switch ((enum end_kind)t->end_kind) {
    case END_NODE_REBOOT:
    case END_LEASE: return 4;
    case END_UNKNOWN:
    case END_LAUNCH_FAILED:
    case END_OOM:
    case END_TIMEOUT: return 3;
    case END_EXITED:
    case END_SIGNALED: return t->code || t->signal ? 2 : 0;
    case END_KILLED:
    case END_NOT_RUN: return 1;
    case END_NONE:
    case END_N_KINDS: break;
    }
    return 0;
}

static int state_weight(const struct task *t)
{
    switch ((enum task_state)t->state) {
    case TASK_RUNNING: return 8;
    case TASK_LAUNCHING: return 7;
    case TASK_WAITING: return 6;
    case TASK_DONE:
    case TASK_N_STATES: break;
    }
    return end_weight(t);
}

static int32_t end_code(const struct task *t)
{
    return t->signal ? 128 + t->signal : t->code;
}

const struct task *task_parts_speaker(const struct step *s, size_t at)
{
    size_t begin = task_parts_begin(s, at), end = task_parts_end(s, at);
    const struct task *best = &s->tasks.v[begin];
    for (size_t i = begin + 1; i < end; i++) {
        const struct task *t = &s->tasks.v[i];
        int more = state_weight(t) - state_weight(best);
        if (more > 0 || (more == 0 && t->state == TASK_DONE && end_code(t) > end_code(best)))
            best = t;
    }
    return best;
}

bool task_part_is_listed(const struct task *t)
{
    return !t->part || t->alloc.node;
}

char *task_parts_node_list(const struct step *s, size_t at)
{
    struct strv names = {0};
    size_t end = task_parts_end(s, at);
    for (size_t i = task_parts_begin(s, at); i < end; i++)
        if (s->tasks.v[i].alloc.node)
            strv_push(&names, s->tasks.v[i].alloc.node);
    char *list = node_list_of(&names);
    strv_fini(&names);
    return list;
}

const struct task *task_parts_find_rank(const struct step *s, size_t at, uint32_t rank)
{
    size_t begin = task_parts_begin(s, at), end = task_parts_end(s, at);
    for (size_t i = begin; i < end; i++) {
        const struct task *t = &s->tasks.v[i];
        if (rank >= t->rank_base && rank - t->rank_base < (t->n_ranks ? t->n_ranks : 1))
            return t;
    }
    return NULL;
}
