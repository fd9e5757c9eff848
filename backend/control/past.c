/* past.c - dependencies on jobs that have left the state.
 *
 *     SUBMIT --dependency on 12, which is not here--> parked --history: 12?--> store's thread
 *                                                        ^                         |
 *            req_submit, with the answer in `past` <-----+------ on_history <------+
 *
 * How a retired job ended does not change any more, so that an answer is kept. Two short questions say all:
 * is there one that did not succeed, is there one at all. A dependency that such a job meets is taken out
 * of the request; one that it rules out stays, and never comes true. Each parked submission waits for one
 * answer at a time, so that an answer is tried on those alone that wait for it.
 */
#include <stdlib.h>

#include "backend/control/private.h"
#include "src/base/log.h"

#define PAST_ID    (UINT64_C(1) << 63) /* marks our questions among those of clients */
#define PAST_MAX   200000u             /* answers that are kept */
#define PARKED_MAX (64u << 20)         /* bytes of the submissions that wait, scripts mostly */
#define LOOKS_MAX  1000

/* Values in control.past; NULL: never asked. UNREADABLE: only while those who wait for it are told. */
enum past { PAST_NONE = 1, PAST_OK, PAST_FAILED, PAST_ASKED, PAST_UNREADABLE };

struct parked {
    struct list link;
    struct session *session;
    uint64_t tag;
    uint64_t key; /* of what it waits for */
    struct msg_submit m;
    size_t size;
};

static uint64_t key_of(uint32_t job, uint32_t index)
{
    return (uint64_t)job << 32 | index;
}

static void keep(struct control *c, uint32_t job, uint32_t index, enum past p)
{
    if (c->past.n >= PAST_MAX) {
        idmap_fini(&c->past);
        c->past = (struct idmap){0};
    }
    idmap_set(&c->past, key_of(job, index), (void *)(uintptr_t)p);
}

static enum past known(const struct control *c, const struct dep *d)
{
    if (d->job >= c->model.next_job)
        return PAST_NONE;
    return (enum past)(uintptr_t)idmap_get(&c->past, key_of(d->job, d->index));
}

void past_note(struct control *c, const struct job *j)
{
    enum past own = job_succeeded(j) ? PAST_OK : PAST_FAILED;
    if (!j->array_job) {
        keep(c, j->id, ARRAY_NONE, own);
        return;
    }
    keep(c, j->array_job, j->array_index, own);
    const struct array_tally *t = model_get_tally(&c->model, j->array_job);
    if (j->id != j->array_job)
        keep(c, j->id, ARRAY_NONE, own);
    else /* the last of its array */
        keep(c, j->id, ARRAY_NONE, (t && t->bad) || j->array_failed.n ? PAST_FAILED : PAST_OK);
}

/* --- questions --- */

struct question {
    uint64_t id;
    uint32_t job, index;
    bool failed; /* first: one that did not succeed; then: any */
};

static void ask(struct control *c, const struct question *q, const struct history_place *from)
{
    struct msg_history m = {.limit = 1};
    struct history_place start = {0};
    struct job_target *t = rec_list_push(&m.jobs);
    *t = (struct job_target){.job = q->job, .array_index = q->index, .step = STEP_ALL};
    for (enum job_state s = 0; q->failed && s < JOB_N_STATES; s++)
        if (job_state_is_final(s) && s != JOB_COMPLETED)
            m.states |= 1u << s;
    store_get_history(c->store, q->id, &m, from ? from : &start, 1);
    rec_fini(&msg_history_rec, &m);
}

static void ask_first(struct control *c, uint32_t job, uint32_t index)
{
    struct question *q = xcalloc(1, sizeof *q);
    *q = (struct question){.id = PAST_ID | ++c->next_history, .job = job, .index = index, .failed = true};
    idmap_set(&c->questions, q->id, q);
    keep(c, job, index, PAST_ASKED);
    ask(c, q, NULL);
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
        else
            req_submit(p->session, p->tag, &p->m);
        rec_fini(&msg_submit_rec, &p->m);
        free(p);
    }
}

