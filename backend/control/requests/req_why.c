#include "backend/control/requests/req_why.h"

#include "backend/control/clients/privacy.h"
#include "backend/control/forecast_slices.h"
#include "backend/control/policy_view.h"
#include "backend/control/requests/req_update.h"
#include "backend/sched/explain/explain.h"
#include "src/answers/answer_plan.h"
#include "src/answers/answer_why.h"

#define ROWS_MAX  2000u
#define NAMES_MAX 100u /* each job is compared with all of them */

#define WAITS_MS 2 /* for one question */

void req_why(struct session *s, uint64_t tag, void *body)
{
    const struct msg_job *m = body;
    struct control *c = s->ctl;
    const struct job *j = session_find_job(s, tag, &m->target);
    if (!j)
        return;
    if (privacy_hides_job(s, j)) {
        session_refuse(s, tag, REFUSAL_NO_JOB, m->target.job,
                       &(struct cause){.code = CAUSE_NO_JOB, .n = m->target.job});
        return;
    }
    struct sched_view v = policy_view(c);
    struct msg_why w;
    forecast_slices_hurry(c);
    sched_why(c->planner, &v, j, loop_wall(c->loop), &w);
    privacy_mask_why(s, &w);
    forecast_slices_order(c);
    session_send(s, MSG_WHY_CAUSES, tag, &w);
    rec_fini(&msg_why_rec, &w);
}

/* As many as there is time for, one at least: the client asks again for the others. */
void req_waits(struct session *s, uint64_t tag, void *body)
{
    const struct msg_waits_get *m = body;
    struct control *c = s->ctl;
    struct sched_view v = policy_view(c);
    struct wall now = loop_wall(c->loop);
    struct msg_waits r = {0};
    if (m->jobs.n > WAIT_ROWS_MAX) {
        session_refuse(s, tag, REFUSAL_TOO_BIG, 0,
                       &(struct cause){.code = CAUSE_ASKED_TOO_MANY, .most = WAIT_ROWS_MAX});
        return;
    }
    sched_waits_begin(c->planner, &v, now);
    struct mono until = mono_add_ms(mono_read(), WAITS_MS);
    for (size_t i = 0; i < m->jobs.n && (!i || mono_read().ns < until.ns); i++) {
        const struct job *j = model_get_job(&c->model, m->jobs.v[i].job);
        struct job_wait *w = rec_list_push(&r.rows);
        *w = (struct job_wait){.job = m->jobs.v[i].job};
        if (j && !privacy_hides_job(s, j))
            sched_wait(c->planner, &v, j, now, &w->cause);
        privacy_mask_cause(s, &w->cause);
    }
    sched_waits_end(c->planner);
    forecast_slices_order(c);
    session_send(s, MSG_WAIT_CAUSES, tag, &r);
    rec_fini(&msg_waits_rec, &r);
}

/* The plan with the changes that the client asks about. Returns whether it could be made; else the client
 * has its answer. */
static bool plan_with_changes(struct session *s, uint64_t tag, const struct msg_plan_get *m,
                              const struct plan_filter *filter, struct msg_plan *ret)
{
    struct control *c = s->ctl;
    struct sched_view v = policy_view(c);
    const struct job *j = m->job ? model_get_job(&c->model, m->job) : NULL;
    struct cause why = {.code = CAUSE_NO_JOB, .n = m->job};
    enum refusal r = REFUSAL_NO_JOB;
    struct job_req req;
    if (j && !session_owns(s, j)) {
        r = REFUSAL_NOT_ALLOWED;
        why = (struct cause){.code = CAUSE_OTHER_USERS_JOB, .n = m->job};
    } else if (j && j->state != JOB_PENDING) {
        r = REFUSAL_NOT_PENDING;
        why = (struct cause){.code = CAUSE_JOB_NOT_WAITING};
    } else if (j) {
        why = (struct cause){0};
        r = update_try(s, j, &m->changes, &req, &why);
    }
    if (r != REFUSAL_NONE) {
        session_refuse(s, tag, r, m->job, &why);
        return false;
    }
    struct job probe = *j;
    probe.req = req;
    probe.partition = req.partition ? req.partition : j->partition;
    planner_report_with(c->planner, &v, &probe, loop_wall(c->loop), filter, ret);
    rec_fini(&job_req_rec, &req);
    return true;
}

void req_plan(struct session *s, uint64_t tag, void *body)
{
    struct msg_plan_get *m = body;
    struct control *c = s->ctl;
    struct sched_view v = policy_view(c);
    bool names_users = m->users.n;
    if (m->users.n + m->partitions.n > NAMES_MAX) {
        session_refuse(s, tag, REFUSAL_TOO_BIG, 0,
                       &(struct cause){.code = CAUSE_ASKED_TOO_MANY, .most = NAMES_MAX});
        return;
    }
    if (names_users && (privacy_of(s) & PRIVATE_JOBS) && !privacy_own_users(s, &m->users)) {
        session_send(s, MSG_PLAN_DATA, tag, &(struct msg_plan){.now = loop_wall(c->loop)});
        return;
    }
    struct plan_filter filter = {.users = m->users,
                                 .partitions = m->partitions,
                                 .waiting = m->waiting,
                                 .rows_max =
                                     m->rows_max && m->rows_max < ROWS_MAX ? m->rows_max : ROWS_MAX};
    struct msg_plan plan;
    if (m->job || m->changes.n) {
        if (!plan_with_changes(s, tag, m, &filter, &plan))
            return;
    } else {
        forecast_slices_hurry(c);
        planner_report(c->planner, &v, loop_wall(c->loop), &filter, &plan);
    }
    privacy_mask_plan(s, plan.rows.v, plan.rows.n);
    session_send(s, MSG_PLAN_DATA, tag, &plan);
    rec_fini(&msg_plan_rec, &plan);
}
