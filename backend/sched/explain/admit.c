/* admit.c - could a request ever run? Asked at submission, with every node pretended empty. */
#include "backend/sched/explain/refused.h"
#include "src/base/xalloc.h"

/* A partition that is down takes jobs, they wait; one that is inactive, or that does not admit the request,
 * does not. */
static enum refusal refusal_of(enum reason r)
{
    if (r == REASON_NONE || r == REASON_PART_DOWN)
        return REFUSAL_NONE;
    if (r == REASON_PART_INACTIVE)
        return REFUSAL_PART_DOWN;
    if (r == REASON_PART_TIME)
        return REFUSAL_TIME_LIMIT;
    return r == REASON_PART_NODES ? REFUSAL_NODE_COUNT : REFUSAL_NOT_ALLOWED;
}

/* What cannot be had, and what there is. */
static void say_never(struct planner *p, const struct job *j, const struct step *s, uint32_t part,
                      struct cause *why)
{
    struct refused r;
    if (!cause_set(why, s ? CAUSE_IN_STEP : CAUSE_NEVER_FITS))
        return;
    if (s) {
        why->name = xstrdup(s->name ? s->name : "?");
        why = cause_add(why, CAUSE_NEVER_FITS);
    }
    why->part = xstrdup(planner_queue(p)->view->model->spec.parts.v[part].name);
    refused_count(planner_queue(p), j, s, part, true, &r);
    request_describe(j, s, why);
    refused_add(planner_queue(p), &r, false, why);
}

bool admit_could_fit(struct planner *p, const struct job *j, uint32_t part, struct cause *why)
{
    size_t n_steps = j->kind == JOB_KIND_STEPS ? j->steps.n : 0;
    for (size_t i = 0; i < n_steps; i++)
        if (!request_could_run(planner_queue(p), j, &j->steps.v[i], part)) {
            say_never(p, j, &j->steps.v[i], part, why);
            return false;
        }
    if (n_steps || request_could_run(planner_queue(p), j, NULL, part))
        return true;
    say_never(p, j, NULL, part, why);
    return false;
}

static enum refusal admit_to(struct planner *p, const struct sched_view *v, const struct job *j,
                             const char *name, struct cause *why)
{
    const struct part_spec *part = model_get_part(v->model, name);
    if (!part) {
        if (cause_set(why, CAUSE_NO_PARTITION))
            why->part = xstrdup(name);
        return REFUSAL_NO_PARTITION;
    }
    enum refusal r = refusal_of(eligibility_in_partition(v, j, part, why));
    if (r != REFUSAL_NONE)
        return r;
    if (part->state == PART_DRAIN) { /* what waits there already still runs */
        if (cause_set(why, CAUSE_PARTITION_DRAIN))
            why->part = xstrdup(name);
        return REFUSAL_PART_DOWN;
    }
    uint32_t at = (uint32_t)(part - v->model->spec.parts.v);
    return admit_could_fit(p, j, at, why) ? REFUSAL_NONE : REFUSAL_NEVER_FITS;
}

/* Of several partitions one is enough, but a name that does not exist is a mistake even beside one that
 * does. */
enum refusal sched_admit(struct planner *p, const struct sched_view *v, const struct job *j,
                         struct cause *why)
{
    struct strv names = eligible_partitions(v->model, j);
    enum refusal last = REFUSAL_NO_PARTITION;
    bool ok = false;
    planner_ready(p, v, v->model->now);
    if (!names.n)
        cause_set(why, CAUSE_NO_PARTITION_GIVEN);
    for (size_t i = 0; i < names.n; i++) {
        last = admit_to(p, v, j, names.v[i], why);
        if (last == REFUSAL_NO_PARTITION) {
            ok = false;
            break;
        }
        ok = ok || last == REFUSAL_NONE;
    }
    strv_fini(&names);
    if (ok)
        cause_set(why, CAUSE_NONE);
    return ok ? REFUSAL_NONE : last;
}
