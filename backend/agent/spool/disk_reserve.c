#include "backend/agent/spool/disk_reserve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/node/node_probe.h"
#include "backend/task/taskdir.h"
#include "src/base/xalloc.h"
#include "src/os/log.h"
#include "src/proto/launch.h"

#define DISK_RESERVE (16u << 20)
#define ENOUGH       (2 * DISK_RESERVE) /* to begin again: not at every file that comes and goes */
#define LOOK_MS      1000
#define RESERVE_SIZE (1 << 20)

struct disk_reserve {
    struct loop *loop;
    const struct agent_dir *dir;
    struct loop_timer timer;
    bool used_up;
    loop_fn on_change;
    void *ctx;
};

void disk_reserve_take(const struct agent_dir *dir)
{
    int fd = openat(dir->fd, TASKDIR_RESERVE, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0 || fallocate(fd, 0, 0, RESERVE_SIZE) < 0)
        log_warn("no space is reserved for ends on a full disk: %s", strerror(errno));
    if (fd >= 0)
        close(fd);
}

static void disk_reserve_look(void *ctx)
{
    struct disk_reserve *d = ctx;
    if (probe_disk_free(d->dir->tasks_fd) < ENOUGH) {
        loop_timer_set(d->loop, &d->timer, LOOK_MS);
        return;
    }
    log_info("there is space in %s again", d->dir->tasks_path);
    d->used_up = false;
    disk_reserve_take(d->dir);
    d->on_change(d->ctx);
}

int disk_reserve_check(struct disk_reserve *d, struct errtext *err)
{
    uint64_t bytes = probe_disk_free(d->dir->tasks_fd);
    if (bytes >= DISK_RESERVE)
        return 0;
    if (!d->used_up) {
        log_warn("%llu MiB are free in %s: nothing is launched", (unsigned long long)bytes >> 20,
                 d->dir->tasks_path);
        d->used_up = true;
        loop_timer_set(d->loop, &d->timer, LOOK_MS);
        d->on_change(d->ctx);
    }
    return err_set(err, -ENOSPC, NODE_SPOOL_FULL ": %llu MiB free in %s, %u are kept in reserve",
                   (unsigned long long)bytes >> 20, d->dir->tasks_path, DISK_RESERVE >> 20);
}

bool disk_reserve_is_used_up(const struct disk_reserve *d)
{
    return d->used_up;
}

struct disk_reserve *disk_reserve_new(struct loop *l, const struct agent_dir *dir, loop_fn on_change,
                                      void *ctx)
{
    struct disk_reserve *d = xcalloc(1, sizeof *d);
    *d = (struct disk_reserve){.loop = l,
                               .dir = dir,
                               .timer = {.fn = disk_reserve_look, .ctx = d},
                               .on_change = on_change,
                               .ctx = ctx};
    return d;
}

void disk_reserve_free(struct disk_reserve *d)
{
    if (d)
        loop_timer_cancel(d->loop, &d->timer);
    free(d);
}
