#include "backend/control/requests/req_submit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "backend/control/emit.h"
#include "backend/control/history_deps.h"
#include "backend/control/payload_cache.h"
#include "backend/control/policy_view.h"
#include "backend/control/requests/req_check.h"
#include "backend/control/requests/req_names.h"
#include "backend/control/requests/terminals.h"
#include "backend/control/schedule.h"
#include "backend/control/state_load.h"
#include "backend/control/users/user_cache.h"
#include "backend/sched/explain/explain.h"
#include "backend/sched/limits/limits.h"
#include "src/jobenv/mailtype.h"
#include "src/model/array.h"
#include "src/model/default_memory.h"
#include "src/model/dep.h"
#include "src/model/task_parts.h"
#include "src/values/units.h"

#define NONCES 32u /* are drawn with one system call */

struct submit_state {
    uint64_t n_tasks; /* of step jobs, at most; where they have been counted */
    bool counted;
    uint64_t nonces[NONCES];
    size_t n_nonces; /* that no job has */
};

#define TASKS_ALL_MAX 2000000u /* of all jobs: each is some hundred bytes of the controller's memory */

static uint64_t submit_tasks(const struct job *j)
{
    uint64_t n = 0;
    for (size_t i = 0; j->kind == JOB_KIND_STEPS && i < j->steps.n; i++)
        n += (uint64_t)j->steps.v[i].n_tasks * step_task_nodes(&j->steps.v[i]);
    return n;
}

/* Counted again only where the sum of all submissions, of which many may have left, is too large. */
static void submit_check_tasks(struct control *c, const struct job *j, struct request_check *k)
{
    struct submit_state *n = c->state[MODULE_REQ_SUBMIT];
    uint64_t tasks = submit_tasks(j);
    if (!tasks || k->refusal != REFUSAL_NONE)
        return;
    if (!n->counted || n->n_tasks + tasks > TASKS_ALL_MAX) {
        n->n_tasks = 0;
        n->counted = true;
        list_for_each (other, &c->model.all, struct job, in_all)
            n->n_tasks += submit_tasks(other);
    }
    if (n->n_tasks + tasks > TASKS_ALL_MAX)
        req_check_refuse(k, REFUSAL_POLICY,
                         &(struct cause){.code = CAUSE_QUEUE_TASKS, .most = TASKS_ALL_MAX});
}

static void submit_refuse_act(struct request_check *k, enum admin_act act)
{
    req_check_refuse(k, REFUSAL_NOT_ALLOWED, &(struct cause){.code = CAUSE_ADMINS_ONLY, .what = act});
}

/* The account, the QOS, and the priority that only administrators may set. */
static void submit_check_standing(struct session *s, const struct msg_submit *m, struct request_check *k)
{
    struct control *c = s->ctl;
    if (req_detail(&m->req)->has_priority && !s->admin)
        submit_refuse_act(k, ADMIN_ACT_PRIORITY);
    if (req_detail(&m->req)->nice < 0 && !s->admin)
        submit_refuse_act(k, ADMIN_ACT_NICE);
    struct sched_view v = policy_view(c);
    struct submitter by = {.uid = s->uid,
                           .user = user_name(c->users, s->uid),
                           .group = group_name(c->users, s->gid),
                           .is_admin = s->admin};
    if (k->refusal == REFUSAL_NONE)
        k->refusal = account_check(&v, &by, m->req.account, req_detail(&m->req)->qos, &k->cause);
}

/* One user must not fill the queue. */
static void submit_check_room(struct session *s, struct request_check *k)
{
    uint32_t n = s->quota->n_jobs, most = user_quota_jobs_most(s->ctl);
    if (k->refusal != REFUSAL_NONE || s->admin || n < most)
        return;
    req_check_refuse(k, REFUSAL_POLICY, &(struct cause){.code = CAUSE_QUEUE_USER, .n = n, .most = most});
}

static void submit_check_queue(struct session *s, struct request_check *k)
{
    const struct control *c = s->ctl;
    if (c->stopping != STOP_NONE)
        req_check_refuse(k, REFUSAL_SHUTTING_DOWN, &(struct cause){.code = CAUSE_STOPPING});
    if (c->model.spec.max_jobs && c->model.n_pending + c->model.n_active >= c->model.spec.max_jobs)
        req_check_refuse(k, REFUSAL_POLICY, &(struct cause){.code = CAUSE_QUEUE_FULL});
    submit_check_room(s, k);
}

