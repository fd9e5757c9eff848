/* rights_start.c - a supervisor for a task, a reader for a file: of users whom the policy admits. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "backend/node/user_lookup.h"
#include "backend/rights/private_tmp.h"
#include "backend/rights/rights_internal.h"
#include "backend/task/shim_setup.h"
#include "src/base/xalloc.h"
#include "src/os/log.h"
#include "src/proto/codec.h"
#include "src/proto/frame.h"

#define READERS_MAX  64
#define GRANT_WAIT_S 5

/* What a supervisor is started with. */
struct launch_parts {
    char task[TASKDIR_NAME_SIZE];
    char *dir;
    bool has_dir;
    const struct blob *user_groups; /* NULL: those of this process */
    struct task_groups of;
    int ns; /* the mount namespace of its job; -1: that of this process */
};

static int rights_admit(const struct rights *r, const struct rights_request *q, unsigned n_live,
                        const struct blob **ret_groups, struct errtext *err)
{
    char user[RIGHTS_NAME_SIZE], path[PATH_MAX];
    snprintf(user, sizeof user, "%s", q->user);
    snprintf(path, sizeof path, "%s", q->path);
    struct launch l = {
        .uid = q->uid, .gid = q->gid, .user = *user ? user : NULL, .workdir = *path ? path : NULL};
    if (!r->root && q->uid != geteuid())
        return err_set(err, -EPERM, "this node runs jobs of uid %u only, not of %u", geteuid(), q->uid);
    /* Its own uid needs no groups from the name service: it has them. */
    bool ask = r->root ? l.uid != 0 || l.gid != 0 : r->policy.groups.n + r->policy.denied.n > 0;
    int e = ask ? user_lookup_groups(l.uid, l.gid, l.user, ret_groups, err) : 0;
    return e ? e : node_policy_check(&r->policy, &l, n_live, *ret_groups, err);
}

/* Users pass through to their scripts, and list nothing; an agent of another account reads, and no more:
 * its group comes from the directory above, as that of all files does. */
static int rights_make_dir(const struct rights *r, struct launch_parts *p)
{
    mode_t mode = rights_is_shared(r) ? 0751 : r->root ? 0711 : 0700;
    int e = p->has_dir || mkdirat(r->dir->tasks_fd, p->task, mode) == 0 ? 0 : -errno;
    p->has_dir = e == 0;
    return e;
}

