#include "backend/slurm/slurm_server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backend/slurm/slurm_act.h"
#include "backend/slurm/slurm_causes.h"
#include "backend/slurm/slurm_rows.h"
#include "backend/slurm/slurm_session.h"
#include "src/base/log.h"
#include "src/base/unixsock.h"
#include "src/base/xalloc.h"
#include "src/proto/codec.h"

#define QUEUE_MAX       (1u << 30) /* the rows of a million jobs, to a client of the same user */
#define QUEUE_ENOUGH    (4u << 20)
#define COMMAND_WAIT_MS 60000
#define COMMITTED       UINT64_MAX /* nothing waits for a disk */

/* What this engine does not do yet: the screens do not offer it. */
#define LACKED                                                                                               \
    (1u << LACK_SUBMIT | 1u << LACK_HISTORY | 1u << LACK_PLAN | 1u << LACK_SHARES | 1u << LACK_NODES |       \
     1u << LACK_SHELL | 1u << LACK_DEVICES)

struct server_command { /* that a client has asked for */
    struct list link;
    struct slurm_server *server;
    struct slurm_command *command;
    uint64_t session; /* its number */
    uint64_t tag;
    slurm_done_fn *fn;
    void *arg;
};

struct slurm_server {
    struct loop *loop;
    char *socket, *dir;
    char host[256];
    struct strv env;
    int64_t idle_ms;
    int listen_fd;
    struct loop_fd listen_watch;
    struct loop_timer idle;
    struct list sessions, commands;
    uint64_t last_number;
    struct slurm_mirror *mirror;
    struct slurm_poll *poll;
    struct slurm_poll_ops poll_ops;
};

/* --- sending --- */

static void slurm_session_check_sent(struct slurm_session *s, bool sent)
{
    if (sent)
        return;
    s->missed = true;
    s->follow = SLURM_FOLLOW_NONE;
}

void slurm_session_send(struct slurm_session *s, enum msg_kind kind, uint64_t tag, const void *body)
{
    slurm_session_check_sent(s, conn_send(s->conn, 0, kind, tag, body));
}

void slurm_session_send_encoded(struct slurm_session *s, enum msg_kind kind, uint64_t tag,
                                const struct str *bytes)
{
    slurm_session_check_sent(s, conn_send_encoded(s->conn, 0, kind, tag, bytes->s, bytes->len));
}

void slurm_session_refuse(struct slurm_session *s, uint64_t tag, enum refusal refusal, const char *text)
{
    char *copy = xstrdup(text);
    struct msg_result r = {.refusal = refusal, .text = copy};
    slurm_session_send(s, MSG_RESULT, tag, &r);
    free(copy);
}

/* --- commands of clients --- */

static struct slurm_session *server_find_session(struct slurm_server *server, uint64_t number)
{
    list_for_each (s, &server->sessions, struct slurm_session, link)
        if (s->number == number)
            return s;
    return NULL;
}

static void server_command_free(struct server_command *c)
{
    list_unlink(&c->link);
    slurm_command_free(c->command);
    free(c);
}

static void server_on_command(void *ctx, const struct slurm_output *o)
{
    struct server_command *c = ctx;
    c->fn(server_find_session(c->server, c->session), c->tag, o, c->arg);
    server_command_free(c);
}

void slurm_session_run(struct slurm_session *s, uint64_t tag, const struct strv *argv, slurm_done_fn *fn,
                       void *arg)
{
    struct slurm_server *server = s->server;
    struct server_command *c = xcalloc(1, sizeof *c);
    *c = (struct server_command){.server = server, .session = s->number, .tag = tag, .fn = fn, .arg = arg};
    list_init(&c->link);
    list_append(&server->commands, &c->link);
    c->command = slurm_command_new(
        server->loop,
        &(struct slurm_command_spec){
            .dir = server->dir, .argv = argv, .env = &server->env, .timeout_ms = COMMAND_WAIT_MS},
        server_on_command, c);
}

/* --- what is read --- */

static void server_update_need(struct slurm_server *server)
{
    enum slurm_need need = SLURM_NEED_NOTHING;
    list_for_each (s, &server->sessions, struct slurm_session, link) {
        enum slurm_need of = slurm_rows_need(s);
        need = of > need ? of : need;
    }
    slurm_poll_need(server->poll, need);
}

void slurm_session_need(struct slurm_session *s)
{
    server_update_need(s->server);
}

/* An event is encoded once for all who follow. */
static void server_tell(void *ctx, const struct event *ev)
{
    struct slurm_server *server = ctx;
    struct str bytes = STR_INIT;
    list_for_each (s, &server->sessions, struct slurm_session, link) {
        if (!slurm_rows_follows(s, ev))
            continue;
        if (!bytes.len) {
            struct msg_event m;
            event_to_msg(ev, &m);
            codec_encode(&msg_event_rec, &m, &bytes);
            rec_fini(&msg_event_rec, &m);
        }
        slurm_session_send_encoded(s, MSG_EVENT, s->follow_tag, &bytes);
    }
    str_fini(&bytes);
}

