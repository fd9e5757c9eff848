#include "backend/control/clients/sessions.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "backend/control/clients/large_requests.h"
#include "backend/control/emit.h"
#include "backend/control/shortage.h"
#include "backend/control/users/audit.h"
#include "backend/control/users/name_service.h"
#include "backend/control/users/user_budget.h"
#include "backend/control/users/user_cache.h"
#include "src/base/xalloc.h"
#include "src/os/log.h"
#include "src/os/unixsock.h"
#include "src/text/cause_text.h"

#define QUEUE_MAX    (64u << 20)
#define QUEUE_ENOUGH (4u << 20) /* with this many bytes unread a client is not read */
#define ACCEPTS_MAX  64         /* in one loop iteration */
#define SWEEP_MS     2000
#define HELLO_MS     10000 /* to greet */
#define NAME_MS      5000  /* for the name service to say who a user is */
#define FRAME_MS     30000 /* to finish a frame, to read some of what was asked for */
#define CROWD_MS     2000  /* the latter where others of the user's connections wait for memory */
#define HELLO_MAX    4096  /* bytes of a frame, until it has greeted */
#define PAUSE_MS     100   /* with no descriptor left */

struct sessions {
    struct list all;
    struct list guests; /* of struct session_guest */
    int listen_fd;
    struct loop_fd listen_watch;
    struct loop_timer listen_again, sweep;
};

/* A client that waits for the name service to name its user. */
struct session_guest {
    struct list link;
    int fd;
    struct ucred cred;
    bool has_origin;
    struct session_origin from;
    char *node, *user; /* that `from` names */
    struct mono t_open;
};

static struct sessions *sessions_of(const struct control *c)
{
    return c->state[MODULE_SESSIONS];
}

struct list *sessions(struct control *c)
{
    return &sessions_of(c)->all;
}

static void session_free(struct session *s)
{
    struct control *c = s->ctl;
    list_unlink(&s->link);
    user_quota_leave(c, s->quota);
    modules_call(c, session_closed, c, s);
    free(s->program);
    free(s->node);
    cause_clear(&s->refused);
    free(s);
}

static void session_check_sent(struct session *s, bool is_sent)
{
    if (is_sent || s->given_up)
        return;
    if (user_quota_may_log(s->ctl, s->quota))
        log_warn("client=%s uid=%u: output queue full (client does not read), closing connection",
                 s->program ? s->program : "?", s->uid);
    s->given_up = true;
    conn_give_up(s->conn);
}

/* A client that does not read is recognised by time, never by the amount that it was sent: sooner where
 * others of its user wait for the memory that it takes. */
static bool session_reads_nothing(const struct session *s)
{
    int64_t ms = conn_unread_ms(s->conn);
    return (ms >= FRAME_MS && conn_is_held(s->conn)) ||
           (ms >= CROWD_MS && !list_empty(&s->quota->conns.waiting));
}

bool session_push(struct session *s, enum msg_kind kind, const struct str *body)
{
    return conn_has_room(s->conn) &&
           conn_send_encoded(s->conn, ctl_ticket(s->ctl), kind, s->follow_tag, body->s, body->len);
}

void session_send(struct session *s, enum msg_kind kind, uint64_t tag, const void *body)
{
    session_check_sent(s, conn_send(s->conn, ctl_ticket(s->ctl), kind, tag, body));
}

void session_send_encoded(struct session *s, enum msg_kind kind, uint64_t tag, const void *p, size_t n)
{
    session_check_sent(s, conn_send_encoded(s->conn, ctl_ticket(s->ctl), kind, tag, p, n));
}

/* An older client gets the sentences of the causes that it does not know. */
static void session_write_texts(const struct session *s, struct msg_result *r)
{
    struct cause_reader reader = {.clock = wall_append_iso, .now = loop_wall(s->ctl->loop)};
    if (!r->text && !cause_is_known(&r->cause, s->n_causes))
        r->text = cause_string(&r->cause, &reader);
    bool known = true;
    for (size_t i = 0; i < r->hints.n; i++)
        known = known && cause_is_known(&r->hints.v[i], s->n_causes);
    for (size_t i = 0; !known && i < r->hints.n; i++)
        strv_push_take(&r->warnings, cause_string(&r->hints.v[i], &reader));
}

