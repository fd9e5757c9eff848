/* output_order.c - output files that several tasks of a step write to.
 *
 * Each task opens its files by itself, on its own node. If each truncated them, whatever the others have
 * written before would be lost. So the task that was placed first truncates, the others append, and they
 * are not launched before the first one has its files open.
 */
#include <stdlib.h>

#include "backend/control/private.h"
#include "src/jobenv/filename.h"

static bool has_own_files(struct control *c, const struct task *t)
{
    const struct node *n = model_get_node(&c->model, t->alloc.node);
    return n && n->spec.own_files;
}

static char *path_of(const struct job *j, const struct step *s, const struct task *t, int stream)
{
    uint32_t rank = step_rank(s, t, 0);
    return stream == 1 ? step_stdout_path(j, s, t, rank) : step_stderr_path(j, s, t, rank);
}

const struct task *ctl_opened_before(struct control *c, const struct job *j, const struct step *s,
                                     const struct task *t, int stream)
{
    if (s->tasks.n < 2 || !step_output_is_shared(j, s, stream) || has_own_files(c, t))
        return NULL; /* a node that shares no files truncates its own */
    char *path = path_of(j, s, t, stream);
    const struct task *found = NULL;
    for (size_t i = 0; path && !found && i < s->tasks.n; i++) {
        const struct task *o = &s->tasks.v[i];
        if (!o->attempt || o->attempt >= t->attempt || has_own_files(c, o))
            continue;
        char *other = path_of(j, s, o, stream);
        found = str_eq(path, other) ? o : NULL;
        free(other);
    }
    free(path);
    return found;
}

bool ctl_waits_for_opener(struct control *c, const struct job *j, const struct step *s,
                          const struct task *t)
{
    for (int stream = 1; stream <= 2; stream++) {
        const struct task *o = ctl_opened_before(c, j, s, t, stream);
        if (o && o->state == TASK_LAUNCHING)
            return true;
    }
    return false;
}
