#include "backend/shim/shim_pmi.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backend/pmi/pmi_setup.h"
#include "backend/shim/shim_agent.h"
#include "backend/shim/shim_files.h"
#include "backend/shim/shim_kill.h"
#include "backend/shim/shim_pmi_start.h"
#include "src/base/xalloc.h"
#include "src/os/clock.h"
#include "src/proto/codec.h"
#include "src/proto/msg_node.h"

#define AGAIN_MS  2000
#define READ_SIZE 65536
#define OUT_MAX   (64u << 20) /* of answers that the server does not read */

struct shim_pmi {
    int fd;      /* to the server; -1: it has gone, or never came */
    int error;   /* why there is none, -errno */
    int *theirs; /* each rank's end of its socket until it is started */
    struct frame_reader in;
    struct str out;
    size_t out_at;
    bool is_keeper; /* other tasks may lack the answer that the server keeps */
    bool is_asked;  /* whether they do, since the ranks have ended */
    bool may_go;    /* the shim need not stay behind its ranks */
    bool aborts;    /* the step is to end on all nodes; said again at: */
    int64_t again_ms;
};

/* --- the server --- */

static void pmi_flush(struct shim *s);

static void pmi_say_setup(struct shim *s, const int *ours)
{
    struct pmi_setup m = {.key = s->l.key,
                          .node = s->setup.node,
                          .mapping = s->l.pmi_mapping,
                          .size = s->l.pmi_size,
                          .tasks = s->l.pmi_tasks};
    for (size_t i = 0; i < s->n_ranks; i++)
        *rec_list_push(&m.ranks) = (struct pmi_setup_rank){.rank = s->ranks[i].l->rank, .fd = ours[i]};
    msg_append_as(&s->pmi->out, &pmi_setup_rec, (enum msg_kind)PMI_SETUP, 0, &m);
    free(m.ranks.v);
    pmi_flush(s);
}

static int pmi_start_server(struct shim *s, const int *ours)
{
    int sv[2];
    if (s->pmi_program < 0)
        return -ENOENT;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv) < 0)
        return -errno;
    pid_t pid = shim_pmi_start_server(s, ours, sv[1]);
    close(sv[1]);
    if (pid < 0) {
        close(sv[0]);
        return pid;
    }
    s->pmi_pid = pid;
    s->pmi->fd = sv[0];
    pmi_say_setup(s, ours);
    return 0;
}

void shim_pmi_start(struct shim *s)
{
    if (!s->l.pmi)
        return;
    struct shim_pmi *p = s->pmi = xcalloc(1, sizeof *p);
    *p = (struct shim_pmi){.fd = -1,
                           .theirs = xcalloc(s->n_ranks, sizeof *p->theirs),
                           .in = {.max = PMI_FRAME_MAX},
                           .out = STR_INIT,
                           .again_ms = INT64_MAX};
    int *ours = xcalloc(s->n_ranks, sizeof *ours), sv[2];
    for (size_t i = 0; i < s->n_ranks; i++) {
        bool made = p->error == 0 && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv) == 0;
        p->error = made || p->error ? p->error : -errno;
        ours[i] = made ? sv[0] : -1;
        p->theirs[i] = made ? sv[1] : -1;
    }
    p->error = p->error ? p->error : pmi_start_server(s, ours);
    if (p->error)
        shim_message(s, "cannot start %s: %s", PMI_PROGRAM, strerror(-p->error));
    for (size_t i = 0; i < s->n_ranks; i++)
        if (ours[i] >= 0)
            close(ours[i]);
    free(ours);
}

int shim_pmi_socket(struct shim *s, size_t rank, int *ret_fd)
{
    *ret_fd = -1;
    if (!s->pmi || s->pmi->error)
        return s->pmi ? s->pmi->error : 0;
    *ret_fd = s->pmi->theirs[rank];
    s->pmi->theirs[rank] = -1;
    return 0;
}

int shim_pmi_fd(const struct shim *s)
{
    return s->pmi ? s->pmi->fd : -1;
}

static void pmi_close(struct shim_pmi *p)
{
    if (p->fd >= 0)
        close(p->fd);
    p->fd = -1;
}

void shim_pmi_stop(struct shim *s)
{
    struct shim_pmi *p = s->pmi;
    if (!p || !s->pmi_pid)
        return;
    if (shim_pmi_end_server(s->pmi_pid, p->fd))
        s->pmi_pid = 0;
    pmi_close(p);
}

/* --- the end of the step --- */

static void pmi_tell_abort(struct shim *s)
{
    struct msg_pmi m = {.key = s->l.key, .fence = PMI_ABORT};
    shim_agent_send(s, MSG_PMI_FENCE, 0, &msg_pmi_rec, &m);
    s->pmi->again_ms = mono_ms() + AGAIN_MS;
}

/* The other nodes' tasks, too. */
static void pmi_end_all(struct shim *s, const char *line)
{
    if (s->pmi->aborts)
        return;
    shim_files_note(s, line);
    if (s->l.pmi_tasks > 1) {
        s->pmi->aborts = true;
        pmi_tell_abort(s);
    }
    shim_kill_terminate(s, (int64_t)s->l.kill_wait_s * 1000);
}

