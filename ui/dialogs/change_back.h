/* change_back.h - the present values of a job's request, as texts: for editing them, and for restoring
 * them. */
#ifndef UI_DIALOGS_CHANGE_BACK_H
#define UI_DIALOGS_CHANGE_BACK_H

#include "src/jobattr/jobattr.h"
#include "src/values/units.h"
#include "ui/state/view.h"

/* The value of an attribute; "": not set. */
char *change_value(const struct ui *ui, const struct job *j, const struct job_attr *a)
    __attribute__((warn_unused_result));
/* The value as the controller takes it: 3h and 90m are accepted as times, and an empty value becomes 0
 * where 0 means none. The result is in value or in buf. */
const char *change_sent(const struct job_attr *a, const char *value, char buf[UNITS_TEXT_SIZE]);
/* Adds a change such as "TimeLimit=4:00:00" that restores the old value of an attribute of a job with that
 * request. Returns false and adds nothing if no change restores it, as with a fixed priority. */
bool change_add_back(const struct job_attr *a, const struct job_req *req, const char *old, struct wall now,
                     struct strv *ret);

#endif
