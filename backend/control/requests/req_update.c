#include "backend/control/requests/req_update.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "backend/control/eligibility_watch.h"
#include "backend/control/emit.h"
#include "backend/control/history_deps.h"
#include "backend/control/policy_view.h"
#include "backend/control/requests/array_element.h"
#include "backend/control/requests/req_check.h"
#include "backend/control/requests/req_names.h"
#include "backend/control/users/user_cache.h"
#include "backend/sched/limits/limits.h"
#include "src/base/xalloc.h"
#include "src/jobattr/jobattr.h"
#include "src/model/jobeffective.h"
#include "src/model/model.h"
#include "src/values/units.h"

#define DEPENDENCY_MAX 4096u /* bytes, as req_check.c */

struct job_update {
    struct job_req req;
    uint32_t time_limit_s; /* of a running job */
};

/* The text is the parser's. */
static enum refusal update_refuse_value(enum refusal r, const struct errtext *text, struct cause *why)
{
    *why = (struct cause){.code = CAUSE_WORDS, .text = xstrdup(text->s)};
    return r;
}

/* *limit, given as +TIME or -TIME, becomes the new limit. */
static bool update_shift_limit(uint32_t now, bool less, uint32_t *limit, struct cause *why)
{
    uint64_t to = less ? (uint64_t)now - *limit : (uint64_t)now + *limit;
    if (now >= DURATION_NOT_SET || *limit >= DURATION_NOT_SET)
        why->code = CAUSE_TIME_LIMIT_NONE;
    else if (less && *limit >= now)
        why->code = CAUSE_TIME_LIMIT_WHOLE;
    else if (to >= DURATION_NOT_SET)
        why->code = CAUSE_TIME_LIMIT_LONG;
    else
        *limit = (uint32_t)to;
    return why->code == CAUSE_NONE;
}

static enum refusal update_set_time_limit(struct session *s, const struct job *j, struct job_update *u,
                                          const char *value, struct cause *why)
{
    uint32_t limit;
    bool more = *value == '+', less = *value == '-';
    struct errtext text;
    if (duration_parse_slurm(value + (more || less), &limit, &text) < 0)
        return update_refuse_value(REFUSAL_TIME_LIMIT, &text, why);
    if ((more || less) && !update_shift_limit(job_limit_s(j, &s->ctl->model), less, &limit, why))
        return REFUSAL_TIME_LIMIT;
    if (j->state != JOB_PENDING && !s->admin && limit > j->time_limit_s) {
        *why = (struct cause){.code = CAUSE_ADMINS_ONLY, .what = ADMIN_ACT_RAISE_TIME_LIMIT};
        return REFUSAL_NOT_ALLOWED;
    }
    if (j->state == JOB_PENDING)
        u->req.time_limit_s = limit;
    else
        u->time_limit_s = limit;
    return REFUSAL_NONE;
}

/* A lease begins with the task: one that runs has it, or never will. */
static enum refusal update_set_lost_node(const struct control *c, const struct job *j, struct job_update *u,
                                         const char *value, struct cause *why)
{
    struct errtext text;
    if (job_attr_set(&job_attrs[ATTR_LOST_NODE], &u->req, value, loop_wall(c->loop), &text) < 0)
        return update_refuse_value(REFUSAL_BAD_REQUEST, &text, why);
    struct job changed = *j;
    changed.req = u->req;
    bool had = job_lost_node(&c->model, j) == LOST_LEASE,
         has = job_lost_node(&c->model, &changed) == LOST_LEASE;
    if (j->state == JOB_PENDING || had == has)
        return REFUSAL_NONE;
    why->code = CAUSE_UPDATE_LEASE;
    return REFUSAL_NOT_PENDING;
}

