/* eligibility.c - holds, times, partitions' rules. */
#include "backend/sched/limits/eligibility.h"

#include <string.h>

#include "backend/sched/limits/dependency_index.h"
#include "src/base/xalloc.h"
#include "src/model/need.h"
#include "src/values/units.h"

struct strv eligible_partitions(const struct model *m, const struct job *j)
{
    struct strv names = job_partitions(j);
    const struct part_spec *fallback = model_default_part(m);
    if (!names.n && fallback)
        strv_push(&names, fallback->name);
    return names;
}

/* The one partition that it may run in, without an allocation; NULL where it names several or none. */
static const char *eligibility_of_single(const struct model *m, const struct job *j)
{
    const char *names = str_is_empty(j->req.partition) ? j->partition : j->req.partition;
    if (!str_is_empty(names))
        return strchr(names, ',') ? NULL : names;
    const struct part_spec *fallback = model_default_part(m);
    return fallback ? fallback->name : NULL;
}

/* why NULL: no-op. */
static void eligibility_say(struct cause *why, enum cause_code code, const struct part_spec *part,
                            uint64_t asked, uint64_t most)
{
    if (!cause_set(why, code))
        return;
    why->part = xstrdup(part->name);
    why->asked = asked;
    why->most = most;
}

static enum reason eligibility_of_size(const struct job *j, const struct part_spec *part, struct cause *why)
{
    const struct job_req *req = &j->req;
    bool may_be_cut =
        req_detail(req)->time_min_s < DURATION_NOT_SET && req_detail(req)->time_min_s < req->time_limit_s;
    uint32_t least_s = may_be_cut ? req_detail(req)->time_min_s : req->time_limit_s;
    if (req->time_limit_s != DURATION_NOT_SET && least_s > part->max_time_s) {
        eligibility_say(why, may_be_cut ? CAUSE_PARTITION_TIME_MIN : CAUSE_PARTITION_TIME, part, least_s,
                        part->max_time_s);
        return REASON_PART_TIME;
    }
    uint32_t nodes = job_need_nodes(j);
    if (nodes > part->max_nodes) {
        eligibility_say(why, CAUSE_PARTITION_NODES, part, nodes, part->max_nodes);
        return REASON_PART_NODES;
    }
    return REASON_NONE;
}

static bool eligibility_is_member(const struct sched_view *v, uint32_t uid, const struct strv *groups)
{
    return v->in_groups && v->in_groups(v->ctx, uid, groups);
}

/* No allow list: all jobs; who is denied is denied. */
static bool eligibility_admits(const struct strv *allow, const struct strv *deny, const char *name)
{
    return (!allow->n || (name && strv_has(allow, name))) && !(name && strv_has(deny, name));
}

enum reason eligibility_in_partition(const struct sched_view *v, const struct job *j,
                                     const struct part_spec *part, struct cause *why)
{
    const struct job_req *req = &j->req;
    if (!part) {
        const char *name = eligibility_of_single(v->model, j);
        if (cause_set(why, CAUSE_PARTITION_GONE) && name)
            why->part = xstrdup(name);
        return REASON_PART_CONFIG;
    }
    if (part->state == PART_INACTIVE) {
        eligibility_say(why, CAUSE_PARTITION_INACTIVE, part, 0, 0);
        return REASON_PART_INACTIVE;
    }
    bool member =
        j->uid == 0 || ((!part->allow_groups.n || eligibility_is_member(v, j->uid, &part->allow_groups)) &&
                        (!part->deny_groups.n || !eligibility_is_member(v, j->uid, &part->deny_groups)));
    bool account = eligibility_admits(&part->allow_accounts, &part->deny_accounts, req->account);
    bool qos = eligibility_admits(&part->allow_qos, &part->deny_qos, job_qos(req));
    if (!member || !account || !qos) {
        eligibility_say(why,
                        !member    ? CAUSE_PARTITION_GROUPS
                        : !account ? CAUSE_PARTITION_ACCOUNTS
                                   : CAUSE_PARTITION_QOS,
                        part, 0, 0);
        return REASON_PART_CONFIG;
    }
    if (part->batch_only && j->kind == JOB_KIND_INTERACTIVE) {
        eligibility_say(why, CAUSE_PARTITION_BATCH_ONLY, part, 0, 0);
        return REASON_PART_CONFIG;
    }
    enum reason limits = eligibility_of_size(j, part, why);
    if (limits != REASON_NONE || part->state != PART_DOWN)
        return limits;
    eligibility_say(why, CAUSE_PARTITION_DOWN, part, 0, 0); /* last: its other rules hold for new jobs */
    return REASON_PART_DOWN;
}

static enum reason eligibility_of_hold(const struct job *j)
{
    if (j->hold == HOLD_NONE)
        return REASON_NONE;
    if (j->reason == REASON_HELD_REQUEUE)
        return REASON_HELD_REQUEUE;
    return j->hold == HOLD_USER ? REASON_HELD_USER : REASON_HELD_ADMIN;
}

