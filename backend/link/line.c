/* line.c - the phases of one node, and the pump between channel and controller. */
#include "backend/link/line.h"

#include <errno.h>
#include <fcntl.h>
#include <libssh/callbacks.h>
#include <libssh/libssh.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backend/link/boot.h"
#include "backend/link/dial.h"
#include "backend/link/keys.h"
#include "src/base/xalloc.h"

#define SSH_MS  30000 /* host key, login, channel */
#define BOOT_MS 20000 /* since the last progress; the bridge gives up sooner */
#define CHUNK   65536u
#define OUT_MAX \
    (256u << 10) /* of the controller's bytes that are held here; the rest stays in the socket */
#define TEXT_MAX  (64u << 10) /* of a command's output, of complaints */
#define TURNS_MAX 32
#define KEYS_MAX  4 /* sshd allows six tries by default */
/* The quickest first: processors have instructions for AES, and what is streamed costs mostly this. */
#define CIPHERS                                                                                 \
    "aes128-gcm@openssh.com,aes256-gcm@openssh.com,chacha20-poly1305@openssh.com,aes256-ctr,"  \
    "aes192-ctr,aes128-ctr"

enum phase { WAITING, CALLING, CONNECTED, KEX, LOGIN, OPEN, EXEC, BOOT, UP, OVER };

struct line {
    struct loop *loop;
    const struct line_ops *ops;
    void *ctx;
    struct link_open to;
    const struct kit *kit;
    struct keys *keys;
    char *command, *accept;

    enum phase phase;
    enum link_fault fault;
    struct str why;
    struct loop_timer deadline;
    struct dial *dial;

    int fd; /* the socket, as long as it is ours to close */
    struct loop_fd watch;
    ssh_session ssh;
    ssh_channel channel;
    ssh_event event;
    struct ssh_channel_callbacks_struct cb;
    bool ended, announced;
    int status;

    ssh_key key;
    size_t key_at;
    struct str refused; /* what was tried in vain */

    struct boot boot;
    const struct kit_file *sending;
    size_t sent;

    struct loop_fd peer;
    bool peer_ended;
    struct str out; /* to the channel */
    size_t out_at;
    struct str held; /* to the peer: read from the channel, not taken yet */
    size_t held_at;
    bool blocked; /* the peer takes no more for now */
    struct str output, complaints;
};

uint32_t line_id(const struct line *ln)
{
    return ln->to.id;
}

const char *line_output(const struct line *ln)
{
    return ln->output.s;
}