/* The grant is large: the supervisor must read while it is sent. */
static int rights_send_rest(int sock, const char *p, size_t size)
{
    struct timeval patience = {.tv_sec = GRANT_WAIT_S}, none = {0};
    setsockopt(sock, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    ssize_t n = 0;
    size_t done = 0;
    while (done < size && ((n = send(sock, p + done, size - done, MSG_NOSIGNAL)) > 0 || errno == EINTR))
        done += n > 0 ? (size_t)n : 0;
    int e = done == size ? 0 : -errno;
    setsockopt(sock, SOL_SOCKET, SO_SNDTIMEO, &none, sizeof none);
    return e;
}

/* A supervisor in a job's v2 group ends with the group; it leaves v1 groups. It leaves no namespace. And a
 * waiting supervisor would believe a grant that an agent of another account writes. */
static bool rights_may_stay(const struct rights *r, const struct launch_parts *p)
{
    return r->cfg.take_shim && !rights_is_shared(r) && !p->of.supervisor && p->ns < 0;
}

/* The supervisor notes the word of its job's groups for the next agent, also where only a namespace has
 * that word. */
static bool rights_has_word(const struct launch_parts *p)
{
    return !task_groups_are_empty(&p->of) || p->ns >= 0;
}

/* What the supervisor believes whatever the agent says: the first that comes on its socket. */
static int rights_send_grant(const struct rights *r, const struct rights_request *q, char *dir,
                             const struct launch_parts *p, int sock)
{
    const struct task_groups *of = &p->of;
    uint32_t root_group = 0;
    struct blob own = {.p = (uint8_t *)&root_group, .n = sizeof root_group};
    char *group = rights_has_word(p) ? xstrdup(q->group) : NULL;
    struct shim_setup g = {.version = SHIM_VERSION,
                           .drop = r->root,
                           .uid = q->uid,
                           .gid = q->gid,
                           .agent = r->cfg.agent,
                           .groups = p->user_groups ? *p->user_groups : own,
                           .cgroup = of->memory,
                           .cgroup_v1 = of->memory_is_v1,
                           .nofile = r->limits.nofile,
                           .core_known = true,
                           .core = r->limits.core,
                           .spared = r->limits.spared,
                           .oom_score_adj = r->limits.oom_score_adj,
                           .spool_max = r->policy.spool_max_mib << 20,
                           .supervisor = of->supervisor,
                           .pids = of->pids,
                           .ranks = of->task,
                           .inherited = of->inherited,
                           .group = group,
                           .workdirs = r->policy.workdirs,
                           .stays = rights_may_stay(r, p),
                           .dir = dir};
    struct str out = STR_INIT;
    size_t at = frame_begin(&out), done = 0;
    codec_encode(&shim_setup_rec, &g, &out);
    frame_end(&out, at, SHIM_GRANT, 0, 0);
    ssize_t n = send(sock, out.s, out.len, MSG_NOSIGNAL | MSG_DONTWAIT);
    done = n > 0 ? (size_t)n : 0;
    int e = done < out.len ? rights_send_rest(sock, out.s + done, out.len - done) : 0;
    str_fini(&out);
    free(group);
    return e;
}

/* Gives the launch to a waiting supervisor. Returns false if none waits, or if there is no directory. A
 * supervisor that has just ended is passed over. */
static bool rights_take_shim(const struct rights *r, const struct rights_request *q, struct launch_parts *p,
                             struct rights_answer *a)
{
    while (rights_may_stay(r, p)) {
        bool has_dir;
        int sock = r->cfg.take_shim(r->cfg.shims, q->uid, p->has_dir || q->flag ? NULL : p->task, &a->pid,
                                    &has_dir);
        if (sock < 0)
            return false;
        p->has_dir = p->has_dir || has_dir;
        int e = rights_make_dir(r, p);
        if (e == 0 && rights_send_grant(r, q, p->dir, p, sock) == 0) {
            a->fd = sock;
            return true;
        }
        close(sock);
        if (e < 0)
            return false;
    }
    return false;
}

static int rights_fork_shim(struct rights *r, const struct rights_request *q, const struct launch_parts *p,
                            struct rights_answer *a)
{
    struct proc shim;
    int sv[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv) < 0)
        return -errno;
    a->pid = forkserver_shim(&r->forkserver, p->dir, p->of.supervisor, p->ns, sv[1]);
    close(sv[1]);
    int e = a->pid < 0 ? a->pid : 0;
    if (e == 0) {
        idmap_set(&r->shims, (uint64_t)a->pid, r);
        e = rights_send_grant(r, q, NULL, p, sv[0]);
    }
    if (e == 0 && rights_is_shared(r) && proc_read(a->pid, &shim) == 0)
        a->start = shim.start;
    if (e < 0)
        close(sv[0]); /* a supervisor that was begun hears no launch, and ends */
    else
        a->fd = sv[0];
    return e;
}

static int rights_find_shim(struct rights *r, const struct rights_request *q, struct launch_parts *p,
                            struct rights_answer *a)
{
    if (rights_take_shim(r, q, p, a))
        return 0;
    int e = rights_make_dir(r, p);
    return e ? e : rights_fork_shim(r, q, p, a);
}

