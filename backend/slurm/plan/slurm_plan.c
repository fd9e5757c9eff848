#include "backend/slurm/plan/slurm_plan.h"

#include "backend/slurm/plan/slurm_planner.h"
#include "src/base/xalloc.h"
#include "src/os/clock.h"

#define ROWS_MAX 2000u
#define SHOWN_MS 60000 /* a screen asks again sooner */

void slurm_plan_show(struct slurm_session *s)
{
    s->plans_until = mono_add_ms(mono_read(), SHOWN_MS);
}

bool slurm_plan_is_shown(const struct slurm_session *s)
{
    return s->plans_until.ns && mono_read().ns < s->plans_until.ns;
}

void slurm_plan(struct slurm_session *s, uint64_t tag, const struct msg_plan_get *q)
{
    bool bounded = q->rows_max && q->rows_max < ROWS_MAX;
    struct plan_filter filter = {.users = q->users,
                                 .partitions = q->partitions,
                                 .waiting = q->waiting,
                                 .rows_max = bounded ? q->rows_max : ROWS_MAX};
    struct msg_plan plan;
    if (!slurm_planner_is_ready(s->planner)) { /* Slurm does not answer */
        const char *trouble = slurm_poll_trouble(s->poll);
        slurm_session_refuse(s, tag, REFUSAL_NOT_SUPPORTED, trouble ? trouble : "there is no forecast yet");
        return;
    }
    if (q->job || q->changes.n) {
        slurm_session_refuse(s, tag, REFUSAL_NOT_SUPPORTED, "no plan is made for a changed job of Slurm");
        return;
    }
    slurm_planner_report(s->planner, &filter, &plan);
    slurm_session_send(s, MSG_PLAN_DATA, tag, &plan);
    rec_fini(&msg_plan_rec, &plan);
}

/* --- how forecasts came true --- */

void slurm_plan_note(struct slurm_scores *scores, const struct event *ev)
{
    const struct job *j = ev->kind == EV_JOB_ROW ? ev->body : NULL;
    if (ev->kind == EV_JOB_GONE)
        slurm_scores_gone(scores, ev->job);
    else if (j && j->state != JOB_PENDING && wall_is_set(j->t_start))
        slurm_scores_started(scores, j->id, j->t_start);
    else if (j && j->state == JOB_PENDING && wall_is_set(job_rare(j)->t_expected))
        forecast_scores_tell(scores->of[SCORE_SLURM], j->id,
                             &(struct forecast_told){.made = ev->t, .start = job_rare(j)->t_expected});
}

void slurm_plan_report_scores(const struct slurm_scores *scores, struct msg_engine *ret)
{
    static const char *const whose[SCORE_N] = {[SCORE_SLURM] = "Slurm", [SCORE_STOKER] = "Stoker"};
    for (enum slurm_forecaster f = 0; f < SCORE_N; f++) {
        const struct forecast_scores *s = scores->of[f];
        if (forecast_scores_starts(s))
            *rec_list_push(&ret->scores) = (struct engine_score){.whose = xstrdup(whose[f]),
                                                                 .starts = forecast_scores_starts(s),
                                                                 .half_s = forecast_scores_off_s(s, 50),
                                                                 .most_s = forecast_scores_off_s(s, 90)};
    }
}
