#include "backend/pmi/pmi_server.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backend/confine/confine.h"
#include "backend/pmi/pmi_ranks.h"
#include "src/base/clock.h"
#include "src/base/xalloc.h"
#include "src/proto/codec.h"
#include "src/proto/frame.h"

#define PIECE_MAX (64u << 10)

struct pmi_server {
    const struct pmi_setup *setup;
    struct pmi_ranks *step;
    struct frame_reader in;
    struct pollfd *fds; /* the ranks', then the shim's */
    size_t n_ranks;
};

/* Standard error stays, for a system call that is refused. */
static void pmi_close_the_rest(const struct pmi_setup *setup, size_t n_ranks)
{
    int max = setup->shim_fd;
    for (size_t i = 0; i < n_ranks; i++)
        max = setup->fds[i] > max ? setup->fds[i] : max;
    bool *kept = xcalloc((size_t)max + 1, sizeof *kept);
    kept[2] = kept[setup->shim_fd] = true;
    for (size_t i = 0; i < n_ranks; i++)
        kept[setup->fds[i]] = true;
    for (int fd = 0; fd <= max; fd++)
        if (!kept[fd])
            close(fd);
    closefrom(max + 1);
    free(kept);
}

static void pmi_server_take_frame(struct pmi_server *v, const struct frame *f)
{
    struct msg_pmi m;
    if (f->type == PMI_ASK_PAST) {
        pmi_ranks_ask_past(v->step);
    } else if (f->type == MSG_PMI_ALL && codec_decode(&msg_pmi_rec, f->body, f->size, &m, NULL) == 0) {
        if (launch_key_eq(&m.key, &v->setup->launch->key))
            pmi_ranks_take(v->step, &m);
        rec_fini(&msg_pmi_rec, &m);
    }
}

/* False: the shim has gone. */
static bool pmi_read_shim(struct pmi_server *v)
{
    ssize_t n = recv(v->setup->shim_fd, frame_reader_space(&v->in, PIECE_MAX), PIECE_MAX, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    if (n <= 0)
        return false;
    frame_reader_added(&v->in, (size_t)n);
    struct frame f;
    int r;
    while ((r = frame_reader_next(&v->in, &f)) > 0)
        pmi_server_take_frame(v, &f);
    return r == 0;
}

static int pmi_wait_ms(const struct pmi_server *v)
{
    int64_t at = pmi_ranks_next_ms(v->step), ms = at == INT64_MAX ? 0 : at - mono_ms();
    return at == INT64_MAX ? -1 : ms < 0 ? 0 : (int)ms;
}

_Noreturn void pmi_server_run(const struct pmi_setup *setup)
{
    struct pmi_server v = {.setup = setup, .in = {.max = PMI_FRAME_MAX}, .n_ranks = setup->launch->ranks.n};
    prctl(PR_SET_NAME, "stoker-pmi");
    prctl(PR_SET_DUMPABLE,
          0); /* becoming the user has reset nothing of this, but it must not depend on it */
    pmi_close_the_rest(setup, v.n_ranks);
    if (confine_reader("stoker-shim (PMI)") < 0)
        errno = 0; /* a kernel without filters */
    v.step = pmi_ranks_new(setup);
    v.fds = xcalloc(v.n_ranks + 1, sizeof *v.fds);
    for (bool on = true; on;) {
        for (size_t i = 0; i < v.n_ranks; i++)
            v.fds[i] = (struct pollfd){.fd = pmi_ranks_fd(v.step, i), .events = POLLIN};
        v.fds[v.n_ranks] = (struct pollfd){.fd = setup->shim_fd, .events = POLLIN};
        int n = poll(v.fds, v.n_ranks + 1, pmi_wait_ms(&v));
        for (size_t i = 0; n > 0 && i < v.n_ranks; i++)
            if (v.fds[i].revents && pmi_ranks_fd(v.step, i) >= 0)
                pmi_ranks_read(v.step, i);
        if (n > 0 && v.fds[v.n_ranks].revents)
            on = pmi_read_shim(&v);
        pmi_ranks_look(v.step);
    }
    _exit(0);
}
