/* client.c - one connection: bytes in and out, messages, greetings. */
#include "src/client/client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/client/client_find.h"
#include "src/client/client_private.h"
#include "src/client/client_remote.h"
#include "src/lang/lang.h"
#include "src/os/clock.h"
#include "src/text/cause_text.h"

#define READ_SIZE        (256u << 10)
#define ANSWER_MAX       (256u << 20) /* of one message: a job of 100,000 tasks is one row */
#define GREETING_WAIT_MS 10000

struct client {
    int fd;
    struct client_remote *remote; /* fd leads to its ssh; NULL: to a socket of this machine */
    bool nonblocking;
    uint64_t last_tag;
    struct frame_reader in;
    struct str out;
    size_t out_at;             /* bytes of out that have been written */
    VEC(struct incoming) kept; /* messages that came while another one was waited for ... */
    size_t kept_at;            /* ... from here on */
    struct msg_welcome *welcome;
    char *program;
    uint64_t greet_tag;  /* of the greeting that is not answered yet; 0: it is */
    int64_t greet_by_ms; /* when it must be */
    struct paths paths;
    const struct client_rows
        *rows; /* takes the rows of the request rows_tag; NULL: rows are not expected */
    uint64_t rows_tag;
};

/* ---- bytes ---- */

static int lost(struct client *c, struct errtext *err, int code)
{
    if (c->remote)
        return client_remote_lost(c->remote, err);
    if (code == 0 || code == -EPIPE || code == -ECONNRESET)
        return err_set(err, -ECONNRESET, tr("the controller has closed the connection"));
    return err_set(err, -ECONNRESET, tr("the connection to the controller: %s"), strerror(-code));
}