void session_answer(struct session *s, uint64_t tag, struct msg_result *r)
{
    session_write_texts(s, r);
    modules_call(s->ctl, answering, s->ctl, s);
    if (!r->refusal)
        audit_answered(s, tag, r);
    session_send(s, MSG_RESULT, tag, r);
    if (r->refusal) /* behind the answer, which need not wait for the disk */
        audit_answered(s, tag, r);
    rec_fini(&msg_result_rec, r);
}

void session_done(struct session *s, uint64_t tag, uint32_t job, uint32_t count)
{
    session_answer(s, tag, &(struct msg_result){.job = job, .count = count});
}

void session_refuse(struct session *s, uint64_t tag, enum refusal refusal, uint32_t job, struct cause *why)
{
    session_answer(s, tag, &(struct msg_result){.refusal = refusal, .job = job, .cause = *why});
}

bool session_owns(const struct session *s, const struct job *j)
{
    return s->admin || s->uid == j->uid;
}

struct job *session_find_job(struct session *s, uint64_t tag, const struct job_target *t)
{
    struct control *c = s->ctl;
    struct job *j = t->array_index == ARRAY_NONE ? model_get_job(&c->model, t->job)
                                                 : model_get_element(&c->model, t->job, t->array_index);
    if (!j)
        session_refuse(s, tag, REFUSAL_NO_JOB, t->job, &(struct cause){.code = CAUSE_NO_JOB, .n = t->job});
    return j;
}

static void session_greet(struct session *s, uint64_t tag, const struct msg_hello *m)
{
    struct control *c = s->ctl;
    s->n_causes = m->causes;
    if (s->refused.code != CAUSE_NONE) {
        struct cause why = {0};
        rec_copy(&cause_rec, &why, &s->refused);
        session_refuse(s, tag, REFUSAL_NOT_ALLOWED, 0, &why);
        return;
    }
    if (m->version < PROTO_VERSION_MIN) {
        session_refuse(s, tag, REFUSAL_NOT_SUPPORTED, 0,
                       &(struct cause){.code = CAUSE_PROTOCOL,
                                       .name = xstrdup(m->program ? m->program : "this program"),
                                       .n = m->version,
                                       .of = PROTO_VERSION_MIN,
                                       .most = PROTO_VERSION});
        return;
    }
    char release[] = STOKER_VERSION;
    struct msg_welcome w = {.version = PROTO_VERSION,
                            .cluster = c->model.uuid,
                            .name = c->model.spec.name,
                            .host = c->settings.host,
                            .epoch = c->model.epoch,
                            .uid = s->uid,
                            .admin = s->admin,
                            .read_only = c->read_only,
                            .release = release,
                            .now = loop_wall(c->loop),
                            .pid = (uint32_t)getpid()};
    s->greeted = true;
    conn_set_max_frame(s->conn, FRAME_MAX);
    xstrset(&s->program, m->program);
    conn_send(s->conn, 0, MSG_WELCOME, tag, &w);
}

/* name: the node because of which an administrator is none. */
static void session_refuse_admin_act(struct session *s, uint64_t tag, uint32_t act)
{
    struct control *c = s->ctl;
    bool by_node = s->node && user_is_admin(c->users, s->uid, &c->model.spec.admin_groups);
    session_refuse(
        s, tag, REFUSAL_NOT_ALLOWED, 0,
        &(struct cause){.code = CAUSE_ADMINS_ONLY, .what = act, .name = by_node ? xstrdup(s->node) : NULL});
}

static int session_dispatch(struct session *s, enum msg_kind kind, uint64_t tag, void *body)
{
    struct control *c = s->ctl;
    const struct request_kind *r = &c->wiring.requests[kind];
    struct cause why = {0};
    if (!r->handle)
        return -EPROTO;
    audit_begin(s, tag, r->audit, body);
    if (r->changes && c->read_only)
        session_refuse(s, tag, REFUSAL_READ_ONLY, 0,
                       &(struct cause){.code = CAUSE_READ_ONLY, .text = xstrdup(c->read_only)});
    else if (r->admin && !s->admin)
        session_refuse_admin_act(s, tag, r->admin);
    else if (r->changes && !s->admin && !(r->frees && r->frees(body)) &&
             (user_budget_is_spent(c, s->quota, &why) || shortage_is(c, &why)))
        session_refuse(s, tag, REFUSAL_POLICY, 0, &why);
    else
        r->handle(s, tag, body);
    audit_end(s);
    return 0;
}

