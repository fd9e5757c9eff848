/* procs_trace.c - which records of a trace are jobs in the equality mode, and what becomes of their
 * figures. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/sim/procs.h"

static const char *const names[] = {[PROCS_FCFS] = "fcfs",           [PROCS_EASY] = "easy",
                                    [PROCS_CONS] = "cons",           [PROCS_REPLAN] = "replan",
                                    [PROCS_EASY_SJBF] = "easy-sjbf", [PROCS_EASY_SJF] = "easy-sjf",
                                    [PROCS_EASY_WFP3] = "easy-wfp3", [PROCS_EASY_UNICEP] = "easy-unicep",
                                    [PROCS_EASY_F1] = "easy-f1"};

const char *procs_policy_name(enum procs_policy p)
{
    return names[p];
}

bool procs_policy_parse(const char *name, enum procs_policy *ret)
{
    for (int p = 0; p < PROCS_N_POLICIES; p++)
        if (strcmp(names[p], name) == 0) {
            *ret = (enum procs_policy)p;
            return true;
        }
    return false;
}

/* False where the record is dropped. */
static bool procs_trace_take(const struct swf_job *r, int64_t machine, struct procs_job *ret)
{
    int64_t procs = r->procs_asked > 0 ? r->procs_asked : r->procs_used;
    if (r->submit < 0 || r->run < 0 || procs <= 0 || procs > machine)
        return false;
    int64_t run = r->run ? r->run : 1, estimate = r->estimate > 0 ? r->estimate : run;
    *ret = (struct procs_job){.id = r->id,
                              .submit = r->submit,
                              .run = run < estimate ? run : estimate,
                              .estimate = estimate,
                              .procs = procs,
                              .start = -1};
    return true;
}

static int procs_trace_by_submission(const void *a, const void *b)
{
    const struct swf_job *x = a, *y = b;
    if (x->submit != y->submit)
        return x->submit < y->submit ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

int procs_trace_init(struct procs_trace *t, const struct swf *s, size_t first, struct errtext *err)
{
    int64_t machine = s->max_procs > 0 ? s->max_procs : s->max_nodes;
    if (machine <= 0)
        return err_set(err, -EINVAL, "the header says neither MaxProcs nor MaxNodes");
    *t = (struct procs_trace){.procs = machine};
    struct swf_job *sorted = xreallocarray(NULL, s->jobs.n + 1, sizeof *sorted);
    if (s->jobs.n)
        memcpy(sorted, s->jobs.v, s->jobs.n * sizeof *sorted);
    qsort(sorted, s->jobs.n, sizeof *sorted, procs_trace_by_submission);
    for (size_t i = 0; i < s->jobs.n && (!first || t->jobs.n < first); i++) {
        struct procs_job j;
        if (!procs_trace_take(&sorted[i], machine, &j)) {
            t->n_dropped++;
            continue;
        }
        t->n_killed += sorted[i].run > j.run;
        vec_push(&t->jobs, j);
    }
    free(sorted);
    return 0;
}

void procs_trace_fini(struct procs_trace *t)
{
    vec_fini(&t->jobs);
}
