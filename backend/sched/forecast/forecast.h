/* forecast.h - when each waiting job will start if nobody ends early: a plan of the whole queue.
 *
 * A forecast holds nothing. It takes what runs and the places that are held as the pass left them, and puts
 * the other waiting jobs behind one another in the order of the queue, each at its earliest start. Small
 * clusters are planned node by node; large ones by the sums of nodes that are alike, which is exact for
 * whole nodes and a little too early where jobs share nodes in odd pieces. With
 * more than 20,000 jobs times are rounded to minutes, ends up.
 *
 * Those whose turn cannot come before a time that the clock knows come last, by that time: nothing is put
 * off for them until then.
 *
 *     forecast_begin          lists what there is: O(groups)
 *     forecast_step           so many units on, until it returns true; passes may come in between
 *     forecast_of        what the last finished one said of a job
 *
 * Cost of a unit: within one forecast free amounts only shrink, so a search begins at the start that was
 * found for the last unit of the same shape, and ends at the window for good.
 */
#ifndef STOKER_BACKEND_SCHED_FORECAST_H
#define STOKER_BACKEND_SCHED_FORECAST_H

#include "backend/sched/queue/queue.h"

enum forecast_kind {
    FORECAST_NONE,    /* it is not known: behind a gate, a limit, or no forecast has got there yet */
    FORECAST_SLOT,    /* a place is held for it */
    FORECAST_PLANNED, /* at the latest, as things stand, unless others come before it */
    FORECAST_BEYOND,  /* not within the window */
    FORECAST_LATER,   /* the same as planned, of one behind a gate that the clock opens (--begin): from then
                         on,   and behind all that stand in the queue now */
};

#define FORECAST_SAMPLES  128
#define FORECAST_HORIZONS 4

struct forecast_record {            /* how forecasts of one horizon came true */
    float ratios[FORECAST_SAMPLES]; /* wait by forecast, of those that started lately */
    uint32_t n;                     /* in all: beyond the samples the oldest has gone */
};

struct forecaster {
    struct queue *queue;
    struct forecasts *making, *made; /* under way; the last that was finished */
    struct forecast_record records[FORECAST_HORIZONS];
};

struct forecast {
    enum forecast_kind kind;
    struct wall start;            /* HELD, PLANNED, LATER: as planned from time limits */
    struct wall likely, unlikely; /* half of such forecasts come true between these; unset: too few known */
    struct wall made;             /* when */
    uint32_t samples;             /* forecasts of as long a wait that the range is learnt from */
};

/* Begins one; what was under way is given up. The planner must have decided at least once. */
void forecast_begin(struct forecaster *p, const struct sched_view *v, struct wall now);
/* Goes on with at most n units, or what costs as much: at first what runs and what waits is copied. True:
 * it is finished, and its answers are the ones given from now on. */
bool forecast_step(struct forecaster *p, const struct sched_view *v, uint32_t n);
/* Whether one is under way. */
bool forecast_is_running(const struct forecaster *p);

/* When the last finished one was begun; unset: there is none. How many starts the ranges are learnt from.
 */
struct wall forecast_made(const struct forecaster *p);
uint32_t forecast_samples(const struct forecaster *p);

/* Of a waiting job, or of the next element of an array. Cost: O(1). */
struct forecast forecast_of(const struct forecaster *p, uint32_t job);

/* Of a job that is not in the queue and asks for the same as class g: when it would start from then on,
 * behind all that is planned. *ret_choice: where, if the kind is FORECAST_PLANNED. */
struct forecast forecast_try(struct forecaster *p, const struct job_class *g, const char *licences,
                             int64_t from, uint32_t *ret_choice);

/* A unit starts: how good was what it was told? */
void forecast_learn(struct forecaster *p, const struct pending_entry *u);
/* Gives up what is under way and what was made. */
void forecast_forget(struct forecaster *p);

#endif
