#include "backend/sshlink/node_ssh.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backend/sshlink/dial.h"
#include "backend/sshlink/node_ssh_internal.h"
#include "src/base/utf8.h"
#include "src/base/xalloc.h"

#define SSH_MS        30000 /* host key, login, channel */
#define WHY_MAX       4096  /* bytes of a reason; it may hold a public key */
#define SERVER_MAX    200   /* of them, words of a server */
#define COMPLAINT_MAX 300   /* of them, words of what was started there */
/* The quickest first: processors have instructions for AES, and what is streamed costs mostly this. */
#define CIPHERS                                                                                 \
    "aes128-gcm@openssh.com,aes256-gcm@openssh.com,chacha20-poly1305@openssh.com,aes256-ctr,"  \
    "aes192-ctr,aes128-ctr"

uint32_t node_ssh_id(const struct node_ssh *ns)
{
    return ns->to.id;
}

const char *node_ssh_output(const struct node_ssh *ns)
{
    return ns->output.s;
}

/* Words of a server come in before its key is known, from anybody on the way: no control character of them
 * goes on to a log, to the controller or to a terminal. */
static void node_ssh_clean_why(struct node_ssh *ns)
{
    if (!ns->why.len)
        return;
    utf8_clean(ns->why.s, WHY_MAX);
    str_truncate(&ns->why, strlen(ns->why.s));
}

void node_ssh_fail(struct node_ssh *ns, enum ssh_fault fault, const char *fmt, ...)
{
    if (ns->phase == OVER)
        return;
    ns->phase = OVER;
    ns->fault = fault;
    va_list ap;
    va_start(ap, fmt);
    str_vappendf(&ns->why, fmt, ap);
    va_end(ap);
    node_ssh_clean_why(ns);
}

void node_ssh_told(struct node_ssh *ns, enum node_ssh_step step, const char *text)
{
    if (ns->ops->on_step)
        ns->ops->on_step(ns->ctx, ns, step, text);
}

void node_ssh_lost(struct node_ssh *ns)
{
    char *e = xstrdup(ns->ssh ? ssh_get_error(ns->ssh) : "");
    utf8_clean(e, SERVER_MAX);
    if (ns->phase == BOOT)
        node_ssh_fail(ns, SSH_FAULT_INSTALL, "the agent cannot be started there (%s)", *e ? e : "closed");
    else if (ns->phase == UP)
        node_ssh_fail(ns, SSH_FAULT_LOST, "the connection was lost%s%s", *e ? ": " : "", e);
    else
        node_ssh_fail(ns, SSH_FAULT_HANDSHAKE, "%s%s",
                      *e ? e : "the connection was closed while it was being set up",
                      ns->phase == KEX ? " (is that an SSH server?)" : "");
    free(e);
}

/* --- the end --- */

static void close_ssh(struct node_ssh *ns)
{
    if (!ns->ssh)
        return;
    bool ours = ssh_get_fd(ns->ssh) != -1; /* else libssh has closed it already */
    loop_unwatch(ns->loop, &ns->watch);
    if (ns->event) {
        ssh_event_remove_session(ns->event, ns->ssh);
        ssh_event_free(ns->event);
    }
    if (ns->channel)
        ssh_channel_free(ns->channel);
    ssh_disconnect(ns->ssh);
    ssh_free(ns->ssh);
    ns->ssh = NULL;
    if (ours && ns->fd >= 0)
        close(ns->fd);
    ns->fd = -1;
}

void node_ssh_free(struct node_ssh *ns)
{
    if (!ns)
        return;
    ns->phase = OVER;
    loop_timer_cancel(ns->loop, &ns->deadline);
    dial_free(ns->dial);
    close_ssh(ns);
    loop_unwatch(ns->loop, &ns->peer);
    if (ns->peer.fd >= 0)
        close(ns->peer.fd);
    rec_fini(&ssh_order_rec, &ns->to);
    boot_fini(&ns->boot);
    struct str *strs[] = {&ns->why, &ns->refused, &ns->out, &ns->held, &ns->output, &ns->complaints};
    for (size_t i = 0; i < sizeof strs / sizeof *strs; i++)
        str_fini(strs[i]);
    free(ns->command);
    free(ns->accept);
    free(ns);
}

