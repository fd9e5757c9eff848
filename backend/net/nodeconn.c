#include "backend/net/nodeconn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/net/peer_texts.h"
#include "src/base/idmap.h"
#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/os/exe_path.h"
#include "src/os/log.h"
#include "src/os/spawn.h"
#include "src/os/unixsock.h"

#define RETRY_MIN_MS 5
#define RETRY_MAX_MS 2000
#define RETRY_CLOSED_MS \
    400 /* for an agent on this machine that ended without a fault: another one is there soon */
#define SSH_MIN_MS       500
#define SSH_MAX_MS       30000
#define REFUSED_MIN_MS   30000
#define REFUSED_MAX_MS   600000
#define GOOD_MS          30000 /* after a connection that lasted this long the pause starts from its shortest */
#define LOG_MS           60000 /* lines of the log about one node's connections in a minute: */
#define LOG_LINES        20
#define BEATS_MISSED     3
#define FRAME_FROM_AGENT (4u << 20)
#define QUEUE_MAX        (64u << 20)

struct nodeconn {
    struct loop *loop;
    char *dir, *log, *node;
    char *socket; /* of an agent that a service manager keeps; NULL: one of ours in dir */
    struct msg_hello hello;
    uint64_t hello_ticket;
    const struct nodeconn_ops *ops;
    void *ctx;
    struct conn *conn;
    struct loop_timer retry, beat;
    int64_t pause_ms, beat_ms;
    uint64_t committed;
    unsigned missed;
    uint32_t beats, heard; /* the newest heartbeat, the newest that was answered; of this connection */
    struct mono t_heard;   /* when that was; at first when we began */
    struct mono t_up;      /* when its agent greeted */
    struct mono t_log;     /* start of the minute that n_logged counts */
    unsigned n_logged;
    int start_error; /* of the last try to start an agent: said once */
    pid_t starter;   /* the first process of an agent, which waits until that listens; 0: none */
    struct loop_fd starter_watch;
    bool up, started;
    bool was_up, at_odds;   /* the last connection was greeted; it ended by a malformed message */
    bool greeting, refused; /* not answered yet; answered with a refusal */

    struct ssh_process *ssh; /* NULL: local */
    struct ssh_order to;
    struct ssh_stream call;
    int ssh_fd;           /* our end of an SSH session that is being made; -1: none */
    enum ssh_fault fault; /* of the last SSH session */
    char *trouble;        /* as told */
    uint64_t dice;
};

static void nodeconn_go_down(struct nodeconn *n, const char *why);

static int64_t nodeconn_pause_min(const struct nodeconn *n)
{
    return n->ssh ? SSH_MIN_MS : RETRY_MIN_MS;
}

static bool nodeconn_is_refusal(enum ssh_fault f)
{
    return f == SSH_FAULT_LOGIN || f == SSH_FAULT_HOSTKEY_UNKNOWN || f == SSH_FAULT_HOSTKEY_CHANGED;
}

/* Half as long to half as long again, so that nodes that were lost together do not come back together. */
static int64_t nodeconn_jitter(struct nodeconn *n, int64_t ms)
{
    n->dice = n->dice * 6364136223846793005u + 1442695040888963407u;
    return ms / 2 + (int64_t)((n->dice >> 33) % (uint64_t)(ms + 1));
}

/* After a refusal never sooner than planned: that is what sshd counts. */
static int64_t nodeconn_pause_of(struct nodeconn *n, bool refused)
{
    if (!n->ssh)
        return n->pause_ms;
    int64_t ms = nodeconn_jitter(n, n->pause_ms);
    if (!refused)
        return ms;
    ms = n->pause_ms + ms / 3;
    return ms > REFUSED_MAX_MS ? REFUSED_MAX_MS : ms;
}

static void nodeconn_retry_later(struct nodeconn *n)
{
    bool refused = nodeconn_is_refusal(n->fault);
    /* An agent that refuses will still refuse two seconds later, also on this machine. */
    int64_t max = refused                    ? REFUSED_MAX_MS
                  : n->ssh || n->refused     ? SSH_MAX_MS
                  : n->was_up && !n->at_odds ? RETRY_CLOSED_MS
                                             : RETRY_MAX_MS;
    if (refused && n->pause_ms < REFUSED_MIN_MS)
        n->pause_ms = REFUSED_MIN_MS;
    n->pause_ms = n->pause_ms > max ? max : n->pause_ms;
    loop_timer_set(n->loop, &n->retry, nodeconn_pause_of(n, refused));
    n->pause_ms = n->pause_ms * 2 > max ? max : n->pause_ms * 2;
}

