#include "backend/slurm/slurm_server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backend/slurm/host/slurm_shared.h"
#include "backend/slurm/live/slurm_attach.h"
#include "backend/slurm/live/slurm_live.h"
#include "backend/slurm/live/slurm_named.h"
#include "backend/slurm/live/slurm_probe.h"
#include "backend/slurm/live/slurm_use.h"
#include "backend/slurm/past/slurm_history.h"
#include "backend/slurm/plan/slurm_plan.h"
#include "backend/slurm/plan/slurm_planner.h"
#include "backend/slurm/slurm_access.h"
#include "backend/slurm/slurm_act.h"
#include "backend/slurm/slurm_ask.h"
#include "backend/slurm/slurm_intent.h"
#include "backend/slurm/slurm_nodes.h"
#include "backend/slurm/slurm_output.h"
#include "backend/slurm/slurm_rights.h"
#include "backend/slurm/slurm_rows.h"
#include "backend/slurm/slurm_session.h"
#include "backend/slurm/slurm_submit.h"
#include "backend/slurm/slurm_trial.h"
#include "backend/slurm/usage/slurm_usage.h"
#include "backend/slurm/why/slurm_try.h"
#include "backend/slurm/why/slurm_why.h"
#include "src/base/xalloc.h"
#include "src/os/log.h"
#include "src/os/unixsock.h"
#include "src/proto/codec.h"

#define QUEUE_MAX    (1u << 30) /* the rows of a million jobs, to a client of the same user */
#define QUEUE_ENOUGH (4u << 20)
#define COMMITTED    UINT64_MAX /* nothing waits for a disk */

/* What this engine does not do yet: the screens do not offer it. */
#define LACKED (1u << LACK_DEVICES)

struct slurm_server {
    struct slurm_hub hub;
    char *socket;
    char host[256];
    int64_t idle_ms;
    int listen_fd;
    struct loop_fd listen_watch;
    struct loop_timer idle;
    struct slurm_mirror *mirror;
    struct slurm_poll *poll;
    struct slurm_poll_ops poll_ops;
    struct slurm_submits *submits;
    struct slurm_trials *trials;
    struct slurm_rights *rights;
    struct slurm_history *history;
    struct slurm_asks *asks;
    struct slurm_scores *scores;
    struct slurm_planner *planner;
    struct slurm_live *live;
    struct slurm_named *named;
    struct slurm_uses *uses;
    struct slurm_probes *probes;
    struct slurm_attaches *attaches;
    struct slurm_access *access;
};

/* --- what is read --- */

static void server_need(struct slurm_server *server)
{
    bool looks = server->submits && slurm_submits_look(server->submits);
    enum slurm_need need = looks ? SLURM_NEED_OWN : SLURM_NEED_NOTHING;
    list_for_each (s, &server->hub.sessions, struct slurm_session, link) {
        enum slurm_need of = s->parked.all || slurm_plan_is_shown(s) ? SLURM_NEED_ALL : slurm_rows_need(s);
        need = of > need ? of : need;
    }
    slurm_poll_need(server->poll, need);
}

/* An event is encoded once for all who follow. */
static void server_tell(void *ctx, const struct event *ev)
{
    struct slurm_server *server = ctx;
    struct str bytes = STR_INIT;
    if (ev->kind == EV_JOB_ROW)
        slurm_history_note(server->history, ev->body);
    slurm_plan_note(server->scores, ev);
    list_for_each (s, &server->hub.sessions, struct slurm_session, link) {
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
                            .now = loop_wall(server->hub.loop),
                            .pid = (uint32_t)getpid(),
                            .engine = engine,
                            .engine_release = (char *)(uintptr_t)slurm_mirror_release(server->mirror),
                            .admin = slurm_rights_is_operator(server->rights),
                            .lacks = LACKED};
    w.lacks |= slurm_rights_is_administrator(server->rights) ? 0 : 1u << LACK_NODES;
    s->hello_waits = false;
    s->greeted = true;
    conn_set_max_frame(s->conn, FRAME_MAX);
    slurm_session_send(s, MSG_WELCOME, tag, &w);
}

