/* agent.c - the daemon on a node: its directory, its socket, the controller that it obeys.
 *
 * Obeys one controller at a time: the one with the cluster's uuid and the highest epoch seen, which is
 * remembered on disk, and its incarnation: two that came to the same epoch by ways of their own (a copy of
 * the state, an old machine that comes back) are told apart by it. A restart changes nothing for a task:
 * everything it must know lies in the task directories.
 */
#include "backend/agent/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/agent/agent_private.h"
#include "backend/node/cpu_order.h"
#include "backend/task/atomic_file.h"
#include "backend/task/programs.h"
#include "src/base/exe_path.h"
#include "src/base/log.h"
#include "src/base/privdrop.h"
#include "src/base/ulimit.h"
#include "src/base/unixsock.h"
#include "src/base/xalloc.h"

#define PEERS_MAX       64
#define KILL_WAIT_S     30
#define ACCEPT_PAUSE_MS 200
#define IDLE_MS         5000 /* without a controller and without tasks */
#define STUCK_MS        60000
#define STUCK_VARIABLE  "STOKER_STUCK_MS" /* for tests: another time */
#define SOCKET_DEFAULT  "agent.sock"
#define SPARED          "-900" /* oom_score_adj of the agent and its shims */

void agent_send(struct agent *a, enum msg_kind kind, uint64_t tag, const void *body)
{
    if (a->controller)
        wire_send(&a->controller->wire, kind, tag, msg_rec(kind), body);
}

/* --- which controller --- */

static int store_cluster(struct agent *a)
{
    char text[128];
    int len = snprintf(text, sizeof text, "%s %llu %llx\n", a->cluster, (unsigned long long)a->epoch,
                       (unsigned long long)a->incarnation);
    int r = keep_write(a->dir_fd, "cluster", text, (size_t)len, true);
    if (r == 0)
        fsync(a->dir_fd);
    keep_reserve(a->dir_fd, "cluster"); /* the first time there was nothing to change places with */
    return r;
}

static void load_cluster(struct agent *a)
{
    int fd = openat(a->dir_fd, "cluster", O_RDONLY | O_CLOEXEC);
    char text[128];
    unsigned long long epoch, incarnation = 0;
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    if (sscanf(text, "%63s %llu %llx", a->cluster, &epoch, &incarnation) < 2) {
        a->cluster[0] = '\0';
        return;
    }
    a->epoch = epoch;
    a->incarnation = incarnation;
}

static int check_hello(struct agent *a, const struct msg_hello *h, struct errtext *err)
{
    if (!a->adopted)
        return err_set(err, -EAGAIN, "tasks of the agent before this one cannot be read now; see its log");
    if (h->version < PROTO_VERSION_MIN || h->version > PROTO_VERSION)
        return err_set(err, -EPROTO, "this agent speaks protocol %d, the controller %u", PROTO_VERSION,
                       h->version);
    if (str_is_empty(h->cluster) || strlen(h->cluster) >= sizeof a->cluster || strpbrk(h->cluster, " \n\t"))
        return err_set(err, -EPROTO, "the controller does not name its cluster");
    if (a->cluster[0] && strcmp(h->cluster, a->cluster) != 0)
        return err_set(err, -EPERM,
                       "this node belongs to cluster %s, not to %s (to give it away: stop the agent, "
                       "remove %s/cluster)",
                       a->cluster, h->cluster, a->dir);
    if (a->cluster[0] && h->epoch < a->epoch)
        return err_set(err, -EPERM, "epoch %llu is over: this node obeys %llu",
                       (unsigned long long)h->epoch, (unsigned long long)a->epoch);
    bool same = a->cluster[0] && h->epoch == a->epoch;
    if (same && a->incarnation && h->incarnation != a->incarnation)
        return err_set(err, -EPERM,
                       "epoch %llu is over: this node obeys %llu of another controller with the same state",
                       (unsigned long long)h->epoch, (unsigned long long)a->epoch);
    if (!str_is_empty(h->node) && strcmp(h->node, a->cfg.node) != 0)
        return err_set(err, -EPERM,
                       "the agent here is that of node %s, not of %s: give the node that name in the "
                       "controller's configuration, or start the agent with --node=%s",
                       a->cfg.node, h->node, h->node);
    if (same && h->incarnation == a->incarnation)
        return 0;
    if (!a->cluster[0]) {
        unsigned n = tasks_hand_over(a);
        if (n)
            return err_set(
                err, -EBUSY,
                "this node still holds %u tasks of the cluster that it belonged to: stop the agent, end "
                "them, remove what is in %s",
                n, a->tasks_dir);
        /* Launches of another cluster have the same numbers. */
        tomb_clear(&a->tomb);
    }
    char old[sizeof a->cluster];
    uint64_t old_epoch = a->epoch, old_incarnation = a->incarnation;
    memcpy(old, a->cluster, sizeof old);
    snprintf(a->cluster, sizeof a->cluster, "%s", h->cluster);
    a->epoch = h->epoch;
    a->incarnation = h->incarnation;
    int r = store_cluster(a);
    if (r < 0) {
        memcpy(a->cluster, old, sizeof old);
        a->epoch = old_epoch;
        a->incarnation = old_incarnation;
        return err_set(err, r, "the agent cannot remember the controller's epoch: %s", strerror(-r));
    }
    return 0;
}