static enum refusal update_set_priority(struct session *s, struct job_update *u, const char *value,
                                        struct cause *why)
{
    if (!s->admin) {
        *why = (struct cause){.code = CAUSE_ADMINS_ONLY, .what = ADMIN_ACT_PRIORITY};
        return REFUSAL_NOT_ALLOWED;
    }
    struct errtext text;
    if (job_attr_set(&job_attrs[ATTR_PRIORITY], &u->req, value, loop_wall(s->ctl->loop), &text) < 0)
        return update_refuse_value(REFUSAL_BAD_REQUEST, &text, why);
    return REFUSAL_NONE;
}

static enum refusal update_set_attr(struct session *s, const struct job *j, struct job_update *u,
                                    const struct job_attr *a, const char *value, struct cause *why)
{
    struct job_attr limited = *a;
    if (a->id == ATTR_TIME)
        return update_set_time_limit(s, j, u, value, why);
    if (a->id == ATTR_LOST_NODE)
        return update_set_lost_node(s->ctl, j, u, value, why);
    if (a->id == ATTR_PRIORITY)
        return update_set_priority(s, u, value, why);
    if (a->id == ATTR_NICE && !s->admin)
        limited.min = 0;
    struct errtext text;
    if (job_attr_set(&limited, &u->req, value, loop_wall(s->ctl->loop), &text) == 0)
        return REFUSAL_NONE;
    return update_refuse_value(a->kind == JOB_ATTR_MEMORY ? REFUSAL_MEMORY : REFUSAL_BAD_REQUEST, &text,
                               why);
}

static enum refusal update_refuse_key(const char *key, struct cause *why)
{
    struct str always = STR_INIT, waiting = STR_INIT;
    job_attr_list_keys(&always, true);
    job_attr_list_keys(&waiting, false);
    *why = (struct cause){.code = CAUSE_UPDATE_UNKNOWN, .name = xstrdup(key)};
    cause_add(why, CAUSE_WORDS)->text = str_take(&always);
    cause_add(why, CAUSE_WORDS)->text = str_take(&waiting);
    return REFUSAL_NOT_SUPPORTED;
}

static enum refusal update_set_key(struct session *s, const struct job *j, struct job_update *u,
                                   const char *key, const char *value, struct cause *why)
{
    const struct job_attr *a = job_attr_by_key(key);
    if (!a)
        return update_refuse_key(key, why);
    enum refusal r = update_set_attr(s, j, u, a, value, why);
    if (r == REFUSAL_NONE && !a->always && j->state != JOB_PENDING) {
        *why = (struct cause){.code = CAUSE_UPDATE_WHILE_WAITING, .name = xstrdup(key)};
        return REFUSAL_NOT_PENDING;
    }
    return r;
}

static enum refusal update_set_keys(struct session *s, const struct job *j, const struct strv *changes,
                                    struct job_update *u, struct cause *why)
{
    enum refusal r = REFUSAL_NONE;
    for (size_t i = 0; i < changes->n && r == REFUSAL_NONE; i++) {
        char *key = xstrdup(changes->v[i]), *eq = strchr(key, '=');
        if (eq) {
            *eq = '\0';
            r = update_set_key(s, j, u, key, eq + 1, why);
        } else {
            *why = (struct cause){.code = CAUSE_UPDATE_NO_PAIR, .name = xstrdup(key)};
            r = REFUSAL_BAD_REQUEST;
        }
        free(key);
    }
    return r;
}

