/* ssh_process.h - the process stoker-link, which holds the SSH sessions to all nodes.
 *
 * Started when a node is to be reached over SSH and again when it dies; or called at its socket where a
 * service manager keeps it, under an account of its own. It holds nothing that cannot be had again: when it
 * goes, every session is over and its node is called again.
 */
#ifndef STOKER_BACKEND_NET_SSH_PROCESS_H
#define STOKER_BACKEND_NET_SSH_PROCESS_H

#include "backend/loop/loop.h"
#include "src/base/list.h"
#include "src/proto/ssh_msg.h"

struct ssh_process;

/* A session that was asked for. Storage is the caller's; zeroed = none. */
struct ssh_stream {
    struct list link;
    uint32_t id; /* 0: none */
    /* With SSH_PHASE_OVER it is the last call and c is none. */
    void (*fn)(void *ctx, enum ssh_phase phase, enum ssh_fault fault, const char *text);
    void *ctx;
};

/* log: file for what the program prints. socket: where a running one is called; NULL: it is started.
 * beat_ms: between heartbeats; a process that misses three is killed, or its connection closed. */
struct ssh_process *ssh_process_new(struct loop *l, const char *log, const char *socket, int64_t beat_ms)
    __attribute__((warn_unused_result));
/* Where it is from now on; existing sessions go on until they end by themselves. */
void ssh_process_set_socket(struct ssh_process *p, const char *socket);
/* The process ends by itself once it has delivered what it has taken. */
void ssh_process_free(struct ssh_process *p);

/* Asks for a session with `to` (its id is set here); c->fn hears of its phases. Returns this side's
 * descriptor of the stream (non-blocking, the caller's; closing it ends the session), or a negative errno:
 * -EAGAIN while the process is not there. */
int ssh_process_open(struct ssh_process *p, struct ssh_order *to, struct ssh_stream *c)
    __attribute__((warn_unused_result));
/* No more calls. No-op for none. */
void ssh_process_forget(struct ssh_stream *c);

#endif
