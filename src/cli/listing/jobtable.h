/* jobtable.h - jobs as a table for people and as JSON: stoker jobs, and show where it means several. */
#ifndef STOKER_CLI_JOBTABLE_H
#define STOKER_CLI_JOBTABLE_H

#include "src/cli/listing/columns.h"
#include "src/cli/listing/texttable.h"

struct waits;

struct job_list {
    VEC(const struct job *) v;
    const struct waits *waits; /* why those wait that do; NULL: by their own records */
    bool fold;                 /* the table has one line for each array */
};

/* What runs first, what waits by priority, what has ended last. */
void job_list_sort(struct job_list *l);
/* A table as wide as the terminal. */
void job_list_print(const struct job_list *l, const struct job_cx *cx, struct str *out);
/* {"schema":1,"jobs":[...]} */
void job_list_json(const struct job_list *l, const struct job_cx *cx, struct str *out);

#endif
