/* sim_agent.c - a node without processes.
 *
 *     (nothing) --LAUNCH--> STARTING --> RUNNING --its time is over, KILL, lease, reboot--> ENDED
 *     ENDED --END_ACK--> (a tombstone)
 */
#include "tests/vopr/sim_agent.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/idmap.h"
#include "src/base/list.h"
#include "src/base/str.h"
#include "src/base/xalloc.h"
#include "src/proto/frame.h"
#include "src/proto/msg.h"
#include "tests/vopr/ledger.h"
#include "tests/vopr/sim.h"
#include "tests/vopr/sim_net.h"

#define MEM_MIB  65536
#define BEATS    16
#define STUCK_MS 60000
#define START_MS 300

struct beat { /* a PONG that was sent */
    uint32_t seq;
    int64_t at_ms;
};

struct peer { /* a connection of a controller */
    struct list link;
    struct sim_agent *agent;
    struct stream *stream;
    struct frame_reader reader;
    struct beat beats[BEATS];
};

struct sim_task {
    struct list link;
    struct sim_agent *agent;
    struct launch_status status;
    struct launch_end *end; /* NULL: it runs */
    uint32_t lease_s, n_ranks;
    int64_t lease_ms;  /* its lease is over then */
    int64_t run_ms;    /* that it still has to run */
    int64_t since_ms;  /* that it has been running, or is about to */
    int64_t killed_ms; /* first kill request; 0: none */
    int64_t dies_ms;   /* of that kill; 0: not yet */
    bool paused, lease_over;
    uint32_t kill_cause;
    struct loop_timer timer;
};

struct sim_agent {
    char *name, *path;
    uint32_t cpus, gpus, kill_wait_s;
    uint32_t boot;           /* how often it has been started */
    struct listener *listen; /* NULL: no agent runs */
    struct list peers, tasks;
    struct peer *controller;
    char cluster[64]; /* "": of none yet */
    uint64_t epoch, incarnation;
    struct idmap ended_launches; /* hash of a key -> itself */
    int64_t renewed_ms;          /* the controller was heard, as lease.c counts */
    struct wall t_boot, t_agent;
    bool spool_full, frozen;
    unsigned stuck_per_mille;
    struct loop_timer come_back;
};

static void on_task_timer(void *ctx);

/* --- out --- */

static void send_to(struct peer *p, enum msg_kind kind, uint64_t tag, const void *body)
{
    struct str out = STR_INIT;
    msg_append(&out, kind, tag, body);
    net_send(p->stream, out.s, out.len);
    str_fini(&out);
}

static void send_up(struct sim_agent *a, enum msg_kind kind, const void *body)
{
    if (a->controller)
        send_to(a->controller, kind, 0, body);
}

static void peer_free(struct peer *p)
{
    if (p->agent->controller == p)
        p->agent->controller = NULL;
    list_unlink(&p->link);
    frame_reader_fini(&p->reader);
    free(p);
}

static void drop_peer(struct peer *p)
{
    net_close(p->stream);
    peer_free(p);
}

/* --- tasks --- */

static uint64_t key_hash(const struct launch_key *k)
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

static struct sim_task *find_task(struct sim_agent *a, const struct launch_key *key)
{
    list_for_each (t, &a->tasks, struct sim_task, link)
        if (launch_key_eq(&t->status.key, key))
            return t;
    return NULL;
}

static void task_free(struct sim_task *t)
{
    loop_timer_cancel(sim.world, &t->timer);
    list_unlink(&t->link);
    if (t->end)
        rec_fini(&launch_end_rec, t->end);
    free(t->end);
    free(t);
}

static void end_task(struct sim_task *t, uint32_t kind, int32_t code, int32_t signal)
{
    struct sim_agent *a = t->agent;
    int64_t run = sim_now_ms() - t->since_ms;
    t->end = xcalloc(1, sizeof *t->end);
    *t->end = (struct launch_end){.key = t->status.key,
                                  .end_kind = kind,
                                  .t_start = t->status.t_start,
                                  .t_end = wall_read(),
                                  .run_ms = run > 0 ? (uint64_t)run : 0,
                                  .was_killed = t->killed_ms != 0};
    for (uint32_t i = 0; i < t->n_ranks; i++)
        *rec_list_push(&t->end->ranks) = (struct rank_end){.code = i ? 0 : code, .signal = i ? 0 : signal};
    t->status.state = LAUNCH_ENDED;
    loop_timer_cancel(sim.world, &t->timer);
    ledger_ends(&t->status.key, a->name, kind, code);
    if (!a->frozen)
        send_up(a, MSG_TASK_END, t->end);
}