bool agent_binds_cpus(const struct agent *a)
{
    return !a->has_spec || a->spec.cpus <= a->probe.n_cpus;
}

void agent_describe_gpus(const struct agent *a, struct msg_agent *m)
{
    const struct node_spec *s = &a->spec;
    bool declared = a->has_spec && !s->detect;
    m->gpus = declared && s->gpus != UINT32_MAX ? s->gpus : a->probe.gpus;
    const char *type = declared && s->gpu_type ? s->gpu_type : a->probe.gpu_type;
    m->gpu_type = *type ? xstrdup(type) : NULL;
}

static void describe(struct agent *a, struct msg_agent *m)
{
    const struct node_spec *s = &a->spec;
    bool declared = a->has_spec && !s->detect;
    m->boot_id = xstrdup(a->probe.boot_id);
    m->arch = xstrdup(a->probe.arch);
    m->os = xstrdup(a->probe.os);
    m->cpus = declared && s->cpus ? s->cpus : a->probe.n_cpus;
    m->mem_mib = declared && s->mem_mib ? s->mem_mib : a->probe.mem_mib;
    agent_describe_gpus(a, m);
    for (size_t i = 0; i < a->notes.n; i++)
        strv_push(&m->notes, a->notes.v[i]);
    if (!agent_binds_cpus(a))
        strv_push(&m->notes, "cpus: not bound (more are declared than there are)");
    gpus_describe(a, m);
    m->t_boot = a->probe.t_boot;
    m->t_agent = a->t_agent;
    m->t_policy = a->t_policy;
    m->spool_full = a->spool_full;
    m->tmp_mib = a->probe.tmp_mib;
    tasks_list(a, m);
}

static void drop_peer(struct peer *p, const char *why)
{
    struct agent *a = p->a;
    if (a->controller == p) {
        log_info("the controller's connection is over: %s", why);
        a->controller = NULL;
        util_watch(a, false);
        spool_drop_waits(a);
        clients_drop(a);
        loop_timer_set(a->loop, &a->idle, IDLE_MS);
    }
    wire_close(&p->wire);
    list_unlink(&p->link);
    free(p);
}

/* Where srun and the others lie, if this program came with them. */
static char *own_dir(void)
{
    char *srun = self_sibling("srun");
    free(srun);
    return srun ? self_dir() : NULL;
}

static struct msg_agent answer(const struct agent *a)
{
    return (struct msg_agent){
        .version = PROTO_VERSION, .node = xstrdup(a->cfg.node), .release = xstrdup(STOKER_VERSION)};
}

