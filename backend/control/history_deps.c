#include "backend/control/history_deps.h"

#include <stdlib.h>
#include <string.h>

#include "backend/control/clients/session.h"
#include "backend/control/emit.h"
#include "backend/sched/limits/limits.h"
#include "src/base/idmap.h"
#include "src/model/array.h"
#include "src/model/dep.h"
#include "src/os/log.h"
#include "src/proto/codec.h"

#define KNOWN_MAX   200000u     /* answers that are kept */
#define PARKED_MAX  (64u << 20) /* bytes of the requests that wait, scripts mostly */
#define PARKED_USER (16u << 20) /* of those of one user who is not an administrator */
#define LOOKS_MAX   1000
#define WALK_LOOKS  50  /* that a walk over all waiting jobs counts as */
#define STARTS_MOST 500 /* rows in a piece */

/* Values in history_deps.known, in the lowest bits; NULL: never asked. UNREADABLE: only while the requests
 * that wait for it are resumed. */
enum known_end { KNOWN_NONE = 1, KNOWN_OK, KNOWN_FAILED, KNOWN_ASKED, KNOWN_UNREADABLE };
#define KNOWN_BITS 3 /* above them: the last start, in milliseconds; 0: never asked */

struct history_deps {
    struct idmap known;    /* jobs that have left the state: how they ended */
    struct list questions; /* to the history about them */
    struct list parked;    /* requests that wait for the answers; each for one at a time, so that an
                              answer is tried on those alone that wait for it */
    size_t parked_bytes;
};

static struct history_deps *history_deps_of(const struct control *c)
{
    return c->state[MODULE_HISTORY_DEPS];
}

static uint64_t history_deps_key(uint32_t job, uint32_t index)
{
    return (uint64_t)job << 32 | index;
}

static void history_deps_keep(struct control *c, uint32_t job, uint32_t index, enum known_end p,
                              struct wall start)
{
    if (history_deps_of(c)->known.n >= KNOWN_MAX) {
        idmap_fini(&history_deps_of(c)->known);
        history_deps_of(c)->known = (struct idmap){0};
    }
    uint64_t ms = start.ms > 0 ? (uint64_t)start.ms : 0;
    idmap_set(&history_deps_of(c)->known, history_deps_key(job, index),
              (void *)(uintptr_t)(ms << KNOWN_BITS | (uint64_t)p));
}

static enum known_end history_deps_known(const struct control *c, const struct dep *d,
                                         struct wall *ret_start)
{
    *ret_start = (struct wall){0};
    if (d->job >= c->model.next_job)
        return KNOWN_NONE;
    uint64_t v = (uintptr_t)idmap_get(&history_deps_of(c)->known, history_deps_key(d->job, d->index));
    ret_start->ms = (int64_t)(v >> KNOWN_BITS);
    return (enum known_end)(v & ((1u << KNOWN_BITS) - 1));
}

/* A job that never started counts from its end. */
static struct wall history_deps_start_of(const struct job *j)
{
    return wall_is_set(j->t_start) ? j->t_start : j->t_end;
}

static void history_deps_before(struct control *c, struct emission *e)
{
    const struct job *j = e->job;
    if (e->ev->kind != EV_RETIRE || !j)
        return;
    enum known_end own = job_succeeded(j) ? KNOWN_OK : KNOWN_FAILED;
    struct wall start = history_deps_start_of(j);
    if (!j->array_job) {
        history_deps_keep(c, j->id, ARRAY_NONE, own, start);
        return;
    }
    history_deps_keep(c, j->array_job, j->array_index, own, start);
    const struct array_tally *t = model_get_tally(&c->model, j->array_job);
    if (j->id != j->array_job) {
        history_deps_keep(c, j->id, ARRAY_NONE, own, start);
        return;
    }
    /* the last of its array; after a restart the last start of the array is not known */
    bool bad = (t && t->bad) || job_rare(j)->array_failed.n;
    history_deps_keep(c, j->id, ARRAY_NONE, bad ? KNOWN_FAILED : KNOWN_OK, (struct wall){0});
}

struct history_question {
    struct list link;
    struct control *ctl;
    uint32_t job, index;
    bool failed; /* first: one that did not succeed; then: any */
    bool starts; /* or: the last start of all of them */
    enum known_end was;
    struct wall last_start;
};

static void history_deps_on_piece(void *ctx, const struct history_piece *p);

