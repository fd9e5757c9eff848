#include "backend/control/lineage.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/control/emit.h"
#include "src/os/file.h"
#include "src/os/log.h"

#define FILE_NAME "lineage"
#define IDS_AHEAD 1000 /* ids beyond the next one that the file reserves */

struct lineage {
    uint32_t ids_noted;    /* beyond which the file is written again; 0: not yet written */
    uint64_t epoch_ticket; /* this controller's epoch is on disk when this is committed; 0: it is */
};

struct lineage_file { /* what it says; uuid "": there is none */
    char uuid[64];
    uint64_t epoch;
    uint32_t beyond;
};

static void lineage_read(const char *state_dir, struct lineage_file *ret)
{
    char *path = xasprintf("%s/" FILE_NAME, state_dir), *text = file_text(path);
    *ret = (struct lineage_file){.uuid = ""};
    if (text && sscanf(text, "%63s %" SCNu64 " %" SCNu32, ret->uuid, &ret->epoch, &ret->beyond) < 3)
        ret->epoch = ret->beyond = 0;
    free(text);
    free(path);
}

static uint64_t lineage_cluster_hash(const struct control *c)
{
    return c->model.uuid ? hash_bytes(c->model.uuid, strlen(c->model.uuid)) : 0;
}

static bool lineage_is_there(const char *state_dir)
{
    struct lineage_file l;
    lineage_read(state_dir, &l);
    return l.uuid[0] != '\0';
}

/* what: "there is no", "there is nothing in". */
static int lineage_state_is_gone(const char *state_dir, const char *what, struct errtext *err)
{
    struct lineage_file l;
    lineage_read(state_dir, &l);
    return err_set(err, -ENOENT,
                   "the state of this cluster (%s) is gone: %s %s/stoker.db. Put a copy of it back; or, to "
                   "start a new cluster and abandon the tasks that still run, remove %s/" FILE_NAME,
                   l.uuid, what, state_dir, state_dir);
}

int lineage_open_state(struct control *c, const struct store_callbacks *cb, bool accept_loss,
                       struct errtext *err)
{
    struct store_demands demands = {.must_exist = lineage_is_there(c->settings.state_dir),
                                    .accept_loss = accept_loss};
    char *db = xasprintf("%s/stoker.db", c->settings.state_dir);
    bool missing = demands.must_exist && access(db, F_OK) < 0 && errno == ENOENT;
    free(db);
    if (missing)
        return lineage_state_is_gone(c->settings.state_dir, "there is no", err);
    int r = store_open_as(c->settings.state_dir, cb, &demands, &c->store, err);
    return r == -ENODATA ? lineage_state_is_gone(c->settings.state_dir, "there is nothing in", err) : r;
}

/* The mark is written by this machine alone. A mark of a later epoch than the state comes from a later
 * controller: an older copy of the state has been put back, which lineage_follow handles. */
static int lineage_check_mark(struct control *c, bool accept_loss, struct errtext *err)
{
    const struct mark_values *m = store_mark(c->store);
    uint64_t newest = store_newest(c->store);
    if (m->cluster != lineage_cluster_hash(c))
        return 0;
    if (m->next_job > c->model.next_job && m->next_job < UINT32_MAX / 2)
        c->model.next_job = m->next_job;
    if (m->epoch != c->model.epoch || m->seq <= newest)
        return 0;
    if (accept_loss) {
        log_warn("events %" PRIu64 " to %" PRIu64 " are lost: going on without them, next job id %u",
                 newest + 1, m->seq, c->model.next_job);
        return 0;
    }
    return err_set(
        err, -EUCLEAN,
        "%s/stoker.db has lost its last events: its newest event is %" PRIu64 ", and %" PRIu64
        " were on disk (is stoker.db-wal missing, or cut?). Restore a backup; or go on without "
        "them, and with new ids: stoker up --accept-loss (a service: touch %s/accept-loss, then start "
        "it). Nothing has been changed",
        c->settings.state_dir, newest, m->seq, c->settings.state_dir);
}

