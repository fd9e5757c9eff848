/* node_ssh.c - the life of one line: called, turned by its descriptors and its deadline, over. */
#include "backend/sshlink/node_ssh_internal.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backend/sshlink/dial.h"
#include "src/base/xalloc.h"

#define SSH_MS 30000 /* host key, login, channel */
/* The quickest first: processors have instructions for AES, and what is streamed costs mostly this. */
#define CIPHERS                                                                                 \
    "aes128-gcm@openssh.com,aes256-gcm@openssh.com,chacha20-poly1305@openssh.com,aes256-ctr,"  \
    "aes192-ctr,aes128-ctr"

uint32_t line_id(const struct line *ln)
{
    return ln->to.id;
}

const char *line_output(const struct line *ln)
{
    return ln->output.s;
}

void line_fail(struct line *ln, enum link_fault fault, const char *fmt, ...)
{
    if (ln->phase == OVER)
        return;
    ln->phase = OVER;
    ln->fault = fault;
    va_list ap;
    va_start(ap, fmt);
    str_vappendf(&ln->why, fmt, ap);
    va_end(ap);
}

void line_told(struct line *ln, enum line_step step, const char *text)
{
    if (ln->ops->on_step)
        ln->ops->on_step(ln->ctx, ln, step, text);
}

void line_lost(struct line *ln)
{
    const char *e = ln->ssh ? ssh_get_error(ln->ssh) : "";
    if (ln->phase == BOOT)
        line_fail(ln, LINK_FAULT_INSTALL, "the agent cannot be started there (%s)", *e ? e : "closed");
    else if (ln->phase == UP)
        line_fail(ln, LINK_FAULT_LOST, "the connection was lost%s%s", *e ? ": " : "", e);
    else
        line_fail(ln, LINK_FAULT_HANDSHAKE, "%s%s",
                  *e ? e : "the connection was closed while it was being set up",
                  ln->phase == KEX ? " (is that an SSH server?)" : "");
}

/* --- the end --- */

static void close_ssh(struct line *ln)
{
    if (!ln->ssh)
        return;
    bool ours = ssh_get_fd(ln->ssh) != -1; /* else libssh has closed it already */
    loop_unwatch(ln->loop, &ln->watch);
    if (ln->event) {
        ssh_event_remove_session(ln->event, ln->ssh);
        ssh_event_free(ln->event);
    }
    if (ln->channel)
        ssh_channel_free(ln->channel);
    ssh_disconnect(ln->ssh);
    ssh_free(ln->ssh);
    ln->ssh = NULL;
    if (ours && ln->fd >= 0)
        close(ln->fd);
    ln->fd = -1;
}

void line_free(struct line *ln)
{
    if (!ln)
        return;
    ln->phase = OVER;
    loop_timer_cancel(ln->loop, &ln->deadline);
    dial_free(ln->dial);
    close_ssh(ln);
    loop_unwatch(ln->loop, &ln->peer);
    if (ln->peer.fd >= 0)
        close(ln->peer.fd);
    rec_fini(&link_open_rec, &ln->to);
    boot_fini(&ln->boot);
    struct str *strs[] = {&ln->why, &ln->refused, &ln->out, &ln->held, &ln->output, &ln->complaints};
    for (size_t i = 0; i < sizeof strs / sizeof *strs; i++)
        str_fini(strs[i]);
    free(ln->command);
    free(ln->accept);
    free(ln);
}

/* The last line that is not empty, printable. */
static char *last_complaint(struct line *ln)
{
    char *text = xstrdup(str_trim(ln->complaints.s));
    char *nl = strrchr(text, '\n'), *last = xstrdup(nl ? nl + 1 : text);
    for (char *p = last; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 127)
            *p = '?';
    free(text);
    if (strlen(last) > 300)
        last[300] = '\0';
    return last;
}

static void over(struct line *ln)
{
    if (ln->complaints.len && ln->kit &&
        (ln->fault == LINK_FAULT_INSTALL || ln->fault == LINK_FAULT_LOST)) {
        char *last = last_complaint(ln);
        str_appendf(&ln->why, "%s%s", ln->why.len ? ": " : "", last);
        free(last);
    }
    enum link_fault fault = ln->fault;
    close_ssh(ln);
    ln->ops->on_over(ln->ctx, ln, fault, ln->why.s);
    line_free(ln);
}

/* --- turns --- */

