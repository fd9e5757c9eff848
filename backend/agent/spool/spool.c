#include "backend/agent/spool/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/agent/agent_internal.h"
#include "backend/agent/task_table.h"
#include "src/base/xalloc.h"

#define READ_MAX  (256u << 10)
#define WAITS_MAX 4096

struct spool {
    struct agent *a;
    struct list waits;
    struct loop_fd inotify; /* fd -1: not made yet */
};

/* A read that waits for the spool to grow. */
struct spool_wait {
    struct spool *s;
    struct list in_waits;
    struct loop_timer timer;
    struct msg_output_read m;
    uint64_t tag;
    int watch; /* of inotify */
};

static void spool_drop_wait(struct spool_wait *w)
{
    struct spool *s = w->s;
    int watch = w->watch;
    list_unlink(&w->in_waits);
    loop_timer_cancel(s->a->loop, &w->timer);
    free(w);
    list_for_each (o, &s->waits, struct spool_wait, in_waits)
        if (o->watch == watch)
            return; /* one file, one watch, several readers */
    inotify_rm_watch(s->inotify.fd, watch);
}

static void spool_answer_error(struct agent *a, uint64_t tag, const struct msg_output_read *m,
                               const char *text)
{
    struct msg_output_data d = {.offset = m->offset, .eof = true, .error = xstrdup(text)};
    uplink_send(&a->uplink, MSG_OUTPUT_DATA, tag, &d);
    free(d.error);
}

/* What a terminal has printed begins where its shim has not given it back yet. A hole that grew meanwhile
 * would read as zeros. */
static ssize_t spool_read_kept(int fd, uint8_t *buf, size_t max, uint64_t *offset)
{
    ssize_t n = 0;
    for (bool again = true; again;) {
        off_t from = lseek(fd, (off_t)*offset, SEEK_DATA);
        if (from > (off_t)*offset)
            *offset = (uint64_t)from;
        n = pread(fd, buf, max, (off_t)*offset);
        again = n > 0 && lseek(fd, (off_t)*offset, SEEK_DATA) > (off_t)*offset;
    }
    return n;
}

