/* One controller is obeyed at a time (controller_id.h). A restart changes nothing for a task: everything it
 * must know lies in the task directories.
 */
#include "backend/agent/agent.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/agent/adopt.h"
#include "backend/agent/agent_internal.h"
#include "backend/agent/agent_report.h"
#include "backend/agent/containment.h"
#include "backend/agent/controller_id.h"
#include "backend/agent/ended_launches.h"
#include "backend/agent/gpu_account.h"
#include "backend/agent/held_jobs.h"
#include "backend/agent/lease.h"
#include "backend/agent/local_clients.h"
#include "backend/agent/node_usage.h"
#include "backend/agent/rights_client.h"
#include "backend/agent/spawn_server.h"
#include "backend/agent/spool/disk_reserve.h"
#include "backend/agent/spool/outfile.h"
#include "backend/agent/spool/spool.h"
#include "backend/agent/spool/spool_quota.h"
#include "backend/agent/spool/sweep.h"
#include "backend/agent/task_end.h"
#include "backend/agent/task_input.h"
#include "backend/agent/task_launch.h"
#include "backend/agent/task_shim.h"
#include "backend/agent/task_table.h"
#include "backend/agent/waiting_shims.h"
#include "backend/confine/confine.h"
#include "backend/node/cpu_order.h"
#include "backend/node/node_gpus.h"
#include "backend/rights/own_rights.h"
#include "backend/rights/rights_wire.h"
#include "backend/task/programs.h"
#include "src/base/xalloc.h"
#include "src/os/log.h"
#include "src/os/privdrop.h"
#include "src/os/unixsock.h"
#include "src/proto/msg_node.h"

#define PEERS_MAX       64
#define KILL_WAIT_S     30
#define ACCEPT_PAUSE_MS 200
#define IDLE_MS         5000 /* without a controller and without tasks */
#define SOCKET_DEFAULT  "agent.sock"

/* The state of the modules that are made once, and what only this file knows. */
struct agent_daemon {
    struct agent a;
    struct controller_id controller;
    struct ended_launches ended;
    struct lease lease;
    struct spawn_server spawn_server; /* set if the agent may not start programs itself */
    struct spool *spool;
    struct outfiles *outfiles;
    struct adoption adoption;
    struct loop_fd listener;
    struct loop_timer listen_again; /* after a time without descriptors */
    struct list peers;
    uint64_t last_serial;
    uid_t controller_uid;   /* of cfg.controller */
    struct loop_timer idle; /* no controller: the end comes, unless a task lives */
    bool login_socket_told; /* the log says that its place is taken */
};

/* A connection on the agent's socket. */
struct agent_peer {
    struct agent_daemon *d;
    struct list in_peers;
    struct wire wire;
    uint32_t uid;
    uint64_t serial;
    struct heartbeats heartbeats;
};

static bool peer_is_controller(const struct agent_peer *p)
{
    return p->d->a.uplink.wire == &p->wire;
}

static void peer_drop(struct agent_peer *p, const char *why)
{
    struct agent *a = &p->d->a;
    if (peer_is_controller(p)) {
        if (peer_log_may(&a->peer_log, a->loop))
            log_info("the controller's connection is over: %s", why);
        a->uplink = (struct uplink){0};
        node_usage_watch(a->usage, false);
        spool_drop_waits(p->d->spool);
        local_clients_drop(a->clients);
        loop_timer_set(a->loop, &p->d->idle, IDLE_MS);
    }
    wire_close(&p->wire);
    list_unlink(&p->in_peers);
    free(p);
}

/* Tells the controller again what this node is. */
static void agent_report(void *ctx)
{
    struct agent_daemon *d = ctx;
    if (!d->a.uplink.wire)
        return;
    struct msg_agent m = agent_report_head(&d->a);
    agent_report_fill(&d->a, &m, &d->login_socket_told);
    uplink_send(&d->a.uplink, MSG_AGENT, 0, &m);
    rec_fini(&msg_agent_rec, &m);
}

/* --- messages --- */

static void peer_become_controller(struct agent_peer *p, struct msg_hello *h)
{
    struct agent *a = &p->d->a;
    if (a->uplink.wire && !peer_is_controller(p)) {
        list_for_each (o, &p->d->peers, struct agent_peer, in_peers)
            if (peer_is_controller(o)) {
                peer_drop(o, "another connection of the controller took over");
                break;
            }
    }
    if (!peer_is_controller(p) && peer_log_may(&a->peer_log, a->loop))
        log_info("controller connected epoch=%llu", (unsigned long long)a->controller->epoch);
    a->uplink = (struct uplink){.wire = &p->wire, .serial = p->serial};
    a->controller->kill_wait_s = h->kill_wait_s;
    rec_fini(&node_spec_rec, &a->facts.spec);
    a->facts.spec = h->spec;
    h->spec = (struct node_spec){0};
    a->facts.has_spec = a->facts.spec.name != NULL;
    held_jobs_set_controller(a->held, h->answers_held);
}

