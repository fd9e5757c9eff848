/* lineage.c - the file `lineage` beside the state: which cluster's state lies there.
 *
 * A state that has gone missing, with its disk or by mistake, must not be taken for that of a new cluster:
 * the nodes would get agents of another cluster beside those that still run the old one's tasks.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/control/private.h"
#include "src/base/log.h"

#define FILE_NAME "lineage"

int ctl_check_lineage(const char *state_dir, struct errtext *err)
{
    char *db = xasprintf("%s/stoker.db", state_dir), *path = xasprintf("%s/" FILE_NAME, state_dir);
    char uuid[64] = "";
    int fd = access(db, F_OK) < 0 && errno == ENOENT ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    ssize_t n = fd >= 0 ? read(fd, uuid, sizeof uuid - 1) : 0;
    int r = 0;
    if (n > 0) {
        uuid[strcspn(uuid, "\n")] = '\0';
        r = err_set(
            err, -ENOENT,
            "the state of this cluster (%s) is gone: there is no %s. Put a copy of it back; or, to begin "
            "anew and leave to themselves the tasks that still run, remove %s",
            uuid, db, path);
    }
    if (fd >= 0)
        close(fd);
    free(db);
    free(path);
    return r;
}

void ctl_note_lineage(const char *state_dir, const char *uuid)
{
    char *path = xasprintf("%s/" FILE_NAME, state_dir);
    char *text = xasprintf("%s\n", uuid);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, text, strlen(text)) < 0)
        log_warn("cannot write %s: %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    free(text);
    free(path);
}