/* What the screens offer depends on who this is: the greeting waits for that. */
static void slurm_session_hello(struct slurm_session *s, uint64_t tag)
{
    if (slurm_rights_are_known(s->server->rights)) {
        slurm_session_welcome(s, tag);
        return;
    }
    s->hello_waits = true;
    s->hello_tag = tag;
}

static void server_on_rights(void *ctx)
{
    struct slurm_server *server = ctx;
    list_for_each (s, &server->hub.sessions, struct slurm_session, link)
        if (s->hello_waits)
            slurm_session_welcome(s, s->hello_tag);
}

static void slurm_session_engine(struct slurm_session *s, uint64_t tag)
{
    struct msg_engine m;
    slurm_poll_report(s->poll, &m);
    slurm_named_report(s->server->named, &m);
    slurm_live_report(s->live, &m);
    slurm_uses_report(s->uses, &m);
    slurm_probes_report(s->probes, &m);
    slurm_asks_report(s->asks, &m);
    slurm_plan_report_scores(s->server->scores, &m);
    slurm_session_send(s, MSG_ENGINE_DATA, tag, &m);
    rec_fini(&msg_engine_rec, &m);
}

static void slurm_session_watch(struct slurm_session *s, const struct msg_watch_util *m)
{
    const struct job *j = model_get_job(slurm_mirror_model(s->mirror), m->job);
    slurm_live_watch(s, m->on ? m->job : 0);
    if (m->on && m->probe)
        slurm_probe(s->probes, s, m->job, j && slurm_uses_may(s->uses, j));
    else
        slurm_uses_greet(s->uses, s);
}

static void slurm_session_dispatch(struct slurm_session *s, enum msg_kind kind, uint64_t tag, void *body)
{
    switch ((int)kind) {
    case MSG_GET: slurm_rows_get(s, tag, body); break;
    case MSG_WHY: slurm_why(s, tag, body); break;
    case MSG_TRY: slurm_try(s, tag, body); break;
    case MSG_WAITS: slurm_why_waits(s, tag, body); break;
    case MSG_ACT: slurm_act(s, tag, body); break;
    case MSG_UPDATE: slurm_act_update(s, tag, body); break;
    case MSG_SCRIPT: slurm_act_script(s, tag, body); break;
    case MSG_SUBMIT: slurm_submit(s, tag, body); break;
    case MSG_HISTORY: slurm_history_ask(s, tag, body); break;
    case MSG_DRAIN: slurm_nodes_drain(s, tag, body); break;
    case MSG_WINDOW_SET: slurm_window_set(s, tag, body); break;
    case MSG_SHARES: slurm_usage_shares(s, tag, body); break;
    case MSG_PRIO: slurm_usage_prio(s, tag, body); break;
    case MSG_NODE_NOTE: slurm_nodes_note(s, tag, body); break;
    case MSG_PLAN: slurm_plan(s, tag, body); break;
    case MSG_ENGINE: slurm_session_engine(s, tag); break;
    case MSG_OUTPUT_READ: slurm_output_read(s, tag, body); break;
    case MSG_PING: slurm_session_send(s, MSG_PONG, tag, NULL); break;
    case MSG_WATCH_UTIL: slurm_session_watch(s, body); break;
    default:
        slurm_session_refuse(s, tag, REFUSAL_NOT_SUPPORTED,
                             "this is not built for Slurm yet: use Slurm's own commands");
    }
}

/* --- questions that have to wait for the rows --- */

static void slurm_session_drop_parked(struct slurm_session *s)
{
    if (s->parked.kind)
        msg_free((enum msg_kind)s->parked.kind, s->parked.body);
    s->parked = (struct slurm_parked){0};
}

