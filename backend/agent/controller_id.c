#include "backend/agent/controller_id.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backend/agent/agent_internal.h"
#include "backend/agent/ended_launches.h"
#include "backend/agent/task_table.h"
#include "backend/task/atomic_file.h"

/* A controller's epoch grows by one at each start. A step that no controller makes would shut out the right
 * one for ever: who once is the controller's account must not be able to take one. */
#define EPOCH_STEP_MAX 1000000u

static int controller_id_store(const struct controller_id *c, int dir_fd)
{
    char text[128];
    int len = snprintf(text, sizeof text, "%s %llu %llx\n", c->cluster, (unsigned long long)c->epoch,
                       (unsigned long long)c->incarnation);
    int r = atomic_write(dir_fd, "cluster", text, (size_t)len, true);
    if (r == 0)
        fsync(dir_fd);
    atomic_reserve(dir_fd, "cluster"); /* the first time there was nothing to change places with */
    return r;
}

void controller_id_load(struct controller_id *c, int dir_fd)
{
    int fd = openat(dir_fd, "cluster", O_RDONLY | O_CLOEXEC);
    char text[128];
    unsigned long long epoch, incarnation = 0;
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    if (sscanf(text, "%63s %llu %llx", c->cluster, &epoch, &incarnation) < 2) {
        c->cluster[0] = '\0';
        return;
    }
    c->epoch = epoch;
    c->incarnation = incarnation;
}

int controller_id_check(struct agent *a, const struct msg_hello *h, struct errtext *err)
{
    struct controller_id *c = a->controller;
    if (!a->tasks->complete)
        return err_set(err, -EAGAIN, "tasks of the agent before this one cannot be read now; see its log");
    if (h->version < PROTO_VERSION_MIN || h->version > PROTO_VERSION)
        return err_set(err, -EPROTO, "this agent speaks protocol %d, the controller %u", PROTO_VERSION,
                       h->version);
    if (str_is_empty(h->cluster) || strlen(h->cluster) >= sizeof c->cluster || strpbrk(h->cluster, " \n\t"))
        return err_set(err, -EPROTO, "the controller does not name its cluster");
    if (c->cluster[0] && strcmp(h->cluster, c->cluster) != 0)
        return err_set(err, -EPERM,
                       "this node belongs to cluster %s, not to %s (to give it away: stop the agent, "
                       "remove %s/cluster)",
                       c->cluster, h->cluster, a->dir.path);
    if (c->cluster[0] && h->epoch < c->epoch)
        return err_set(err, -EPERM, "epoch %llu is over: this node obeys %llu",
                       (unsigned long long)h->epoch, (unsigned long long)c->epoch);
    if (c->cluster[0] && h->epoch - c->epoch > EPOCH_STEP_MAX)
        return err_set(err, -EPERM,
                       "epoch %llu is too far ahead: this node obeys %llu (to accept it: stop the agent, "
                       "remove %s/cluster)",
                       (unsigned long long)h->epoch, (unsigned long long)c->epoch, a->dir.path);
    if (!c->cluster[0] && h->epoch > UINT64_MAX / 2)
        return err_set(err, -EPERM, "epoch %llu is not that of a controller", (unsigned long long)h->epoch);
    bool same = c->cluster[0] && h->epoch == c->epoch;
    if (same && c->incarnation && h->incarnation != c->incarnation)
        return err_set(err, -EPERM,
                       "epoch %llu is over: this node obeys %llu of another controller with the same state",
                       (unsigned long long)h->epoch, (unsigned long long)c->epoch);
    if (!str_is_empty(h->node) && strcmp(h->node, a->cfg.node) != 0)
        return err_set(err, -EPERM,
                       "the agent here is that of node %s, not of %s: give the node that name in the "
                       "controller's configuration, or start the agent with --node=%s",
                       a->cfg.node, h->node, h->node);
    if (same && h->incarnation == c->incarnation)
        return 0;
    if (!c->cluster[0]) {
        unsigned n = task_table_hand_over(a->tasks);
        if (n)
            return err_set(
                err, -EBUSY,
                "this node still holds %u tasks of the cluster that it belonged to: stop the agent, end "
                "them, remove what is in %s",
                n, a->dir.tasks_path);
        /* Launches of another cluster have the same numbers. */
        ended_clear(a->ended);
    }
    char old[sizeof c->cluster];
    uint64_t old_epoch = c->epoch, old_incarnation = c->incarnation;
    memcpy(old, c->cluster, sizeof old);
    snprintf(c->cluster, sizeof c->cluster, "%s", h->cluster);
    c->epoch = h->epoch;
    c->incarnation = h->incarnation;
    int r = controller_id_store(c, a->dir.fd);
    if (r < 0) {
        memcpy(c->cluster, old, sizeof old);
        c->epoch = old_epoch;
        c->incarnation = old_incarnation;
        return err_set(err, r, "the agent cannot remember the controller's epoch: %s", strerror(-r));
    }
    return 0;
}
