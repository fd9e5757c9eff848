/* slurm_planner.h - when waiting jobs would start by Stoker's planner, over what is mirrored of a Slurm.
 *
 * The planner takes the jobs in the order of Slurm's priorities and the nodes as Slurm says they are used.
 * It works in short slices, at most every 30 s and only while a client asks. What Slurm alone knows of
 * (limits, dependencies, holds, licences) gets no forecast.
 */
#ifndef STOKER_BACKEND_SLURM_SLURM_PLANNER_H
#define STOKER_BACKEND_SLURM_SLURM_PLANNER_H

#include "backend/loop/loop.h"
#include "backend/sched/explain/explain.h"
#include "backend/slurm/plan/slurm_score.h"
#include "backend/slurm/slurm_mirror.h"

struct slurm_planner;

/* done: a forecast is ready, and scores know of it. The mirror and scores outlive it. */
struct slurm_planner *slurm_planner_new(struct loop *l, const struct slurm_mirror *mirror,
                                        struct slurm_scores *scores, void (*done)(void *ctx), void *ctx)
    __attribute__((warn_unused_result));
void slurm_planner_free(struct slurm_planner *p); /* NULL is fine */

/* Begins a forecast where the last one is old. The mirror has the jobs of all users. */
void slurm_planner_want(struct slurm_planner *p);
bool slurm_planner_is_ready(const struct slurm_planner *p);
/* The last plan; is_ready. The caller frees it with rec_fini. */
void slurm_planner_report(struct slurm_planner *p, const struct plan_filter *filter, struct msg_plan *ret);

/* A model for the planner: what Slurm's rows say, less what the planner would judge otherwise. The caller
 * frees it with model_fini. has_memory: Slurm hands out memory. Pure. */
void slurm_planner_model(const struct model *m, bool has_memory, struct model *ret);

#endif
