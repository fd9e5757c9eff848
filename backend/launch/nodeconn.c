/* nodeconn.c - the connection to one node's agent. */
#include "backend/launch/nodeconn.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/log.h"
#include "src/base/unixsock.h"
#include "src/base/xalloc.h"

extern char **environ;

#define RETRY_MIN_MS     5
#define RETRY_MAX_MS     2000
#define BEAT_MS          5000
#define BEATS_MISSED     3
#define FRAME_FROM_AGENT (4u << 20)
#define QUEUE_MAX        (64u << 20)

struct nodeconn {
    struct loop *loop;
    char *dir, *log, *node;
    struct msg_hello hello;
    const struct nodeconn_ops *ops;
    void *ctx;
    struct conn *conn;
    struct loop_timer retry, beat;
    int64_t pause_ms;
    uint64_t committed;
    unsigned missed;
    int start_error; /* of the last try to start an agent: said once */
    bool up, started;
};

static void go_down(struct nodeconn *n, const char *why);

static int on_frame(void *arg, struct conn *c, const struct frame *f)
{
    (void)c;
    struct nodeconn *n = arg;
    struct errtext err;
    void *body = NULL;
    int r = msg_decode(f, &body, &err);
    if (r < 0) {
        log_warn("node=%s cannot read a message: %s", n->node, err.s);
        return r;
    }
    n->missed = 0;
    if (f->type == MSG_AGENT) {
        struct msg_agent *m = body;
        if (m->refused) {
            log_error("node=%s its agent refuses: %s", n->node, m->refused);
            msg_free(f->type, body);
            return -EACCES;
        }
        n->up = true;
        n->pause_ms = RETRY_MIN_MS;
        n->ops->on_agent(n->ctx, n, m);
    } else if (f->type != MSG_PONG) {
        r = n->ops->on_msg(n->ctx, n, f->type, f->tag, body);
    }
    msg_free(f->type, body);
    return r;
}

static void on_close(void *arg, struct conn *c, const char *why)
{
    (void)c;
    struct nodeconn *n = arg;
    n->conn = NULL;
    go_down(n, why);
}

static const struct conn_ops conn_ops = {.on_frame = on_frame, .on_close = on_close};

static void go_down(struct nodeconn *n, const char *why)
{
    bool was_up = n->up;
    n->up = false;
    struct conn *c = n->conn;
    n->conn = NULL;
    conn_close(c);
    loop_timer_cancel(n->loop, &n->beat);
    loop_timer_set(n->loop, &n->retry, n->pause_ms);
    n->pause_ms = n->pause_ms * 2 > RETRY_MAX_MS ? RETRY_MAX_MS : n->pause_ms * 2;
    if (was_up)
        n->ops->on_down(n->ctx, n, why);
}

static void on_beat(void *arg)
{
    struct nodeconn *n = arg;
    if (++n->missed > BEATS_MISSED) {
        go_down(n, "no answer to heartbeats");
        return;
    }
    conn_send(n->conn, 0, MSG_PING, 0, NULL);
    loop_timer_set(n->loop, &n->beat, BEAT_MS);
}

static int connect_agent(const struct nodeconn *n)
{
    char *path = xasprintf("%s/agent.sock", n->dir);
    int fd = unixsock_connect(path, SOCK_NONBLOCK, 0);
    free(path);
    return fd;
}

/* The agent beside this program, else the one in PATH. */
static char *agent_path(void)
{
    char self[4096];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    if (len > 0) {
        self[len] = '\0';
        char *slash = strrchr(self, '/');
        char *path = xasprintf("%.*s/stoker-agent", (int)(slash - self), self);
        if (access(path, X_OK) == 0)
            return path;
        free(path);
    }
    return xstrdup("stoker-agent");
}

