/* sim_client.c - requests by the dice, answers into the ledger. */
#include "tests/vopr/sim_client.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/str.h"
#include "src/base/xalloc.h"
#include "src/client/client.h"
#include "src/proto/frame.h"
#include "src/proto/msg.h"
#include "src/values/units.h"
#include "tests/vopr/ledger.h"
#include "tests/vopr/sim.h"
#include "tests/vopr/sim_net.h"

#define ANSWER_MS      45000
#define RECONNECT_MS   1000
#define SUBMITS_MAX    400
#define OPEN_MAX       30
#define AUDIT_PAUSE_MS 20000

enum phase { AWAY, GREETING, READY, ASKING };

struct sim_client {
    char *socket;
    enum sim_client_kind kind;
    int64_t pause_ms;
    uint32_t nodes, cpus, gpus;
    bool winds_down;
    enum phase phase;
    struct stream *stream;
    struct frame_reader reader;
    struct loop_timer timer; /* the next request, or patience is over */
    uint64_t tag;
    enum msg_kind last;          /* the kind that ends the answer */
    struct submission *sub;      /* not answered yet */
    struct msg_submit text;      /* what it says, each time the same */
    struct submission *released; /* by the last request, when all is winding down */
    bool in_history;             /* an audit: the queue has been seen */
    /* Of the user's own jobs: what rows have kept up, and what a snapshot is building; NULL: none. */
    struct model *kept, *next;
};

static void mirror_drop(struct model **m)
{
    if (*m)
        model_fini(*m);
    free(*m);
    *m = NULL;
}

static void on_timer(void *ctx);
static void next_request(struct sim_client *c);

/* --- out --- */

static void ask(struct sim_client *c, enum msg_kind kind, enum msg_kind last, const void *body)
{
    struct str out = STR_INIT;
    c->last = last;
    c->phase = kind == MSG_HELLO ? GREETING : ASKING;
    msg_append(&out, kind, ++c->tag, body);
    net_send(c->stream, out.s, out.len);
    str_fini(&out);
    loop_timer_set(sim.world, &c->timer, ANSWER_MS);
}

static void hang_up(struct sim_client *c)
{
    net_close(c->stream);
    c->stream = NULL;
    frame_reader_fini(&c->reader);
    c->reader = (struct frame_reader){0};
    c->phase = AWAY;
    c->in_history = false;
    mirror_drop(&c->kept);
    mirror_drop(&c->next);
    loop_timer_set(sim.world, &c->timer, sim_exponential(RECONNECT_MS));
}

static void rest(struct sim_client *c)
{
    c->phase = READY;
    loop_timer_set(sim.world, &c->timer, sim_exponential(c->pause_ms));
}

/* --- submissions --- */

static void describe_batch(struct sim_client *c, struct msg_submit *m)
{
    struct job_req *r = &m->req;
    uint32_t nodes = c->nodes > 1 && sim_chance(150) ? 1 + sim_below(c->nodes) : 1;
    r->nodes_min = r->nodes_max = nodes;
    r->ntasks = nodes;
    r->cpus_per_task = 1 + sim_below(c->cpus);
    r->gpus_per_node = c->gpus && sim_chance(600) ? 1 + sim_below(c->gpus) : NOT_GIVEN;
    strv_push(&m->payload.argv, "program");
}

static void describe_steps(struct sim_client *c, struct msg_submit *m)
{
    uint32_t n = 1 + sim_below(4);
    for (uint32_t i = 0; i < n; i++) {
        struct step *s = rec_list_push(&m->steps);
        struct step_payload *p = rec_list_push(&m->step_payloads);
        *s = (struct step){.id = (int32_t)i,
                           .name = xstrdup("work"),
                           .n_tasks = 1 + sim_below(3),
                           .n_ranks = 1,
                           .nodes = 1,
                           .cpus_per_rank = 1 + sim_below(c->cpus),
                           .mem_mib = 64,
                           .gpus = c->gpus && sim_chance(500) ? 1 + sim_below(c->gpus) : 0,
                           .time_limit_s = DURATION_NOT_SET,
                           .keep_going = sim_chance(500)};
        strv_push(&p->argv, "program");
        p->workdir = xstrdup("/");
    }
}

/* So much that it is stored in pieces. */
static void describe_large(struct msg_submit *m)
{
    char *one = xcalloc(1, 100u << 10);
    memset(one, 'x', (100u << 10) - 1);
    one[1] = '=';
    for (int i = 0; i < 6; i++)
        strv_push(&m->payload.env, one);
    free(one);
}