static void history_deps_ask(struct control *c, struct history_question *q,
                             const struct history_place *from)
{
    struct msg_history m = {.limit = !q->starts};
    struct history_place start = {0};
    struct job_target *t = rec_list_push(&m.jobs);
    *t = (struct job_target){.job = q->job, .array_index = q->index, .step = STEP_ALL};
    for (enum job_state s = 0; q->failed && s < JOB_N_STATES; s++)
        if (job_state_is_final(s) && s != JOB_COMPLETED)
            m.states |= 1u << s;
    store_get_history(c->store, &m, from ? from : &start, q->starts ? STARTS_MOST : 1,
                      history_deps_on_piece, q);
    rec_fini(&msg_history_rec, &m);
}

/* known: how it ended, where only its start is asked for. */
static void history_deps_ask_first(struct control *c, uint32_t job, uint32_t index, enum known_end known)
{
    struct history_question *q = xcalloc(1, sizeof *q);
    *q = (struct history_question){
        .ctl = c, .job = job, .index = index, .failed = !known, .starts = known != 0, .was = known};
    list_init(&q->link);
    list_append(&history_deps_of(c)->questions, &q->link);
    history_deps_keep(c, job, index, KNOWN_ASKED, (struct wall){0});
    history_deps_ask(c, q, NULL);
}

static void history_deps_unpark(struct control *c, struct parked *p)
{
    list_unlink(&p->link);
    history_deps_of(c)->parked_bytes -= p->size;
    p->session->quota->parked_bytes -= p->size;
    budget_place_leave(&p->room);
}

static uint64_t history_deps_ask_about(struct control *c, const char *dependency);

/* Resumes the requests that waited for that answer alone; others wait on. */
static void history_deps_resume(struct control *c, uint64_t key)
{
    struct list waiting;
    list_init(&waiting);
    list_for_each (p, &history_deps_of(c)->parked, struct parked, link)
        if (p->waits_for == key)
            list_move_to_end(&waiting, &p->link);
    while (!list_empty(&waiting)) {
        struct parked *p = list_first(&waiting, struct parked, link);
        p->waits_for = c->read_only ? 0 : history_deps_ask_about(c, p->dependency);
        if (p->waits_for) {
            list_move_to_end(&history_deps_of(c)->parked, &p->link);
            continue;
        }
        history_deps_unpark(c, p);
        p->resume(p);
        p->release(p);
    }
}

static void history_deps_take_starts(struct history_question *q, const struct history_piece *p)
{
    struct msg_jobs jobs = {0};
    if (!p->n || codec_decode(&msg_jobs_rec, p->body, p->size, &jobs, NULL) < 0)
        return;
    for (size_t i = 0; i < jobs.rows.n; i++) {
        struct wall t = history_deps_start_of(&jobs.rows.v[i]);
        q->last_start = t.ms > q->last_start.ms ? t : q->last_start;
    }
    rec_fini(&msg_jobs_rec, &jobs);
}

/* Whether another piece is needed. */
static bool history_deps_goes_on(struct control *c, struct history_question *q,
                                 const struct history_piece *p)
{
    if (p->r < 0)
        return false;
    if (q->starts)
        history_deps_take_starts(q, p);
    bool more = q->starts || !p->n; /* a piece without rows: more may lie behind it */
    if (more && !p->next.whole) {
        history_deps_ask(c, q, &p->next);
        return true;
    }
    if (!p->n && q->failed) {
        q->failed = false;
        history_deps_ask(c, q, NULL);
        return true;
    }
    return false;
}

static void history_deps_on_piece(void *ctx, const struct history_piece *p)
{
    struct history_question *q = ctx;
    struct control *c = q->ctl;
    if (p->r < 0)
        log_warn("job=%u the history cannot be read: %s", q->job, p->text);
    if (history_deps_goes_on(c, q, p))
        return;
    uint64_t key = history_deps_key(q->job, q->index);
    bool gone =
        q->starts && !wall_is_set(q->last_start); /* trimmed from the history: as long ago as can be */
    history_deps_keep(c, q->job, q->index,
                      p->r < 0    ? KNOWN_UNREADABLE
                      : q->starts ? q->was
                      : !p->n     ? KNOWN_NONE
                      : q->failed ? KNOWN_FAILED
                                  : KNOWN_OK,
                      gone ? (struct wall){.ms = 1} : q->last_start);
    list_unlink(&q->link);
    free(q);
    history_deps_resume(c, key);
    if (p->r < 0) /* the next request asks again */
        idmap_remove(&history_deps_of(c)->known, key);
}

/* Of an element whose array is in the state all but its start is known there. */
static bool history_deps_has_left(const struct control *c, const struct dep *d)
{
    const struct job *j = model_get_job(&c->model, d->job);
    if (d->type == DEP_TYPE_SINGLETON || !j)
        return d->type != DEP_TYPE_SINGLETON;
    return d->delay_s && d->index != ARRAY_NONE && j->array_job == j->id && array_had(j, d->index) &&
           !model_get_element(&c->model, d->job, d->index);
}