/* A job that has a namespace keeps it, whatever the configuration says meanwhile. */
static int rights_open_private(const struct rights *r, const struct rights_request *q, int *ret_ns,
                               struct errtext *err)
{
    char name[PRIVATE_TMP_NAME_SIZE];
    *ret_ns = -1;
    if (!r->root)
        return q->private_mib ? err_set(err, -EPERM, "private_tmp: the agent of this node is not root") : 0;
    int ns = private_tmp_open(r->dir, private_tmp_name(q->uid, q->key.nonce, q->group, name),
                              q->private_mib, err);
    *ret_ns = ns < 0 ? -1 : ns;
    return ns == -ENOENT && !q->private_mib ? 0 : ns < 0 ? ns : 0;
}

static int rights_begin(struct rights *r, const struct rights_request *q, struct launch_parts *p,
                        struct rights_answer *a, struct errtext *err)
{
    taskdir_name(&q->key, p->task);
    struct job_bounds b = {.mem_mib = q->mem_mib,
                           .cpus = q->cpus,
                           .processes = r->policy.max_processes,
                           .devices = q->devices};
    job_groups_make(r->groups, q->group, &b, p->task, q->task_mem_mib, &p->of);
    p->dir = xasprintf("%s/%s", r->dir->tasks_path, p->task);
    int e = rights_find_shim(r, q, p, a);
    a->number =
        (task_groups_are_empty(&p->of) ? 0 : RIGHTS_HAS_GROUPS) | (p->ns < 0 ? 0 : RIGHTS_HAS_PRIVATE);
    task_groups_fini(&p->of);
    free(p->dir);
    if (e == 0)
        return 0;
    job_groups_remove_task(r->groups, q->group, p->task);
    if (!p->has_dir)
        return err_set(err, e, "cannot make the task directory: %s", strerror(-e));
    taskdir_remove(r->dir->tasks_fd, p->task);
    return err_set(err, e, "resource: cannot start the supervisor: %s", strerror(-e));
}

int rights_start(struct rights *r, const struct rights_request *q, struct rights_answer *a)
{
    struct errtext err = {""};
    struct launch_parts p = {.ns = -1};
    a->fault = FAULT_USER;
    unsigned n_own = r->cfg.take_shim ? 0 : (unsigned)r->shims.n; /* some of them may wait */
    int e = rights_admit(r, q, q->n_live > n_own ? q->n_live : n_own, &p.user_groups, &err);
    if (e == -EAGAIN || e == 0)
        a->fault = FAULT_NODE;
    e = e ? e : rights_open_private(r, q, &p.ns, &err);
    e = e ? e : rights_begin(r, q, &p, a, &err);
    if (p.ns >= 0)
        close(p.ns);
    return e < 0 ? rights_fail(a, e, &err) : 0;
}

/* It becomes its user before it reads anything. */
int rights_read(struct rights *r, const struct rights_request *q, struct rights_answer *a)
{
    struct errtext err = {""};
    const struct blob *groups = NULL;
    int sv[2];
    int e = rights_admit(r, q, 0, &groups, &err);
    if (e < 0)
        return rights_fail(a, e, &err);
    if (r->readers.n >= READERS_MAX || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv) < 0)
        return a->r = -EBUSY;
    char name[] = "stoker-agent", option[] = FILE_READER_OPTION, lang[] = "LC_ALL=C", user[16];
    snprintf(user, sizeof user, "%u", (unsigned)q->uid);
    char *argv[] = {name, option, user, NULL}, *env[] = {lang, NULL};
    pid_t pid;
    e = spawner_start(
        &r->cfg.spawner,
        &(struct spawn){.path = r->cfg.reader, .argv = argv, .env = env, .fds = {{sv[1], 0}}, .n_fds = 1},
        &pid);
    close(sv[1]);
    if (e < 0)
        close(sv[0]);
    else
        idmap_set(&r->readers, (uint64_t)pid, r);
    a->fd = e < 0 ? -1 : sv[0];
    a->pid = e < 0 ? 0 : pid;
    return a->r = e;
}
