#include "backend/slurm/host/slurm_host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backend/slurm/slurm_cluster.h"
#include "backend/slurm/slurm_command.h"
#include "backend/slurm/slurm_poll.h"
#include "backend/slurm/slurm_table.h"
#include "backend/slurm/slurm_word.h"
#include "src/base/xalloc.h"
#include "src/os/log.h"
#include "src/os/unixsock.h"

#define HOST_CLIENTS_MAX 512
#define HOST_USER_MAX    16 /* connections of one user; the server of a user has one at a time */
#define HOST_PATIENCE_MS 60000
#define HOST_WAIT_MS     60000
#define HOST_LINE_MAX    32

/* X(enum member, least pause in milliseconds) */
#define HOST_QUESTIONS(X) \
    X(CONFIG, 3600000)    \
    X(JOBS, 10000)        \
    X(NODES, 30000)

enum host_question {
#define X(name, pause) HOST_##name,
    HOST_QUESTIONS(X)
#undef X
        HOST_N
};

static const int64_t host_pauses[] = {
#define X(name, pause) pause,
    HOST_QUESTIONS(X)
#undef X
};

struct host_text { /* what Slurm has printed, for all clients to whom it is sent */
    unsigned refs;
    struct str s;
};

struct host_answer {
    struct host_text *text; /* NULL: none yet */
    char word[SLURM_WORD_SIZE];
    struct mono asked, at; /* ns 0: never */
    int64_t pause_ms;
    uint64_t best_ms;
    uint32_t slow;
    char *failed; /* in Slurm's words; NULL: the last question was answered */
};

struct host_client {
    struct list link;
    struct slurm_host *host;
    struct loop_fd watch;
    struct loop_timer patience;
    char line[HOST_LINE_MAX]; /* what it asks */
    size_t n_line;
    bool asks, own; /* its line has come */
    enum host_question what;
    uint32_t uid;
    struct str out;         /* goes first, */
    struct host_text *body; /* then this; NULL: nothing */
    size_t sent;
};

struct slurm_host {
    struct loop *loop;
    char *socket, *dir;
    struct strv env;
    struct loop_fd listen;
    struct list clients;
    size_t n_clients;
    struct host_answer answers[HOST_N];
    struct slurm_command *running;
    enum host_question which; /* runs */
    char word[SLURM_WORD_SIZE];
    char *refuses;
};

/* --- pure --- */

char *slurm_host_private(const struct slurm_span *config)
{
    char *value = slurm_config_value(config, "PrivateData");
    char *why = NULL;
    if (!value)
        why = xstrdup("the configuration of Slurm does not tell PrivateData");
    else if (strstr(value, "jobs") || strstr(value, "nodes") || strstr(value, "all"))
        why = xasprintf("Slurm hides data of users from one another (PrivateData = %s)", value);
    free(value);
    return why;
}

void slurm_host_filter(const struct slurm_span *answer, const char *word, uint32_t uid, struct str *out)
{
    struct slurm_span rest = *answer;
    struct slurm_row row;
    while (slurm_table_next(&rest, word, &row, NULL) > 0)
        if (slurm_u32(&row.columns[SLURM_COLUMN_UID], UINT32_MAX) == uid)
            str_append_n(out, row.whole.p, row.whole.n + 1);
}

/* --- clients --- */

static void host_text_unref(struct host_text *t)
{
    if (!t || --t->refs)
        return;
    str_fini(&t->s);
    free(t);
}

static void host_client_free(struct host_client *c)
{
    list_unlink(&c->link);
    c->host->n_clients--;
    loop_timer_cancel(c->host->loop, &c->patience);
    loop_unwatch(c->host->loop, &c->watch);
    close(c->watch.fd);
    str_fini(&c->out);
    host_text_unref(c->body);
    free(c);
}

static void host_client_on_patience(void *ctx)
{
    host_client_free(ctx);
}

