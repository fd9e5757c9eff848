/* The shim itself may be root and opens no path that a user has named. A lone rank opens its own files once
 * it has dropped to the user. Where ranks share files, or the shim must write to them (labels), a child
 * that has dropped opens each file once and hands the descriptors over.
 */
#include "backend/shim/shim_files.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/shim/shim_io.h"
#include "src/base/xalloc.h"
#include "src/os/dirs.h"

#define NOTE_WAIT_MS 200
#define LINK_DEPTH   8

const char *shim_files_drop_groups(const struct shim *s)
{
    if (!s->setup.drop)
        return NULL;
    gid_t gid = s->l.gid, gr, ge, gv;
    size_t n = s->setup.groups.n / sizeof(uint32_t);
    gid_t *groups = xcalloc(n + 1, sizeof *groups);
    if (n)
        memcpy(groups, s->setup.groups.p, n * sizeof(uint32_t));
    int failed = setgroups(n, groups) < 0 || setresgid(gid, gid, gid) < 0;
    free(groups);
    if (failed)
        return "cannot take the groups of the user";
    if (getresgid(&gr, &ge, &gv) < 0 || gr != gid || ge != gid || gv != gid ||
        (gid_t)setfsgid((gid_t)-1) != gid)
        return "did not take the group of the user";
    return NULL;
}

const char *shim_files_drop(const struct shim *s)
{
    if (!s->setup.drop)
        return NULL;
    uid_t uid = s->l.uid, r, e, v;
    const char *why = shim_files_drop_groups(s);
    if (why)
        return why;
    if (setresuid(uid, uid, uid) < 0)
        return "cannot become the user";
    if (getresuid(&r, &e, &v) < 0 || r != uid || e != uid || v != uid || (uid_t)setfsuid((uid_t)-1) != uid)
        return "did not become the user";
    if (uid != 0 && setresuid((uid_t)-1, 0, (uid_t)-1) == 0)
        return "could become root again";
    return NULL;
}

