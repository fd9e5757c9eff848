/* pmi_server.h - a process that serves PMI to the ranks of a task, and that has no more rights than they.
 *
 * What ranks send is read by a process that has become their user, that makes only the system calls of a
 * reader (confine.h), and that is forked by the shim before the ranks. Shim and server have a socket:
 *
 *     shim --MSG_PMI_ALL, PMI_ASK_PAST--> server --MSG_PMI_FENCE, PMI_TELL, PMI_END--> shim
 *
 * where MSG_PMI_ALL and MSG_PMI_FENCE have the body that travels between node and controller. The server
 * ends with the socket. The shim trusts nothing that comes from there: it sets the launch key of each
 * MSG_PMI_FENCE, and bounds the rest.
 */
#ifndef STOKER_BACKEND_PMI_SERVER_H
#define STOKER_BACKEND_PMI_SERVER_H

#include <stdint.h>

#include "src/proto/launch.h"

#define PMI_FRAME_MAX \
    (6u << 20)            /* the part of a task, or a piece of the answer, with its strings' lengths */
#define PMI_LINE_MAX 1024 /* of the text of PMI_END */

/* Frame types. */
enum {
    PMI_ASK_PAST =
        0xf101,        /* the ranks have ended: are all tasks of the step past the last fence? No body */
    PMI_TELL = 0xf102, /* the tag is made of bits: */
    PMI_END = 0xf103,  /* the step is to end; the body is a line for its user, without a zero */
};

/* Bits of PMI_TELL. */
enum {
    PMI_IS_KEEPER = 1, /* keeps the answer of a fence that other tasks may lack */
    PMI_ALL_PAST = 2,  /* no task needs it any more */
};

struct pmi_setup {
    const struct launch *launch;
    const char *node; /* NULL: not known */
    const int *fds;   /* of each rank of the launch: the server's end of its socket */
    int shim_fd;
};

/* Serves until the shim is gone; everything else is closed. The caller has become the user. Does not
 * return. */
_Noreturn void pmi_server_run(const struct pmi_setup *setup);

#endif