static void watch_socket(struct line *ln)
{
    if (ssh_get_fd(ln->ssh) == -1) { /* libssh closed it: the number may be somebody else's by now */
        loop_unwatch(ln->loop, &ln->watch);
        ln->fd = -1;
        line_lost(ln);
        return;
    }
    bool write = ln->phase == KEX ? (ssh_get_poll_flags(ln->ssh) & SSH_WRITE_PENDING) != 0
                                  : (ssh_get_status(ln->ssh) & SSH_WRITE_PENDING) != 0;
    loop_watch(ln->loop, &ln->watch, LOOP_READ | (write ? LOOP_WRITE : 0));
    int on = 1;
    /* For a channel without a terminal sshd leaves Nagle's algorithm on: its second small packet waits for
     * our acknowledgement of the first, 40 ms if we wait too. The kernel forgets this wish by itself. */
    setsockopt(ln->fd, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
}

/* One event's worth of work. ln may be gone afterwards. */
static void turn(struct line *ln)
{
    while (ln->phase != OVER && (ln->phase < BOOT ? line_step_login(ln) : line_run(ln)))
        ;
    if (ln->phase == UP && ln->peer_ended && ln->out_at == ln->out.len &&
        !(ssh_get_status(ln->ssh) & SSH_WRITE_PENDING))
        line_fail(ln, LINK_FAULT_NONE, "the controller has closed it");
    if (ln->phase != OVER && ln->ssh)
        watch_socket(ln);
    if (ln->phase == OVER)
        over(ln);
    else
        line_watch_peer(ln);
}

static void on_socket(void *arg, __attribute__((unused)) unsigned ready)
{
    turn(arg);
}

static void on_peer(void *arg, unsigned ready)
{
    struct line *ln = arg;
    if (ln->phase != UP) { /* nothing is sent so early: it was closed */
        char c;
        if (recv(ln->peer.fd, &c, 1, MSG_PEEK | MSG_DONTWAIT) <= 0)
            line_fail(ln, LINK_FAULT_NONE, "the controller has closed it");
        if (ln->phase == OVER)
            over(ln);
        else
            loop_watch(ln->loop, &ln->peer, 0);
        return;
    }
    line_turn_peer(ln, ready & LOOP_READ, ready & LOOP_WRITE);
    turn(ln);
}

/* What was handed to the kernel is not there yet: over a thin cable the last of a program takes longer than
 * any answer. */
static int unsent(const struct line *ln)
{
    int n = 0;
    return ioctl(ln->fd, SIOCOUTQ, &n) == 0 ? n : 0;
}

void line_progress(struct line *ln)
{
    ln->unsent = unsent(ln);
    loop_timer_set(ln->loop, &ln->deadline, LINE_BOOT_MS);
}

static void on_deadline(void *arg)
{
    struct line *ln = arg;
    if (ln->phase == BOOT && unsent(ln) < ln->unsent) {
        line_progress(ln);
        return;
    }
    if (ln->phase == BOOT)
        line_fail(ln, LINK_FAULT_INSTALL, "the agent does not answer within %d s", LINE_BOOT_MS / 1000);
    else
        line_fail(ln, LINK_FAULT_HANDSHAKE, "its SSH server does not answer within %d s (%s port %u)",
                  SSH_MS / 1000, ln->to.address, ln->to.port);
    over(ln);
}

static void set_options(struct line *ln)
{
    int no = 0, yes = 1;
    unsigned port = ln->to.port;
    ssh_options_set(ln->ssh, SSH_OPTIONS_PROCESS_CONFIG, &no);
    ssh_options_set(ln->ssh, SSH_OPTIONS_HOST, ln->to.address);
    ssh_options_set(ln->ssh, SSH_OPTIONS_PORT, &port);
    ssh_options_set(ln->ssh, SSH_OPTIONS_USER, ln->to.user);
    ssh_options_set(ln->ssh, SSH_OPTIONS_KNOWNHOSTS, ln->to.known_hosts);
    ssh_options_set(ln->ssh, SSH_OPTIONS_GLOBAL_KNOWNHOSTS, ln->to.known_hosts);
    ssh_options_set(ln->ssh, SSH_OPTIONS_STRICTHOSTKEYCHECK, &yes);
    ssh_options_set(ln->ssh, SSH_OPTIONS_FD, &ln->fd);
    ssh_options_set(ln->ssh, SSH_OPTIONS_CIPHERS_C_S, CIPHERS);
    ssh_options_set(ln->ssh, SSH_OPTIONS_CIPHERS_S_C, CIPHERS);
    ssh_options_set(ln->ssh, SSH_OPTIONS_COMPRESSION, "no");
    ssh_set_blocking(ln->ssh, 0);
}

static void on_dialed(void *arg, int fd, enum link_fault fault, const char *text)
{
    struct line *ln = arg;
    if (fd >= 0) {
        line_told(ln, LINE_CONNECTED, dial_address(ln->dial));
        ln->dial = NULL;
        ln->fd = fd;
        ln->ssh = ssh_new();
        bug_on(!ln->ssh);
        set_options(ln);
        ln->watch = (struct loop_fd){.fd = fd, .fn = on_socket, .ctx = ln};
        ln->phase = CONNECTED;
        ln->ops->on_connected(ln->ctx, ln);
        return;
    }
    ln->dial = NULL;
    line_fail(ln, fault, "%s", text);
    over(ln);
}

void line_shake(struct line *ln)
{
    ln->phase = KEX;
    loop_timer_set(ln->loop, &ln->deadline, SSH_MS);
    turn(ln);
}

void line_start(struct line *ln)
{
    ln->phase = CALLING;
    ln->dial = dial_new(ln->loop, ln->to.address, ln->to.port, on_dialed, ln);
    ln->ops->on_phase(ln->ctx, ln, LINK_CALLING);
}

struct line *line_new(struct loop *l, const struct line_config *cfg, const struct line_ops *ops, void *ctx)
{
    struct line *ln = xcalloc(1, sizeof *ln);
    *ln = (struct line){.loop = l,
                        .ops = ops,
                        .ctx = ctx,
                        .kit = cfg->kit,
                        .keys = cfg->keys,
                        .accept = xstrdup(cfg->accept),
                        .is_shared = cfg->is_shared,
                        .fd = -1,
                        .peer = {.fd = cfg->peer, .fn = on_peer, .ctx = ln},
                        .why = STR_INIT,
                        .refused = STR_INIT,
                        .out = STR_INIT,
                        .held = STR_INIT,
                        .output = STR_INIT,
                        .complaints = STR_INIT};
    rec_copy(&link_open_rec, &ln->to, &cfg->to);
    boot_init(&ln->boot);
    ln->deadline = (struct loop_timer){.fn = on_deadline, .ctx = ln};
    if (cfg->command) {
        ln->command = xstrdup(cfg->command);
    } else {
        struct str s = STR_INIT;
        boot_command(&s, ln->kit, ln->to.cluster, ln->to.node);
        ln->command = str_take(&s);
    }
    line_watch_peer(ln);
    return ln;
}