static void begin_submission(struct sim_client *c)
{
    struct msg_submit *m = &c->text;
    uint32_t dice = sim_below(100);
    uint32_t kind = dice < 15 ? JOB_KIND_STEPS : JOB_KIND_BATCH;
    uint32_t elements = dice >= 85 ? 1 + sim_below(6) : 0;
    c->sub = ledger_submit(kind, elements);
    rec_fini(&msg_submit_rec, m);
    *m = (struct msg_submit){.request_id = xstrdup(c->sub->request_id),
                             .kind = kind,
                             .command = xstrdup("program"),
                             .host = xstrdup("here"),
                             .hold = sim_chance(50)};
    job_req_init(&m->req);
    m->req.name = xstrdup(c->sub->name);
    m->req.workdir = xstrdup("/");
    m->req.mem_node_mib = 64;
    m->req.time_limit_s = (uint32_t)sim_between(1, 10) * 60;
    req_detail_mut(&m->req)->requeue = 1;
    m->payload.workdir = xstrdup("/");
    if (elements)
        req_detail_mut(&m->req)->array_spec = xasprintf("0-%u", elements - 1);
    if (kind == JOB_KIND_STEPS)
        describe_steps(c, m);
    else
        describe_batch(c, m);
    if (c->sub->name[strlen(c->sub->name) - 1] == '7')
        describe_large(m);
    sim_note("%s is submitted: %s", c->sub->name,
             kind == JOB_KIND_STEPS ? "steps"
             : elements             ? "an array"
                                    : "a batch job");
}

static void take_result(struct sim_client *c, const struct msg_result *r)
{
    struct submission *s = c->sub;
    if (!s) {
        if (r->refusal != REFUSAL_NONE)
            sim_note("refused: %s", r->text ? r->text : "");
        /* It was submitted held and can never run. */
        if (c->released && (r->refusal == REFUSAL_NEVER_FITS || r->refusal == REFUSAL_NODE_COUNT ||
                            r->refusal == REFUSAL_GRES))
            c->released->is_impossible = true;
        return;
    }
    if (r->refusal == REFUSAL_NONE) {
        c->sub = NULL;
        ledger_acknowledge(s, r->job);
    } else if (r->refusal != REFUSAL_READ_ONLY && r->refusal != REFUSAL_RATE &&
               r->refusal != REFUSAL_SHUTTING_DOWN) {
        sim_note("%s is refused: %s", s->name, r->text ? r->text : "");
        s->is_refused = true;
        c->sub = NULL;
    }
}

/* --- other requests --- */

static void act(struct sim_client *c, uint32_t what, struct submission *s)
{
    struct msg_act m = {.act = what};
    *rec_list_push(&m.targets) =
        (struct job_target){.job = s->id, .array_index = ARRAY_NONE, .step = STEP_ALL};
    if (what != ACT_HOLD && what != ACT_RELEASE)
        ledger_act(s);
    sim_note("job %u: act %u is asked for", s->id, what);
    ask(c, MSG_ACT, MSG_RESULT, &m);
    rec_fini(&msg_act_rec, &m);
}

static void ask_something(struct sim_client *c)
{
    static const struct {
        enum msg_kind kind, last;
    } questions[] = {{MSG_PLAN, MSG_PLAN_DATA}, {MSG_SHARES, MSG_SHARES_ROWS}, {MSG_PRIO, MSG_PRIO_ROWS}};
    uint32_t i = sim_below((uint32_t)(sizeof questions / sizeof *questions));
    struct msg_plan_get plan = {0};
    struct msg_shares shares = {0};
    struct msg_prio prio = {0};
    const void *bodies[] = {&plan, &shares, &prio};
    ask(c, questions[i].kind, questions[i].last, bodies[i]);
}

static void act_at_random(struct sim_client *c)
{
    static const uint32_t acts[] = {ACT_CANCEL,  ACT_CANCEL,  ACT_HOLD,   ACT_RELEASE,
                                    ACT_REQUEUE, ACT_SUSPEND, ACT_RESUME, ACT_RESUME};
    struct submission *s = ledger_any();
    if (s)
        act(c, acts[sim_below((uint32_t)(sizeof acts / sizeof *acts))], s);
    else
        rest(c);
}

/* Tasks of a state that was lost have drained their nodes until a person looks. */
static void resume_nodes(struct sim_client *c)
{
    struct msg_drain m = {.drain = false};
    for (uint32_t i = 0; i < c->nodes; i++)
        strv_push_take(&m.nodes, xasprintf("n%u", i + 1));
    ask(c, MSG_DRAIN, MSG_RESULT, &m);
    rec_fini(&msg_drain_rec, &m);
}

