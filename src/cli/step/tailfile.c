/* tailfile.c - a file that another program writes. */
#include "src/cli/step/tailfile.h"

#include <errno.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/os/owner_file.h"

#define BLIND_MS   1000
#define BLOCK_SIZE 65536
#define LONG_LINE  (1 << 20) /* no more of a line is looked through for its beginning */

/* Files that another machine writes change without a word to us. */
static bool is_remote(int fd)
{
    static const long remote[] = {
        NFS_SUPER_MAGIC, SMB_SUPER_MAGIC, CEPH_SUPER_MAGIC,       0x0bd00bd0L /* Lustre */,
        0xff534d42L,     0xfe534d42L,     0x65735546L /* FUSE */, 0x47504653L /* GPFS */,
        0x19830326L /* BeeGFS */};
    struct statfs fs;
    if (fstatfs(fd, &fs) < 0)
        return false;
    for (size_t i = 0; i < sizeof remote / sizeof remote[0]; i++)
        if ((unsigned long)fs.f_type == (unsigned long)remote[i])
            return true;
    return false;
}

static int try_open(struct tailfile *t, struct errtext *err)
{
    struct stat st;
    int fd = owner_file_open(t->path, t->owner);
    if (fd == -EINVAL)
        return err_set(err, -EISDIR, tr("%s is not a plain file"), t->path);
    if (fd < 0)
        return err_set(err, fd, "%s: %s", t->path, strerror(-fd));
    if (fstat(fd, &st) < 0) {
        int r = err_set(err, -errno, "%s: %s", t->path, strerror(errno));
        close(fd);
        return r;
    }
    if (t->fd >= 0)
        close(t->fd);
    t->fd = fd;
    t->dev = st.st_dev;
    t->ino = st.st_ino;
    t->at = 0;
    t->blind = t->blind || is_remote(fd);
    if (t->inotify >= 0) /* the name may be a link to a file in another directory */
        inotify_add_watch(t->inotify, t->path, IN_MODIFY | IN_CLOSE_WRITE);
    return 0;
}

/* Watches the directory, which tells of the file's coming and going and of writes to it alike. */
static void watch(struct tailfile *t)
{
    const char *slash = strrchr(t->path, '/');
    char *dir = slash ? xstrndup(t->path, slash == t->path ? 1 : (size_t)(slash - t->path)) : xstrdup(".");
    t->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (t->inotify < 0 ||
        inotify_add_watch(t->inotify, dir,
                          IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE | IN_ATTRIB) < 0)
        t->blind = true;
    free(dir);
}

int tailfile_open(struct tailfile *t, const char *path, uid_t owner, bool follow, struct errtext *err)
{
    *t = (struct tailfile){.path = xstrdup(path), .owner = owner, .fd = -1, .inotify = -1};
    if (follow)
        watch(t); /* before the first look, so that nothing falls between the two */
    int rc = try_open(t, err);
    if (rc == 0 || (follow && rc == -ENOENT))
        return 0;
    tailfile_close(t);
    return rc;
}

void tailfile_close(struct tailfile *t)
{
    if (t->fd >= 0)
        close(t->fd);
    if (t->inotify >= 0)
        close(t->inotify);
    free(t->path);
    *t = (struct tailfile){.fd = -1, .inotify = -1};
}

void tailfile_seek_lines(struct tailfile *t, uint64_t n)
{
    char buf[BLOCK_SIZE];
    off_t end = t->fd >= 0 ? lseek(t->fd, 0, SEEK_END) : 0, at = end;
    t->at = end;
    if (!n)
        return;
    /* The newline that ends the last line does not begin another one. */
    uint64_t found = 0;
    off_t line = end; /* what is looked for begins the line that ends here */
    while (at > 0 && line - at < LONG_LINE) {
        size_t want = at < (off_t)sizeof buf ? (size_t)at : sizeof buf;
        ssize_t got = pread(t->fd, buf, want, at - (off_t)want);
        if (got <= 0 || (size_t)got < want)
            break;
        for (size_t i = want; i-- > 0;) {
            off_t here = at - (off_t)want + (off_t)i;
            if (buf[i] != '\n' || here == end - 1)
                continue;
            line = here;
            if (++found == n) {
                t->at = here + 1;
                return;
            }
        }
        at -= (off_t)want;
    }
    t->at = at;
}

/* At the end of the file: is it still the one of that name, and not shorter than what was read? */
static ssize_t check_end(struct tailfile *t)
{
    struct stat st;
    if (fstat(t->fd, &st) == 0 && st.st_size < t->at) {
        t->at = 0;
        return TAIL_CUT;
    }
    if (t->inotify < 0 || stat(t->path, &st) < 0 || (st.st_dev == t->dev && st.st_ino == t->ino))
        return 0;
    return try_open(t, NULL) == 0 ? TAIL_REPLACED : 0;
}

ssize_t tailfile_read(struct tailfile *t, char *buf, size_t size)
{
    if (t->fd < 0 && (t->inotify < 0 || try_open(t, NULL) < 0))
        return 0;
    for (;;) {
        ssize_t n = pread(t->fd, buf, size, t->at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        t->at += n;
        return n ? n : check_end(t);
    }
}

void tailfile_drain(struct tailfile *t)
{
    char buf[4096] __attribute__((aligned(8)));
    while (read(t->inotify, buf, sizeof buf) > 0)
        ;
}

int tailfile_timeout(const struct tailfile *t)
{
    return t->blind ? BLIND_MS : -1;
}