/* Its user has killed it, or it has done what it must not. Without it no rank comes past a fence. Its
 * parent stays until all processes of the task are through: without it a traced server would be one. */
static void pmi_server_lost(struct shim *s)
{
    pmi_close(s->pmi);
    s->pmi->is_keeper = false;
    if (s->phase == SHIM_OPENING)
        s->pmi->error = -ECONNRESET;
    if (s->phase == SHIM_RUNNING && s->n_alive && !s->terminating)
        pmi_end_all(s, "slurmstepd: error: PMI: the process that serves it has ended");
}

/* --- what travels --- */

static void pmi_flush(struct shim *s)
{
    struct shim_pmi *p = s->pmi;
    while (p->fd >= 0 && p->out_at < p->out.len) {
        ssize_t n = send(p->fd, p->out.s + p->out_at, p->out.len - p->out_at, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n <= 0) {
            pmi_server_lost(s);
            return;
        }
        p->out_at += (size_t)n;
    }
    str_clear(&p->out);
    p->out_at = 0;
}

static void pmi_send(struct shim *s, unsigned type, const uint8_t *body, size_t size)
{
    struct shim_pmi *p = s->pmi;
    if (p->fd < 0)
        return;
    if (p->out.len > OUT_MAX) {
        pmi_server_lost(s);
        return;
    }
    frame_append_header(&p->out, (uint16_t)type, 0, 0, size);
    str_append_n(&p->out, (const char *)body, size);
    pmi_flush(s);
}

void shim_pmi_take(struct shim *s, const struct frame *f)
{
    if (s->pmi)
        pmi_send(s, MSG_PMI_ALL, f->body, f->size);
}

/* Whose task it speaks of is not the server's to say, nor that a step is to end. */
static void pmi_carry_up(struct shim *s, const struct frame *f)
{
    struct msg_pmi m;
    if (codec_decode(&msg_pmi_rec, f->body, f->size, &m, NULL) < 0)
        return;
    m.key = s->l.key;
    if (m.fence != PMI_ABORT && s->l.pmi_tasks > 1)
        shim_agent_send(s, MSG_PMI_FENCE, 0, &msg_pmi_rec, &m);
    rec_fini(&msg_pmi_rec, &m);
}

static void pmi_take_frame(struct shim *s, const struct frame *f)
{
    struct shim_pmi *p = s->pmi;
    if (f->type == MSG_PMI_FENCE) {
        pmi_carry_up(s, f);
    } else if (f->type == PMI_TELL) {
        p->is_keeper = f->tag & PMI_IS_KEEPER;
        p->may_go = p->may_go || (f->tag & PMI_ALL_PAST);
    } else if (f->type == PMI_END) {
        char *line = xstrndup((const char *)f->body, f->size < PMI_LINE_MAX ? f->size : PMI_LINE_MAX);
        pmi_end_all(s, line);
        free(line);
    }
}

static void pmi_read(struct shim *s)
{
    struct shim_pmi *p = s->pmi;
    ssize_t n = recv(p->fd, frame_reader_space(&p->in, READ_SIZE), READ_SIZE, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n > 0)
        frame_reader_added(&p->in, (size_t)n);
    struct frame f;
    int r;
    while ((r = frame_reader_next(&p->in, &f)) > 0)
        pmi_take_frame(s, &f);
    if (n <= 0 || r < 0)
        pmi_server_lost(s);
}

bool shim_pmi_wants_write(const struct shim *s)
{
    return s->pmi && s->pmi->out.len > 0;
}

void shim_pmi_serve(struct shim *s, short ready)
{
    if (ready & POLLOUT)
        pmi_flush(s);
    if (s->pmi->fd >= 0 && (ready & (POLLIN | POLLHUP | POLLERR)))
        pmi_read(s);
}

int64_t shim_pmi_next_ms(const struct shim *s)
{
    return s->pmi ? s->pmi->again_ms : INT64_MAX;
}

void shim_pmi_look(struct shim *s)
{
    if (!s->pmi || mono_ms() < s->pmi->again_ms)
        return;
    s->pmi->again_ms = INT64_MAX;
    if (s->pmi->aborts && !s->pmi->may_go)
        pmi_tell_abort(s);
}

/* --- behind the ranks --- */

/* A task that has failed does not wait with its end for the others. */
static bool pmi_is_needed(const struct shim *s)
{
    if (s->l.pmi_tasks <= 1 || !s->pmi->is_keeper || s->pmi->fd < 0 || s->was_killed || s->oom)
        return false;
    for (size_t i = 0; i < s->n_ranks; i++)
        if (s->ranks[i].end.code || s->ranks[i].end.signal)
            return false;
    return true;
}

bool shim_pmi_stays(struct shim *s)
{
    struct shim_pmi *p = s->pmi;
    if (p && p->fd >= 0 && !p->is_asked)
        pmi_read(s); /* what was said before the last rank ended */
    if (!p || p->may_go || s->lease_over || (!p->aborts && !pmi_is_needed(s)))
        return false;
    if (!p->is_asked)
        pmi_send(s, PMI_ASK_PAST, NULL, 0);
    p->is_asked = true;
    return true;
}

void shim_pmi_let_go(struct shim *s)
{
    if (s->pmi)
        s->pmi->may_go = true;
}