static void submit_check(struct session *s, const struct msg_submit *m, struct request_check *k)
{
    struct control *c = s->ctl;
    req_check_submission(k, m);
    if (m->force && !s->admin)
        submit_refuse_act(k, ADMIN_ACT_FORCE);
    if (req_detail(&m->req)->ntasks_per_node != NOT_GIVEN &&
        req_detail(&m->req)->ntasks_per_node > NODE_RANKS_MAX)
        req_check_refuse(k, REFUSAL_BAD_REQUEST,
                         &(struct cause){.code = CAUSE_NODE_TASKS, .most = NODE_RANKS_MAX});
    if (m->kind > JOB_KIND_INTERACTIVE || str_is_empty(m->request_id) || strlen(m->request_id) > 64)
        req_check_refuse(k, REFUSAL_BAD_REQUEST, &(struct cause){.code = CAUSE_MALFORMED});
    if (m->kind == JOB_KIND_BATCH && !m->payload.script.n && !m->payload.argv.n)
        req_check_refuse(k, REFUSAL_BAD_REQUEST, &(struct cause){.code = CAUSE_NOTHING_TO_RUN});
    if (!c->settings.everyone && s->uid != geteuid())
        req_check_refuse(
            k, REFUSAL_NOT_ALLOWED,
            &(struct cause){.code = CAUSE_ONE_USER, .user = xstrdup(user_name(c->users, geteuid()))});
    submit_check_queue(s, k);
    submit_check_standing(s, m, k);
    if (k->refusal == REFUSAL_NONE && !m->force)
        k->refusal = req_names_check(&c->model, &m->req, &k->cause);
    if (k->refusal != REFUSAL_NONE || m->force || (m->hold && !m->test_only))
        return;
    struct sched_view v = policy_view(c);
    struct job probe = {.kind = (uint8_t)m->kind, .uid = s->uid, .req = m->req};
    probe.steps.v = m->steps.v;
    probe.steps.n = m->steps.n;
    k->refusal = sched_admit(c->planner, &v, &probe, &k->cause);
}

static void submit_set_array(struct control *c, struct job *j, struct request_check *k)
{
    struct array_spec a;
    if (!req_detail(&j->req)->array_spec)
        return;
    struct errtext text;
    if (array_parse(req_detail(&j->req)->array_spec, c->model.spec.max_array_size, &a, &text) < 0) {
        req_check_refuse(k, REFUSAL_ARRAY, &(struct cause){.code = CAUSE_WORDS, .text = xstrdup(text.s)});
        return;
    }
    j->array_job = j->id;
    job_rare_mut(j)->array_pending.v = a.ranges.v;
    job_rare_mut(j)->array_pending.n = a.ranges.n;
    a.ranges.v = NULL;
    a.ranges.n = 0;
    struct job_origin *origin = job_origin_mut(j);
    origin->array_count = a.count;
    origin->array_min = a.min;
    origin->array_max = a.max;
    origin->array_step = a.step;
    if (!j->req.array_throttle)
        j->req.array_throttle = a.throttle;
    array_spec_fini(&a);
}

/* Random, and not 0, which means none. */
static uint64_t submit_nonce(struct control *c)
{
    struct submit_state *s = c->state[MODULE_REQ_SUBMIT];
    uint64_t nonce = 0;
    while (!nonce) {
        if (!s->n_nonces) {
            bug_on(getrandom(s->nonces, sizeof s->nonces, 0) != sizeof s->nonces);
            s->n_nonces = NONCES;
        }
        nonce = s->nonces[--s->n_nonces];
    }
    return nonce;
}

