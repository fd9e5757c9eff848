/* sessions.c - clients: let in, greeted, heard.
 *
 * A session's identity is what the kernel said when it connected.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backend/control/private.h"
#include "src/base/log.h"
#include "src/base/unixsock.h"

#define QUEUE_MAX      (64u << 20)
#define QUEUE_ENOUGH   (4u << 20)   /* a client is heard again when it has read most of that */
#define USER_QUEUED    (4u << 20)   /* of one connection, from where its user's others are looked at too */
#define USER_QUEUE_MAX (256u << 20) /* of all of a user who is no administrator */
#define ACCEPTS_MAX    64           /* in one turn */
#define SWEEP_MS       2000
#define HELLO_MS       10000 /* to say who it is */
#define FRAME_MS       30000 /* to finish a frame, to read some of what was asked for */
#define CROWD_MS       2000  /* the latter where a user's connections hold too much in all */
#define HELLO_MAX      4096  /* bytes of a frame, until it has said who it is */
#define PAUSE_MS       100   /* with no descriptor left */

static void session_free(struct session *s)
{
    struct control *c = s->ctl;
    bool watched = s->watch_util;
    list_unlink(&s->link);
    look_end(s);
    c->n_sessions--;
    c->stopper = c->stopper == s ? NULL : c->stopper;
    s->party->n_sessions--;
    ctl_drop_relays(c, s, NULL);
    ctl_drop_history(s);
    ctl_drop_old_outputs(c, s);
    past_drop_session(s);
    ctl_owner_gone(c, s);
    rec_fini(&msg_get_rec, &s->get);
    late_fini(s);
    vec_fini(&s->scripts);
    free(s->program);
    free(s->refused);
    free(s);
    if (watched)
        ctl_update_util_watch(c);
}

/* One who asks over many connections and reads none is one who asks and does not read. */
static bool user_is_full(const struct session *s)
{
    size_t n = 0;
    if (s->admin || conn_queued(s->conn) < USER_QUEUED)
        return false;
    list_for_each (other, &s->ctl->sessions, struct session, link)
        n += other->uid == s->uid ? conn_queued(other->conn) : 0;
    return n > USER_QUEUE_MAX;
}

static void check_sent(struct session *s, bool is_sent)
{
    if (is_sent || s->given_up)
        return;
    if (ctl_may_log(s->ctl, s->party))
        log_warn("client=%s uid=%u: its output queue is full: closed", s->program ? s->program : "?",
                 s->uid);
    s->given_up = true;
    conn_give_up(s->conn);
}

/* A client that asks and does not read is known by the time that passes, never by how much it was given. */
static bool reads_nothing(const struct session *s)
{
    int64_t ms = conn_unread_ms(s->conn);
    return ms >= FRAME_MS || (ms >= CROWD_MS && user_is_full(s));
}

void session_send(struct session *s, enum msg_kind kind, uint64_t tag, const void *body)
{
    check_sent(s, conn_send(s->conn, ctl_gate(s->ctl), kind, tag, body));
}

void session_send_encoded(struct session *s, enum msg_kind kind, uint64_t tag, const void *p, size_t n)
{
    check_sent(s, conn_send_encoded(s->conn, ctl_gate(s->ctl), kind, tag, p, n));
}

void session_reply(struct session *s, uint64_t tag, enum refusal refusal, uint32_t job, uint32_t count,
                   const char *fmt, ...)
{
    struct str text = STR_INIT;
    va_list ap;
    va_start(ap, fmt);
    str_vappendf(&text, fmt, ap);
    va_end(ap);
    struct msg_result r = {
        .refusal = refusal, .text = text.len ? text.s : NULL, .job = job, .count = count};
    session_send(s, MSG_RESULT, tag, &r);
    str_fini(&text);
}

bool session_owns(const struct session *s, const struct job *j)
{
    return s->admin || s->uid == j->uid;
}

