/* answer_plan.h - the plan of the queue: what runs, for whom a place is held, when the others can expect to
 * start, and windows: as the policy finds it and as it travels. */
#ifndef STOKER_ANSWERS_ANSWER_PLAN_H
#define STOKER_ANSWERS_ANSWER_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "src/answers/answer_score.h"
#include "src/record/rec.h"

/* X(enum member, name, what it means) */
#define PLAN_KINDS(X)                                                                            \
    X(RUNNING, "running", "runs until its time limit at the latest")                             \
    X(HELD, "reserved", "planned start")                            \
    X(FORECAST, "forecast", "from the present queue, if no job ends early and no job gets ahead of it") \
    X(BEYOND, "beyond", "starts after the end of the plan")                                       \
    X(UNKNOWN, "unknown", "held, waiting for a dependency, or over a limit: no forecast")         \
    X(WINDOW, "window", "nodes are reserved")

enum plan_kind {
#define X(name, text, what) PLAN_##name,
    PLAN_KINDS(X)
#undef X
        PLAN_N_KINDS
};

struct plan_row {
    uint32_t kind;                   /* enum plan_kind */
    uint32_t job;                    /* raw id; 0: a window */
    uint32_t array_job, array_index; /* of an element; a record's index is ARRAY_NONE */
    uint32_t count;                  /* elements or tasks that the row stands for */
    char *name, *user, *partition;   /* the job's; name: of the window */
    char *nodes;                  /* compressed; for a forecast: where it placed the job; NULL: not known */
    uint32_t n_nodes, cpus, gpus; /* in all */
    struct wall start, end;       /* unset: not known; an end that is unset: without a limit */
    struct wall likely, unlikely; /* half of such forecasts come true between these; unset: not known */
    uint32_t reason;              /* enum reason, of what waits */
    uint32_t priority;
    bool borrowed;            /* running over a soft limit */
    struct wall engine_start; /* as another engine that schedules here expects it; unset: not known */
    struct wall busy_until;   /* of an array: its further elements run until then at least, as forecast;
                                 unset:   not known */
};
#define PLAN_ROW_FIELDS(F, G, S)                                                                           \
    F(S, U32, kind) F(S, U32, job) F(S, U32, array_job) F(S, U32, array_index) F(S, U32, count)            \
    F(S, STR, name) F(S, STR, user) F(S, STR, partition) F(S, STR, nodes) F(S, U32, n_nodes) F(S, U32, cpus) \
    F(S, U32, gpus) F(S, WALL, start) F(S, WALL, end) F(S, WALL, likely) F(S, WALL, unlikely)              \
    F(S, U32, reason) F(S, U32, priority) F(S, BOOL, borrowed) F(S, WALL, engine_start) \
    F(S, WALL, busy_until)

struct msg_plan { /* the whole answer, by start; it travels as it is */
    REC_LIST(struct plan_row) rows;
    struct wall now, made; /* made: the last full forecast; unset: there was none yet */
    uint32_t n_more;       /* rows that were left out */
    uint32_t samples;      /* starts that the likely ranges are learnt from */
    struct msg_scores scores;
    bool changed; /* with the changes that were asked about */
};
#define MSG_PLAN_FIELDS(F, G, S) \
    G(S, LISTOF, rows, plan_row) F(S, WALL, now) F(S, WALL, made) F(S, U32, n_more) F(S, U32, samples) \
    G(S, SUB, scores, msg_scores) F(S, BOOL, changed)

extern const struct rec_desc plan_row_rec, msg_plan_rec;

const char *plan_kind_name(enum plan_kind k);

#endif
