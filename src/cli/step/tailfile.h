/* tailfile.h - a file that another program writes: its last lines, and what comes to it, noticed by
 * inotify.
 *
 * The file may come later than its reader, be cut to nothing, or be replaced by another one of the same
 * name.
 */
#ifndef STOKER_CLI_TAILFILE_H
#define STOKER_CLI_TAILFILE_H

#include <sys/types.h>

#include "src/base/err.h"
#include "src/base/str.h"

struct tailfile {
    char *path;
    uid_t owner; /* root reads the file as this user */
    int fd;      /* -1: not there yet */
    int inotify; /* -1: not following */
    bool blind;  /* changes cannot be noticed (network file system, no directory yet): look again every
                    second */
    dev_t dev;
    ino_t ino;
    off_t at;
};

/* owner: who has named the file (owner_file.h). follow: notice changes. Returns 0, also where following and
 * the file is not there yet; -ENOENT, -EACCES, -EISDIR ... with a text. */
int tailfile_open(struct tailfile *t, const char *path, uid_t owner, bool follow, struct errtext *err)
    __attribute__((warn_unused_result));
void tailfile_close(struct tailfile *t);
/* Moves to where the last n lines begin. Into the middle of one that is longer than a megabyte: a hundred
 * gigabytes without a line break are not looked through. */
void tailfile_seek_lines(struct tailfile *t, uint64_t n);

#define TAIL_CUT      (-1001) /* it was cut: reading begins again at its start */
#define TAIL_REPLACED (-1002) /* another file has its name now: reading begins at its start */
/* Reads on. Returns the bytes read; 0 where there is no more now; TAIL_CUT, TAIL_REPLACED, or a negative
 * errno. */
ssize_t tailfile_read(struct tailfile *t, char *buf, size_t size);
/* To be called when the inotify descriptor is readable. */
void tailfile_drain(struct tailfile *t);
/* How long to wait at most for a change, in milliseconds; -1: for ever. */
int tailfile_timeout(const struct tailfile *t);

#endif
