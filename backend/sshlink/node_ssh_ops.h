/* node_ssh_ops.h - what the owner of an SSH session with a node is told of it. */
#ifndef STOKER_BACKEND_SSHLINK_NODE_SSH_OPS_H
#define STOKER_BACKEND_SSHLINK_NODE_SSH_OPS_H

#include "src/proto/ssh_msg.h"

struct node_ssh;

/* How far a session has come, for observers (`stoker-link check`). */
enum node_ssh_step { NODE_SSH_CONNECTED, NODE_SSH_KEY_KNOWN, NODE_SSH_LOGGED_IN, NODE_SSH_ASKED };

struct node_ssh_ops {
    void (*on_phase)(void *ctx, struct node_ssh *ns, enum ssh_phase phase);
    /* Its socket is connected; node_ssh_shake goes on, from in here or later. */
    void (*on_connected)(void *ctx, struct node_ssh *ns);
    /* May be NULL. text: the address, the fingerprint, the key's file, nothing once the command is sent. */
    void (*on_step)(void *ctx, struct node_ssh *ns, enum node_ssh_step step, const char *text);
    /* The line is over and freed after the call, its descriptor closed. */
    void (*on_over)(void *ctx, struct node_ssh *ns, enum ssh_fault fault, const char *text);
};

#endif