static void slurm_session_tell_missed(struct slurm_session *s)
{
    if (!s->missed || s->waits)
        return;
    s->missed = false;
    slurm_session_send(s, MSG_RESYNC, s->follow_tag, NULL);
}

static void server_on_round(void *ctx, bool config)
{
    struct slurm_server *server = ctx;
    bool works = !slurm_poll_trouble(server->poll);
    list_for_each (s, &server->sessions, struct slurm_session, link) {
        slurm_rows_tell_round(s);
        if (config && s->follow != SLURM_FOLLOW_NONE)
            slurm_session_send(s, MSG_RESYNC, s->follow_tag, NULL);
        if (works && slurm_poll_has(server->poll, SLURM_NEED_OWN))
            slurm_session_tell_missed(s);
        slurm_rows_try(s);
    }
}

/* --- requests --- */

static void slurm_session_welcome(struct slurm_session *s, uint64_t tag)
{
    struct slurm_server *server = s->server;
    const struct model *m = slurm_mirror_model(server->mirror);
    char release[] = STOKER_VERSION, engine[] = "Slurm";
    struct msg_welcome w = {.version = PROTO_VERSION,
                            .cluster = m->uuid,
                            .name = m->spec.name,
                            .host = server->host,
                            .epoch = m->epoch,
                            .uid = geteuid(),
                            .release = release,
                            .now = loop_wall(server->loop),
                            .pid = (uint32_t)getpid(),
                            .engine = engine,
                            .engine_release = (char *)(uintptr_t)slurm_mirror_release(server->mirror),
                            .lacks = LACKED};
    s->greeted = true;
    conn_set_max_frame(s->conn, FRAME_MAX);
    slurm_session_send(s, MSG_WELCOME, tag, &w);
}

static bool slurm_session_has_all(const struct slurm_session *s)
{
    return slurm_poll_has(s->poll, SLURM_NEED_ALL);
}

static void slurm_session_why(struct slurm_session *s, uint64_t tag, const struct msg_job *q)
{
    const struct model *m = slurm_mirror_model(s->mirror);
    const struct job *j = q->target.array_index == ARRAY_NONE
                              ? model_get_job(m, q->target.job)
                              : model_get_element(m, q->target.job, q->target.array_index);
    if (!j) {
        slurm_session_refuse(s, tag, REFUSAL_NO_JOB, refusal_slurm(REFUSAL_NO_JOB));
        return;
    }
    struct msg_why why;
    slurm_cause_why(m, j, slurm_session_has_all(s), &why);
    slurm_session_send(s, MSG_WHY_CAUSES, tag, &why);
    rec_fini(&msg_why_rec, &why);
}

static void slurm_session_waits(struct slurm_session *s, uint64_t tag, const struct msg_waits_get *q)
{
    const struct model *m = slurm_mirror_model(s->mirror);
    struct msg_waits answer = {0};
    bool all = slurm_session_has_all(s);
    for (size_t i = 0; i < q->jobs.n && i < WAIT_ROWS_MAX; i++) {
        const struct job *j = model_get_job(m, q->jobs.v[i].job);
        struct job_wait *row = rec_list_push(&answer.rows);
        row->job = q->jobs.v[i].job;
        if (j)
            slurm_cause_first(m, j, all, &row->cause);
    }
    slurm_session_send(s, MSG_WAIT_CAUSES, tag, &answer);
    rec_fini(&msg_waits_rec, &answer);
}

static void slurm_session_engine(struct slurm_session *s, uint64_t tag)
{
    struct msg_engine m;
    slurm_poll_report(s->poll, &m);
    slurm_session_send(s, MSG_ENGINE_DATA, tag, &m);
    rec_fini(&msg_engine_rec, &m);
}

static void slurm_session_dispatch(struct slurm_session *s, enum msg_kind kind, uint64_t tag, void *body)
{
    switch ((int)kind) {
    case MSG_GET: slurm_rows_get(s, tag, body); break;
    case MSG_WHY: slurm_session_why(s, tag, body); break;
    case MSG_WAITS: slurm_session_waits(s, tag, body); break;
    case MSG_ACT: slurm_act(s, tag, body); break;
    case MSG_UPDATE: slurm_act_update(s, tag, body); break;
    case MSG_SCRIPT: slurm_act_script(s, tag, body); break;
    case MSG_ENGINE: slurm_session_engine(s, tag); break;
    case MSG_PING: slurm_session_send(s, MSG_PONG, tag, NULL); break;
    case MSG_WATCH_UTIL: break; /* nothing is measured, so nothing is pushed */
    default:
        slurm_session_refuse(s, tag, REFUSAL_NOT_SUPPORTED,
                             "this is not built for Slurm yet: use Slurm's own commands");
    }
}

/* --- connections --- */

static void server_check_idle(struct slurm_server *server)
{
    if (list_empty(&server->sessions) && list_empty(&server->commands))
        loop_timer_set(server->loop, &server->idle, server->idle_ms);
    else
        loop_timer_cancel(server->loop, &server->idle);
}

