/* eligibility_why.c - each rule of eligibility that keeps a job waiting, as a cause. */
#include <stdlib.h>

#include "backend/sched/explain/why_internal.h"
#include "src/model/fold/jobevents.h"

static void explain_hold(const struct job *j, struct msg_why *w)
{
    uint32_t uid;
    const char *user;
    if (j->hold == HOLD_NONE)
        return;
    if (j->reason == REASON_HELD_REQUEUE) {
        why_add(w, WHY_HELD, CAUSE_HELD_AFTER_LOSSES)->n =
            job_rare(j)->losses ? job_rare(j)->losses : j->restarts;
        return;
    }
    struct cause *c =
        why_add(w, WHY_HELD, j->hold == HOLD_USER ? CAUSE_HELD_BY_OWNER : CAUSE_HELD_BY_ADMIN);
    c->at = job_held_since(j, &uid, &user);
    if (str_is_empty(user))
        user = uid == j->uid && !str_is_empty(j->user) ? j->user : uid == 0 ? "root" : NULL;
    c->user = user ? xstrdup(user) : xasprintf("uid %u", uid);
}

static void explain_dependency(const struct sched_view *v, const struct job *j, struct wall now,
                               struct msg_why *w)
{
    struct wall clears = {0};
    struct cause c = {0};
    enum dep_state s = dep_job_state(v->model, j, ARRAY_NONE, now, &clears);
    if (s == DEP_MET)
        return;
    dep_explain(v->model, j, now, &c);
    c.clears = clears;
    why_add_take(w, s == DEP_NEVER ? WHY_DEP_DEAD : WHY_DEP_WAIT, &c);
}

static void explain_begin(const struct job *j, struct wall now, struct msg_why *w)
{
    if (req_detail(&j->req)->begin.ms <= now.ms)
        return;
    struct cause *c = why_add(w, WHY_NOT_YET, CAUSE_BEGIN_TIME);
    c->at = c->clears = req_detail(&j->req)->begin;
}

/* Takes *why over. */
static void add_rule(struct msg_why *w, enum reason r, struct cause *why)
{
    bool down = r == REASON_PART_DOWN || r == REASON_PART_INACTIVE;
    why_add_take(w, down ? WHY_PARTITION_DOWN : WHY_NOT_ALLOWED, why);
}

/* Removes the rule that gave this cause from part, which is a copy that owns nothing. */
static bool open_rule(struct part_spec *part, enum cause_code code)
{
    switch ((int)code) {
    case CAUSE_PARTITION_INACTIVE:
    case CAUSE_PARTITION_DOWN: part->state = PART_UP; return true;
    case CAUSE_PARTITION_GROUPS: part->allow_groups = part->deny_groups = (struct strv){0}; return true;
    case CAUSE_PARTITION_ACCOUNTS:
        part->allow_accounts = part->deny_accounts = (struct strv){0};
        return true;
    case CAUSE_PARTITION_QOS: part->allow_qos = part->deny_qos = (struct strv){0}; return true;
    case CAUSE_PARTITION_BATCH_ONLY: part->batch_only = false; return true;
    case CAUSE_PARTITION_TIME:
    case CAUSE_PARTITION_TIME_MIN: part->max_time_s = DURATION_UNLIMITED; return true;
    case CAUSE_PARTITION_NODES: part->max_nodes = UINT32_MAX; return true;
    default: return false;
    }
}

/* Each rule of the partition that the job breaks. */
static void add_rules_of(const struct sched_view *v, const struct job *j, const struct part_spec *part,
                         struct msg_why *w)
{
    struct part_spec open = part ? *part : (struct part_spec){0};
    bool more = true;
    while (more) {
        struct cause why = {0};
        enum reason r = eligibility_in_partition(v, j, part ? &open : NULL, &why);
        more = r != REASON_NONE && open_rule(&open, (enum cause_code)why.code);
        if (r != REASON_NONE)
            add_rule(w, r, &why);
    }
}