/* How a task ends that is left alone. */
static void end_by_itself(struct sim_task *t)
{
    uint64_t h = key_hash(&t->status.key) ^ sim.seed;
    uint32_t dice = (uint32_t)(h >> 20) % 100;
    if (dice < 80)
        end_task(t, END_EXITED, 0, 0);
    else if (dice < 95)
        end_task(t, END_EXITED, 1 + (int32_t)((h >> 40) % 250), 0);
    else if (dice < 98)
        end_task(t, END_SIGNALED, 0, SIGSEGV);
    else
        end_task(t, END_OOM, 0, SIGKILL);
}

static int64_t length_ms(const struct launch_key *k)
{
    uint64_t h = key_hash(k) ^ sim.seed;
    uint32_t dice = (uint32_t)(h % 100), part = (uint32_t)(h >> 32) % 1000;
    return dice < 30 ? part * 2 : dice < 90 ? 1000 + part * 20 : part * 300;
}

/* Milliseconds from now to the next thing that happens to it. */
static void arm(struct sim_task *t)
{
    int64_t now = sim_now_ms(), next = INT64_MAX;
    if (t->end)
        return;
    if (t->status.state == LAUNCH_STARTING)
        next = t->since_ms;
    else if (!t->paused)
        next = t->since_ms + t->run_ms;
    if (t->dies_ms && t->dies_ms < next)
        next = t->dies_ms;
    if (t->killed_ms && !t->status.stuck && t->killed_ms + STUCK_MS < next)
        next = t->killed_ms + STUCK_MS;
    if (t->lease_s && !t->lease_over && t->lease_ms < next)
        next = t->lease_ms;
    if (next == INT64_MAX)
        loop_timer_cancel(sim.world, &t->timer);
    else
        loop_timer_set(sim.world, &t->timer, next - now);
}

static uint32_t lease_grace_s(const struct sim_task *t)
{
    uint32_t half = t->lease_s / 2;
    return t->agent->kill_wait_s < half ? t->agent->kill_wait_s : half;
}

static uint32_t end_kind_of_kill(const struct sim_task *t)
{
    if (t->lease_over && t->kill_cause == KILL_NONE)
        return END_LEASE;
    return t->kill_cause == KILL_TIMEOUT ? END_TIMEOUT : t->kill_cause == KILL_OOM ? END_OOM : END_KILLED;
}

static void on_task_timer(void *ctx)
{
    struct sim_task *t = ctx;
    int64_t now = sim_now_ms();
    if (t->dies_ms && t->dies_ms <= now) {
        end_task(t, end_kind_of_kill(t), 0, SIGKILL);
        return;
    }
    if (t->lease_s && !t->lease_over && t->lease_ms <= now) {
        t->lease_over = true;
        t->killed_ms = t->killed_ms ? t->killed_ms : now;
        int64_t dies = now + sim_between(0, (int64_t)lease_grace_s(t) * 1000);
        t->dies_ms = t->dies_ms && t->dies_ms < dies ? t->dies_ms : dies;
    } else if (t->status.state == LAUNCH_STARTING && t->since_ms <= now) {
        t->status.state = LAUNCH_RUNNING;
        t->status.pid = 1000 + t->status.key.job % 30000;
        if (!t->agent->frozen)
            send_up(t->agent, MSG_TASK_RUNNING, &t->status);
    } else if (!t->paused && t->status.state == LAUNCH_RUNNING && t->since_ms + t->run_ms <= now) {
        end_by_itself(t);
        return;
    } else if (t->killed_ms && !t->status.stuck && t->killed_ms + STUCK_MS <= now) {
        t->status.stuck = true;
        if (!t->agent->frozen)
            send_up(t->agent, MSG_TASK_RUNNING, &t->status);
    }
    arm(t);
}

/* --- leases: backend/agent/lease.c, shim_lease.c --- */

static void renew_task(struct sim_task *t, int64_t at_ms)
{
    int64_t end = at_ms + (int64_t)(t->lease_s - lease_grace_s(t)) * 1000;
    if (!t->lease_s || t->end || t->lease_over || (t->lease_ms && at_ms >= t->lease_ms) ||
        end <= t->lease_ms)
        return;
    t->lease_ms = end;
    arm(t);
}

