/* ledger.c - submissions and runs, and what must hold between them. */
#include "tests/vopr/ledger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/idmap.h"
#include "src/base/list.h"
#include "src/base/str.h"
#include "src/base/vec.h"
#include "src/text/state_text.h"
#include "tests/vopr/sim.h"

struct run {
    struct list link; /* of those that live */
    struct launch_key key;
    char name[16], node[16];
    struct cpuset gpus;
    bool live, acked;
    bool is_before_loss; /* the controller may know nothing of it */
    uint32_t end_kind;
    int32_t code;
};

static struct ledger {
    VEC(struct submission *) subs;
    VEC(struct run *) runs;
    struct list live;
    struct idmap by_id;  /* job id -> struct submission */
    struct idmap by_key; /* hash of a launch key -> struct run */
    struct idmap unseen; /* of this audit: acknowledged, and no row yet */
    unsigned n_open, n_audits, n_compared;
    uint64_t newest; /* event on disk */
    struct str open; /* which those are */
    bool loses, has_lost;
} lg;

void ledger_begin(void)
{
    memset(&lg, 0, sizeof lg);
    list_init(&lg.live);
    str_init(&lg.open);
}

void ledger_end(void)
{
    vec_for_each (&lg.subs, i)
        free(lg.subs.v[i]);
    vec_for_each (&lg.runs, i)
        free(lg.runs.v[i]);
    vec_fini(&lg.subs);
    vec_fini(&lg.runs);
    idmap_fini(&lg.by_id);
    idmap_fini(&lg.by_key);
    idmap_fini(&lg.unseen);
    str_fini(&lg.open);
}

/* --- clients --- */

struct submission *ledger_submit(uint32_t kind, uint32_t elements)
{
    struct submission *s = xcalloc(1, sizeof *s);
    s->number = (unsigned)lg.subs.n;
    s->kind = kind;
    s->elements = elements;
    snprintf(s->name, sizeof s->name, "s%u", s->number);
    snprintf(s->request_id, sizeof s->request_id, "request-%u", s->number);
    vec_push(&lg.subs, s);
    return s;
}

void ledger_acknowledge(struct submission *s, uint32_t id)
{
    const struct submission *other = idmap_get(&lg.by_id, id);
    sim_note("job %u: %s is acknowledged", id, s->name);
    if (other)
        sim_fail("job id %u is given to %s, and was given to %s before", id, s->name, other->name);
    if (s->id)
        sim_fail("%s is job %u, and was job %u before", s->name, id, s->id);
    s->id = id;
    idmap_set(&lg.by_id, id, s);
}

struct submission *ledger_any(void)
{
    if (!lg.subs.n)
        return NULL;
    struct submission *s = lg.subs.v[sim_below((uint32_t)lg.subs.n)];
    return s->id ? s : NULL;
}

void ledger_act(struct submission *s)
{
    s->n_acts++;
}

unsigned ledger_n_submitted(void)
{
    return (unsigned)lg.subs.n;
}

unsigned ledger_n_open(void)
{
    unsigned n = 0;
    vec_for_each (&lg.subs, i) {
        const struct submission *s = lg.subs.v[i];
        n += !s->is_ended && !s->is_refused && !s->is_lost;
    }
    return n;
}

unsigned ledger_n_runs(void)
{
    return (unsigned)lg.runs.n;
}

/* --- nodes --- */

static uint64_t run_hash(const struct launch_key *k)
{
    struct launch_key copy;
    memset(&copy, 0, sizeof copy);
    copy.job = k->job;
    copy.step = k->step;
    copy.task = k->task;
    copy.attempt = k->attempt;
    copy.nonce = k->nonce;
    return hash_bytes(&copy, sizeof copy) | 1;
}

static struct run *find_run(const struct launch_key *k)
{
    return idmap_get(&lg.by_key, run_hash(k));
}

/* Elements of an array have ids of their own; their names say whose they are. */
static void check_name(const struct launch_key *k, const char *name)
{
    const struct submission *s = idmap_get(&lg.by_id, k->job);
    if (s && strcmp(s->name, name) != 0)
        sim_fail("job %u is %s, and is launched as %s", k->job, s->name, name);
}

