/* adopt.c - what an earlier agent has left: living shims, ends nobody has taken, tasks of an earlier boot.
 *
 *     end record           -> ended, told again until it is acknowledged
 *     no claim             -> never began: claimed for nobody, so that a late shim gives up, and removed
 *     another boot id      -> NODE_REBOOT; no number from before the boot is signalled
 *     shim lives           -> adopted through its socket
 *     shim is gone         -> what it left is killed, end unknown
 *
 * A shim is gone where the kernel knows no such process, or one that was started at another time. Anything
 * else that goes wrong, such as a lack of descriptors or of memory, says nothing about the task: it is
 * looked at again. No controller is answered before every directory has been read: a task that is left out
 * of the report would count as lost.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "backend/agent/agent_private.h"
#include "src/base/log.h"
#include "src/base/xalloc.h"

#define SHIM_FRAME_MAX (4u << 20)
#define CONNECT_MIN_MS 10
#define CONNECT_MAX_MS 1000
#define ADOPT_AGAIN_MS 200
#define FDS_SPARED     16

/* The process of t's record has ended. A child is known by its number: its start is not kept. */
static bool shim_is_gone(const struct atask *t)
{
    struct proc p;
    int r = t->shim_start ? proc_read(t->shim, &p) : 0;
    return r == -ESRCH || (r == 0 && t->shim_start && (p.start != t->shim_start || p.state == 'Z'));
}

/* Some descriptors stay free: for the controller's connection, and for what is opened for a moment. */
static bool is_spare(int fd)
{
    struct rlimit lim;
    return getrlimit(RLIMIT_NOFILE, &lim) == 0 && (rlim_t)fd + FDS_SPARED >= lim.rlim_cur;
}

static int dial(const struct atask *t)
{
    struct sockaddr_un sa = {.sun_family = AF_UNIX};
    int dir_fd = openat(t->a->tasks_fd, t->name, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int fd = dir_fd < 0 ? -1 : socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    snprintf(sa.sun_path, sizeof sa.sun_path, "/proc/self/fd/%d/ctl", dir_fd);
    bool ok = fd >= 0 && !is_spare(fd) && connect(fd, (struct sockaddr *)&sa, sizeof sa) == 0;
    if (dir_fd >= 0)
        close(dir_fd);
    if (!ok && fd >= 0)
        close(fd);
    return ok ? fd : -1;
}

/* A shim listens from the moment it sees its agent go: where it does not yet, look again soon. As long as
 * it is connected the end of that connection tells of its death. */
static void connect_shim(void *ctx)
{
    struct atask *t = ctx;
    struct agent *a = t->a;
    if (t->end || t->wire.open || !t->shim)
        return;
    int fd = dial(t);
    if (fd < 0 && shim_is_gone(t)) {
        tasks_shim_gone(t);
        return;
    }
    if (fd < 0) {
        adopt_connect_later(t);
        return;
    }
    wire_open(&t->wire, a->loop, &a->dirty, fd, SHIM_FRAME_MAX, &shim_wire_ops, t);
    t->connect_pause_ms = 0;
    lease_tell(t);
    tasks_send_late(t);
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

/* Where that cannot be found out its directory is kept for readers. */
static bool has_spool_files(int dir_fd)
{
    bool found = false;
    int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (!d) {
        if (fd >= 0)
            close(fd);
        return true;
    }
    for (struct dirent *e; !found && (e = readdir(d));)
        found = e->d_name[0] >= '0' && e->d_name[0] <= '9';
    closedir(d);
    return found;
}

static void adopt_living(struct atask *t, const struct shim_record *rec)
{
    t->shim_start = rec->start;
    t->lost_shim = t->shim = rec->pid;
    t->st.state = LAUNCH_RUNNING;
    if (shim_is_gone(t)) {
        /* It may have ended properly between the look at the end record and this one. */
        t->shim = 0;
        tasks_shim_gone(t);
        return;
    }
    idmap_set(&t->a->by_pid, (uint64_t)rec->pid, t);
    connect_shim(t);
}

/* False where its record cannot be read now. */
static bool adopt(struct agent *a, const struct launch_key *key, int dir_fd)
{
    char name[TASKDIR_NAME_SIZE];
    taskdir_name(key, name);
    struct shim_record rec = {0};
    int r = taskdir_read_claim(dir_fd, &rec);
    if (r == -ENOENT) {
        if (taskdir_claim(dir_fd, &rec) == 0) {
            taskdir_remove(a->tasks_fd, name);
            return true;
        }
        r = taskdir_read_claim(dir_fd, &rec);
    }
    if (taskdir_is_passing(r))
        return false;
    if (r == 0 && rec.version == 0) {
        taskdir_remove(a->tasks_fd, name);
        return true;
    }
    struct atask *t = tasks_new(a, key);
    t->has_dir = true;
    t->has_spool = has_spool_files(dir_fd);
    t->st.t_start = rec.t_start;
    t->st.key.nonce = rec.nonce;
    t->caged = t->leased = true;
    struct launch_end end;
    if (taskdir_read_end(dir_fd, &end) == 0) {
        end.key = t->st.key;
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
    if (t->end && tomb_has(&a->tomb, &t->st.key))
        tasks_ack(a, &t->st.key);
    return true;
}

static bool adopt_named(struct agent *a, const char *name)
{
    struct launch_key key;
    if (!taskdir_parse_name(name, &key) || tasks_find_latest(a, &key))
        return true;
    int dir_fd = openat(a->tasks_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (dir_fd < 0)
        return !taskdir_is_passing(-errno);
    bool done = adopt(a, &key, dir_fd);
    close(dir_fd);
    return done;
}

static void look_again(void *ctx)
{
    adopt_all(ctx);
}

void adopt_all(struct agent *a)
{
    unsigned n_left = 0, n_before = a->n_live;
    int fd = openat(a->tasks_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    int r = d ? 0 : -errno;
    if (!d && fd >= 0)
        close(fd);
    for (struct dirent *e; d && (e = readdir(d));)
        n_left += !adopt_named(a, e->d_name);
    if (d)
        closedir(d);
    a->adopted = d && !n_left;
    if (a->n_live != n_before)
        log_info("found live=%u", a->n_live);
    if (a->adopted)
        return;
    if (!a->adopt_told)
        log_error("%u tasks of the agent before this one cannot be read now%s%s: no controller is answered "
                  "before they can",
                  n_left, d ? "" : ": ", d ? "" : strerror(-r));
    a->adopt_told = true;
    a->adopt_again = (struct loop_timer){.fn = look_again, .ctx = a};
    loop_timer_set(a->loop, &a->adopt_again, ADOPT_AGAIN_MS);
}
