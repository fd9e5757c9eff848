/* plan_lanes.h - the lanes of the timeline: by node, with as many lanes per node as its bars need; by GPU,
 * one for all neighbours that have the same jobs; or by job, one lane each. */
#ifndef UI_INFO_PLAN_LANES_H
#define UI_INFO_PLAN_LANES_H

#include "src/answers/answer_plan.h"
#include "src/base/vec.h"
#include "src/model/model.h"

struct bar_item { /* a row of the plan in one lane */
    const struct plan_row *row;
    struct wall start, end; /* end: far away where the row has none */
    bool rest;              /* the further elements of an array, behind those that start first */
};

enum plan_by { PLAN_BY_NODE, PLAN_BY_GPU, PLAN_BY_JOB };
#define PLAN_WAYS (PLAN_BY_JOB + 1)

struct lane {
    const char *node;       /* NULL: by job */
    size_t first, n;        /* in planlanes.items */
    unsigned gpu, gpu_last; /* of the GPUs that have it; not where has_gpus is unset */
    bool again;             /* another lane of the node before it */
    bool has_gpus;
    uint64_t id;
};

struct planlanes {
    VEC(struct bar_item) items;
    VEC(struct lane) lanes;
    struct msg_plan windows; /* those of the state, as rows of a plan */
};

/* Makes the lanes again; plan and m must live as long as p, which points into them. until: bars that start
 * later get no lane of a node or a GPU. */
void planlanes_fill(struct planlanes *p, const struct msg_plan *plan, const struct model *m,
                    struct wall now, struct wall until, enum plan_by by);
void planlanes_fini(struct planlanes *p);

/* A bar needs a start and an end: many waiting jobs have neither. */
bool plan_has_bar(const struct plan_row *r);
/* "2-5": the GPUs of a lane that has some. */
void lane_gpus_text(const struct lane *l, struct str *out);
/* Other lanes of the node may have a bar there. */
bool lane_shares_node(const struct planlanes *p, const struct lane *l);
/* The bar at that time, and the next one; NULL: none. By job a lane has one bar. */
void lane_look(const struct planlanes *p, const struct lane *l, struct wall at,
               const struct bar_item **here, const struct bar_item **next);

#endif