static void files_make_parents(const char *path)
{
    char *p = xstrdup(path);
    for (char *slash = strchr(p + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(p, 0777); /* what cannot be made shows when the file is opened */
        *slash = '/';
    }
    free(p);
}

/* Where it is now, whatever names and symbolic links have led here. */
static bool files_is_allowed_workdir(const struct shim *s)
{
    char here[PATH_MAX];
    if (!s->setup.workdirs.n)
        return true;
    bool is = getcwd(here, sizeof here) != NULL, allowed = false;
    for (size_t i = 0; is && i < s->setup.workdirs.n; i++)
        allowed = allowed || dirs_is_below(here, s->setup.workdirs.v[i]);
    return allowed;
}

int shim_files_enter_workdir(const struct shim *s, char *text, size_t size)
{
    const char *dir = str_is_empty(s->l.workdir) ? "/" : s->l.workdir;
    int found = chdir(dir);
    if (found < 0 && errno == ENOENT && s->l.make_workdir) {
        files_make_parents(dir);
        mkdir(dir, 0777);
        found = chdir(dir);
    }
    if (found == 0 && !files_is_allowed_workdir(s)) {
        snprintf(text, size, "this node's policy allows no work where %s leads", dir);
        return -EACCES;
    }
    if (found == 0)
        return 0;
    int r = -errno;
    snprintf(text, size, "cannot enter the working directory %s: %s", dir, strerror(-r));
    return r;
}

/* A symbolic link is followed only where it is the user's own or root's: one that another user has put
 * into a shared directory would turn the user's rights against the user's files. Each link is read through
 * a descriptor, so it cannot be swapped meanwhile. */
static int files_open_no_foreign_link(const char *path, int flags, int depth)
{
    int fd = open(path, flags | O_NOFOLLOW, 0666);
    if (fd >= 0 || errno != ELOOP || depth == 0)
        return fd >= 0 ? fd : -errno;
    int link = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (link < 0)
        return -errno;
    struct stat st;
    char target[4096];
    ssize_t n = fstat(link, &st) == 0 ? readlinkat(link, "", target, sizeof target - 1) : -1;
    close(link);
    if (n < 0)
        return -ELOOP;
    if (st.st_uid != geteuid() && st.st_uid != 0)
        return -ELOOP;
    target[n] = '\0';
    const char *slash = strrchr(path, '/');
    char *next = target[0] == '/' || !slash ? xstrdup(target)
                                            : xasprintf("%.*s/%s", (int)(slash - path), path, target);
    int r = files_open_no_foreign_link(next, flags, depth - 1);
    free(next);
    return r;
}

int shim_files_open_output(const char *path, bool append, char *text, size_t size)
{
    /* O_NONBLOCK: a FIFO without a reader is an error, not a wait for ever. Truncated afterwards, when it
     * is known to be a plain file. O_APPEND in any case: standard output and error may be one file, and
     * lines of the supervisor come into it. */
    int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    int fd = files_open_no_foreign_link(path, flags, LINK_DEPTH);
    if (fd == -ENOENT) {
        files_make_parents(path);
        fd = files_open_no_foreign_link(path, flags, LINK_DEPTH);
    }
    struct stat st;
    int r = fd < 0 ? fd : fstat(fd, &st) < 0 ? -errno : 0;
    if (r == 0 && S_ISREG(st.st_mode)) {
        if (!append && st.st_size && ftruncate(fd, 0) < 0)
            r = -errno;
    } else if (r == 0 && !S_ISCHR(st.st_mode) && !S_ISFIFO(st.st_mode)) {
        r = -EINVAL;
    }
    if (r == 0 && fcntl(fd, F_SETFL, O_APPEND) < 0)
        r = -errno;
    if (r == 0)
        return fd;
    snprintf(text, size, "cannot open the output file %s: %s", path,
             r == -ENXIO    ? "it is a FIFO without a reader"
             : r == -EINVAL ? "it is neither a plain file nor a character device nor a FIFO"
             : r == -ELOOP  ? "it is a symbolic link of another user's"
                            : strerror(-r));
    if (fd >= 0)
        close(fd);
    return r;
}

bool shim_files_appends(const struct shim *s, const struct sink *k)
{
    return s->l.append || (k->stream == 1 ? s->l.append_out : s->l.append_err);
}

/* --- the table of sinks --- */

static size_t files_sink_of(struct shim *s, const char *path, uint32_t rank, int stream)
{
    if (path)
        vec_for_each (&s->sinks, i)
            if (str_eq(s->sinks.v[i].path, path))
                return i;
    vec_push(&s->sinks,
             (struct sink){.path = path, .rank = rank, .stream = stream, .fd = -1, .queue = STR_INIT});
    return s->sinks.n - 1;
}

/* The user's own, so that /dev/stdout can be opened once more; only root and the agent reach its
 * name. */
static int files_open_spool(struct shim *s, struct sink *k)
{
    char name[32];
    snprintf(name, sizeof name, "%u.%s", k->rank, k->stream == 2 ? "err" : s->l.pty ? "pty" : "out");
    k->fd = openat(s->dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0640);
    if (k->fd < 0 ||
        (s->setup.drop && fchown(k->fd, s->l.uid, shim_is_shared(s) ? (gid_t)-1 : s->l.gid) < 0))
        return -errno;
    return 0;
}

int shim_files_prepare(struct shim *s)
{
    for (size_t i = 0; i < s->n_ranks; i++) {
        struct rank *r = &s->ranks[i];
        r->sink[0] = files_sink_of(s, r->l->std_out, r->l->rank, 1);
        r->sink[1] = files_sink_of(s, r->l->std_err, r->l->rank, 2);
    }
    vec_for_each (&s->sinks, i) {
        int r = s->sinks.v[i].path ? 0 : files_open_spool(s, &s->sinks.v[i]);
        if (r < 0) {
            shim_message(s, "cannot make the spool file for rank %u: %s", s->sinks.v[i].rank, strerror(-r));
            return r;
        }
    }
    return 0;
}

bool shim_files_need_opener(const struct shim *s)
{
    if (s->n_ranks == 1 && !s->l.label)
        return false;
    vec_for_each (&s->sinks, i)
        if (s->sinks.v[i].path)
            return true;
    return false;
}

/* --- the opener --- */

struct opened {
    uint32_t sink;
    int32_t error;
    char text[480];
};

static void files_send_opened(int sock, struct opened *o, int fd)
{
    union {
        char buf[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {0};
    struct iovec iov = {.iov_base = o, .iov_len = sizeof *o};
    struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};
    if (fd >= 0) {
        m.msg_control = control.buf;
        m.msg_controllen = sizeof control.buf;
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(c), &fd, sizeof fd);
    }
    if (sendmsg(sock, &m, MSG_NOSIGNAL) < 0)
        _exit(1);
}

static _Noreturn void files_opener_child(const struct shim *s, int sock)
{
    struct opened o = {0};
    umask((mode_t)s->l.umask & 0777);
    const char *why = shim_files_drop(s);
    if (why) {
        o.error = EPERM;
        snprintf(o.text, sizeof o.text, "%s", why);
    } else {
        o.error = -shim_files_enter_workdir(s, o.text, sizeof o.text);
    }
    for (size_t i = 0; o.error == 0 && i < s->sinks.n; i++) {
        if (!s->sinks.v[i].path)
            continue;
        int fd = shim_files_open_output(s->sinks.v[i].path, shim_files_appends(s, &s->sinks.v[i]), o.text,
                                        sizeof o.text);
        o.sink = (uint32_t)i;
        o.error = fd < 0 ? -fd : 0;
        if (fd >= 0) {
            files_send_opened(sock, &o, fd);
            close(fd);
        }
    }
    if (o.error)
        files_send_opened(sock, &o, -1);
    _exit(0);
}

int shim_files_start_opener(struct shim *s)
{
    int sv[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv) < 0)
        return -errno;
    s->opener = fork();
    if (s->opener == 0)
        files_opener_child(s, sv[1]);
    int r = s->opener < 0 ? -errno : 0;
    close(sv[1]);
    if (r < 0) {
        s->opener = 0;
        close(sv[0]);
        return r;
    }
    s->opener_fd = sv[0];
    return 0;
}