static void peer_take_hello(struct agent_peer *p, uint64_t tag, struct msg_hello *h)
{
    struct agent *a = &p->d->a;
    struct errtext err;
    struct msg_agent m = agent_report_head(a);
    int r = controller_id_check(a, h, &err);
    if (r < 0) {
        if (peer_log_may(&a->peer_log, a->loop))
            log_warn("controller=%s refused: %s", h->program ? h->program : "?", err.s);
        m.refused = xstrdup(err.s);
    } else {
        peer_become_controller(p, h);
        agent_report_fill(a, &m, &p->d->login_socket_told);
    }
    wire_send(&p->wire, MSG_AGENT, tag, &msg_agent_rec, &m);
    rec_fini(&msg_agent_rec, &m);
    if (r == 0)
        task_ends_send(a);
}

/* An agent that no controller needs goes: the next controller starts another. */
static void agent_on_idle(void *ctx)
{
    struct agent_daemon *d = ctx;
    struct agent *a = &d->a;
    if (a->uplink.wire || a->cfg.controller)
        return;
    if (!a->tasks->n_live && list_empty(&a->tasks->lost))
        loop_stop(a->loop);
    else
        loop_timer_set(a->loop, &d->idle, IDLE_MS);
}

static int agent_take_stop(struct agent *a)
{
    if (a->cfg.controller)
        log_info("the controller does not need this node for now; the service goes on");
    else if (a->tasks->n_live)
        log_warn("asked to stop while tasks=%u run: goes on", a->tasks->n_live);
    else
        loop_stop(a->loop);
    return 0;
}

static void agent_read_output(struct agent_daemon *d, uint64_t tag, struct msg_output_read *m)
{
    if (m->stream != 1 && m->stream != 2) {
        struct msg_output_data data = {.offset = m->offset, .eof = true};
        data.error = xstrdup("stream is 1 (standard output) or 2 (standard error)");
        uplink_send(&d->a.uplink, MSG_OUTPUT_DATA, tag, &data);
        free(data.error);
    } else if (m->path) {
        outfile_read(d->outfiles, tag, m);
    } else {
        spool_read(d->spool, tag, m);
    }
}

static int peer_take_order(struct agent_peer *p, const struct frame *f, void *body)
{
    struct agent *a = &p->d->a;
    if (!peer_is_controller(p))
        return -EPERM;
    switch (f->type) {
    case MSG_LAUNCH:
        lease_take(a->lease, &p->heartbeats, f->tag, a->tasks);
        task_launch(a, body, f);
        return 0;
    case MSG_KILL: task_shim_kill(a, body); return 0;
    case MSG_END_ACK: task_end_acknowledged(a, body); return 0;
    case MSG_OUTPUT_READ: agent_read_output(p->d, f->tag, body); return 0;
    case MSG_INPUT: task_input_send(a, f->tag, body, f); return 0;
    case MSG_PMI_ALL: task_shim_pmi(a, body, f); return 0;
    case MSG_OVER_JOBS: held_jobs_over(a->held, body); return 0;
    case MSG_WATCH_UTIL: node_usage_watch(a->usage, ((const struct msg_watch_util *)body)->on); return 0;
    case MSG_AGENT_STOP: return agent_take_stop(a);
    case MSG_TUNNEL_DATA:
    case MSG_TUNNEL_TAKEN:
    case MSG_TUNNEL_END: return local_clients_take(a->clients, f->type, body);
    default: return -EPROTO;
    }
}

static void peer_take_ping(struct agent_peer *p, uint64_t tag)
{
    struct agent *a = &p->d->a;
    if (peer_is_controller(p))
        lease_take(a->lease, &p->heartbeats, tag, a->tasks);
    lease_note_ping(&p->heartbeats, tag, loop_now(a->loop).ns / NS_PER_MS);
    wire_send(&p->wire, MSG_PONG, tag, &msg_none_rec, &(struct msg_none){0});
}

