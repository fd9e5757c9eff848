#include "src/os/byte_bridge.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/base/xalloc.h"

#define CHUNK 65536

struct way { /* from one descriptor to another */
    int from, to;
    size_t at, n;
    char buf[CHUNK];
};

/* False: this way is over. */
static bool bridge_carry(struct way *w, short can_read, short can_write)
{
    if (w->at < w->n && can_write) {
        ssize_t r = write(w->to, w->buf + w->at, w->n - w->at);
        if (r < 0 && errno != EAGAIN && errno != EINTR)
            return false;
        w->at += r > 0 ? (size_t)r : 0;
    }
    if (w->at == w->n && can_read) {
        ssize_t r = read(w->from, w->buf, sizeof w->buf);
        if (r == 0 || (r < 0 && errno != EAGAIN && errno != EINTR))
            return false;
        w->at = 0;
        w->n = r > 0 ? (size_t)r : 0;
        if (w->n) /* mostly taken at once */
            return bridge_carry(w, 0, 1);
    }
    return true;
}

void byte_bridge_run(int sock, int from, int to)
{
    struct way *down = xcalloc(1, sizeof *down), *up = xcalloc(1, sizeof *up);
    down->from = up->to = sock;
    down->to = to;
    up->from = from;
    const int fds[] = {from, to, sock};
    for (size_t i = 0; i < 3; i++)
        fcntl(fds[i], F_SETFL, fcntl(fds[i], F_GETFL) | O_NONBLOCK);
    for (bool on = true; on;) {
        short in = down->at == down->n ? POLLIN : 0, out = up->at < up->n ? POLLOUT : 0;
        struct pollfd p[3] = {{.fd = from, .events = up->at == up->n ? POLLIN : 0},
                              {.fd = to, .events = down->at < down->n ? POLLOUT : 0},
                              {.fd = sock, .events = (short)(in | out)}};
        if (poll(p, 3, -1) < 0 && errno != EINTR)
            break;
        on = bridge_carry(up, p[0].revents, p[2].revents & (POLLOUT | POLLERR | POLLHUP)) &&
             bridge_carry(down, p[2].revents & (POLLIN | POLLERR | POLLHUP), p[1].revents) &&
             !(p[1].revents & (POLLERR | POLLHUP));
    }
    free(down);
    free(up);
}