static void greet(struct session *s, uint64_t tag, const struct msg_hello *m)
{
    struct control *c = s->ctl;
    if (s->refused) {
        session_reply(s, tag, REFUSAL_NOT_ALLOWED, 0, 0, "%s", s->refused);
        return;
    }
    if (m->version < PROTO_VERSION_MIN) {
        session_reply(s, tag, REFUSAL_NOT_SUPPORTED, 0, 0,
                      "%s speaks protocol %u, this controller %u to %u: use programs of one release",
                      m->program ? m->program : "this program", m->version, PROTO_VERSION_MIN,
                      PROTO_VERSION);
        return;
    }
    char release[] = STOKER_VERSION;
    struct msg_welcome w = {.version = PROTO_VERSION,
                            .cluster = c->model.uuid,
                            .name = c->model.spec.name,
                            .host = c->host,
                            .epoch = c->model.epoch,
                            .uid = s->uid,
                            .admin = s->admin,
                            .read_only = c->read_only,
                            .release = release,
                            .now = loop_wall(c->loop),
                            .pid = (uint32_t)getpid()};
    s->greeted = true;
    conn_set_max_frame(s->conn, FRAME_MAX);
    free(s->program);
    s->program = xstrdup(m->program);
    conn_send(s->conn, 0, MSG_WELCOME, tag, &w);
}

/* Requests that change something. */
static bool changes(enum msg_kind kind)
{
    return kind == MSG_SUBMIT || kind == MSG_STEP_CREATE || kind == MSG_ACT || kind == MSG_UPDATE ||
           kind == MSG_DRAIN || kind == MSG_NODE_NOTE || kind == MSG_COMPLETE || kind == MSG_RELOAD ||
           kind == MSG_WINDOW_SET || kind == MSG_NODE_TASK_END;
}

static int dispatch(struct session *s, enum msg_kind kind, uint64_t tag, void *body)
{
    struct control *c = s->ctl;
    if (c->read_only && changes(kind)) {
        session_reply(s, tag, REFUSAL_READ_ONLY, 0, 0, "the controller is read-only: %s", c->read_only);
        return 0;
    }
    switch (kind) {
    case MSG_SUBMIT: req_submit(s, tag, body); return 0;
    case MSG_STEP_CREATE: req_step_create(s, tag, body); return 0;
    case MSG_ACT: req_act(s, tag, body); return 0;
    case MSG_UPDATE: req_update(s, tag, body); return 0;
    case MSG_DRAIN: req_drain(s, tag, body); return 0;
    case MSG_NODE_NOTE: req_note(s, tag, body); return 0;
    case MSG_NODE_TASK_END: req_node_task_end(s, tag, body); return 0;
    case MSG_GET: req_get(s, tag, body); return 0;
    case MSG_WHY: req_why(s, tag, body); return 0;
    case MSG_WAITS: req_waits(s, tag, body); return 0;
    case MSG_SCRIPT: req_script(s, tag, body); return 0;
    case MSG_COMPLETE: req_complete(s, tag, body); return 0;
    case MSG_OWN: req_own(s, tag, body); return 0;
    case MSG_OUTPUT_READ: req_output(s, tag, body); return 0;
    case MSG_INPUT: req_input(s, tag, body); return 0;
    case MSG_STATS: req_stats(s, tag); return 0;
    case MSG_HISTORY: req_history(s, tag, body); return 0;
    case MSG_WINDOW_SET: req_window(s, tag, body); return 0;
    case MSG_PRIO: req_prio(s, tag, body); return 0;
    case MSG_SHARES: req_shares(s, tag, body); return 0;
    case MSG_PLAN: req_plan(s, tag, body); return 0;
    case MSG_SHUTDOWN: req_shutdown(s, tag, body); return 0;
    case MSG_RELOAD: {
        struct errtext err = {""};
        if (!s->admin)
            session_reply(s, tag, REFUSAL_NOT_ALLOWED, 0, 0,
                          "only administrators change the configuration");
        else if (control_reload(c, &err) < 0)
            session_reply(s, tag, REFUSAL_BAD_REQUEST, 0, 0, "%s", err.s);
        else
            session_reply(s, tag, REFUSAL_NONE, 0, 1, "%s", "");
        if (s->admin)
            log_info("configuration read again by user=%s%s%s", user_name(c->users, s->uid),
                     err.s[0] ? ", refused: " : "", err.s);
        return 0;
    }
    case MSG_WATCH_UTIL:
        s->watch_util = ((const struct msg_flag *)body)->on;
        s->util_tag = tag;
        ctl_update_util_watch(c);
        return 0;
    case MSG_PING: session_send(s, MSG_PONG, tag, NULL); return 0;
    case MSG_HELLO:
    case MSG_WELCOME:
    case MSG_AGENT:
    case MSG_RESULT:
    case MSG_STEP_CREATED:
    case MSG_SPEC:
    case MSG_NODES:
    case MSG_JOBS:
    case MSG_SNAPSHOT:
    case MSG_EVENT:
    case MSG_REASONS:
    case MSG_RESYNC:
    case MSG_WHY_TEXT:
    case MSG_WAIT_ROWS:
    case MSG_SCRIPT_TEXT:
    case MSG_OUTPUT_DATA:
    case MSG_INPUT_ACK:
    case MSG_UTIL:
    case MSG_STATS_DATA:
    case MSG_LAUNCH:
    case MSG_KILL:
    case MSG_TASK_RUNNING:
    case MSG_TASK_END:
    case MSG_END_ACK:
    case MSG_PONG:
    case MSG_AGENT_STOP:
    case MSG_CALL:
    case MSG_CALL_DATA:
    case MSG_CALL_TAKEN:
    case MSG_CALL_END:
    case MSG_HISTORY_END:
    case MSG_PMI_FENCE:
    case MSG_PMI_ALL:
    case MSG_PRIO_ROWS:
    case MSG_SHARES_ROWS:
    case MSG_PLAN_DATA:
    case MSG_WINDOWS:
    case MSG_N_KINDS: break;
    }
    return -EPROTO;
}

