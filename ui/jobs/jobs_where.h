/* jobs_where.h - the column WHERE OR WHY of the jobs screen where it depends on more than the job. What is
 * too long for its cells has a shorter form, which names less. */
#ifndef UI_JOBS_JOBS_WHERE_H
#define UI_JOBS_JOBS_WHERE_H

#include "ui/state/view.h"
#include "ui/table/table.h"

/* Why a pending job waits; NULL: not known. A file of all rows asks for no causes: it has those that are
 * known. */
const struct cause *jobs_where_cause(const struct table_field *f, struct ui *ui, const struct job *j);
/* The same in words, for drawing. start_apart: its start stands in a column of its own. */
void jobs_where_add_cause(struct ui *ui, const struct job *j, bool start_apart, struct table_field *f);
/* A job that is to end on a node that does not answer waits for the node: that is said first. Returns false
 * and adds nothing of another job. */
bool jobs_where_add_silence(struct ui *ui, const struct job *j, struct table_field *f);

#endif
