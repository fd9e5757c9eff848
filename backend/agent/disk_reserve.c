/* disk_reserve.c - room on the disk for what tasks write here.
 *
 * Below a reserve nothing is launched, so that the ends of what runs can still be written. The controller
 * is told at once, and again when there is room: it drains the node meanwhile, instead of sending one job
 * after the other into a refusal.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "backend/agent/agent_private.h"
#include "src/base/log.h"

#define DISK_RESERVE (16u << 20)
#define ENOUGH       (2 * DISK_RESERVE) /* to begin again: not at every file that comes and goes */
#define LOOK_MS      1000
#define RESERVE_SIZE (1 << 20)

/* Blocks for the ends of tasks, given back to the disk by their supervisors where it is full. */
void room_reserve(const struct agent *a)
{
    int fd = openat(a->dir_fd, TASKDIR_RESERVE, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0 || fallocate(fd, 0, 0, RESERVE_SIZE) < 0)
        log_warn("no room is kept for ends on a full disk: %s", strerror(errno));
    if (fd >= 0)
        close(fd);
}

static void look(void *ctx)
{
    struct agent *a = ctx;
    if (probe_disk_free(a->tasks_fd) < ENOUGH) {
        loop_timer_set(a->loop, &a->room, LOOK_MS);
        return;
    }
    log_info("there is room in %s again", a->tasks_dir);
    a->spool_full = false;
    room_reserve(a);
    agent_tell(a);
}

int room_check(struct agent *a, struct errtext *err)
{
    uint64_t bytes = probe_disk_free(a->tasks_fd);
    if (bytes >= DISK_RESERVE)
        return 0;
    if (!a->spool_full) {
        log_warn("%llu MiB are free in %s: nothing is launched", (unsigned long long)bytes >> 20,
                 a->tasks_dir);
        a->spool_full = true;
        a->room = (struct loop_timer){.fn = look, .ctx = a};
        loop_timer_set(a->loop, &a->room, LOOK_MS);
        agent_tell(a);
    }
    return err_set(err, -ENOSPC, NODE_SPOOL_FULL ": %llu MiB free in %s, %u are kept in reserve",
                   (unsigned long long)bytes >> 20, a->tasks_dir, DISK_RESERVE >> 20);
}
