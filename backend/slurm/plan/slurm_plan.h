/* slurm_plan.h - the questions of clients about the plan, and how its forecasts came true. */
#ifndef STOKER_BACKEND_SLURM_SLURM_PLAN_H
#define STOKER_BACKEND_SLURM_SLURM_PLAN_H

#include "backend/slurm/plan/slurm_score.h"
#include "backend/slurm/slurm_session.h"

/* Answers with PLAN_DATA: a forecast is ready. */
void slurm_plan(struct slurm_session *s, uint64_t tag, const struct msg_plan_get *q);
/* The client shows the plan from now on, and for as long as it asks again; whether it does. */
void slurm_plan_show(struct slurm_session *s);
bool slurm_plan_is_shown(const struct slurm_session *s);

/* A row has changed: Slurm expects a start, or the job has started or left. */
void slurm_plan_note(struct slurm_scores *scores, const struct event *ev);
void slurm_plan_report_scores(const struct slurm_scores *scores, struct msg_engine *ret);

#endif
