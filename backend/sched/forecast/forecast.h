/* forecast.h - when each waiting job will start if no job ends early: a plan of the whole queue.
 *
 * A forecast allocates nothing. It takes the active jobs and the planned starts as the cycle left them, and
 * puts the other waiting jobs behind one another in the order of the queue, each at its earliest start.
 * Small clusters are planned node by node, large ones by node classes: exact for whole nodes, a little
 * early if jobs share nodes in odd pieces. With more than 20,000 jobs times are rounded to minutes, ends
 * up.
 *
 * Jobs that wait for a time that the clock knows come last, in the order of these times: no job is put off
 * for them until then.
 *
 *     forecast_begin          lists what there is: O(classes)
 *     forecast_step           a number of entries, until it returns true; cycles may come in between
 *     forecast_of             what the last finished one says of a job
 *
 * Cost of an entry: within one forecast free amounts only shrink, so a search begins at the start of the
 * last entry of the same shape, and a shape without a start in the window is done.
 */
#ifndef STOKER_BACKEND_SCHED_FORECAST_H
#define STOKER_BACKEND_SCHED_FORECAST_H

#include "backend/sched/forecast/forecast_range.h"
#include "backend/sched/forecast/forecast_score.h"
#include "backend/sched/forecast/run_times.h"
#include "backend/sched/queue/queue.h"

enum forecast_kind {
    FORECAST_NONE,    /* not known: not eligible, a limit, or not forecast yet */
    FORECAST_SLOT,    /* a start is planned for it */
    FORECAST_PLANNED, /* at the latest, as things stand, unless other jobs come before it */
    FORECAST_BEYOND,  /* not within the window */
    FORECAST_LATER,   /* as PLANNED, of a job that is eligible from a known time on (--begin): from
                         then on, behind all jobs that are in the queue now */
};

struct forecaster {
    struct queue *queue;
    struct forecasts *making, *made; /* under way; the last that was finished */
    struct forecast_ranges *ranges;  /* samples of starts */
    struct forecast_scores *scores;  /* how its forecasts came true */
    struct run_times *runs;          /* how long jobs ran */
};

struct forecast {
    enum forecast_kind kind;
    struct wall start; /* HELD, PLANNED, LATER: as planned from time limits */
    struct wall likely,
        unlikely;     /* half of such forecasts come true between these; unset: too few samples */
    struct wall made; /* when */
    struct wall
        last_end;     /* of an array's elements that are planned; unset: not known, or one element only */
    uint32_t samples; /* starts after a wait about as long, from which the range is learnt */
};

void forecaster_init(struct forecaster *p, struct queue *q);
void forecaster_fini(struct forecaster *p);
/* Moves the samples and scores of another forecaster into this one. */
void forecaster_inherit(struct forecaster *p, struct forecaster *from);

struct forecast_memory { /* what is kept over restarts */
    struct msg_scores scores;
    REC_LIST(struct learnt_start) starts;
    REC_LIST(struct learnt_run) runs;
};
#define FORECAST_MEMORY_FIELDS(F, G, S) \
    G(S, SUB, scores, msg_scores) G(S, LISTOF, starts, learnt_start) G(S, LISTOF, runs, learnt_run)
extern const struct rec_desc forecast_memory_rec;

/* Caller frees with rec_fini(&forecast_memory_rec). */
void forecaster_save(const struct forecaster *p, struct forecast_memory *ret);
/* Call for a forecaster without samples. Values that make no sense are left out. */
void forecaster_restore(struct forecaster *p, const struct forecast_memory *m);

/* Begins a forecast and drops the one under way. There must have been a cycle. */
void forecast_begin(struct forecaster *p, const struct sched_view *v, struct wall now);
/* Plans at most n entries, or does as much of the preparation. True: it is finished, and answers from now
 * on. */
bool forecast_step(struct forecaster *p, const struct sched_view *v, uint32_t n);
/* Whether one is under way. */
bool forecast_is_running(const struct forecaster *p);

/* When the last finished one was begun (unset: there is none), and from how many starts ranges
 * are learnt. */
struct wall forecast_made(const struct forecaster *p);
uint32_t forecast_samples(const struct forecaster *p);

/* Of a waiting job, or of the next element of an array. Cost: O(1). */
struct forecast forecast_of(const struct forecaster *p, uint32_t job);

/* The nodes on which the job is forecast to start at that time, as numbers of the model's nodes; for an
 * array, the nodes of the elements that start first. Known for at most the first 512 jobs; if the cluster
 * is planned by node classes, for those that fit on single nodes then. NULL: not known, or the start is a
 * planned start (FORECAST_SLOT). Valid until the next step. */
const uint32_t *forecast_nodes(const struct forecaster *p, uint32_t job, uint32_t *ret_n);

/* For job j, which is not in the queue and asks for the same as class g: when it would start from then on,
 * behind all that is planned. *ret_choice: where, if the kind is FORECAST_PLANNED. */
struct forecast forecast_try(struct forecaster *p, const struct job_class *g, const struct job *j,
                             int64_t from, uint32_t *ret_choice);

/* Call when an entry starts: scores its first forecast and takes a sample from it. */
void forecast_learn(struct forecaster *p, const struct pending_entry *u);
/* The hash of the entry's user and name. */
uint64_t forecast_key_of(const struct forecaster *p, struct pending_entry *u);
/* Drops all forecasts. */
void forecast_forget(struct forecaster *p);

#endif