/* Where its clients are, for a controller that reaches it over SSH. */
static void describe_way_back(struct agent *a, struct msg_agent *m)
{
    if (!a->has_spec || !str_eq(a->spec.transport, "ssh"))
        return;
    m->client_socket = clients_listen(a);
    m->bin_dir = own_dir();
    if (m->client_socket)
        door_keep(a, m->client_socket);
}

void agent_tell(struct agent *a)
{
    struct msg_agent m = answer(a);
    describe(a, &m);
    describe_way_back(a, &m);
    agent_send(a, MSG_AGENT, 0, &m);
    rec_fini(&msg_agent_rec, &m);
}

static void take_hello(struct peer *p, uint64_t tag, struct msg_hello *h)
{
    struct agent *a = p->a;
    struct errtext err;
    struct msg_agent m = answer(a);
    int r = check_hello(a, h, &err);
    if (r < 0) {
        log_warn("controller=%s refused: %s", h->program ? h->program : "?", err.s);
        m.refused = xstrdup(err.s);
    } else {
        if (a->controller && a->controller != p)
            drop_peer(a->controller, "another connection of the controller took over");
        if (a->controller != p)
            log_info("controller connected epoch=%llu", (unsigned long long)a->epoch);
        a->controller = p;
        a->kill_wait_s = h->kill_wait_s;
        rec_fini(&node_spec_rec, &a->spec);
        a->spec = h->spec;
        h->spec = (struct node_spec){0};
        a->has_spec = a->spec.name != NULL;
        describe(a, &m);
        describe_way_back(a, &m);
    }
    wire_send(&p->wire, MSG_AGENT, tag, &msg_agent_rec, &m);
    rec_fini(&msg_agent_rec, &m);
    if (r == 0)
        tasks_send_ends(a);
}

/* --- messages --- */

/* An agent that nobody needs goes: the next controller starts another. */
static void on_idle(void *ctx)
{
    struct agent *a = ctx;
    if (a->controller || a->cfg.controller)
        return;
    if (!a->n_live && list_empty(&a->lost))
        loop_stop(a->loop);
    else
        loop_timer_set(a->loop, &a->idle, IDLE_MS);
}

static int take_stop(struct agent *a)
{
    if (a->cfg.controller)
        log_info("no more is wanted of this node for now; the service goes on");
    else if (a->n_live)
        log_warn("asked to stop while tasks=%u run: goes on", a->n_live);
    else
        loop_stop(a->loop);
    return 0;
}

static int take_order(struct peer *p, const struct frame *f, void *body)
{
    struct agent *a = p->a;
    if (a->controller != p)
        return -EPERM;
    const struct msg_flag *flag = body;
    switch (f->type) {
    case MSG_LAUNCH:
        lease_take(p, f->tag);
        tasks_launch(a, body, f);
        return 0;
    case MSG_KILL: tasks_kill(a, body); return 0;
    case MSG_END_ACK: tasks_ack(a, body); return 0;
    case MSG_OUTPUT_READ: spool_read(a, f->tag, body); return 0;
    case MSG_INPUT: tasks_input(a, f->tag, body, f); return 0;
    case MSG_PMI_ALL: tasks_pmi(a, body, f); return 0;
    case MSG_WATCH_UTIL: util_watch(a, flag->on); return 0;
    case MSG_AGENT_STOP: return take_stop(a);
    case MSG_CALL_DATA:
    case MSG_CALL_TAKEN:
    case MSG_CALL_END: return stream_mux_take(&a->calls, f->type, body);
    default: return -EPROTO;
    }
}

static int on_peer_frame(void *ctx, const struct frame *f)
{
    struct peer *p = ctx;
    struct errtext err;
    void *body;
    int r = msg_decode(f, &body, &err);
    if (r < 0) {
        log_warn("uid=%u sent what cannot be read: %s", p->uid, err.s);
        return r;
    }
    if (f->type == MSG_HELLO) {
        take_hello(p, f->tag, body);
    } else if (f->type == MSG_PING) {
        lease_take_ping(p, f->tag);
        wire_send(&p->wire, MSG_PONG, f->tag, &msg_none_rec, &(struct msg_none){0});
    } else if (f->type != MSG_PONG) {
        r = take_order(p, f, body);
    }
    msg_free(f->type, body);
    return r;
}

