#include "backend/rights/rights.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "backend/rights/login_socket.h"
#include "backend/rights/private_tmp.h"
#include "backend/rights/rights_internal.h"
#include "src/base/xalloc.h"
#include "src/os/log.h"

struct rights *rights_new(const struct rights_config *cfg, const struct agent_dir *dir)
{
    struct rights *r = xcalloc(1, sizeof *r);
    *r = (struct rights){
        .cfg = *cfg,
        .dir = dir,
        .root = geteuid() == 0,
        .forkserver = {.program = cfg->shim, .mode = cfg->shim_mode, .spawner = cfg->spawner}};
    own_limits_raise(&r->limits, r->root);
    struct cgroup_trees trees;
    cgroup_trees_find(&trees, &r->notes);
    r->groups = job_groups_new(dir->path, &trees);
    return r;
}

void rights_free(struct rights *r)
{
    if (!r)
        return;
    forkserver_stop(&r->forkserver);
    node_policy_fini(&r->policy);
    job_groups_free(r->groups);
    strv_fini(&r->notes);
    idmap_fini(&r->shims);
    idmap_fini(&r->readers);
    free(r);
}

void rights_child_ended(struct rights *r, pid_t pid, int status)
{
    if (forkserver_child_ended(&r->forkserver, pid, status))
        return;
    idmap_remove(&r->shims, (uint64_t)pid);
    idmap_remove(&r->readers, (uint64_t)pid);
}

static int rights_policy(struct rights *r, struct rights_answer *a)
{
    struct node_policy p;
    struct errtext err = {""};
    int fd = node_policy_open(r->dir->fd, r->cfg.policy, &err);
    int e = fd < 0 && fd != -ENOENT ? fd : node_policy_read(&p, fd, r->cfg.policy != NULL, &err);
    if (e < 0) {
        if (fd >= 0)
            close(fd);
        return rights_fail(a, e, &err);
    }
    node_policy_fini(&r->policy);
    r->policy = p;
    a->fd = fd < 0 ? -1 : fd;
    a->number = fd >= 0;
    return 0;
}

static void rights_notes(const struct rights *r, struct rights_answer *a)
{
    size_t at = 0;
    for (size_t i = 0; i < r->notes.n && at < sizeof a->text; i++)
        at += (size_t)snprintf(a->text + at, sizeof a->text - at, "%s\n", r->notes.v[i]);
}

static int rights_close_gpus(struct rights *r, struct rights_answer *a)
{
    int version = 0;
    struct errtext err;
    const char *why = r->root ? job_groups_close_devices(r->groups, &version) : "the agent is not root";
    a->number = (uint64_t)version;
    return why ? rights_fail(a, err_set(&err, -EPERM, "%s", why), &err) : 0;
}

