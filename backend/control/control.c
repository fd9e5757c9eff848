/* control.c - the controller's life: take over what is on disk, serve, stop; and the way back from a disk
 * that is full. */
#include "backend/control/control.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/control/compact.h"
#include "backend/control/private.h"
#include "src/base/log.h"

#define PROBE_MS         1000
#define FIRST_RETIRE_MS  1000
#define FIRST_ORPHANS_MS 30000

static int fold(void *ctx, struct event *ev)
{
    struct control *c = ctx;
    int r = c->compact ? compact_apply(c->compact, &c->model, ev) : model_apply(&c->model, ev);
    if (r < 0)
        log_warn("event=%llu %s job=%u does not fit and is passed over", (unsigned long long)ev->seq,
                 event_name(ev->kind), ev->job);
    event_fini(ev);
    return 0;
}

/* Folds what is on disk into a fresh state. */
static int load(struct control *c, struct errtext *err)
{
    model_init(&c->model);
    int r = store_load(c->store, fold, c, err);
    if (r < 0)
        return r;
    uint32_t last = store_last_job(c->store);
    if (last >= c->model.next_job)
        c->model.next_job = last + 1;
    struct errtext what;
    if (model_check(&c->model, &what) < 0)
        return err_set(err, -EUCLEAN, "the state on disk contradicts itself: %s", what.s);
    ctl_build_gates(c);
    ctl_count_jobs(c);
    return 0;
}

uint64_t ctl_random(void)
{
    uint64_t n = 0;
    while (!n) /* 0 stands for: none */
        if (getrandom(&n, sizeof n, 0) != sizeof n)
            bug_on(true);
    return n;
}

