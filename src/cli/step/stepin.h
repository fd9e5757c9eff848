/* stepin.h - standard input for a step: read here, sent to each node in pieces with offsets, kept until all
 * have taken them. */
#ifndef STOKER_CLI_STEPIN_H
#define STOKER_CLI_STEPIN_H

#include "src/base/vec.h"
#include "src/cli/step/follow.h"

/* One task of the step: one node, which hands the bytes to its ranks. */
struct stepin_target {
    uint32_t rank;  /* the task's first one */
    uint64_t taken; /* bytes of the whole stream */
    bool asked;     /* a piece is under way */
    bool done;      /* the end is taken, or the step reads no more input */
    uint64_t tag;
    int64_t retry_at_ms;
};

struct stepin {
    struct follow *f;
    bool on;         /* there is something to forward */
    bool at_end;     /* all has been read */
    uint64_t offset; /* of the first byte kept */
    struct str kept; /* read, not yet taken by every node */
    VEC(struct stepin_target) targets;
};

/* on: forward at all. */
void stepin_init(struct stepin *i, struct follow *f, bool on);
void stepin_fini(struct stepin *i);
/* The descriptor to watch for input; -1 for none now. */
int stepin_fd(const struct stepin *i);
void stepin_read(struct stepin *i);
/* Sends what is to be sent to tasks that are there. */
void stepin_update(struct stepin *i, const struct step *s, int64_t now_ms);
void stepin_reconnected(struct stepin *i);
bool stepin_take(struct stepin *i, const struct incoming *in, int64_t now_ms);
int stepin_timeout(const struct stepin *i, int64_t now_ms);

#endif
