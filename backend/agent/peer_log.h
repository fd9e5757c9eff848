/* peer_log.h - limits the log lines that peers of the agent cause: a controller that was broken into could
 * fill the node's disk with them. After 200 lines in a minute the rest are only counted, and one line gives
 * their number. */
#ifndef STOKER_BACKEND_AGENT_PEER_LOG_H
#define STOKER_BACKEND_AGENT_PEER_LOG_H

#include <stdbool.h>
#include <stdint.h>

struct loop;

struct peer_log {
    int64_t since_ms; /* of this minute */
    unsigned n, left_out;
};

/* Returns whether a line may be written now, and counts the line. */
bool peer_log_may(struct peer_log *p, const struct loop *l);

#endif