static int peer_on_frame(void *ctx, const struct frame *f)
{
    struct agent_peer *p = ctx;
    struct errtext err;
    void *body;
    int r = msg_node_decode(f, &body, &err);
    if (r < 0) {
        if (peer_log_may(&p->d->a.peer_log, p->d->a.loop))
            log_warn("uid=%u sent a message that cannot be read: %s", p->uid, err.s);
        return r;
    }
    if (f->type == MSG_HELLO)
        peer_take_hello(p, f->tag, body);
    else if (f->type == MSG_PING)
        peer_take_ping(p, f->tag);
    else if (f->type != MSG_PONG)
        r = peer_take_order(p, f, body);
    msg_node_free(f->type, body);
    return r;
}

static void peer_on_close(void *ctx, const char *why)
{
    peer_drop(ctx, why);
}

static const struct wire_ops peer_ops = {.on_frame = peer_on_frame, .on_close = peer_on_close};

static void agent_listen_again(void *ctx)
{
    struct agent_daemon *d = ctx;
    loop_watch(d->a.loop, &d->listener, LOOP_READ);
}

static bool agent_admits(const struct agent_daemon *d, uint32_t uid)
{
    size_t n = 0;
    list_for_each (p, &d->peers, struct agent_peer, in_peers)
        n++;
    return n < PEERS_MAX &&
           (uid == 0 || uid == geteuid() || (d->a.cfg.controller && uid == d->controller_uid));
}

static void agent_accept(void *ctx, unsigned ready)
{
    (void)ready;
    struct agent_daemon *d = ctx;
    struct agent *a = &d->a;
    int fd = accept4(d->listener.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)) {
        /* The connection stays in the queue: without a pause every turn would try again. */
        loop_watch(a->loop, &d->listener, 0);
        loop_timer_set(a->loop, &d->listen_again, ACCEPT_PAUSE_MS);
    }
    if (fd < 0)
        return;
    struct ucred peer;
    socklen_t len = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0 || !agent_admits(d, peer.uid)) {
        close(fd);
        return;
    }
    struct agent_peer *p = xcalloc(1, sizeof *p);
    *p = (struct agent_peer){.d = d, .uid = peer.uid, .serial = ++d->last_serial};
    list_append(&d->peers, &p->in_peers);
    wire_open(&p->wire, a->loop, &a->dirty, fd, FRAME_MAX, &peer_ops, p);
}

/* --- what the modules ask for --- */

static bool agent_find_job(void *ctx, const struct proc *p, uint32_t *ret_job)
{
    const struct agent_daemon *d = ctx;
    const struct atask *t = task_table_above(d->a.tasks, p);
    if (t)
        *ret_job = t->st.key.job;
    return t != NULL;
}

static bool agent_job_holds(void *ctx, uint32_t job, uint32_t gpu)
{
    const struct agent_daemon *d = ctx;
    return task_table_job_holds(d->a.tasks, job, gpu);
}

/* An escaped process disturbs no other user where its own user holds the GPU. */
static bool agent_user_holds(void *ctx, uint32_t uid, uint32_t gpu)
{
    const struct agent_daemon *d = ctx;
    return d->a.root && task_table_user_holds(d->a.tasks, uid, gpu);
}

static void agent_on_gpu_sample(void *ctx)
{
    struct agent_daemon *d = ctx;
    gpu_account_sample(&d->a);
}

static const struct node_gpus_ops agent_gpus_ops = {.find_job = agent_find_job,
                                                    .job_holds = agent_job_holds,
                                                    .user_holds = agent_user_holds,
                                                    .on_change = agent_report,
                                                    .on_sample = agent_on_gpu_sample};

static void agent_on_task_end(void *ctx, const struct launch_key *key)
{
    struct agent_daemon *d = ctx;
    spool_task_changed(d->spool, key);
}

static bool agent_is_helper(void *ctx, pid_t pid)
{
    const struct agent_daemon *d = ctx;
    return pid == d->spawn_server.pid || node_gpus_is_child(d->a.gpus, pid);
}

/* --- start --- */

static void agent_watch_listener(struct agent_daemon *d, int fd)
{
    d->listener = (struct loop_fd){.fd = fd, .fn = agent_accept, .ctx = d};
    loop_watch(d->a.loop, &d->listener, LOOP_READ);
}

