/* output_stream.c - the bytes of one output. */
#include "ui/output/output_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/os/owner_file.h"

#define READ_MAX (256 * 1024)
#define WAIT_MS  10000 /* the node replies when there is more, at the latest after this time */

void stream_init(struct stream *s, uint32_t number, char *take_path, uint32_t owner, char *take_label,
                 const struct stream_hooks *hooks)
{
    *s = (struct stream){.number = number,
                         .path = take_path,
                         .owner = owner,
                         .label = take_label,
                         .hooks = hooks,
                         .fd = -1,
                         .watch = -1,
                         .copy = -1};
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void stream_fini(struct stream *s)
{
    close_fd(&s->fd);
    close_fd(&s->copy);
    free(s->path);
    free(s->label);
    free(s->trouble);
    vec_fini(&s->have);
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

static const char *stream_copies(void)
{
    const char *dir = getenv("TMPDIR");
    return dir ? dir : "/tmp";
}

int stream_nameless(void)
{
    int fd = open(stream_copies(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
    char *path = xasprintf("%s/stoker-ui.XXXXXX", stream_copies());
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    free(path);
    return fd;
}

/* --- a file here --- */

/* Watches the file, or its directory until there is a file. */
static void output_stream_watch(struct stream *s, int inotify)
{
    if (inotify < 0)
        return;
    char *dir = xstrdup(s->path);
    if (s->fd >= 0)
        s->watch =
            inotify_add_watch(inotify, s->path, IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF);
    else if (s->watch < 0)
        s->watch = inotify_add_watch(inotify, dirname(dir), IN_CREATE | IN_MOVED_TO);
    free(dir);
}

static void output_stream_open_file(struct stream *s)
{
    int fd = owner_file_open(s->path, s->owner);
    if (fd == -ENOENT)
        set_trouble(s, tr("The file does not exist yet: %s"), s->path);
    else if (fd == -EINVAL)
        set_trouble(s, tr("%s is not a regular file."), s->path);
    else if (fd < 0)
        set_trouble(s, tr("%s cannot be read: %s"), s->path, strerror(-fd));
    if (fd < 0)
        return;
    set_trouble(s, NULL);
    s->fd = fd;
    s->remote = false;
}

/* Returns true where another file is open than before. */
static bool look_at_file(struct stream *s, int inotify)
{
    struct stat now, open_st;
    if (s->fd >= 0) {
        s->gone = stat(s->path, &now) != 0;
        if (s->gone)
            return false;
        if (fstat(s->fd, &open_st) == 0 && now.st_ino == open_st.st_ino && now.st_dev == open_st.st_dev)
            return false;
        close_fd(&s->fd);
    }
    output_stream_open_file(s);
    output_stream_watch(s, inotify);
    return s->fd >= 0;
}

/* --- what the node has --- */

static void output_stream_ask(struct stream *s, bool piece, uint64_t offset, uint32_t max, uint32_t wait_ms)
{
    struct stream_ask a = {
        .stream = s->number, .piece = piece, .offset = offset, .max = max, .wait_ms = wait_ms};
    s->hooks->ask(s->hooks->ctx, &a);
}

static void ask_for_growth(struct stream *s)
{
    if (s->growing || s->ended || s->refused || s->copy < 0)
        return;
    s->growing = true;
    s->growth_asked = (uint64_t)s->size;
    /* The first request asks for the size: the view starts at the end. */
    output_stream_ask(s, false, (uint64_t)s->size, s->begun ? READ_MAX : STREAM_PIECE, WAIT_MS);
}

static void begin_remote(struct stream *s)
{
    if (s->copy < 0)
        s->copy = stream_nameless();
    if (s->copy < 0)
        set_trouble(s, tr("No copy of the output can be made in %s ($TMPDIR): %s"), stream_copies(),
                    strerror(errno));
    s->remote = s->copy >= 0;
}

void stream_retry(struct stream *s)
{
    s->refused = false;
}

bool stream_look(struct stream *s, int inotify, bool may_ask)
{
    bool other = s->path && !s->hooks->far && look_at_file(s, inotify);
    if (s->fd >= 0 || s->refused || (s->path && !may_ask))
        return other;
    begin_remote(s);
    if (s->remote)
        ask_for_growth(s);
    return other;
}

static void output_stream_remember(struct stream *s, uint64_t offset, size_t n)
{
    while (n) {
        size_t piece = offset / STREAM_PIECE, from = offset % STREAM_PIECE;
        size_t part = STREAM_PIECE - from < n ? STREAM_PIECE - from : n;
        while (s->have.n <= piece)
            vec_push(&s->have, 0);
        if (from <= s->have.v[piece] && from + part > s->have.v[piece])
            s->have.v[piece] = (uint32_t)(from + part);
        offset += part;
        n -= part;
    }
}

/* The node no longer has the bytes from..to (what a terminal has printed is given back): empty lines stand
 * for them, in the pieces at both ends; the pieces between are read when they are looked at. */
static void fill_hole(struct stream *s, uint64_t from, uint64_t to)
{
    static const char newlines[4096] = {[0 ... 4095] = '\n'};
    uint64_t last = to / STREAM_PIECE * STREAM_PIECE;
    uint64_t first_end = (from / STREAM_PIECE + 1) * STREAM_PIECE;
    while (from < to) {
        if (from == first_end && from < last)
            from = last;
        size_t n = to - from < sizeof newlines ? (size_t)(to - from) : sizeof newlines;
        n = from < first_end && first_end - from < n ? (size_t)(first_end - from) : n;
        if (pwrite(s->copy, newlines, n, (off_t)from) != (ssize_t)n)
            return;
        output_stream_remember(s, from, n);
        from += n;
    }
}

static bool output_stream_take_data(struct stream *s, bool piece, struct msg_output_data *d)
{
    int64_t end = (int64_t)(d->offset + d->data.n), before = s->size;
    uint64_t asked = piece ? s->piece_asked : s->growth_asked;
    if (d->data.n && d->offset > asked)
        fill_hole(s, asked, d->offset);
    if (!piece && d->offset < asked) /* the file was truncated and starts again */
        vec_clear(&s->have);
    if (d->data.n && pwrite(s->copy, d->data.p, d->data.n, (off_t)d->offset) == (ssize_t)d->data.n)
        output_stream_remember(s, d->offset, d->data.n);
    if (piece)
        return d->data.n > 0;
    s->old_agent = !d->size && d->data.n;
    s->size = d->size ? (int64_t)d->size : end > s->size ? end : s->size;
    s->begun = true;
    s->ended = d->eof && end >= s->size;
    set_trouble(s, NULL);
    ask_for_growth(s);
    return s->size != before;
}

bool stream_take(struct stream *s, bool piece, struct msg_output_data *d, const char *why)
{
    if (!piece)
        s->growing = false;
    if (s->copy < 0 || (d && !d->error))
        return s->copy >= 0 && output_stream_take_data(s, piece, d);
    if (piece)
        return false;
    s->refused = true;
    if (!s->path && !s->size)
        set_trouble(s, "%s", d ? d->error : why);
    else if (!d && s->fd < 0 && !s->size) /* else what is said of the file is nearer */
        set_trouble(s, tr("%s is not on this machine, and its node does not send it: %s"), s->path, why);
    return true;
}

/* --- reading --- */

bool stream_is_there(const struct stream *s)
{
    return s->fd >= 0 || (s->remote && s->begun && !(s->refused && !s->size));
}

int64_t stream_size(void *stream)
{
    const struct stream *s = stream;
    struct stat st;
    if (s->fd >= 0)
        return fstat(s->fd, &st) == 0 ? st.st_size : 0;
    return s->remote ? s->size : 0;
}

static size_t read_fd(int fd, int64_t at, char *buf, size_t n)
{
    size_t got = 0;
    while (got < n) {
        ssize_t k = pread(fd, buf + got, n - got, at + (int64_t)got);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            break;
        got += (size_t)k;
    }
    return got;
}

/* Bytes of the copy that are here from at on, as far as the piece goes. */
static size_t here(const struct stream *s, int64_t at)
{
    size_t piece = (size_t)at / STREAM_PIECE, from = (size_t)at % STREAM_PIECE;
    return piece < s->have.n && s->have.v[piece] > from ? s->have.v[piece] - from : 0;
}

static bool output_stream_fetch(struct stream *s, int64_t at)
{
    size_t piece = (size_t)at / STREAM_PIECE;
    uint64_t from = (uint64_t)piece * STREAM_PIECE + (piece < s->have.n ? s->have.v[piece] : 0);
    if (!s->hooks->await || s->refused)
        return false;
    s->piece_asked = from;
    output_stream_ask(s, true, from, READ_MAX, 0);
    return s->hooks->await(s->hooks->ctx, s);
}

bool stream_fetch_next(struct stream *s, int64_t at, size_t n)
{
    int64_t end = at + (int64_t)n < s->size ? at + (int64_t)n : s->size;
    size_t k;
    while (s->remote && at < end && (k = here(s, at)))
        at += (int64_t)k;
    return !s->remote || at >= end || !output_stream_fetch(s, at);
}

size_t stream_read(void *stream, int64_t at, char *buf, size_t n)
{
    struct stream *s = stream;
    size_t got = 0;
    if (s->fd >= 0)
        return read_fd(s->fd, at, buf, n);
    while (s->remote && got < n && at + (int64_t)got < s->size) {
        int64_t from = at + (int64_t)got;
        size_t k = here(s, from);
        if (!k) {
            if (!output_stream_fetch(s, from) || !here(s, from))
                break;
            continue;
        }
        k = read_fd(s->copy, from, buf + got, k < n - got ? k : n - got);
        if (!k)
            break;
        got += k;
    }
    return got;
}