/* The job that the question is about. False: it is about none, or Slurm itself is asked about it. */
static bool slurm_parked_target(const struct slurm_parked *p, struct job_target *ret)
{
    const struct msg_output_read *read = p->body;
    if (p->kind == MSG_WHY)
        *ret = ((const struct msg_job *)p->body)->target;
    else if (p->kind == MSG_TRY)
        *ret = ((const struct msg_update *)p->body)->target;
    else if (p->kind == MSG_OUTPUT_READ)
        *ret = (struct job_target){.job = read->key.job, .array_index = ARRAY_NONE};
    else
        return false;
    return true;
}

/* A client that shows rows already is answered from those, but for a job that is not among them. */
static bool slurm_session_must_wait(const struct slurm_session *s, const struct slurm_parked *p)
{
    struct job_target t;
    if (p->all && !slurm_poll_has(s->poll, SLURM_NEED_ALL))
        return true;
    if (p->kind == MSG_PLAN)
        return !slurm_planner_is_ready(s->planner);
    return slurm_parked_target(p, &t) && slurm_named_must_wait(s->named, &t, p->at);
}

/* Slurm has not told whether there is such a job. */
static const char *slurm_session_trouble(const struct slurm_session *s, const struct slurm_parked *p)
{
    struct job_target t;
    if (slurm_poll_trouble(s->poll))
        return slurm_poll_trouble(s->poll);
    return slurm_parked_target(p, &t) && !slurm_named_is_known(s->named, &t) ? slurm_named_trouble(s->named)
                                                                             : NULL;
}

static void slurm_session_unpark(struct slurm_session *s);

/* Takes body if it is kept for later, or answered already. */
static bool slurm_session_park(struct slurm_session *s, enum msg_kind kind, uint64_t tag, void *body)
{
    struct slurm_parked p = {.kind = kind, .tag = tag, .body = body, .at = loop_now(s->hub->loop)};
    p.all = kind == MSG_PLAN || (kind == MSG_WHY && s->follow == SLURM_FOLLOW_NONE);
    if (s->parked.kind || slurm_poll_trouble(s->poll) ||
        (kind != MSG_PLAN && !slurm_session_must_wait(s, &p)))
        return false;
    s->parked = p;
    if (kind == MSG_PLAN)
        slurm_plan_show(s);
    slurm_session_need(s);
    slurm_session_unpark(s);
    return true;
}

static void slurm_session_unpark(struct slurm_session *s)
{
    struct slurm_parked p = s->parked;
    if (!p.kind)
        return;
    if (p.kind == MSG_PLAN && slurm_poll_has(s->poll, SLURM_NEED_ALL))
        slurm_planner_want(s->planner);
    if (!slurm_poll_trouble(s->poll) && slurm_session_must_wait(s, &p))
        return;
    const char *trouble = slurm_session_trouble(s, &p);
    s->parked = (struct slurm_parked){0};
    if (trouble)
        slurm_session_refuse(s, p.tag, REFUSAL_NOT_SUPPORTED, trouble);
    else
        slurm_session_dispatch(s, (enum msg_kind)p.kind, p.tag, p.body);
    msg_free((enum msg_kind)p.kind, p.body);
    slurm_session_need(s);
}

static void server_on_planned(void *ctx)
{
    struct slurm_server *server = ctx;
    list_for_each (s, &server->hub.sessions, struct slurm_session, link)
        slurm_session_unpark(s);
}

/* Slurm has answered about jobs that no list has. */
static void server_on_named(void *ctx)
{
    struct slurm_server *server = ctx;
    list_for_each (s, &server->hub.sessions, struct slurm_session, link) {
        slurm_rows_try(s);
        slurm_session_unpark(s);
    }
}

/* The steps of a job that a client has asked for are known now. */
static void server_on_live(void *ctx)
{
    struct slurm_server *server = ctx;
    list_for_each (s, &server->hub.sessions, struct slurm_session, link)
        slurm_rows_try(s);
}

