/* admit_limits.c - limits, licences and reservations, asked at submission: a request that would break them
 * even alone can never run. */
#include "backend/sched/explain/refused.h"

static enum refusal admit_licences(const struct model *m, const struct job *j, struct cause *why)
{
    struct licence_list l;
    if (str_is_empty(req_detail(&j->req)->licenses))
        return REFUSAL_NONE;
    if (licence_parse(m, req_detail(&j->req)->licenses, &l, why) < 0)
        return REFUSAL_LICENSES;
    licence_fini(&l);
    return REFUSAL_NONE;
}

static enum refusal admit_reservation(const struct sched_view *v, const struct job *j, struct wall now,
                                      struct cause *why)
{
    struct wall clears = {0};
    enum reason r = eligibility_in_reservation(v->model, j->user, &j->req, now, &clears, why);
    return r == REASON_NONE || r == REASON_RESERVATION ? REFUSAL_NONE : REFUSAL_RESERVATION;
}

/* Where it can never be for another reason, what limits leave there is no help. */
static bool could_be_in(struct planner *p, const struct sched_view *v, const struct job *j,
                        const struct part_spec *part)
{
    uint32_t at = (uint32_t)(part - v->model->spec.parts.v);
    enum reason rule = eligibility_in_partition(v, j, part, NULL);
    return (rule == REASON_NONE || rule == REASON_PART_DOWN) && admit_could_fit(p, j, at, NULL);
}

static bool alone_fits(const struct sched_view *v, const struct job *j, const struct part_spec *part,
                       struct limit_verdict *verdict)
{
    struct limit_request request;
    limits_request_job(v->limits, v->model, j, part, &request);
    bool steps = j->kind == JOB_KIND_STEPS, fits = steps || limits_could_ever(v->limits, &request, verdict);
    for (size_t i = 0; steps && i < j->steps.n && fits; i++) {
        limits_request_task(v->limits, v->model, j, &j->steps.v[i], part, &request);
        fits = limits_could_ever(v->limits, &request, verdict);
    }
    return fits;
}

/* In one of its partitions it must. */
static enum refusal admit_limits(struct planner *p, const struct sched_view *v, const struct job *j,
                                 struct wall now, struct cause *why)
{
    struct strv names = eligible_partitions(v->model, j);
    struct limit_verdict verdict, first = {.state = LIMIT_OK};
    bool fits = false, asked = false;
    planner_ready(p, v, now);
    for (size_t i = 0; i < names.n && !fits; i++) {
        const struct part_spec *part = model_get_part(v->model, names.v[i]);
        if (!part || (names.n > 1 && !could_be_in(p, v, j, part)))
            continue;
        fits = alone_fits(v, j, part, &verdict);
        first = asked ? first : verdict;
        asked = true;
    }
    strv_fini(&names);
    if (fits || !asked)
        return REFUSAL_NONE;
    limit_cause(&first, why);
    return REFUSAL_POLICY;
}

enum refusal sched_admit_counts(struct planner *p, const struct sched_view *v, const struct job *j,
                                struct sched_admit_how how, struct wall now, struct cause *why)
{
    enum refusal r = admit_licences(v->model, j, why);
    r = r != REFUSAL_NONE ? r : admit_reservation(v, j, now, why);
    if (r == REFUSAL_NONE && limits_any(v->limits))
        r = limits_submit(v->limits, v->model, j, why);
    if (r != REFUSAL_NONE || how.as_is)
        return r;
    if (limits_any(v->limits))
        r = admit_limits(p, v, j, now, why);
    bool later = req_detail(&j->req)->begin.ms > now.ms;
    if (r == REFUSAL_NONE && deadline_missed(v->model, j, later ? req_detail(&j->req)->begin : now)) {
        cause_set(why, later ? CAUSE_DEADLINE_BEGIN : CAUSE_DEADLINE_NOW);
        r = REFUSAL_TIME_LIMIT;
    }
    return r;
}