static int on_frame(void *arg, struct conn *conn, const struct frame *f)
{
    (void)conn;
    struct session *s = arg;
    if (s->given_up)
        return -EPIPE;
    struct errtext err;
    void *body = NULL;
    int r = msg_decode(f, &body, &err);
    if (r < 0) {
        if (ctl_may_log(s->ctl, s->party))
            log_warn("client=%s uid=%u sent what cannot be read: %s", s->program ? s->program : "?", s->uid,
                     err.s);
        return r;
    }
    if (f->type == MSG_HELLO)
        greet(s, f->tag, body);
    else
        r = s->greeted ? dispatch(s, f->type, f->tag, body) : -EPROTO;
    msg_free(f->type, body);
    return r;
}

static void on_close(void *arg, struct conn *conn, const char *why)
{
    (void)conn;
    (void)why;
    session_free(arg);
}

static void on_drain(void *arg, struct conn *conn)
{
    (void)conn;
    struct session *s = arg;
    history_continue(s);
    if (s->snapshotting)
        look_continue(s);
    else if (s->resync_told) {
        s->resync_told = false;
        session_send(s, MSG_RESYNC, s->follow_tag, NULL);
    }
}

static const struct conn_ops ops = {.on_frame = on_frame, .on_close = on_close, .on_drain = on_drain};

/* Root of a node is not root here, nor is a service account there the one here. */
static bool may_administer(struct control *c, uint32_t uid, bool from_node)
{
    if (from_node && (uid == 0 || (c->everyone && uid == geteuid())))
        return false;
    return ctl_is_admin(c, uid);
}

void ctl_forget_users(struct control *c)
{
    user_cache_free(c->users);
    c->users = user_cache_new();
    list_for_each (s, &c->sessions, struct session, link) {
        s->admin = may_administer(c, s->uid, s->from_node);
        ctl_rate_party(c, s->party);
    }
}