static void slurm_session_free(struct slurm_session *s)
{
    struct slurm_server *server = s->server;
    list_unlink(&s->link);
    rec_fini(&msg_get_rec, &s->get);
    free(s);
    server_update_need(server);
    server_check_idle(server);
}

static int slurm_session_on_frame(void *ctx, struct conn *conn, const struct frame *f)
{
    (void)conn;
    struct slurm_session *s = ctx;
    struct errtext err;
    void *body = NULL;
    int r = msg_decode(f, &body, &err);
    if (r == -ENOSYS && s->greeted) { /* of a newer client */
        slurm_session_refuse(s, f->tag, REFUSAL_NOT_SUPPORTED, "this message is not known here");
        return 0;
    }
    if (r < 0)
        return r;
    if (f->type == MSG_HELLO)
        slurm_session_welcome(s, f->tag);
    else if (s->greeted)
        slurm_session_dispatch(s, f->type, f->tag, body);
    else
        r = -EPROTO;
    msg_free(f->type, body);
    return r;
}

static void slurm_session_on_close(void *ctx, struct conn *conn, const char *why)
{
    (void)conn;
    (void)why;
    slurm_session_free(ctx);
}

static void slurm_session_on_drain(void *ctx, struct conn *conn)
{
    (void)conn;
    slurm_session_tell_missed(ctx);
}

static const struct conn_ops slurm_session_ops = {.on_frame = slurm_session_on_frame,
                                                  .on_close = slurm_session_on_close,
                                                  .on_drain = slurm_session_on_drain};

/* The socket's directory is the user's alone; the kernel's word is asked all the same. */
static bool is_same_user(int fd)
{
    struct ucred cred;
    socklen_t len = sizeof cred;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) == 0 && cred.uid == geteuid();
}

static void server_let_in(struct slurm_server *server, int fd)
{
    struct slurm_session *s = xcalloc(1, sizeof *s);
    s->server = server;
    s->mirror = server->mirror;
    s->poll = server->poll;
    s->number = ++server->last_number;
    list_init(&s->link);
    list_append(&server->sessions, &s->link);
    s->conn = conn_new(server->loop, fd, FRAME_MAX, QUEUE_MAX, COMMITTED, &slurm_session_ops, s);
    conn_set_enough(s->conn, QUEUE_ENOUGH);
    server_check_idle(server);
}

static void server_on_listen(void *ctx, unsigned ready)
{
    (void)ready;
    struct slurm_server *server = ctx;
    int fd = accept4(server->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0)
        return;
    if (is_same_user(fd))
        server_let_in(server, fd);
    else
        close(fd);
}

static void server_on_idle(void *ctx)
{
    struct slurm_server *server = ctx;
    loop_stop(server->loop);
}

int slurm_server_new(struct loop *l, const struct slurm_server_settings *settings,
                     struct slurm_server **ret, struct errtext *err)
{
    int fd = unixsock_listen(settings->socket, 0600, 64);
    if (fd < 0)
        return err_set(err, fd, "cannot listen at %s: %s", settings->socket, strerror(-fd));
    struct slurm_server *s = xcalloc(1, sizeof *s);
    *s = (struct slurm_server){.loop = l,
                               .socket = xstrdup(settings->socket),
                               .dir = xstrdup(settings->commands),
                               .env = slurm_clean_env(environ),
                               .idle_ms = settings->idle_ms,
                               .listen_fd = fd};
    if (gethostname(s->host, sizeof s->host - 1) < 0)
        s->host[0] = '\0';
    list_init(&s->sessions);
    list_init(&s->commands);
    s->mirror = slurm_mirror_new(server_tell, s);
    s->poll_ops = (struct slurm_poll_ops){.on_round = server_on_round, .ctx = s};
    s->poll = slurm_poll_new(l, s->mirror, s->dir, &s->env, &s->poll_ops);
    s->idle = (struct loop_timer){.fn = server_on_idle, .ctx = s};
    s->listen_watch = (struct loop_fd){.fd = fd, .fn = server_on_listen, .ctx = s};
    loop_watch(l, &s->listen_watch, LOOP_READ);
    server_check_idle(s);
    *ret = s;
    return 0;
}

void slurm_server_free(struct slurm_server *s)
{
    if (!s)
        return;
    loop_unwatch(s->loop, &s->listen_watch);
    close(s->listen_fd);
    unlink(s->socket);
    loop_timer_cancel(s->loop, &s->idle);
    list_for_each (c, &s->commands, struct server_command, link)
        server_command_free(c);
    list_for_each (session, &s->sessions, struct slurm_session, link) {
        conn_close(session->conn);
        list_unlink(&session->link);
        rec_fini(&msg_get_rec, &session->get);
        free(session);
    }
    slurm_poll_free(s->poll);
    slurm_mirror_free(s->mirror);
    strv_fini(&s->env);
    free(s->socket);
    free(s->dir);
    free(s);
}