/* The last line that is not empty, printable. */
static char *last_complaint(struct node_ssh *ns)
{
    char *text = xstrdup(str_trim(ns->complaints.s));
    char *nl = strrchr(text, '\n'), *last = xstrdup(nl ? nl + 1 : text);
    free(text);
    utf8_clean(last, COMPLAINT_MAX);
    return last;
}

static void node_ssh_over(struct node_ssh *ns)
{
    if (ns->complaints.len && ns->bundle &&
        (ns->fault == SSH_FAULT_INSTALL || ns->fault == SSH_FAULT_LOST)) {
        char *last = last_complaint(ns);
        str_appendf(&ns->why, "%s%s", ns->why.len ? ": " : "", last);
        free(last);
    }
    enum ssh_fault fault = ns->fault;
    close_ssh(ns);
    ns->ops->on_over(ns->ctx, ns, fault, ns->why.s);
    node_ssh_free(ns);
}

/* --- turns --- */

static void watch_socket(struct node_ssh *ns)
{
    if (ssh_get_fd(ns->ssh) == -1) { /* libssh closed it: the number may be in use again by now */
        loop_unwatch(ns->loop, &ns->watch);
        ns->fd = -1;
        node_ssh_lost(ns);
        return;
    }
    bool write = ns->phase == KEX ? (ssh_get_poll_flags(ns->ssh) & SSH_WRITE_PENDING) != 0
                                  : (ssh_get_status(ns->ssh) & SSH_WRITE_PENDING) != 0;
    loop_watch(ns->loop, &ns->watch, LOOP_READ | (write ? LOOP_WRITE : 0));
    int on = 1;
    /* For a channel without a terminal sshd leaves Nagle's algorithm on: its second small packet waits for
     * our acknowledgement of the first, 40 ms if we wait too. The kernel forgets this wish by itself. */
    setsockopt(ns->fd, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
}

/* One event's worth of work. ns may be gone afterwards. */
static void node_ssh_turn(struct node_ssh *ns)
{
    while (ns->phase != OVER && (ns->phase < BOOT ? node_ssh_step_login(ns) : node_ssh_run(ns)))
        ;
    if (ns->phase == UP && ns->peer_ended && ns->out_at == ns->out.len &&
        !(ssh_get_status(ns->ssh) & SSH_WRITE_PENDING))
        node_ssh_fail(ns, SSH_FAULT_NONE, "the controller has closed it");
    if (ns->phase != OVER && ns->ssh)
        watch_socket(ns);
    if (ns->phase == OVER)
        node_ssh_over(ns);
    else
        node_ssh_watch_peer(ns);
}

static void on_socket(void *arg, __attribute__((unused)) unsigned ready)
{
    node_ssh_turn(arg);
}

static void on_peer(void *arg, unsigned ready)
{
    struct node_ssh *ns = arg;
    if (ns->phase != UP) { /* nothing is sent so early: it was closed */
        char c;
        if (recv(ns->peer.fd, &c, 1, MSG_PEEK | MSG_DONTWAIT) <= 0)
            node_ssh_fail(ns, SSH_FAULT_NONE, "the controller has closed it");
        if (ns->phase == OVER)
            node_ssh_over(ns);
        else
            loop_watch(ns->loop, &ns->peer, 0);
        return;
    }
    node_ssh_turn_peer(ns, ready & LOOP_READ, ready & LOOP_WRITE);
    node_ssh_turn(ns);
}

/* What was handed to the kernel is not there yet: over a thin cable the last of a program takes longer than
 * any answer. */
static int node_ssh_unsent(const struct node_ssh *ns)
{
    int n = 0;
    return ioctl(ns->fd, SIOCOUTQ, &n) == 0 ? n : 0;
}

void node_ssh_progress(struct node_ssh *ns)
{
    ns->unsent = node_ssh_unsent(ns);
    loop_timer_set(ns->loop, &ns->deadline, NODE_SSH_BOOT_MS);
}

static void on_deadline(void *arg)
{
    struct node_ssh *ns = arg;
    if (ns->phase == BOOT && node_ssh_unsent(ns) < ns->unsent) {
        node_ssh_progress(ns);
        return;
    }
    if (ns->phase == BOOT)
        node_ssh_fail(ns, SSH_FAULT_INSTALL, "the agent does not answer within %d s",
                      NODE_SSH_BOOT_MS / 1000);
    else
        node_ssh_fail(ns, SSH_FAULT_HANDSHAKE, "its SSH server does not answer within %d s (%s port %u)",
                      SSH_MS / 1000, ns->to.address, ns->to.port);
    node_ssh_over(ns);
}

static void set_options(struct node_ssh *ns)
{
    int no = 0, yes = 1;
    unsigned port = ns->to.port;
    ssh_options_set(ns->ssh, SSH_OPTIONS_PROCESS_CONFIG, &no);
    ssh_options_set(ns->ssh, SSH_OPTIONS_HOST, ns->to.address);
    ssh_options_set(ns->ssh, SSH_OPTIONS_PORT, &port);
    ssh_options_set(ns->ssh, SSH_OPTIONS_USER, ns->to.user);
    ssh_options_set(ns->ssh, SSH_OPTIONS_KNOWNHOSTS, ns->to.known_hosts);
    ssh_options_set(ns->ssh, SSH_OPTIONS_GLOBAL_KNOWNHOSTS, ns->to.known_hosts);
    ssh_options_set(ns->ssh, SSH_OPTIONS_STRICTHOSTKEYCHECK, &yes);
    ssh_options_set(ns->ssh, SSH_OPTIONS_FD, &ns->fd);
    ssh_options_set(ns->ssh, SSH_OPTIONS_CIPHERS_C_S, CIPHERS);
    ssh_options_set(ns->ssh, SSH_OPTIONS_CIPHERS_S_C, CIPHERS);
    ssh_options_set(ns->ssh, SSH_OPTIONS_COMPRESSION, "no");
    ssh_set_blocking(ns->ssh, 0);
}

static void on_dialed(void *arg, int fd, enum ssh_fault fault, const char *text)
{
    struct node_ssh *ns = arg;
    if (fd >= 0) {
        node_ssh_told(ns, NODE_SSH_CONNECTED, dial_address(ns->dial));
        ns->dial = NULL;
        ns->fd = fd;
        ns->ssh = ssh_new();
        bug_on(!ns->ssh);
        set_options(ns);
        ns->watch = (struct loop_fd){.fd = fd, .fn = on_socket, .ctx = ns};
        ns->phase = CONNECTED;
        ns->ops->on_connected(ns->ctx, ns);
        return;
    }
    ns->dial = NULL;
    node_ssh_fail(ns, fault, "%s", text);
    node_ssh_over(ns);
}

void node_ssh_shake(struct node_ssh *ns)
{
    ns->phase = KEX;
    loop_timer_set(ns->loop, &ns->deadline, SSH_MS);
    node_ssh_turn(ns);
}

void node_ssh_start(struct node_ssh *ns)
{
    ns->phase = CALLING;
    ns->dial = dial_new(ns->loop, ns->to.address, ns->to.port, on_dialed, ns);
    ns->ops->on_phase(ns->ctx, ns, SSH_PHASE_CALLING);
}

struct node_ssh *node_ssh_new(struct loop *l, const struct node_ssh_config *cfg,
                              const struct node_ssh_ops *ops, void *ctx)
{
    struct node_ssh *ns = xcalloc(1, sizeof *ns);
    *ns = (struct node_ssh){.loop = l,
                            .ops = ops,
                            .ctx = ctx,
                            .bundle = cfg->bundle,
                            .keys = cfg->keys,
                            .accept = xstrdup(cfg->accept),
                            .is_shared = cfg->is_shared,
                            .fd = -1,
                            .peer = {.fd = cfg->peer, .fn = on_peer, .ctx = ns},
                            .why = STR_INIT,
                            .refused = STR_INIT,
                            .out = STR_INIT,
                            .held = STR_INIT,
                            .output = STR_INIT,
                            .complaints = STR_INIT};
    rec_copy(&ssh_order_rec, &ns->to, &cfg->to);
    boot_init(&ns->boot);
    ns->deadline = (struct loop_timer){.fn = on_deadline, .ctx = ns};
    if (cfg->command) {
        ns->command = xstrdup(cfg->command);
    } else {
        struct str s = STR_INIT;
        boot_command_node(&s, ns->bundle, ns->to.cluster, ns->to.node);
        ns->command = str_take(&s);
    }
    node_ssh_watch_peer(ns);
    return ns;
}
