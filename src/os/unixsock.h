/* unixsock.h - Unix sockets by path, also where the path is longer than the 107 bytes that an address
 * holds. */
#ifndef STOKER_OS_UNIXSOCK_H
#define STOKER_OS_UNIXSOCK_H

#include <sys/types.h>

/* A connected stream socket, close-on-exec. flags: SOCK_NONBLOCK or 0. wait_s: how long a full queue of
 * connections is waited for; 0: as the flags say. Returns the descriptor or a negative errno. */
int unixsock_connect(const char *path, int flags, int wait_s) __attribute__((warn_unused_result));

/* The same with a socket of packets (SOCK_SEQPACKET), which never waits. */
int unixsock_connect_packets(const char *path) __attribute__((warn_unused_result));
int unixsock_listen_packets(const char *path, mode_t mode, int backlog) __attribute__((warn_unused_result));

/* A listening stream socket, non-blocking and close-on-exec, in place of whatever stood at path: the caller
 * holds a lock that says that no other process serves it. Returns the descriptor or a negative errno. */
int unixsock_listen(const char *path, mode_t mode, int backlog) __attribute__((warn_unused_result));

#endif
