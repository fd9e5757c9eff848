/* compact.h - events about nodes, windows and controllers that later ones have made void: without them the
 * log gives the same state.
 *
 * Of a node remain the newest facts, the newest change of its state with the event before it (together they
 * give the time of the change), the newest drain or resume, and the last events that its record keeps; of
 * the controllers the newest, and so of the usage, and of each window, which each event about them holds as
 * a whole. New configurations are rare and stay: nodes come and go with them.
 */
#ifndef STOKER_BACKEND_CONTROL_COMPACT_H
#define STOKER_BACKEND_CONTROL_COMPACT_H

#include "src/base/vec.h"
#include "src/model/model.h"

struct compact_node;

struct compact {
    struct idmap nodes;   /* hash of the name -> struct compact_node */
    struct idmap windows; /* hash of the name -> number of the event that holds it */
    uint64_t epoch, usage;
    uint64_t removed[2]; /* of the window that was removed last: its event, and that of its removal */
    uint64_t unfit;      /* of the last event about a node that is not there any more */
    VEC(uint64_t) gone;  /* numbers of events that are void by now */
};

/* model_apply, taking notes. 0 also for what was said of a node that was carried on for a job alone, after
 * that job has left the log: it is void. */
int compact_apply(struct compact *k, struct model *m, const struct event *ev);
void compact_fini(struct compact *k);

#endif
