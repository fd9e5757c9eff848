/* array_elements.h - the elements of one array in the order of their indices: what each does, how long it
 * ran, how they failed and when the last of them may end.
 *
 * Read from the state, from what has been fetched of the history, and from what the array's record has
 * kept of elements that have left both. Only what was measured is counted: an element whose run is not
 * known has no run time.
 */
#ifndef UI_ARRAY_ARRAY_ELEMENTS_H
#define UI_ARRAY_ARRAY_ELEMENTS_H

#include "src/base/vec.h"
#include "src/model/model.h"
#include "src/text/arraytext.h"

struct array_element {
    const struct job *job; /* its own; NULL: the array's record stands for it, or it has left the queue */
    uint32_t index;
    uint32_t ran_s;
    enum element_is is;
    bool gone; /* it has left the queue */
};

/* Zeroed but for id. Points into the model and into what the history has sent. */
struct array_elements {
    uint32_t id;
    const struct job *any;    /* one of its jobs; NULL: no job of it is known (any more) */
    const struct job *record; /* of the elements that have not started; NULL: all have */
    const struct job *first;  /* the one that started first; NULL: none has */
    VEC(struct array_element) v;
    uint32_t counts[ELEMENT_KINDS];
    uint32_t unknown;        /* elements that have left the queue and were not fetched */
    VEC(size_t) interrupted; /* those that have an earlier run, which ended without their end */
};

struct past_view { /* jobs that have left the queue, in no order */
    struct job *const *jobs;
    size_t n;
};

/* Reads them again. Cost: the elements, and what is known of the past. */
void array_elements_fill(struct array_elements *e, const struct model *m, const struct past_view *past,
                         struct wall now);
void array_elements_fini(struct array_elements *e);
/* The place of an index in e->v; SIZE_MAX: it has none. */
size_t array_elements_find(const struct array_elements *e, uint32_t index);
/* The limit of elements that run at the same time; 0: none. */
uint32_t array_elements_throttle(const struct array_elements *e);

/* --- run times --- */

#define TIME_BINS 7

struct array_times {
    uint32_t n; /* elements that succeeded and whose run is known */
    uint32_t fastest_s, median_s, slowest_s;
    uint32_t low_s, high_s; /* nineteen of twenty took longer, and no longer, than that */
    double mean_s;
    size_t fastest, slowest; /* their places */
    uint32_t bin_s;          /* of each bin, from first_s on */
    uint32_t first_s;
    uint32_t n_bins;
    uint32_t bins[TIME_BINS];
};

void array_times_fill(struct array_times *t, const struct array_elements *e);
/* The place of the next slower one of those that ran longest (also if they failed, or still run): of all
 * behind that place in the order of their run times; SIZE_MAX: begins with the slowest. SIZE_MAX: none. */
size_t array_times_slower(const struct array_elements *e, size_t after);
/* The place of the next element behind that one, or from the first on, whose run time is in the bin;
 * SIZE_MAX: none. */
size_t array_times_next_in(const struct array_times *t, const struct array_elements *e, uint32_t bin,
                           size_t after);
struct array_forecast {
    /* When the last element may end if each takes as long as those that are done, and as many run at the
     * same time as now. Unset: nothing is left, none is done yet, or none runs that is not overdue. */
    struct wall end;
    uint32_t overdue; /* run clearly longer than any that is done; the end is that of the others */
};

struct array_forecast array_times_forecast(const struct array_times *t, const struct array_elements *e,
                                           struct wall now);

/* --- failures --- */

struct array_failure { /* elements that failed in the same way */
    const struct job *like;
    const char *line;   /* the last line of their output; "": there is none; NULL: not known */
    VEC(size_t) places; /* ascending */
};

struct array_failures {
    VEC(struct array_failure) v; /* the largest first */
    uint32_t n;                  /* failed elements in them */
    uint32_t unknown;            /* ... and others, of which only that is known */
};

/* The last line that an element wrote, as struct array_failure has it. */
typedef const char *array_line_fn(const void *ctx, uint32_t job);
/* Groups by how they ended and by their last lines, in which numbers do not count. */
void array_failures_fill(struct array_failures *f, const struct array_elements *e, array_line_fn *line,
                         const void *ctx);
void array_failures_fini(struct array_failures *f);

#endif