/* The record of a new job, moved out of the message where it can be. */
static void submit_make_job(struct session *s, struct msg_submit *m, struct job *j, struct request_check *k)
{
    struct control *c = s->ctl;
    struct strv parts = strv_split(m->req.partition, ",");
    const struct part_spec *fallback = model_default_part(&c->model);
    *j = (struct job){
        .id = c->model.next_job,
        .kind = (uint8_t)m->kind,
        .state = JOB_PENDING,
        .req = m->req,
        .uid = s->uid,
        .user = xstrdup(user_name(c->users, s->uid)),
        .partition = xstrdup(parts.n    ? parts.v[0]
                             : fallback ? fallback->name
                                        : NULL),
        .request_id = xstrdup(m->request_id),
        .array_index = ARRAY_NONE,
        .hold = m->hold ? HOLD_USER : HOLD_NONE,
        .reason = m->hold ? REASON_HELD_USER : REASON_NONE,
        .t_submit = loop_wall(c->loop),
        .nonce = submit_nonce(c),
        .t_eligible = loop_wall(c->loop),
        .time_limit_s = DURATION_NOT_SET,
        .detached = m->detached,
    };
    *job_origin_mut(j) = (struct job_origin){
        .gid = s->gid,
        .group = xstrdup(group_name(c->users, s->gid)),
        .submit_host = xstrdup(m->host),
        .command = req_check_shown_command(m->command),
        .script_size = (uint32_t)m->payload.script.n,
    };
    m->req = (struct job_req){0};
    if (!j->req.name)
        j->req.name = xstrdup(m->kind == JOB_KIND_INTERACTIVE ? "interactive" : "sbatch");
    j->steps.v = m->steps.v;
    j->steps.n = m->steps.n;
    m->steps.v = NULL;
    m->steps.n = 0;
    for (size_t i = 0; i < j->steps.n; i++) {
        char *command = j->steps.v[i].command;
        j->steps.v[i].command = req_check_shown_command(command);
        free(command);
    }
    submit_set_array(c, j, k);
    strv_fini(&parts);
}

/* Sets since when the job is eligible: not yet where a dependency is open. */
static void submit_set_eligible(struct control *c, struct job *j)
{
    struct deps d;
    struct wall now = loop_wall(c->loop);
    j->t_eligible = req_detail(&j->req)->begin.ms > now.ms ? req_detail(&j->req)->begin : now;
    if (str_is_empty(j->req.dependency) || dep_parse(j->req.dependency, &d, NULL) < 0)
        return;
    if (dep_state(&c->model, j, &d, ARRAY_NONE, now, NULL) == DEP_MET)
        j->dep_met = dep_is_final(&c->model, j, &d);
    else
        j->t_eligible = (struct wall){0};
    deps_fini(&d);
}

/* Limits and counts. Held and forced jobs are checked when they are released. */
static void submit_check_counts(struct control *c, const struct msg_submit *m, const struct job *j,
                                struct request_check *k)
{
    struct sched_view v = policy_view(c);
    struct sched_admit_how how = {.as_is = m->force || (m->hold && !m->test_only)};
    k->refusal = sched_admit_counts(c->planner, &v, j, how, loop_wall(c->loop), &k->cause);
}

/* Why a job that is not in the queue would wait. */
static void submit_cause_wait(struct control *c, const struct job *j, const struct trial *t,
                              struct cause *why)
{
    why->code = CAUSE_WAITS_FOR_ROOM;
    if (t->reason == REASON_LICENSES) {
        licence_explain(&c->model, NULL, j, why);
    } else if (t->reason != REASON_NONE && t->verdict.spec) {
        limit_cause(&t->verdict, why);
    } else if (t->reason != REASON_NONE) {
        why->code = CAUSE_WAITS_REASON;
        why->state = t->reason;
    } else if (t->forecast.kind == FORECAST_BEYOND) {
        why->code = CAUSE_WAITS_BEYOND;
        why->window_s = c->model.spec.window_s;
    }
}

/* With hints about requests without effect in this cluster. Takes what *m owns. */
static void submit_answer(struct session *s, uint64_t tag, const struct job_req *r, struct msg_result *m)
{
    uint32_t types = 0;
    if (mail_types_parse(req_rare(r)->mail_type, &types) && types &&
        str_is_empty(s->ctl->model.spec.mail_program))
        *(struct cause *)rec_list_push(&m->hints) = (struct cause){.code = CAUSE_NO_MAIL};
    session_answer(s, tag, m);
}

