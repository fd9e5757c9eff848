/* why_lines.h - the answer to why a job waits, as lines: all of it for a pane, or in the sections of the
 * page. Each function appends lines; sections without anything to say append none. */
#ifndef UI_JOBS_WHY_LINES_H
#define UI_JOBS_WHY_LINES_H

#include "src/answers/answer_prio.h"
#include "src/answers/answer_why.h"
#include "ui/state/view.h"

/* All of it, without a picture. */
void why_lines(struct lines *l, const struct msg_why *w, const struct ui *ui);

/* The sentence of the list, and how the last run ended. */
void why_lines_head(struct lines *l, const struct msg_why *w, const struct ui *ui);
/* When it is expected to start, and its place in the queue. */
void why_lines_start(struct lines *l, const struct msg_why *w, const struct ui *ui);
/* The jobs whose ends make room for it; nothing where none are known. */
void why_lines_blockers(struct lines *l, const struct msg_why *w, const struct ui *ui);
/* The causes but for those about nodes; limits and licences with a bar. */
void why_lines_causes(struct lines *l, const struct msg_why *w, const struct ui *ui);
/* A section: the jobs that it waits for, and what these wait for, a line each. */
void why_lines_depends(struct lines *l, const struct ui *ui, const struct job *j);
/* A section: the nodes that do not do, by cause and by name. */
void why_lines_nodes(struct lines *l, const struct msg_why *w, const struct ui *ui);
/* A section: what the priority is made of, each factor as its share of the sum. */
void why_lines_priority(struct lines *l, const struct prio_row *row, const struct priority_spec *weights);

#endif