static void take_lease(struct peer *p, uint64_t tag)
{
    struct sim_agent *a = p->agent;
    uint32_t answered = (uint32_t)(tag >> 32);
    const struct beat *b = &p->beats[answered % BEATS];
    if (a->controller != p || !answered || b->seq != answered || b->at_ms <= a->renewed_ms)
        return;
    a->renewed_ms = b->at_ms;
    list_for_each (t, &a->tasks, struct sim_task, link)
        renew_task(t, a->renewed_ms);
}

static void take_ping(struct peer *p, uint64_t tag)
{
    uint32_t seq = (uint32_t)tag;
    take_lease(p, tag);
    p->beats[seq % BEATS] = (struct beat){.seq = seq, .at_ms = sim_now_ms()};
    send_to(p, MSG_PONG, tag, NULL);
}

/* --- orders --- */

static void refuse(struct sim_agent *a, const struct launch *l, uint32_t kind, uint32_t fault, char *text)
{
    struct launch_end end = {
        .key = l->key, .end_kind = kind, .t_end = wall_read(), .fault = fault, .message = text};
    send_up(a, MSG_TASK_END, &end);
}

static void take_launch(struct sim_agent *a, const struct launch *l)
{
    static char twice[] = "this launch has been run, and its end acknowledged, before",
                no_lease[] = "no controller was heard for its lease",
                no_room[] = NODE_SPOOL_FULL ": no room", older[] = "launch of an older controller";
    struct sim_task *t = find_task(a, &l->key);
    if (t) {
        if (t->end)
            send_up(a, MSG_TASK_END, t->end);
        else if (t->status.state == LAUNCH_RUNNING)
            send_up(a, MSG_TASK_RUNNING, &t->status);
        return;
    }
    if (idmap_get(&a->ended_launches, key_hash(&l->key))) {
        refuse(a, l, END_UNKNOWN, FAULT_JOB, twice);
        return;
    }
    if (l->lease_s && (!a->renewed_ms || sim_now_ms() >= a->renewed_ms + (int64_t)l->lease_s * 500)) {
        refuse(a, l, END_LEASE, FAULT_JOB, no_lease);
        return;
    }
    if (strcmp(l->cluster, a->cluster) != 0 || l->epoch < a->epoch) {
        refuse(a, l, END_LAUNCH_FAILED, FAULT_NODE, older);
        return;
    }
    if (a->spool_full) {
        refuse(a, l, END_LAUNCH_FAILED, FAULT_NODE, no_room);
        return;
    }
    ledger_begins(&l->key, l->job_name, a->name, &l->alloc.gpus);
    t = xcalloc(1, sizeof *t);
    t->agent = a;
    t->lease_s = l->lease_s;
    t->n_ranks = (uint32_t)l->ranks.n;
    t->run_ms = length_ms(&l->key);
    t->since_ms = sim_now_ms() + sim_between(0, START_MS);
    t->status = (struct launch_status){.key = l->key,
                                       .state = LAUNCH_STARTING,
                                       .t_start = wall_read(),
                                       .uid = l->uid,
                                       .cpus = l->alloc.cpus,
                                       .gpus = l->alloc.gpus,
                                       .mem_mib = l->alloc.mem_mib};
    t->timer = (struct loop_timer){.fn = on_task_timer, .ctx = t};
    list_init(&t->link);
    list_append(&a->tasks, &t->link);
    renew_task(t, a->renewed_ms);
    arm(t);
}

static void pause_task(struct sim_task *t, bool on)
{
    int64_t now = sim_now_ms();
    if (t->paused == on)
        return;
    if (on)
        t->run_ms -= now - t->since_ms;
    t->since_ms = now;
    t->paused = on;
}

static void take_kill(struct sim_agent *a, const struct launch_kill *k)
{
    struct sim_task *t = find_task(a, &k->key);
    if (!t || t->end)
        return;
    if (k->signal == SIGSTOP || k->signal == SIGCONT)
        pause_task(t, k->signal == SIGSTOP);
    if (k->signal == 0) {
        int64_t now = sim_now_ms();
        bool stuck = !t->lease_s && sim_chance(a->stuck_per_mille);
        int64_t dies = now + (stuck ? sim_between(STUCK_MS, 4 * STUCK_MS)
                                    : sim_between(0, sim_chance(800) ? 500 : (int64_t)k->grace_s * 1000));
        if (!t->killed_ms) {
            t->killed_ms = now;
            t->kill_cause = t->lease_over ? KILL_NONE : k->cause;
            t->dies_ms = dies > now ? dies : now + 1;
        }
        t->status.killing = true;
    }
    arm(t);
}

