/* node_ssh_internal.h - what the files of a session share: node_ssh.c its life, node_ssh_login.c until the
 * command is asked for, node_ssh_pump.c from then on.
 */
#ifndef STOKER_BACKEND_SSHLINK_NODE_SSH_INTERNAL_H
#define STOKER_BACKEND_SSHLINK_NODE_SSH_INTERNAL_H

#include <libssh/callbacks.h>
#include <libssh/libssh.h>

#include "backend/loop/loop.h"
#include "backend/sshlink/node_ssh_ops.h"
#include "src/carry/boot.h"

#define NODE_SSH_BOOT_MS 20000 /* since the last progress; the bridge gives up sooner */

enum phase { WAITING, CALLING, CONNECTED, KEX, LOGIN, OPEN, EXEC, BOOT, UP, OVER };

struct node_ssh {
    struct loop *loop;
    const struct node_ssh_ops *ops;
    void *ctx;
    struct ssh_order to;
    const struct bundle *bundle;
    struct keys *keys;
    char *command, *accept;
    bool is_shared;

    enum phase phase;
    enum ssh_fault fault;
    struct str why;
    struct loop_timer deadline;
    int unsent; /* bytes that the kernel had to send or to see acknowledged when it was set */
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
    struct str refused; /* what was tried and refused */

    struct boot boot;
    const struct bundle_file *sending;
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

/* It is over, for that reason; the first one counts. It is freed at the end of the turn. */
void node_ssh_fail(struct node_ssh *ns, enum ssh_fault fault, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The same where libssh says why. */
void node_ssh_lost(struct node_ssh *ns);
void node_ssh_told(struct node_ssh *ns, enum node_ssh_step step, const char *text);
/* Something has gone on: the deadline of the start starts again. */
void node_ssh_progress(struct node_ssh *ns);

/* --- node_ssh_login.c --- */

/* KEX to EXEC. False: it waits for the other side. */
bool node_ssh_step_login(struct node_ssh *ns);

/* --- node_ssh_pump.c --- */

/* Before its channel is opened. */
void node_ssh_attach(struct node_ssh *ns);
/* BOOT and UP. False: nothing more to do now. */
bool node_ssh_run(struct node_ssh *ns);
/* The peer can be read, or written, or both. */
void node_ssh_turn_peer(struct node_ssh *ns, bool read, bool write);
/* Says what is to be heard of the peer. No-op without one. */
void node_ssh_watch_peer(struct node_ssh *ns);

#endif
