/* change_back.h - what a job's request has now, as texts: to be edited, and to make it that again. */
#ifndef UI_DIALOGS_CHANGE_BACK_H
#define UI_DIALOGS_CHANGE_BACK_H

#include "src/base/units.h"
#include "src/jobattr/jobattr.h"
#include "ui/frame/view.h"

/* The value of an attribute; "": not set. */
char *change_value(const struct ui *ui, const struct job *j, const struct job_attr *a)
    __attribute__((warn_unused_result));
/* The value for the controller: 3h and 90m are times, too; nothing is 0 where a number means none. It
 * stands in value or in buf. */
const char *change_sent(const struct job_attr *a, const char *value, char buf[UNITS_TEXT_SIZE]);
/* "TimeLimit=4:00:00": makes the attribute old again, which a job with that request had. False, and
 * nothing is added: no change does, such as of a fixed priority. */
bool change_add_back(const struct job_attr *a, const struct job_req *req, const char *old, struct wall now,
                     struct strv *ret);

#endif
