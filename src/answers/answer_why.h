/* answer_why.h - the answer to why a job waits: every cause, when it is expected to start, what would help.
 */
#ifndef STOKER_ANSWERS_ANSWER_WHY_H
#define STOKER_ANSWERS_ANSWER_WHY_H

#include "src/answers/answer_plan.h"
#include "src/model/cause.h"
#include "src/model/job.h"

struct msg_why { /* the whole answer; it travels as it is */
    uint32_t job;
    char *id; /* of the job, as users write it */
    uint32_t uid;
    char *user;
    uint32_t state;                /* enum job_state */
    uint32_t reason;               /* enum reason */
    REC_LIST(struct cause) causes; /* of a waiting job the one that a list shows comes first */
    struct past_run run; /* of a waiting job its last run, else the present one; without nodes and steps */
    struct wall until;   /* of a job that is being preempted: it has ended by then */
    uint32_t rank, rank_of;       /* in its partition's queue; 0: it does not queue */
    struct wall start;            /* expected; unset: not known */
    struct cause basis;           /* what that rests on */
    bool held;                    /* the start is planned: it holds as long as no other job comes first */
    struct wall likely, unlikely; /* half of such forecasts come true between these; unset: too few known */
    struct wall made;             /* when the start was worked out */
    uint32_t samples;             /* starts that the range is learnt from */
    struct strv blockers;         /* ids of the jobs in its way, the first few */
    struct cause advice;          /* one change that would help */
    char *advice_key, *advice_value; /* the change as scontrol update takes it: "TimeLimit", "2:00:00" */
    /* What is on the nodes where it is expected to start, with these nodes alone: the job's own run first,
     * if its start is known, then what makes room for it, the last end first, then the rest. */
    REC_LIST(struct plan_row) plan;
    uint32_t plan_more; /* rows that were left out */
};
#define MSG_WHY_FIELDS(F, G, S)                                                                              \
    F(S, U32, job) F(S, STR, id) F(S, U32, uid) F(S, STR, user) F(S, U32, state) F(S, U32, reason)           \
    G(S, LISTOF, causes, cause) G(S, SUB, run, past_run) F(S, WALL, until) F(S, U32, rank) F(S, U32, rank_of) \
    F(S, WALL, start) G(S, SUB, basis, cause) F(S, BOOL, held) F(S, WALL, likely) F(S, WALL, unlikely)       \
    F(S, WALL, made) F(S, U32, samples) F(S, STRV, blockers) G(S, SUB, advice, cause)                        \
    F(S, STR, advice_key) F(S, STR, advice_value) G(S, LISTOF, plan, plan_row) F(S, U32, plan_more)

struct job_wait { /* a row of a list: the first cause; CAUSE_NONE where the job does not wait */
    uint32_t job;
    struct cause cause;
};
#define JOB_WAIT_FIELDS(F, G, S) F(S, U32, job) G(S, SUB, cause, cause)

extern const struct rec_desc msg_why_rec, job_wait_rec;

#endif
