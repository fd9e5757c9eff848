/* What the terminal prints goes into a file of the spool, "R.pty", whose offsets are those of the stream
 * and whose beginning is given back to the file system as it grows: it holds the last KEPT_MIN to KEPT_MAX
 * bytes. The writer (the terminal of a user) says how much of it has arrived; while the writer is heard of,
 * the rank waits once the writer is WINDOW behind. Without one it goes on, and the oldest is forgotten.
 *
 * There is one writer at a time. Another one is told who writes, unless it takes over, or the first one has
 * not been heard of for HEARD_MS.
 */
#include "backend/shim/shim_pty.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "backend/shim/shim_agent.h"
#include "backend/shim/shim_io.h"
#include "src/base/xalloc.h"
#include "src/os/clock.h"

#define READ_SIZE  32768
#define WINDOW     (512u << 10)
#define KEPT_MIN   (1u << 20)
#define KEPT_MAX   (2u << 20)
#define PUNCH_UNIT 65536u /* what a reader finds begins with whole blocks */
#define INPUT_MAX  (64u << 10)
#define HEARD_MS   10000
#define EOF_MS     500
#define FIRST_MS   20000 /* the client that has asked for it is on its way */

struct pty {
    int slave;       /* kept open, so that the last process that closes its side ends nothing */
    uint64_t writer; /* 0: none */
    char *who;
    int64_t heard_ms; /* until then the writer counts as there */
    uint64_t out, seen, kept_from;
    int64_t eof_ms; /* when the end of input is said again; 0: there is none */
};

static void pty_set_size(int fd, uint32_t rows, uint32_t cols)
{
    struct winsize w = {.ws_row = (unsigned short)(rows < 1000 ? rows : 1000),
                        .ws_col = (unsigned short)(cols < 4000 ? cols : 4000)};
    if (rows && cols)
        ioctl(fd, TIOCSWINSZ, &w);
}

static uint32_t pty_env_number(const struct shim *s, const char *name)
{
    const char *text = strv_getenv(&s->l.env, name);
    return text ? (uint32_t)strtoul(text, NULL, 10) : 0;
}

void shim_pty_start(struct shim *s)
{
    if (!s->l.pty || s->n_ranks != 1)
        return;
    s->pty = xcalloc(1, sizeof *s->pty);
    *s->pty = (struct pty){.slave = -1, .heard_ms = mono_ms() + FIRST_MS};
}

int shim_pty_open(struct shim *s, struct rank *r, int given[3])
{
    int master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC), unlock = 0, slave = -1;
    if (master < 0)
        return -errno;
    if (ioctl(master, TIOCSPTLCK, &unlock) == 0)
        slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (slave < 0 || (s->setup.drop && fchown(slave, s->l.uid, (gid_t)-1) < 0)) {
        int e = -errno;
        if (slave >= 0)
            close(slave);
        close(master);
        return e;
    }
    fchmod(slave, 0600);
    struct termios t;
    if (tcgetattr(slave, &t) == 0) {
        t.c_iflag |= IUTF8;
        tcsetattr(slave, TCSANOW, &t);
    }
    uint32_t rows = pty_env_number(s, "SLURM_PTY_WIN_ROW"), cols = pty_env_number(s, "SLURM_PTY_WIN_COL");
    pty_set_size(master, rows ? rows : 24, cols ? cols : 80);
    fcntl(master, F_SETFL, O_NONBLOCK);
    s->pty->slave = slave;
    if (!r->l->std_in)
        given[0] = slave;
    given[1] = given[2] = slave;
    r->pump[0].fd = master;
    r->in_fd = fcntl(master, F_DUPFD_CLOEXEC, 3);
    return r->in_fd < 0 ? -errno : 0;
}

const char *shim_pty_enter(int slave)
{
    if (setsid() < 0 || ioctl(slave, TIOCSCTTY, 0) < 0)
        return "cannot make it the controlling terminal";
    return NULL;
}

/* --- output --- */

bool shim_pty_has_room(const struct shim *s)
{
    const struct pty *p = s->pty;
    return p->out - p->seen < WINDOW || mono_ms() >= p->heard_ms;
}

int64_t shim_pty_next_ms(const struct shim *s)
{
    int64_t at = INT64_MAX;
    if (!s->pty || !s->n_ranks || !s->ranks[0].running)
        return at;
    if (!shim_pty_has_room(s))
        at = s->pty->heard_ms;
    return s->pty->eof_ms && s->pty->eof_ms < at ? s->pty->eof_ms : at;
}

/* A file system that cannot give back the beginning keeps all of it, up to the spool's limit. */
static void pty_forget_oldest(struct pty *p, int fd)
{
    if (p->out - p->kept_from < KEPT_MAX)
        return;
    uint64_t from = (p->out - KEPT_MIN) / PUNCH_UNIT * PUNCH_UNIT;
    if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)from) == 0)
        p->kept_from = from;
}

