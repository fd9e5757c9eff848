#include "backend/agent/spool/spool_quota.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "backend/agent/agent_internal.h"
#include "backend/agent/task_shim.h"
#include "backend/agent/task_table.h"
#include "src/base/xalloc.h"
#include "src/os/log.h"

#define LOOK_MS     1000
#define DEFAULT_MAX (UINT64_C(4) << 30) /* bytes; at most half of the file system */

struct spool_quota {
    struct agent *a;
    struct loop_timer timer;
    bool looks;
};

struct user_spool {
    uint32_t uid;
    uint64_t bytes;
    struct atask *largest, *kept; /* that lives; that ended first and is kept for readers alone */
};

typedef VEC(struct user_spool) user_spools;

static uint64_t spool_quota_max(const struct agent *a)
{
    struct statvfs v;
    if (a->policy.spool_user_max_mib)
        return a->policy.spool_user_max_mib << 20;
    uint64_t half = fstatvfs(a->dir.tasks_fd, &v) < 0 ? UINT64_MAX : (uint64_t)v.f_blocks * v.f_frsize / 2;
    return half < DEFAULT_MAX ? half : DEFAULT_MAX;
}

/* What its outputs take of the disk. */
static uint64_t spool_quota_measure(struct atask *t)
{
    if (t->end && t->spool_measured)
        return t->spool_bytes;
    int fd = openat(t->a->dir.tasks_fd, t->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    t->spool_bytes = 0;
    for (const struct dirent *e; d && (e = readdir(d));) {
        struct stat st;
        if (e->d_name[0] >= '0' && e->d_name[0] <= '9' &&
            fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
            t->spool_bytes += (uint64_t)st.st_blocks * 512;
    }
    if (d)
        closedir(d);
    else if (fd >= 0)
        close(fd);
    t->spool_measured = true;
    return t->spool_bytes;
}

static struct user_spool *spool_quota_user(user_spools *all, uint32_t uid)
{
    vec_for_each (all, i)
        if (all->v[i].uid == uid)
            return &all->v[i];
    vec_push(all, (struct user_spool){.uid = uid});
    return &all->v[all->n - 1];
}

/* False where no task writes here. Those of an agent before this one count once their shims have told whose
 * they are. */
static bool spool_quota_sum(struct spool_quota *q, user_spools *all)
{
    bool any = false;
    list_for_each (t, &q->a->tasks->all, struct atask, in_table) {
        if (!t->has_spool)
            continue;
        any = any || !t->end;
        if (!t->gpus_known && cpuset_is_empty(&t->st.cpus))
            continue;
        struct user_spool *u = spool_quota_user(all, t->gpus_known ? t->uid : t->st.uid);
        u->bytes += spool_quota_measure(t);
        if (t->acked && !u->kept)
            u->kept = t;
        if (!t->end && !t->st.killing && (!u->largest || t->spool_bytes > u->largest->spool_bytes))
            u->largest = t;
    }
    return any;
}

/* What is only kept for readers goes first; then the task that has written most. */
static void spool_quota_enforce(struct spool_quota *q, const struct user_spool *u, uint64_t max)
{
    unsigned long long mib = max >> 20;
    if (u->kept) {
        task_table_remove(u->kept);
    } else if (u->largest) {
        struct launch_kill k = {.key = u->largest->st.key, .cause = KILL_NONE};
        k.note = xasprintf("slurmstepd: error: the outputs of your tasks passed the %llu MiB that this "
                           "node's spool keeps for a user, this one was killed: use --output=FILE",
                           mib);
        log_warn("task=%s uid=%u outputs passed the %llu MiB of a user: killed", u->largest->name, u->uid,
                 mib);
        task_shim_kill(q->a, &k);
        free(k.note);
    }
}

static void spool_quota_look(void *ctx)
{
    struct spool_quota *q = ctx;
    user_spools all = VEC_INIT;
    uint64_t max = spool_quota_max(q->a);
    q->looks = spool_quota_sum(q, &all);
    bool over = false;
    vec_for_each (&all, i)
        if (all.v[i].bytes > max) {
            over = over || all.v[i].kept;
            spool_quota_enforce(q, &all.v[i], max);
        }
    vec_fini(&all);
    if (q->looks || over)
        loop_timer_set(q->a->loop, &q->timer, over ? 0 : LOOK_MS);
}

void spool_quota_begin(struct spool_quota *q)
{
    if (q->looks)
        return;
    q->looks = true;
    loop_timer_set(q->a->loop, &q->timer, LOOK_MS);
}

struct spool_quota *spool_quota_new(struct agent *a)
{
    struct spool_quota *q = xcalloc(1, sizeof *q);
    *q = (struct spool_quota){.a = a, .timer = {.fn = spool_quota_look, .ctx = q}};
    return q;
}

void spool_quota_free(struct spool_quota *q)
{
    if (q)
        loop_timer_cancel(q->a->loop, &q->timer);
    free(q);
}
