/* past.c - dependencies on jobs that have left the state.
 *
 *     SUBMIT --dependency on 12, which is not here--> parked --history: 12?--> store's thread
 *     (UPDATE Dependency=)                               ^                         |
 *            req_submit, with the answer in `past` <-----+------ on_history <------+
 *
 * How a retired job ended does not change any more, so that an answer is kept. Two short questions say all:
 * is there one that did not succeed, is there one at all. A dependency that such a job meets is taken out
 * of the request; one that it rules out stays, and never comes true. Each parked submission waits for one
 * answer at a time, so that an answer is tried on those alone that wait for it.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "backend/control/private.h"
#include "src/base/log.h"
#include "src/model/array.h"

#define PAST_ID        (UINT64_C(1) << 63) /* marks our questions among those of clients */
#define PAST_MAX       200000u             /* answers that are kept */
#define PARKED_MAX     (64u << 20)         /* bytes of the requests that wait, scripts mostly */
#define LOOKS_MAX      1000
#define DEPENDENCY_MAX 4096u /* bytes, as req_submit.c */

/* Values in control.past; NULL: never asked. UNREADABLE: only while those who wait for it are told. */
enum past { PAST_NONE = 1, PAST_OK, PAST_FAILED, PAST_ASKED, PAST_UNREADABLE };

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
        keep(c, j->id, ARRAY_NONE, (t && t->bad) || job_rare(j)->array_failed.n ? PAST_FAILED : PAST_OK);
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

/* Asks about those of its jobs that have left the state and of which nothing is known. Returns the first
 * that has to be waited for; 0: all is known. */
static uint64_t ask_about(struct control *c, const char *dependency)
{
    struct deps d;
    uint64_t wait_key = 0;
    if (str_is_empty(dependency) || dep_parse(dependency, &d, NULL) < 0)
        return 0;
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
    if (j && d->index != ARRAY_NONE && (j->array_job != j->id || !array_had(j, d->index)))
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