static void nodeconn_tell_trouble(struct nodeconn *n, const char *text)
{
    char *clean = xstrdup(text);
    utf8_clean(clean, PEER_TEXT_MAX);
    if (str_eq(n->trouble, clean)) {
        free(clean);
        return;
    }
    free(n->trouble);
    n->trouble = clean;
    n->ops->on_trouble(n->ctx, n, n->trouble);
}

/* A node that greets and then breaks the protocol, again and again, must not fill the log's disk. */
bool nodeconn_may_log(struct nodeconn *n)
{
    struct mono now = loop_now(n->loop);
    if (!n->t_log.ns || now.ns - n->t_log.ns >= LOG_MS * NS_PER_MS) {
        n->t_log = now;
        n->n_logged = 0;
    }
    if (n->n_logged == LOG_LINES)
        log_warn("node=%s more lines like these are left out for a minute", n->node);
    n->n_logged += n->n_logged <= LOG_LINES;
    return n->n_logged <= LOG_LINES;
}

static void nodeconn_drop_line(struct nodeconn *n)
{
    ssh_process_forget(&n->call);
    if (n->ssh_fd >= 0)
        close(n->ssh_fd);
    n->ssh_fd = -1;
}

/* With each heartbeat and each launch goes the number of the newest answer that has come: so its agent
 * learns when it was heard last. See backend/agent/lease.c. */
static uint64_t nodeconn_heard_tag(const struct nodeconn *n)
{
    return (uint64_t)n->heard << 32;
}

static void nodeconn_send_beat(struct nodeconn *n)
{
    conn_send(n->conn, 0, MSG_PING, nodeconn_heard_tag(n) | ++n->beats, NULL);
}

static void nodeconn_take_pong(struct nodeconn *n, uint64_t tag)
{
    uint32_t seq = (uint32_t)tag;
    if (seq <= n->heard || seq > n->beats)
        return;
    bool first = !n->heard;
    n->heard = seq;
    n->t_heard = loop_now(n->loop);
    if (first) /* the next launch must find that the agent has been heard */
        nodeconn_send_beat(n);
}

static int nodeconn_take_frame(struct nodeconn *n, const struct frame *f)
{
    struct errtext err;
    void *body = NULL;
    int r = msg_decode(f, &body, &err);
    if (r < 0) {
        if (nodeconn_may_log(n))
            log_warn("node=%s cannot read a message: %s", n->node, err.s);
        return r;
    }
    peer_texts_clean((enum msg_kind)f->type, body);
    n->missed = 0;
    if (f->type == MSG_AGENT) {
        struct msg_agent *m = body;
        if (m->refused) {
            if (!str_eq(n->trouble, m->refused))
                log_error("node=%s its agent refuses: %s", n->node, m->refused);
            n->refused = true;
            nodeconn_tell_trouble(n, m->refused);
            msg_free(f->type, body);
            return -EACCES;
        }
        if (!n->up)
            n->t_up = loop_now(n->loop);
        n->up = true;
        n->greeting = false;
        n->fault = SSH_FAULT_NONE;
        free(n->trouble);
        n->trouble = NULL;
        n->ops->on_agent(n->ctx, n, m);
    } else if (f->type == MSG_PONG) {
        nodeconn_take_pong(n, f->tag);
    } else {
        r = n->ops->on_msg(n->ctx, n, f->type, f->tag, body);
    }
    msg_free(f->type, body);
    return r;
}

static int nodeconn_on_frame(void *arg, struct conn *c, const struct frame *f)
{
    (void)c;
    struct nodeconn *n = arg;
    int r = nodeconn_take_frame(n, f);
    n->at_odds = r < 0;
    return r;
}

static void nodeconn_on_close(void *arg, struct conn *c, const char *why)
{
    (void)c;
    struct nodeconn *n = arg;
    n->conn = NULL;
    nodeconn_go_down(n, why);
}

