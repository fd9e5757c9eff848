#include "backend/control/nodes/output_order.h"

#include <stdlib.h>

#include "src/jobenv/filename.h"
#include "src/model/task_parts.h"

static bool output_order_has_own_files(struct control *c, const struct task *t)
{
    const struct node *n = model_get_node(&c->model, t->alloc.node);
    return n && n->spec.own_files;
}

static char *output_order_path(const struct job *j, const struct step *s, const struct task *t, int stream)
{
    uint32_t rank = step_rank(s, t, 0);
    return stream == 1 ? step_stdout_path(j, s, t, rank) : step_stderr_path(j, s, t, rank);
}

const struct task *output_order_opened_before(struct control *c, const struct job *j, const struct step *s,
                                              const struct task *t, int stream)
{
    bool shared = step_output_is_shared(j, s, stream); /* else at most the parts of a task share a file */
    size_t begin = shared ? 0 : task_parts_of(s, t), end = shared ? s->tasks.n : task_parts_end(s, begin);
    if (end - begin < 2 || output_order_has_own_files(c, t))
        return NULL; /* a node without shared files truncates its own */
    char *path = output_order_path(j, s, t, stream);
    const struct task *found = NULL;
    for (size_t i = begin; path && !found && i < end; i++) {
        const struct task *o = &s->tasks.v[i];
        if (!o->attempt || o->attempt >= t->attempt || output_order_has_own_files(c, o))
            continue;
        char *other = output_order_path(j, s, o, stream);
        found = str_eq(path, other) ? o : NULL;
        free(other);
    }
    free(path);
    return found;
}

bool output_order_waits_for_opener(struct control *c, const struct job *j, const struct step *s,
                                   const struct task *t)
{
    for (int stream = 1; stream <= 2; stream++) {
        const struct task *o = output_order_opened_before(c, j, s, t, stream);
        if (o && o->state == TASK_LAUNCHING)
            return true;
    }
    return false;
}