void ledger_begins(const struct launch_key *k, const char *job_name, const char *node,
                   const struct cpuset *gpus)
{
    sim_note("%u.%d.%u.%u of %s begins on %s", k->job, k->step, k->task, k->attempt, job_name, node);
    check_name(k, job_name);
    const struct run *old = find_run(k);
    if (old && !old->is_before_loss)
        sim_fail("launch %u.%d.%u.%u begins on %s, and has begun on %s before", k->job, k->step, k->task,
                 k->attempt, node, old->node);
    list_for_each (r, &lg.live, struct run, link) {
        bool same_task = r->key.job == k->job && r->key.step == k->step && r->key.task == k->task &&
                         r->key.nonce == k->nonce;
        if (same_task && !r->is_before_loss)
            sim_fail("task %u.%d.%u begins its try %u on %s while try %u runs on %s", k->job, k->step,
                     k->task, k->attempt, node, r->key.attempt, r->node);
        if (strcmp(r->node, node) == 0 && r->key.job != k->job && cpuset_intersects(&r->gpus, gpus))
            sim_fail("a GPU of %s is given to job %u while job %u has it", node, k->job, r->key.job);
    }
    struct run *r = xcalloc(1, sizeof *r);
    r->key = *k;
    r->gpus = *gpus;
    r->live = true;
    snprintf(r->name, sizeof r->name, "%s", job_name);
    snprintf(r->node, sizeof r->node, "%s", node);
    list_init(&r->link);
    list_append(&lg.live, &r->link);
    vec_push(&lg.runs, r);
    idmap_set(&lg.by_key, run_hash(k), r);
}

/* After a loss of events the same launch may have begun on two nodes. */
static struct run *find_live_run(const struct launch_key *k, const char *node)
{
    list_for_each (r, &lg.live, struct run, link)
        if (launch_key_eq(&r->key, k) && strcmp(r->node, node) == 0)
            return r;
    return NULL;
}

void ledger_ends(const struct launch_key *k, const char *node, uint32_t kind, int32_t code)
{
    struct run *r = find_live_run(k, node);
    sim_note("%u.%d.%u.%u ends on %s: kind %u code %d", k->job, k->step, k->task, k->attempt, node, kind,
             code);
    r->live = false;
    r->end_kind = kind;
    r->code = code;
    list_unlink(&r->link);
}

void ledger_acked(const struct launch_key *k, const char *node)
{
    struct run *r = find_run(k);
    if (strcmp(r->node, node) == 0)
        r->acked = true;
}

void ledger_refused(const char *node, const char *text, bool is_alive)
{
    sim_note("%s refuses a controller: %s", node, text);
    if (is_alive)
        sim_fail("%s refuses its controller: %s", node, text);
}

/* --- the disk --- */

void ledger_commits(uint64_t seq)
{
    lg.newest = seq > lg.newest ? seq : lg.newest;
}

void ledger_tells(uint64_t seq)
{
    if (seq > lg.newest)
        sim_fail("a client is told of event %llu, and the newest event on disk is %llu",
                 (unsigned long long)seq, (unsigned long long)lg.newest);
}

/* --- audits --- */

void ledger_audit_begin(void)
{
    idmap_fini(&lg.unseen);
    lg.unseen = (struct idmap){0};
    lg.n_open = 0;
    str_clear(&lg.open);
    /* Those that are acknowledged from now on may be in neither answer. */
    vec_for_each (&lg.subs, i) {
        lg.subs.v[i]->rows_open = 0;
        if (lg.subs.v[i]->id)
            idmap_set(&lg.unseen, lg.subs.v[i]->id, lg.subs.v[i]);
    }
}