static void nodeconn_on_drain(void *arg, struct conn *c)
{
    (void)c;
    struct nodeconn *n = arg;
    if (n->ops->on_drain)
        n->ops->on_drain(n->ctx, n);
}

static const struct conn_ops conn_ops = {
    .on_frame = nodeconn_on_frame, .on_close = nodeconn_on_close, .on_drain = nodeconn_on_drain};

static void nodeconn_go_down(struct nodeconn *n, const char *why)
{
    bool was_up = n->up, greeted_in_vain = n->ssh && n->greeting && !n->refused;
    if (was_up && loop_now(n->loop).ns - n->t_up.ns >= GOOD_MS * NS_PER_MS)
        n->pause_ms = nodeconn_pause_min(n);
    n->was_up = was_up;
    n->up = n->greeting = false;
    struct conn *c = n->conn;
    n->conn = NULL;
    conn_close(c);
    if (n->ssh_fd >= 0) /* given up while it was being made */
        nodeconn_drop_line(n);
    loop_timer_cancel(n->loop, &n->beat);
    nodeconn_retry_later(n);
    if (was_up) {
        n->ops->on_down(n->ctx, n, why);
    } else if (greeted_in_vain) {
        char *text = xasprintf("what answers there is no agent of this release: %s", why);
        nodeconn_tell_trouble(n, text);
        free(text);
    }
}

static void nodeconn_on_beat(void *arg)
{
    struct nodeconn *n = arg;
    if (++n->missed > BEATS_MISSED) {
        nodeconn_go_down(n, "no answer to heartbeats");
        return;
    }
    nodeconn_send_beat(n);
    loop_timer_set(n->loop, &n->beat, n->beat_ms);
}

static int nodeconn_connect_agent(const struct nodeconn *n)
{
    char *path = n->socket ? xstrdup(n->socket) : xasprintf("%s/agent.sock", n->dir);
    int fd = unixsock_connect(path, SOCK_NONBLOCK, 0);
    free(path);
    return fd;
}

/* --- an agent of our own --- */

/* Returns whether the starter has ended; false where there is none. */
static bool nodeconn_reap_starter(struct nodeconn *n)
{
    int status = 0;
    if (!n->starter || waitpid(n->starter, &status, WNOHANG) == 0)
        return false;
    n->starter = 0;
    if (n->starter_watch.fd >= 0) {
        loop_unwatch(n->loop, &n->starter_watch);
        close(n->starter_watch.fd);
        n->starter_watch.fd = -1;
    }
    if (status && !n->conn) {
        char *text = xasprintf("stoker-agent does not start: see the end of %s", n->log);
        nodeconn_tell_trouble(n, text);
        free(text);
    }
    return true;
}

static void nodeconn_on_starter(void *ctx, unsigned ready)
{
    (void)ready;
    struct nodeconn *n = ctx;
    if (nodeconn_reap_starter(n) && !n->conn && !n->trouble)
        loop_timer_set(n->loop, &n->retry, 0);
}

static void nodeconn_start_agent(struct nodeconn *n)
{
    char *path = exe_path_program("stoker-agent");
    char name[] = "stoker-agent", opt_node[] = "--node", opt_dir[] = "--dir", opt_log[] = "--log",
         daemon_opt[] = "--daemon";
    char *argv[] = {name, opt_node, n->node, opt_dir, n->dir, opt_log, n->log, daemon_opt, NULL};
    pid_t pid;
    int r = spawn_program(&(struct spawn){.path = path, .argv = argv}, &pid);
    if (r != 0 && r != n->start_error)
        log_error("node=%s cannot start %s: %s", n->node, path, strerror(-r));
    n->start_error = r;
    free(path);
    if (r < 0)
        return;
    /* Not waited for: it may look for GPUs, or wait for a disk, for as long as that takes. Without a
     * descriptor of the process its end is found at the next try to connect. */
    n->starter = pid;
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    n->starter_watch = (struct loop_fd){.fd = fd, .fn = nodeconn_on_starter, .ctx = n};
    if (fd >= 0)
        loop_watch(n->loop, &n->starter_watch, LOOP_READ);
}

