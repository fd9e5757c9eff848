/* shim_server.h - the program stoker-shim: one shim, or the server that forks them
 * (backend/rights/forkserver.h).
 */
#ifndef STOKER_BACKEND_SHIM_SHIM_SERVER_H
#define STOKER_BACKEND_SHIM_SHIM_SERVER_H

/* The arguments after the mode. Returns the exit status. */
int shim_program(int argc, char **argv);

#endif