int lineage_check_loaded(struct control *c, bool accept_loss, struct errtext *err)
{
    struct lineage_file l;
    lineage_read(c->settings.state_dir, &l);
    if (l.uuid[0] && !str_eq(l.uuid, c->model.uuid))
        return err_set(
            err, -ENOENT,
            "%s/stoker.db is the state of cluster %s, its " FILE_NAME
            " names cluster %s: put the right one back; or, to go on with it, remove %s/" FILE_NAME,
            c->settings.state_dir, c->model.uuid ? c->model.uuid : "(none)", l.uuid, c->settings.state_dir);
    return lineage_check_mark(c, accept_loss, err);
}

void lineage_follow(const struct control *c, bool accept_loss, struct ev_epoch *body)
{
    struct lineage_file l;
    lineage_read(c->settings.state_dir, &l);
    const struct mark_values *m = store_mark(c->store);
    uint64_t mark = m->cluster == lineage_cluster_hash(c) ? m->epoch : 0;
    bool is_ours = l.uuid[0] && str_eq(l.uuid, body->uuid);
    uint64_t epoch = is_ours && l.epoch > mark ? l.epoch : mark;
    bool older = epoch > c->model.epoch && epoch < UINT64_MAX;
    if (older)
        body->epoch = epoch + 1;
    if ((older || accept_loss) && is_ours && l.beyond > body->next_job && l.beyond < UINT32_MAX / 2)
        body->next_job = l.beyond;
    if (older)
        log_warn("the state is an older copy, of epoch %" PRIu64 " where %" PRIu64
                 " has been: ids go on at %u",
                 c->model.epoch, epoch, body->next_job);
}

/* A new file is written first, so that a full disk does not destroy the old one. Not synced: the file is of
 * use with an older state, not after a power failure. */
static void lineage_write(struct control *c)
{
    struct lineage *l = c->state[MODULE_LINEAGE];
    char *path = xasprintf("%s/" FILE_NAME, c->settings.state_dir), *beside = xasprintf("%s.new", path);
    l->ids_noted = c->model.next_job + IDS_AHEAD;
    char *text = xasprintf("%s\n%" PRIu64 " %u\n", c->model.uuid, c->model.epoch, l->ids_noted);
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

uint64_t lineage_epoch_ticket(const struct control *c)
{
    return ((const struct lineage *)c->state[MODULE_LINEAGE])->epoch_ticket;
}

static void lineage_start(struct control *c)
{
    c->state[MODULE_LINEAGE] = xcalloc(1, sizeof(struct lineage));
}

static void lineage_stop(struct control *c)
{
    free(c->state[MODULE_LINEAGE]);
}

static void lineage_after(struct control *c, const struct emission *e)
{
    struct lineage *l = c->state[MODULE_LINEAGE];
    (void)e;
    store_note(c->store, lineage_cluster_hash(c), c->model.epoch, c->model.next_job);
    if (l->ids_noted && c->model.next_job > l->ids_noted)
        lineage_write(c);
}

static void lineage_committed(struct control *c, uint64_t ticket)
{
    struct lineage *l = c->state[MODULE_LINEAGE];
    if (!l->epoch_ticket || ticket < l->epoch_ticket)
        return;
    l->epoch_ticket = 0;
    lineage_write(c);
    char *asked = xasprintf("%s/" LINEAGE_ACCEPT_LOSS, c->settings.state_dir);
    unlink(asked);
    free(asked);
}

void lineage_begin_epoch(struct control *c)
{
    ((struct lineage *)c->state[MODULE_LINEAGE])->epoch_ticket = ctl_ticket(c);
}

const struct module_ops lineage_module = {
    .start = lineage_start, .stop = lineage_stop, .after = lineage_after, .committed = lineage_committed};
