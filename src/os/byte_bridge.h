/* byte_bridge.h - joins a socket with a pair of descriptors: what stands at the far end of an SSH channel.
 */
#ifndef STOKER_OS_BYTE_BRIDGE_H
#define STOKER_OS_BYTE_BRIDGE_H

/* Carries bytes from `from` to sock and from sock to `to` until one side has ended: half a connection is of
 * no use to either. What was read by then has been written, as far as the other side takes it. Makes the
 * descriptors non-blocking and closes none. SIGPIPE must be ignored. */
void byte_bridge_run(int sock, int from, int to);

#endif
