/* client.h - a connection to the controller: find it, greet it, ask it, follow it.
 *
 * Used by the commands (blocking calls) and by the screens (own event loop, never blocked). Finds the
 * controller in the same way everywhere: through ssh where STOKER_HOST names a machine, else
 * $STOKER_HOME/run/controller.sock, else the shared mode's, else the user's own.
 */
#ifndef STOKER_CLIENT_CLIENT_H
#define STOKER_CLIENT_CLIENT_H

#include "src/base/err.h"
#include "src/conf/paths.h"
#include "src/proto/frame.h"
#include "src/proto/msg.h"

struct client;

/* Start the embedded controller where none is configured and none runs, and name it on standard error: for
 * submissions, never for queries. */
#define CLIENT_START 1u
#define CLIENT_UP    2u /* start the controller where none runs, configured or not: `stoker up` */
/* Do not wait for the answer to the greeting: requests follow it at once, which saves a round trip.
 * Until their first answer client_welcome is NULL; what would have failed the connection fails what
 * waits then. */
#define CLIENT_EAGER 4u
/* With CLIENT_UP: also on a state that has lost its last events. */
#define CLIENT_ACCEPT_LOSS 8u
/* Say nothing on standard error: the terminal is in use. */
#define CLIENT_SILENT 16u
/* Where no controller runs and none is configured: the Slurm of this machine, through a server of the
 * user's own (client_slurm.h). Never for commands that have Slurm's names, and never where STOKER_HOME is
 * set. */
#define CLIENT_SLURM 32u

/* Connects and greets. program: the name told to the controller. Errors: -ECONNREFUSED or -ENOENT (no
 * controller there), -EPROTO (versions), -EBUSY (too many connections), -ETIMEDOUT; *ret untouched. */
int client_connect(const char *program, unsigned flags, struct client **ret, struct errtext *err)
    __attribute__((warn_unused_result));
/* Waits up to wait_ms for a controller to answer, trying again with growing pauses: for commands inside
 * jobs. */
int client_connect_wait(const char *program, unsigned flags, int wait_ms, struct client **ret,
                        struct errtext *err) __attribute__((warn_unused_result));
void client_free(struct client *c);

const struct msg_welcome *client_welcome(const struct client *c); /* NULL: see CLIENT_EAGER */
const struct paths *client_paths(const struct client *c);
/* What a login on the controller's machine begins with (HOME, USER ...), where that is another one
 * (client_remote.h), with other files and another environment; NULL: it is this one. */
const struct strv *client_far_env(const struct client *c);
int client_fd(const struct client *c);

/* Sends a request and waits for its answer; pushes that come in between are kept for client_next. *ret is
 * the decoded body of kind *ret_kind, to be freed with msg_free. Errors: -ECONNRESET, -EBADMSG. A RESULT is
 * an answer like any other. */
int client_call(struct client *c, enum msg_kind kind, const void *body, enum msg_kind *ret_kind, void **ret,
                struct errtext *err) __attribute__((warn_unused_result));

/* Sends without waiting; the tag is that of its answers. Blocks only where the socket's buffer is full and
 * the connection is blocking. */
int client_send(struct client *c, enum msg_kind kind, const void *body, uint64_t *ret_tag,
                struct errtext *err) __attribute__((warn_unused_result));

struct incoming {
    enum msg_kind kind;
    uint64_t tag;
    void *body; /* msg_free(kind, body) */
};

/* The next message, waiting up to timeout_ms (-1: for ever, 0: not at all). Returns 1, 0 (none yet), or
 * -ECONNRESET, -EBADMSG. */
int client_next(struct client *c, int timeout_ms, struct incoming *ret, struct errtext *err)
    __attribute__((warn_unused_result));

/* Makes client_send and client_next never wait: sent bytes queue up. client_wants_write says whether to
 * watch for writability, client_flush writes what can be written. */
void client_set_nonblocking(struct client *c);
bool client_wants_write(const struct client *c);
int client_flush(struct client *c, struct errtext *err) __attribute__((warn_unused_result));

/* Fetches rows into m (initialised by the caller): all of them have been folded when it returns.
 * get->follow must be false. */
int client_fetch(struct client *c, const struct msg_get *get, struct model *m, struct errtext *err)
    __attribute__((warn_unused_result));

/* The same for listings of many jobs: each row is shown to fn as it comes and is not kept; what it
 * points to is valid during the call. A job that changed meanwhile comes again. m gets everything but the
 * jobs: the configuration and a time of the controller before the first row. */
int client_each_job(struct client *c, const struct msg_get *get, struct model *m,
                    void (*fn)(void *ctx, const struct job *j), void *ctx, struct errtext *err)
    __attribute__((warn_unused_result));

/* Asks the history and hands each job to fn, which owns it (job_free). A negative return of fn ends the
 * connection's use: it is the result. A refusal is -EACCES with the controller's text. */
int client_history(struct client *c, const struct msg_history *q, int (*fn)(void *ctx, struct job *j),
                   void *ctx, struct errtext *err) __attribute__((warn_unused_result));

/* Feeds one incoming SPEC, NODES, JOBS, SNAPSHOT, EVENT or REASONS into a mirror, taking what the body
 * holds (the body still is to be freed with msg_free). Returns 1 where the mirror changed, 0 where the
 * message is none of these, or a negative error: then ask again. */
int mirror_feed(struct model *m, const struct incoming *in, struct errtext *err)
    __attribute__((warn_unused_result));

/* Gets each body of MSG_JOBS with that tag as it came, instead of a message; a caller that never waits gets
 * one without a body then, so that it can do something else in between. A negative result ends the
 * connection's use. rows: NULL: as before. */
struct client_rows {
    int (*take)(void *ctx, const void *p, size_t n, struct errtext *err);
    void *ctx;
};
void client_take_rows(struct client *c, uint64_t tag, const struct client_rows *rows);
/* mirror_feed for such a body: each job is read straight into its place. Returns how many rows could not be
 * read and were left out, with the text of the last one in *err, or a negative error where none could. */
int mirror_feed_rows(struct model *m, const void *p, size_t n, struct errtext *err)
    __attribute__((warn_unused_result));

/* Called with a text for each row that this program cannot read: the others are given all the same. NULL,
 * as at the start: they are left out in silence. For the whole program. */
void client_on_unreadable(void (*fn)(const char *text));

/* A fresh request id. */
char *client_request_id(void) __attribute__((warn_unused_result));

#endif