static void rights_discard(struct rights *r, const char *task, struct rights_answer *a)
{
    int fd = openat(r->dir->tasks_fd, task, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    struct shim_record none = {0};
    a->r = fd < 0 ? -errno : taskdir_claim_for_none(fd);
    /* A claim without a supervisor: of an agent that was ended before it had removed the directory. */
    if (a->r == -EEXIST && taskdir_read_claim(fd, &none) == 0 && none.version == 0)
        a->r = 0;
    if (fd >= 0)
        close(fd);
    if (a->r == 0)
        taskdir_remove(r->dir->tasks_fd, task);
}

static void rights_end(struct rights *r, const struct rights_request *q, const char *task,
                       struct rights_answer *a)
{
    struct launch_end end = {
        .key = q->key, .end_kind = q->end_kind, .t_start = q->t_start, .t_end = q->t_end};
    end.message = xstrdup(q->path);
    int fd = openat(r->dir->tasks_fd, task, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    a->r = fd < 0 ? -errno : taskdir_write_end(fd, &end, true);
    if (fd >= 0)
        close(fd);
    free(end.message);
}

static int rights_dial(const struct rights *r, const char *task)
{
    struct sockaddr_un sa = {.sun_family = AF_UNIX};
    int dir_fd = openat(r->dir->tasks_fd, task, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    int fd = dir_fd < 0 ? -1 : socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    snprintf(sa.sun_path, sizeof sa.sun_path, "/proc/self/fd/%d/ctl", dir_fd);
    int e = fd >= 0 && connect(fd, (struct sockaddr *)&sa, sizeof sa) == 0 ? fd : -errno;
    if (e < 0 && fd >= 0)
        close(fd);
    if (dir_fd >= 0)
        close(dir_fd);
    return e;
}

static void rights_share_file(int dir_fd, const char *name, gid_t gid)
{
    struct stat st;
    int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 1 &&
        (fchown(fd, (uid_t)-1, gid) < 0 || fchmod(fd, (st.st_mode & 0777) | S_IRGRP) < 0))
        log_warn("%s of a task cannot be shared with the agent: %s", name, strerror(errno));
    if (fd >= 0)
        close(fd);
}

/* Only root makes anything in it. */
static int rights_share(const struct rights *r, const char *task)
{
    struct stat st;
    int fd = openat(r->dir->tasks_fd, task, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    int e = d ? 0 : -errno;
    if (e == 0 &&
        (fstat(r->dir->tasks_fd, &st) < 0 || fchown(fd, (uid_t)-1, st.st_gid) < 0 || fchmod(fd, 0751) < 0))
        e = -errno;
    for (const struct dirent *f; e == 0 && (f = readdir(d));)
        if (strcmp(f->d_name, "end") == 0 || (f->d_name[0] >= '0' && f->d_name[0] <= '9'))
            rights_share_file(fd, f->d_name, st.st_gid);
    if (d)
        closedir(d);
    else if (fd >= 0)
        close(fd);
    return e;
}

static void rights_is_gone(const struct rights_request *q, struct rights_answer *a)
{
    struct proc p;
    int e = proc_read(q->pid, &p);
    a->number = e == -ESRCH || (e == 0 && (p.start != q->start || p.state == 'Z'));
}

/* Frees v. size: of the longest one. */
static void rights_tell_names(struct strv *v, size_t size, uint64_t from, struct rights_answer *a)
{
    size_t at = 0;
    for (size_t i = from; i < v->n && at + size < sizeof a->text; i++)
        if (strlen(v->v[i]) < size)
            at += (size_t)snprintf(a->text + at, sizeof a->text - at, "%s ", v->v[i]);
    a->number = v->n;
    strv_fini(v);
}

static void rights_list_groups(const struct rights *r, uint64_t from, struct rights_answer *a)
{
    struct strv jobs;
    job_groups_list(r->groups, &jobs);
    rights_tell_names(&jobs, TASKDIR_NAME_SIZE, from, a);
}

static void rights_list_private(const struct rights *r, uint64_t from, struct rights_answer *a)
{
    struct strv names;
    private_tmp_list(r->dir, &names);
    rights_tell_names(&names, PRIVATE_TMP_NAME_SIZE, from, a);
}

static void rights_remove_private(const struct rights *r, const struct rights_request *q)
{
    char name[PRIVATE_TMP_NAME_SIZE];
    private_tmp_remove(r->dir, private_tmp_name(q->uid, q->key.nonce, q->group, name));
}

/* A part of a name below our own group. */
static bool rights_is_word(const char *s)
{
    return *s && strspn(s, "0123456789.-") == strlen(s);
}

static void rights_login_socket(struct rights *r, bool login, struct rights_answer *a)
{
    char *to = xasprintf("%s/client.sock", r->dir->path);
    a->number = login_socket_update(r->cfg.clients, r->root, login, to);
    free(to);
}

int rights_serve(struct rights *r, const struct rights_request *q, struct rights_answer *a)
{
    char task[TASKDIR_NAME_SIZE];
    *a = (struct rights_answer){.fd = -1};
    taskdir_name(&q->key, task);
    bool of_group =
        q->kind >= RIGHTS_GROUPS_KILL && q->kind != RIGHTS_GROUPS_LIST && q->kind != RIGHTS_PRIVATE_LIST;
    if ((of_group || q->kind == RIGHTS_START) && !rights_is_word(q->group))
        return a->r = -EINVAL;
    switch ((enum rights_kind)q->kind) {
    case RIGHTS_NOTES: rights_notes(r, a); return 0;
    case RIGHTS_POLICY: return rights_policy(r, a);
    case RIGHTS_CLOSE_GPUS: return rights_close_gpus(r, a);
    case RIGHTS_LOGIN_SOCKET: rights_login_socket(r, q->flag, a); return 0;
    case RIGHTS_START: return rights_start(r, q, a);
    case RIGHTS_DISCARD: rights_discard(r, task, a); return a->r;
    case RIGHTS_REMOVE: taskdir_remove(r->dir->tasks_fd, task); return 0;
    case RIGHTS_END: rights_end(r, q, task, a); return a->r;
    case RIGHTS_DIAL: a->fd = rights_dial(r, task); return a->r = a->fd < 0 ? a->fd : 0;
    case RIGHTS_SHARE: return a->r = rights_is_shared(r) ? rights_share(r, task) : -EPERM;
    case RIGHTS_IS_GONE: rights_is_gone(q, a); return 0;
    case RIGHTS_READ: return rights_read(r, q, a);
    case RIGHTS_SWEEP: rights_sweep(r, q, a); return 0;
    case RIGHTS_GROUPS_KILL: job_groups_kill(r->groups, q->group, q->flag ? NULL : task); return 0;
    case RIGHTS_GROUPS_LEAVE: job_groups_remove_task(r->groups, q->group, task); return 0;
    case RIGHTS_GROUPS_REMOVE: a->number = job_groups_remove(r->groups, q->group); return 0;
    case RIGHTS_GROUPS_LIST: rights_list_groups(r, q->number, a); return 0;
    case RIGHTS_GROUPS_MEMORY: a->number = job_groups_memory_kib(r->groups, q->group, task); return 0;
    case RIGHTS_PRIVATE_LIST: rights_list_private(r, q->number, a); return 0;
    case RIGHTS_PRIVATE_REMOVE: rights_remove_private(r, q); return 0;
    }
    return a->r = -EINVAL;
}