bool shim_files_read_opener(struct shim *s)
{
    union {
        char buf[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {0};
    struct opened o;
    struct iovec iov = {.iov_base = &o, .iov_len = sizeof o};
    struct msghdr m = {
        .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.buf, .msg_controllen = sizeof control.buf};
    ssize_t n = recvmsg(s->opener_fd, &m, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (n == (ssize_t)sizeof o) {
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);
        int fd = -1;
        if (c && c->cmsg_type == SCM_RIGHTS)
            memcpy(&fd, CMSG_DATA(c), sizeof fd);
        if (o.error) {
            o.text[sizeof o.text - 1] = '\0';
            s->launch_failed = true;
            shim_message(s, "%s", o.text);
        } else if (fd >= 0 && o.sink < s->sinks.n && s->sinks.v[o.sink].fd < 0) {
            s->sinks.v[o.sink].fd = fd;
            if (s->l.label)
                shim_io_sink_setup(&s->sinks.v[o.sink]);
        } else if (fd >= 0) {
            close(fd);
        }
        return false;
    }
    close(s->opener_fd);
    s->opener_fd = -1;
    vec_for_each (&s->sinks, i)
        if (s->sinks.v[i].fd < 0 && !s->launch_failed) {
            s->launch_failed = true;
            shim_message(s, "the output files could not be opened");
        }
    return true;
}

/* --- notes --- */

/* In a child, as the user. Where the lone rank has opened the file itself it is opened once more. */
static _Noreturn void files_note_child(const struct shim *s, const struct sink *k, const struct str *text)
{
    char why[512];
    umask((mode_t)s->l.umask & 0777);
    if (shim_files_drop(s))
        _exit(1);
    int fd = k->fd;
    if (fd < 0 && shim_files_enter_workdir(s, why, sizeof why) == 0)
        fd = shim_files_open_output(k->path, true, why, sizeof why);
    _exit(fd >= 0 && write(fd, text->s, text->len) == (ssize_t)text->len ? 0 : 1);
}

/* The file is the user's, who may have named a FIFO that is full, or a file system that hangs: a child
 * writes, and is not waited for longer than a moment. */
static void files_note_by_child(struct shim *s, const struct sink *k, const struct str *text)
{
    int p[2];
    if (pipe2(p, O_CLOEXEC) < 0)
        return;
    pid_t pid = fork();
    if (pid == 0)
        files_note_child(s, k, text);
    close(p[1]);
    struct pollfd wait = {.fd = p[0], .events = POLLIN};
    if (pid > 0 && poll(&wait, 1, NOTE_WAIT_MS) > 0) {
        waitpid(pid, NULL, 0);
    } else if (pid > 0) {
        kill(pid, SIGKILL); /* reaped like any other child */
        s->notes_stuck = true;
    }
    close(p[0]);
}

void shim_files_note(struct shim *s, const char *line)
{
    if (!s->sinks.n || str_is_empty(line) || s->notes_stuck)
        return;
    struct sink *k = &s->sinks.v[s->ranks[0].sink[1]];
    struct str text = STR_INIT;
    str_append(&text, line);
    if (!str_ends(text.s, "\n"))
        str_append_char(&text, '\n');
    if (k->queued)
        shim_io_sink_write(s, k, &text);
    else if (k->fd >= 0 || k->path)
        files_note_by_child(s, k, &text);
    str_fini(&text);
}
