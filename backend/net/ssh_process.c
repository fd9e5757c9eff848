#include "backend/net/ssh_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/os/exe_path.h"
#include "src/os/log.h"
#include "src/os/spawn.h"
#include "src/os/unixsock.h"
#include "src/proto/codec.h"
#include "src/proto/frame.h"

#define PAUSE_MIN_MS 100 /* between the end of a process and the start of the next */
#define PAUSE_MAX_MS 5000
#define STEADY_MS    60000 /* a process that lived this long did not die of what the one before died of */
#define BEATS_MISSED 3
#define WORDS_A_TURN 128

struct order {
    struct list link;
    int fd; /* sent with it; -1: none */
    size_t n;
    char p[];
};

struct ssh_process {
    struct loop *loop;
    char *log, *path; /* path: of its socket; NULL: a child of ours */
    pid_t pid;        /* 0: no child */
    struct loop_fd sock;
    struct list orders, calls;
    uint32_t last_id;
    struct mono t_start, t_again; /* began; may begin again */
    int64_t pause_ms, beat_ms;
    struct loop_timer beat;
    unsigned missed;
    VEC(pid_t) dead; /* ended by us, not reaped yet */
};

static void ssh_process_free_order(struct order *o)
{
    list_unlink(&o->link);
    if (o->fd >= 0)
        close(o->fd);
    free(o);
}

static void ssh_process_drop_orders(struct ssh_process *p)
{
    list_for_each (o, &p->orders, struct order, link) {
        ssh_process_free_order(o);
    }
}

/* Without waiting: a process that hangs in the kernel would block the loop. */
static void ssh_process_reap(struct ssh_process *p)
{
    for (size_t i = p->dead.n; i-- > 0;)
        if (waitpid(p->dead.v[i], NULL, WNOHANG) != 0)
            vec_remove(&p->dead, i);
}

static void ssh_process_gone(struct ssh_process *p, const char *why)
{
    log_warn("link=%d is gone: %s", (int)p->pid, why);
    loop_unwatch(p->loop, &p->sock);
    close(p->sock.fd);
    p->sock.fd = -1;
    if (p->pid) {
        kill(p->pid, SIGKILL);
        vec_push(&p->dead, p->pid);
        p->pid = 0;
    }
    ssh_process_reap(p);
    ssh_process_drop_orders(p);
    loop_timer_cancel(p->loop, &p->beat);
    struct mono now = loop_now(p->loop);
    if (now.ns - p->t_start.ns > STEADY_MS * NS_PER_MS)
        p->pause_ms = PAUSE_MIN_MS;
    p->t_again = mono_add_ms(now, p->pause_ms);
    p->pause_ms = p->pause_ms * 2 > PAUSE_MAX_MS ? PAUSE_MAX_MS : p->pause_ms * 2;
    /* A callback may ask for a new session at once: only those that exist now are told. */
    struct list lost;
    list_init(&lost);
    while (!list_empty(&p->calls))
        list_move_to_end(&lost, p->calls.next);
    char *text = p->path ? xasprintf("stoker-link has hung up (%s; its service's log says why)", p->path)
                         : xasprintf("stoker-link has ended (%s says why)", p->log);
    while (!list_empty(&lost)) {
        struct ssh_stream *c = list_first(&lost, struct ssh_stream, link);
        ssh_process_forget(c);
        c->fn(c->ctx, SSH_PHASE_OVER, SSH_FAULT_LOST, text);
    }
    free(text);
}

/* --- what the process reports --- */

static void ssh_process_take_state(struct ssh_process *p, const struct ssh_report *st)
{
    p->pause_ms = PAUSE_MIN_MS;
    list_for_each (c, &p->calls, struct ssh_stream, link) {
        if (c->id != st->id)
            continue;
        if (st->phase == SSH_PHASE_OVER)
            ssh_process_forget(c);
        c->fn(c->ctx, st->phase, st->fault < SSH_N_FAULTS ? st->fault : SSH_FAULT_LOST,
              st->text ? st->text : "");
        return;
    }
}