/* As an answer to the greeting, which is the first thing that a client says. Takes fd. */
static void turn_away(int fd, const char *why)
{
    struct str b = STR_INIT, text = STR_INIT;
    str_append(&text, why);
    struct msg_result r = {.refusal = REFUSAL_RATE, .text = text.s};
    msg_append(&b, MSG_RESULT, 1, &r);
    if (send(fd, b.s, b.len, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
        log_debug("one who is turned away does not hear it");
    close(fd);
    str_fini(&text);
    str_fini(&b);
}

static void let_in(struct control *c, int fd)
{
    struct ucred cred;
    socklen_t len = sizeof cred;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0)
        close(fd);
    else
        ctl_let_in(c, fd, &cred, false, NULL);
}

void ctl_let_in(struct control *c, int fd, const struct ucred *cred, bool from_node, char *refused)
{
    bool admin = may_administer(c, cred->uid, from_node);
    struct party *p = ctl_party(c, cred->uid);
    struct str why = STR_INIT;
    if (!ctl_has_room(c, p, admin, &why)) {
        turn_away(fd, why.s);
        str_fini(&why);
        free(refused);
        return;
    }
    struct session *s = xcalloc(1, sizeof *s);
    s->ctl = c;
    s->uid = cred->uid;
    s->gid = cred->gid;
    s->pid = (uint32_t)cred->pid;
    s->admin = admin;
    s->from_node = from_node;
    s->refused = refused;
    s->t_open = loop_now(c->loop);
    s->party = p;
    ctl_rate_party(c, p);
    c->n_sessions++;
    p->n_sessions++;
    list_init(&s->link);
    list_init(&s->look.link);
    str_init(&s->look.key);
    str_init(&s->look.keep.bytes);
    list_append(&c->sessions, &s->link);
    s->conn = conn_new(c->loop, fd, HELLO_MAX, QUEUE_MAX, store_committed(c->store), &ops, s);
    conn_set_enough(s->conn, QUEUE_ENOUGH);
    conn_set_share(s->conn, &p->share);
}

static void on_listen(void *arg, unsigned ready)
{
    (void)ready;
    struct control *c = arg;
    for (int i = 0; i < ACCEPTS_MAX; i++) {
        int fd = accept4(c->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0 && (errno == EMFILE || errno == ENFILE)) {
            loop_unwatch(c->loop,
                         &c->listen_watch); /* they wait; asking again at once would only turn in circles */
            loop_timer_set(c->loop, &c->listen_again, PAUSE_MS);
        }
        if (fd < 0)
            return;
        let_in(c, fd);
    }
}

static void listen_again(void *ctx)
{
    struct control *c = ctx;
    if (c->listen_fd >= 0)
        loop_watch(c->loop, &c->listen_watch, LOOP_READ);
}

/* Those that do not say who they are, or begin a frame and never finish it. */
static void sweep(void *ctx)
{
    struct control *c = ctx;
    list_for_each (s, &c->sessions, struct session, link) {
        bool silent = !s->greeted && !conn_is_in_line(s->conn) &&
                      loop_now(c->loop).ns - s->t_open.ns > HELLO_MS * NS_PER_MS;
        bool stuck = conn_stuck_ms(s->conn) >= FRAME_MS;
        if (s->given_up || (!silent && !stuck && !reads_nothing(s)))
            continue;
        if (ctl_may_log(c, s->party))
            log_warn("client=%s uid=%u pid=%u %s: closed", s->program ? s->program : "?", s->uid, s->pid,
                     silent  ? "does not say who it is"
                     : stuck ? "does not finish what it says"
                             : "asks and does not read");
        s->given_up = true;
        conn_give_up(s->conn);
    }
    ctl_sweep_parties(c);
    loop_timer_set(c->loop, &c->sweep, SWEEP_MS);
}

int ctl_listen(struct control *c, struct errtext *err)
{
    /* Who asks is the kernel's word: where all may, the socket is no place to tell them apart. */
    int fd = unixsock_listen(c->socket_path, c->everyone ? 0666 : 0600, 1024);
    if (fd < 0)
        return err_set(err, fd, "cannot listen at %s: %s", c->socket_path, strerror(-fd));
    c->listen_fd = fd;
    c->listen_watch = (struct loop_fd){.fd = fd, .fn = on_listen, .ctx = c};
    c->listen_again = (struct loop_timer){.fn = listen_again, .ctx = c};
    c->sweep = (struct loop_timer){.fn = sweep, .ctx = c};
    loop_watch(c->loop, &c->listen_watch, LOOP_READ);
    loop_timer_set(c->loop, &c->sweep, SWEEP_MS);
    return 0;
}

void ctl_free_sessions(struct control *c)
{
    if (c->listen_fd >= 0) {
        loop_unwatch(c->loop, &c->listen_watch);
        close(c->listen_fd);
        unlink(c->socket_path);
        c->listen_fd = -1;
    }
    loop_timer_cancel(c->loop, &c->listen_again);
    loop_timer_cancel(c->loop, &c->sweep);
    list_for_each (s, &c->sessions, struct session, link) {
        conn_close(s->conn);
        session_free(s);
    }
}
