/* taskdir.c - a task's directory. */
#include "backend/task/taskdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/task/atomic_file.h"
#include "backend/task/taskdir_files.h"
#include "src/base/xalloc.h"
#include "src/os/file.h"
#include "src/proto/codec.h"

#define RESERVE_PIECE 8192
#define SCRIPT_SAME   (64u << 10) /* a larger script is written again rather than compared */

const char *taskdir_name(const struct launch_key *key, char buf[static TASKDIR_NAME_SIZE])
{
    snprintf(buf, TASKDIR_NAME_SIZE, "%u.%d.%u.%u", key->job, key->step, key->task, key->attempt);
    return buf;
}

const char *taskdir_mark(const struct launch_key *key, const char *cluster,
                         char buf[static TASKDIR_MARK_SIZE])
{
    char name[TASKDIR_NAME_SIZE];
    snprintf(buf, TASKDIR_MARK_SIZE, "STOKER_LAUNCH=%s@%.64s", taskdir_name(key, name),
             cluster ? cluster : "");
    return buf;
}

#define CLAIM_SIZE 240

static int taskdir_format_claim(const struct shim_record *rec, char text[static CLAIM_SIZE])
{
    return snprintf(text, CLAIM_SIZE, "%u %d %llu %s %lld %llx %s", rec->version, (int)rec->pid,
                    (unsigned long long)rec->start, rec->boot_id[0] ? rec->boot_id : "-",
                    (long long)rec->t_start.ms, (unsigned long long)rec->nonce, rec->group);
}

/* In a directory that is used again the name is what counts: the file has its text before, and all texts
 * are of one length there, so that nothing is left of the claim before. */
int taskdir_claim(int dir_fd, const struct shim_record *rec)
{
    char text[CLAIM_SIZE];
    int n = taskdir_format_claim(rec, text);
    int fd = openat(dir_fd, CLAIM_NEXT, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 && errno == ELOOP && unlinkat(dir_fd, CLAIM_NEXT, 0) == 0) /* the first claim in it */
        fd = openat(dir_fd, CLAIM_NEXT, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
    if (fd < 0)
        return errno != ENOENT ? -errno : symlinkat(text, dir_fd, CLAIM) < 0 ? -errno : 0;
    memset(text + n, ' ', sizeof text - 1 - (size_t)n);
    int r = file_write_fd(fd, text, sizeof text - 1);
    close(fd);
    if (r == 0 && renameat2(dir_fd, CLAIM_NEXT, dir_fd, CLAIM, RENAME_NOREPLACE) < 0)
        r = -errno;
    return r;
}

int taskdir_claim_for_none(int dir_fd)
{
    char text[CLAIM_SIZE];
    taskdir_format_claim(&(struct shim_record){0}, text);
    return symlinkat(text, dir_fd, CLAIM) < 0 ? -errno : 0;
}

static ssize_t taskdir_read_claim_text(int dir_fd, char *text, size_t size)
{
    ssize_t n = readlinkat(dir_fd, CLAIM, text, size);
    if (n >= 0 || errno != EINVAL)
        return n < 0 ? -errno : n;
    int fd = openat(dir_fd, CLAIM, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return -errno;
    n = read(fd, text, size);
    n = n < 0 ? -errno : n;
    close(fd);
    return n;
}

int taskdir_read_claim(int dir_fd, struct shim_record *ret)
{
    char text[CLAIM_SIZE];
    ssize_t n = taskdir_read_claim_text(dir_fd, text, sizeof text - 1);
    if (n < 0)
        return (int)n;
    text[n] = '\0';
    struct shim_record rec = {0};
    int pid;
    unsigned long long start, nonce = 0;
    long long t;
    if (sscanf(text, "%u %d %llu %39s %lld %llx %63s", &rec.version, &pid, &start, rec.boot_id, &t, &nonce,
               rec.group) < 5 ||
        pid < 0)
        return -EBADMSG;
    rec.pid = pid;
    rec.start = start;
    rec.t_start.ms = t;
    rec.nonce = nonce;
    *ret = rec;
    return 0;
}

int taskdir_write_end(int dir_fd, const struct launch_end *end, bool sync)
{
    struct str body = STR_INIT;
    struct launch_end with_crc = *end;
    with_crc.crc = CRC_PLACE;
    codec_encode(&launch_end_rec, &with_crc, &body);
    uint8_t *at = find_number((uint8_t *)body.s, body.len, CRC_PLACE);
    put_be32(at, crc_of((const uint8_t *)body.s, body.len));
    int r = atomic_create(dir_fd, "end", body.s, body.len, sync);
    str_fini(&body);
    return r;
}

bool taskdir_take_reserve(int dir_fd)
{
    struct stat st;
    int fd = openat(dir_fd, "../../" TASKDIR_RESERVE, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return false;
    bool some = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 1 && st.st_size > 0;
    if (some && ftruncate(fd, st.st_size > RESERVE_PIECE ? st.st_size - RESERVE_PIECE : 0) < 0)
        some = false;
    close(fd);
    return some;
}

bool taskdir_has_script(int dir_fd, const struct blob *script, uid_t uid, gid_t gid)
{
    struct stat st;
    if (script->n > SCRIPT_SAME)
        return false;
    int fd = openat(dir_fd, TASKDIR_SCRIPT, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return false;
    bool same = fstat(fd, &st) == 0 && st.st_mode == (S_IFREG | 0500) && st.st_nlink == 1 &&
                st.st_uid == uid && st.st_gid == gid && st.st_size == (off_t)script->n;
    if (same) {
        char *was = xmalloc(script->n + 1);
        same = read(fd, was, script->n + 1) == (ssize_t)script->n && memcmp(was, script->p, script->n) == 0;
        free(was);
    }
    close(fd);
    return same;
}

void taskdir_remove(int tasks_fd, const char *name)
{
    int fd = openat(tasks_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return;
    /* The names that nearly every task has; a directory is read only where more is in it. */
    unlinkat(fd, CLAIM, 0);
    unlinkat(fd, "end", 0);
    unlinkat(fd, TASKDIR_SCRIPT, 0);
    if (unlinkat(tasks_fd, name, AT_REMOVEDIR) == 0) {
        close(fd);
        return;
    }
    DIR *d = fdopendir(fd);
    if (!d) {
        close(fd);
        return;
    }
    for (struct dirent *e; (e = readdir(d));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            unlinkat(dirfd(d), e->d_name, 0);
    closedir(d);
    unlinkat(tasks_fd, name, AT_REMOVEDIR);
}
