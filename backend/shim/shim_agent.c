/* Never blocks: what does not leave at once waits in s->out. When the agent goes away what waited is
 * dropped: the next agent gets the whole state again.
 */
#include "backend/shim/shim_agent.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "src/proto/codec.h"

#define READ_SIZE 65536
#define OUT_MAX   (4u << 20)

static void shim_agent_listen(struct shim *s)
{
    struct sockaddr_un sa = {.sun_family = AF_UNIX};
    snprintf(sa.sun_path, sizeof sa.sun_path, "/proc/self/fd/%d/ctl", s->dir_fd);
    if (s->ctl_fd >= 0)
        return;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return;
    unlinkat(s->dir_fd, "ctl", 0);
    mode_t mask = umask(0177);
    if (bind(fd, (struct sockaddr *)&sa, sizeof sa) == 0 && listen(fd, 4) == 0)
        s->ctl_fd = fd;
    else
        close(fd);
    umask(mask);
}

static void shim_agent_lost(struct shim *s)
{
    close(s->agent_fd);
    s->agent_fd = -1;
    s->setup.stays = false; /* it ends with its task */
    str_clear(&s->out);
    s->out_at = 0;
    frame_reader_fini(&s->in);
    s->input_waits = false;
    shim_agent_listen(s);
}

void shim_agent_flush(struct shim *s)
{
    while (s->agent_fd >= 0 && s->out_at < s->out.len) {
        ssize_t n =
            send(s->agent_fd, s->out.s + s->out_at, s->out.len - s->out_at, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n <= 0) {
            shim_agent_lost(s);
            return;
        }
        s->out_at += (size_t)n;
    }
    str_clear(&s->out);
    s->out_at = 0;
}

void shim_agent_add(struct shim *s, unsigned type, uint64_t tag, const struct rec_desc *d, const void *body)
{
    if (s->agent_fd < 0 || s->out.len > OUT_MAX)
        return;
    size_t at = frame_begin(&s->out);
    if (d)
        codec_encode(d, body, &s->out);
    frame_end(&s->out, at, (uint16_t)type, 0, tag);
}

void shim_agent_send(struct shim *s, unsigned type, uint64_t tag, const struct rec_desc *d,
                     const void *body)
{
    shim_agent_add(s, type, tag, d, body);
    shim_agent_flush(s);
}

void shim_agent_add_running(struct shim *s)
{
    if (s->phase == SHIM_OPENING || s->n_starting || s->launch_failed)
        return;
    struct launch_status st = {
        .key = s->l.key,
        .state = LAUNCH_RUNNING,
        .pid = (uint32_t)s->ranks[0].pid,
        .t_start = s->t_start,
        .killing = s->terminating,
        .stuck = s->stuck,
        .uid = s->l.uid,
        .cpus = s->l.alloc.cpus,
        .gpus = s->l.alloc.gpus,
        .mem_mib = s->l.alloc.mem_mib,
    };
    shim_agent_add(s, MSG_TASK_RUNNING, s->used_ms, &launch_status_rec, &st);
    s->told_running = true;
}

void shim_agent_tell_running(struct shim *s)
{
    shim_agent_add_running(s);
    shim_agent_flush(s);
}

void shim_agent_take_frames(struct shim *s)
{
    struct frame f;
    int r;
    while ((r = frame_reader_next(&s->in, &f)) > 0)
        s->on_frame(s, &f);
    if (r < 0)
        shim_agent_lost(s);
}

void shim_agent_read(struct shim *s)
{
    uint8_t *p = frame_reader_space(&s->in, READ_SIZE);
    ssize_t n = recv(s->agent_fd, p, READ_SIZE, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        shim_agent_lost(s);
        return;
    }
    frame_reader_added(&s->in, (size_t)n);
    shim_agent_take_frames(s);
}

/* Root, or the uid that the shim runs as: the same as for the agent's own socket. */
void shim_agent_accept(struct shim *s)
{
    int fd = accept4(s->ctl_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0)
        return;
    struct ucred peer;
    socklen_t len = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0 ||
        (peer.uid != 0 && peer.uid != geteuid())) {
        close(fd);
        return;
    }
    if (s->agent_fd >= 0)
        shim_agent_lost(s);
    s->agent_fd = fd;
    close(s->ctl_fd);
    s->ctl_fd = -1;
    unlinkat(s->dir_fd, "ctl", 0);
    shim_agent_tell_running(s);
}
