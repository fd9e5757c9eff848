/* dial.c - look up, connect, next address. */
#include "backend/sshlink/dial.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/os/thread.h"

#define NAME_MS      10000
#define CONNECT_MS   8000       /* one address */
#define LOOKUP_STACK (1u << 20) /* many names may be looked up at once */
/* A peer that acknowledges no sent data for this time is gone; heartbeats find it sooner. */
#define TCP_DEAD_MS 60000

/* What the thread and the dial share. The second one frees it. */
struct name_lookup {
    pthread_mutex_t lock;
    char *host, service[8];
    int done_fd; /* eventfd; the thread closes it where the dial was given up */
    int rc, err;
    struct addrinfo *list;
    bool finished, abandoned;
};

struct dial {
    struct loop *loop;
    struct name_lookup *lookup;
    struct addrinfo *list, *at;
    struct loop_fd watch; /* done_fd, then the socket */
    struct loop_timer timer;
    char *host;
    uint32_t port;
    char address[64];
    struct errtext last;
    dial_fn fn;
    void *ctx;
};

static void lookup_free(struct name_lookup *u)
{
    if (u->list)
        freeaddrinfo(u->list);
    pthread_mutex_destroy(&u->lock);
    close(u->done_fd);
    free(u->host);
    free(u);
}

static void *look_up(void *arg)
{
    struct name_lookup *u = arg;
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG};
    struct addrinfo *list = NULL;
    int rc = getaddrinfo(u->host, u->service, &hints, &list), err = errno;
    pthread_mutex_lock(&u->lock);
    u->rc = rc;
    u->err = err;
    u->list = rc == 0 ? list : NULL;
    u->finished = true;
    bool abandoned = u->abandoned;
    if (!abandoned)
        eventfd_write(u->done_fd, 1);
    pthread_mutex_unlock(&u->lock);
    if (abandoned)
        lookup_free(u);
    return NULL;
}

static void leave_lookup(struct dial *d)
{
    struct name_lookup *u = d->lookup;
    d->lookup = NULL;
    if (!u)
        return;
    pthread_mutex_lock(&u->lock);
    bool finished = u->finished;
    u->abandoned = true;
    pthread_mutex_unlock(&u->lock);
    if (finished)
        lookup_free(u);
}

static void close_socket(struct dial *d)
{
    loop_unwatch(d->loop, &d->watch);
    if (!d->lookup && d->watch.fd >= 0)
        close(d->watch.fd);
    d->watch.fd = -1;
}

void dial_free(struct dial *d)
{
    if (!d)
        return;
    close_socket(d);
    loop_timer_cancel(d->loop, &d->timer);
    leave_lookup(d);
    if (d->list)
        freeaddrinfo(d->list);
    free(d->host);
    free(d);
}

static void dial_finish(struct dial *d, int fd, enum ssh_fault fault, const char *text)
{
    d->fn(d->ctx, fd, fault, text);
    dial_free(d);
}

static void set_socket(int fd)
{
    int on = 1, idle = 15, every = 5, probes = 4;
    unsigned dead = TCP_DEAD_MS;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &every, sizeof every);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &dead, sizeof dead);
}

static void try_next(struct dial *d);

/* The address stands beside a name alone. */
static void dial_note_error(struct dial *d, int error)
{
    bool named = d->address[0] && strcmp(d->host, d->address) != 0;
    err_set(&d->last, -error, "cannot connect to %s port %u%s%s%s: %s", d->host, d->port, named ? " (" : "",
            named ? d->address : "", named ? ")" : "", strerror(error));
}

static void dial_failed(struct dial *d, int error)
{
    dial_note_error(d, error);
    d->at = d->at->ai_next;
    close_socket(d);
    try_next(d);
}