/* Nothing may wait for a person any more. */
static void release_one(struct sim_client *c)
{
    if (ledger_has_loss() && sim_chance(200)) {
        resume_nodes(c);
        return;
    }
    struct submission *s = ledger_any();
    c->released = NULL;
    if (!s || s->is_ended) {
        rest(c);
        return;
    }
    uint32_t what = s->is_impossible ? ACT_CANCEL : s->n_freed++ % 2 ? ACT_RESUME : ACT_RELEASE;
    c->released = what == ACT_RELEASE ? s : NULL;
    act(c, what, s);
}

static void ask_jobs(struct sim_client *c)
{
    struct msg_get m = {.what = GET_JOBS};
    ledger_audit_begin();
    ask(c, MSG_GET, MSG_SNAPSHOT, &m);
}

static void follow(struct sim_client *c)
{
    struct msg_get m = {.what = GET_JOBS, .follow = true};
    ask(c, MSG_GET, MSG_SNAPSHOT, &m);
}

static void follow_own(struct sim_client *c)
{
    struct msg_get m = {.what = GET_JOBS, .follow = true, .own = true};
    mirror_drop(&c->next);
    c->next = xcalloc(1, sizeof *c->next);
    model_init(c->next);
    ask(c, MSG_GET, MSG_SNAPSHOT, &m);
}

static void ask_history(struct sim_client *c)
{
    struct msg_history m = {0};
    c->in_history = true;
    ask(c, MSG_HISTORY, MSG_HISTORY_END, &m);
}

static void next_request(struct sim_client *c)
{
    uint32_t dice = sim_below(100);
    if (c->kind == CLIENT_AUDITS) {
        ask_jobs(c);
    } else if (c->kind == CLIENT_FOLLOWS) {
        follow(c);
    } else if (c->kind == CLIENT_FOLLOWS_OWN) {
        follow_own(c);
    } else if (c->sub) {
        ask(c, MSG_SUBMIT, MSG_RESULT, &c->text);
    } else if (c->winds_down) {
        release_one(c);
    } else if (dice < 60 && ledger_n_submitted() < SUBMITS_MAX && ledger_n_open() < OPEN_MAX) {
        begin_submission(c);
        ask(c, MSG_SUBMIT, MSG_RESULT, &c->text);
    } else if (dice < 80) {
        act_at_random(c);
    } else {
        ask_something(c);
    }
}

/* --- in --- */

static void take_rows(const struct msg_jobs *m)
{
    for (size_t i = 0; i < m->rows.n; i++)
        ledger_audit_row(&m->rows.v[i]);
}

/* What the policy derives is told apart from rows. */
static void forget_derived(struct job *j)
{
    j->priority = 0;
    if (j->state == JOB_PENDING)
        j->reason = REASON_NONE;
}

/* Rows have kept the state that a snapshot brings, if nothing has happened between the two. */
static void compare_with_snapshot(struct sim_client *c)
{
    if (!c->kept || c->kept->seq != c->next->seq)
        return;
    if (c->kept->jobs.n != c->next->jobs.n)
        sim_fail("%zu jobs by rows, %zu in the snapshot of event %llu", c->kept->jobs.n, c->next->jobs.n,
                 (unsigned long long)c->next->seq);
    list_for_each (j, &c->next->all, struct job, in_all) {
        struct job *kept = model_get_job(c->kept, j->id);
        if (kept)
            forget_derived(kept);
        forget_derived(j);
        if (!kept || !rec_eq(&job_rec, kept, j))
            sim_fail("job %u by rows is another one than in the snapshot of event %llu", j->id,
                     (unsigned long long)c->next->seq);
    }
    ledger_compared();
}

static void feed(struct model *m, enum msg_kind kind, void *body)
{
    struct incoming in = {.kind = kind, .body = body};
    struct errtext err = {""};
    if (m && mirror_feed(m, &in, &err) < 0)
        sim_fail("a mirror of own jobs: %s", err.s);
}