/* Whether j may become what u says. */
static enum refusal update_check(struct session *s, const struct job *j, struct job_update *u,
                                 struct cause *why)
{
    struct control *c = s->ctl;
    struct sched_view v = policy_view(c);
    req_names_settle(&c->model, &u->req, j->partition);
    enum refusal r = req_check_request(&u->req, why);
    if (r == REFUSAL_NONE && (!str_eq(u->req.account, j->req.account) ||
                              !str_eq(req_detail(&u->req)->qos, req_detail(&j->req)->qos)))
        r = account_check(
            &v,
            &(struct submitter){
                .uid = j->uid, .user = j->user, .group = job_origin(j)->group, .is_admin = s->admin},
            u->req.account, req_detail(&u->req)->qos, why);
    struct job probe = *j;
    probe.req = u->req;
    if (r == REFUSAL_NONE && j->state == JOB_PENDING)
        r = sched_admit(c->planner, &v, &probe, why);
    if (r == REFUSAL_NONE && !str_eq(u->req.dependency, j->req.dependency))
        r = history_deps_settle(c, &u->req, j->array_job ? j->array_job : j->id, why);
    probe.req = u->req; /* the dependency may be another now */
    if (r == REFUSAL_NONE && j->state == JOB_PENDING)
        r = sched_admit_counts(c->planner, &v, &probe,
                               (struct sched_admit_how){.as_is = j->hold != HOLD_NONE}, loop_wall(c->loop),
                               why);
    return r;
}

enum refusal update_try(struct session *s, const struct job *j, const struct strv *changes,
                        struct job_req *ret, struct cause *why)
{
    struct job_update u = {.time_limit_s = DURATION_NOT_SET};
    rec_copy(&job_req_rec, &u.req, &j->req);
    enum refusal r = update_set_keys(s, j, changes, &u, why);
    r = r == REFUSAL_NONE ? update_check(s, j, &u, why) : r;
    if (r == REFUSAL_NONE)
        *ret = u.req;
    else
        rec_fini(&job_req_rec, &u.req);
    return r;
}

/* element: one that waits in j, the array's record; ARRAY_NONE: j is the job. */
static enum refusal update_one(struct session *s, struct job *j, uint32_t element,
                               const struct msg_update *m, struct cause *why)
{
    struct control *c = s->ctl;
    struct job meant = element == ARRAY_NONE ? *j : array_element_of(j, element);
    struct job_update u = {.time_limit_s = DURATION_NOT_SET};
    if (job_state_is_final(meant.state)) {
        why->code = CAUSE_JOB_ENDED;
        return REFUSAL_ENDED;
    }
    rec_copy(&job_req_rec, &u.req, &meant.req);
    enum refusal r = update_set_keys(s, &meant, &m->changes, &u, why);
    r = r == REFUSAL_NONE ? update_check(s, &meant, &u, why) : r;
    if (r == REFUSAL_NONE && element != ARRAY_NONE && !(j = array_element_split(c, j, element))) {
        why->code = CAUSE_JOB_ENDED;
        r = REFUSAL_ENDED;
    }
    if (r != REFUSAL_NONE) {
        rec_fini(&job_req_rec, &u.req);
        return r;
    }
    struct ev_update body = {.req = u.req,
                             .time_limit_s = u.time_limit_s,
                             .uid = s->uid,
                             .user = user_name_or_null(c->users, s->uid)};
    char *old_name = xstrdup(j->req.name);
    r = ctl_emit(c, EV_UPDATE, j->id, &body) < 0 ? REFUSAL_ENDED : REFUSAL_NONE;
    if (!str_eq(old_name, j->req.name))
        eligibility_watch_renamed(c, j->uid, old_name);
    free(old_name);
    return r;
}

/* The whole array: its record, and each element that has left the record and has not ended. A refusal of
 * one does not stop the others; the first refusal is reported. */
static void update_array(struct session *s, uint64_t tag, const struct msg_update *m,
                         const struct job *array)
{
    struct control *c = s->ctl;
    struct job_ids meant = {VEC_INIT};
    enum refusal first = REFUSAL_NONE;
    struct cause first_why = {0};
    uint32_t n = 0, refused = m->target.job;
    array_element_ids(c, array, &meant);
    vec_for_each (&meant.ids, i) {
        struct job *j = model_get_job(&c->model, meant.ids.v[i]);
        struct cause why = {0};
        if (!j || (meant.ids.n > 1 && job_state_is_final(j->state)))
            continue;
        enum refusal r = update_one(s, j, ARRAY_NONE, m, &why);
        n += r == REFUSAL_NONE;
        if (r != REFUSAL_NONE && first == REFUSAL_NONE) {
            first = r;
            first_why = why;
            why = (struct cause){0};
            refused = meant.ids.v[i];
        }
        cause_clear(&why);
    }
    vec_fini(&meant.ids);
    session_answer(s, tag,
                   &(struct msg_result){.refusal = first, .job = refused, .count = n, .cause = first_why});
}