static char *new_uuid(void)
{
    uint8_t b[16];
    if (getrandom(b, sizeof b, 0) != sizeof b)
        bug_on(true);
    struct str s = STR_INIT;
    for (size_t i = 0; i < sizeof b; i++)
        str_appendf(&s, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", b[i]);
    return str_take(&s);
}

static void take_over(struct control *c, bool accept_loss)
{
    if (!c->incarnation)
        c->incarnation = ctl_random();
    struct ev_epoch body = {.incarnation = c->incarnation,
                            .uuid = c->model.uuid ? xstrdup(c->model.uuid) : new_uuid(),
                            .epoch = c->model.epoch + 1,
                            .next_job = c->model.next_job};
    ctl_follow_lineage(c, accept_loss, &body);
    ctl_emit(c, EV_EPOCH, 0, &body);
    c->epoch_gate = store_gate(c->store);
    log_info("cluster=%s epoch=%llu jobs=%u next_job=%u", c->model.uuid, (unsigned long long)c->model.epoch,
             c->model.n_pending + c->model.n_active + c->model.n_ended, c->model.next_job);
}

/* Takes spec. */
static int apply_config(struct control *c, struct cluster_spec *spec)
{
    ctl_lost_bound(spec);
    if (rec_eq(&cluster_spec_rec, spec, &c->model.spec)) {
        rec_fini(&cluster_spec_rec, spec);
        return 0;
    }
    return ctl_emit(c, EV_CONFIG, 0, spec);
}

/* Nothing is known of nodes until their agents have answered this controller. */
static void doubt_nodes(struct control *c)
{
    for (size_t i = 0; i < c->model.n_nodes; i++) {
        const struct node *n = c->model.nodes[i];
        if (n->state == NODE_UNKNOWN || n->gone)
            continue;
        struct ev_node body = {.node = xstrdup(n->spec.name), .state = NODE_UNKNOWN};
        ctl_emit(c, EV_NODE, 0, &body);
    }
}

static void touch_active(struct control *c)
{
    list_for_each (j, &c->model.active, struct job, in_queue)
        ctl_touch(c, j->id);
    c->sched_dirty = true;
}

static void on_store(void *ctx, unsigned ready)
{
    (void)ready;
    struct control *c = ctx;
    store_dispatch(c->store);
}

static void on_wake(void *ctx)
{
    struct control *c = ctx;
    c->sched_dirty = true;
}

/* --- read-only: the disk does not take what we say --- */

static void tell_failed(void *ctx, struct conn *conn, enum msg_kind kind, uint64_t tag)
{
    struct control *c = ctx;
    if (kind == MSG_EVENT || kind == MSG_REASONS || kind == MSG_JOBS || kind == MSG_NODES ||
        kind == MSG_SPEC)
        return;
    struct str text = STR_INIT;
    str_appendf(&text, "nothing was done: %s", c->read_only);
    struct msg_result r = {.refusal = REFUSAL_READ_ONLY, .text = text.s};
    conn_send(conn, 0, MSG_RESULT, tag, &r);
    str_fini(&text);
}

static void drop_timers(struct control *c)
{
    while (c->timers.n)
        idmap_for_each (&c->timers, slot) {
            ctl_drop_timer(c, (uint32_t)slot->id);
            break;
        }
}

static void drop_flights(struct control *c)
{
    idmap_for_each (&c->flights, slot)
        free(slot->value);
    idmap_fini(&c->flights);
    c->flights = (struct idmap){0};
}

/* Terminals of jobs that were never acknowledged. */
static void drop_lost_owners(struct control *c)
{
    VEC(uint32_t) lost = VEC_INIT;
    idmap_for_each (&c->owners, slot)
        if (!model_get_job(&c->model, (uint32_t)slot->id))
            vec_push(&lost, (uint32_t)slot->id);
    vec_for_each (&lost, i)
        idmap_remove(&c->owners, lost.v[i]);
    vec_fini(&lost);
}

static void leave_read_only(struct control *c)
{
    log_info("the state can be written again");
    free(c->read_only);
    c->read_only = NULL;
    if (c->epoch_gate) /* the first batch of all was void: no node knows its epoch yet */
        take_over(c, false);
    doubt_nodes(c); /* what was read back may say "up" of a node that went down meanwhile */
    ctl_avoid_look(c);
    ctl_connect_nodes(c); /* a configuration may have been taken back */
    list_for_each (link, &c->nodes, struct node_link, link)
        nodeconn_reset(link->conn, store_committed(c->store), "asking for what it has to say");
    touch_active(c);
}

static void on_probe(void *ctx)
{
    struct control *c = ctx;
    struct errtext err;
    if (store_probe(c->store, &err) == 0)
        leave_read_only(c);
    else
        loop_timer_set(c->loop, &c->probe, PROBE_MS);
}

void ctl_go_read_only(struct control *c, const char *why)
{
    if (c->read_only)
        return;
    log_error("cannot write the state: %s; read-only until it can be written", why);
    c->read_only = xasprintf("the state cannot be written (%s)", why);
    ctl_mail_drop(c);
    store_reset(c->store);
    uint64_t gate = store_committed(c->store);
    list_for_each (s, &c->sessions, struct session, link) {
        conn_drop_gated(s->conn, tell_failed, c);
        conn_release(s->conn, gate);
        if (s->follow != FOLLOW_NONE || s->snapshotting) {
            s->follow = FOLLOW_NONE;
            s->snapshotting = false;
            conn_send(s->conn, 0, MSG_RESYNC, s->follow_tag, NULL);
        }
    }
    list_for_each (link, &c->nodes, struct node_link, link)
        nodeconn_reset(link->conn, gate, "what was queued for it is void");
    if (c->epoch_gate) /* and so is this controller's epoch */
        list_for_each (link, &c->nodes, struct node_link, link)
            nodeconn_hold_hello(link->conn);
    /* What was derived from events that are void. */
    ctl_forget_pass(c);
    ctl_forget_prio(c);
    drop_timers(c);
    drop_flights(c);
    payload_cache_free(c->payloads);
    c->payloads = payload_cache_new();
    uint32_t next_job = c->model.next_job;
    model_fini(&c->model);
    vec_clear(&c->touched);
    vec_clear(&c->fresh);
    struct errtext err;
    if (load(c, &err) < 0) {
        log_error("the state cannot be read back either: %s", err.s);
        abort(); /* the next start checks the file and says what is wrong */
    }
    /* No id is given out twice, not even one whose job never came to be: somebody may have heard of it. */
    if (next_job > c->model.next_job)
        c->model.next_job = next_job;
    drop_lost_owners(c);
    loop_timer_set(c->loop, &c->probe, PROBE_MS);
}

/* --- life --- */

static void init(struct control *c, struct loop *l, const struct control_config *cfg)
{
    *c = (struct control){.loop = l,
                          .state_dir = xstrdup(cfg->state_dir),
                          .run_dir = xstrdup(cfg->run_dir),
                          .log_dir = xstrdup(cfg->log_dir),
                          .socket_path = xstrdup(cfg->socket),
                          .host = xstrdup(cfg->host),
                          .home = xstrdup(cfg->home),
                          .everyone = cfg->everyone,
                          .reload = cfg->reload,
                          .reload_ctx = cfg->reload_ctx,
                          .listen_fd = -1,
                          .payloads = payload_cache_new(),
                          .users = user_cache_new(),
                          .t_start = loop_wall(l)};
    list_init(&c->sessions);
    list_init(&c->nodes);
    c->planner = planner_new();
    c->answers = answers_new();
    list_init(&c->look_parties);
    share_pool_init(&c->share_pool, l);
    c->forecast = (struct loop_timer){.fn = ctl_forecast, .ctx = c};
    c->queue_order = (struct loop_timer){.fn = ctl_order_queue, .ctx = c};
    c->wake = (struct loop_timer){.fn = on_wake, .ctx = c};
    c->retire = (struct loop_timer){.fn = ctl_retire, .ctx = c};
    c->probe = (struct loop_timer){.fn = on_probe, .ctx = c};
    c->avoid = (struct loop_timer){.fn = ctl_avoid_look, .ctx = c};
    c->stop_timer = (struct loop_timer){.fn = ctl_try_stop, .ctx = c};
    c->orphans = (struct loop_timer){.fn = ctl_end_orphans, .ctx = c};
    c->look_timer = (struct loop_timer){.fn = ctl_look_on, .ctx = c};
    list_init(&c->parked);
    dep_index_init(&c->deps);
    model_init(&c->model);
    ctl_build_gates(c);
}

static void release(struct control *c)
{
    planner_free(c->planner);
    answers_free(c->answers);
    ctl_forget_prio(c);
    drop_flights(c);
    drop_timers(c);
    idmap_fini(&c->timers);
    idmap_fini(&c->record_sizes);
    idmap_fini(&c->owners);
    ctl_free_orphans(c);
    idmap_fini(&c->relays);
    ctl_drop_old_outputs(c, NULL);
    idmap_fini(&c->old_outputs);
    vec_fini(&c->touched);
    vec_fini(&c->fresh);
    payload_cache_free(c->payloads);
    ctl_free_history(c);
    past_free(c);
    ctl_free_gates(c);
    ctl_free_pmi(c);
    ctl_mail_free(c);
    ctl_free_parties(c);
    user_cache_free(c->users);
    model_fini(&c->model);
    free(c->read_only);
    free(c->state_dir);
    free(c->run_dir);
    free(c->log_dir);
    free(c->socket_path);
    free(c->host);
    free(c->home);
    free(c);
}

int control_new(struct loop *l, const struct control_config *cfg, struct control **ret, struct errtext *err)
{
    struct control *c = xcalloc(1, sizeof *c);
    init(c, l, cfg);
    struct store_callbacks cb = {.on_commit = ctl_on_commit,
                                 .on_payload = ctl_payload_ready,
                                 .on_history = ctl_on_history,
                                 .on_script = ctl_answer_old_script,
                                 .ctx = c};
    int r = ctl_open_state(c, &cb, cfg->accept_loss, err);
    if (r == 0) {
        struct compact compact = {0};
        c->compact = &compact;
        r = load(c, err);
        c->compact = NULL;
        r = r ? r : ctl_check_loaded(c, cfg->accept_loss, err);
        for (size_t i = 0; r == 0 && i < compact.gone.n; i++)
            store_del_event(c->store, compact.gone.v[i]);
        compact_fini(&compact);
        r = r ? r : ctl_listen(c, err);
        if (r < 0)
            store_leave(c->store);
    }
    if (r < 0) {
        rec_fini(&cluster_spec_rec, cfg->spec);
        release(c);
        return r;
    }
    ctl_mail_init(c);
    take_over(c, cfg->accept_loss);
    apply_config(c, cfg->spec);
    doubt_nodes(c);
    ctl_avoid_look(c);
    ctl_connect_nodes(c);
    touch_active(c);
    c->store_watch = (struct loop_fd){.fd = store_fd(c->store), .fn = on_store, .ctx = c};
    loop_watch(l, &c->store_watch, LOOP_READ);
    loop_on_turn(l, ctl_turn, c);
    loop_timer_set(l, &c->retire, FIRST_RETIRE_MS);
    loop_timer_set(l, &c->orphans, FIRST_ORPHANS_MS);
    ctl_watch_sessions(c);
    *ret = c;
    return 0;
}

void control_free(struct control *c)
{
    if (!c)
        return;
    c->stopping = true;
    c->stop_kills = false;
    struct loop_timer *timers[] = {&c->wake,  &c->forecast,   &c->queue_order, &c->retire,    &c->probe,
                                   &c->avoid, &c->stop_timer, &c->orphans,     &c->look_timer};
    for (size_t i = 0; i < sizeof timers / sizeof *timers; i++)
        loop_timer_cancel(c->loop, timers[i]);
    ctl_stop_agents(c);
    ctl_free_sessions(c);
    ctl_free_nodes(c);
    loop_unwatch(c->loop, &c->store_watch);
    loop_on_turn(c->loop, NULL, NULL);
    store_close(c->store);
    release(c);
}

int control_reload(struct control *c, struct errtext *err)
{
    struct cluster_spec spec;
    if (c->read_only)
        return err_set(err, -EROFS, "%s", c->read_only);
    int r = c->reload(c->reload_ctx, &spec, err);
    if (r < 0)
        return r;
    r = apply_config(c, &spec);
    ctl_forget_users(c);
    ctl_connect_nodes(c);
    planner_note_all(c->planner); /* groups may open partitions */
    c->sched_dirty = true;
    return r;
}
