/* priority.h - the priority of a job: weighted factors whose sum it is.
 *
 *     priority = age + fairshare + job_size + partition + qos + cpu + mem + gpu  - nice  (+ admin)
 *
 * Each factor is a number from 0 to 1 times its weight in the configuration, rounded to an integer before
 * it is added: what `sprio -l` shows adds up to what the planner orders by. See docs/SCHEDULER.md.
 */
#ifndef STOKER_BACKEND_SCHED_PRIORITY_H
#define STOKER_BACKEND_SCHED_PRIORITY_H

#include "backend/sched/priority/fair_share.h"
#include "src/answers/answer_prio.h"

/* What all priorities of one cycle have in common: as of now, and valid until the configuration changes. */
struct prio_ctx {
    const struct model *model;
    struct wall now;
    struct fairshare fs;
    double *part_factors, *qos_factors; /* one for each of spec.parts, spec.qos */
    double cpus, mem_mib, gpus;         /* of the whole cluster; at least 1 */
};

/* Cost: O(users x log users + active jobs). The model must outlive it. */
void prio_ctx_init(struct prio_ctx *c, const struct model *m, struct wall now);
void prio_ctx_fini(struct prio_ctx *c);
/* The same in pieces: the caller adds each active job. */
void prio_ctx_begin(struct prio_ctx *c, const struct model *m, struct wall now);
void prio_ctx_add(struct prio_ctx *c, const struct job *j);
void prio_ctx_finish(struct prio_ctx *c);
/* To a later time, as long as nothing has started and nothing has ended: fairshare_advance. */
void prio_ctx_advance(struct prio_ctx *c, struct wall now);

/* The priority of a job in a partition (NULL: one that is not configured). ret_parts, which may be NULL,
 * gets what it is made of. An administrator's value is the priority; `admin` then is what it makes of the
 * others. Cost: O(1), some tens of nanoseconds to a few hundred. */
uint32_t prio_of(const struct prio_ctx *c, const struct job *j, const struct part_spec *part,
                 struct prio_parts *ret_parts);

/* The same in pieces, for jobs that ask again and again about a waiting job that is not held and has no
 * administrator's value: the sum of the three, not less than 0 nor more than UINT32_MAX, is prio_of.
 * prio_fixed changes with the configuration and the cluster's totals (prio_version tells them
 * apart) alone. */
int64_t prio_fixed(const struct prio_ctx *c, const struct job *j, const struct part_spec *part);
uint32_t prio_age_points(const struct prio_ctx *c, struct wall from); /* since it could first start */
uint32_t prio_share_points(const struct prio_ctx *c, const char *account, const char *user);
uint64_t prio_version(const struct prio_ctx *c);

/* The same in the best of the partitions that it asks for, or in the one where it runs: what squeue shows.
 * 0 for a held job, as Slurm has it. */
uint32_t prio_of_best(const struct prio_ctx *c, const struct job *j);

#endif
