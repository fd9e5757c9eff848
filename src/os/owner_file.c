#include "src/os/owner_file.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAIT_MS     5000 /* a file system of the user may never answer */
#define GROUPS_MOST 1024
#define NAMES_SIZE  16384

struct owner_ids {
    uid_t uid;
    gid_t gid;
    gid_t groups[GROUPS_MOST];
    int n;
};

/* With O_PATH nothing is opened yet: no device is woken, no writer of a FIFO goes on. */
static int owner_file_open_here(const char *path)
{
    struct stat st;
    char self[64];
    int at = open(path, O_PATH | O_CLOEXEC);
    if (at < 0)
        return -errno;
    int r = fstat(at, &st) < 0 ? -errno : S_ISREG(st.st_mode) ? 0 : -EINVAL;
    snprintf(self, sizeof self, "/proc/self/fd/%d", at);
    if (r == 0) {
        r = open(self, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
        r = r < 0 ? -errno : r;
    }
    close(at);
    return r;
}

/* In this process: in a child of one with threads the name service may be locked for ever. */
static int owner_ids_get(uid_t uid, struct owner_ids *ret)
{
    char names[NAMES_SIZE];
    struct passwd pw, *found = NULL;
    int r = getpwuid_r(uid, &pw, names, sizeof names, &found);
    if (!found)
        return r ? -r : -EACCES;
    *ret = (struct owner_ids){.uid = uid, .gid = pw.pw_gid, .n = GROUPS_MOST};
    if (getgrouplist(pw.pw_name, pw.pw_gid, ret->groups, &ret->n) < 0)
        ret->n = GROUPS_MOST;
    return 0;
}

static int owner_ids_become(const struct owner_ids *w)
{
    uid_t r, e, s;
    if (setgroups((size_t)w->n, w->groups) < 0 || setresgid(w->gid, w->gid, w->gid) < 0 ||
        setresuid(w->uid, w->uid, w->uid) < 0 || getresuid(&r, &e, &s) < 0)
        return -errno;
    return r == w->uid && e == w->uid && s == w->uid && setuid(0) < 0 ? 0 : -EPERM;
}

/* The result, and with it the descriptor where there is one. */
static void owner_file_pass(int sock, int result)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {
        .head = {.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    struct iovec data = {.iov_base = &result, .iov_len = sizeof result};
    struct msghdr m = {.msg_iov = &data, .msg_iovlen = 1};
    if (result >= 0) {
        memcpy(CMSG_DATA(&control.head), &result, sizeof result);
        m.msg_control = &control;
        m.msg_controllen = sizeof control.room;
    }
    if (sendmsg(sock, &m, MSG_NOSIGNAL) < 0)
        _exit(1);
}

static int owner_file_receive(int sock)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    int result = -EIO;
    struct iovec data = {.iov_base = &result, .iov_len = sizeof result};
    struct msghdr m = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control.room};
    struct pollfd p = {.fd = sock, .events = POLLIN};
    int n;
    do
        n = poll(&p, 1, WAIT_MS);
    while (n < 0 && errno == EINTR);
    if (n <= 0)
        return -ETIMEDOUT;
    if (recvmsg(sock, &m, MSG_CMSG_CLOEXEC) != (ssize_t)sizeof result)
        return -EIO;
    const struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    if (result < 0)
        return result;
    if (!c || c->cmsg_type != SCM_RIGHTS)
        return -EIO;
    memcpy(&result, CMSG_DATA(c), sizeof result);
    return result;
}

bool owner_file_is_direct(uid_t owner)
{
    return geteuid() != 0 || owner == 0;
}

int owner_file_open(const char *path, uid_t owner)
{
    struct owner_ids who;
    struct stat st;
    int pair[2];
    if (owner_file_is_direct(owner))
        return owner_file_open_here(path);
    if (stat(path, &st) < 0 && errno == ENOENT) /* asked often, until the file is there */
        return -ENOENT;
    int r = owner_ids_get(owner, &who);
    if (r < 0)
        return r;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return -errno;
    pid_t pid = fork();
    if (pid == 0) {
        r = owner_ids_become(&who);
        owner_file_pass(pair[1], r < 0 ? r : owner_file_open_here(path));
        _exit(0);
    }
    r = pid < 0 ? -errno : 0;
    close(pair[1]);
    if (pid > 0) {
        r = owner_file_receive(pair[0]);
        kill(pid, SIGKILL);
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    close(pair[0]);
    return r;
}