static void ssh_process_take_packet(struct ssh_process *p, const char *bytes, size_t n)
{
    struct frame_reader r = {.max = SSH_MSG_MAX};
    struct frame f;
    struct ssh_report st;
    struct errtext err;
    memcpy(frame_reader_space(&r, n), bytes, n);
    frame_reader_added(&r, n);
    if (frame_reader_next(&r, &f) == 1 && f.type == SSH_MSG_STATE &&
        codec_decode(&ssh_report_rec, f.body, f.size, &st, &err) == 0) {
        ssh_process_take_state(p, &st);
        rec_fini(&ssh_report_rec, &st);
    }
    frame_reader_fini(&r);
}

static bool ssh_process_send_order(struct ssh_process *p, const struct order *o)
{
    union {
        struct cmsghdr head;
        char space[CMSG_SPACE(sizeof(int))];
    } control = {.space = {0}};
    union {
        const char *in;
        void *out;
    } bytes = {.in = o->p};
    struct iovec iov = {.iov_base = bytes.out, .iov_len = o->n};
    struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};
    if (o->fd >= 0) {
        m.msg_control = &control;
        m.msg_controllen = sizeof control;
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(c), &o->fd, sizeof(int));
    }
    return sendmsg(p->sock.fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0 ||
           (errno != EAGAIN && errno != EINTR && errno != ETOOMANYREFS);
}

/* An error other than a full socket shows as the end of the process. */
static void ssh_process_flush(struct ssh_process *p)
{
    list_for_each (o, &p->orders, struct order, link) {
        if (!ssh_process_send_order(p, o))
            break;
        ssh_process_free_order(o);
    }
    loop_watch(p->loop, &p->sock, LOOP_READ | (list_empty(&p->orders) ? 0 : LOOP_WRITE));
}

static void ssh_process_queue(struct ssh_process *p, const struct str *out, int fd)
{
    struct order *o = xmalloc(sizeof *o + out->len);
    o->fd = fd;
    o->n = out->len;
    memcpy(o->p, out->s, out->len);
    list_init(&o->link);
    list_append(&p->orders, &o->link);
    ssh_process_flush(p);
}

/* A process that runs but does not answer would hold up all nodes. */
static void ssh_process_on_beat(void *arg)
{
    struct ssh_process *p = arg;
    ssh_process_reap(p);
    if (++p->missed > BEATS_MISSED) {
        ssh_process_gone(p, "it does not answer");
        return;
    }
    struct str out = STR_INIT;
    frame_append_header(&out, SSH_MSG_PING, 0, 0, 0);
    ssh_process_queue(p, &out, -1);
    str_fini(&out);
    loop_timer_set(p->loop, &p->beat, p->beat_ms);
}

