/* live_row.h - a case of a waiting job as text: its set-up, and what `stoker why` must say.
 *
 * Steps, one a line; jobs are numbered from 1 in the order of their submission, and "$1" in a later step or
 * in what is expected stands for the id of the first one, "$*" for the job that is asked about.
 *
 *     ann OPTIONS                       a job that is submitted with these options of sbatch
 *     *ann OPTIONS                      the job that is asked about
 *     hold USER N, cancel N             of job $N
 *     requeuehold USER N
 *     update USER N KEY=VALUE
 *     drain NODE REASON...
 *     maintenance NAME NODES FROM TO    seconds from now
 *     reserve NAME NODES FROM TO USERS
 *     remove NAME                       that window
 *     down NODE
 *     play SECONDS                      this much time passes
 *     later                             the configuration becomes live_row.later
 *     last                              it becomes live_row.last
 *     cut                               the nodes become live_rows.cut
 *
 * A time in what is expected is "@600": seconds from the beginning of the case, to the nearest ten.
 */
#ifndef STOKER_TESTS_LIB_LIVE_ROW_H
#define STOKER_TESTS_LIB_LIVE_ROW_H

#include "tests/lib/live_lab.h"

#define LIVE_WANTS    6
#define LIVE_WHATEVER (-2)

struct live_want {
    const char *cls;  /* of why_class_name */
    const char *text; /* is in the sentence in full */
    int clears;       /* seconds from the beginning; 0: no time is said */
};

struct live_row {
    const char *name;
    const char *policy; /* of the whole configuration; NULL: that of live_rows */
    const char *later, *last;
    const char *steps;
    const char *reason;                 /* Slurm's */
    struct live_want wants[LIVE_WANTS]; /* no further cause is named */
    int start; /* seconds from the beginning; 0: none is said; -1: what is said comes true; -2: whatever */
    const char *advice; /* is in the sentence; "": there must be none; NULL: whatever there is must help */
    bool goes_on;      /* the same cause is there again when it has cleared: another job, another element */
    bool ends_before;  /* it starts elsewhere, or is given up, before its causes clear */
    const char *says;  /* of a job that does not wait: is in what `stoker why` prints; NULL: it waits */
    const char *tries; /* options of a submission of ann's that is answered as it says; NULL: none */
    const char *past;  /* is in what is said of the run before; NULL: it has not run */
};

struct live_rows {
    struct live_lab lab;
    const char *policy;
    const struct live_node *nodes, *cut;
    unsigned n_right, n_wrong;
    struct strv keys; /* of scontrol, that advice has named */
};

/* Plays the case and checks the answer. Then time passes: each cause must clear when it was said to clear
 * and not before, and the job must start at the time that was told. The advice is followed and must help.
 * Prints what is wrong. */
void live_row_play(struct live_rows *rows, const struct live_row *row);

#endif
