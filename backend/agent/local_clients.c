#include "backend/agent/local_clients.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backend/agent/agent_internal.h"
#include "backend/agent/task_table.h"
#include "backend/net/stream_mux.h"
#include "backend/node/user_lookup.h"
#include "src/base/xalloc.h"
#include "src/os/unixsock.h"

#define CALLS_MAX       128
#define FEW_CALLS       2  /* of a user; there is room for them when a few users have taken the rest: */
#define FEW_RESERVE     32 /* of CALLS_MAX */
#define STRANGER_CALLS  2  /* of a user without tasks here, which the controller refuses anyway ... */
#define STRANGERS_BELOW (CALLS_MAX / 2) /* ... and only while there is as much room */
#define SOCKET_NAME     "client.sock"
#define PAUSE_MS        200 /* after a time without descriptors */

struct local_clients {
    struct agent *a;
    struct loop_fd listener; /* fd -1: not asked for */
    struct loop_timer again;
    struct stream_mux mux;
    uint32_t last_id;
};

static bool local_clients_send(void *ctx, enum msg_kind kind, const void *body)
{
    uplink_send(ctx, kind, 0, body);
    return true;
}

static bool local_clients_is_at_home(const struct local_clients *lc, uint32_t uid)
{
    const struct node_facts *f = &lc->a->facts;
    return (f->has_spec && str_eq(f->spec.role, "login")) || task_table_has_user(lc->a->tasks, uid);
}

/* Users must not use up the room of others: those with tasks here may each have half of what the others
 * leave, and a few calls more; those without only enough to be told. */
static bool local_clients_has_room(const struct local_clients *lc, uint32_t uid)
{
    unsigned n = lc->mux.n, own = stream_mux_of(&lc->mux, uid);
    if (n >= CALLS_MAX)
        return false;
    if (!lc->a->root || uid == 0)
        return true;
    if (!local_clients_is_at_home(lc, uid))
        return own < STRANGER_CALLS && n < STRANGERS_BELOW;
    unsigned shared = CALLS_MAX - FEW_RESERVE, others = n - own;
    return own < FEW_CALLS || (others < shared && own < (shared - others) / 2);
}

/* Without a descriptor the queue would be reported in every turn. */
static void local_clients_pause(struct local_clients *lc)
{
    loop_watch(lc->a->loop, &lc->listener, 0);
    loop_timer_set(lc->a->loop, &lc->again, PAUSE_MS);
}

static void local_clients_accept(void *ctx, unsigned ready)
{
    (void)ready;
    struct local_clients *lc = ctx;
    struct ucred peer;
    socklen_t len = sizeof peer;
    int fd = accept4(lc->listener.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
        if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
            local_clients_pause(lc);
        return;
    }
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0 || !local_clients_has_room(lc, peer.uid)) {
        close(fd);
        return;
    }
    struct msg_tunnel_open m = {.id = ++lc->last_id,
                                .uid = peer.uid,
                                .gid = peer.gid,
                                .pid = (uint32_t)peer.pid,
                                .user = xstrdup(user_lookup_name(peer.uid))};
    uplink_send(&lc->a->uplink, MSG_TUNNEL_OPEN, 0, &m);
    free(m.user);
    stream_mux_add(&lc->mux, lc->a->loop, lc->last_id, peer.uid, fd);
}

static void local_clients_resume(void *ctx)
{
    struct local_clients *lc = ctx;
    if (lc->listener.fd >= 0 && lc->a->uplink.wire)
        loop_watch(lc->a->loop, &lc->listener, LOOP_READ);
}

char *local_clients_listen(struct local_clients *lc)
{
    struct agent *a = lc->a;
    char *path = xasprintf("%s/" SOCKET_NAME, a->dir.path);
    if (lc->listener.fd < 0) {
        int fd = unixsock_listen(path, a->root ? 0666 : 0600, 128);
        if (fd < 0) {
            free(path);
            return NULL;
        }
        lc->listener.fd = fd;
    }
    loop_watch(a->loop, &lc->listener, LOOP_READ);
    return path;
}

int local_clients_take(struct local_clients *lc, enum msg_kind kind, const void *body)
{
    return stream_mux_take(&lc->mux, kind, body);
}

void local_clients_drop(struct local_clients *lc)
{
    if (lc->listener.fd >= 0)
        loop_watch(lc->a->loop, &lc->listener, 0);
    stream_mux_drop(&lc->mux);
}

struct local_clients *local_clients_new(struct agent *a)
{
    struct local_clients *lc = xcalloc(1, sizeof *lc);
    *lc = (struct local_clients){.a = a,
                                 .listener = {.fd = -1, .fn = local_clients_accept, .ctx = lc},
                                 .again = {.fn = local_clients_resume, .ctx = lc}};
    stream_mux_init(&lc->mux, local_clients_send, &a->uplink);
    return lc;
}

void local_clients_free(struct local_clients *lc)
{
    if (!lc)
        return;
    local_clients_drop(lc);
    if (lc->listener.fd >= 0) {
        loop_timer_cancel(lc->a->loop, &lc->again);
        loop_unwatch(lc->a->loop, &lc->listener);
        close(lc->listener.fd);
    }
    free(lc);
}
