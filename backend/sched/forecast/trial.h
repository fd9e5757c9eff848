/* trial.h - what would become of a job that is not in the queue. */
#ifndef STOKER_BACKEND_SCHED_TRIAL_H
#define STOKER_BACKEND_SCHED_TRIAL_H

#include "backend/sched/forecast/forecast.h"

struct trial { /* what would become of a job */
    bool now;  /* it fits now and hurts nobody */
    struct forecast forecast;
    const char *partition; /* where; the model's; NULL: not known */
    char *nodes;           /* now: compressed; owned */
    uint32_t cpus;
    int64_t len_ms;               /* now: its time limit */
    enum reason reason;           /* not NONE: no partition admits it, or a limit is reached */
    struct limit_verdict verdict; /* where that is a limit */
};

/* Of a job that is not in the queue, as if it came behind everybody who is; j need not be in the model.
 * Cost: a pass over the nodes of its partitions, and one search. ret: trial_fini. */
void planner_try(struct planner *p, const struct sched_view *v, const struct job *j, struct wall now,
                 struct trial *ret);
void trial_fini(struct trial *t);

#endif