static void host_client_write(struct host_client *c)
{
    size_t head = c->out.len, all = head + (c->body ? c->body->s.len : 0);
    const char *p = c->sent < head ? c->out.s + c->sent : c->body->s.s + (c->sent - head);
    size_t left = (c->sent < head ? head : all) - c->sent;
    ssize_t n = send(c->watch.fd, p, left, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    c->sent += n > 0 ? (size_t)n : 0;
    if (n <= 0 || c->sent == all)
        host_client_free(c);
}

static void host_client_say(struct host_client *c)
{
    loop_watch(c->host->loop, &c->watch, LOOP_WRITE);
}

static void host_client_refuse(struct host_client *c, const char *why)
{
    str_appendf(&c->out, "NO %s\n", why);
    host_client_say(c);
}

static void host_client_answer(struct host_client *c)
{
    const struct host_answer *a = &c->host->answers[c->what];
    struct slurm_span text = {a->text->s.s, a->text->s.len};
    int64_t age_ms = (loop_now(c->host->loop).ns - a->at.ns) / NS_PER_MS;
    str_appendf(&c->out, "OK %s %lld\n", *a->word ? a->word : "-", (long long)age_ms);
    if (c->own)
        slurm_host_filter(&text, a->word, c->uid, &c->out);
    else if (text.n) {
        c->body = a->text;
        c->body->refs++;
    }
    host_client_say(c);
}

/* --- asking Slurm --- */

static void host_next(struct slurm_host *h);

static bool host_is_young(const struct slurm_host *h, enum host_question q)
{
    const struct host_answer *a = &h->answers[q];
    return a->asked.ns && (loop_now(h->loop).ns - a->asked.ns) / NS_PER_MS < a->pause_ms;
}

/* Answers the clients whose question has a young answer, or cannot be answered. */
static void host_serve(struct slurm_host *h)
{
    list_for_each (c, &h->clients, struct host_client, link) {
        const struct host_answer *a = &h->answers[c->what];
        if (!c->asks || c->out.len)
            continue;
        if (h->refuses)
            host_client_refuse(c, h->refuses);
        else if (!host_is_young(h, HOST_CONFIG) || !host_is_young(h, c->what))
            continue;
        else if (a->failed)
            host_client_refuse(c, a->failed);
        else if (a->at.ns)
            host_client_answer(c);
    }
}

static void host_take(struct slurm_host *h, const struct slurm_output *o)
{
    struct host_answer *a = &h->answers[h->which];
    free(a->failed);
    a->failed = NULL;
    a->best_ms = a->best_ms && a->best_ms < (uint64_t)o->ms ? a->best_ms : (uint64_t)o->ms;
    a->pause_ms = slurm_poll_pause((uint64_t)o->ms, a->best_ms, &a->slow, false, host_pauses[h->which]);
    if (o->exit_code != 0) {
        a->failed = xstrdup(o->says.len ? o->says.s : "Slurm does not answer");
        a->pause_ms = a->pause_ms > host_pauses[HOST_NODES] ? host_pauses[HOST_NODES] : a->pause_ms;
        if (h->which != HOST_CONFIG)
            return;
    }
    host_text_unref(a->text);
    a->text = xcalloc(1, sizeof *a->text);
    *a->text = (struct host_text){.refs = 1, .s = STR_INIT};
    str_append_n(&a->text->s, o->out.s, o->out.len);
    memcpy(a->word, h->word, sizeof a->word);
    a->at = a->asked;
    if (h->which != HOST_CONFIG)
        return;
    struct slurm_span config = {o->out.s, o->out.len};
    free(h->refuses);
    h->refuses = a->failed ? xstrdup(a->failed) : slurm_host_private(&config);
    if (h->refuses)
        log_warn("questions are refused: %s", h->refuses);
}

static void host_on_answer(void *ctx, const struct slurm_output *o)
{
    struct slurm_host *h = ctx;
    struct slurm_command *done = h->running;
    host_take(h, o);
    h->running = NULL;
    slurm_command_free(done);
    host_next(h);
}

static void host_ask(struct slurm_host *h, enum host_question q)
{
    struct strv argv = {0};
    h->which = q;
    h->word[0] = '\0';
    if (q == HOST_JOBS) {
        slurm_word_make(h->word);
        slurm_table_ask(&argv, h->word);
    } else {
        strv_push(&argv, "scontrol");
        if (q == HOST_NODES)
            strv_push(&argv, "--details");
        strv_push(&argv, "--oneliner");
        strv_push(&argv, "--all");
        strv_push(&argv, "show");
        strv_push(&argv, q == HOST_NODES ? "node" : "config");
    }
    h->answers[q].asked = loop_now(h->loop);
    h->running =
        slurm_command_new(h->loop,
                          &(struct slurm_command_spec){
                              .dir = h->dir, .argv = &argv, .env = &h->env, .timeout_ms = HOST_WAIT_MS},
                          host_on_answer, h);
    strv_fini(&argv);
}

/* One question at a time, and none that no client waits for. */
static void host_next(struct slurm_host *h)
{
    if (h->running)
        return;
    host_serve(h);
    list_for_each (c, &h->clients, struct host_client, link) {
        if (!c->asks || c->out.len)
            continue;
        host_ask(h, host_is_young(h, HOST_CONFIG) ? c->what : HOST_CONFIG);
        return;
    }
}

/* --- connections --- */

static void host_client_take_line(struct host_client *c)
{
    c->own = str_eq(c->line, "own");
    c->what = str_eq(c->line, "nodes") ? HOST_NODES : HOST_JOBS;
    c->asks = true;
    loop_watch(c->host->loop, &c->watch, 0);
    if (c->what == HOST_JOBS && !c->own && !str_eq(c->line, "jobs"))
        host_client_refuse(c, "this question is not known here");
    else
        host_next(c->host);
}

static void host_client_on_ready(void *ctx, unsigned ready)
{
    struct host_client *c = ctx;
    (void)ready;
    if (c->out.len) {
        host_client_write(c);
        return;
    }
    ssize_t n =
        c->asks ? 0 : recv(c->watch.fd, c->line + c->n_line, sizeof c->line - c->n_line - 1, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    c->n_line += n > 0 ? (size_t)n : 0;
    char *end = memchr(c->line, '\n', c->n_line);
    if (n <= 0 || (!end && c->n_line == sizeof c->line - 1)) {
        host_client_free(c);
    } else if (end) {
        *end = '\0';
        host_client_take_line(c);
    }
}

static uint32_t host_uid_of(int fd)
{
    struct ucred cred;
    socklen_t len = sizeof cred;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) == 0 ? cred.uid : UINT32_MAX;
}

static bool host_is_full(const struct slurm_host *h, uint32_t uid)
{
    size_t n = 0;
    list_for_each (c, &h->clients, struct host_client, link)
        n += c->uid == uid;
    return n >= HOST_USER_MAX || h->n_clients >= HOST_CLIENTS_MAX;
}

static void host_on_listen(void *ctx, unsigned ready)
{
    (void)ready;
    struct slurm_host *h = ctx;
    int fd = accept4(h->listen.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0)
        return;
    uint32_t uid = host_uid_of(fd);
    if (host_is_full(h, uid)) { /* the client asks Slurm itself */
        close(fd);
        return;
    }
    struct host_client *c = xcalloc(1, sizeof *c);
    *c = (struct host_client){.host = h, .uid = uid};
    c->watch = (struct loop_fd){.fd = fd, .fn = host_client_on_ready, .ctx = c};
    c->patience = (struct loop_timer){.fn = host_client_on_patience, .ctx = c};
    list_init(&c->link);
    list_append(&h->clients, &c->link);
    h->n_clients++;
    loop_watch(h->loop, &c->watch, LOOP_READ);
    loop_timer_set(h->loop, &c->patience, HOST_PATIENCE_MS);
}

int slurm_host_new(struct loop *l, const char *socket, const char *commands, struct slurm_host **ret,
                   struct errtext *err)
{
    int fd = unixsock_listen(socket, 0666, 64);
    if (fd < 0)
        return err_set(err, fd, "cannot listen at %s: %s", socket, strerror(-fd));
    struct slurm_host *h = xcalloc(1, sizeof *h);
    *h = (struct slurm_host){
        .loop = l, .socket = xstrdup(socket), .dir = xstrdup(commands), .env = slurm_clean_env(environ)};
    list_init(&h->clients);
    h->listen = (struct loop_fd){.fd = fd, .fn = host_on_listen, .ctx = h};
    loop_watch(l, &h->listen, LOOP_READ);
    host_ask(h, HOST_CONFIG);
    *ret = h;
    return 0;
}

void slurm_host_free(struct slurm_host *h)
{
    if (!h)
        return;
    list_for_each (c, &h->clients, struct host_client, link)
        host_client_free(c);
    slurm_command_free(h->running);
    loop_unwatch(h->loop, &h->listen);
    close(h->listen.fd);
    unlink(h->socket);
    for (size_t i = 0; i < HOST_N; i++) {
        host_text_unref(h->answers[i].text);
        free(h->answers[i].failed);
    }
    strv_fini(&h->env);
    free(h->socket);
    free(h->dir);
    free(h->refuses);
    free(h);
}
