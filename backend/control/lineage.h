/* lineage.h - the file `lineage` beside the state: which cluster's state lies there.
 *
 * A state that has gone missing, with its disk or by mistake, must not be taken for that of a new cluster:
 * the nodes would get agents of another cluster beside those that still run the old one's tasks.
 *
 * Nor may an older copy of it, put back, be a controller that the nodes have seen the end of, or give ids
 * of jobs a second time, which the nodes would take for those that they have run. So the file tells beside
 * the cluster's name the epoch that it has come to, and an id that none given out has reached:
 *
 *     df034795-2b82-2374-a931-a43c11e4d0b6
 *     9 1130
 *
 * An epoch is noted when it is on disk: a start that is cut off before that leaves no trace, and is not
 * taken for a loss by the next one. */
#ifndef STOKER_BACKEND_CONTROL_LINEAGE_H
#define STOKER_BACKEND_CONTROL_LINEAGE_H

#include "backend/control/core.h"

/* A file of this name in the state directory asks for one start with a state that has lost something. It is
 * removed when the new epoch is on disk: until then the next start finds the same loss. */
#define LINEAGE_ACCEPT_LOSS "accept-loss"

extern const struct module_ops lineage_module;

/* Opens the store. -ENOENT where there was a state, and is none any more; others as store_open_as. */
int lineage_open_state(struct control *c, const struct store_callbacks *cb, bool accept_loss,
                       struct errtext *err) __attribute__((warn_unused_result));
/* Whether what has been loaded at the start is this cluster's, and all that was committed. accept_loss:
 * less is enough. */
int lineage_check_loaded(struct control *c, bool accept_loss, struct errtext *err)
    __attribute__((warn_unused_result));
/* Where what has been loaded is an older copy, or has lost something: the epoch and the id that have not
 * been yet. */
void lineage_follow(const struct control *c, bool accept_loss, struct ev_epoch *body);
/* The epoch that has just been emitted counts once it is on disk. */
void lineage_begin_epoch(struct control *c);
/* The epoch that the newest EV_EPOCH begins waits for this ticket; 0: it is on disk. */
uint64_t lineage_epoch_ticket(const struct control *c);

#endif
