/* sshlink.c - the controller's orders, and which lines are called when. */
#include "backend/sshlink/sshlink.h"

#include <errno.h>
#include <libssh/libssh.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backend/sshlink/node_ssh.h"
#include "backend/sshlink/ssh_keys.h"
#include "src/base/list.h"
#include "src/base/xalloc.h"
#include "src/carry/boot.h"
#include "src/os/log.h"
#include "src/proto/codec.h"
#include "src/proto/frame.h"

/* More handshakes at once would only wait for one another: most of one is work of sshd's, and a little of
 * ours. Connecting is waiting alone, and for a machine that is off it is long: it takes no handshake's
 * place. Nor does waiting for the login shell there, whose start-up files may take their time. */
#define HANDSHAKES_MAX 32
#define DIALS_MAX      256
#define ORDERS_A_TURN  64
#define LEAVE_MS       1500

enum stage { IDLE, DIALING, SHAKING };

struct sshlink_entry {
    struct list link; /* in waiting, connected, or running */
    struct link *owner;
    struct node_ssh *line;
    char *node;
    enum stage stage; /* what it is counted as */
};

struct packet {
    struct list link;
    size_t n;
    char p[];
};

struct link {
    struct loop *loop;
    struct loop_fd ctl;
    struct loop_timer next, end;
    struct bundle bundle;
    struct keys keys;
    const char *keys_dir;
    struct list waiting, connected, running, packets;
    int n_dialing, n_shaking;
    bool leaving;
};

/* --- to the controller --- */