bool past_answer(struct control *c, const struct history_piece *p)
{
    struct question *q = idmap_get(&c->questions, p->id);
    if (!q)
        return (p->id & PAST_ID) != 0;
    if (p->r < 0)
        log_warn("job=%u the history cannot be read: %s", q->job, p->text);
    if (p->r == 0 && !p->n && !p->next.whole) { /* a piece without rows: more may lie behind it */
        ask(c, q, &p->next);
        return true;
    }
    if (p->r == 0 && !p->n && q->failed) {
        q->failed = false;
        ask(c, q, NULL);
        return true;
    }
    uint64_t key = key_of(q->job, q->index);
    keep(c, q->job, q->index,
         p->r < 0    ? PAST_UNREADABLE
         : !p->n     ? PAST_NONE
         : q->failed ? PAST_FAILED
                     : PAST_OK);
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

bool past_must_wait(struct session *s, uint64_t tag, struct msg_submit *m)
{
    struct control *c = s->ctl;
    struct deps d;
    uint64_t wait_key = 0;
    if (str_is_empty(m->req.dependency) || dep_parse(m->req.dependency, &d, NULL) < 0)
        return false;
    for (size_t i = 0; i < d.n; i++) {
        if (d.v[i].type == DEP_TYPE_SINGLETON || model_get_job(&c->model, d.v[i].job))
            continue;
        enum past p = known(c, &d.v[i]);
        if (!p)
            ask_first(c, d.v[i].job, d.v[i].index);
        if (!wait_key && (!p || p == PAST_ASKED))
            wait_key = key_of(d.v[i].job, d.v[i].index);
    }
    deps_fini(&d);
    if (!wait_key)
        return false;
    size_t size = size_of(m);
    if (c->parked_bytes + size > PARKED_MAX) {
        session_reply(s, tag, REFUSAL_RATE, 0, 0, "too many submissions wait for the history");
        return true;
    }
    struct parked *p = xcalloc(1, sizeof *p);
    p->session = s;
    p->size = size;
    p->tag = tag;
    p->key = wait_key;
    p->m = *m;
    *m = (struct msg_submit){0};
    list_init(&p->link);
    list_append(&c->parked, &p->link);
    c->parked_bytes += size;
    return true;
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

/* Of one: whether it can be asked about, and what it comes to where its job has left the state. */
static enum refusal settle_one(const struct control *c, const struct dep *d, uint32_t self,
                               enum dep_state *ret, struct errtext *text)
{
    *ret = DEP_WAIT;
    if (d->type == DEP_TYPE_SINGLETON)
        return REFUSAL_NONE;
    const struct job *j = model_get_job(&c->model, d->job);
    if (self && (d->job == self || (j && j->array_job == self)))
        return refuse_dep(d, "it would wait for itself", text);
    if (j && d->index != ARRAY_NONE &&
        (j->array_job != j->id || d->index < j->array_min || d->index > j->array_max))
        return refuse_dep(d, "there is no such element", text);
    if (j)
        return REFUSAL_NONE;
    enum past p = known(c, d);
    if (p == PAST_UNREADABLE)
        return refuse_dep(d, "the history cannot be read now", text);
    if (p != PAST_OK && p != PAST_FAILED)
        return refuse_dep(d, "there is no such job, nor has there been one", text);
    *ret = dep_past_state(d->type, p == PAST_OK);
    return REFUSAL_NONE;
}

/* Does job id, directly or not, wait for `self`? Looks at so many: beyond, nobody has tied that by mistake.
 */
static bool leads_to(const struct control *c, uint32_t id, uint32_t self, int *looks)
{
    const struct job *j = model_get_job(&c->model, id);
    struct deps d;
    if (id == self)
        return true;
    if (--*looks < 0 || !j || j->state != JOB_PENDING || j->dep_met ||
        dep_parse(j->req.dependency, &d, NULL) < 0)
        return false;
    bool found = false;
    for (size_t i = 0; i < d.n && !found; i++)
        found = d.v[i].type != DEP_TYPE_SINGLETON && leads_to(c, d.v[i].job, self, looks);
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
    int looks = LOOKS_MAX;
    left.any = d.any;
    left.v = xcalloc(d.n + 1, sizeof *left.v);
    for (size_t i = 0; i < d.n && r == REFUSAL_NONE; i++) {
        enum dep_state s;
        r = settle_one(c, &d.v[i], self, &s, text);
        if (r == REFUSAL_NONE && self && d.v[i].type != DEP_TYPE_SINGLETON &&
            leads_to(c, d.v[i].job, self, &looks))
            r = refuse_dep(&d.v[i], "that job waits for this one", text);
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
        rec_fini(&msg_submit_rec, &p->m);
        free(p);
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
