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
static size_t to_peer(struct node_ssh *ns, const char *p, size_t n)
{
    size_t done = 0;
    while (done < n && !ns->blocked) {
        ssize_t r = send(ns->peer.fd, p + done, n - done, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (r < 0 && errno == EINTR)
            continue;
        if (r < 0 && errno == EAGAIN)
            ns->blocked = true;
        else if (r <= 0) {
            node_ssh_fail(ns, SSH_FAULT_NONE, "the controller has closed it");
            return n;
        } else
            done += (size_t)r;
    }
    return done;
}

static size_t take_boot(struct node_ssh *ns, const char *p, size_t n)
{
    size_t at = 0;
    while (at < n && (ns->phase == BOOT || ns->phase == EXEC)) {
        size_t used = 0;
        enum boot_event e = boot_feed(&ns->boot, p + at, n - at, &used);
        at += used;
        if (e == BOOT_FAILED)
            node_ssh_fail(ns, SSH_FAULT_INSTALL, "%s", ns->boot.text);
        else if (e == BOOT_UP)
            ns->phase = UP;
        else if (e == BOOT_SEND && strcmp(ns->boot.arch, ns->bundle->arch) != 0)
            node_ssh_fail(ns, SSH_FAULT_INSTALL,
                          "it is a machine of type %s, and the programs here are for %s", ns->boot.arch,
                          ns->bundle->arch);
        else if (e == BOOT_SEND && (ns->sending = bundle_find(ns->bundle, ns->boot.name)))
            ns->sent = 0;
        else if (e == BOOT_SEND)
            node_ssh_fail(ns, SSH_FAULT_INSTALL, "it asks for a file %s that there is not", ns->boot.name);
    }
    return at;
}

static int on_data(ssh_session s, ssh_channel ch, void *data, uint32_t len, int is_stderr, void *arg)
{
    (void)s;
    (void)ch;
    struct node_ssh *ns = arg;
    const char *p = data;
    size_t at = 0;
    if (ns->phase == OVER)
        return (int)len;
    if (is_stderr || !ns->bundle) {
        append_bounded(is_stderr ? &ns->complaints : &ns->output, p, len);
        return (int)len;
    }
    if (ns->phase < UP)
        at = take_boot(ns, p, len);
    if (ns->phase == UP && at < len && ns->held.len == ns->held_at)
        at += to_peer(ns, p + at, len - at);
    return ns->phase == OVER ? (int)len : (int)at;
}

static void on_end(ssh_session s, ssh_channel ch, void *arg)
{
    (void)s;
    (void)ch;
    struct node_ssh *ns = arg;
    ns->ended = true;
}

static void on_status(ssh_session s, ssh_channel ch, int status, void *arg)
{
    (void)s;
    (void)ch;
    struct node_ssh *ns = arg;
    ns->status = status;
}

void node_ssh_attach(struct node_ssh *ns)
{
    ns->cb = (struct ssh_channel_callbacks_struct){.userdata = ns,
                                                   .channel_data_function = on_data,
                                                   .channel_close_function = on_end,
                                                   .channel_exit_status_function = on_status};
    ssh_callbacks_init(&ns->cb);
    ssh_set_channel_callbacks(ns->channel, &ns->cb);
}

/* --- the pump --- */

static void write_out(struct node_ssh *ns)
{
    while (ns->phase != OVER && !(ssh_get_status(ns->ssh) & SSH_WRITE_PENDING)) {
        bool file = ns->sending != NULL;
        const char *p = file ? (const char *)ns->sending->p + ns->sent : ns->out.s + ns->out_at;
        size_t left = file ? ns->sending->n - ns->sent : ns->out.len - ns->out_at;
        if (!left)
            return;
        int n = ssh_channel_write(ns->channel, p, left < CHUNK ? (uint32_t)left : CHUNK);
        if (n < 0) {
            node_ssh_lost(ns);
            return;
        }
        if (n == 0)
            return; /* the window is full, or keys are being exchanged again */
        if (file) {
            ns->sent += (size_t)n;
            node_ssh_progress(ns);
            if (ns->sent == ns->sending->n) {
                ns->sending = NULL;
                ns->sent = 0;
            }
        } else {
            ns->out_at += (size_t)n;
            if (ns->out_at == ns->out.len) {
                str_clear(&ns->out);
                ns->out_at = 0;
            }
        }
    }
}

static void read_peer(struct node_ssh *ns)
{
    char buf[CHUNK];
    while (ns->phase == UP && ns->out.len - ns->out_at < OUT_MAX) {
        ssize_t n = recv(ns->peer.fd, buf, sizeof buf, MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n <= 0) {
            ns->peer_ended = true;
            return;
        }
        if (ns->out_at) {
            memmove(ns->out.s, ns->out.s + ns->out_at, ns->out.len - ns->out_at);
            str_truncate(&ns->out, ns->out.len - ns->out_at);
            ns->out_at = 0;
        }
        str_append_n(&ns->out, buf, (size_t)n);
        write_out(ns);
    }
}

/* The peer takes again: what libssh holds does not come by itself. */
static void drain_channel(struct node_ssh *ns)
{
    char buf[CHUNK];
    while (ns->phase == UP && !ns->blocked) {
        if (ns->held_at < ns->held.len) {
            ns->held_at += to_peer(ns, ns->held.s + ns->held_at, ns->held.len - ns->held_at);
            if (ns->held_at < ns->held.len)
                return;
            str_clear(&ns->held);
            ns->held_at = 0;
        }
        ns->blocked = true; /* the callback leaves everything where it is */
        int n = ssh_channel_read_nonblocking(ns->channel, buf, sizeof buf, 0);
        ns->blocked = false;
        if (n <= 0)
            return;
        str_append_n(&ns->held, buf, (size_t)n);
    }
}

bool node_ssh_run(struct node_ssh *ns)
{
    enum phase before = ns->phase;
    for (int i = 0; i < TURNS_MAX && ns->phase != OVER; i++) {
        int r = ssh_event_dopoll(ns->event, 0);
        if (r == SSH_ERROR || ssh_get_fd(ns->ssh) == -1) {
            if (!ns->ended)
                node_ssh_lost(ns);
            break;
        }
        if (r == SSH_AGAIN)
            break;
    }
    if (ns->phase != OVER)
        write_out(ns);
    if (ns->phase == UP && !ns->announced) {
        ns->announced = true;
        loop_timer_cancel(ns->loop, &ns->deadline);
        ns->ops->on_phase(ns->ctx, ns, SSH_PHASE_UP);
        if (!ns->blocked)
            drain_channel(ns);
    }
    /* The end counts once everything in front of it has been handed on. */
    if (ns->ended && ns->phase != OVER && !ns->blocked && ns->held.len == ns->held_at) {
        if (!ns->bundle)
            node_ssh_fail(ns, SSH_FAULT_NONE, "%s", "");
        else if (ns->phase == UP)
            node_ssh_fail(ns, SSH_FAULT_LOST, "%s", "the agent's side has closed it");
        else
            node_ssh_fail(ns, SSH_FAULT_INSTALL, "the agent cannot be started there (status %d)",
                          ns->status);
    }
    return ns->phase != before && ns->phase != OVER;
}

void node_ssh_turn_peer(struct node_ssh *ns, bool read, bool write)
{
    if (write && ns->blocked) {
        ns->blocked = false;
        drain_channel(ns);
    }
    if (read)
        read_peer(ns);
}

void node_ssh_watch_peer(struct node_ssh *ns)
{
    if (ns->peer.fd < 0)
        return;
    unsigned want = ns->blocked || ns->held_at < ns->held.len ? LOOP_WRITE : 0;
    if (ns->phase == UP ? ns->out.len - ns->out_at < OUT_MAX && !ns->peer_ended : !ns->peer_ended)
        want |= LOOP_READ;
    loop_watch(ns->loop, &ns->peer, want);
}
