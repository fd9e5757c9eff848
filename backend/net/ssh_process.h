/* ssh_process.h - the process stoker-link: started when a node is to be reached over SSH, started again
 * when it dies; or called at its socket where a service manager keeps it, under an account of its own.
 *
 * It holds nothing that is not to be had again: when it goes, every line is over and its node is called
 * anew.
 */
#ifndef STOKER_BACKEND_NET_SSH_PROCESS_H
#define STOKER_BACKEND_NET_SSH_PROCESS_H

#include "backend/loop/loop.h"
#include "src/base/list.h"
#include "src/proto/ssh_msg.h"

struct ssh_process;

/* A line that was asked for. Storage is the caller's; zeroed = none. */
struct ssh_stream {
    struct list link;
    uint32_t id; /* 0: none */
    /* With LINK_OVER it is the last call and c is none. */
    void (*fn)(void *ctx, enum link_phase phase, enum link_fault fault, const char *text);
    void *ctx;
};

/* log: file for what the program says. socket: where one is called instead of started; NULL: started.
 * beat_ms: between heartbeats; one that lets three pass is ended, or hung up on. */
struct ssh_process *ssh_process_new(struct loop *l, const char *log, const char *socket, int64_t beat_ms)
    __attribute__((warn_unused_result));
/* Where it is from now on: what there is goes on until it ends by itself. */
void ssh_process_set_socket(struct ssh_process *p, const char *socket);
/* The process goes by itself once it has delivered what it has taken. */
void ssh_process_free(struct ssh_process *p);

/* Has a line made to `to` (its id is set here); c->fn is told of it. Returns this side's descriptor of the
 * stream (non-blocking, the caller's; closing it ends the line), or a negative errno: -EAGAIN while the
 * process is not there. */
int ssh_process_open(struct ssh_process *p, struct link_open *to, struct ssh_stream *c)
    __attribute__((warn_unused_result));
/* No more calls. No-op for none. */
void ssh_process_forget(struct ssh_stream *c);

#endif
