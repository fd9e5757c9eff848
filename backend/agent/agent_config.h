/* agent_config.h - what stoker-agent is started with. */
#ifndef STOKER_BACKEND_AGENT_AGENT_CONFIG_H
#define STOKER_BACKEND_AGENT_AGENT_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

struct agent_config {
    const char *node;    /* its name in the cluster */
    const char *dir;     /* its own directory; made where it is missing */
    const char *socket;  /* NULL: agent.sock in dir */
    const char *clients; /* where clients of this machine are let in, on the way to a controller elsewhere:
                            a symlink to client.sock in dir is put there. NULL: none */
    const char *policy;  /* file of what is allowed here; NULL: policy in dir, where there is one */
    const char *controller; /* user whose connections are obeyed besides root's and our own; the agent is a
                               service then and stays whatever it is told. NULL: none */
    const char *shim;       /* program that supervises a task ... */
    const char *shim_mode;  /* ... and an argument in front of the directory, or NULL */
    const char *reader;     /* program that reads output files */
    bool launched;          /* by stoker-launcher, which has the rights, and has given the descriptors of
                               backend/rights/rights_wire.h */
    int ready_fd;           /* gets one byte once the socket listens; -1: none */
    int starter_fd; /* standard error of the starter: closed then, so that the starter may end; -1: none */
    uint32_t spool_keep_ms; /* after the acknowledged end and the last read */
    uint32_t stuck_ms;      /* a process that lives for so long after a kill is told to the controller */
    uint32_t gpu_look_ms;   /* between looks at the GPUs; 0: the usual time */
    bool test_nvml;         /* a test's library stands in for NVIDIA's */
};

#endif
