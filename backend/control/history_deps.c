/* history_deps.c - dependencies on jobs that have left the state.
 *
 *     SUBMIT --dependency on 12, which is not here--> parked --history: 12?--> store's thread
 *     (UPDATE Dependency=)                               ^                         |
 *            req_submit, with the answer in `past` <-----+------ on_history <------+
 *
 * How a retired job ended does not change any more, so that an answer is kept. Two short questions say all:
 * is there one that did not succeed, is there one at all. Only after:JOB+MINUTES asks for all of an array,
 * for the last start; what is left of the minutes becomes the request's begin time. A dependency that such
 * a job meets is taken out of the request; one that it rules out stays, and never comes true. Each parked
 * submission waits for one answer at a time, so that an answer is tried on those alone that wait for it.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "backend/control/private.h"
#include "src/base/log.h"
#include "src/model/array.h"
#include "src/proto/codec.h"

#define PAST_ID        (UINT64_C(1) << 63) /* marks our questions among those of clients */
#define PAST_MAX       200000u             /* answers that are kept */
#define PARKED_MAX     (64u << 20)         /* bytes of the requests that wait, scripts mostly */
#define LOOKS_MAX      1000
#define WALK_LOOKS     50    /* what a walk over all that wait counts for */
#define STARTS_MOST    500   /* rows in a piece */
#define DEPENDENCY_MAX 4096u /* bytes, as req_submit.c */

/* Values in control.past, in the lowest bits; NULL: never asked. UNREADABLE: only while those who wait for
 * it are told. */
enum past { PAST_NONE = 1, PAST_OK, PAST_FAILED, PAST_ASKED, PAST_UNREADABLE };
#define PAST_BITS 3 /* above them: the last start, in milliseconds; 0: never asked */

struct parked {
    struct list link;
    struct session *session;
    uint64_t tag;
    uint64_t key; /* of what it waits for */
    size_t size;
    bool is_update;
    struct msg_submit m; /* or: */
    struct msg_update update;
};

static uint64_t key_of(uint32_t job, uint32_t index)
{
    return (uint64_t)job << 32 | index;
}

static void keep(struct control *c, uint32_t job, uint32_t index, enum past p, struct wall start)
{
    if (c->past.n >= PAST_MAX) {
        idmap_fini(&c->past);
        c->past = (struct idmap){0};
    }
    uint64_t ms = start.ms > 0 ? (uint64_t)start.ms : 0;
    idmap_set(&c->past, key_of(job, index), (void *)(uintptr_t)(ms << PAST_BITS | (uint64_t)p));
}

static enum past known(const struct control *c, const struct dep *d, struct wall *ret_start)
{
    *ret_start = (struct wall){0};
    if (d->job >= c->model.next_job)
        return PAST_NONE;
    uint64_t v = (uintptr_t)idmap_get(&c->past, key_of(d->job, d->index));
    ret_start->ms = (int64_t)(v >> PAST_BITS);
    return (enum past)(v & ((1u << PAST_BITS) - 1));
}

/* One that never started counts from its end. */
static struct wall start_of(const struct job *j)
{
    return wall_is_set(j->t_start) ? j->t_start : j->t_end;
}

void past_note(struct control *c, const struct job *j)
{
    enum past own = job_succeeded(j) ? PAST_OK : PAST_FAILED;
    struct wall start = start_of(j);
    if (!j->array_job) {
        keep(c, j->id, ARRAY_NONE, own, start);
        return;
    }
    keep(c, j->array_job, j->array_index, own, start);
    const struct array_tally *t = model_get_tally(&c->model, j->array_job);
    if (j->id != j->array_job) {
        keep(c, j->id, ARRAY_NONE, own, start);
        return;
    }
    /* the last of its array; of a tally from before the restart its last start is not known */
    bool bad = (t && t->bad) || job_rare(j)->array_failed.n;
    keep(c, j->id, ARRAY_NONE, bad ? PAST_FAILED : PAST_OK, (struct wall){0});
}

/* --- questions --- */

struct question {
    uint64_t id;
    uint32_t job, index;
    bool failed; /* first: one that did not succeed; then: any */
    bool starts; /* or: the last start of all of them */
    enum past was;
    struct wall last_start;
};

