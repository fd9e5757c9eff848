/* why.h - why a job waits, as the controller explains it: all causes with numbers. */
#ifndef UI_VIEW_WHY_H
#define UI_VIEW_WHY_H

#include "ui/view/view.h"

/* The answer as lines. */
void why_lines(struct lines *l, const struct msg_why *w, const struct ui *ui);
/* Asks and shows the answer in a box. */
void why_open(struct ui *ui, const struct job *j);

#endif