static void nodeconn_begin(struct nodeconn *n, int fd)
{
    n->conn = conn_new(n->loop, fd, FRAME_FROM_AGENT, QUEUE_MAX, n->committed, &conn_ops, n);
    n->missed = 0;
    n->refused = n->at_odds = false;
    n->greeting = true;
    n->beats = n->heard = 0;
    loop_timer_set(n->loop, &n->beat, n->beat_ms);
    nodeconn_send_beat(n);
    nodeconn_greet(n);
}

/* The end of a stream may be seen before stoker-link reports it: the report then only tells why. */
static void nodeconn_on_link(void *ctx, enum ssh_phase phase, enum ssh_fault fault, const char *text)
{
    struct nodeconn *n = ctx;
    if (phase == SSH_PHASE_UP && n->ssh_fd >= 0) {
        int fd = n->ssh_fd;
        n->ssh_fd = -1;
        nodeconn_begin(n, fd);
    } else if (phase == SSH_PHASE_OVER) {
        n->fault = fault;
        if (n->ssh_fd >= 0 || n->conn)
            nodeconn_go_down(n, text);
        if (*text && fault != SSH_FAULT_NONE)
            nodeconn_tell_trouble(n, text);
    }
}

static void nodeconn_call_link(struct nodeconn *n)
{
    nodeconn_drop_line(n);
    n->call = (struct ssh_stream){.fn = nodeconn_on_link, .ctx = n};
    n->ssh_fd = ssh_process_open(n->ssh, &n->to, &n->call);
    if (n->ssh_fd >= 0)
        return;
    if (n->ssh_fd != -EAGAIN) {
        char *text = xasprintf("stoker-link cannot be started: %s", strerror(-n->ssh_fd));
        nodeconn_tell_trouble(n, text);
        free(text);
    }
    n->ssh_fd = -1;
    nodeconn_retry_later(n);
}

static void nodeconn_on_retry(void *arg)
{
    struct nodeconn *n = arg;
    if (n->ssh) {
        nodeconn_call_link(n);
        return;
    }
    nodeconn_reap_starter(n);
    int fd = nodeconn_connect_agent(n);
    if (fd < 0 && n->socket) {
        char *text = xasprintf(
            "no agent answers (%s): is its service running? systemctl status stoker-agent", strerror(-fd));
        nodeconn_tell_trouble(n, text);
        free(text);
        nodeconn_retry_later(n);
        return;
    }
    if (fd < 0) {
        if (!n->starter && (!n->started || fd == -ECONNREFUSED || fd == -ENOENT))
            nodeconn_start_agent(n);
        n->started = true;
        nodeconn_retry_later(n);
        return;
    }
    nodeconn_begin(n, fd);
}

struct nodeconn *nodeconn_new(struct loop *l, const struct nodeconn_config *cfg, uint64_t committed,
                              const struct nodeconn_ops *ops, void *ctx)
{
    struct nodeconn *n = xcalloc(1, sizeof *n);
    *n = (struct nodeconn){.loop = l,
                           .dir = xstrdup(cfg->dir),
                           .log = xstrdup(cfg->log),
                           .node = xstrdup(cfg->node),
                           .socket = xstrdup(cfg->socket),
                           .ops = ops,
                           .ctx = ctx,
                           .pause_ms = cfg->ssh ? SSH_MIN_MS : RETRY_MIN_MS,
                           .committed = committed,
                           .hello_ticket = cfg->hello_ticket,
                           .beat_ms = cfg->beat_ms,
                           .ssh = cfg->ssh,
                           .ssh_fd = -1,
                           .starter_watch = {.fd = -1}};
    n->t_heard = loop_now(l);
    n->dice = hash_bytes(n->node, strlen(n->node)) ^ (uint64_t)mono_read().ns;
    if (cfg->to)
        rec_copy(&ssh_order_rec, &n->to, cfg->to);
    rec_copy(&msg_hello_rec, &n->hello, cfg->hello);
    n->retry = (struct loop_timer){.fn = nodeconn_on_retry, .ctx = n};
    n->beat = (struct loop_timer){.fn = nodeconn_on_beat, .ctx = n};
    loop_timer_set(l, &n->retry, 0);
    return n;
}