/* Asks the history about the jobs in the dependency that have left the state and are not known. Returns
 * the key of the first answer to wait for; 0: all is known. */
static uint64_t history_deps_ask_about(struct control *c, const char *dependency)
{
    struct deps d;
    uint64_t wait_key = 0;
    if (str_is_empty(dependency) || dep_parse(dependency, &d, NULL) < 0)
        return 0;
    for (size_t i = 0; i < d.n; i++) {
        if (!history_deps_has_left(c, &d.v[i]))
            continue;
        struct wall start;
        enum known_end p = history_deps_known(c, &d.v[i], &start);
        bool lacks_start = d.v[i].delay_s && (p == KNOWN_OK || p == KNOWN_FAILED) && !wall_is_set(start);
        if (!p || lacks_start)
            history_deps_ask_first(c, d.v[i].job, d.v[i].index, p);
        if (!wait_key && (!p || lacks_start || p == KNOWN_ASKED))
            wait_key = history_deps_key(d.v[i].job, d.v[i].index);
    }
    deps_fini(&d);
    return wait_key;
}

enum history_wait history_deps_wait(struct control *c, struct parked *p)
{
    struct history_deps *h = history_deps_of(c);
    p->waits_for = history_deps_ask_about(c, p->dependency);
    if (!p->waits_for)
        return HISTORY_KNOWN;
    struct user_quota *q = p->session->quota;
    bool full = !p->session->admin && q->parked_bytes && q->parked_bytes + p->size > PARKED_USER;
    if (full || h->parked_bytes + p->size > PARKED_MAX)
        return HISTORY_FULL;
    list_init(&p->link);
    list_append(&h->parked, &p->link);
    h->parked_bytes += p->size;
    q->parked_bytes += p->size;
    list_init(&p->room.link);
    budget_place_join(&p->room, p->session->admin ? NULL : &q->conns);
    budget_place_charge(&p->room, p->size);
    return HISTORY_PARKED;
}

/* --- what the answers mean --- */

static enum refusal history_deps_refuse(const struct dep *d, enum cause_code code, struct cause *why)
{
    struct str b = STR_INIT;
    dep_format_one(d, &b);
    *why = (struct cause){.code = code, .name = str_take(&b)};
    return REFUSAL_DEPENDENCY;
}

/* One dependency: whether its job exists, and, where the job has left the state, what the dependency comes
 * to. ret_over: from when on it is met; unset: it is met already. */
static enum refusal history_deps_settle_one(const struct control *c, const struct dep *d, uint32_t self,
                                            enum dep_state *ret, struct wall *ret_over, struct cause *why)
{
    struct wall start;
    *ret = DEP_WAIT;
    *ret_over = (struct wall){0};
    if (d->type == DEP_TYPE_SINGLETON)
        return REFUSAL_NONE;
    const struct job *j = model_get_job(&c->model, d->job);
    if (self && (d->job == self || (j && j->array_job == self)))
        return history_deps_refuse(d, CAUSE_DEPENDENCY_SELF, why);
    if (j && d->index != ARRAY_NONE && (j->array_job != j->id || !array_had(j, d->index)))
        return history_deps_refuse(d, CAUSE_DEPENDENCY_ELEMENT, why);
    if (!history_deps_has_left(c, d))
        return REFUSAL_NONE;
    enum known_end p = history_deps_known(c, d, &start);
    if (p == KNOWN_UNREADABLE)
        return history_deps_refuse(d, CAUSE_DEPENDENCY_HISTORY, why);
    if (p != KNOWN_OK && p != KNOWN_FAILED)
        return history_deps_refuse(d, CAUSE_DEPENDENCY_NO_JOB, why);
    *ret = dep_past_state(d->type, p == KNOWN_OK);
    struct wall over = wall_add_s(start, d->delay_s);
    if (d->delay_s && over.ms > loop_wall(c->loop).ms)
        *ret_over = over;
    return REFUSAL_NONE;
}

static bool history_deps_leads_to(const struct control *c, uint32_t id, uint32_t self, int *looks);

/* The same for a singleton: it waits for the user's earlier jobs of the same name. */
static bool history_deps_singleton_leads_to(const struct control *c, const struct job *j, uint32_t self,
                                            int *looks)
{
    uint32_t array = j->array_job ? j->array_job : j->id;
    *looks -= WALK_LOOKS;
    list_for_each (p, &c->model.pending, struct job, in_queue) {
        if (p == j || *looks < 0)
            return false;
        bool same = p->uid == j->uid && str_eq(p->req.name, j->req.name);
        if (same && p->array_job != array &&
            history_deps_leads_to(c, p->array_job ? p->array_job : p->id, self, looks))
            return true;
    }
    return false;
}

