/* answer_why.h - why a job waits: every cause with its numbers, as the policy finds it and as it travels. */
#ifndef STOKER_ANSWERS_ANSWER_WHY_H
#define STOKER_ANSWERS_ANSWER_WHY_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/rec.h"

/* X(enum member, name, starts by itself): the classes of causes. */
#define WHY_CLASSES(X)                                                                                       \
    X(NO_FIT, "NO_FIT", false) X(NOT_ALLOWED, "NOT_ALLOWED", false) X(DEP_DEAD, "DEP_DEAD", false)           \
    X(HELD, "HELD", false) X(BEHIND, "BEHIND", true) X(BUSY, "BUSY", true) X(USER_LIMIT, "USER_LIMIT", true) \
    X(GROUP_LIMIT, "GROUP_LIMIT", true) X(DEP_WAIT, "DEP_WAIT", true) X(NOT_YET, "NOT_YET", true)            \
    X(ARRAY_THROTTLE, "ARRAY_THROTTLE", true) X(WINDOW, "WINDOW", true) X(NODE_OUT, "NODE_OUT", true)        \
    X(FOREIGN_GPU, "FOREIGN_GPU", true) X(COOLDOWN, "COOLDOWN", true) X(LAUNCH_RETRY, "LAUNCH_RETRY", true)  \
    X(PARTITION_DOWN, "PARTITION_DOWN", true)

enum why_class {
#define X(name, text, self) WHY_##name,
    WHY_CLASSES(X)
#undef X
        WHY_N_CLASSES
};

struct why_cause {
    uint32_t cls; /* enum why_class */
    char *text;   /* one sentence with numbers */
    char *class_name;
    struct wall clears; /* earliest time it can clear; unset: not known */
    char *head;         /* the same in the few words of a list; NULL: text */
    char *when_words;   /* ", starts ~": what leads from head to when; NULL: there is none */
    struct wall when;
};
#define WHY_CAUSE_FIELDS(F, G, S)                                                                            \
    F(S, U32, cls) F(S, STR, text) F(S, STR, class_name) F(S, WALL, clears) F(S, STR, head)                  \
    F(S, STR, when_words) F(S, WALL, when)

struct msg_why { /* the whole answer; it travels as it is */
    uint32_t job;
    uint32_t state;  /* enum job_state */
    uint32_t reason; /* enum reason */
    char *summary;   /* one sentence */
    REC_LIST(struct why_cause) causes;
    uint32_t rank, rank_of; /* in its partition's queue; 0: does not queue */
    struct wall start_est;  /* unset: not known */
    char *start_basis;
    char *advice;                 /* one change that would help; NULL: none found */
    struct wall likely, unlikely; /* half of such forecasts come true between these; unset: too few known */
    struct wall made;             /* when start_est was worked out */
    uint32_t samples;             /* starts that the range is learnt from */
    bool held;            /* a place is held for it: start_est is a promise as long as nobody comes first */
    struct strv blockers; /* ids of the jobs in its way, the first few */
    char *advice_key, *advice_value; /* the change as scontrol update takes it: "TimeLimit", "2:00:00" */
    char
        *past; /* "preempted by job 328 of ann after 27:31": how its last run ended; NULL: it has not run */
    struct wall t_past;
    char *id_text;     /* of the job, as lists write it */
    struct wall until; /* of a job that is preempted: it has ended by then */
};
#define MSG_WHY_FIELDS(F, G, S)                                                                              \
    F(S, U32, job) F(S, U32, state) F(S, U32, reason) F(S, STR, summary) G(S, LISTOF, causes, why_cause)     \
    F(S, U32, rank) F(S, U32, rank_of) F(S, WALL, start_est) F(S, STR, start_basis) F(S, STR, advice)                  \
    F(S, WALL, likely) F(S, WALL, unlikely) F(S, WALL, made) F(S, U32, samples) F(S, BOOL, held)             \
    F(S, STRV, blockers) F(S, STR, advice_key) F(S, STR, advice_value) F(S, STR, past) F(S, WALL, t_past)  \
    F(S, STR, id_text) F(S, WALL, until)

struct job_wait { /* the first sentence of it: a row of a list */
    uint32_t job;
    struct why_cause cause;
};
#define JOB_WAIT_FIELDS(F, G, S) F(S, U32, job) G(S, SUB, cause, why_cause)

extern const struct rec_desc why_cause_rec, msg_why_rec, job_wait_rec;

const char *why_class_name(enum why_class c);

#endif