/* Whatever of it comes: pushes have the tag of the request before for a while. */
static void take_own(struct sim_client *c, enum msg_kind kind, uint64_t tag, void *body)
{
    if (kind == MSG_EVENT || kind == MSG_REASONS)
        feed(c->kept, kind, body);
    else if (kind == MSG_RESYNC)
        mirror_drop(&c->kept); /* it asks again in time */
    else if (tag == c->tag && (kind == MSG_JOBS || kind == MSG_SNAPSHOT))
        feed(c->next, kind, body);
    if (kind != MSG_SNAPSHOT || tag != c->tag)
        return;
    compare_with_snapshot(c);
    mirror_drop(&c->kept);
    c->kept = c->next;
    c->next = NULL;
}

/* The event of a retirement stands in no row of its own. */
static void take_event(const struct msg_event *m)
{
    if (m->kind != EV_RETIRE)
        ledger_tells(m->seq);
}

static void answered(struct sim_client *c, enum msg_kind kind, const void *body)
{
    if (kind == MSG_RESULT)
        take_result(c, body);
    if (c->kind == CLIENT_AUDITS && kind == MSG_SNAPSHOT) {
        ask_history(c);
        return;
    }
    if (c->kind == CLIENT_AUDITS && kind == MSG_HISTORY_END && c->in_history) {
        c->in_history = false;
        ledger_audit_end();
    }
    if (c->kind == CLIENT_AUDITS && kind == MSG_RESULT && c->phase == ASKING) {
        hang_up(c); /* it could not be answered now */
        return;
    }
    rest(c);
}

static void take(struct sim_client *c, const struct frame *f, void *body)
{
    if (c->kind == CLIENT_FOLLOWS_OWN)
        take_own(c, f->type, f->tag, body);
    if (f->tag != c->tag)
        return;
    if (c->kind == CLIENT_AUDITS && f->type == MSG_JOBS)
        take_rows(body);
    if (f->type == MSG_EVENT && c->kind != CLIENT_FOLLOWS_OWN)
        take_event(body);
    if (f->type == MSG_RESULT || f->type == c->last)
        answered(c, f->type, body);
}

static void on_bytes(void *ctx, struct stream *s, const uint8_t *p, size_t n)
{
    struct sim_client *c = ctx;
    struct frame f;
    struct errtext err;
    int r = 0;
    memcpy(frame_reader_space(&c->reader, n), p, n);
    frame_reader_added(&c->reader, n);
    while (c->stream == s && (r = frame_reader_next(&c->reader, &f)) > 0) {
        void *body;
        if (msg_decode(&f, &body, &err) < 0)
            sim_fail("a client cannot read what the controller sends: %s", err.s);
        take(c, &f, body);
        msg_free(f.type, body);
    }
    if (r < 0)
        sim_fail("a frame for a client is too large");
}

static void on_close(void *ctx, struct stream *s)
{
    (void)s;
    struct sim_client *c = ctx;
    c->stream = NULL;
    hang_up(c);
}

static const struct stream_ops ops = {.on_bytes = on_bytes, .on_close = on_close};

static void connect_again(struct sim_client *c)
{
    static char program[] = "simulated";
    struct msg_hello hello = {.version = PROTO_VERSION, .program = program};
    c->stream = net_connect(c->socket, &ops, c);
    if (c->stream)
        ask(c, MSG_HELLO, MSG_WELCOME, &hello);
    else
        hang_up(c);
}

static void on_timer(void *ctx)
{
    struct sim_client *c = ctx;
    if (c->phase == AWAY)
        connect_again(c);
    else if (c->phase == READY)
        next_request(c);
    else
        hang_up(c); /* no answer */
}

struct sim_client *sim_client_new(const char *socket, enum sim_client_kind kind, int64_t pause_ms)
{
    struct sim_client *c = xcalloc(1, sizeof *c);
    c->socket = xstrdup(socket);
    c->kind = kind;
    c->pause_ms = pause_ms;
    c->timer = (struct loop_timer){.fn = on_timer, .ctx = c};
    loop_timer_set(sim.world, &c->timer, 1);
    return c;
}

void sim_client_free(struct sim_client *c)
{
    loop_timer_cancel(sim.world, &c->timer);
    net_close(c->stream);
    frame_reader_fini(&c->reader);
    mirror_drop(&c->kept);
    mirror_drop(&c->next);
    rec_fini(&msg_submit_rec, &c->text);
    free(c->socket);
    free(c);
}

void sim_client_wind_down(struct sim_client *c)
{
    c->winds_down = true;
}

bool sim_client_is_settled(const struct sim_client *c)
{
    return !c->sub;
}

void sim_client_set_cluster(struct sim_client *c, uint32_t nodes, uint32_t cpus, uint32_t gpus)
{
    c->nodes = nodes;
    c->cpus = cpus;
    c->gpus = gpus;
}