bool shim_pty_read(struct shim *s, struct rank *r)
{
    char buf[READ_SIZE];
    struct sink *k = &s->sinks.v[r->sink[0]];
    ssize_t n = read(r->pump[0].fd, buf, sizeof buf);
    if (n <= 0)
        return n < 0 && errno == EINTR;
    for (ssize_t at = 0; at < n;) {
        ssize_t done = write(k->fd, buf + at, (size_t)(n - at));
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            break; /* a full disk costs output, not the task */
        at += done;
        s->pty->out += (uint64_t)done;
    }
    pty_forget_oldest(s->pty, k->fd);
    return true;
}

void shim_pty_finish(struct shim *s, struct rank *r)
{
    for (size_t n = 0; r->pump[0].fd >= 0 && n < KEPT_MIN && shim_pty_read(s, r); n += READ_SIZE)
        ;
    if (r->pump[0].fd >= 0)
        close(r->pump[0].fd); /* what is left of the session gets its hangup */
    r->pump[0].fd = -1;
    if (s->pty->slave >= 0)
        close(s->pty->slave);
    s->pty->slave = -1;
}

/* --- input --- */

static void pty_answer(struct shim *s, uint64_t tag, const char *refused, bool held)
{
    const struct pty *p = s->pty;
    struct msg_input_ack ack = {.offset = s->input_at + s->input.len,
                                .closed = s->phase != SHIM_OPENING && !s->ranks[0].running,
                                .out = p->out,
                                .held = held,
                                .refused = refused ? xstrdup(refused) : NULL};
    shim_agent_send(s, MSG_INPUT_ACK, tag, &msg_input_ack_rec, &ack);
    free(ack.refused);
}

/* Returns whether m comes from the one who writes, or who does so from now on. */
static bool pty_is_writer(struct pty *p, const struct msg_input *m)
{
    if (m->writer == p->writer)
        return true;
    bool held = p->writer && mono_ms() < p->heard_ms;
    if ((held && !m->take) || (!m->fresh && p->writer))
        return false; /* one whom another has taken it from does not take it back unasked */
    p->writer = m->writer;
    p->eof_ms = 0;
    free(p->who);
    p->who = xstrdup(m->who);
    return true;
}

/* A canonical terminal ends input with its character for it; others read the character. A program that
 * changes from the one to the other meanwhile misses it: a later reader finds the end again. */
static void pty_put_eof(struct shim *s)
{
    struct termios t;
    char c = 4;
    if (tcgetattr(s->pty->slave, &t) == 0 && t.c_cc[VEOF] != _POSIX_VDISABLE)
        c = (char)t.c_cc[VEOF];
    str_append_char(&s->input, c);
    s->pty->eof_ms = mono_ms() + EOF_MS;
}

void shim_pty_look(struct shim *s)
{
    struct pty *p = s->pty;
    if (!p || !p->eof_ms || p->slave < 0 || mono_ms() < p->eof_ms)
        return;
    p->eof_ms = mono_ms() + EOF_MS;
    if (s->input.len)
        return;
    pty_put_eof(s);
    shim_io_input_push(s);
}

static void pty_poke(struct shim *s, const struct msg_input *m)
{
    int fd = s->pty->slave;
    struct winsize w;
    if (m->redraw && ioctl(fd, TIOCGWINSZ, &w) == 0 && w.ws_row > 1) /* no change, no signal */
        pty_set_size(fd, w.ws_row - 1u, w.ws_col);
    pty_set_size(fd, m->rows, m->cols);
}

void shim_pty_input(struct shim *s, uint64_t tag, const struct msg_input *m)
{
    struct pty *p = s->pty;
    uint64_t have = s->input_at + s->input.len;
    if (!pty_is_writer(p, m)) {
        pty_answer(s, tag, p->who ? p->who : "another client", false);
        return;
    }
    p->heard_ms = m->leave ? 0 : mono_ms() + HEARD_MS;
    if (m->leave)
        p->writer = 0;
    p->seen = m->seen > p->out ? p->out : m->seen > p->seen || m->fresh ? m->seen : p->seen;
    pty_poke(s, m);
    if (m->offset <= have && have - m->offset < m->data.n && s->input.len < INPUT_MAX) {
        uint64_t known = have - m->offset;
        str_append_n(&s->input, (const char *)m->data.p + known, m->data.n - (size_t)known);
    }
    if (m->eof && !p->eof_ms && m->offset + m->data.n == s->input_at + s->input.len)
        pty_put_eof(s);
    pty_answer(s, tag, NULL, !m->leave);
    shim_io_input_push(s);
}