struct waiting_update { /* for the history */
    struct parked parked;
    struct msg_update m;
};

static void req_update_run(struct session *s, uint64_t tag, const struct msg_update *m, bool asks);

static void update_release(struct parked *p)
{
    struct waiting_update *w = container_of(p, struct waiting_update, parked);
    rec_fini(&msg_update_rec, &w->m);
    free(w);
}

/* Its job may have gone meanwhile. */
static void update_resume(struct parked *p)
{
    struct waiting_update *w = container_of(p, struct waiting_update, parked);
    if (p->session->ctl->read_only)
        session_refuse(
            p->session, p->tag, REFUSAL_READ_ONLY, 0,
            &(struct cause){.code = CAUSE_READ_ONLY, .text = xstrdup(p->session->ctl->read_only)});
    else
        req_update_run(p->session, p->tag, &w->m, false);
}

/* Whether the update waits for the history, or was refused because too many do. */
static bool update_wait(struct session *s, uint64_t tag, const struct msg_update *m)
{
    static const char key[] = "Dependency=";
    const char *dependency = NULL;
    size_t size = sizeof *m;
    struct waiting_update *w = xcalloc(1, sizeof *w);
    rec_copy(&msg_update_rec, &w->m, m);
    for (size_t i = 0; i < w->m.changes.n; i++) {
        size += strlen(w->m.changes.v[i]) + 16;
        if (strncasecmp(w->m.changes.v[i], key, sizeof key - 1) == 0)
            dependency = w->m.changes.v[i] + sizeof key - 1;
    }
    if (dependency && strlen(dependency) > DEPENDENCY_MAX) /* it will be refused: not worth a question */
        dependency = NULL;
    w->parked = (struct parked){.session = s,
                                .tag = tag,
                                .dependency = dependency,
                                .size = size,
                                .resume = update_resume,
                                .release = update_release};
    enum history_wait wait = history_deps_wait(s->ctl, &w->parked);
    if (wait == HISTORY_PARKED)
        return true;
    if (wait == HISTORY_FULL)
        session_refuse(s, tag, REFUSAL_RATE, 0, &(struct cause){.code = CAUSE_HISTORY_FULL});
    update_release(&w->parked);
    return wait == HISTORY_FULL;
}

/* asks: the history has not been asked yet. */
static void req_update_run(struct session *s, uint64_t tag, const struct msg_update *m, bool asks)
{
    struct control *c = s->ctl;
    uint32_t index = m->target.array_index;
    struct job *j = index == ARRAY_NONE ? model_get_job(&c->model, m->target.job)
                                        : model_get_element(&c->model, m->target.job, index);
    struct cause why = {0};
    if (!j || !session_owns(s, j)) {
        session_refuse(
            s, tag, j ? REFUSAL_NOT_ALLOWED : REFUSAL_NO_JOB, m->target.job,
            &(struct cause){.code = j ? CAUSE_OTHER_USERS_JOB : CAUSE_NO_JOB, .n = m->target.job});
        return;
    }
    if (asks && update_wait(s, tag, m))
        return;
    if (index == ARRAY_NONE && j->array_job == m->target.job) {
        update_array(s, tag, m, j);
        return;
    }
    bool waits = index != ARRAY_NONE && job_is_array_record(j);
    enum refusal r = update_one(s, j, waits ? index : ARRAY_NONE, m, &why);
    session_answer(
        s, tag,
        &(struct msg_result){.refusal = r, .job = m->target.job, .count = r == REFUSAL_NONE, .cause = why});
}

void req_update(struct session *s, uint64_t tag, void *body)
{
    req_update_run(s, tag, body, true);
}
