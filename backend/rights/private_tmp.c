#include "backend/rights/private_tmp.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/os/dirs.h"
#include "src/os/log.h"

#define PRIVATE_DIR   "private"
#define NSFS_ID       0x6e736673
#define MAKE_WAIT_S   5
#define KIB_PER_INODE 16 /* inodes take memory of the kernel's */
#define PATH_SIZE     (PRIVATE_TMP_NAME_SIZE + 64)

static const char *const private_places[] = {"/tmp", "/dev/shm"};

const char *private_tmp_name(uint32_t uid, uint64_t nonce, const char *group,
                             char buf[static PRIVATE_TMP_NAME_SIZE])
{
    snprintf(buf, PRIVATE_TMP_NAME_SIZE, "%u.%llu.%s", uid, (unsigned long long)nonce, group);
    return buf;
}

/* The descriptor of DIR/private, once the file system is mounted there; -ENOENT: it is not. */
static int private_tmp_dir(const struct agent_dir *d)
{
    struct stat st, above;
    int fd = openat(d->fd, PRIVATE_DIR, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int r = fd < 0 ? -errno : fstat(fd, &st) < 0 || fstat(d->fd, &above) < 0 ? -errno : 0;
    /* The agent can make names in DIR as well. */
    if (r == 0 && st.st_uid != geteuid())
        r = -EPERM;
    if (r == 0 && st.st_dev == above.st_dev)
        r = -ENOENT;
    if (r < 0 && fd >= 0)
        close(fd);
    return r < 0 ? r : fd;
}

/* Private: the kernel mounts no namespace where mounts are passed on to other ones. */
static int private_tmp_mount_dir(const struct agent_dir *d)
{
    char path[PATH_SIZE];
    struct stat st;
    if (mkdirat(d->fd, PRIVATE_DIR, 0700) < 0 && errno != EEXIST)
        return -errno;
    int fd = openat(d->fd, PRIVATE_DIR, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int r = fd < 0 ? -errno : fstat(fd, &st) < 0 ? -errno : st.st_uid != geteuid() ? -EPERM : 0;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (r == 0 && mount("stoker", path, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0700,size=1m") < 0)
        r = -errno;
    if (fd >= 0)
        close(fd);
    fd = r < 0 ? r : private_tmp_dir(d);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (fd >= 0 && mount(NULL, path, NULL, MS_PRIVATE, NULL) < 0) {
        r = -errno;
        close(fd);
        fd = r;
    }
    return fd;
}

/* What is mounted on the machine later is seen in the namespace too, and not the other way. */
static int private_tmp_unshare(uint64_t size_mib)
{
    char options[96];
    unsigned long long kib = size_mib << 10;
    snprintf(options, sizeof options, "mode=1777,size=%lluk,nr_inodes=%llu", kib, kib / KIB_PER_INODE);
    if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
        return -errno;
    for (size_t i = 0; i < 2; i++)
        if (mount("stoker", private_places[i], "tmpfs", MS_NOSUID | MS_NODEV, options) < 0)
            return -errno;
    return 0;
}

/* A process that waits in the new namespace until the socket ends. Returns its id. */
static pid_t private_tmp_fork(uint64_t size_mib, int *ret_sock)
{
    struct timeval patience = {.tv_sec = MAKE_WAIT_S};
    int sv[2], r;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv) < 0)
        return -errno;
    setsockopt(sv[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    pid_t pid = fork();
    if (pid == 0) {
        close(sv[0]);
        r = private_tmp_unshare(size_mib);
        _exit(send(sv[1], &r, sizeof r, MSG_NOSIGNAL) < 0 || recv(sv[1], &r, sizeof r, 0) < 0);
    }
    r = pid < 0 ? -errno : 0;
    close(sv[1]);
    if (r < 0)
        close(sv[0]);
    *ret_sock = sv[0];
    return r < 0 ? r : pid;
}

static int private_tmp_make(const char *path, uint64_t size_mib)
{
    char ns[64];
    int sock = -1, r = -ETIMEDOUT;
    pid_t pid = private_tmp_fork(size_mib, &sock);
    if (pid < 0)
        return pid;
    if (recv(sock, &r, sizeof r, 0) != sizeof r)
        r = -ETIMEDOUT;
    snprintf(ns, sizeof ns, "/proc/%d/ns/mnt", (int)pid);
    if (r == 0 && mount(ns, path, NULL, MS_BIND, NULL) < 0)
        r = -errno;
    close(sock);
    if (r == -ETIMEDOUT)
        kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return r;
}

/* -ENOENT where the file holds none: the process that was to make it was killed. */
static int private_tmp_open_file(int dir, const char *name)
{
    struct statfs fs;
    int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    int r = fd < 0 ? -errno : fstatfs(fd, &fs) < 0 ? -errno : fs.f_type == NSFS_ID ? 0 : -ENOENT;
    if (r < 0 && fd >= 0)
        close(fd);
    return r < 0 ? r : fd;
}

static int private_tmp_create(int dir, const char *name, uint64_t size_mib)
{
    char path[PATH_SIZE];
    int fd = openat(dir, name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;
    close(fd);
    snprintf(path, sizeof path, "/proc/self/fd/%d/%s", dir, name);
    int r = private_tmp_make(path, size_mib);
    if (r < 0)
        unlinkat(dir, name, 0);
    return r < 0 ? r : private_tmp_open_file(dir, name);
}

int private_tmp_open(const struct agent_dir *d, const char *name, uint64_t size_mib, struct errtext *err)
{
    int dir = private_tmp_dir(d);
    int r = dir < 0 ? dir : private_tmp_open_file(dir, name);
    if (r == -ENOENT && size_mib) {
        for (size_t i = 0; i < 2; i++)
            if (dirs_is_below(d->path, private_places[i])) {
                if (dir >= 0)
                    close(dir);
                return err_set(err, -EINVAL, "private_tmp: %s of the agent lies below %s", d->path,
                               private_places[i]);
            }
        dir = dir < 0 ? private_tmp_mount_dir(d) : dir;
        r = dir < 0 ? dir : private_tmp_create(dir, name, size_mib);
    }
    if (dir >= 0)
        close(dir);
    if (r < 0 && r != -ENOENT)
        err_set(err, r, "private_tmp: the job's own /tmp cannot be had: %s", strerror(-r));
    return r;
}

void private_tmp_remove(const struct agent_dir *d, const char *name)
{
    char path[PATH_SIZE];
    int dir = private_tmp_dir(d);
    if (dir < 0)
        return;
    snprintf(path, sizeof path, "/proc/self/fd/%d/%s", dir, name);
    if (umount2(path, MNT_DETACH | UMOUNT_NOFOLLOW) < 0 && errno != EINVAL && errno != ENOENT)
        log_warn("private_tmp: %s cannot be unmounted: %s", name, strerror(errno));
    unlinkat(dir, name, 0);
    close(dir);
    snprintf(path, sizeof path, "/proc/self/fd/%d/" PRIVATE_DIR, d->fd);
    umount2(path, UMOUNT_NOFOLLOW); /* busy until the last one has gone */
}

void private_tmp_list(const struct agent_dir *d, struct strv *ret)
{
    int fd = private_tmp_dir(d);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    *ret = (struct strv){0};
    for (const struct dirent *e; dir && (e = readdir(dir));)
        if (e->d_name[0] != '.')
            strv_push(ret, e->d_name);
    if (dir)
        closedir(dir);
    else if (fd >= 0)
        close(fd);
}
