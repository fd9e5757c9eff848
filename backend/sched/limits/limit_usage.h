/* limit_usage.h - what each user, account, QOS, partition and the cluster use, against what they may use.
 *
 *     struct limits *l = limits_new(m);             counts everything once
 *     limits_note(l, m, &ev);                       after each event: the counters follow the model
 *
 *     limits_begin(l, m, now);                      a cycle
 *     request.who = limits_who(l, m, user, account, qos, partition);    interned: once for a job class
 *     if (limits_check(l, &request, &verdict) != LIMIT_OVER_HARD)       well under a microsecond
 *         limits_charge(l, &request);               so that the rest of the cycle sees it
 *     limits_rewind(l, 0);                          its end: what really starts comes as events
 *
 * Each configured limit and each name that it is counted for (`*`: each user ... for itself) is a counter;
 * a struct limit_who is the list of the counters that concern one (user, account, QOS, partition). An
 * account's own limit counts its whole subtree; `*` counts each account by the name that jobs carry. A node
 * counts once for each job on it. A task of a step job counts on its own, its job once. A waiting job is in
 * the queue of each partition that it names. GPU minutes: what has been charged, faded, and for running
 * jobs their GPUs for the whole of their time limit.
 *
 * Without configured limits everything here is empty and costs nothing.
 */
#ifndef STOKER_BACKEND_SCHED_LIMIT_USAGE_H
#define STOKER_BACKEND_SCHED_LIMIT_USAGE_H

#include "backend/sched/resources/resources.h"
#include "src/answers/refusal.h"
#include "src/base/str.h"
#include "src/model/cause.h"
#include "src/model/model.h"
#include "src/model/need.h"

struct limit_request {
    uint32_t who;  /* of limits_who */
    uint32_t jobs; /* that begin to run with it: 1, or 0 for one more task of a step job that runs */
    uint64_t gpus, cpus, mem_mib, nodes;
    uint32_t limit_s; /* its time limit, for GPU minutes; DURATION_UNLIMITED */
};

enum limit_state {
    LIMIT_OK,
    LIMIT_OVER_SOFT, /* may run, borrowed */
    LIMIT_OVER_HARD, /* waits */
};

struct limit_verdict {
    enum limit_state state;
    const struct limit_spec *spec; /* the first that is broken, hard ones first; NULL: ok */
    enum limit_what what;
    uint64_t used, asked, most; /* memory in MiB */
    const char *name; /* whose: the user, account ... that is counted; owned by limits or the spec */
};

/* Whether all planned starts of a counter fit, as it was found out: known as long as the cycle (stamp) and
 * the number of changes are the same, and the number of dropped slots unless they fit. */
struct limit_judgement {
    uint64_t stamp, changes, dropped;
    bool fits;
};

struct limits;

/* Owns copies of the names; points to the limits of m->spec, so limits_note must see every EV_CONFIG. */
struct limits *limits_new(const struct model *m) __attribute__((warn_unused_result));
/* The same, but nothing is counted yet: the caller does (limits_recount). */
struct limits *limits_new_empty(const struct model *m) __attribute__((warn_unused_result));
/* Room for what this many jobs have: no recount of one of them takes long. */
void limits_reserve(struct limits *l, size_t n_jobs);
void limits_free(struct limits *l);
bool limits_any(const struct limits *l);         /* whether anything is limited; false for NULL */
bool limits_count_nodes(const struct limits *l); /* whether nodes are */

/* After model_apply took ev: counts again what it changed. Cost: O(tasks of its job) x limits that concern
 * it; O(jobs) at EV_CONFIG. */
void limits_note(struct limits *l, const struct model *m, const struct event *ev);
/* The same for one job, existing or gone. Idempotent. */
void limits_recount(struct limits *l, const struct model *m, uint32_t job);

/* GPU minutes that have been charged, as of now: for who asks between cycles. Cost: O(rows of usage) where
 * GPU minutes are limited. */
void limits_fade(struct limits *l, const struct model *m, struct wall now);
/* Beginning of a cycle: what the one before charged is forgotten, usage fades to that instant. Names that
 * come in during the cycle have no usage before the next. */
void limits_begin(struct limits *l, const struct model *m, struct wall now);

/* NULL texts: none; partition may be a list: those of each, a counter once. The number stays good until the
 * next EV_CONFIG. Cost: a hash of the four names. */
uint32_t limits_who(struct limits *l, const struct model *m, const char *user, const char *account,
                    const char *qos, const char *partition);

/* What job j asks for at least when it starts in part: counts as need.h has them, memory where it is said,
 * the time limit that would be in force; of whole nodes what the smallest have that could take part. A
 * caller that knows the nodes may set it more exactly. Cost: O(1); O(nodes of part) for whole nodes. */
void limits_request_job(struct limits *l, const struct model *m, const struct job *j,
                        const struct part_spec *part, struct limit_request *ret);
/* One task of a step job: jobs and nodes are 1 while the job has not begun. After that the task may come to
 * a node on which the job is already. */
void limits_request_task(struct limits *l, const struct model *m, const struct job *j, const struct step *s,
                         const struct part_spec *part, struct limit_request *ret);

/* Either: of a step job the first task that waits. */
void limits_request_next(struct limits *l, const struct model *m, const struct job *j,
                         const struct part_spec *part, struct limit_request *ret);

/* All that it gets where it is placed. */
void limit_request_set_placement(const struct pool_parts *parts, int64_t len_ms,
                                 struct limit_request *request);
uint32_t limit_seconds(int64_t len_ms);

/* Whether what is held and the ask together stay within every limit that concerns it. ret may be NULL.
 * Cost: O(limits that concern it), no allocation. */
enum limit_state limits_check(const struct limits *l, const struct limit_request *request,
                              struct limit_verdict *ret);
/* The same for each limit by itself: the next one at or behind *at that is broken, hard or soft. False:
 * there is no more. */
bool limits_next_broken(const struct limits *l, const struct limit_request *request, size_t *at,
                        struct limit_verdict *ret);
/* Within a cycle: something would start. Undone by limits_rewind, back to a mark. */
void limits_charge(struct limits *l, const struct limit_request *request);
void limits_uncharge(struct limits *l,
                     const struct limit_request *request); /* it was charged; the same way back */
size_t limits_mark(const struct limits *l);
void limits_rewind(struct limits *l, size_t mark);

/* How often a counter has changed so far, and whether one that concerns `who` has since then: if not, a
 * check says what it said. Cost: O(limits that concern it). */
uint64_t limits_changes(const struct limits *l);
bool limits_changed_since(const struct limits *l, uint32_t who, uint64_t mark);

/* At submission of j and when it is changed: its elements are that many more in the queue of whatever did
 * not count it before, in each of its partitions, and its array has that many. REFUSAL_NONE, or
 * REFUSAL_POLICY with the cause. */
enum refusal limits_submit(const struct limits *l, const struct model *m, const struct job *j,
                           struct cause *why);

/* The limit that is reached, as a cause. No-op where none is, or ret is NULL. */
void limit_cause(const struct limit_verdict *v, struct cause *ret);
/* Slurm's reason, and the class of the cause for `why`. */
enum reason limit_reason(const struct limit_verdict *v);
enum why_class limit_why_class(const struct limit_verdict *v);

#endif
