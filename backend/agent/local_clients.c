/* local_clients.c - clients on the node: srun in a job, a shell on a login machine. Their streams go
 * through the controller's own connection, so that a node needs no way to the controller of its own.
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
#include "backend/agent/user_lookup.h"
#include "src/base/unixsock.h"
#include "src/base/xalloc.h"

#define CALLS_MAX   128
#define USER_CALLS  96 /* of them, for one user of a machine that has several */
#define SOCKET_NAME "client.sock"

static bool say(void *ctx, enum msg_kind kind, const void *body)
{
    agent_send(ctx, kind, 0, body);
    return true;
}

/* One user must not use up the room of the others. */
static bool has_room(const struct agent *a, uint32_t uid)
{
    return a->calls.n < CALLS_MAX && (!a->root || uid == 0 || stream_mux_of(&a->calls, uid) < USER_CALLS);
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
    struct msg_call m = {.id = ++a->last_call,
                         .uid = peer.uid,
                         .gid = peer.gid,
                         .pid = (uint32_t)peer.pid,
                         .user = xstrdup(users_name(peer.uid))};
    agent_send(a, MSG_CALL, 0, &m);
    free(m.user);
    stream_mux_add(&a->calls, a->loop, a->last_call, peer.uid, fd);
}

static void again(void *arg)
{
    struct agent *a = arg;
    if (a->clients.fd >= 0 && a->controller)
        loop_watch(a->loop, &a->clients, LOOP_READ);
}

void clients_init(struct agent *a)
{
    a->clients.fd = -1;
    stream_mux_init(&a->calls, say, a);
}

char *clients_listen(struct agent *a)
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

void clients_drop(struct agent *a)
{
    if (a->clients.fd >= 0)
        loop_watch(a->loop, &a->clients, 0);
    stream_mux_drop(&a->calls);
}

void clients_fini(struct agent *a)
{
    clients_drop(a);
    if (a->clients.fd < 0)
        return;
    loop_timer_cancel(a->loop, &a->clients_again);
    loop_unwatch(a->loop, &a->clients);
    close(a->clients.fd);
    a->clients.fd = -1;
}
