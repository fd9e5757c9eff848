/* lineage.c - the file `lineage` beside the state: which cluster's state lies there.
 *
 * A state that has gone missing, with its disk or by mistake, must not be taken for that of a new cluster:
 * the nodes would get agents of another cluster beside those that still run the old one's tasks.
 *
 * Nor may an older copy of it, put back, be a controller that the nodes have seen the end of, or give ids
 * of jobs a second time, which the nodes would take for those that they have run. So the file tells beside
 * the cluster's name the epoch that it has come to, and an id that none given out has reached:
 *
 *     df034795-2b82-2374-a931-a43c11e4d0b6
 *     9 1130
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/control/private.h"
#include "src/base/file.h"
#include "src/base/log.h"

#define FILE_NAME "lineage"
#define IDS_AHEAD 1000 /* so many jobs, then it is written again */

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

void ctl_follow_lineage(const struct control *c, struct ev_epoch *body)
{
    char *path = xasprintf("%s/" FILE_NAME, c->state_dir), *text = file_text(path), uuid[64];
    uint64_t epoch;
    uint32_t beyond;
    if (text && sscanf(text, "%63s %" SCNu64 " %" SCNu32, uuid, &epoch, &beyond) == 3 &&
        str_eq(uuid, body->uuid) && epoch > c->model.epoch && epoch < UINT64_MAX) {
        body->epoch = epoch + 1;
        if (beyond > body->next_job && beyond < UINT32_MAX / 2)
            body->next_job = beyond;
        log_warn("the state is an older copy, of epoch %" PRIu64 " where %" PRIu64
                 " has been: ids go on at %u",
                 c->model.epoch, epoch, body->next_job);
    }
    free(text);
    free(path);
}

/* Beside it first: a full disk must not cost what is there. Not waited for: it is of use with an older
 * state, not after a power failure. */
void ctl_note_lineage(struct control *c)
{
    char *path = xasprintf("%s/" FILE_NAME, c->state_dir), *beside = xasprintf("%s.new", path);
    c->ids_noted = c->model.next_job + IDS_AHEAD;
    char *text = xasprintf("%s\n%" PRIu64 " %u\n", c->model.uuid, c->model.epoch, c->ids_noted);
    int fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ssize_t n = fd < 0 ? -1 : write(fd, text, strlen(text));
    if (fd >= 0)
        close(fd);
    if (n != (ssize_t)strlen(text) || rename(beside, path) < 0)
        log_warn("cannot write %s: %s", path, strerror(errno));
    free(text);
    free(beside);
    free(path);
}