static void ask(struct control *c, const struct question *q, const struct history_place *from)
{
    struct msg_history m = {.limit = !q->starts};
    struct history_place start = {0};
    struct job_target *t = rec_list_push(&m.jobs);
    *t = (struct job_target){.job = q->job, .array_index = q->index, .step = STEP_ALL};
    for (enum job_state s = 0; q->failed && s < JOB_N_STATES; s++)
        if (job_state_is_final(s) && s != JOB_COMPLETED)
            m.states |= 1u << s;
    store_get_history(c->store, q->id, &m, from ? from : &start, q->starts ? STARTS_MOST : 1);
    rec_fini(&msg_history_rec, &m);
}

/* known: how it ended, where only its start is asked for. */
static void ask_first(struct control *c, uint32_t job, uint32_t index, enum past known_end)
{
    struct question *q = xcalloc(1, sizeof *q);
    *q = (struct question){.id = PAST_ID | ++c->next_history,
                           .job = job,
                           .index = index,
                           .failed = !known_end,
                           .starts = known_end != 0,
                           .was = known_end};
    idmap_set(&c->questions, q->id, q);
    keep(c, job, index, PAST_ASKED, (struct wall){0});
    ask(c, q, NULL);
}

static void free_parked(struct parked *p)
{
    rec_fini(&msg_submit_rec, &p->m);
    rec_fini(&msg_update_rec, &p->update);
    free(p);
}

/* Tries again what has waited for that answer; what needs others too is parked anew. */
static void unpark(struct control *c, uint64_t key)
{
    struct list waiting;
    list_init(&waiting);
    list_for_each (p, &c->parked, struct parked, link)
        if (p->key == key)
            list_move_to_end(&waiting, &p->link);
    while (!list_empty(&waiting)) {
        struct parked *p = list_first(&waiting, struct parked, link);
        list_unlink(&p->link);
        c->parked_bytes -= p->size;
        if (c->read_only)
            session_reply(p->session, p->tag, REFUSAL_READ_ONLY, 0, 0, "the controller is read-only: %s",
                          c->read_only);
        else if (p->is_update)
            req_update(p->session, p->tag, &p->update);
        else
            req_submit(p->session, p->tag, &p->m);
        free_parked(p);
    }
}

static void look_at_starts(struct question *q, const struct history_piece *p)
{
    struct msg_jobs jobs = {0};
    if (!p->n || codec_decode(&msg_jobs_rec, p->body, p->size, &jobs, NULL) < 0)
        return;
    for (size_t i = 0; i < jobs.rows.n; i++) {
        struct wall t = start_of(&jobs.rows.v[i]);
        q->last_start = t.ms > q->last_start.ms ? t : q->last_start;
    }
    rec_fini(&msg_jobs_rec, &jobs);
}

/* Whether another piece is needed. */
static bool goes_on(struct control *c, struct question *q, const struct history_piece *p)
{
    if (p->r < 0)
        return false;
    if (q->starts)
        look_at_starts(q, p);
    bool more = q->starts || !p->n; /* a piece without rows: more may lie behind it */
    if (more && !p->next.whole) {
        ask(c, q, &p->next);
        return true;
    }
    if (!p->n && q->failed) {
        q->failed = false;
        ask(c, q, NULL);
        return true;
    }
    return false;
}

bool past_answer(struct control *c, const struct history_piece *p)
{
    struct question *q = idmap_get(&c->questions, p->id);
    if (!q)
        return (p->id & PAST_ID) != 0;
    if (p->r < 0)
        log_warn("job=%u the history cannot be read: %s", q->job, p->text);
    if (goes_on(c, q, p))
        return true;
    uint64_t key = key_of(q->job, q->index);
    bool gone = q->starts && !wall_is_set(q->last_start); /* with its rows: as long ago as can be */
    keep(c, q->job, q->index,
         p->r < 0    ? PAST_UNREADABLE
         : q->starts ? q->was
         : !p->n     ? PAST_NONE
         : q->failed ? PAST_FAILED
                     : PAST_OK,
         gone ? (struct wall){.ms = 1} : q->last_start);
    free(idmap_remove(&c->questions, q->id));
    unpark(c, key);
    if (p->r < 0) /* the next one asks again */
        idmap_remove(&c->past, key);
    return true;
}

