/* file_reader.c - one output file, read as its user. */
#include "backend/agent/spool/file_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/confine/confine.h"
#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/os/clock.h"
#include "src/os/log.h"
#include "src/os/privdrop.h"
#include "src/proto/codec.h"
#include "src/proto/frame.h"
#include "src/proto/msg.h"

#define SOCKET    0
#define IDLE_MS   30000
#define LOOK_MS   100 /* no file server tells of changes that another machine makes */
#define READ_MAX  (256u << 10)
#define ASKED_MAX 64
#define PIECE_MAX (64u << 10)

struct waiting_read {
    uint64_t tag, offset;
    uint32_t max;
    int64_t until_ms;
    bool ended; /* the writer has: what is there is all */
};

struct file_reader {
    struct frame_reader in;
    char *path;
    int fd;
    VEC(struct waiting_read) waits;
};

static bool send_data(uint64_t tag, const struct msg_output_data *d)
{
    struct str out = STR_INIT;
    size_t at = frame_begin(&out), done = 0;
    codec_encode(&msg_output_data_rec, d, &out);
    frame_end(&out, at, MSG_OUTPUT_DATA, 0, tag);
    while (done < out.len) {
        ssize_t n = send(SOCKET, out.s + done, out.len - done, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    bool all = done == out.len;
    str_fini(&out);
    return all;
}

static bool send_error(const struct waiting_read *a, const char *text)
{
    struct msg_output_data d = {.offset = a->offset, .eof = true, .error = xstrdup(text)};
    bool sent = send_data(a->tag, &d);
    free(d.error);
    return sent;
}

/* The name may stand for another file than before, or for none. 0 or -errno. */
static int file_reader_open_file(struct file_reader *r)
{
    struct stat now, then;
    if (r->fd >= 0 && (stat(r->path, &now) < 0 || fstat(r->fd, &then) < 0 || now.st_ino != then.st_ino ||
                       now.st_dev != then.st_dev)) {
        close(r->fd);
        r->fd = -1;
    }
    if (r->fd >= 0)
        return 0;
    int fd = open(r->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return -errno;
    if (fstat(fd, &now) < 0 || !S_ISREG(now.st_mode)) {
        close(fd);
        return -EINVAL;
    }
    r->fd = fd;
    return 0;
}

/* Returns whether it was answered: else it waits for more. */
static bool file_reader_answer(struct file_reader *r, const struct waiting_read *a, bool *ret_ok)
{
    struct stat st;
    bool last = mono_ms() >= a->until_ms;
    int e = file_reader_open_file(r);
    if (e == -ENOENT && !a->ended && !last)
        return false;
    if (e < 0 && (e != -ENOENT || a->ended)) {
        char *text = xasprintf("%s: %s", r->path, e == -EINVAL ? "it is not a plain file" : strerror(-e));
        *ret_ok = send_error(a, text);
        free(text);
        return true;
    }
    struct msg_output_data d = {.offset = a->offset};
    if (e == 0 && fstat(r->fd, &st) == 0) {
        d.size = (uint64_t)st.st_size;
        if (d.size < d.offset) /* it was cut: it begins again */
            d.offset = 0;
        size_t max = a->max && a->max < READ_MAX ? a->max : READ_MAX;
        max = d.size - d.offset < max ? (size_t)(d.size - d.offset) : max;
        d.data.p = xmalloc(max + 1);
        ssize_t n = pread(r->fd, d.data.p, max, (off_t)d.offset);
        d.data.n = n > 0 ? (size_t)n : 0;
        d.eof = a->ended && d.offset + d.data.n >= d.size;
    }
    bool now = d.data.n || d.eof || last;
    if (now)
        *ret_ok = send_data(a->tag, &d);
    free(d.data.p);
    return now;
}

static bool answer_all(struct file_reader *r)
{
    bool ok = true;
    for (size_t i = r->waits.n; i-- > 0 && ok;)
        if (file_reader_answer(r, &r->waits.v[i], &ok))
            vec_remove(&r->waits, i);
    return ok;
}

static bool file_reader_take(struct file_reader *r, const struct frame *f)
{
    struct msg_output_read m;
    struct errtext err;
    if (f->type != MSG_OUTPUT_READ || codec_decode(&msg_output_read_rec, f->body, f->size, &m, &err) < 0)
        return false;
    if (!r->path)
        r->path = xstrdup(m.path ? m.path : "");
    struct waiting_read a = {.tag = f->tag,
                             .offset = m.offset,
                             .max = m.max,
                             .ended = m.ended,
                             .until_ms = mono_ms() + (r->waits.n < ASKED_MAX ? m.wait_ms : 0)};
    rec_fini(&msg_output_read_rec, &m);
    bool ok = true;
    if (!file_reader_answer(r, &a, &ok))
        vec_push(&r->waits, a);
    return ok;
}

static bool file_reader_take_frames(struct file_reader *r)
{
    struct frame f;
    ssize_t n = recv(SOCKET, frame_reader_space(&r->in, PIECE_MAX), PIECE_MAX, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    if (n <= 0)
        return false;
    frame_reader_added(&r->in, (size_t)n);
    int got;
    while ((got = frame_reader_next(&r->in, &f)) > 0)
        if (!file_reader_take(r, &f))
            return false;
    return got == 0;
}

int file_reader_main(const char *uid)
{
    struct errtext err;
    if (privdrop_to_uid((uid_t)strtoul(uid, NULL, 10), &err) < 0) {
        log_error("a file is not read: %s", err.s);
        return 1;
    }
    if (confine_system_calls(CONFINE_READER, "stoker-agent (reader of a file)") < 0)
        log_debug("system calls of this reader are not restricted");
    struct file_reader r = {.in = {.max = PIECE_MAX}, .fd = -1, .waits = VEC_INIT};
    bool on = true;
    while (on) {
        struct pollfd p = {.fd = SOCKET, .events = POLLIN};
        int n = poll(&p, 1, r.waits.n ? LOOK_MS : IDLE_MS);
        if (n == 0 && !r.waits.n)
            break;
        on = (n <= 0 || file_reader_take_frames(&r)) && answer_all(&r);
    }
    return 0;
}