static void server_on_attached(void *ctx)
{
    struct slurm_server *server = ctx;
    list_for_each (s, &server->hub.sessions, struct slurm_session, link)
        slurm_output_more(s);
}

/* No event carries the configuration: clients must ask again. */
static void server_on_access(void *ctx)
{
    struct slurm_server *server = ctx;
    list_for_each (s, &server->hub.sessions, struct slurm_session, link)
        if (s->follow != SLURM_FOLLOW_NONE)
            slurm_session_send(s, MSG_RESYNC, s->follow_tag, NULL);
}

static void server_on_round(void *ctx, bool config)
{
    struct slurm_server *server = ctx;
    bool works = !slurm_poll_trouble(server->poll), follows = false;
    list_for_each (s, &server->hub.sessions, struct slurm_session, link) {
        slurm_rows_tell_round(s);
        follows |= s->follow != SLURM_FOLLOW_NONE;
        if (config && s->follow != SLURM_FOLLOW_NONE)
            slurm_session_send(s, MSG_RESYNC, s->follow_tag, NULL);
        if (works && slurm_poll_has(server->poll, SLURM_NEED_OWN))
            slurm_session_tell_missed(s);
        slurm_rows_try(s);
        slurm_session_unpark(s);
    }
    slurm_live_check(server->live);
    slurm_uses_check(server->uses);
    if (follows && works)
        slurm_access_check(server->access);
}

/* --- connections --- */

static void server_check_idle(struct slurm_server *server)
{
    bool busy = server->submits && slurm_submits_are_busy(server->submits);
    if (list_empty(&server->hub.sessions) && list_empty(&server->hub.commands) && !busy)
        loop_timer_set(server->hub.loop, &server->idle, server->idle_ms);
    else
        loop_timer_cancel(server->hub.loop, &server->idle);
}

static void server_on_change(void *ctx)
{
    server_need(ctx);
    server_check_idle(ctx);
}

static void slurm_session_free(struct slurm_session *s)
{
    struct slurm_server *server = s->server;
    list_unlink(&s->link);
    slurm_output_drop(s);
    rec_fini(&msg_get_rec, &s->get);
    slurm_session_drop_parked(s);
    free(s);
    server_on_change(server);
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
        slurm_session_hello(s, f->tag);
    else if (s->hello_waits) {
        slurm_session_welcome(s,
                              s->hello_tag); /* requests follow at once: it did not wait for the answer */
        if (slurm_session_park(s, f->type, f->tag, body))
            return 0;
        slurm_session_dispatch(s, f->type, f->tag, body);
    } else if (s->greeted && slurm_session_park(s, f->type, f->tag, body))
        return 0;
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
    s->hub = &server->hub;
    s->server = server;
    s->mirror = server->mirror;
    s->poll = server->poll;
    s->submits = server->submits;
    s->trials = server->trials;
    s->history = server->history;
    s->asks = server->asks;
    s->planner = server->planner;
    s->live = server->live;
    s->named = server->named;
    s->uses = server->uses;
    s->probes = server->probes;
    s->attaches = server->attaches;
    s->number = ++server->hub.last_number;
    list_init(&s->reads);
    list_init(&s->link);
    list_append(&server->hub.sessions, &s->link);
    s->conn = conn_new(server->hub.loop, fd, FRAME_MAX, QUEUE_MAX, COMMITTED, &slurm_session_ops, s);
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
    loop_stop(server->hub.loop);
}

/* What is on disk: that of a server is known by its socket's name. */
static void server_open_files(struct slurm_server *s, int64_t settle_ms)
{
    const char *slash = strrchr(s->socket, '/');
    char *root = slurm_intent_root(slash ? slash + 1 : s->socket), *ends = xasprintf("%s.ends", root);
    s->history = slurm_history_new(&s->hub, s->mirror, ends);
    s->submits = slurm_submits_new(&(struct slurm_submits_settings){
        .hub = &s->hub, .mirror = s->mirror, .poll = s->poll, .root = root, .settle_ms = settle_ms});
    free(root);
    free(ends);
}