static void on_peer_close(void *ctx, const char *why)
{
    drop_peer(ctx, why);
}

static const struct wire_ops peer_ops = {.on_frame = on_peer_frame, .on_close = on_peer_close};

static void listen_again(void *ctx)
{
    struct agent *a = ctx;
    loop_watch(a->loop, &a->listener, LOOP_READ);
}

static void on_listener(void *ctx, unsigned ready)
{
    (void)ready;
    struct agent *a = ctx;
    int fd = accept4(a->listener.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)) {
        /* The connection stays in the queue: without a pause every turn would try again. */
        loop_watch(a->loop, &a->listener, 0);
        loop_timer_set(a->loop, &a->listen_again, ACCEPT_PAUSE_MS);
    }
    if (fd < 0)
        return;
    struct ucred peer;
    socklen_t len = sizeof peer;
    size_t n = 0;
    list_for_each (p, &a->peers, struct peer, link)
        n++;
    if (n >= PEERS_MAX || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0 ||
        (peer.uid != 0 && peer.uid != geteuid() && !(a->cfg.controller && peer.uid == a->controller_uid))) {
        close(fd);
        return;
    }
    struct peer *p = xcalloc(1, sizeof *p);
    *p = (struct peer){.a = a, .uid = peer.uid, .serial = ++a->last_serial};
    list_append(&a->peers, &p->link);
    wire_open(&p->wire, a->loop, &a->dirty, fd, FRAME_MAX, &peer_ops, p);
}

/* --- start --- */