/* Takes *body where it is held: then that is NULL. */
static int session_take_request(struct session *s, enum msg_kind kind, uint64_t tag, void **body)
{
    if (!s->greeted)
        return -EPROTO;
    if (!large_requests_hold(s, kind, tag, *body, session_dispatch))
        return session_dispatch(s, kind, tag, *body);
    *body = NULL;
    return 0;
}

static int session_on_frame(void *arg, struct conn *conn, const struct frame *f)
{
    (void)conn;
    struct session *s = arg;
    if (s->given_up)
        return -EPIPE;
    struct errtext err;
    void *body = NULL;
    int r = msg_decode(f, &body, &err);
    if (r < 0) {
        if (user_quota_may_log(s->ctl, s->quota))
            log_warn("client=%s uid=%u sent a malformed message: %s", s->program ? s->program : "?", s->uid,
                     err.s);
        return r;
    }
    if (f->type == MSG_HELLO)
        session_greet(s, f->tag, body);
    else
        r = session_take_request(s, f->type, f->tag, &body);
    msg_free(f->type, body);
    return r;
}

static void session_on_close(void *arg, struct conn *conn, const char *why)
{
    (void)conn;
    (void)why;
    session_free(arg);
}

static void session_on_drain(void *arg, struct conn *conn)
{
    (void)conn;
    struct session *s = arg;
    modules_call(s->ctl, session_drained, s->ctl, s);
    if (!s->snapshotting && s->resync_told) {
        s->resync_told = false;
        session_send(s, MSG_RESYNC, s->follow_tag, NULL);
    }
}

static const struct conn_ops session_ops = {
    .on_frame = session_on_frame, .on_close = session_on_close, .on_drain = session_on_drain};

/* root of a node is not root here, a service account of a node is not the one here, and that a user of it
 * is an administrator is the node's word alone. node NULL: this machine. */
static bool session_may_administer(struct control *c, uint32_t uid, const struct session_origin *from)
{
    const char *node = from ? from->node : NULL;
    const struct node_spec *spec = spec_find_node(&c->model.spec, node);
    bool own = !c->settings.everyone && geteuid() != 0; /* one user's nodes, all that user's own */
    bool trusted = own || (spec && spec->admin && uid != geteuid());
    if (node && (uid == 0 || !trusted))
        return false;
    return user_is_admin(c->users, uid, &c->model.spec.admin_groups);
}

/* Its user's groups may have changed, or count no more. */
static void session_renew_rights(struct session *s)
{
    struct control *c = s->ctl;
    struct session_origin from = {.node = s->node};
    bool admin = session_may_administer(c, s->uid, s->node ? &from : NULL);
    if (admin != s->admin || admin != s->quota->is_admin)
        user_quota_set_rate(c, s->quota);
    if (admin != s->admin)
        conn_set_budget(s->conn, admin ? NULL : &s->quota->conns);
    s->admin = admin;
}

/* The refusal is the answer to the greeting, which every client sends first: what causes it knows has not
 * been read. Takes fd and *why. */