/* --test-only: when and where it would start. count: 1 for now. */
static void submit_answer_test(struct session *s, uint64_t tag, const struct job *j)
{
    struct control *c = s->ctl;
    struct sched_view v = policy_view(c);
    struct trial t;
    planner_try(c->planner, &v, j, loop_wall(c->loop), &t);
    struct msg_result answer = {.job = j->id,
                                .count = t.now,
                                .cause = {.code = CAUSE_WOULD_START,
                                          .at = t.forecast.start,
                                          .cpus = t.cpus,
                                          .nodes = t.now ? xstrdup(t.nodes) : NULL,
                                          .part = xstrdup(t.partition)}};
    if (!wall_is_set(t.forecast.start) || t.reason != REASON_NONE)
        submit_cause_wait(c, j, &t, cause_add(&answer.cause, CAUSE_NONE));
    if (!t.now && t.reason == REASON_NONE)
        sched_explain_new(c->planner, &v, j, loop_wall(c->loop), &answer.cause);
    submit_answer(s, tag, &j->req, &answer);
    trial_fini(&t);
}

/* The same request has been taken before: its answer was lost, not its job. */
static bool submit_is_repeated(struct session *s, uint64_t tag, const struct msg_submit *m,
                               struct request_check *k)
{
    struct control *c = s->ctl;
    struct job *old = m->request_id ? model_get_request(&c->model, m->request_id) : NULL;
    if (old && old->uid != s->uid)
        k->refusal = REFUSAL_BAD_REQUEST;
    if (!old || old->uid != s->uid)
        return false;
    if (old->kind == JOB_KIND_INTERACTIVE && !old->detached)
        terminals_own(s, old->id);
    session_done(s, tag, old->array_job ? old->array_job : old->id, 1);
    return true;
}

/* j is in the state: what it runs, who has its terminal. */
static void submit_keep(struct session *s, const struct msg_submit *m, uint32_t id)
{
    struct control *c = s->ctl;
    bool steps = m->kind == JOB_KIND_STEPS;
    if (m->kind == JOB_KIND_BATCH)
        payload_add(c, id, STEP_BATCH, &m->payload);
    if (steps) /* the environment of all steps that have none of their own, stored once */
        payload_add(c, id, STEP_ALL, &m->payload);
    for (size_t i = 0; steps && i < m->step_payloads.n; i++)
        payload_add(c, id, (int32_t)i, &m->step_payloads.v[i]);
    if (m->kind == JOB_KIND_INTERACTIVE && !m->detached)
        terminals_own(s, id);
}

/* Takes *j. */
static void submit_emit(struct session *s, uint64_t tag, const struct msg_submit *m, struct job *j)
{
    struct control *c = s->ctl;
    uint32_t id = j->id;
    ((struct submit_state *)c->state[MODULE_REQ_SUBMIT])->n_tasks += submit_tasks(j);
    int r = ctl_emit(c, EV_SUBMIT, id, j);
    if (r < 0) {
        session_refuse(s, tag, r == -EROFS ? REFUSAL_READ_ONLY : REFUSAL_POLICY, 0,
                       &(struct cause){.code = r == -EROFS ? CAUSE_READ_ONLY : CAUSE_NO_JOB_ID});
        return;
    }
    submit_keep(s, m, id);
    c->stats.submits++;
    if (!m->hold) /* the reason of a held job is part of its record */
        schedule_note_reason(c, id);
    const struct job *made = model_get_job(&c->model, id);
    submit_answer(s, tag, &made->req, &(struct msg_result){.job = id, .count = 1});
    test_hooks_crash(&c->settings.hooks, CRASH_BEFORE_COMMIT);
}

/* The history has answered, or was not asked. */
static void submit_admit(struct session *s, uint64_t tag, struct msg_submit *m, struct request_check *k)
{
    struct control *c = s->ctl;
    struct job j = {0};
    if (k->refusal == REFUSAL_NONE)
        k->refusal = history_deps_settle(c, &m->req, 0, &k->cause);
    if (k->refusal == REFUSAL_NONE)
        submit_make_job(s, m, &j, k);
    req_check_record(k, &j);
    submit_check_tasks(c, &j, k);
    if (k->refusal == REFUSAL_NONE)
        submit_check_counts(c, m, &j, k);
    if (k->refusal == REFUSAL_NONE)
        submit_set_eligible(c, &j);
    if (k->refusal == REFUSAL_NONE && !m->test_only) {
        submit_emit(s, tag, m, &j);
        return;
    }
    if (k->refusal != REFUSAL_NONE)
        session_refuse(s, tag, k->refusal, 0, &k->cause);
    else
        submit_answer_test(s, tag, &j);
    rec_fini(&job_rec, &j);
}

