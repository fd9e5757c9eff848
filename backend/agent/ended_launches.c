/* ended_launches.c - keys of launches that are over, appended.
 *
 * A key is a record of 16 bytes and, where its nonce is known, a second one for that: of job 0, which no
 * launch is of, so that agents of earlier releases read the file too. A crash between the two leaves a key
 * that fits any nonce.
 */
#include "backend/agent/ended_launches.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/err.h"
#include "src/base/xalloc.h"

#define NOW    "ended"
#define BEFORE "ended.old"

static void ended_forget(struct idmap *m)
{
    idmap_for_each (m, slot)
        free(slot->value);
    idmap_fini(m);
}

static void ended_remember(struct idmap *m, const struct launch_key *key)
{
    struct launch_key *copy = idmap_get(m, launch_key_hash(key));
    if (copy)
        *copy = *key;
    else
        idmap_set(m, launch_key_hash(key), xmemdup(key, sizeof *key));
}

struct ended_record {
    uint32_t job;
    int32_t step;
    uint32_t task, attempt;
};

static size_t make_records(const struct launch_key *key, struct ended_record ret[static 2])
{
    ret[0] = (struct ended_record){key->job, key->step, key->task, key->attempt};
    ret[1] = (struct ended_record){.task = (uint32_t)(key->nonce >> 32), .attempt = (uint32_t)key->nonce};
    return key->nonce ? 2 : 1;
}

/* A crash may leave part of a record at the end: it is not one. */
static void ended_load(int dir_fd, const char *name, struct idmap *m)
{
    int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
    if (!f)
        return;
    struct launch_key key = {0};
    struct ended_record r;
    while (m->n <= ENDED_GENERATION && fread(&r, sizeof r, 1, f) == 1) {
        if (r.job)
            key = (struct launch_key){r.job, r.step, r.task, r.attempt, 0};
        else
            key.nonce = (uint64_t)r.task << 32 | r.attempt;
        if (key.job)
            ended_remember(m, &key);
    }
    fclose(f);
}

static int ended_open_log(struct ended_launches *t, int extra)
{
    t->fd = openat(t->dir_fd, NOW, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | extra, 0600);
    if (t->fd < 0)
        return -errno;
    /* Records begin at multiples of their size whatever a crash has left. */
    off_t size = lseek(t->fd, 0, SEEK_END);
    return ftruncate(t->fd, size - size % (off_t)sizeof(struct ended_record)) < 0 ? -errno : 0;
}

int ended_open(struct ended_launches *t, int dir_fd, struct errtext *err)
{
    *t = (struct ended_launches){.dir_fd = dir_fd, .fd = -1};
    ended_load(dir_fd, BEFORE, &t->before);
    ended_load(dir_fd, NOW, &t->now);
    int r = ended_open_log(t, 0);
    if (r < 0) {
        ended_close(t);
        return err_set(err, r, "cannot open the list of ended launches: %s", strerror(-r));
    }
    return 0;
}

void ended_close(struct ended_launches *t)
{
    if (t->fd >= 0)
        close(t->fd);
    t->fd = -1;
    ended_forget(&t->now);
    ended_forget(&t->before);
}

void ended_add(struct ended_launches *t, const struct launch_key *key)
{
    if (t->now.n >= ENDED_GENERATION) {
        ended_forget(&t->before);
        t->before = t->now;
        t->now = (struct idmap){0};
        if (t->fd >= 0)
            close(t->fd);
        renameat(t->dir_fd, NOW, t->dir_fd, BEFORE);
        if (ended_open_log(t, O_TRUNC) < 0)
            t->fd = -1;
    }
    ended_remember(&t->now, key);
    struct ended_record records[2];
    size_t size = make_records(key, records) * sizeof *records;
    if (t->fd >= 0 && write(t->fd, records, size) != (ssize_t)size) {
        /* Full disk: known as long as this agent lives; the controller asks for no launch that it knows to
         * have ended. */
    }
}

static bool ended_knows(const struct idmap *m, const struct launch_key *key)
{
    const struct launch_key *k = idmap_get(m, launch_key_hash(key));
    return k && launch_key_eq(k, key);
}

bool ended_has(const struct ended_launches *t, const struct launch_key *key)
{
    return ended_knows(&t->now, key) || ended_knows(&t->before, key);
}

void ended_clear(struct ended_launches *t)
{
    ended_forget(&t->now);
    ended_forget(&t->before);
    unlinkat(t->dir_fd, BEFORE, 0);
    if (t->fd >= 0)
        close(t->fd);
    if (ended_open_log(t, O_TRUNC) < 0)
        t->fd = -1;
}
