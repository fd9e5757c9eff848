/* stepin.h - standard input for a step: read here, sent in pieces with offsets, kept until the node has
 * taken them. */
#ifndef STOKER_CLI_STEPIN_H
#define STOKER_CLI_STEPIN_H

#include "src/cli/follow.h"

struct stepin {
    struct follow *f;
    bool on;               /* there is something to forward */
    bool at_end;           /* all has been read */
    bool told_end;         /* ... and taken, the end included */
    bool asked, asked_end; /* a piece is under way; it said that it is the last one */
    uint64_t tag;
    uint64_t offset; /* of the first byte kept */
    struct str kept; /* read, not yet taken by the node */
    int64_t retry_at_ms;
};

/* on: forward at all. */
void stepin_init(struct stepin *i, struct follow *f, bool on);
void stepin_fini(struct stepin *i);
/* The descriptor to watch for input; -1 for none now. */
int stepin_fd(const struct stepin *i);
void stepin_read(struct stepin *i);
/* Sends what is to be sent, once the step's ranks are there. */
void stepin_update(struct stepin *i, int32_t step, int64_t now_ms);
void stepin_reconnected(struct stepin *i);
bool stepin_take(struct stepin *i, const struct incoming *in, int64_t now_ms);
int stepin_timeout(const struct stepin *i, int64_t now_ms);
void stepin_stop(struct stepin *i);

#endif
