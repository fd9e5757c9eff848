/* stream.c - the bytes of one output. */
#include "ui/view/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/model/filename.h"

#define PIECE     (256 * 1024)
#define WAIT_MS   10000 /* the node answers when there is more, at the latest then */
#define SPOOL_MAX (512ull * 1024 * 1024)

void stream_init(struct stream *s)
{
    *s = (struct stream){.fd = -1};
    s->notify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
}

static void set_trouble(struct stream *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void set_trouble(struct stream *s, const char *fmt, ...)
{
    free(s->trouble);
    s->trouble = NULL;
    if (!fmt)
        return;
    struct str t = STR_INIT;
    va_list ap;
    va_start(ap, fmt);
    str_vappendf(&t, fmt, ap);
    va_end(ap);
    s->trouble = str_take(&t);
}

static void stream_close(struct stream *s)
{
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
    free(s->path);
    s->path = NULL;
    set_trouble(s, NULL);
    s->spool = s->asking = s->ended = false;
    s->have = 0;
}

void stream_fini(struct stream *s)
{
    stream_close(s);
    if (s->notify >= 0)
        close(s->notify);
}

bool stream_path(const struct job *j, const struct output_at *at, bool err, char **ret)
{
    if (at->step == STEP_BATCH) {
        *ret = err ? job_stderr_path(j) : job_stdout_path(j);
        return true;
    }
    const struct step *s = job_find_step(j, at->step);
    const struct task *t = s ? step_find_task(s, at->task) : NULL;
    if (!t)
        return false;
    *ret = err ? step_stderr_path(j, s, t, at->rank) : step_stdout_path(j, s, t, at->rank);
    return true;
}

/* Watches the file, or its directory until there is a file. */
static void watch(struct stream *s)
{
    if (s->notify < 0)
        return;
    char *dir = xstrdup(s->path);
    if (s->fd >= 0)
        inotify_add_watch(s->notify, s->path, IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF);
    else
        inotify_add_watch(s->notify, dirname(dir), IN_CREATE | IN_MOVED_TO);
    free(dir);
}

static void open_file(struct stream *s)
{
    struct stat st;
    int fd = open(s->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        set_trouble(s, errno == ENOENT ? "There is no file yet: %s" : "%s cannot be read: %s", s->path,
                    strerror(errno));
        return;
    }
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        set_trouble(s, "%s is no file that could be shown.", s->path);
        close(fd);
        return;
    }
    set_trouble(s, NULL);
    s->fd = fd;
}

static int open_nameless(void)
{
    const char *dir = getenv("TMPDIR");
    int fd = open(dir ? dir : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
    char *path = xasprintf("%s/stoker-ui.XXXXXX", dir ? dir : "/tmp");
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    free(path);
    return fd;
}

void stream_open(struct stream *s, const struct job *j, const struct output_at *at, bool err)
{
    stream_close(s);
    if (!stream_path(j, at, err, &s->path)) {
        set_trouble(s, "This task has not been placed yet.");
        return;
    }
    if (s->path) {
        open_file(s);
        watch(s);
        return;
    }
    s->spool = true;
    s->fd = open_nameless();
    if (s->fd < 0)
        set_trouble(s, "There is no room for a copy of what the node holds: %s", strerror(errno));
}

bool stream_look(struct stream *s)
{
    char buf[4096] __attribute__((aligned(8)));
    while (s->notify >= 0 && read(s->notify, buf, sizeof buf) > 0)
        ;
    if (!s->path)
        return false;
    struct stat now, open_st;
    bool there = stat(s->path, &now) == 0;
    bool same = there && s->fd >= 0 && fstat(s->fd, &open_st) == 0 && now.st_ino == open_st.st_ino &&
                now.st_dev == open_st.st_dev;
    if (same || (!there && s->fd < 0))
        return false;
    if (!there)
        return false; /* removed: what was open can still be read */
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
    open_file(s);
    watch(s);
    return true;
}

bool stream_take(struct stream *s, const struct incoming *in)
{
    s->asking = false;
    if (!in) {
        set_trouble(s, s->have ? NULL : "The connection to the controller was lost.");
        return false;
    }
    if (in->kind == MSG_RESULT) {
        const struct msg_result *r = in->body;
        set_trouble(s, "%s", !str_is_empty(r->text) ? r->text : refusal_slurm((enum refusal)r->refusal));
        return false;
    }
    if (in->kind != MSG_OUTPUT_DATA || s->fd < 0)
        return false;
    const struct msg_output_data *d = in->body;
    if (d->error) {
        set_trouble(s, "%s", d->error);
        s->ended = true;
        return false;
    }
    if (d->data.n && d->offset == s->have &&
        pwrite(s->fd, d->data.p, d->data.n, (off_t)s->have) == (ssize_t)d->data.n)
        s->have += d->data.n;
    s->ended = d->eof;
    return !s->ended && s->have < SPOOL_MAX;
}

void stream_ask(struct stream *s, struct ui *ui, struct view *owner, const struct output_at *at, bool err,
                ui_reply_fn *reply)
{
    if (!s->spool || s->asking || s->ended || s->fd < 0)
        return;
    struct msg_output_read read_it = {.key = {.job = at->job, .step = at->step, .task = at->task},
                                      .rank = at->rank,
                                      .stream = err ? 2 : 1,
                                      .offset = s->have,
                                      .max = PIECE,
                                      .wait_ms = WAIT_MS};
    s->asking = ui_send(ui, MSG_OUTPUT_READ, &read_it, owner, reply, 0);
}