static void fail(struct line *ln, enum link_fault fault, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The first reason counts. */
static void fail(struct line *ln, enum link_fault fault, const char *fmt, ...)
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
            fail(ln, LINK_FAULT_NONE, "the controller has closed it");
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
            fail(ln, LINK_FAULT_INSTALL, "%s", ln->boot.text);
        else if (e == BOOT_UP)
            ln->phase = UP;
        else if (e == BOOT_SEND && strcmp(ln->boot.arch, ln->kit->arch) != 0)
            fail(ln, LINK_FAULT_INSTALL, "it is a machine of type %s, and the programs here are for %s",
                 ln->boot.arch, ln->kit->arch);
        else if (e == BOOT_SEND && (ln->sending = kit_find(ln->kit, ln->boot.name)))
            ln->sent = 0;
        else if (e == BOOT_SEND)
            fail(ln, LINK_FAULT_INSTALL, "it asks for a file %s that there is not", ln->boot.name);
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

/* --- phases --- */

static void told(struct line *ln, enum line_step step, const char *text)
{
    if (ln->ops->on_step)
        ln->ops->on_step(ln->ctx, ln, step, text);
}

static void lost(struct line *ln)
{
    const char *e = ln->ssh ? ssh_get_error(ln->ssh) : "";
    if (ln->phase == BOOT)
        fail(ln, LINK_FAULT_INSTALL, "the agent cannot be started there (%s)", *e ? e : "closed");
    else if (ln->phase == UP)
        fail(ln, LINK_FAULT_LOST, "the connection was lost%s%s", *e ? ": " : "", e);
    else
        fail(ln, LINK_FAULT_HANDSHAKE, "%s%s",
             *e ? e : "the connection was closed while it was being set up",
             ln->phase == KEX ? " (is that an SSH server?)" : "");
}

/* Only a key that is in the file is a known one; every other answer of libssh is a refusal. */
static bool check_host_key(struct line *ln)
{
    const char *type = "?";
    char *print = keys_fingerprint(ln->ssh, &type);
    enum ssh_known_hosts_e known = ssh_session_is_known_server(ln->ssh);
    const char *p = print ? print : "?";
    bool is_new = known == SSH_KNOWN_HOSTS_UNKNOWN || known == SSH_KNOWN_HOSTS_NOT_FOUND;
    if (is_new && print && ln->accept && strcmp(print, ln->accept) == 0)
        known = ssh_session_update_known_hosts(ln->ssh) == SSH_OK ? SSH_KNOWN_HOSTS_OK : known;
    if (known == SSH_KNOWN_HOSTS_OK) {
        told(ln, LINE_KEY_KNOWN, p);
    } else if (is_new) {
        fail(ln, LINK_FAULT_HOSTKEY_UNKNOWN,
             "its host key %s (%s) is not in %s: compare it with what the machine says (ssh-keygen -lf "
             "/etc/ssh/ssh_host_ed25519_key.pub there), then: stoker node accept %s %s",
             p, type, ln->to.known_hosts, ln->to.node, p);
    } else {
        char *name =
            ln->to.port == 22 ? xstrdup(ln->to.address) : xasprintf("[%s]:%u", ln->to.address, ln->to.port);
        fail(ln, LINK_FAULT_HOSTKEY_CHANGED,
             "its host key has CHANGED to %s (%s): refused, it may be another machine. If it was "
             "installed anew: ssh-keygen -R '%s' -f %s, then: stoker node accept %s %s",
             p, type, name, ln->to.known_hosts, ln->to.node, p);
        free(name);
    }
    free(print);
    return known == SSH_KNOWN_HOSTS_OK;
}

static bool step_kex(struct line *ln)
{
    int r = ssh_connect(ln->ssh);
    int flags = fcntl(ln->fd, F_GETFL);
    if (ssh_get_fd(ln->ssh) != -1 && flags >= 0) /* libssh clears it */
        fcntl(ln->fd, F_SETFL, flags | O_NONBLOCK);
    if (r == SSH_AGAIN)
        return false;
    if (r != SSH_OK) {
        lost(ln);
        return true;
    }
    if (check_host_key(ln))
        ln->phase = LOGIN;
    return true;
}

static void refuse_login(struct line *ln)
{
    ssh_key first = NULL;
    for (size_t i = 0; i < ln->to.identities.n && !first; i++)
        first = keys_get(ln->keys, ln->to.identities.v[i], NULL);
    if (!first) {
        fail(ln, LINK_FAULT_LOGIN, "there is no key to log in with (%s): stoker node key makes one",
             ln->refused.len ? ln->refused.s : "none is named");
        return;
    }
    char *line = keys_public_line(first);
    fail(ln, LINK_FAULT_LOGIN,
         "%s@%s does not let us in with %s: put this line into ~%s/.ssh/authorized_keys there: %s",
         ln->to.user, ln->to.address, ln->refused.s, ln->to.user, line);
    free(line);
}

static bool step_login(struct line *ln)
{
    while (!ln->key) {
        struct errtext err = {""};
        if (ln->key_at >= ln->to.identities.n || ln->key_at >= KEYS_MAX) {
            refuse_login(ln);
            return true;
        }
        const char *file = ln->to.identities.v[ln->key_at++];
        ln->key = keys_get(ln->keys, file, &err);
        str_appendf(&ln->refused, "%s%s", ln->refused.len ? ", " : "", ln->key ? file : err.s);
    }
    int r = ssh_userauth_publickey(ln->ssh, NULL, ln->key);
    if (r == SSH_AUTH_AGAIN)
        return false;
    if (r == SSH_AUTH_ERROR) {
        lost(ln);
        return true;
    }
    ln->key = NULL;
    if (r != SSH_AUTH_SUCCESS)
        return true; /* the next key */
    told(ln, LINE_LOGGED_IN, ln->to.identities.v[ln->key_at - 1]);
    ln->channel = ssh_channel_new(ln->ssh);
    bug_on(!ln->channel);
    ln->cb = (struct ssh_channel_callbacks_struct){.userdata = ln,
                                                   .channel_data_function = on_data,
                                                   .channel_close_function = on_end,
                                                   .channel_exit_status_function = on_status};
    ssh_callbacks_init(&ln->cb);
    ssh_set_channel_callbacks(ln->channel, &ln->cb);
    ln->phase = OPEN;
    return true;
}

static bool step_exec(struct line *ln)
{
    int r = ssh_channel_request_exec(ln->channel, ln->command);
    if (r == SSH_AGAIN)
        return false;
    if (r != SSH_OK) {
        lost(ln);
        return true;
    }
    ln->event = ssh_event_new();
    bug_on(!ln->event || ssh_event_add_session(ln->event, ln->ssh) != SSH_OK);
    if (ln->phase == EXEC)
        ln->phase = BOOT;
    told(ln, LINE_ASKED, "");
    loop_timer_set(ln->loop, &ln->deadline, BOOT_MS);
    return true;
}

static bool step_open(struct line *ln)
{
    int r = ssh_channel_open_session(ln->channel);
    if (r == SSH_AGAIN)
        return false;
    if (r != SSH_OK)
        lost(ln);
    else
        ln->phase = EXEC;
    return true;
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
            lost(ln);
            return;
        }
        if (n == 0)
            return; /* the window is full, or keys are being exchanged anew */
        if (file) {
            ln->sent += (size_t)n;
            loop_timer_set(ln->loop, &ln->deadline, BOOT_MS);
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

static bool step_run(struct line *ln)
{
    enum phase before = ln->phase;
    for (int i = 0; i < TURNS_MAX && ln->phase != OVER; i++) {
        int r = ssh_event_dopoll(ln->event, 0);
        if (r == SSH_ERROR || ssh_get_fd(ln->ssh) == -1) {
            if (!ln->ended)
                lost(ln);
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
            fail(ln, LINK_FAULT_NONE, "%s", "");
        else if (ln->phase == UP)
            fail(ln, LINK_FAULT_LOST, "%s", "the agent's side has closed it");
        else
            fail(ln, LINK_FAULT_INSTALL, "the agent cannot be started there (status %d)", ln->status);
    }
    return ln->phase != before && ln->phase != OVER;
}

static void watch_peer(struct line *ln)
{
    if (ln->peer.fd < 0)
        return;
    unsigned want = ln->blocked || ln->held_at < ln->held.len ? LOOP_WRITE : 0;
    if (ln->phase == UP ? ln->out.len - ln->out_at < OUT_MAX && !ln->peer_ended : !ln->peer_ended)
        want |= LOOP_READ;
    loop_watch(ln->loop, &ln->peer, want);
}

static void watch_socket(struct line *ln)
{
    if (ssh_get_fd(ln->ssh) == -1) { /* libssh closed it: the number may be somebody else's by now */
        loop_unwatch(ln->loop, &ln->watch);
        ln->fd = -1;
        lost(ln);
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

static bool step(struct line *ln)
{
    switch (ln->phase) {
    case KEX: return step_kex(ln);
    case LOGIN: return step_login(ln);
    case OPEN: return step_open(ln);
    case EXEC: return step_exec(ln);
    case BOOT:
    case UP: return step_run(ln);
    case WAITING:
    case CALLING:
    case CONNECTED:
    case OVER: break;
    }
    return false;
}

/* One event's worth of work. ln may be gone afterwards. */
static void turn(struct line *ln)
{
    while (step(ln) && ln->phase != OVER)
        ;
    if (ln->phase == UP && ln->peer_ended && ln->out_at == ln->out.len &&
        !(ssh_get_status(ln->ssh) & SSH_WRITE_PENDING))
        fail(ln, LINK_FAULT_NONE, "the controller has closed it");
    if (ln->phase != OVER && ln->ssh)
        watch_socket(ln);
    if (ln->phase == OVER)
        over(ln);
    else
        watch_peer(ln);
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
            fail(ln, LINK_FAULT_NONE, "the controller has closed it");
        if (ln->phase == OVER)
            over(ln);
        else
            loop_watch(ln->loop, &ln->peer, 0);
        return;
    }
    if (ready & LOOP_WRITE && ln->blocked) {
        ln->blocked = false;
        drain_channel(ln);
    }
    if (ready & LOOP_READ)
        read_peer(ln);
    turn(ln);
}

static void on_deadline(void *arg)
{
    struct line *ln = arg;
    if (ln->phase == BOOT)
        fail(ln, LINK_FAULT_INSTALL, "the agent does not answer within %d s", BOOT_MS / 1000);
    else
        fail(ln, LINK_FAULT_HANDSHAKE, "its SSH server does not answer within %d s (%s port %u)",
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
        told(ln, LINE_CONNECTED, dial_address(ln->dial));
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
    fail(ln, fault, "%s", text);
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
    watch_peer(ln);
    return ln;
}
