/* calls.c - clients on the node: srun in a job, a shell on a login machine. Their streams go through the
 * controller's own connection, so that a node needs no way to the controller of its own.
 *
 * Who calls is what this kernel says. While no controller is connected nobody is let in: they wait in the
 * socket's queue.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/agent/agent_private.h"
#include "backend/agent/users.h"
#include "src/base/unixsock.h"
#include "src/base/xalloc.h"

#define CALLS_MAX   128
#define USER_CALLS  96 /* of them, for one user of a machine that has several */
#define SOCKET_NAME "client.sock"

struct call {
    struct list link;
    struct agent *a;
    uint32_t id, uid;
    struct ferry ferry;
};

static void call_free(struct call *k)
{
    ferry_close(&k->ferry);
    list_unlink(&k->link);
    k->a->n_calls--;
    free(k);
}

static void call_send(void *ctx, const void *p, size_t n)
{
    struct call *k = ctx;
    struct msg_call_data m = {.id = k->id, .data = {.p = xmemdup(p, n), .n = n}};
    agent_send(k->a, MSG_CALL_DATA, 0, &m);
    free(m.data.p);
}

static void call_taken(void *ctx, uint32_t n)
{
    struct call *k = ctx;
    agent_send(k->a, MSG_CALL_TAKEN, 0, &(struct msg_call_taken){.id = k->id, .n = n});
}

static void call_over(void *ctx)
{
    struct call *k = ctx;
    agent_send(k->a, MSG_CALL_END, 0, &(struct msg_call_taken){.id = k->id});
    call_free(k);
}

static const struct ferry_ops ops = {.send = call_send, .taken = call_taken, .over = call_over};

/* One user must not use up the room of the others. */
static bool has_room(const struct agent *a, uint32_t uid)
{
    unsigned n = 0;
    list_for_each (k, &a->calls, struct call, link)
        n += k->uid == uid;
    return a->n_calls < CALLS_MAX && (n < USER_CALLS || !a->root || uid == 0);
}

/* Without a descriptor the queue would be reported in every turn. */
static void pause_listening(struct agent *a)
{
    loop_watch(a->loop, &a->clients, 0);
    loop_timer_set(a->loop, &a->clients_again, 200);
}

static void on_listener(void *arg, unsigned ready)
{
    (void)ready;
    struct agent *a = arg;
    struct ucred peer;
    socklen_t len = sizeof peer;
    int fd = accept4(a->clients.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
        if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
            pause_listening(a);
        return;
    }
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0 || !has_room(a, peer.uid)) {
        close(fd);
        return;
    }
    struct call *k = xcalloc(1, sizeof *k);
    k->a = a;
    k->id = ++a->last_call;
    k->uid = peer.uid;
    list_init(&k->link);
    list_append(&a->calls, &k->link);
    a->n_calls++;
    struct msg_call m = {.id = k->id,
                         .uid = peer.uid,
                         .gid = peer.gid,
                         .pid = (uint32_t)peer.pid,
                         .user = xstrdup(users_name(peer.uid))};
    agent_send(a, MSG_CALL, 0, &m);
    free(m.user);
    ferry_open(&k->ferry, a->loop, fd, CALL_WINDOW, CALL_PIECE, &ops, k);
}

static void again(void *arg)
{
    struct agent *a = arg;
    if (a->clients.fd >= 0 && a->controller)
        loop_watch(a->loop, &a->clients, LOOP_READ);
}

char *calls_listen(struct agent *a)
{
    char *path = xasprintf("%s/" SOCKET_NAME, a->dir);
    if (a->clients.fd < 0) {
        int fd = unixsock_listen(path, a->root ? 0666 : 0600, 128);
        if (fd < 0) {
            free(path);
            return NULL;
        }
        a->clients = (struct loop_fd){.fd = fd, .fn = on_listener, .ctx = a};
        a->clients_again = (struct loop_timer){.fn = again, .ctx = a};
    }
    loop_watch(a->loop, &a->clients, LOOP_READ);
    return path;
}

void calls_drop(struct agent *a)
{
    if (a->clients.fd >= 0)
        loop_watch(a->loop, &a->clients, 0);
    while (!list_empty(&a->calls))
        call_free(list_first(&a->calls, struct call, link));
}

void calls_fini(struct agent *a)
{
    calls_drop(a);
    if (a->clients.fd < 0)
        return;
    loop_timer_cancel(a->loop, &a->clients_again);
    loop_unwatch(a->loop, &a->clients);
    close(a->clients.fd);
    a->clients.fd = -1;
}

static struct call *find(struct agent *a, uint32_t id)
{
    list_for_each (k, &a->calls, struct call, link)
        if (k->id == id)
            return k;
    return NULL;
}

/* What comes for a call that is over here has crossed its end on the way. */
int calls_take(struct agent *a, enum msg_kind kind, const void *body)
{
    const struct msg_call_data *data = body;
    const struct msg_call_taken *taken = body;
    struct call *k = find(a, kind == MSG_CALL_DATA ? data->id : taken->id);
    if (!k)
        return 0;
    if (kind == MSG_CALL_DATA)
        return ferry_give(&k->ferry, data->data.p, data->data.n);
    if (kind == MSG_CALL_TAKEN)
        ferry_taken(&k->ferry, taken->n);
    else
        ferry_end(&k->ferry);
    return 0;
}
