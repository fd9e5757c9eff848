/* control.h - the controller: requests -> events -> the fold -> actions.
 *
 * One turn of the loop: requests and agents' reports become events, each folded at once and collected for
 * the disk; then actions are derived from the jobs that were touched and the policy is asked; then the
 * batch goes to the store. Replies, pushes and launches wait for the batch's commit ticket: nothing leaves
 * before what it follows from is on disk.
 */
#ifndef STOKER_BACKEND_CONTROL_H
#define STOKER_BACKEND_CONTROL_H

#include "backend/loop/loop.h"
#include "src/base/err.h"
#include "src/model/spec.h"

struct control;

/* Reads the configuration again; the caller knows where it is. Fills *ret or returns a negative error with
 * text. */
typedef int (*control_conf_fn)(void *ctx, struct cluster_spec *ret, struct errtext *err);

/* The name of a user, NULL where there is none. */
typedef const char *(*user_name_fn)(uint32_t uid);

struct control_config {
    const char *state_dir, *run_dir, *log_dir;
    const char *socket; /* of clients */
    bool accept_loss;   /* begin with a state that has lost its last events */
    bool everyone;      /* all users of the machine may connect; else the controller's own and root */
    const char *host;   /* this machine's name */
    const char *home;   /* STOKER_HOME for jobs; NULL: not set */
    struct cluster_spec *spec; /* taken */
    control_conf_fn reload;
    void *reload_ctx;
    user_name_fn user_name; /* of a uid; NULL: the name service is asked */
    int64_t beat_ms;        /* between heartbeats of nodes; 0: as ever */
};

/* Opens the store, folds what is there, takes over (a new epoch) and begins to serve. Errors have a text
 * for people. */
int control_new(struct loop *l, const struct control_config *cfg, struct control **ret, struct errtext *err)
    __attribute__((warn_unused_result));

/* Stops serving, commits what is left and frees. Tasks go on. */
void control_free(struct control *c);

/* A client that the caller knows to be of that user, as one that has called from a node: takes fd
 * (non-blocking). */
void control_add_client(struct control *c, int fd, uint32_t uid);

/* Everything that has been decided is on disk. */
bool control_is_settled(const struct control *c);

/* Reads the configuration again; a bad one is refused and the old one kept. */
int control_reload(struct control *c, struct errtext *err) __attribute__((warn_unused_result));

#endif
