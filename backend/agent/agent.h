/* agent.h - the daemon on a node: launches tasks, watches them, tells the controller. */
#ifndef STOKER_BACKEND_AGENT_AGENT_H
#define STOKER_BACKEND_AGENT_AGENT_H

#include "src/base/err.h"

struct agent_config {
    const char *node;    /* its name in the cluster */
    const char *dir;     /* its own directory; made where it is missing */
    const char *socket;  /* NULL: agent.sock in dir */
    const char *clients; /* where clients of this machine are let in, on the way to a controller elsewhere:
                            a link to client.sock in dir is put there. NULL: none */
    const char *policy;  /* file of what is allowed here; NULL: policy in dir, where there is one */
    const char *controller; /* user whose connections are obeyed besides root's and our own; the agent is a
                               service then and stays whatever it is told. NULL: none */
    const char *shim;       /* program that supervises a task ... */
    const char *shim_mode;  /* ... and an argument in front of the directory, or NULL */
    int ready_fd;           /* gets one byte once the socket listens; -1: nobody waits */
    int starter_fd; /* standard error of the starter: closed then, so that he is not held up; -1: none */
};

/* Runs until SIGTERM or MSG_AGENT_STOP. Returns 0; -EEXIST where another agent has the directory; another
 * -errno with a text. */
int agent_run(const struct agent_config *cfg, struct errtext *err) __attribute__((warn_unused_result));

#endif