/* Whether job id waits for `self`, directly or not. Gives up after *looks jobs: longer circles are not made
 * by mistake. */
static bool history_deps_leads_to(const struct control *c, uint32_t id, uint32_t self, int *looks)
{
    const struct job *j = model_get_job(&c->model, id);
    struct deps d;
    if (id == self)
        return true;
    if (--*looks < 0 || !j || j->state != JOB_PENDING || dep_parse(j->req.dependency, &d, NULL) < 0)
        return false;
    bool found = false;
    for (size_t i = 0; i < d.n && !found; i++) {
        bool singleton = d.v[i].type == DEP_TYPE_SINGLETON;
        found = singleton ? history_deps_singleton_leads_to(c, j, self, looks)
                          : !j->dep_met && history_deps_leads_to(c, d.v[i].job, self, looks);
    }
    deps_fini(&d);
    return found;
}

enum refusal history_deps_settle(struct control *c, struct job_req *req, uint32_t self, struct cause *why)
{
    struct deps d, left = {0};
    struct errtext text;
    if (str_is_empty(req->dependency))
        return REFUSAL_NONE;
    if (dep_parse(req->dependency, &d, &text) < 0) {
        *why = (struct cause){.code = CAUSE_WORDS, .text = xstrdup(text.s)};
        return REFUSAL_DEPENDENCY;
    }
    enum refusal r = REFUSAL_NONE;
    bool met = false;
    struct wall begin = {0};
    int looks = LOOKS_MAX;
    left.any = d.any;
    left.v = xcalloc(d.n + 1, sizeof *left.v);
    for (size_t i = 0; i < d.n && r == REFUSAL_NONE; i++) {
        enum dep_state s;
        struct wall over;
        r = history_deps_settle_one(c, &d.v[i], self, &s, &over, why);
        bool singleton = d.v[i].type == DEP_TYPE_SINGLETON;
        const struct job *j = singleton && self ? model_get_job(&c->model, self) : NULL;
        if (r == REFUSAL_NONE && self &&
            (singleton ? j && history_deps_singleton_leads_to(c, j, self, &looks)
                       : history_deps_leads_to(c, d.v[i].job, self, &looks)))
            r = history_deps_refuse(
                &d.v[i], singleton ? CAUSE_DEPENDENCY_CIRCLE_NAME : CAUSE_DEPENDENCY_CIRCLE, why);
        if (s == DEP_MET && (d.any ? !met || over.ms < begin.ms : over.ms > begin.ms))
            begin = over; /* of any: the earliest */
        met = met || s == DEP_MET;
        if (s != DEP_MET)
            left.v[left.n++] = d.v[i];
    }
    if (r == REFUSAL_NONE) {
        struct str b = STR_INIT;
        if (!(d.any && met))
            dep_format(&left, &b);
        free(req->dependency);
        req->dependency = b.len ? xstrdup(b.s) : NULL;
        req_detail_mut(req)->begin = begin.ms > req_detail(req)->begin.ms ? begin : req_detail(req)->begin;
        str_fini(&b);
    }
    deps_fini(&left);
    deps_fini(&d);
    return r;
}

/* --- life --- */

static void history_deps_start(struct control *c)
{
    struct history_deps *h = c->state[MODULE_HISTORY_DEPS] = xcalloc(1, sizeof *h);
    list_init(&h->questions);
    list_init(&h->parked);
}

/* s: NULL: of all sessions. */
static void history_deps_drop(struct control *c, const struct session *s)
{
    list_for_each (p, &history_deps_of(c)->parked, struct parked, link)
        if (!s || p->session == s) {
            history_deps_unpark(c, p);
            p->release(p);
        }
}

static void history_deps_session_closed(struct control *c, struct session *s)
{
    history_deps_drop(c, s);
}

static void history_deps_stop(struct control *c)
{
    struct history_deps *h = history_deps_of(c);
    history_deps_drop(c, NULL);
    list_for_each (q, &h->questions, struct history_question, link) {
        list_unlink(&q->link);
        free(q);
    }
    idmap_fini(&h->known);
    free(h);
}

const struct module_ops history_deps_module = {.start = history_deps_start,
                                               .stop = history_deps_stop,
                                               .before = history_deps_before,
                                               .session_closed = history_deps_session_closed};
