/* node_ssh.h - one node: called, checked, logged in to, joined with a descriptor.
 *
 *     CALL --connect--> CONNECTED --> KEX --host key--> LOGIN --> OPEN --> EXEC --> BOOT --bridge--> UP
 *       any of them --error, deadline, the other end closed--> over (freed)
 *
 * The pattern that was found to work with libssh 0.10: the socket is ours and is made non-blocking again
 * after each ssh_connect; callbacks are there before the channel opens; one ssh_event per session, turned
 * with timeout 0 until nothing is left; nothing is freed inside a callback; the descriptor is looked at
 * after every call, since libssh may have closed it.
 */
#ifndef STOKER_BACKEND_SSHLINK_NODE_SSH_H
#define STOKER_BACKEND_SSHLINK_NODE_SSH_H

#include "backend/loop/loop.h"
#include "backend/sshlink/bundle.h"
#include "src/proto/ssh_msg.h"

struct line;
struct keys;

/* Where a line has come to, for those who watch (`stoker-link check`). */
enum line_step { LINE_CONNECTED, LINE_KEY_KNOWN, LINE_LOGGED_IN, LINE_ASKED };

struct line_ops {
    void (*on_phase)(void *ctx, struct line *ln, enum link_phase phase);
    /* Its socket is connected; line_shake goes on, from in here or later. */
    void (*on_connected)(void *ctx, struct line *ln);
    /* May be NULL. text: the address, the fingerprint, the key's file, nothing once the command is sent. */
    void (*on_step)(void *ctx, struct line *ln, enum line_step step, const char *text);
    /* The line is over and freed after the call, its descriptor closed. */
    void (*on_over)(void *ctx, struct line *ln, enum link_fault fault, const char *text);
};

struct line_config {
    struct link_open to; /* borrowed during line_new: copied */
    struct keys *keys;
    const struct kit *kit; /* NULL with command */
    int peer;              /* the controller's stream, taken; -1 with command */
    const char *command;   /* instead of the agent: what it prints is handed over with line_output */
    const char *accept; /* fingerprint of a host key that is to be written into known_hosts; NULL: none */
    bool is_shared; /* shared mode: on the node the key may run the bridge to the agent's service alone */
};

/* Waits until line_start connects and line_shake begins to speak; over already where the controller takes
 * it back meanwhile. */
struct line *line_new(struct loop *l, const struct line_config *cfg, const struct line_ops *ops, void *ctx)
    __attribute__((warn_unused_result));
void line_start(struct line *ln);
void line_shake(struct line *ln);
/* No callback. */
void line_free(struct line *ln);

uint32_t line_id(const struct line *ln);
const char *line_output(const struct line *ln);

#endif
