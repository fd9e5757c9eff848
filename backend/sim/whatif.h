/* whatif.h - what a change would do to the plan of a queue, before it is made. */
#ifndef STOKER_BACKEND_SIM_WHATIF_H
#define STOKER_BACKEND_SIM_WHATIF_H

#include "src/answers/answer_plan.h"
#include "src/base/err.h"
#include "src/model/model.h"

struct whatif_change {
    struct strv drain;         /* nodes that take nothing more */
    struct cluster_spec *spec; /* another configuration, taken; NULL: as it is */
};

struct whatif_row { /* of a waiting job whose start would change */
    uint32_t job, array_job, array_index;
    char *name, *user, *partition;
    uint32_t kind_before, kind_after; /* enum plan_kind */
    struct wall before, after;        /* starts; unset: not known */
};
#define WHATIF_ROW_FIELDS(F, G, S)                                                                     \
    F(S, U32, job)                                                                                     \
    F(S, U32, array_job)                                                                               \
    F(S, U32, array_index) F(S, STR, name) F(S, STR, user) F(S, STR, partition) F(S, U32, kind_before) \
        F(S, U32, kind_after) F(S, WALL, before) F(S, WALL, after)

struct whatif_node { /* a drained one */
    char *node;
    uint32_t n_jobs;     /* that run there */
    struct wall free_at; /* when the last of them reaches its limit; unset: never, or nothing runs */
};
#define WHATIF_NODE_FIELDS(F, G, S) F(S, STR, node) F(S, U32, n_jobs) F(S, WALL, free_at)

struct whatif {
    REC_LIST(struct whatif_row) rows;
    REC_LIST(struct whatif_node) nodes;
    uint32_t n_waiting, n_earlier, n_later, n_never; /* never: has a start before and none after */
    struct wall now;
};
#define WHATIF_FIELDS(F, G, S)       \
    G(S, LISTOF, rows, whatif_row)   \
    G(S, LISTOF, nodes, whatif_node) \
    F(S, U32, n_waiting) F(S, U32, n_earlier) F(S, U32, n_later) F(S, U32, n_never) F(S, WALL, now)

extern const struct rec_desc whatif_rec;

/* m: a copy of the state, as a client gets it; it is changed. Priorities are those of its rows. Errors:
 * -ENOENT (no such node), -EINVAL (the configuration does not fit), with a text. ret: rec_fini(&whatif_rec,
 * ret). */
int whatif_run(struct model *m, struct whatif_change *change, struct wall now, struct whatif *ret,
               struct errtext *err) __attribute__((warn_unused_result));

/* For people. Appends. */
void whatif_text(const struct whatif *w, struct str *out);

#endif