static void sshlink_flush(struct link *l)
{
    list_for_each (k, &l->packets, struct packet, link) {
        ssize_t n = send(l->ctl.fd, k->p, k->n, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            break;
        list_unlink(&k->link); /* any other error shows as a closed socket */
        free(k);
    }
    if (!l->leaving)
        loop_watch(l->loop, &l->ctl, LOOP_READ | (list_empty(&l->packets) ? 0 : LOOP_WRITE));
}

static void sshlink_queue(struct link *l, const struct str *out)
{
    struct packet *k = xmalloc(sizeof *k + out->len);
    k->n = out->len;
    memcpy(k->p, out->s, out->len);
    list_init(&k->link);
    list_append(&l->packets, &k->link);
    sshlink_flush(l);
}

static void sshlink_tell(struct link *l, uint32_t id, enum ssh_phase phase, enum ssh_fault fault,
                         const char *text)
{
    struct ssh_report st = {.id = id, .phase = phase, .fault = fault, .text = xstrdup(text)};
    struct str out = STR_INIT;
    size_t at = frame_begin(&out);
    codec_encode(&ssh_report_rec, &st, &out);
    frame_end(&out, at, SSH_MSG_STATE, 0, id);
    sshlink_queue(l, &out);
    str_fini(&out);
    free(st.text);
}

static void answer_ping(struct link *l)
{
    struct str out = STR_INIT;
    frame_append_header(&out, SSH_MSG_PING, 0, 0, 0);
    sshlink_queue(l, &out);
    str_fini(&out);
}

/* --- lines --- */

static void set_stage(struct sshlink_entry *e, enum stage stage)
{
    struct link *l = e->owner;
    l->n_dialing += (stage == DIALING) - (e->stage == DIALING);
    l->n_shaking += (stage == SHAKING) - (e->stage == SHAKING);
    if (stage < e->stage || e->stage == DIALING) /* another session's turn may have come */
        loop_timer_set(l->loop, &l->next, 0);
    e->stage = stage;
}

static void sshlink_on_phase(void *ctx, struct node_ssh *ns, enum ssh_phase phase)
{
    struct sshlink_entry *e = ctx;
    sshlink_tell(e->owner, node_ssh_id(ns), phase, SSH_FAULT_NONE, NULL);
    if (phase == SSH_PHASE_UP)
        log_info("node=%s up", e->node);
}

static void sshlink_on_step(void *ctx, struct node_ssh *ns, enum node_ssh_step step, const char *text)
{
    (void)ns;
    (void)text;
    if (step == NODE_SSH_ASKED)
        set_stage(ctx, IDLE);
}

static void sshlink_on_connected(void *ctx, struct node_ssh *ns)
{
    (void)ns;
    struct sshlink_entry *e = ctx;
    list_move_to_end(&e->owner->connected, &e->link);
    set_stage(e, IDLE);
}

static void sshlink_on_over(void *ctx, struct node_ssh *ns, enum ssh_fault fault, const char *text)
{
    struct sshlink_entry *e = ctx;
    if (fault != SSH_FAULT_NONE)
        log_warn("node=%s %s: %s", e->node, ssh_fault_word(fault), text);
    sshlink_tell(e->owner, node_ssh_id(ns), SSH_PHASE_OVER, fault, text);
    set_stage(e, IDLE);
    list_unlink(&e->link);
    if (e->owner->leaving && list_empty(&e->owner->running))
        loop_stop(e->owner->loop);
    free(e->node);
    free(e);
}

static const struct node_ssh_ops line_ops = {.on_phase = sshlink_on_phase,
                                             .on_connected = sshlink_on_connected,
                                             .on_step = sshlink_on_step,
                                             .on_over = sshlink_on_over};

static void call_next(void *arg)
{
    struct link *l = arg;
    while (!l->leaving && l->n_dialing < DIALS_MAX && !list_empty(&l->waiting)) {
        struct sshlink_entry *e = list_first(&l->waiting, struct sshlink_entry, link);
        list_move_to_end(&l->running, &e->link);
        set_stage(e, DIALING);
        node_ssh_start(e->line);
    }
    while (!l->leaving && l->n_shaking < HANDSHAKES_MAX && !list_empty(&l->connected)) {
        struct sshlink_entry *e = list_first(&l->connected, struct sshlink_entry, link);
        list_move_to_end(&l->running, &e->link);
        set_stage(e, SHAKING);
        node_ssh_shake(e->line);
    }
}

/* --- from the controller --- */

static void take_open(struct link *l, struct ssh_order *m, int fd)
{
    if (!boot_is_word(m->node) || !boot_is_word(m->cluster)) { /* they stand in a line for a shell */
        close(fd);
        sshlink_tell(l, m->id, SSH_PHASE_OVER, SSH_FAULT_INSTALL, "its name cannot stand in a command");
        return;
    }
    struct node_ssh_config cfg = {
        .to = *m, .bundle = &l->bundle, .keys = &l->keys, .peer = fd, .is_shared = l->keys_dir != NULL};
    struct sshlink_entry *e = xcalloc(1, sizeof *e);
    *e = (struct sshlink_entry){.owner = l, .node = xstrdup(m->node)};
    list_init(&e->link);
    list_append(&l->waiting, &e->link);
    e->line = node_ssh_new(l->loop, &cfg, &line_ops, e);
    loop_timer_set(l->loop, &l->next, 0);
}

/* A controller that is another user does not see our key, and need not know where it lies. */
static void use_own_keys(const struct link *l, struct ssh_order *m)
{
    if (!l->keys_dir)
        return;
    if (!m->identities.n)
        strv_push_take(&m->identities, xasprintf("%s/id_ed25519", l->keys_dir));
    if (!m->known_hosts)
        m->known_hosts = xasprintf("%s/known_hosts", l->keys_dir);
}

static void take_packet(struct link *l, const char *p, size_t n, int fd)
{
    struct frame_reader r = {.max = SSH_MSG_MAX};
    struct frame f;
    struct errtext err = {""};
    memcpy(frame_reader_space(&r, n), p, n);
    frame_reader_added(&r, n);
    bool whole = frame_reader_next(&r, &f) == 1;
    if (whole && f.type == SSH_MSG_PING) {
        answer_ping(l);
    } else if (whole && f.type == SSH_MSG_OPEN) {
        struct ssh_order m;
        int e = codec_decode(&ssh_order_rec, f.body, f.size, &m, &err);
        if (e == 0)
            use_own_keys(l, &m);
        if (e == 0 && fd >= 0) {
            take_open(l, &m, fd);
            fd = -1;
        } else {
            log_error("an order that cannot be read: %s", err.s);
        }
        if (e == 0)
            rec_fini(&ssh_order_rec, &m);
    }
    if (fd >= 0)
        close(fd);
    frame_reader_fini(&r);
}

/* One packet; its descriptor, or -1, in *ret_fd. Returns its size, 0 at the end, a negative errno. */
static ssize_t sshlink_receive(int sock, char *buf, size_t size, int *ret_fd)
{
    union {
        struct cmsghdr head;
        char space[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec iov = {.iov_base = buf, .iov_len = size};
    struct msghdr m = {
        .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t n = recvmsg(sock, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    *ret_fd = -1;
    if (n < 0)
        return -errno;
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
        memcpy(ret_fd, CMSG_DATA(c), sizeof *ret_fd);
    return n;
}

static void sshlink_stop(void *arg)
{
    struct link *l = arg;
    loop_stop(l->loop);
}

/* The controller is gone. It has closed its side of every stream: what it said last is delivered first. */
static void sshlink_leave(struct link *l)
{
    loop_unwatch(l->loop, &l->ctl);
    l->leaving = true;
    loop_timer_set(l->loop, &l->end, list_empty(&l->running) ? 0 : LEAVE_MS);
}

static void on_ctl(void *arg, unsigned ready)
{
    struct link *l = arg;
    char buf[SSH_MSG_MAX];
    if (ready & LOOP_WRITE)
        sshlink_flush(l);
    for (int i = 0; i < ORDERS_A_TURN; i++) {
        int fd;
        ssize_t n = sshlink_receive(l->ctl.fd, buf, sizeof buf, &fd);
        if (n == -EAGAIN || n == -EINTR)
            return;
        if (n <= 0) {
            sshlink_leave(l);
            return;
        }
        take_packet(l, buf, (size_t)n, fd);
    }
}

static void sshlink_on_signal(void *ctx, int signo)
{
    struct link *l = ctx;
    if (signo == SIGTERM)
        loop_stop(l->loop);
}

static void free_lines(struct list *head)
{
    list_for_each (e, head, struct sshlink_entry, link) {
        node_ssh_free(e->line);
        list_unlink(&e->link);
        free(e->node);
        free(e);
    }
}

static const char *const node_programs[] = {"stoker-agent", "stoker-shim", "stoker-pmi", "stoker", NULL};

int sshlink_run(int ctl_fd, const char *dir, const char *keys, struct errtext *err)
{
    struct link l = {.ctl = {.fd = ctl_fd, .fn = on_ctl}, .keys_dir = keys};
    struct rlimit files;
    int r = bundle_open(&l.bundle, dir, node_programs, err);
    if (r < 0)
        return r;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur =
            files.rlim_max < 65536 ? files.rlim_max : 65536; /* libssh keeps 16 bits of a number */
        setrlimit(RLIMIT_NOFILE, &files);
    }
    l.loop = loop_new();
    l.ctl.ctx = &l;
    l.next = (struct loop_timer){.fn = call_next, .ctx = &l};
    l.end = (struct loop_timer){.fn = sshlink_stop, .ctx = &l};
    list_init(&l.waiting);
    list_init(&l.connected);
    list_init(&l.running);
    list_init(&l.packets);
    loop_on_signals(l.loop, (int[]){SIGTERM, SIGINT, SIGHUP, SIGPIPE}, 4, sshlink_on_signal, &l);
    loop_watch(l.loop, &l.ctl, LOOP_READ);
    log_info("libssh=%s bundle=%s", ssh_version(0), l.bundle.id);
    loop_run(l.loop);
    free_lines(&l.waiting);
    free_lines(&l.connected);
    free_lines(&l.running);
    list_for_each (k, &l.packets, struct packet, link) {
        list_unlink(&k->link);
        free(k);
    }
    loop_timer_cancel(l.loop, &l.next);
    loop_timer_cancel(l.loop, &l.end);
    loop_unwatch(l.loop, &l.ctl);
    loop_free(l.loop);
    keys_fini(&l.keys);
    bundle_close(&l.bundle);
    return 0;
}
