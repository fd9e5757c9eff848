/* ptyin.h - this terminal as the writer of a task's: keys, window size, and a heartbeat every few
 * seconds.
 *
 *     fresh --INPUT--> held: keys go out with their place in the stream, again after a lost connection
 *       |                |
 *       +-- refused <----+   another client writes, or took over
 *
 * The task's supervisor keeps the terminal, so that this end may go at any time. Source: sattach(1) for the
 * idea of one writer.
 */
#ifndef STOKER_CLI_PTYIN_H
#define STOKER_CLI_PTYIN_H

#include "src/cli/step/follow.h"

struct ptyin {
    struct follow *f;
    bool on;       /* this step is on a terminal */
    bool take;     /* even if another client writes */
    bool attached; /* the session was there before: its screen is to be drawn */
    bool held;     /* we are the writer */
    char *refused; /* the user who is; NULL: not refused */
    bool hung_up;  /* our terminal has gone */
    bool left;     /* the keys for leaving were typed */
    bool closed;   /* the step reads no more input */
    uint64_t out;  /* bytes of output when we came */

    uint64_t writer;
    char *who;
    uint64_t offset; /* of the first byte kept */
    struct str kept;
    bool is_tty, asked, resized;
    bool at_end, eof_asked, eof_done;
    uint64_t tag, seen_told;
    int64_t asked_ms; /* when the one under way was sent */
    int64_t next_ms;  /* of the next word, at the latest */
    int64_t retry_ms; /* not before; 0: at once */
    int escape;       /* how much of "Enter ~ ." has been typed */
};

/* on: else all of this does nothing. attached: the keys Enter ~ . leave. */
void ptyin_init(struct ptyin *p, struct follow *f, bool on, bool attached, bool take);
void ptyin_fini(struct ptyin *p);
/* The descriptor to watch for input; -1 for none now. */
int ptyin_fd(const struct ptyin *p);
void ptyin_read(struct ptyin *p);
/* The window has another size. */
void ptyin_resize(struct ptyin *p);
/* Says what is to be said to s's task. seen: bytes of its output that were written here. */
void ptyin_update(struct ptyin *p, const struct step *s, uint64_t seen, int64_t now_ms);
void ptyin_reconnected(struct ptyin *p);
/* Takes in->body where in answers one of ours; returns whether it did. */
bool ptyin_take(struct ptyin *p, const struct incoming *in, int64_t now_ms);
/* Milliseconds until something is to be said; -1: nothing. */
int ptyin_timeout(const struct ptyin *p, int64_t now_ms);
/* Says that this end is leaving; does not wait for an answer. */
void ptyin_leave(struct ptyin *p, const struct step *s);

#endif
