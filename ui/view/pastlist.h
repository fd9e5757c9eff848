/* pastlist.h - the rows of the history: jobs that have ended, arrays as one row with their elements below.
 */
#ifndef UI_VIEW_PASTLIST_H
#define UI_VIEW_PASTLIST_H

#include "ui/view/jobcols.h"

/* A job, or all that has ended of an array. */
struct past_row {
    struct jobcols_row cols; /* of an array: its latest end */
    bool array;
    uint32_t done, failed, other; /* elements */
    size_t first, n;              /* of an array: in pastlist.members */
};

struct pastlist {
    struct jobcols cols;
    struct table table;
    bool mine;
    const struct job **jobs; /* latest end first */
    struct past_row *rows;   /* of the list, then of members */
    const struct job **members;
    size_t n_jobs, n_rows, n_all; /* n_all: before anything was left out */
    size_t room;                  /* jobs that there is room for */
};

void pastlist_init(struct pastlist *l, struct ui *ui);
void pastlist_fini(struct pastlist *l);
const struct job *pastlist_job(const struct trow *row); /* NULL where row is */
/* What the filter says that the controller can look for by itself. Texts are the filter's. */
void pastlist_want(const struct pastlist *l, struct past_want *ret);

#endif