/* The rules of its partitions, where none of them admits it: each of them. */
static void explain_partitions(const struct sched_view *v, const struct job *j, struct msg_why *w)
{
    struct strv names = eligible_partitions(v->model, j);
    bool admitted = false;
    for (size_t i = 0; i < names.n && !admitted; i++)
        admitted =
            eligibility_in_partition(v, j, model_get_part(v->model, names.v[i]), NULL) == REASON_NONE;
    for (size_t i = 0; i < names.n && !admitted; i++)
        add_rules_of(v, j, model_get_part(v->model, names.v[i]), w);
    if (!names.n)
        why_add(w, WHY_NOT_ALLOWED, CAUSE_NO_PARTITION_GIVEN);
    strv_fini(&names);
}

static void explain_reservation(const struct sched_view *v, const struct job *j, struct wall now,
                                struct msg_why *w)
{
    struct wall clears = {0};
    struct cause why = {0};
    enum reason r = eligibility_in_reservation(v->model, j->user, &j->req, now, &clears, &why);
    if (r == REASON_NONE)
        return;
    why.clears = clears;
    why_add_take(w, r == REASON_RESERVATION ? WHY_WINDOW : WHY_NOT_ALLOWED, &why);
}

/* Its deadline comes before it could have ended: the controller ends it. Else how long it still may
 * wait. */
static void explain_deadline(const struct sched_view *v, const struct job *j, struct wall now,
                             struct msg_why *w)
{
    if (deadline_missed(v->model, j, now))
        why_add(w, WHY_NOT_ALLOWED, CAUSE_DEADLINE_PASSED);
}

static void why_add_limit(struct msg_why *w, const struct limit_verdict *v)
{
    struct cause c = {0};
    bool alone = v->asked > v->most; /* too much even if nothing else were held */
    limit_cause(v, &c);
    why_add_take(w, alone && v->state == LIMIT_OVER_HARD ? WHY_NOT_ALLOWED : limit_why_class(v), &c);
}

static const struct part_spec *eligibility_first_known(const struct sched_view *v, const struct job *j,
                                                       bool *ret_admits)
{
    struct strv names = eligible_partitions(v->model, j);
    const struct part_spec *first = NULL;
    *ret_admits = false;
    for (size_t i = 0; i < names.n; i++) {
        const struct part_spec *part = model_get_part(v->model, names.v[i]);
        first = first ? first : part;
        *ret_admits = *ret_admits || eligibility_in_partition(v, j, part, NULL) == REASON_NONE;
    }
    strv_fini(&names);
    return first;
}

bool eligibility_breaks_limits(const struct sched_view *v, const struct job *j, struct limit_request *ret)
{
    struct limit_verdict verdict;
    bool admits;
    if (!limits_any(v->limits))
        return false;
    const struct part_spec *part = eligibility_first_known(v, j, &admits);
    if (admits)
        return eligibility_limits(v, j, ret, &verdict) == LIMIT_OVER_HARD;
    if (!part)
        return false;
    limits_fade(v->limits, v->model, v->model->now);
    limits_request_next(v->limits, v->model, j, part, ret);
    return limits_check(v->limits, ret, NULL) == LIMIT_OVER_HARD;
}

/* Each hard limit that its next start would break. */
static void explain_limits(const struct sched_view *v, const struct job *j, struct msg_why *w)
{
    struct limit_verdict verdict;
    struct limit_request request;
    size_t at = 0;
    if (!eligibility_breaks_limits(v, j, &request))
        return;
    while (limits_next_broken(v->limits, &request, &at, &verdict))
        if (verdict.state == LIMIT_OVER_HARD)
            why_add_limit(w, &verdict);
}

static void explain_counts(const struct sched_view *v, const struct job *j, struct msg_why *w)
{
    struct cause c = {0};
    bool can_be_met = licence_explain(v->model, v->licences, j, &c);
    if (c.code != CAUSE_NONE)
        why_add_take(w, can_be_met ? WHY_BUSY : WHY_NOT_ALLOWED, &c);
    explain_limits(v, j, w);
}

void eligibility_explain(const struct sched_view *v, const struct job *j, struct wall now,
                         struct msg_why *w)
{
    explain_hold(j, w);
    explain_dependency(v, j, now, w);
    explain_begin(j, now, w);
    explain_partitions(v, j, w);
    explain_reservation(v, j, now, w);
    explain_deadline(v, j, now, w);
    explain_counts(v, j, w);
}