static int agent_listen(struct agent_daemon *d, struct errtext *err)
{
    const struct agent *a = &d->a;
    if (a->cfg.launched) {
        agent_watch_listener(d, LAUNCHED_LISTENER_FD);
        return 0;
    }
    char *path = a->cfg.socket ? xstrdup(a->cfg.socket) : xasprintf("%s/" SOCKET_DEFAULT, a->dir.path);
    /* The peer's uid decides. Where the socket can be given to the controller's account the kernel turns
     * away all others, and none of them can keep the agent busy with connections. */
    int fd = unixsock_listen(path, 0600, 64);
    if (fd < 0)
        err_set(err, fd, "cannot listen at %s: %s", path, strerror(-fd));
    else if (a->cfg.controller && lchown(path, d->controller_uid, (gid_t)-1) < 0)
        chmod(path, 0666);
    free(path);
    if (fd < 0)
        return fd;
    agent_watch_listener(d, fd);
    return 0;
}

/* Running tasks go on, admitted or not. */
static void agent_read_policy_again(struct agent_daemon *d)
{
    struct agent *a = &d->a;
    struct errtext err;
    if (rights_ask_policy(a->rights, &err) < 0) {
        log_error("policy refused, the old one is kept: %s", err.s);
        return;
    }
    containment_close_gpus(a->containment);
    a->facts.t_policy = loop_wall(a->loop);
    log_info("policy read again");
    agent_report(d);
}

static void agent_on_signal(void *ctx, int signo)
{
    struct agent_daemon *d = ctx;
    struct agent *a = &d->a;
    if (signo == SIGTERM || signo == SIGINT) {
        loop_stop(a->loop);
        return;
    }
    if (signo == SIGHUP)
        agent_read_policy_again(d);
    if (signo != SIGCHLD)
        return;
    pid_t pid;
    int status;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        if (!spawn_server_child_ended(&d->spawn_server, pid) && !node_gpus_child_ended(a->gpus, pid)) {
            rights_client_child_ended(a->rights, pid, status);
            waiting_shims_child_ended(a->waiting, pid, status);
            task_shim_child_ended(a, pid);
        }
}

static void agent_on_turn(void *ctx)
{
    struct agent_daemon *d = ctx;
    wire_flush_all(&d->a.dirty);
    task_table_remove_over(d->a.tasks);
    if (d->spawn_server.lost)
        loop_stop(d->a.loop);
}

static int agent_read_dir(struct agent_daemon *d, struct errtext *err)
{
    struct agent *a = &d->a;
    gid_t gid;
    int r = a->cfg.launched ? agent_dir_open_given(&a->dir, a->cfg.dir, err)
                            : agent_dir_open(&a->dir, a->cfg.dir, a->root, 0, err);
    if (r == 0 && a->cfg.controller)
        r = privdrop_find_user(a->cfg.controller, &d->controller_uid, &gid, err);
    if (r == 0)
        r = ended_open(a->ended, a->dir.fd, err);
    if (r == 0)
        controller_id_load(a->controller, a->dir.fd);
    return r;
}

/* An agent that has root's rights itself gets no filter: it needs calls that the filter forbids, for
 * example to close devices to tasks. */
static bool agent_is_confined(const struct agent *a)
{
    return a->cfg.launched || geteuid() != 0;
}

static void agent_give_up(const struct agent *a)
{
    if (agent_is_confined(a) && confine_system_calls(CONFINE_NETWORK, "stoker-agent") < 0)
        log_warn("system calls are not restricted");
}

/* The rights, and what they are needed for at the beginning. */
static int agent_find_rights(struct agent_daemon *d, struct errtext *err)
{
    struct agent *a = &d->a;
    a->waiting = waiting_shims_new(a);
    const struct rights_config cfg = {.policy = a->cfg.policy,
                                      .clients = a->cfg.clients,
                                      .shim = a->cfg.shim,
                                      .shim_mode = a->cfg.shim_mode,
                                      .reader = a->cfg.reader,
                                      .spawner = spawn_server_spawner(&d->spawn_server),
                                      .agent = geteuid(),
                                      .is_helper = agent_is_helper,
                                      .ctx = d,
                                      .take_shim = waiting_shims_take,
                                      .shims = a->waiting};
    a->rights = rights_client_new(a, a->cfg.launched ? LAUNCHED_RIGHTS_FD : -1, &cfg);
    return rights_ask_policy(a->rights, err);
}

/* Before there is a loop. */
static void agent_inspect_machine(struct agent_daemon *d)
{
    struct agent *a = &d->a;
    probe_machine(&a->facts.probe);
    cpu_order_read(&a->facts.probe.cpus, CPU_ORDER_SYSFS, &a->facts.cpu_order);
    disk_reserve_take(&a->dir);
    a->containment = containment_new(a);
    containment_note_session(a);
    if (a->root && a->cfg.controller && !a->cfg.launched)
        strv_push(&a->facts.notes, "the agent has the rights of root: there is no account stoker-agent");
}