struct submission { /* that waits for the history */
    struct parked parked;
    struct msg_submit m;
    struct stored_payloads *stored;
};

static void submit_release(struct parked *p)
{
    struct submission *w = container_of(p, struct submission, parked);
    rec_fini(&msg_submit_rec, &w->m);
    payload_free_stored(w->stored);
    free(w);
}

/* What may have changed while it waited is checked again. */
static void submit_resume(struct parked *p)
{
    struct submission *w = container_of(p, struct submission, parked);
    struct session *s = p->session;
    struct request_check k = {.refusal = REFUSAL_NONE};
    if (s->ctl->read_only)
        req_check_refuse(&k, REFUSAL_READ_ONLY,
                         &(struct cause){.code = CAUSE_READ_ONLY, .text = xstrdup(s->ctl->read_only)});
    else if (submit_is_repeated(s, p->tag, &w->m, &k))
        return;
    submit_check_queue(s, &k);
    payload_use_stored(s->ctl, w->stored);
    submit_admit(s, p->tag, &w->m, &k);
    payload_use_stored(s->ctl, NULL);
}

static size_t submit_step_size(const struct step *s)
{
    const char *const texts[] = {s->name, s->std_out, s->std_err, s->std_in, s->nodelist, s->command};
    size_t n = sizeof *s + sizeof(struct step_payload);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        n += texts[i] ? strlen(texts[i]) : 0;
    return n;
}

/* About, in bytes of memory. */
static size_t submit_size(const struct msg_submit *m)
{
    size_t n = 4096 + payload_size(&m->payload);
    for (size_t i = 0; i < m->steps.n; i++)
        n += submit_step_size(&m->steps.v[i]);
    for (size_t i = 0; i < m->step_payloads.n; i++)
        n += payload_size(&m->step_payloads.v[i]);
    return n;
}

static void submit_wait(struct session *s, uint64_t tag, struct msg_submit *m, struct request_check *k)
{
    struct submission *w = xcalloc(1, sizeof *w);
    w->m = *m;
    *m = (struct msg_submit){0};
    w->parked = (struct parked){.session = s,
                                .tag = tag,
                                .dependency = w->m.req.dependency,
                                .size = submit_size(&w->m),
                                .resume = submit_resume,
                                .release = submit_release};
    switch (history_deps_wait(s->ctl, &w->parked)) {
    case HISTORY_PARKED: w->stored = payload_take_stored(s->ctl); return;
    case HISTORY_KNOWN: submit_admit(s, tag, &w->m, k); break;
    case HISTORY_FULL:
        session_refuse(s, tag, REFUSAL_RATE, 0, &(struct cause){.code = CAUSE_HISTORY_FULL});
        break;
    }
    submit_release(&w->parked);
}

void req_submit(struct session *s, uint64_t tag, void *body)
{
    struct msg_submit *m = body;
    struct control *c = s->ctl;
    struct request_check k = {.refusal = REFUSAL_NONE};
    if (submit_is_repeated(s, tag, m, &k))
        return;
    if (str_is_empty(m->req.account)) {
        free(m->req.account);
        m->req.account = xstrdup(spec_default_account(&c->model.spec, user_name(c->users, s->uid),
                                                      group_name(c->users, s->gid)));
    }
    req_names_settle(&c->model, &m->req, NULL);
    model_settle_memory(&c->model, &m->req, m->steps.v, m->steps.n);
    submit_check(s, m, &k);
    if (k.refusal == REFUSAL_NONE && !str_is_empty(m->req.dependency))
        submit_wait(s, tag, m, &k);
    else
        submit_admit(s, tag, m, &k);
}

static void req_submit_start(struct control *c)
{
    c->state[MODULE_REQ_SUBMIT] = xcalloc(1, sizeof(struct submit_state));
}

static void req_submit_stop(struct control *c)
{
    free(c->state[MODULE_REQ_SUBMIT]);
}

const struct module_ops req_submit_module = {.start = req_submit_start, .stop = req_submit_stop};