int slurm_server_new(struct loop *l, const struct slurm_server_settings *settings,
                     struct slurm_server **ret, struct errtext *err)
{
    int fd = unixsock_listen(settings->socket, 0600, 64);
    if (fd < 0)
        return err_set(err, fd, "cannot listen at %s: %s", settings->socket, strerror(-fd));
    struct slurm_server *s = xcalloc(1, sizeof *s);
    *s = (struct slurm_server){.hub = {.loop = l,
                                       .dir = xstrdup(settings->commands),
                                       .env = slurm_clean_env(environ),
                                       .changed = server_on_change,
                                       .ctx = s},
                               .socket = xstrdup(settings->socket),
                               .idle_ms = settings->idle_ms,
                               .listen_fd = fd};
    if (gethostname(s->host, sizeof s->host - 1) < 0)
        s->host[0] = '\0';
    list_init(&s->hub.sessions);
    list_init(&s->hub.commands);
    s->scores = slurm_scores_new();
    s->mirror = slurm_mirror_new(server_tell, s);
    s->poll_ops = (struct slurm_poll_ops){.on_round = server_on_round, .ctx = s};
    s->poll = slurm_poll_new(l, s->mirror, s->hub.dir, &s->hub.env, &s->poll_ops);
    char *shared = slurm_shared_socket(settings->socket);
    slurm_poll_share(s->poll, shared);
    free(shared);
    s->idle = (struct loop_timer){.fn = server_on_idle, .ctx = s};
    s->listen_watch = (struct loop_fd){.fd = fd, .fn = server_on_listen, .ctx = s};
    loop_watch(l, &s->listen_watch, LOOP_READ);
    s->trials = slurm_trials_new(&s->hub);
    s->rights = slurm_rights_new(&s->hub, server_on_rights, s);
    server_open_files(s, settings->settle_ms);
    s->asks = slurm_asks_new();
    s->access = slurm_access_new(&s->hub, s->mirror, server_on_access, s);
    s->attaches = slurm_attaches_new(&s->hub, server_on_attached, s);
    s->named = slurm_named_new(&s->hub, s->mirror, server_on_named, s);
    s->live = slurm_live_new(&s->hub, s->mirror, server_on_live, s);
    s->uses = slurm_uses_new(&s->hub, s->mirror, s->rights);
    s->probes = slurm_probes_new(&s->hub, s->mirror);
    s->planner = slurm_planner_new(l, s->mirror, s->scores, server_on_planned, s);
    server_on_change(s);
    *ret = s;
    return 0;
}

void slurm_server_free(struct slurm_server *s)
{
    if (!s)
        return;
    loop_unwatch(s->hub.loop, &s->listen_watch);
    close(s->listen_fd);
    unlink(s->socket);
    loop_timer_cancel(s->hub.loop, &s->idle);
    list_for_each (session, &s->hub.sessions, struct slurm_session, link) {
        conn_close(session->conn);
        list_unlink(&session->link);
        slurm_output_drop(session);
        rec_fini(&msg_get_rec, &session->get);
        slurm_session_drop_parked(session);
        free(session);
    }
    slurm_submits_free(s->submits);
    slurm_trials_free(s->trials);
    slurm_rights_free(s->rights);
    slurm_history_free(s->history);
    slurm_live_free(s->live);
    slurm_named_free(s->named);
    slurm_uses_free(s->uses);
    slurm_probes_free(s->probes);
    slurm_attaches_free(s->attaches);
    slurm_access_free(s->access);
    slurm_asks_free(s->asks);
    slurm_planner_free(s->planner);
    slurm_scores_free(s->scores);
    slurm_poll_free(s->poll);
    slurm_mirror_free(s->mirror);
    slurm_hub_fini(&s->hub);
    free(s->socket);
    free(s);
}