/* About. */
static size_t size_of(const struct msg_submit *m)
{
    size_t n =
        4096 + m->payload.script.n + m->steps.n * (sizeof(struct step) + sizeof(struct step_payload));
    for (size_t i = 0; i < m->payload.env.n; i++)
        n += strlen(m->payload.env.v[i]) + 16;
    for (size_t i = 0; i < m->payload.argv.n; i++)
        n += strlen(m->payload.argv.v[i]) + 16;
    for (size_t i = 0; i < m->step_payloads.n; i++)
        n += m->step_payloads.v[i].script.n;
    return n;
}

/* Of an element whose array is still here all but its start is known there. */
static bool has_left(const struct control *c, const struct dep *d)
{
    const struct job *j = model_get_job(&c->model, d->job);
    if (d->type == DEP_TYPE_SINGLETON || !j)
        return d->type != DEP_TYPE_SINGLETON;
    return d->delay_s && d->index != ARRAY_NONE && j->array_job == j->id && array_had(j, d->index) &&
           !model_get_element(&c->model, d->job, d->index);
}

/* Asks about those of its jobs that have left the state and of which nothing is known. Returns the first
 * that has to be waited for; 0: all is known. */
static uint64_t ask_about(struct control *c, const char *dependency)
{
    struct deps d;
    uint64_t wait_key = 0;
    if (str_is_empty(dependency) || dep_parse(dependency, &d, NULL) < 0)
        return 0;
    for (size_t i = 0; i < d.n; i++) {
        if (!has_left(c, &d.v[i]))
            continue;
        struct wall start;
        enum past p = known(c, &d.v[i], &start);
        bool lacks_start = d.v[i].delay_s && (p == PAST_OK || p == PAST_FAILED) && !wall_is_set(start);
        if (!p || lacks_start)
            ask_first(c, d.v[i].job, d.v[i].index, p);
        if (!wait_key && (!p || lacks_start || p == PAST_ASKED))
            wait_key = key_of(d.v[i].job, d.v[i].index);
    }
    deps_fini(&d);
    return wait_key;
}

/* NULL: there is no room for more; that has been answered. */
static struct parked *park(struct session *s, uint64_t tag, uint64_t key, size_t size)
{
    struct control *c = s->ctl;
    if (c->parked_bytes + size > PARKED_MAX) {
        session_reply(s, tag, REFUSAL_RATE, 0, 0, "too many requests wait for the history");
        return NULL;
    }
    struct parked *p = xcalloc(1, sizeof *p);
    *p = (struct parked){.session = s, .tag = tag, .key = key, .size = size};
    list_init(&p->link);
    list_append(&c->parked, &p->link);
    c->parked_bytes += size;
    return p;
}

bool past_must_wait(struct session *s, uint64_t tag, struct msg_submit *m)
{
    uint64_t key = ask_about(s->ctl, m->req.dependency);
    struct parked *p = key ? park(s, tag, key, size_of(m)) : NULL;
    if (p) {
        p->m = *m;
        *m = (struct msg_submit){0};
    }
    return key != 0;
}

bool past_update_must_wait(struct session *s, uint64_t tag, const struct msg_update *m)
{
    static const char key_text[] = "Dependency=";
    const char *dependency = NULL;
    size_t size = sizeof *m;
    for (size_t i = 0; i < m->changes.n; i++) {
        size += strlen(m->changes.v[i]) + 16;
        if (strncasecmp(m->changes.v[i], key_text, sizeof key_text - 1) == 0)
            dependency = m->changes.v[i] + sizeof key_text - 1;
    }
    if (dependency && strlen(dependency) > DEPENDENCY_MAX) /* it will be refused: nobody asks for so much */
        return false;
    uint64_t key = ask_about(s->ctl, dependency);
    struct parked *p = key ? park(s, tag, key, size) : NULL;
    if (p) {
        p->is_update = true;
        rec_copy(&msg_update_rec, &p->update, m);
    }
    return key != 0;
}

/* --- what the answers mean --- */

static enum refusal refuse_dep(const struct dep *d, const char *what, struct errtext *text)
{
    struct str b = STR_INIT;
    dep_format_one(d, &b);
    err_set(text, 0, "dependency %s: %s", b.s, what);
    str_fini(&b);
    return REFUSAL_DEPENDENCY;
}

/* Of one: whether it can be asked about, and what it comes to where its job has left the state. ret_over:
 * from when on it is met, unset where that is so already. */
