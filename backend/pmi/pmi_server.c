#include "backend/pmi/pmi_server.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backend/confine/confine.h"
#include "backend/pmi/pmi_ranks.h"
#include "backend/pmi/pmi_setup.h"
#include "src/base/xalloc.h"
#include "src/os/clock.h"
#include "src/proto/codec.h"
#include "src/proto/frame.h"

#define PIECE_MAX (64u << 10)

struct pmi_server {
    struct pmi_setup setup;
    struct pmi_ranks *step;
    struct frame_reader in;
    struct pollfd *fds; /* the ranks', then the shim's */
};

static void pmi_server_take_frame(struct pmi_server *v, const struct frame *f)
{
    struct msg_pmi m;
    if (f->type == PMI_ASK_PAST) {
        pmi_ranks_ask_past(v->step);
    } else if (f->type == MSG_PMI_ALL && codec_decode(&msg_pmi_rec, f->body, f->size, &m, NULL) == 0) {
        if (launch_key_eq(&m.key, &v->setup.key))
            pmi_ranks_take(v->step, &m);
        rec_fini(&msg_pmi_rec, &m);
    }
}

/* False: the shim has gone. */
static bool pmi_read_shim(struct pmi_server *v, int flags)
{
    ssize_t n = recv(PMI_SHIM_FD, frame_reader_space(&v->in, PIECE_MAX), PIECE_MAX, flags);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    if (n <= 0)
        return false;
    frame_reader_added(&v->in, (size_t)n);
    return true;
}

static bool pmi_take_frames(struct pmi_server *v)
{
    struct frame f;
    int r;
    while ((r = frame_reader_next(&v->in, &f)) > 0)
        pmi_server_take_frame(v, &f);
    return r == 0;
}

static bool pmi_receive_setup(struct pmi_server *v)
{
    struct frame f;
    int r;
    while ((r = frame_reader_next(&v->in, &f)) == 0)
        if (!pmi_read_shim(v, 0))
            return false;
    return r > 0 && f.type == PMI_SETUP &&
           codec_decode(&pmi_setup_rec, f.body, f.size, &v->setup, NULL) == 0;
}

static int pmi_wait_ms(const struct pmi_server *v)
{
    int64_t at = pmi_ranks_next_ms(v->step), ms = at == INT64_MAX ? 0 : at - mono_ms();
    return at == INT64_MAX ? -1 : ms < 0 ? 0 : (int)ms;
}

/* Returns false if the shim has gone. */
static bool pmi_server_turn(struct pmi_server *v)
{
    size_t n_ranks = v->setup.ranks.n;
    bool on = true;
    for (size_t i = 0; i < n_ranks; i++)
        v->fds[i] = (struct pollfd){.fd = pmi_ranks_fd(v->step, i), .events = POLLIN};
    v->fds[n_ranks] = (struct pollfd){.fd = PMI_SHIM_FD, .events = POLLIN};
    int n = poll(v->fds, n_ranks + 1, pmi_wait_ms(v));
    for (size_t i = 0; n > 0 && i < n_ranks; i++)
        if (v->fds[i].revents && pmi_ranks_fd(v->step, i) >= 0)
            pmi_ranks_read(v->step, i);
    if (n > 0 && v->fds[n_ranks].revents)
        on = pmi_read_shim(v, MSG_DONTWAIT);
    on = on && pmi_take_frames(v);
    pmi_ranks_look(v->step);
    return on;
}

/* A supervisor that is lost takes the server along, also one that is stopped. Becoming the user has reset
 * this. */
_Noreturn void pmi_server_run(void)
{
    struct pmi_server v = {.in = {.max = PMI_FRAME_MAX}};
    prctl(PR_SET_NAME, PMI_PROGRAM); /* it was started by a descriptor, whose number the kernel took */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (confine_capabilities(0) < 0) /* of root's own tasks */
        _exit(1);
    if (confine_reader(PMI_PROGRAM) < 0)
        errno = 0; /* a kernel without filters */
    if (!pmi_receive_setup(&v))
        _exit(0);
    v.step = pmi_ranks_new(&v.setup, PMI_SHIM_FD);
    v.fds = xcalloc(v.setup.ranks.n + 1, sizeof *v.fds);
    while (pmi_server_turn(&v))
        ;
    _exit(0);
}