/* Writes what the socket takes now. */
int client_flush(struct client *c, struct errtext *err)
{
    while (c->out_at < c->out.len) {
        ssize_t n = send(c->fd, c->out.s + c->out_at, c->out.len - c->out_at, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return 0;
        if (n < 0)
            return lost(c, err, -errno);
        c->out_at += (size_t)n;
    }
    str_clear(&c->out);
    c->out_at = 0;
    if (c->out.cap > READ_SIZE)
        str_fini(&c->out);
    return 0;
}

/* Reads what is there. Returns 1, or 0 where nothing is. */
static int client_read_some(struct client *c, struct errtext *err)
{
    uint8_t *p = frame_reader_space(&c->in, READ_SIZE);
    ssize_t n;
    do
        n = recv(c->fd, p, READ_SIZE, MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    if (n < 0 && errno == EAGAIN)
        return 0;
    if (n <= 0)
        return lost(c, err, n < 0 ? -errno : 0);
    frame_reader_added(&c->in, (size_t)n);
    return 1;
}

/* Waits until the socket is readable, or writable where something is to be written. Returns 0 when the time
 * is up and -EINTR after a signal. */
static int wait_socket(const struct client *c, int timeout_ms)
{
    struct pollfd pfd = {.fd = c->fd, .events = POLLIN};
    if (client_wants_write(c))
        pfd.events |= POLLOUT;
    int n = poll(&pfd, 1, timeout_ms);
    return n < 0 ? -errno : n;
}

bool client_wants_write(const struct client *c)
{
    return c->out_at < c->out.len;
}

static int client_take_frame(struct client *c, uint64_t wanted_tag, struct incoming *ret,
                             struct errtext *err);

/* The connection is closed before the greeting was answered: the controller may have said why. r: the error
 * that err speaks of. */
static int hear_why(struct client *c, int r, struct errtext *err)
{
    struct errtext why = {""};
    struct incoming in;
    while (client_read_some(c, NULL) > 0)
        ;
    int told = client_take_frame(c, c->greet_tag, &in, &why);
    if (told > 0)
        msg_free(in.kind, in.body);
    return told < 0 ? err_set(err, told, "%s", why.s) : r;
}

/* Writes all of it. The controller may wait for us to read before it reads on: so read meanwhile. */
static int client_write_all(struct client *c, struct errtext *err)
{
    for (;;) {
        int r = client_flush(c, err);
        if (r < 0 && c->greet_tag)
            return hear_why(c, r, err);
        if (r < 0 || !client_wants_write(c))
            return r;
        r = wait_socket(c, -1);
        if (r < 0 && r != -EINTR)
            return lost(c, err, r);
        r = client_read_some(c, err);
        if (r < 0)
            return r;
    }
}

/* ---- messages ---- */

int client_send(struct client *c, enum msg_kind kind, const void *body, uint64_t *ret_tag,
                struct errtext *err)
{
    uint64_t tag = ++c->last_tag;
    msg_append(&c->out, kind, tag, body);
    int r = c->nonblocking ? client_flush(c, err) : client_write_all(c, err);
    if (r < 0)
        return r;
    if (ret_tag)
        *ret_tag = tag;
    return 0;
}

/* Takes the answer to the greeting. */
static int take_welcome(struct client *c, enum msg_kind kind, void *body, struct errtext *err)
{
    c->greet_tag = 0;
    if (kind != MSG_WELCOME) {
        const struct msg_result *refused = kind == MSG_RESULT ? body : NULL;
        bool later = refused && refused->refusal == REFUSAL_RATE;
        int r = err_set(err, later ? -EBUSY : -EPROTO, tr("the controller refuses the connection: %s"),
                        refused && refused->text ? refused->text : tr("no reason is given"));
        msg_free(kind, body);
        return r;
    }
    c->welcome = body;
    uint32_t version = c->welcome->version;
    if (version < PROTO_VERSION_MIN || version > PROTO_VERSION)
        return err_set(
            err, -EPROTO,
            tr("the controller (release %s) speaks version %u of the protocol, %s speaks %d to %d"),
            c->welcome->release ? c->welcome->release : "?", version, c->program, PROTO_VERSION_MIN,
            PROTO_VERSION);
    return 0;
}

/* The controller says why as a cause; the sentences are made here, once for all programs. */
static void write_texts(struct msg_result *r)
{
    struct cause_reader reader = {.clock = wall_append_iso, .now = wall_read()};
    if (!r->text && r->cause.code != CAUSE_NONE)
        r->text = cause_string(&r->cause, &reader);
    for (size_t i = r->warnings.n; i < r->hints.n; i++)
        strv_push_take(&r->warnings, cause_string(&r->hints.v[i], &reader));
}

/* The next message among the bytes that have been read. A kind that is not known here comes from a newer
 * controller and is left out, unless it is the answer that is waited for. */
static int client_take_frame(struct client *c, uint64_t wanted_tag, struct incoming *ret,
                             struct errtext *err)
{
    for (;;) {
        struct frame f;
        int r = frame_reader_next(&c->in, &f);
        if (r < 0)
            return err_set(err, -EBADMSG, tr("the controller announces a message that is too long"));
        if (r == 0)
            return 0;
        if (f.type == MSG_PING) {
            msg_append(&c->out, MSG_PONG, f.tag, NULL);
            r = client_flush(c, err);
            if (r < 0)
                return r;
            continue;
        }
        if (f.type == MSG_JOBS && c->rows && f.tag == c->rows_tag) {
            r = c->rows->take(c->rows->ctx, f.body, f.size, err);
            if (r < 0)
                return r;
            if (!c->nonblocking)
                continue;
            *ret = (struct incoming){.kind = f.type, .tag = f.tag};
            return 1;
        }
        void *body;
        r = msg_decode(&f, &body, err);
        if (r == -ENOSYS && (!wanted_tag || f.tag != wanted_tag))
            continue;
        if (r < 0)
            return -EBADMSG;
        if (f.type == MSG_RESULT)
            write_texts(body);
        if (c->greet_tag && f.tag == c->greet_tag) {
            r = take_welcome(c, f.type, body, err);
            if (r < 0)
                return r;
            continue;
        }
        *ret = (struct incoming){.kind = f.type, .tag = f.tag, .body = body};
        return 1;
    }
}

static int client_away(struct errtext *err)
{
    return err_set(err, -ETIMEDOUT, tr("the controller does not answer"));
}

/* Returns 1, 0 (time is up, a signal came, or the greeting has been answered), or a negative error.
 * deadline_ms < 0: none. */
static int next_message(struct client *c, uint64_t wanted_tag, int64_t deadline_ms, struct incoming *ret,
                        struct errtext *err)
{
    for (bool greets = c->greet_tag != 0;;) {
        int r = client_take_frame(c, wanted_tag, ret, err);
        if (r != 0 || (greets && !c->greet_tag))
            return r;
        if (client_wants_write(c) && (r = client_flush(c, err)) < 0)
            return r;
        r = client_read_some(c, err);
        if (r < 0)
            return r;
        if (r > 0)
            continue;
        int64_t now = mono_ms(), left = deadline_ms < 0 ? -1 : deadline_ms - now;
        if (deadline_ms >= 0 && left <= 0)
            return 0;
        if (c->greet_tag && now >= c->greet_by_ms)
            return client_away(err);
        if (c->greet_tag && (left < 0 || left > c->greet_by_ms - now))
            left = c->greet_by_ms - now;
        r = wait_socket(c, left > INT32_MAX ? INT32_MAX : (int)left);
        if (r == -EINTR)
            return 0;
        if (r < 0)
            return lost(c, err, r);
    }
}

int client_next(struct client *c, int timeout_ms, struct incoming *ret, struct errtext *err)
{
    if (c->kept_at < c->kept.n) {
        *ret = c->kept.v[c->kept_at++];
        if (c->kept_at == c->kept.n) {
            vec_clear(&c->kept);
            c->kept_at = 0;
        }
        return 1;
    }
    if (c->nonblocking)
        timeout_ms = 0;
    return next_message(c, 0, timeout_ms < 0 ? -1 : mono_ms() + timeout_ms, ret, err);
}

static int wait_tag_until(struct client *c, uint64_t tag, int64_t deadline_ms, struct incoming *ret,
                          struct errtext *err)
{
    for (;;) {
        struct incoming in;
        int r = next_message(c, tag, deadline_ms, &in, err);
        if (r < 0)
            return r;
        if (r == 0 && deadline_ms >= 0 && mono_ms() >= deadline_ms)
            return client_away(err);
        if (r == 0)
            continue;
        if (in.tag == tag) {
            *ret = in;
            return 1;
        }
        vec_push(&c->kept, in);
    }
}

int client_wait_tag(struct client *c, uint64_t tag, struct incoming *ret, struct errtext *err)
{
    return wait_tag_until(c, tag, -1, ret, err);
}

void client_take_rows(struct client *c, uint64_t tag, const struct client_rows *rows)
{
    c->rows_tag = tag;
    c->rows = rows;
}

int client_call(struct client *c, enum msg_kind kind, const void *body, enum msg_kind *ret_kind, void **ret,
                struct errtext *err)
{
    uint64_t tag = ++c->last_tag;
    msg_append(&c->out, kind, tag, body);
    int r = client_write_all(c, err);
    struct incoming in;
    if (r == 0)
        r = client_wait_tag(c, tag, &in, err);
    if (r < 0)
        return r;
    *ret_kind = in.kind;
    *ret = in.body;
    return 0;
}

/* ---- the connection ---- */

static int greet(struct client *c, const char *program, bool wait, struct errtext *err)
{
    c->program = xstrdup(program);
    struct msg_hello hello = {.version = PROTO_VERSION, .program = c->program, .causes = CAUSE_N_CODES};
    c->greet_tag = c->last_tag + 1;
    int r = client_send(c, MSG_HELLO, &hello, NULL, err);
    c->greet_by_ms = mono_ms() + GREETING_WAIT_MS;
    while (r >= 0 && wait && c->greet_tag) {
        struct incoming in;
        r = next_message(c, c->greet_tag, -1, &in, err);
        if (r > 0)
            vec_push(&c->kept, in);
    }
    return r < 0 ? r : 0;
}

static void say_how_to_start(const struct paths *p, struct errtext *err)
{
    struct errtext first = {""};
    if (!err)
        return;
    first = *err;
    err_set(err, -ENOENT, p->shared ? tr("%s; an administrator starts it: %s") : tr("%s; start it: %s"),
            first.s, paths_start_command(p));
}

int client_connect(const char *program, unsigned flags, struct client **ret, struct errtext *err)
{
    struct client *c = xcalloc(1, sizeof *c);
    const char *host = client_remote_host();
    str_init(&c->out);
    c->in.max = ANSWER_MAX;
    paths_find(&c->paths);
    if (host && (flags & CLIENT_UP))
        c->fd = err_set(err, -EHOSTUNREACH,
                        tr("a controller is started on its own machine: ssh %s stoker up"), host);
    else if (host)
        c->fd = client_remote_open(host, flags & CLIENT_SILENT, &c->remote, err);
    else
        c->fd = client_find(&c->paths, (flags & CLIENT_SLURM) && !(flags & CLIENT_UP), err);
    bool may_start =
        (flags & CLIENT_START) && !getenv("STOKER_SOCKET") && access(c->paths.config, F_OK) != 0;
    if ((c->fd == -ENOENT || c->fd == -ECONNREFUSED) && (may_start || (flags & CLIENT_UP)))
        c->fd = client_start_controller(&c->paths, flags, err);
    else if (c->fd == -ENOENT || c->fd == -ECONNREFUSED)
        say_how_to_start(&c->paths, err);
    int r = c->fd < 0 ? c->fd : greet(c, program, !(flags & CLIENT_EAGER), err);
    if (r < 0) {
        client_free(c);
        return r;
    }
    *ret = c;
    return 0;
}

int client_connect_wait(const char *program, unsigned flags, int wait_ms, struct client **ret,
                        struct errtext *err)
{
    int64_t deadline = mono_ms() + wait_ms;
    for (int pause_ms = 20;; pause_ms = pause_ms < 1000 ? pause_ms * 2 : 1000) {
        int r = client_connect(program, flags, ret, err);
        if (r == 0 || r == -EPROTO || r == -EACCES)
            return r;
        int64_t left = deadline - mono_ms();
        if (left <= 0)
            return r;
        poll(NULL, 0, left < pause_ms ? (int)left : pause_ms);
    }
}

void client_free(struct client *c)
{
    if (!c)
        return;
    if (c->remote)
        client_remote_close(c->remote, c->fd);
    else if (c->fd >= 0)
        close(c->fd);
    frame_reader_fini(&c->in);
    str_fini(&c->out);
    for (size_t i = c->kept_at; i < c->kept.n; i++)
        msg_free(c->kept.v[i].kind, c->kept.v[i].body);
    vec_fini(&c->kept);
    msg_free(MSG_WELCOME, c->welcome);
    free(c->program);
    paths_fini(&c->paths);
    free(c);
}

const struct msg_welcome *client_welcome(const struct client *c)
{
    return c->welcome;
}

const struct strv *client_far_env(const struct client *c)
{
    return c->remote ? client_remote_env(c->remote) : NULL;
}

const struct paths *client_paths(const struct client *c)
{
    return &c->paths;
}

int client_fd(const struct client *c)
{
    return c->fd;
}

void client_set_nonblocking(struct client *c)
{
    c->nonblocking = true;
}

char *client_request_id(void)
{
    uint8_t random[16];
    size_t n = 0;
    while (n < sizeof random) {
        ssize_t got = getrandom(random + n, sizeof random - n, 0);
        bug_on(got < 0 && errno != EINTR);
        n += got > 0 ? (size_t)got : 0;
    }
    struct str id = STR_INIT;
    for (size_t i = 0; i < sizeof random; i++)
        str_appendf(&id, "%02x", random[i]);
    return str_take(&id);
}