/* Of a batch job that ended by itself its last run says how. */
static void check_truth(const struct submission *s, const struct job *j)
{
    const struct step *batch = job_find_step(j, STEP_BATCH);
    const struct task *t = batch ? step_find_task(batch, 0) : NULL;
    if (s->kind != JOB_KIND_BATCH)
        return;
    if (!t && j->state == JOB_COMPLETED)
        sim_fail("job %u is COMPLETED and has never run", j->id);
    if (!t)
        return;
    struct launch_key key = {
        .job = j->id, .step = STEP_BATCH, .task = 0, .attempt = t->attempt, .nonce = j->nonce};
    const struct run *r = find_run(&key);
    if (r && r->is_before_loss)
        return;
    bool well = r && !r->live && r->end_kind == END_EXITED && r->code == 0;
    if (j->state == JOB_COMPLETED && !well)
        sim_fail("job %u is COMPLETED; its try %u %s", j->id, t->attempt,
                 !r        ? "has never begun"
                 : r->live ? "still runs"
                           : "has not ended so");
    if (r && r->live)
        sim_fail("job %u is %s and its try %u still runs on %s", j->id,
                 j->state == JOB_FAILED ? "FAILED" : "ended", t->attempt, r->node);
    if (r && r->acked && t->end_kind == END_UNKNOWN)
        sim_fail("job %u: the end of its try %u was acknowledged, and is said to be unknown", j->id,
                 t->attempt);
    if (j->state == JOB_FAILED && r && r->end_kind == END_EXITED && t->end_kind == END_EXITED &&
        t->code != r->code)
        sim_fail("job %u: its try %u exited with %d, not with %d", j->id, t->attempt, r->code, t->code);
    if (r && r->acked && r->end_kind == END_EXITED && r->code == 0 && t->end_kind == END_EXITED &&
        j->state == JOB_FAILED)
        sim_fail("job %u is FAILED, and its try %u ended well", j->id, t->attempt);
}

static void check_end(struct submission *s, const struct job *j)
{
    bool ended = job_state_is_final((enum job_state)j->state);
    if (s->elements)
        return;
    if (s->is_ended && (!ended || s->state != j->state || s->exit_code != j->exit_code) && !s->n_acts)
        sim_fail("job %u was said to have ended in state %u with %d, and now in %u with %d", j->id,
                 s->state, s->exit_code, j->state, j->exit_code);
    if (ended)
        check_truth(s, j);
    s->state = j->state;
    s->exit_code = j->exit_code;
}

static void note_open(const struct job *j)
{
    lg.n_open++;
    str_appendf(&lg.open, " %u (%s, %s, hold %u, restarts %u)", j->id,
                job_state_long((enum job_state)j->state), reason_text((enum reason)j->reason), j->hold,
                j->restarts);
}

void ledger_audit_row(const struct job *j)
{
    uint32_t id = j->array_job ? j->array_job : j->id;
    struct submission *s = idmap_get(&lg.by_id, id);
    if (!s)
        return;
    if (j->req.name && strcmp(j->req.name, s->name) != 0)
        sim_fail("job %u is %s, and is shown as %s", id, s->name, j->req.name);
    idmap_remove(&lg.unseen, id);
    s->was_seen = true;
    check_end(s, j);
    bool ended = job_state_is_final((enum job_state)j->state);
    s->rows_open += !ended;
    if (!ended)
        note_open(j);
}

void ledger_audit_end(void)
{
    idmap_for_each (&lg.unseen, slot) {
        struct submission *s = slot->value;
        if (!lg.loses && !s->is_lost)
            sim_fail("job %u (%s) was acknowledged, and is neither in the queue nor in the history", s->id,
                     s->name);
        s->is_lost = true;
    }
    vec_for_each (&lg.subs, i) {
        struct submission *s = lg.subs.v[i];
        s->is_ended = s->was_seen && !s->rows_open;
        s->was_seen = false;
    }
    lg.loses = false;
    lg.n_audits++;
}

unsigned ledger_audit_n_open(void)
{
    return lg.n_open;
}

const char *ledger_open_text(void)
{
    return lg.open.s;
}

void ledger_compared(void)
{
    lg.n_compared++;
}

unsigned ledger_n_compared(void)
{
    return lg.n_compared;
}

unsigned ledger_n_audits(void)
{
    return lg.n_audits;
}

void ledger_accept_loss(void)
{
    lg.loses = lg.has_lost = true;
    vec_for_each (&lg.runs, i)
        lg.runs.v[i]->is_before_loss = true;
    vec_for_each (&lg.subs, i)
        lg.subs.v[i]->n_acts++;
}

bool ledger_has_loss(void)
{
    return lg.has_lost;
}
