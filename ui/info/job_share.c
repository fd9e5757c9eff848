/* job_share.c - what a job has on one node. */
#include "ui/info/job_share.h"

#include "ui/text/view_text.h"

static bool jobshare_add(struct job_share *s, const struct alloc *a, const char *node)
{
    if (!str_eq(a->node, node))
        return false;
    cpuset_or(&s->cpus, &a->cpus);
    cpuset_or(&s->gpus, &a->gpus);
    s->mem_mib += a->mem_mib;
    return true;
}

static bool jobshare_add_task(struct job_share *s, const struct job *j, const struct task *t,
                              const char *node)
{
    if (!task_is_live(t) || !jobshare_add(s, &t->alloc, node))
        return false;
    struct wall from = wall_is_set(t->t_start) ? t->t_start : j->t_start;
    if (!wall_is_set(s->since) || from.ms < s->since.ms)
        s->since = from;
    return true;
}

bool jobshare_of(const struct job *j, const char *node, struct job_share *ret)
{
    bool any = false;
    *ret = (struct job_share){0};
    for (size_t i = 0; i < j->alloc.n; i++)
        any |= jobshare_add(ret, &j->alloc.v[i], node);
    if (any)
        ret->since = j->t_start;
    for (size_t i = 0; i < j->steps.n && !j->alloc.n; i++)
        for (size_t k = 0; k < j->steps.v[i].tasks.n; k++)
            any |= jobshare_add_task(ret, j, &j->steps.v[i].tasks.v[k], node);
    return any;
}
