/* arraytext.h - the elements of an array in words: what a state means for its array, counts, indices. */
#ifndef STOKER_TEXT_ARRAYTEXT_H
#define STOKER_TEXT_ARRAYTEXT_H

#include "src/base/str.h"
#include "src/model/model.h"

enum element_is {
    ELEMENT_DONE,
    ELEMENT_FAILED,
    ELEMENT_CANCELLED, /* or preempted for good */
    ELEMENT_RUNNING,
    ELEMENT_WAITING,
    ELEMENT_EARLIER, /* has left the queue: how it ended is not known here */
    ELEMENT_KINDS
};

/* What a state of a job is for its array. */
enum element_is element_of_state(enum job_state s);
/* Adds what the record of an array counts of elements that have been retired. */
void element_count_gone(const struct job *record, uint32_t counts[static ELEMENT_KINDS]);

/* Appends "34 done, 2 failed, 8 running, 56 waiting"; " of 200" if there are more in all. */
void arraytext_counts(struct str *out, const uint32_t counts[static ELEMENT_KINDS], uint32_t all);
/* Appends "3-4, 7, 21": ranges of ascending indices, as many as fit into about max bytes, then "...". */
void arraytext_indices(struct str *out, const uint32_t *indices, size_t n, size_t max);

#endif