static void take_ack(struct sim_agent *a, const struct launch_key *k)
{
    struct sim_task *t = find_task(a, k);
    if (!t || !t->end)
        return;
    ledger_acked(&t->status.key, a->name);
    idmap_set(&a->ended_launches, key_hash(&t->status.key), a);
    task_free(t);
}

/* --- greetings --- */

static char *check_hello(struct sim_agent *a, const struct msg_hello *h)
{
    bool same = a->cluster[0] && h->epoch == a->epoch;
    if (a->cluster[0] && strcmp(a->cluster, h->cluster) != 0)
        return xasprintf("this node belongs to cluster %s, not to %s", a->cluster, h->cluster);
    if (a->cluster[0] &&
        (h->epoch < a->epoch || (same && a->incarnation && h->incarnation != a->incarnation)))
        return xasprintf("epoch %d is over: this node obeys %d", (int)h->epoch, (int)a->epoch);
    snprintf(a->cluster, sizeof a->cluster, "%s", h->cluster);
    a->epoch = h->epoch;
    a->incarnation = h->incarnation;
    return NULL;
}

static void describe(struct sim_agent *a, struct msg_agent *m)
{
    m->boot_id = xasprintf("%s-boot-%u", a->name, a->boot);
    m->arch = xstrdup("x86_64");
    m->os = xstrdup("Linux");
    m->cpus = a->cpus;
    m->gpus = a->gpus;
    m->mem_mib = MEM_MIB;
    m->t_boot = a->t_boot;
    m->t_agent = a->t_agent;
    m->t_policy = a->t_agent;
    m->spool_full = a->spool_full;
    m->tmp_mib = 1000;
    list_for_each (t, &a->tasks, struct sim_task, link)
        *rec_list_push(&m->launches) = t->status;
}

static void take_hello(struct peer *p, uint64_t tag, const struct msg_hello *h)
{
    struct sim_agent *a = p->agent;
    struct msg_agent m = {
        .version = PROTO_VERSION, .node = xstrdup(a->name), .release = xstrdup(STOKER_VERSION)};
    m.refused = check_hello(a, h);
    if (m.refused) {
        ledger_refused(a->name, m.refused, net_is_open(p->stream));
    } else {
        if (a->controller && a->controller != p)
            drop_peer(a->controller);
        a->controller = p;
        describe(a, &m);
    }
    send_to(p, MSG_AGENT, tag, &m);
    bool refused = m.refused != NULL;
    rec_fini(&msg_agent_rec, &m);
    if (refused)
        return;
    list_for_each (t, &a->tasks, struct sim_task, link)
        if (t->end)
            send_up(a, MSG_TASK_END, t->end);
}

/* --- in --- */

static void take(struct peer *p, const struct frame *f, const void *body)
{
    struct sim_agent *a = p->agent;
    if (f->type == MSG_HELLO)
        take_hello(p, f->tag, body);
    else if (f->type == MSG_PING)
        take_ping(p, f->tag);
    else if (a->controller != p)
        return;
    else if (f->type == MSG_LAUNCH) {
        take_lease(p, f->tag);
        take_launch(a, body);
    } else if (f->type == MSG_KILL)
        take_kill(a, body);
    else if (f->type == MSG_END_ACK)
        take_ack(a, body);
}

static void read_frames(struct peer *p)
{
    struct frame f;
    struct errtext err;
    struct sim_agent *a = p->agent;
    int r = 0;
    while (!a->frozen && (r = frame_reader_next(&p->reader, &f)) > 0) {
        void *body;
        if (msg_decode(&f, &body, &err) < 0)
            sim_fail("%s cannot read what the controller sends: %s", a->name, err.s);
        take(p, &f, body);
        msg_free(f.type, body);
    }
    if (r < 0)
        sim_fail("%s: a frame of the controller is too large", a->name);
}

static void on_bytes(void *ctx, struct stream *s, const uint8_t *p, size_t n)
{
    (void)s;
    struct peer *peer = ctx;
    memcpy(frame_reader_space(&peer->reader, n), p, n);
    frame_reader_added(&peer->reader, n);
    read_frames(peer);
}

static void on_close(void *ctx, struct stream *s)
{
    (void)s;
    peer_free(ctx);
}