void nodeconn_free(struct nodeconn *n)
{
    if (!n)
        return;
    conn_close(n->conn);
    if (n->starter_watch.fd >= 0) {
        loop_unwatch(n->loop, &n->starter_watch);
        close(n->starter_watch.fd);
    }
    loop_timer_cancel(n->loop, &n->retry);
    loop_timer_cancel(n->loop, &n->beat);
    nodeconn_drop_line(n);
    rec_fini(&ssh_order_rec, &n->to);
    rec_fini(&msg_hello_rec, &n->hello);
    free(n->trouble);
    free(n->socket);
    free(n->dir);
    free(n->log);
    free(n->node);
    free(n);
}

const char *nodeconn_node(const struct nodeconn *n)
{
    return n->node;
}

bool nodeconn_is_up(const struct nodeconn *n)
{
    return n && n->up;
}

bool nodeconn_send(struct nodeconn *n, uint64_t ticket, enum msg_kind kind, uint64_t tag, const void *body)
{
    if (!n || !n->conn || !n->up)
        return false;
    if (conn_send(n->conn, ticket, kind, tag, body))
        return true;
    nodeconn_go_down(n, "its queue is full");
    return false;
}

bool nodeconn_send_encoded(struct nodeconn *n, uint64_t ticket, enum msg_kind kind, uint64_t tag,
                           const void *p, size_t size)
{
    if (!n || !n->conn || !n->up)
        return false;
    if (conn_send_encoded(n->conn, ticket, kind, kind == MSG_LAUNCH ? nodeconn_heard_tag(n) : tag, p, size))
        return true;
    nodeconn_go_down(n, "its queue is full");
    return false;
}

size_t nodeconn_queued(const struct nodeconn *n)
{
    return n && n->conn ? conn_queued(n->conn) : 0;
}

void nodeconn_ask_drain(struct nodeconn *n)
{
    if (n->conn)
        conn_ask_drain(n->conn);
}

void nodeconn_release(struct nodeconn *n, uint64_t ticket)
{
    n->committed = ticket;
    if (n->conn)
        conn_release(n->conn, ticket);
}

void nodeconn_greet(struct nodeconn *n)
{
    if (n->conn)
        conn_send(n->conn, n->hello_ticket, MSG_HELLO, 0, &n->hello);
}

void nodeconn_hold_hello(struct nodeconn *n)
{
    n->hello_ticket = UINT64_MAX;
}

bool nodeconn_set_hello(struct nodeconn *n, const struct msg_hello *hello, uint64_t ticket)
{
    bool held = n->hello_ticket == UINT64_MAX;
    n->hello_ticket = ticket;
    if (!held && rec_eq(&msg_hello_rec, &n->hello, hello))
        return false;
    rec_fini(&msg_hello_rec, &n->hello);
    rec_copy(&msg_hello_rec, &n->hello, hello);
    nodeconn_greet(n);
    return true;
}

struct mono nodeconn_t_heard(const struct nodeconn *n)
{
    return n->t_heard;
}

bool nodeconn_is_local(const struct nodeconn *n)
{
    return !n->ssh;
}

void nodeconn_hurry(struct nodeconn *n)
{
    if (n->conn || n->ssh_fd >= 0)
        return;
    n->pause_ms = nodeconn_pause_min(n);
    loop_timer_set(n->loop, &n->retry, 0);
}

void nodeconn_set_target(struct nodeconn *n, const struct ssh_order *to)
{
    uint32_t id = n->to.id;
    n->to.id = to->id;
    bool same = rec_eq(&ssh_order_rec, &n->to, to);
    n->to.id = id;
    if (same)
        return;
    rec_fini(&ssh_order_rec, &n->to);
    rec_copy(&ssh_order_rec, &n->to, to);
    if (n->conn || n->ssh_fd >= 0)
        nodeconn_go_down(n, "it is to be found elsewhere now");
    nodeconn_hurry(n);
}

void nodeconn_set_socket(struct nodeconn *n, const char *socket)
{
    if (str_eq(n->socket, socket))
        return;
    xstrset(&n->socket, socket);
    if (n->conn)
        nodeconn_go_down(n, "it is to be found elsewhere now");
    nodeconn_hurry(n);
}

void nodeconn_reset(struct nodeconn *n, uint64_t committed, const char *why)
{
    n->committed = committed;
    n->pause_ms = nodeconn_pause_min(n);
    free(n->trouble); /* the earlier text may not have reached anyone */
    n->trouble = NULL;
    nodeconn_go_down(n, why);
}