static enum reason eligibility_of_dependency(const struct model *m, const struct job *j, struct wall now,
                                             struct wall *ret_clears)
{
    if (str_is_empty(j->req.dependency))
        return REASON_NONE;
    switch (dep_job_state(m, j, ARRAY_NONE, now, ret_clears)) {
    case DEP_MET: return REASON_NONE;
    case DEP_WAIT: return REASON_DEPENDENCY;
    case DEP_NEVER: break;
    }
    return REASON_DEPENDENCY_NEVER;
}

enum reason eligibility_in_reservation(const struct model *m, const char *user, const struct job_req *req,
                                       struct wall now, struct wall *ret_clears, struct cause *why)
{
    const char *name = req_rare(req)->reservation;
    if (str_is_empty(name))
        return REASON_NONE;
    const struct window *w = model_get_window(m, name);
    if (!w || w->end.ms <= now.ms || w->kind != WINDOW_RESERVATION) {
        if (cause_set(why, w ? CAUSE_RESERVATION_OVER : CAUSE_NO_RESERVATION))
            why->name = xstrdup(name);
        return REASON_RESERVATION_GONE;
    }
    if (!window_admits(w, user, req->account)) {
        if (cause_set(why, CAUSE_RESERVATION_USER)) {
            why->name = xstrdup(name);
            why->user = xstrdup(user ? user : "?");
        }
        return REASON_RESERVATION_GONE;
    }
    if (w->start.ms <= now.ms)
        return REASON_NONE;
    *ret_clears = w->start;
    if (cause_set(why, CAUSE_RESERVATION_LATER)) {
        why->name = xstrdup(name);
        why->at = w->start;
    }
    return REASON_RESERVATION;
}

/* Of several partitions one that admits it is enough. */
static enum reason eligibility_in_any(const struct sched_view *v, const struct job *j)
{
    const char *single = eligibility_of_single(v->model, j);
    if (single)
        return eligibility_in_partition(v, j, model_get_part(v->model, single), NULL);
    struct strv names = eligible_partitions(v->model, j);
    enum reason first = names.n ? REASON_NONE : REASON_PART_CONFIG;
    for (size_t i = 0; i < names.n; i++) {
        enum reason r = eligibility_in_partition(v, j, model_get_part(v->model, names.v[i]), NULL);
        if (r == REASON_NONE) {
            first = REASON_NONE;
            break;
        }
        first = first == REASON_NONE ? r : first;
    }
    strv_fini(&names);
    return first;
}

enum reason eligibility_of_job(const struct sched_view *v, const struct job *j, struct wall now,
                               struct wall *ret_clears)
{
    enum reason r = eligibility_of_hold(j);
    r = r != REASON_NONE ? r : eligibility_of_dependency(v->model, j, now, ret_clears);
    if (r != REASON_NONE)
        return r;
    /* Only what was asked for: t_eligible was the clock's word, and the clock may have been set
     * back since. */
    if (req_detail(&j->req)->begin.ms > now.ms) {
        *ret_clears = req_detail(&j->req)->begin;
        return REASON_BEGIN_TIME;
    }
    r = eligibility_in_any(v, j);
    return r != REASON_NONE ? r
                            : eligibility_in_reservation(v->model, j->user, &j->req, now, ret_clears, NULL);
}

#define CLOCK_GATES_MAX 8 /* more than there are */

struct wall eligibility_time(const struct sched_view *v, const struct job *j, struct wall now)
{
    for (int i = 0; i < CLOCK_GATES_MAX; i++) {
        struct wall clears = {0};
        if (eligibility_of_job(v, j, now, &clears) == REASON_NONE)
            return now;
        if (clears.ms <= now.ms)
            break;
        now = clears;
    }
    return (struct wall){0};
}

/* --- what is held against what may be --- */

/* In the first partition that lets it, else in the first. Step jobs: their next task. */
enum limit_state eligibility_limits(const struct sched_view *v, const struct job *j,
                                    struct limit_request *ret_ask, struct limit_verdict *ret)
{
    *ret = (struct limit_verdict){.state = LIMIT_OK};
    if (!limits_any(v->limits))
        return LIMIT_OK;
    limits_fade(v->limits, v->model, v->model->now);
    struct strv names = eligible_partitions(v->model, j);
    struct limit_verdict first = {.state = LIMIT_OK};
    for (size_t i = 0; i < names.n; i++) {
        const struct part_spec *part = model_get_part(v->model, names.v[i]);
        if (eligibility_in_partition(v, j, part, NULL) != REASON_NONE)
            continue;
        struct limit_request request;
        limits_request_next(v->limits, v->model, j, part, &request);
        limits_check(v->limits, &request, ret);
        if (ret->state != LIMIT_OVER_HARD || first.state == LIMIT_OK)
            *ret_ask = request;
        if (ret->state != LIMIT_OVER_HARD)
            break;
        first = first.state == LIMIT_OK ? *ret : first;
        *ret = first;
    }
    strv_fini(&names);
    return ret->state;
}
