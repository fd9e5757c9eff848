/* offered.h - which actions the footer and the menu offer now: a key that would do nothing, or that would
 * be refused, is not offered. */
#ifndef UI_APP_OFFERED_H
#define UI_APP_OFFERED_H

#include "ui/state/view.h"

/* Whether the action could do something on the view on top. */
bool offered(const struct ui *ui, enum action action);
/* Its word for the footer: what the key does next. NULL or "": none. */
const char *offered_label(const struct ui *ui, enum action action);
/* Does the view on top list jobs, and there are none? */
bool offered_first_job(const struct ui *ui);

#endif
