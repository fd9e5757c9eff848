/* pmi_server.h - the program stoker-pmi: it serves PMI to the ranks of a task, and has no more rights than
 * they.
 *
 * What ranks send is read by a process that has become their user and makes only the system calls of a
 * reader (confine.h). The supervisor starts it before the ranks (backend/shim/shim_pmi_start.h), says what
 * it serves (pmi_setup.h), and trusts nothing that comes from it: it sets the launch key of each
 * MSG_PMI_FENCE, and bounds the rest. The server ends with their socket.
 */
#ifndef STOKER_BACKEND_PMI_SERVER_H
#define STOKER_BACKEND_PMI_SERVER_H

/* Serves until the shim is gone. The caller has become the user and cannot be traced. Does not return. */
_Noreturn void pmi_server_run(void);

#endif