static void start_agent(struct nodeconn *n)
{
    char *path = agent_path();
    char name[] = "stoker-agent", opt_node[] = "--node", opt_dir[] = "--dir", opt_log[] = "--log",
         daemon_opt[] = "--daemon";
    char *argv[] = {name, opt_node, n->node, opt_dir, n->dir, opt_log, n->log, daemon_opt, NULL};
    pid_t pid;
    posix_spawnattr_t attr;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setsigmask(&attr, &none); /* ours are blocked for the loop */
    posix_spawnattr_setsigdefault(&attr, &all);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int r = posix_spawnp(&pid, path, NULL, &attr, argv, environ);
    posix_spawnattr_destroy(&attr);
    if (r != 0 && r != n->start_error)
        log_error("node=%s cannot start %s: %s", n->node, path, strerror(r));
    n->start_error = r;
    if (r == 0)
        waitpid(pid, NULL,
                0); /* it daemonises at once: its first process ends as soon as the second lives */
    free(path);
}

static void on_retry(void *arg)
{
    struct nodeconn *n = arg;
    int fd = connect_agent(n);
    if (fd < 0) {
        if (!n->started || fd == -ECONNREFUSED || fd == -ENOENT)
            start_agent(n);
        n->started = true;
        loop_timer_set(n->loop, &n->retry, n->pause_ms);
        n->pause_ms = n->pause_ms * 2 > RETRY_MAX_MS ? RETRY_MAX_MS : n->pause_ms * 2;
        return;
    }
    n->conn = conn_new(n->loop, fd, FRAME_FROM_AGENT, QUEUE_MAX, n->committed, &conn_ops, n);
    n->missed = 0;
    loop_timer_set(n->loop, &n->beat, BEAT_MS);
    nodeconn_greet(n);
}

struct nodeconn *nodeconn_new(struct loop *l, const struct nodeconn_config *cfg, uint64_t committed,
                              const struct nodeconn_ops *ops, void *ctx)
{
    struct nodeconn *n = xcalloc(1, sizeof *n);
    *n = (struct nodeconn){.loop = l,
                           .dir = xstrdup(cfg->dir),
                           .log = xstrdup(cfg->log),
                           .node = xstrdup(cfg->node),
                           .ops = ops,
                           .ctx = ctx,
                           .pause_ms = RETRY_MIN_MS,
                           .committed = committed};
    rec_copy(&msg_hello_rec, &n->hello, cfg->hello);
    n->retry = (struct loop_timer){.fn = on_retry, .ctx = n};
    n->beat = (struct loop_timer){.fn = on_beat, .ctx = n};
    loop_timer_set(l, &n->retry, 0);
    return n;
}

void nodeconn_free(struct nodeconn *n)
{
    if (!n)
        return;
    conn_close(n->conn);
    loop_timer_cancel(n->loop, &n->retry);
    loop_timer_cancel(n->loop, &n->beat);
    rec_fini(&msg_hello_rec, &n->hello);
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

bool nodeconn_send(struct nodeconn *n, uint64_t gate, enum msg_kind kind, uint64_t tag, const void *body)
{
    if (!n || !n->conn || !n->up)
        return false;
    if (conn_send(n->conn, gate, kind, tag, body))
        return true;
    go_down(n, "its queue is full");
    return false;
}

bool nodeconn_send_encoded(struct nodeconn *n, uint64_t gate, enum msg_kind kind, uint64_t tag,
                           const void *p, size_t size)
{
    if (!n || !n->conn || !n->up)
        return false;
    if (conn_send_encoded(n->conn, gate, kind, tag, p, size))
        return true;
    go_down(n, "its queue is full");
    return false;
}

size_t nodeconn_queued(const struct nodeconn *n)
{
    return n && n->conn ? conn_queued(n->conn) : 0;
}

void nodeconn_release(struct nodeconn *n, uint64_t gate)
{
    n->committed = gate;
    if (n->conn)
        conn_release(n->conn, gate);
}

void nodeconn_greet(struct nodeconn *n)
{
    if (n->conn)
        conn_send(n->conn, 0, MSG_HELLO, 0, &n->hello);
}

bool nodeconn_set_hello(struct nodeconn *n, const struct msg_hello *hello)
{
    if (rec_eq(&msg_hello_rec, &n->hello, hello))
        return false;
    rec_fini(&msg_hello_rec, &n->hello);
    rec_copy(&msg_hello_rec, &n->hello, hello);
    nodeconn_greet(n);
    return true;
}

void nodeconn_reset(struct nodeconn *n, uint64_t committed, const char *why)
{
    n->committed = committed;
    n->pause_ms = RETRY_MIN_MS;
    go_down(n, why);
}