static int agent_start(struct agent_daemon *d, struct errtext *err)
{
    struct agent *a = &d->a;
    a->root = a->cfg.launched || geteuid() == 0;
    programs_hold();
    umask(077);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_DUMPABLE, 0);
    /* This comes first, so that the process inherits nothing. */
    int r = agent_is_confined(a) ? spawn_server_start(&d->spawn_server, a->cfg.shim, err) : 0;
    r = r ? r : agent_read_dir(d, err);
    r = r ? r : agent_find_rights(d, err);
    if (r < 0)
        return r;
    agent_inspect_machine(d);
    a->loop = loop_new();
    a->facts.t_agent = loop_wall(a->loop);
    d->listen_again = (struct loop_timer){.fn = agent_listen_again, .ctx = d};
    d->idle = (struct loop_timer){.fn = agent_on_idle, .ctx = d};
    loop_on_signals(a->loop, (int[]){SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGPIPE}, 5, agent_on_signal, d);
    loop_on_turn(a->loop, agent_on_turn, d);
    rights_client_watch(a->rights);
    a->sweep = sweep_new(a);
    d->spool = spool_new(a);
    d->outfiles = outfiles_new(a);
    a->disk = disk_reserve_new(a->loop, &a->dir, agent_report, d);
    a->clients = local_clients_new(a);
    a->usage = node_usage_new(a);
    a->spool_quota = spool_quota_new(a);
    a->gpus = node_gpus_new(&(struct node_gpus_config){.loop = a->loop,
                                                       .facts = &a->facts,
                                                       .dir_fd = a->dir.fd,
                                                       .look_ms = a->cfg.gpu_look_ms,
                                                       .spawner = spawn_server_spawner(&d->spawn_server),
                                                       .test_nvml = a->cfg.test_nvml,
                                                       .ops = &agent_gpus_ops,
                                                       .ctx = d});
    containment_close_gpus(a->containment);
    if (!a->cfg.launched)
        own_rights_reduce(a->cfg.controller != NULL);
    r = agent_listen(d, err);
    agent_give_up(a);
    return r;
}

static void agent_stop(struct agent_daemon *d)
{
    struct agent *a = &d->a;
    containment_finish(a->containment);
    while (!list_empty(&d->peers))
        peer_drop(list_first(&d->peers, struct agent_peer, in_peers), "the agent stops");
    spool_free(d->spool);
    outfiles_free(d->outfiles);
    local_clients_free(a->clients);
    node_usage_free(a->usage);
    spool_quota_free(a->spool_quota);
    node_gpus_free(a->gpus);
    task_table_free(a->tasks);
    sweep_free(a->sweep);
    disk_reserve_free(a->disk);
    ended_close(a->ended);
    node_policy_fini(&a->policy);
    containment_free(a->containment);
    rights_client_free(a->rights);
    waiting_shims_free(a->waiting);
    spawn_server_stop(&d->spawn_server);
    node_facts_fini(&a->facts);
    if (d->listener.fd >= 0)
        close(d->listener.fd);
    loop_free(a->loop);
    agent_dir_close(&a->dir);
}

static void agent_tell_starter(const struct agent_config *cfg)
{
    if (cfg->ready_fd >= 0 && write(cfg->ready_fd, "", 1) != 1)
        log_warn("launcher gone before startup completed");
    if (cfg->ready_fd >= 0)
        close(cfg->ready_fd);
    if (cfg->starter_fd >= 0)
        close(cfg->starter_fd);
}

int agent_run(const struct agent_config *cfg, struct errtext *err)
{
    struct agent_daemon d = {
        .a = {.cfg = *cfg,
              .dir = AGENT_DIR_INIT,
              .controller = &d.controller,
              .ended = &d.ended,
              .lease = &d.lease},
        .controller = {.kill_wait_s = KILL_WAIT_S},
        .ended = {.fd = -1},
        .listener = {.fd = -1},
    };
    struct agent *a = &d.a;
    list_init(&a->dirty);
    list_init(&d.peers);
    a->tasks = task_table_new(agent_on_task_end, &d);
    int r = agent_start(&d, err);
    if (r == 0) {
        log_info("node=%s dir=%s pid=%d", cfg->node, a->dir.path, (int)getpid());
        agent_tell_starter(cfg);
        adopt_begin(&d.adoption, a);
        loop_timer_set(a->loop, &d.idle, IDLE_MS);
        loop_run(a->loop);
        wire_flush_all(&a->dirty);
        log_info("node=%s stops, tasks=%u go on", cfg->node, a->tasks->n_live);
    }
    agent_stop(&d);
    return r;
}
