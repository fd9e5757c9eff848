/* adopt.c - what an earlier agent has left: living shims, ends nobody has taken, tasks of an earlier boot.
 *
 *     end record           -> ended, told again until it is acknowledged
 *     no claim             -> never began: claimed for nobody, so that a late shim gives up, and removed
 *     another boot id      -> NODE_REBOOT; no number from before the boot is signalled
 *     shim lives           -> adopted through its socket
 *     shim is gone         -> what it left is killed, end unknown
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "backend/agent/agent_private.h"
#include "src/base/log.h"
#include "src/base/xalloc.h"

#define SHIM_FRAME_MAX (4u << 20)
#define CONNECT_MIN_MS 10
#define CONNECT_MAX_MS 5000

/* A shim listens from the moment it sees its agent go: where it does not yet, look again soon. */
static void connect_shim(void *ctx)
{
    struct atask *t = ctx;
    struct agent *a = t->a;
    if (t->end || t->wire.open || !t->shim)
        return;
    struct sockaddr_un sa = {.sun_family = AF_UNIX};
    int dir_fd = openat(a->tasks_fd, t->name, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int fd = dir_fd < 0 ? -1 : socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    snprintf(sa.sun_path, sizeof sa.sun_path, "/proc/self/fd/%d/ctl", dir_fd);
    bool ok = fd >= 0 && connect(fd, (struct sockaddr *)&sa, sizeof sa) == 0;
    if (dir_fd >= 0)
        close(dir_fd);
    if (ok) {
        wire_open(&t->wire, a->loop, &a->dirty, fd, SHIM_FRAME_MAX, &shim_wire_ops, t);
        t->connect_pause_ms = 0;
        lease_tell(t);
        if (t->late_kill) {
            wire_send(&t->wire, MSG_KILL, 0, &launch_kill_rec, t->late_kill);
            rec_fini(&launch_kill_rec, t->late_kill);
            free(t->late_kill);
            t->late_kill = NULL;
        }
        return;
    }
    if (fd >= 0)
        close(fd);
    adopt_connect_later(t);
}

void adopt_connect_later(struct atask *t)
{
    t->connect_pause_ms = t->connect_pause_ms ? t->connect_pause_ms * 2 : CONNECT_MIN_MS;
    if (t->connect_pause_ms > CONNECT_MAX_MS)
        t->connect_pause_ms = CONNECT_MAX_MS;
    loop_timer_cancel(t->a->loop, &t->timer);
    t->timer = (struct loop_timer){.fn = connect_shim, .ctx = t};
    loop_timer_set(t->a->loop, &t->timer, t->connect_pause_ms);
}

static void on_pidfd(void *ctx, unsigned ready)
{
    (void)ready;
    tasks_shim_gone(ctx);
}

/* True where the process of the record lives: the descriptor is opened before the start time is compared,
 * so it is that process's. */
static bool hold_shim(struct atask *t, const struct shim_record *rec)
{
    int fd = (int)syscall(SYS_pidfd_open, rec->pid, 0);
    struct proc p;
    if (fd < 0)
        return false;
    if (proc_read(rec->pid, &p) < 0 || p.start != rec->start || p.state == 'Z') {
        close(fd);
        return false;
    }
    t->pidfd = (struct loop_fd){.fd = fd, .fn = on_pidfd, .ctx = t};
    loop_watch(t->a->loop, &t->pidfd, LOOP_READ);
    return true;
}

static void ended_by_reboot(struct atask *t, int dir_fd)
{
    struct launch_end end = {
        .key = t->st.key,
        .end_kind = END_NODE_REBOOT,
        .t_start = t->st.t_start,
        .t_end = t->a->probe.t_boot,
        .message = xstrdup("the node was restarted while it ran"),
    };
    if (taskdir_write_end(dir_fd, &end, true) < 0)
        log_error("task=%s cannot write its end", t->name);
    tasks_ended(t, &end);
}

static bool has_spool_files(int dir_fd)
{
    bool found = false;
    int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (!d)
        return false;
    for (struct dirent *e; !found && (e = readdir(d));)
        found = e->d_name[0] >= '0' && e->d_name[0] <= '9';
    closedir(d);
    return found;
}

static void adopt_living(struct atask *t, const struct shim_record *rec)
{
    t->shim_start = rec->start;
    t->lost_shim = rec->pid;
    t->st.state = LAUNCH_RUNNING;
    if (!hold_shim(t, rec)) {
        /* It may have ended properly between the look at the end record and this one. */
        tasks_shim_gone(t);
        return;
    }
    t->shim = rec->pid;
    idmap_set(&t->a->by_pid, (uint64_t)rec->pid, t);
    connect_shim(t);
}

static void adopt(struct agent *a, const struct launch_key *key, int dir_fd)
{
    char name[TASKDIR_NAME_SIZE];
    taskdir_name(key, name);
    struct shim_record rec = {0};
    int r = taskdir_read_claim(dir_fd, &rec);
    if (r == -ENOENT) {
        if (taskdir_claim(dir_fd, &rec) == 0) {
            taskdir_remove(a->tasks_fd, name);
            return;
        }
        r = taskdir_read_claim(dir_fd, &rec);
    }
    if (r == 0 && rec.version == 0) {
        taskdir_remove(a->tasks_fd, name);
        return;
    }
    struct atask *t = tasks_new(a, key);
    t->has_dir = true;
    t->has_spool = has_spool_files(dir_fd);
    t->st.t_start = rec.t_start;
    t->caged = t->leased = true;
    struct launch_end end;
    if (taskdir_read_end(dir_fd, &end) == 0) {
        end.key = *key;
        tasks_ended(t, &end);
    } else if (r < 0) {
        log_error("task=%s its record cannot be read: %s", name, strerror(-r));
        sweep_add(t);
    } else if (strcmp(rec.boot_id, a->probe.boot_id) != 0) {
        ended_by_reboot(t, dir_fd);
    } else {
        adopt_living(t, &rec);
    }
    /* Ended and acknowledged before the agent went: only its readers were waited for. */
    if (t->end && tomb_has(&a->tomb, key))
        tasks_ack(a, key);
}

void adopt_all(struct agent *a)
{
    int fd = openat(a->tasks_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (!d)
        return;
    unsigned n = 0;
    for (struct dirent *e; (e = readdir(d));) {
        struct launch_key key;
        if (!taskdir_parse_name(e->d_name, &key))
            continue;
        int dir_fd = openat(a->tasks_fd, e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
        if (dir_fd < 0)
            continue;
        adopt(a, &key, dir_fd);
        close(dir_fd);
        n++;
    }
    closedir(d);
    if (n)
        log_info("found tasks=%u live=%u", n, a->n_live);
}
