/* node_ssh_pump.c - bytes between channel and controller: first the start's questions and the programs that
 * it asks for, then frames, each way no faster than they are taken.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "backend/sshlink/node_ssh_internal.h"

#define CHUNK 65536u
#define OUT_MAX \
    (256u << 10) /* of the controller's bytes that are held here; the rest stays in the socket */
#define TEXT_MAX  (64u << 10) /* of a command's output, of complaints */
#define TURNS_MAX 32

/* --- callbacks of libssh: bytes only, no call into it --- */

static void append_bounded(struct str *to, const char *p, size_t n)
{
    if (to->len < TEXT_MAX)
        str_append_n(to, p, n < TEXT_MAX - to->len ? n : TEXT_MAX - to->len);
}

/* How much the peer took. */
static size_t to_peer(struct line *ln, const char *p, size_t n)
{
    size_t done = 0;
    while (done < n && !ln->blocked) {
        ssize_t r = send(ln->peer.fd, p + done, n - done, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (r < 0 && errno == EINTR)
            continue;
        if (r < 0 && errno == EAGAIN)
            ln->blocked = true;
        else if (r <= 0) {
            line_fail(ln, LINK_FAULT_NONE, "the controller has closed it");
            return n;
        } else
            done += (size_t)r;
    }
    return done;
}

static size_t take_boot(struct line *ln, const char *p, size_t n)
{
    size_t at = 0;
    while (at < n && (ln->phase == BOOT || ln->phase == EXEC)) {
        size_t used = 0;
        enum boot_event e = boot_feed(&ln->boot, p + at, n - at, &used);
        at += used;
        if (e == BOOT_FAILED)
            line_fail(ln, LINK_FAULT_INSTALL, "%s", ln->boot.text);
        else if (e == BOOT_UP)
            ln->phase = UP;
        else if (e == BOOT_SEND && strcmp(ln->boot.arch, ln->kit->arch) != 0)
            line_fail(ln, LINK_FAULT_INSTALL,
                      "it is a machine of type %s, and the programs here are for %s", ln->boot.arch,
                      ln->kit->arch);
        else if (e == BOOT_SEND && (ln->sending = kit_find(ln->kit, ln->boot.name)))
            ln->sent = 0;
        else if (e == BOOT_SEND)
            line_fail(ln, LINK_FAULT_INSTALL, "it asks for a file %s that there is not", ln->boot.name);
    }
    return at;
}

static int on_data(ssh_session s, ssh_channel ch, void *data, uint32_t len, int is_stderr, void *arg)
{
    (void)s;
    (void)ch;
    struct line *ln = arg;
    const char *p = data;
    size_t at = 0;
    if (ln->phase == OVER)
        return (int)len;
    if (is_stderr || !ln->kit) {
        append_bounded(is_stderr ? &ln->complaints : &ln->output, p, len);
        return (int)len;
    }
    if (ln->phase < UP)
        at = take_boot(ln, p, len);
    if (ln->phase == UP && at < len && ln->held.len == ln->held_at)
        at += to_peer(ln, p + at, len - at);
    return ln->phase == OVER ? (int)len : (int)at;
}

static void on_end(ssh_session s, ssh_channel ch, void *arg)
{
    (void)s;
    (void)ch;
    struct line *ln = arg;
    ln->ended = true;
}

static void on_status(ssh_session s, ssh_channel ch, int status, void *arg)
{
    (void)s;
    (void)ch;
    struct line *ln = arg;
    ln->status = status;
}

void line_attach(struct line *ln)
{
    ln->cb = (struct ssh_channel_callbacks_struct){.userdata = ln,
                                                   .channel_data_function = on_data,
                                                   .channel_close_function = on_end,
                                                   .channel_exit_status_function = on_status};
    ssh_callbacks_init(&ln->cb);
    ssh_set_channel_callbacks(ln->channel, &ln->cb);
}

/* --- the pump --- */

static void write_out(struct line *ln)
{
    while (ln->phase != OVER && !(ssh_get_status(ln->ssh) & SSH_WRITE_PENDING)) {
        bool file = ln->sending != NULL;
        const char *p = file ? (const char *)ln->sending->p + ln->sent : ln->out.s + ln->out_at;
        size_t left = file ? ln->sending->n - ln->sent : ln->out.len - ln->out_at;
        if (!left)
            return;
        int n = ssh_channel_write(ln->channel, p, left < CHUNK ? (uint32_t)left : CHUNK);
        if (n < 0) {
            line_lost(ln);
            return;
        }
        if (n == 0)
            return; /* the window is full, or keys are being exchanged anew */
        if (file) {
            ln->sent += (size_t)n;
            line_progress(ln);
            if (ln->sent == ln->sending->n) {
                ln->sending = NULL;
                ln->sent = 0;
            }
        } else {
            ln->out_at += (size_t)n;
            if (ln->out_at == ln->out.len) {
                str_clear(&ln->out);
                ln->out_at = 0;
            }
        }
    }
}

static void read_peer(struct line *ln)
{
    char buf[CHUNK];
    while (ln->phase == UP && ln->out.len - ln->out_at < OUT_MAX) {
        ssize_t n = recv(ln->peer.fd, buf, sizeof buf, MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n <= 0) {
            ln->peer_ended = true;
            return;
        }
        if (ln->out_at) {
            memmove(ln->out.s, ln->out.s + ln->out_at, ln->out.len - ln->out_at);
            str_truncate(&ln->out, ln->out.len - ln->out_at);
            ln->out_at = 0;
        }
        str_append_n(&ln->out, buf, (size_t)n);
        write_out(ln);
    }
}

/* The peer takes again: what libssh holds does not come by itself. */
static void drain_channel(struct line *ln)
{
    char buf[CHUNK];
    while (ln->phase == UP && !ln->blocked) {
        if (ln->held_at < ln->held.len) {
            ln->held_at += to_peer(ln, ln->held.s + ln->held_at, ln->held.len - ln->held_at);
            if (ln->held_at < ln->held.len)
                return;
            str_clear(&ln->held);
            ln->held_at = 0;
        }
        ln->blocked = true; /* the callback leaves everything where it is */
        int n = ssh_channel_read_nonblocking(ln->channel, buf, sizeof buf, 0);
        ln->blocked = false;
        if (n <= 0)
            return;
        str_append_n(&ln->held, buf, (size_t)n);
    }
}

bool line_run(struct line *ln)
{
    enum phase before = ln->phase;
    for (int i = 0; i < TURNS_MAX && ln->phase != OVER; i++) {
        int r = ssh_event_dopoll(ln->event, 0);
        if (r == SSH_ERROR || ssh_get_fd(ln->ssh) == -1) {
            if (!ln->ended)
                line_lost(ln);
            break;
        }
        if (r == SSH_AGAIN)
            break;
    }
    if (ln->phase != OVER)
        write_out(ln);
    if (ln->phase == UP && !ln->announced) {
        ln->announced = true;
        loop_timer_cancel(ln->loop, &ln->deadline);
        ln->ops->on_phase(ln->ctx, ln, LINK_UP);
        if (!ln->blocked)
            drain_channel(ln);
    }
    /* The end counts once everything in front of it has been handed on. */
    if (ln->ended && ln->phase != OVER && !ln->blocked && ln->held.len == ln->held_at) {
        if (!ln->kit)
            line_fail(ln, LINK_FAULT_NONE, "%s", "");
        else if (ln->phase == UP)
            line_fail(ln, LINK_FAULT_LOST, "%s", "the agent's side has closed it");
        else
            line_fail(ln, LINK_FAULT_INSTALL, "the agent cannot be started there (status %d)", ln->status);
    }
    return ln->phase != before && ln->phase != OVER;
}

void line_turn_peer(struct line *ln, bool read, bool write)
{
    if (write && ln->blocked) {
        ln->blocked = false;
        drain_channel(ln);
    }
    if (read)
        read_peer(ln);
}

void line_watch_peer(struct line *ln)
{
    if (ln->peer.fd < 0)
        return;
    unsigned want = ln->blocked || ln->held_at < ln->held.len ? LOOP_WRITE : 0;
    if (ln->phase == UP ? ln->out.len - ln->out_at < OUT_MAX && !ln->peer_ended : !ln->peer_ended)
        want |= LOOP_READ;
    loop_watch(ln->loop, &ln->peer, want);
}