static void dial_on_connected(void *arg, __attribute__((unused)) unsigned ready)
{
    struct dial *d = arg;
    int error = 0, fd = d->watch.fd;
    socklen_t len = sizeof error;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
        error = errno;
    if (error) {
        dial_failed(d, error);
        return;
    }
    loop_unwatch(d->loop, &d->watch);
    d->watch.fd = -1;
    dial_finish(d, fd, SSH_FAULT_NONE, NULL);
}

static void try_next(struct dial *d)
{
    for (; d->at; d->at = d->at->ai_next) {
        const struct addrinfo *a = d->at;
        if (getnameinfo(a->ai_addr, a->ai_addrlen, d->address, sizeof d->address, NULL, 0,
                        NI_NUMERICHOST) != 0)
            d->address[0] = '\0';
        int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd >= 0) {
            set_socket(fd);
            if (connect(fd, a->ai_addr, a->ai_addrlen) == 0 || errno == EINPROGRESS) {
                d->watch = (struct loop_fd){.fd = fd, .fn = dial_on_connected, .ctx = d};
                loop_watch(d->loop, &d->watch, LOOP_WRITE);
                loop_timer_set(d->loop, &d->timer, CONNECT_MS);
                return;
            }
        }
        dial_note_error(d, errno);
        if (fd >= 0)
            close(fd);
    }
    dial_finish(d, -1, SSH_FAULT_CONNECT, d->last.s);
}

static void on_looked_up(void *arg, __attribute__((unused)) unsigned ready)
{
    struct dial *d = arg;
    struct name_lookup *u = d->lookup;
    char text[512];
    loop_unwatch(d->loop, &d->watch);
    d->watch.fd = -1;
    /* The thread holds the lock while it tells: once it is ours the thread is done with u. */
    pthread_mutex_lock(&u->lock);
    d->list = d->at = u->list;
    u->list = NULL;
    int rc = u->rc, err = u->err;
    pthread_mutex_unlock(&u->lock);
    d->lookup = NULL;
    lookup_free(u);
    if (rc != 0) {
        snprintf(text, sizeof text, "cannot look up the name %s: %s", d->host,
                 rc == EAI_SYSTEM ? strerror(err) : gai_strerror(rc));
        dial_finish(d, -1, SSH_FAULT_NAME, text);
        return;
    }
    try_next(d);
}

static void on_timer(void *arg)
{
    struct dial *d = arg;
    char text[512];
    if (!d->lookup) {
        dial_failed(d, ETIMEDOUT);
        return;
    }
    snprintf(text, sizeof text, "cannot look up the name %s: no answer within %d s", d->host,
             NAME_MS / 1000);
    close_socket(d);
    dial_finish(d, -1, SSH_FAULT_NAME, text);
}

struct dial *dial_new(struct loop *l, const char *host, uint32_t port, dial_fn fn, void *ctx)
{
    struct dial *d = xcalloc(1, sizeof *d);
    struct name_lookup *u = xcalloc(1, sizeof *u);
    *d = (struct dial){.loop = l, .lookup = u, .host = xstrdup(host), .port = port, .fn = fn, .ctx = ctx};
    d->timer = (struct loop_timer){.fn = on_timer, .ctx = d};
    pthread_mutex_init(&u->lock, NULL);
    u->host = xstrdup(host);
    snprintf(u->service, sizeof u->service, "%u", port & 0xffffu);
    u->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    bug_on(u->done_fd < 0);
    d->watch = (struct loop_fd){.fd = u->done_fd, .fn = on_looked_up, .ctx = d};
    loop_watch(l, &d->watch, LOOP_READ);
    loop_timer_set(l, &d->timer, NAME_MS);
    int r = thread_start(look_up, u, LOOKUP_STACK);
    if (r < 0) { /* told in the next turn, like every other outcome */
        u->rc = EAI_SYSTEM;
        u->err = -r;
        u->finished = true;
        eventfd_write(u->done_fd, 1);
    }
    return d;
}

const char *dial_address(const struct dial *d)
{
    return d->address;
}
