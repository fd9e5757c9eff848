/* follow.h - staying with one job: its events, signals to this process, and one descriptor more, in one
 * place to wait.
 *
 * The connection may go away at any time (the controller is restarted): that is said once, then it is tried
 * again for ever. After each new connection the job is fetched afresh, and the caller is told, so that it
 * asks again for what was open.
 */
#ifndef STOKER_CLI_FOLLOW_H
#define STOKER_CLI_FOLLOW_H

#include <sys/signalfd.h>

#include "src/cli/cmd.h"
#include "src/client/client.h"

struct follow {
    const struct cli *cli;
    struct client *client; /* NULL: away */
    struct model m;        /* a mirror of this one job */
    char *cluster;         /* the cluster's name, as the last greeting had it */
    uint32_t job;
    bool own;     /* this process is the job's terminal */
    uint64_t tag; /* of the subscription */
    bool known;   /* the first snapshot is in */
    bool said_away;
    int pause_ms;  /* until the next attempt to connect */
    int signal_fd; /* -1: signals are not taken */
    int out_fd[2]; /* waited for until they are writable; -1: not */
};

#define FOLLOW_CHANGED   1u  /* the job may look different */
#define FOLLOW_MESSAGE   2u  /* turn->in is a message for the caller, who frees it */
#define FOLLOW_SIGNAL    4u  /* turn->signal came */
#define FOLLOW_EXTRA     8u  /* the extra descriptor is readable */
#define FOLLOW_CONNECTED 16u /* a new connection: requests on the old one stay unanswered */

#define FOLLOW_OUT 32u /* one of out_fd is writable */

struct follow_turn {
    struct incoming in;
    struct signalfd_siginfo signal;
};

/* Takes c, which may be NULL. own: the job ends when this process goes away. */
void follow_init(struct follow *f, const struct cli *cli, struct client *c, uint32_t job, bool own);
/* INT, TERM, HUP, QUIT, USR1, USR2 come as FOLLOW_SIGNAL from now on; children must undo it with
 * follow_reset_signals. CHLD too where children. */
void follow_take_signals(struct follow *f, bool children);
/* The window's size too: WINCH. After follow_take_signals. */
void follow_take_resize(struct follow *f);
void follow_reset_signals(void);
void follow_fini(struct follow *f);

/* Waits for something, at most timeout_ms (-1: for ever). extra_fd: -1 for none. Returns FOLLOW_ bits, 0
 * for a time-out. */
unsigned follow_wait(struct follow *f, int timeout_ms, int extra_fd, struct follow_turn *turn);

/* The job; NULL while it is not known yet, or no longer (follow_is_gone). */
const struct job *follow_job(const struct follow *f);
bool follow_is_gone(const struct follow *f);

/* Sends. Returns false where the connection is away; what was asked must be asked again after
 * FOLLOW_CONNECTED. */
bool follow_send(struct follow *f, enum msg_kind kind, const void *body, uint64_t *ret_tag);
/* Asks, over as many connections as it takes, at most wait_ms after the first loss. Returns the answer or
 * NULL; msg_free(*ret_kind, ...). */
void *follow_call(struct follow *f, enum msg_kind kind, const void *body, int wait_ms,
                  enum msg_kind *ret_kind);

#endif