static const struct stream_ops ops = {.on_bytes = on_bytes, .on_close = on_close};

static void on_accept(void *ctx, struct stream *s)
{
    struct sim_agent *a = ctx;
    struct peer *p = xcalloc(1, sizeof *p);
    p->agent = a;
    p->stream = s;
    list_init(&p->link);
    list_append(&a->peers, &p->link);
    net_set_ops(s, &ops, p);
}

/* --- its life --- */

static void begin(void *ctx)
{
    struct sim_agent *a = ctx;
    if (a->frozen) {
        sim_note("%s goes on", a->name);
        a->frozen = false;
        list_for_each (t, &a->tasks, struct sim_task, link) /* its supervisors have spoken meanwhile */
            if (t->end || t->status.state == LAUNCH_RUNNING)
                send_up(a, t->end ? MSG_TASK_END : MSG_TASK_RUNNING,
                        t->end ? (const void *)t->end : (const void *)&t->status);
        list_for_each (p, &a->peers, struct peer, link)
            read_frames(p);
        return;
    }
    sim_note("the agent of %s starts", a->name);
    a->t_agent = wall_read();
    a->listen = net_listen(a->path, on_accept, a);
}

struct sim_agent *sim_agent_new(const char *name, const char *path, uint32_t cpus, uint32_t gpus,
                                uint32_t kill_wait_s)
{
    struct sim_agent *a = xcalloc(1, sizeof *a);
    a->name = xstrdup(name);
    a->path = xstrdup(path);
    a->cpus = cpus;
    a->gpus = gpus;
    a->kill_wait_s = kill_wait_s;
    a->boot = 1;
    a->t_boot = wall_read();
    list_init(&a->peers);
    list_init(&a->tasks);
    a->come_back = (struct loop_timer){.fn = begin, .ctx = a};
    begin(a);
    return a;
}

static void stop_agent(struct sim_agent *a, int64_t pause_ms)
{
    list_for_each (p, &a->peers, struct peer, link)
        drop_peer(p);
    net_unlisten(a->listen);
    a->listen = NULL;
    a->frozen = false;
    a->renewed_ms = 0;
    loop_timer_set(sim.world, &a->come_back, pause_ms);
}

void sim_agent_free(struct sim_agent *a)
{
    stop_agent(a, 0);
    loop_timer_cancel(sim.world, &a->come_back);
    list_for_each (t, &a->tasks, struct sim_task, link)
        task_free(t);
    idmap_fini(&a->ended_launches);
    free(a->name);
    free(a->path);
    free(a);
}

void sim_agent_kill(struct sim_agent *a, int64_t pause_ms)
{
    sim_note("the agent of %s is killed for %d ms", a->name, (int)pause_ms);
    stop_agent(a, pause_ms);
}

void sim_agent_reboot(struct sim_agent *a, int64_t pause_ms)
{
    sim_note("%s goes down for %d ms", a->name, (int)pause_ms);
    stop_agent(a, pause_ms);
    a->boot++;
    a->t_boot = (struct wall){.ms = wall_read().ms + pause_ms};
    list_for_each (t, &a->tasks, struct sim_task, link)
        if (!t->end)
            end_task(t, END_NODE_REBOOT, 0, 0);
}

void sim_agent_freeze(struct sim_agent *a, int64_t pause_ms)
{
    if (!a->listen || a->frozen)
        return;
    sim_note("the agent of %s stands still for %d ms", a->name, (int)pause_ms);
    a->frozen = true;
    loop_timer_set(sim.world, &a->come_back, pause_ms);
}

void sim_agent_set_spool_full(struct sim_agent *a, bool is_full)
{
    if (a->spool_full == is_full)
        return;
    sim_note("the spool of %s is %s", a->name, is_full ? "full" : "not full any more");
    a->spool_full = is_full;
    if (!a->controller || a->frozen)
        return;
    struct msg_agent m = {
        .version = PROTO_VERSION, .node = xstrdup(a->name), .release = xstrdup(STOKER_VERSION)};
    describe(a, &m);
    send_up(a, MSG_AGENT, &m);
    rec_fini(&msg_agent_rec, &m);
}

void sim_agent_set_stuck(struct sim_agent *a, unsigned per_mille)
{
    a->stuck_per_mille = per_mille;
}

unsigned sim_agent_n_tasks(const struct sim_agent *a)
{
    unsigned n = 0;
    list_for_each (t, &a->tasks, struct sim_task, link)
        n++;
    return n;
}