static void sessions_turn_away(int fd, struct cause *why)
{
    struct str b = STR_INIT;
    struct msg_result r = {.refusal = REFUSAL_RATE, .text = cause_string(why, NULL), .cause = *why};
    msg_append(&b, MSG_RESULT, 1, &r);
    if (send(fd, b.s, b.len, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
        log_debug("a refused client has gone");
    close(fd);
    rec_fini(&msg_result_rec, &r);
    str_fini(&b);
}

static void sessions_let_in_local(struct control *c, int fd)
{
    struct ucred cred;
    socklen_t len = sizeof cred;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0)
        close(fd);
    else
        sessions_let_in(c, fd, &cred, NULL);
}

static void sessions_admit(struct control *c, int fd, const struct ucred *cred,
                           const struct session_origin *from)
{
    bool admin = session_may_administer(c, cred->uid, from);
    struct user_quota *p = user_quota_get(c, cred->uid);
    struct cause why = {0};
    if (!user_quota_admits(c, p, admin, &why)) {
        sessions_turn_away(fd, &why);
        return;
    }
    struct session *s = xcalloc(1, sizeof *s);
    s->ctl = c;
    s->uid = cred->uid;
    s->gid = cred->gid;
    s->pid = (uint32_t)cred->pid;
    s->admin = admin;
    s->node = from ? xstrdup(from->node) : NULL;
    if (from && from->vet)
        from->vet(c, cred, from, &s->refused);
    s->t_open = loop_now(c->loop);
    s->quota = p;
    user_quota_set_rate(c, p);
    user_quota_join(c, p);
    list_init(&s->link);
    list_init(&s->audits);
    list_init(&s->query.link);
    str_init(&s->query.key);
    str_init(&s->query.keep.bytes);
    list_append(sessions(c), &s->link);
    s->conn = conn_new(c->loop, fd, HELLO_MAX, QUEUE_MAX, store_committed(c->store), &session_ops, s);
    conn_set_enough(s->conn, QUEUE_ENOUGH);
    conn_set_queue(s->conn, &p->queue);
    conn_set_budget(s->conn, admin ? NULL : &p->conns);
}

/* It waits no more; then session_guest_free. Its descriptor is the caller's. */
static void session_guest_leave(struct control *c, struct session_guest *g)
{
    list_unlink(&g->link);
    user_quota_leave(c, user_quota_get(c, g->cred.uid));
}

static void session_guest_free(struct session_guest *g)
{
    free(g->node);
    free(g->user);
    free(g);
}

static void session_guest_admit(struct control *c, struct session_guest *g)
{
    session_guest_leave(c, g);
    sessions_admit(c, g->fd, &g->cred, g->has_origin ? &g->from : NULL);
    session_guest_free(g);
}

static void sessions_add_guest(struct control *c, int fd, const struct ucred *cred,
                               const struct session_origin *from)
{
    struct cause why = {0};
    if (!user_quota_admits(c, user_quota_get(c, cred->uid), false, &why)) {
        sessions_turn_away(fd, &why);
        return;
    }
    struct session_guest *g = xcalloc(1, sizeof *g);
    g->fd = fd;
    g->cred = *cred;
    g->t_open = loop_now(c->loop);
    if (from) {
        g->has_origin = true;
        g->node = xstrdup(from->node);
        g->user = from->user ? xstrdup(from->user) : NULL;
        g->from = (struct session_origin){.node = g->node, .user = g->user, .vet = from->vet};
    }
    user_quota_join(c, user_quota_get(c, cred->uid));
    list_init(&g->link);
    list_append(&sessions_of(c)->guests, &g->link);
}

void sessions_let_in(struct control *c, int fd, const struct ucred *cred, const struct session_origin *from)
{
    if (user_is_fresh(c->users, cred->uid, cred->gid))
        sessions_admit(c, fd, cred, from);
    else
        sessions_add_guest(c, fd, cred, from);
}

/* The name service has answered: those whom it was asked about are let in. */
static void sessions_names_told(struct control *c, const struct name_answer *a, bool groups_changed)
{
    (void)groups_changed;
    if (a->asked)
        return;
    list_for_each (g, &sessions_of(c)->guests, struct session_guest, link)
        if (g->cred.uid == a->uid && user_is_fresh(c->users, g->cred.uid, g->cred.gid))
            session_guest_admit(c, g);
    list_for_each (s, sessions(c), struct session, link)
        if (s->uid == a->uid)
            session_renew_rights(s);
}

/* The name service is silent. Users with known names go on with them; nodes would refuse the jobs of a
 * user without a name. */
static void sessions_sweep_guests(struct control *c)
{
    list_for_each (g, &sessions_of(c)->guests, struct session_guest, link) {
        if (loop_now(c->loop).ns - g->t_open.ns < NAME_MS * NS_PER_MS)
            continue;
        uint32_t uid = g->cred.uid;
        char *name = user_name_or_null(c->users, uid);
        if (user_quota_may_log(c, user_quota_get(c, uid)))
            log_warn("uid=%u: the name service does not answer, client %s", uid,
                     name ? "served with what it said last" : "refused");
        if (name) {
            session_guest_admit(c, g);
        } else {
            sessions_turn_away(g->fd,
                               &(struct cause){.code = CAUSE_NAME_SERVICE, .name = xasprintf("%u", uid)});
            session_guest_leave(c, g);
            session_guest_free(g);
        }
        free(name);
    }
}

static void sessions_on_listen(void *arg, unsigned ready)
{
    (void)ready;
    struct control *c = arg;
    for (int i = 0; i < ACCEPTS_MAX; i++) {
        int fd = accept4(sessions_of(c)->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0 && (errno == EMFILE || errno == ENFILE)) {
            loop_unwatch(c->loop, &sessions_of(c)->listen_watch); /* they wait; asking again at once would
                                                                     only turn in circles */
            loop_timer_set(c->loop, &sessions_of(c)->listen_again, PAUSE_MS);
        }
        if (fd < 0)
            return;
        sessions_let_in_local(c, fd);
    }
}

static void sessions_listen_again(void *ctx)
{
    struct control *c = ctx;
    if (sessions_of(c)->listen_fd >= 0)
        loop_watch(c->loop, &sessions_of(c)->listen_watch, LOOP_READ);
}

/* Closes clients that do not greet, do not finish a frame or do not read. */
static void sessions_sweep(void *ctx)
{
    struct control *c = ctx;
    sessions_sweep_guests(c);
    list_for_each (s, sessions(c), struct session, link) {
        user_is_fresh(c->users, s->uid, s->gid); /* asks in time */
        session_renew_rights(s);
        bool silent = !s->greeted && !conn_is_in_queue(s->conn) &&
                      loop_now(c->loop).ns - s->t_open.ns > HELLO_MS * NS_PER_MS;
        bool stuck = conn_stuck_ms(s->conn) >= FRAME_MS;
        if (s->given_up || (!silent && !stuck && !session_reads_nothing(s)))
            continue;
        if (user_quota_may_log(c, s->quota))
            log_warn("client=%s uid=%u pid=%u %s, closing connection", s->program ? s->program : "?",
                     s->uid, s->pid,
                     silent  ? "does not greet"
                     : stuck ? "does not finish a message"
                             : "does not read its answers");
        s->given_up = true;
        conn_give_up(s->conn);
    }
    user_quota_sweep(c, user_budget_warn);
    loop_timer_set(c->loop, &sessions_of(c)->sweep, SWEEP_MS);
}

int sessions_listen(struct control *c, struct errtext *err)
{
    struct sessions *all = sessions_of(c);
    /* The kernel tells which user asks: where all may, the socket cannot tell them apart. */
    int fd = unixsock_listen(c->settings.socket_path, c->settings.everyone ? 0666 : 0600, 1024);
    if (fd < 0)
        return err_set(err, fd, "cannot listen at %s: %s", c->settings.socket_path, strerror(-fd));
    all->listen_fd = fd;
    all->listen_watch = (struct loop_fd){.fd = fd, .fn = sessions_on_listen, .ctx = c};
    all->listen_again = (struct loop_timer){.fn = sessions_listen_again, .ctx = c};
    all->sweep = (struct loop_timer){.fn = sessions_sweep, .ctx = c};
    loop_watch(c->loop, &sessions_of(c)->listen_watch, LOOP_READ);
    loop_timer_set(c->loop, &sessions_of(c)->sweep, SWEEP_MS);
    return 0;
}

void sessions_close_all(struct control *c)
{
    struct sessions *all = sessions_of(c);
    if (all->listen_fd >= 0) {
        loop_unwatch(c->loop, &sessions_of(c)->listen_watch);
        close(all->listen_fd);
        unlink(c->settings.socket_path);
        all->listen_fd = -1;
    }
    loop_timer_cancel(c->loop, &sessions_of(c)->listen_again);
    loop_timer_cancel(c->loop, &sessions_of(c)->sweep);
    list_for_each (g, &all->guests, struct session_guest, link) {
        close(g->fd);
        session_guest_leave(c, g);
        session_guest_free(g);
    }
    list_for_each (s, sessions(c), struct session, link) {
        conn_close(s->conn);
        session_free(s);
    }
}

static void sessions_start(struct control *c)
{
    struct sessions *all = c->state[MODULE_SESSIONS] = xcalloc(1, sizeof *all);
    list_init(&all->all);
    list_init(&all->guests);
    all->listen_fd = -1;
}

static void sessions_stop(struct control *c)
{
    free(c->state[MODULE_SESSIONS]);
}

const struct module_ops sessions_module = {
    .start = sessions_start, .stop = sessions_stop, .names_told = sessions_names_told};
