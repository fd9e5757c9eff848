/* admit.c - could a request ever run? Asked at submission, with every node pretended empty. */
#include <errno.h>
#include <stdlib.h>

#include "backend/sched/fit.h"
#include "backend/sched/gate.h"
#include "src/base/units.h"

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

/* In which every task of every step, or the whole job, would fit one day. */
static bool could_fit(const struct sched_view *v, const struct part_spec *part, const struct job_req *req,
                      const struct step *steps, size_t n_steps, struct errtext *text)
{
    for (size_t i = 0; i < n_steps; i++) {
        struct fit_request r = {.req = req,
                                .gpu_type = steps[i].gpu_type ? steps[i].gpu_type : req->gpu_type,
                                .one_task = true};
        step_task_need(&steps[i], &r.need);
        if (!fit_ever(v->model, part, &r, text)) {
            err_prefix(text, 0, "step %s", steps[i].name ? steps[i].name : "?");
            return false;
        }
    }
    struct fit_request r = {.req = req, .gpu_type = req->gpu_type};
    job_need(req, &r.need);
    return n_steps || fit_ever(v->model, part, &r, text);
}

static enum refusal admit_to(const struct sched_view *v, uint32_t uid, const char *name,
                             const struct job_req *req, const struct step *steps, size_t n_steps,
                             struct errtext *text)
{
    const struct part_spec *part = model_get_part(v->model, name);
    if (!part) {
        err_set(text, 0, "there is no partition %s", name);
        return REFUSAL_NO_PARTITION;
    }
    enum refusal r = refusal_of(gate_partition(v, uid, req, part, text));
    if (r != REFUSAL_NONE)
        return r;
    if (part->state == PART_DRAIN) { /* what waits there already still runs */
        err_set(text, 0, "partition %s takes no new jobs", part->name);
        return REFUSAL_PART_DOWN;
    }
    return could_fit(v, part, req, steps, n_steps, text) ? REFUSAL_NONE : REFUSAL_NEVER_FITS;
}

/* Of several partitions one is enough, but a name that does not exist is a mistake even beside one that
 * does. */
enum refusal sched_admit(const struct sched_view *v, uint32_t uid, const struct job_req *req,
                         const struct step *steps, size_t n_steps, struct errtext *text)
{
    struct job probe = {.req = *req, .uid = uid};
    struct strv names = gate_partitions(v->model, &probe);
    enum refusal last = REFUSAL_NO_PARTITION;
    bool ok = false;
    if (!names.n)
        err_set(text, 0, "no partition given and no default partition configured");
    for (size_t i = 0; i < names.n; i++) {
        last = admit_to(v, uid, names.v[i], req, steps, n_steps, text);
        if (last == REFUSAL_NO_PARTITION) {
            ok = false;
            break;
        }
        ok = ok || last == REFUSAL_NONE;
    }
    strv_fini(&names);
    if (ok)
        err_set(text, 0, "%s", "");
    return ok ? REFUSAL_NONE : last;
}