static enum refusal settle_one(const struct control *c, const struct dep *d, uint32_t self,
                               enum dep_state *ret, struct wall *ret_over, struct errtext *text)
{
    struct wall start;
    *ret = DEP_WAIT;
    *ret_over = (struct wall){0};
    if (d->type == DEP_TYPE_SINGLETON)
        return REFUSAL_NONE;
    const struct job *j = model_get_job(&c->model, d->job);
    if (self && (d->job == self || (j && j->array_job == self)))
        return refuse_dep(d, "it would wait for itself", text);
    if (j && d->index != ARRAY_NONE && (j->array_job != j->id || !array_had(j, d->index)))
        return refuse_dep(d, "there is no such element", text);
    if (!has_left(c, d))
        return REFUSAL_NONE;
    enum past p = known(c, d, &start);
    if (p == PAST_UNREADABLE)
        return refuse_dep(d, "the history cannot be read now", text);
    if (p != PAST_OK && p != PAST_FAILED)
        return refuse_dep(d, "there is no such job, nor has there been one", text);
    *ret = dep_past_state(d->type, p == PAST_OK);
    struct wall over = wall_add_s(start, d->delay_s);
    if (d->delay_s && over.ms > loop_wall(c->loop).ms)
        *ret_over = over;
    return REFUSAL_NONE;
}

static bool leads_to(const struct control *c, uint32_t id, uint32_t self, int *looks);

/* The same for a singleton: it waits for those of its name that were there before it. */
static bool singleton_leads_to(const struct control *c, const struct job *j, uint32_t self, int *looks)
{
    uint32_t array = j->array_job ? j->array_job : j->id;
    *looks -= WALK_LOOKS;
    list_for_each (p, &c->model.pending, struct job, in_queue) {
        if (p == j || *looks < 0)
            return false;
        bool same = p->uid == j->uid && str_eq(p->req.name, j->req.name);
        if (same && p->array_job != array && leads_to(c, p->array_job ? p->array_job : p->id, self, looks))
            return true;
    }
    return false;
}

/* Does job id, directly or not, wait for `self`? Looks at so many: beyond, nobody has tied that by mistake.
 */
static bool leads_to(const struct control *c, uint32_t id, uint32_t self, int *looks)
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
        found = singleton ? singleton_leads_to(c, j, self, looks)
                          : !j->dep_met && leads_to(c, d.v[i].job, self, looks);
    }
    deps_fini(&d);
    return found;
}

enum refusal past_settle(struct control *c, struct job_req *req, uint32_t self, struct errtext *text)
{
    struct deps d, left = {0};
    if (str_is_empty(req->dependency))
        return REFUSAL_NONE;
    if (dep_parse(req->dependency, &d, text) < 0)
        return REFUSAL_DEPENDENCY;
    enum refusal r = REFUSAL_NONE;
    bool met = false;
    struct wall begin = {0};
    int looks = LOOKS_MAX;
    left.any = d.any;
    left.v = xcalloc(d.n + 1, sizeof *left.v);
    for (size_t i = 0; i < d.n && r == REFUSAL_NONE; i++) {
        enum dep_state s;
        struct wall over;
        r = settle_one(c, &d.v[i], self, &s, &over, text);
        bool singleton = d.v[i].type == DEP_TYPE_SINGLETON;
        const struct job *j = singleton && self ? model_get_job(&c->model, self) : NULL;
        if (r == REFUSAL_NONE && self &&
            (singleton ? j && singleton_leads_to(c, j, self, &looks)
                       : leads_to(c, d.v[i].job, self, &looks)))
            r = refuse_dep(&d.v[i],
                           singleton ? "a job of the same name waits for this one"
                                     : "that job waits for this one",
                           text);
        if (s == DEP_MET && (d.any ? !met || over.ms < begin.ms : over.ms > begin.ms))
            begin = over; /* of any: the first; one that is met already is */
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
        req->begin = begin.ms > req->begin.ms ? begin : req->begin;
        str_fini(&b);
    }
    deps_fini(&left);
    deps_fini(&d);
    return r;
}

/* --- life --- */

static void drop(struct control *c, const struct session *s)
{
    list_for_each (p, &c->parked, struct parked, link) {
        if (s && p->session != s)
            continue;
        list_unlink(&p->link);
        c->parked_bytes -= p->size;
        free_parked(p);
    }
}

void past_drop_session(struct session *s)
{
    drop(s->ctl, s);
}

void past_free(struct control *c)
{
    drop(c, NULL);
    idmap_for_each (&c->questions, slot)
        free(slot->value);
    idmap_fini(&c->questions);
    idmap_fini(&c->past);
}