static int make_dirs(struct agent *a, struct errtext *err)
{
    char *p = xstrdup(a->cfg.dir);
    mode_t mode = a->root ? 0711 : 0700; /* users of a root agent pass through to their scripts */
    for (char *slash = strchr(p + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(p, 0755);
        *slash = '/';
    }
    free(p);
    if (mkdir(a->cfg.dir, mode) < 0 && errno != EEXIST)
        return err_set(err, -errno, "cannot make %s: %s", a->cfg.dir, strerror(errno));
    a->dir = realpath(a->cfg.dir, NULL);
    a->dir_fd = open(a->cfg.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat st;
    if (!a->dir || a->dir_fd < 0 || fstat(a->dir_fd, &st) < 0)
        return err_set(err, -errno, "cannot open %s: %s", a->cfg.dir, strerror(errno));
    if (st.st_uid != geteuid())
        return err_set(err, -EPERM, "%s belongs to another user", a->dir);
    if (fchmod(a->dir_fd, mode) < 0)
        return err_set(err, -errno, "cannot protect %s: %s", a->dir, strerror(errno));
    if (mkdirat(a->dir_fd, "tasks", mode) < 0 && errno != EEXIST)
        return err_set(err, -errno, "cannot make %s/tasks: %s", a->dir, strerror(errno));
    a->tasks_fd = openat(a->dir_fd, "tasks", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    a->tasks_dir = xasprintf("%s/tasks", a->dir);
    return a->tasks_fd < 0 ? err_set(err, -errno, "cannot open %s: %s", a->tasks_dir, strerror(errno)) : 0;
}

static int take_lock(struct agent *a, struct errtext *err)
{
    a->lock_fd = openat(a->dir_fd, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (a->lock_fd < 0)
        return err_set(err, -errno, "cannot open %s/lock: %s", a->dir, strerror(errno));
    if (flock(a->lock_fd, LOCK_EX | LOCK_NB) < 0)
        return err_set(err, errno == EWOULDBLOCK ? -EEXIST : -errno, "an agent runs already in %s", a->dir);
    char *program = self_path();
    if (ftruncate(a->lock_fd, 0) == 0) /* a bridge of another release reads it */
        dprintf(a->lock_fd, "%d\n%s\n", (int)getpid(), program ? program : "");
    free(program);
    return 0;
}

static int listen_at(struct agent *a, struct errtext *err)
{
    char *path = a->cfg.socket ? xstrdup(a->cfg.socket) : xasprintf("%s/" SOCKET_DEFAULT, a->dir);
    /* Who connects is looked at: a user of the controller's must at least get that far. */
    int fd = unixsock_listen(path, a->cfg.controller ? 0666 : 0600, 64);
    if (fd < 0)
        err_set(err, fd, "cannot listen at %s: %s", path, strerror(-fd));
    free(path);
    if (fd < 0)
        return fd;
    a->listener = (struct loop_fd){.fd = fd, .fn = on_listener, .ctx = a};
    loop_watch(a->loop, &a->listener, LOOP_READ);
    return 0;
}

/* Descriptors are one per task, and memory holds users' environments: no core files. The tasks get the
 * limits that were here before, or those of the controller's start where that has started this agent. */
static void set_limits(struct agent *a)
{
    uint64_t nofile = 0;
    char text[32];
    a->core = ULIMIT_UNLIMITED;
    ulimit_get(ULIMIT_NOFILE, &nofile);
    ulimit_get(ULIMIT_CORE, &a->core);
    ulimit_inherited(&nofile, &a->core);
    a->nofile = nofile > UINT32_MAX ? UINT32_MAX : (uint32_t)nofile;
    ulimit_set(ULIMIT_NOFILE, ULIMIT_UNLIMITED);
    ulimit_set(ULIMIT_CORE, 0);
    if (proc_read_file("/proc/self/oom_score_adj", text, sizeof text) > 0)
        a->oom_score_adj = atoi(text);
    /* Not permitted in some containers: then agent and shims are as mortal as their tasks. */
    int fd = a->root ? open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC) : -1;
    a->spared = fd >= 0 && write(fd, SPARED, sizeof SPARED - 1) > 0;
    if (fd >= 0)
        close(fd);
}

/* An agent in the scope of a login goes with it where the system is set up that way. */
static void note_session(struct agent *a)
{
    char text[4096];
    if (a->root || proc_read_file("/proc/self/cgroup", text, sizeof text) <= 0 ||
        !strstr(text, "/session-"))
        return;
    strv_push(&a->notes,
              "started in a login session: it may be ended with it (loginctl enable-linger prevents that)");
    log_warn("started in a login session: where logind kills the processes of a session, this agent and "
             "its tasks end "
             "with it");
}

static int find_controller_user(struct agent *a, struct errtext *err)
{
    gid_t gid;
    return a->cfg.controller ? drop_find_user(a->cfg.controller, &a->controller_uid, &gid, err) : 0;
}

/* What runs goes on, allowed or not. */
static void read_policy_again(struct agent *a)
{
    struct policy p;
    struct errtext err;
    if (policy_load(&p, a->dir_fd, a->cfg.policy, &err) < 0) {
        log_error("policy refused, the old one is kept: %s", err.s);
        return;
    }
    policy_fini(&a->policy);
    a->policy = p;
    a->t_policy = loop_wall(a->loop);
    log_info("policy read again");
    if (a->controller)
        agent_tell(a);
}

static void on_signal(void *ctx, int signo)
{
    struct agent *a = ctx;
    if (signo == SIGTERM || signo == SIGINT) {
        loop_stop(a->loop);
        return;
    }
    if (signo == SIGHUP)
        read_policy_again(a);
    if (signo != SIGCHLD)
        return;
    pid_t pid;
    while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
        if (!gpus_child_ended(a, pid) && !forkserver_child_ended(&a->forkserver, pid))
            tasks_child_ended(a, pid);
}

static void on_turn(void *ctx)
{
    struct agent *a = ctx;
    wire_flush_all(&a->dirty);
}

static int start(struct agent *a, struct errtext *err)
{
    a->root = geteuid() == 0;
    programs_hold();
    umask(077);
    int r = make_dirs(a, err);
    if (r == 0)
        r = take_lock(a, err);
    if (r == 0)
        r = policy_load(&a->policy, a->dir_fd, a->cfg.policy, err);
    if (r == 0)
        r = find_controller_user(a, err);
    if (r == 0)
        r = tomb_open(&a->tomb, a->dir_fd, err);
    if (r < 0)
        return r;
    load_cluster(a);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_DUMPABLE, 0);
    set_limits(a);
    probe_machine(&a->probe);
    cores_order(&a->probe.cpus, CORES_SYSFS, &a->cpu_order);
    room_reserve(a);
    cgroup_setup(a);
    note_session(a);
    const char *stuck = getenv(STUCK_VARIABLE);
    a->stuck_ms = stuck && atoi(stuck) > 0 ? (uint32_t)atoi(stuck) : STUCK_MS;
    a->loop = loop_new();
    a->t_agent = loop_wall(a->loop);
    a->listen_again = (struct loop_timer){.fn = listen_again, .ctx = a};
    a->sweep = (struct loop_timer){.fn = sweep_fire, .ctx = a};
    loop_on_signals(a->loop, (int[]){SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGPIPE}, 5, on_signal, a);
    loop_on_turn(a->loop, on_turn, a);
    gpus_start(a);
    devices_setup(a);
    return listen_at(a, err);
}

static void stop(struct agent *a)
{
    while (!list_empty(&a->peers))
        drop_peer(list_first(&a->peers, struct peer, link), "the agent stops");
    if (a->loop) {
        spool_fini(a);
        outfile_fini(a);
        clients_fini(a);
        util_watch(a, false);
        gpus_stop(a);
    }
    while (!list_empty(&a->tasks))
        tasks_free(list_first(&a->tasks, struct atask, link));
    forkserver_stop(&a->forkserver);
    idmap_fini(&a->by_key);
    idmap_fini(&a->by_pid);
    tomb_close(&a->tomb);
    policy_fini(&a->policy);
    strv_fini(&a->notes);
    rec_fini(&node_spec_rec, &a->spec);
    if (a->listener.fd >= 0)
        close(a->listener.fd);
    loop_free(a->loop);
    free(a->dir);
    free(a->tasks_dir);
    cgroup_fini(a);
    free(a->cpu_order.p);
    for (int i = 0, fds[] = {a->tasks_fd, a->lock_fd, a->dir_fd}; i < 3; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

int agent_run(const struct agent_config *cfg, struct errtext *err)
{
    struct agent a = {
        .cfg = *cfg,
        .dir_fd = -1,
        .tasks_fd = -1,
        .lock_fd = -1,
        .listener = {.fd = -1},
        .inotify = {.fd = -1},
        .tomb = {.fd = -1},
        .kill_wait_s = KILL_WAIT_S,
        .forkserver = {.program = cfg->shim, .mode = cfg->shim_mode},
    };
    list_init(&a.dirty);
    list_init(&a.peers);
    list_init(&a.tasks);
    list_init(&a.lost);
    list_init(&a.spool_waits);
    list_init(&a.outfiles);
    clients_init(&a);
    int r = start(&a, err);
    if (r == 0) {
        log_info("node=%s dir=%s pid=%d", cfg->node, a.dir, (int)getpid());
        if (cfg->ready_fd >= 0 && write(cfg->ready_fd, "", 1) != 1)
            log_warn("nobody waits for the start any more");
        if (cfg->ready_fd >= 0)
            close(cfg->ready_fd);
        if (cfg->starter_fd >= 0)
            close(cfg->starter_fd);
        adopt_all(&a);
        a.idle = (struct loop_timer){.fn = on_idle, .ctx = &a};
        loop_timer_set(a.loop, &a.idle, IDLE_MS);
        loop_run(a.loop);
        wire_flush_all(&a.dirty);
        log_info("node=%s stops, tasks=%u go on", cfg->node, a.n_live);
    }
    stop(&a);
    return r;
}
