/* peer_log.h - lines of the log that a peer of the agent causes are bounded: a controller that was broken
 * into could fill the node's disk with them. After 200 lines in a minute the rest are counted, and told as
 * one. */
#ifndef STOKER_BACKEND_AGENT_PEER_LOG_H
#define STOKER_BACKEND_AGENT_PEER_LOG_H

#include <stdbool.h>
#include <stdint.h>

struct loop;

struct peer_log {
    int64_t since_ms; /* of this minute */
    unsigned n, left_out;
};

/* Whether a line may be written now, which counts it. */
bool peer_log_may(struct peer_log *p, const struct loop *l);

#endif