static void ssh_process_on_sock(void *arg, unsigned ready)
{
    struct ssh_process *p = arg;
    char buf[SSH_MSG_MAX];
    if (ready & LOOP_WRITE)
        ssh_process_flush(p);
    for (int i = 0; i < WORDS_A_TURN && p->sock.fd >= 0; i++) {
        ssize_t n = recv(p->sock.fd, buf, sizeof buf, MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            break;
        if (n <= 0) {
            ssh_process_gone(p, n < 0 ? strerror(errno) : "it has ended");
            return;
        }
        p->missed = 0;
        ssh_process_take_packet(p, buf, (size_t)n);
    }
}

/* --- start and end --- */

static void ssh_process_begin(struct ssh_process *p, int fd)
{
    p->t_start = loop_now(p->loop);
    p->sock = (struct loop_fd){.fd = fd, .fn = ssh_process_on_sock, .ctx = p};
    loop_watch(p->loop, &p->sock, LOOP_READ);
    p->missed = 0;
    loop_timer_set(p->loop, &p->beat, p->beat_ms);
}

/* If it does not answer now, it is called again later: its service manager restarts it. */
static int ssh_process_call(struct ssh_process *p)
{
    int fd = unixsock_connect_packets(p->path);
    if (fd < 0) {
        p->t_again = mono_add_ms(loop_now(p->loop), p->pause_ms);
        p->pause_ms = p->pause_ms * 2 > PAUSE_MAX_MS ? PAUSE_MAX_MS : p->pause_ms * 2;
        return fd;
    }
    log_info("link called at %s", p->path);
    ssh_process_begin(p, fd);
    return 0;
}

static int ssh_process_start_child(struct ssh_process *p)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
        return -errno;
    int log = open(p->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    char *path = exe_path_program("stoker-link"), name[] = "stoker-link", serve[] = "serve";
    char *argv[] = {name, serve, NULL};
    struct spawn s = {.path = path, .argv = argv};
    if (log >= 0)
        s.fds[s.n_fds++] = (struct spawn_fd){log, 2};
    s.fds[s.n_fds++] = (struct spawn_fd){pair[1], 3};
    int r = spawn_program(&s, &p->pid);
    close(pair[1]);
    if (log >= 0)
        close(log);
    if (r < 0) {
        p->pid = 0;
        close(pair[0]);
        p->t_again = mono_add_ms(loop_now(p->loop), PAUSE_MAX_MS);
        log_error("cannot start %s: %s", path, strerror(-r));
    } else {
        log_info("link=%d started", (int)p->pid);
        ssh_process_begin(p, pair[0]);
    }
    free(path);
    return r;
}

struct ssh_process *ssh_process_new(struct loop *l, const char *log, const char *socket, int64_t beat_ms)
{
    struct ssh_process *p = xcalloc(1, sizeof *p);
    *p = (struct ssh_process){
        .loop = l, .log = xstrdup(log), .sock = {.fd = -1}, .pause_ms = PAUSE_MIN_MS, .beat_ms = beat_ms};
    p->path = xstrdup(socket);
    p->beat = (struct loop_timer){.fn = ssh_process_on_beat, .ctx = p};
    list_init(&p->orders);
    list_init(&p->calls);
    return p;
}

void ssh_process_free(struct ssh_process *p)
{
    if (!p)
        return;
    list_for_each (c, &p->calls, struct ssh_stream, link)
        ssh_process_forget(c);
    ssh_process_drop_orders(p);
    loop_timer_cancel(p->loop, &p->beat);
    loop_unwatch(p->loop, &p->sock);
    if (p->sock.fd >= 0)
        close(p->sock.fd);
    vec_fini(&p->dead);
    free(p->log);
    free(p->path);
    free(p);
}

void ssh_process_set_socket(struct ssh_process *p, const char *socket)
{
    if (str_eq(p->path, socket))
        return;
    xstrset(&p->path, socket);
}

int ssh_process_open(struct ssh_process *p, struct ssh_order *to, struct ssh_stream *c)
{
    int pair[2];
    bool is_there = p->sock.fd >= 0;
    if (!is_there && loop_now(p->loop).ns < p->t_again.ns)
        return -EAGAIN;
    int r = is_there ? 0 : p->path ? ssh_process_call(p) : ssh_process_start_child(p);
    if (r == 0 && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
        r = -errno;
    if (r < 0)
        return r;
    to->id = c->id = ++p->last_id ? p->last_id : ++p->last_id;
    struct str out = STR_INIT;
    size_t at = frame_begin(&out);
    codec_encode(&ssh_order_rec, to, &out);
    frame_end(&out, at, SSH_MSG_OPEN, 0, to->id);
    list_init(&c->link);
    list_append(&p->calls, &c->link);
    ssh_process_queue(p, &out, pair[1]);
    str_fini(&out);
    return pair[0];
}

void ssh_process_forget(struct ssh_stream *c)
{
    if (!c->id)
        return;
    c->id = 0;
    list_unlink(&c->link);
}
