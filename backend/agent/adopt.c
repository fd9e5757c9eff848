/*     end record           -> ended, told again until it is acknowledged
 *     no claim             -> never began: claimed, so that a late shim gives up, and removed
 *     another boot id      -> NODE_REBOOT; no number from before the boot is signalled
 *     shim lives           -> adopted through its socket
 *     shim is gone         -> what it left is killed, end unknown
 *
 * A shim is gone where the kernel knows no such process, or one that was started at another time. Anything
 * else that goes wrong, such as a lack of descriptors or of memory, says nothing about the task: the task
 * is looked at again. No controller is answered before every directory has been read: a task that is left
 * out of the report would count as lost.
 */
#include "backend/agent/adopt.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "backend/agent/agent_internal.h"
#include "backend/agent/containment.h"
#include "backend/agent/ended_launches.h"
#include "backend/agent/rights_client.h"
#include "backend/agent/spool/spool_quota.h"
#include "backend/agent/spool/sweep.h"
#include "backend/agent/task_end.h"
#include "backend/agent/task_shim.h"
#include "backend/agent/task_table.h"
#include "src/base/xalloc.h"
#include "src/os/log.h"

#define ADOPT_AGAIN_MS 200

static void adopt_ended_by_reboot(struct atask *t)
{
    struct launch_end end = {
        .key = t->st.key,
        .end_kind = END_NODE_REBOOT,
        .t_start = t->st.t_start,
        .t_end = t->a->facts.probe.t_boot,
        .message = xstrdup("the node was restarted while it ran"),
    };
    task_end_record(t, &end);
    task_ended(t, &end);
}

/* Where that cannot be found out its directory is kept for readers. */
static bool adopt_has_spool_files(int dir_fd)
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
    if (task_shim_is_gone(t)) {
        /* It may have ended properly between the look at the end record and this one. */
        t->shim = 0;
        task_shim_gone(t);
        return;
    }
    task_table_set_shim(t, rec->pid);
    task_shim_connect(t);
}

/* False where its record cannot be read now. */
static bool adopt_task(struct agent *a, const struct launch_key *key, int dir_fd)
{
    char name[TASKDIR_NAME_SIZE];
    taskdir_name(key, name);
    struct shim_record rec = {0};
    int r = taskdir_read_claim(dir_fd, &rec);
    if (r == -ENOENT || (r == 0 && rec.version == 0)) {
        struct rights_answer ans;
        r = rights_ask(a->rights, &(struct rights_request){.kind = RIGHTS_DISCARD, .key = *key}, &ans);
        if (r == 0)
            return true;
        if (!taskdir_is_passing(r))
            r = taskdir_read_claim(dir_fd, &rec);
    }
    if (taskdir_is_passing(r))
        return false;
    struct atask *t = task_table_add(a, key);
    t->has_dir = true;
    t->has_spool = adopt_has_spool_files(dir_fd);
    t->st.t_start = rec.t_start;
    if (t->has_spool)
        spool_quota_begin(a->spool_quota);
    t->st.key.nonce = rec.nonce;
    t->leased = true;
    containment_adopt(a->containment, t, rec.group);
    struct launch_end end;
    if (task_end_read(a, &t->st.key, dir_fd, &end) == 0) {
        end.key = t->st.key;
        task_ended(t, &end);
    } else if (r < 0) {
        log_error("task=%s its record cannot be read: %s", name, strerror(-r));
        sweep_add(a->sweep, t);
    } else if (strcmp(rec.boot_id, a->facts.probe.boot_id) != 0) {
        adopt_ended_by_reboot(t);
    } else {
        adopt_living(t, &rec);
    }
    /* Ended and acknowledged before the agent went: only its readers were waited for. */
    if (t->end && ended_has(a->ended, &t->st.key))
        task_end_acknowledged(a, &t->st.key);
    return true;
}

static bool adopt_named(struct agent *a, const char *name)
{
    struct launch_key key;
    if (!taskdir_parse_name(name, &key) || task_table_find_latest(a->tasks, &key))
        return true;
    const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW;
    int dir_fd = openat(a->dir.tasks_fd, name, flags);
    if (dir_fd < 0 && errno == EACCES && task_end_share(a, &key))
        dir_fd = openat(a->dir.tasks_fd, name, flags);
    if (dir_fd < 0)
        return !taskdir_is_passing(-errno);
    bool done = adopt_task(a, &key, dir_fd);
    close(dir_fd);
    return done;
}

static void adopt_read(struct adoption *ad)
{
    struct agent *a = ad->a;
    unsigned n_left = 0, n_before = a->tasks->n_live;
    int fd = openat(a->dir.tasks_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    int r = d ? 0 : -errno;
    if (!d && fd >= 0)
        close(fd);
    for (struct dirent *e; d && (e = readdir(d));)
        n_left += !adopt_named(a, e->d_name);
    if (d)
        closedir(d);
    a->tasks->complete = d && !n_left;
    if (a->tasks->n_live != n_before)
        log_info("found live=%u", a->tasks->n_live);
    if (a->tasks->complete) {
        containment_sweep(a->containment);
        return;
    }
    if (!ad->told)
        log_error("%u tasks of the agent before this one cannot be read now%s%s: no controller is answered "
                  "before they can",
                  n_left, d ? "" : ": ", d ? "" : strerror(-r));
    ad->told = true;
    loop_timer_set(a->loop, &ad->again, ADOPT_AGAIN_MS);
}

static void adopt_read_again(void *ctx)
{
    adopt_read(ctx);
}

void adopt_begin(struct adoption *ad, struct agent *a)
{
    *ad = (struct adoption){.a = a, .again = {.fn = adopt_read_again, .ctx = ad}};
    adopt_read(ad);
}