/* Answers what can be answered now. False where it has to wait for growth. final: answer in any case. */
static bool spool_answer(struct agent *a, uint64_t tag, const struct msg_output_read *m, bool final)
{
    struct atask *t = task_table_find_latest(a->tasks, &m->key);
    if (!t) {
        spool_answer_error(a, tag, m, "this node holds no output of it any more");
        return true;
    }
    task_table_was_read(t);
    char name[128];
    snprintf(name, sizeof name, "%s/%u.%s", t->name, m->rank, m->stream == 2 ? "err" : "out");
    int fd = openat(a->dir.tasks_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    bool screen = fd < 0 && errno == ENOENT && m->stream != 2;
    if (screen) { /* of a task on a terminal */
        snprintf(name, sizeof name, "%s/%u.pty", t->name, m->rank);
        fd = openat(a->dir.tasks_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    }
    if (fd < 0) {
        /* A shim that has just begun makes the file in a moment. */
        bool early = errno == ENOENT && t->st.state == LAUNCH_STARTING;
        if (!early)
            spool_answer_error(a, tag, m,
                               "its output is not in the node's spool but in the file that the job names");
        else if (final)
            uplink_send(&a->uplink, MSG_OUTPUT_DATA, tag, &(struct msg_output_data){.offset = m->offset});
        return !early || final;
    }
    size_t max = m->max && m->max < READ_MAX ? m->max : READ_MAX;
    struct stat st = {.st_size = 0};
    ssize_t n = 0;
    uint8_t *buf = NULL;
    uint64_t offset = m->offset;
    if (fstat(fd, &st) == 0 && (uint64_t)st.st_size > m->offset) {
        uint64_t have = (uint64_t)st.st_size - m->offset;
        max = have < max ? (size_t)have : max;
        buf = xmalloc(max);
        n = screen ? spool_read_kept(fd, buf, max, &offset) : pread(fd, buf, max, (off_t)offset);
    }
    close(fd);
    if (n < 0)
        n = 0;
    bool ended = t->end && (uint64_t)st.st_size <= offset + (uint64_t)n;
    bool now = n > 0 || ended || final;
    if (now) {
        struct msg_output_data d = {.offset = offset,
                                    .data = {.p = buf, .n = (size_t)n},
                                    .eof = ended,
                                    .size = (uint64_t)st.st_size};
        uplink_send(&a->uplink, MSG_OUTPUT_DATA, tag, &d);
    }
    free(buf);
    return now;
}

static void spool_wait_over(void *ctx)
{
    struct spool_wait *w = ctx;
    spool_answer(w->s->a, w->tag, &w->m, true);
    spool_drop_wait(w);
}

/* Whether an event of that file concerns the stream that w reads. */
static bool spool_wait_reads(const struct spool_wait *w, const char *name)
{
    char end[4];
    unsigned rank;
    if (sscanf(name, "%u.%3s", &rank, end) != 2 || rank != w->m.rank)
        return false;
    return str_eq(end, "err") ? w->m.stream == 2 : w->m.stream != 2;
}

/* Answers the reads of a directory that an event concerns. A step has two streams for each rank: to look at
 * all of them for each file that grows would cost the square of its ranks. name NULL: looks at all. */
static void spool_answer_grown(struct spool *s, int watch, const char *name)
{
    list_for_each (w, &s->waits, struct spool_wait, in_waits)
        if ((!name || (w->watch == watch && spool_wait_reads(w, name))) &&
            spool_answer(s->a, w->tag, &w->m, false))
            spool_drop_wait(w);
}

static void spool_on_inotify(void *ctx, unsigned ready)
{
    (void)ready;
    struct spool *s = ctx;
    _Alignas(struct inotify_event) char buf[4096];
    ssize_t n = read(s->inotify.fd, buf, sizeof buf);
    for (char *p = buf; n > 0 && p < buf + n;) {
        const struct inotify_event *ev = (const struct inotify_event *)(const void *)p;
        p += sizeof *ev + ev->len;
        if (ev->mask & IN_Q_OVERFLOW)
            spool_answer_grown(s, -1, NULL);
        else if (ev->len)
            spool_answer_grown(s, ev->wd, ev->name);
    }
}

/* The directory is watched, not the file: it may not be there yet, and is empty when it is made. */
static int spool_watch_dir(struct spool *s, const struct launch_key *key)
{
    struct agent *a = s->a;
    if (s->inotify.fd < 0) {
        int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
        if (fd < 0)
            return -errno;
        s->inotify = (struct loop_fd){.fd = fd, .fn = spool_on_inotify, .ctx = s};
        loop_watch(a->loop, &s->inotify, LOOP_READ);
    }
    struct atask *t = task_table_find_latest(a->tasks, key);
    if (!t)
        return -ENOENT;
    char *path = xasprintf("%s/%s", a->dir.tasks_path, t->name);
    int w = inotify_add_watch(s->inotify.fd, path, IN_MODIFY);
    int r = w < 0 ? -errno : w;
    free(path);
    return r;
}

void spool_read(struct spool *s, uint64_t tag, const struct msg_output_read *m)
{
    struct agent *a = s->a;
    if (spool_answer(a, tag, m, m->wait_ms == 0))
        return;
    size_t n = 0;
    list_for_each (o, &s->waits, struct spool_wait, in_waits)
        n++;
    int watch = n < WAITS_MAX ? spool_watch_dir(s, &m->key) : -EBUSY;
    if (watch < 0) {
        spool_answer(a, tag, m, true);
        return;
    }
    struct spool_wait *w = xcalloc(1, sizeof *w);
    *w = (struct spool_wait){
        .s = s, .m = *m, .tag = tag, .watch = watch, .timer = {.fn = spool_wait_over, .ctx = w}};
    list_append(&s->waits, &w->in_waits);
    loop_timer_set(a->loop, &w->timer, m->wait_ms);
    /* What was written between the look and the watch. */
    if (spool_answer(a, tag, m, false))
        spool_drop_wait(w);
}

void spool_task_changed(struct spool *s, const struct launch_key *key)
{
    list_for_each (w, &s->waits, struct spool_wait, in_waits)
        if (w->m.key.job == key->job && w->m.key.step == key->step && w->m.key.task == key->task &&
            spool_answer(s->a, w->tag, &w->m, false))
            spool_drop_wait(w);
}

void spool_drop_waits(struct spool *s)
{
    while (!list_empty(&s->waits))
        spool_drop_wait(list_first(&s->waits, struct spool_wait, in_waits));
}

struct spool *spool_new(struct agent *a)
{
    struct spool *s = xcalloc(1, sizeof *s);
    s->a = a;
    s->inotify.fd = -1;
    list_init(&s->waits);
    return s;
}

void spool_free(struct spool *s)
{
    if (!s)
        return;
    spool_drop_waits(s);
    if (s->inotify.fd >= 0) {
        loop_unwatch(s->a->loop, &s->inotify);
        close(s->inotify.fd);
    }
    free(s);
}
