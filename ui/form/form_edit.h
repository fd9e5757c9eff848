/* form_edit.h - the request of a job that is in the queue: fields with values instead of a text, and the
 * changes that the controller is asked for. The table src/jobattr/job_attrs.h says what may be changed, and
 * when.
 */
#ifndef UI_FORM_FORM_EDIT_H
#define UI_FORM_FORM_EDIT_H

#include "src/jobattr/jobattr.h"
#include "ui/form/form.h"

struct form_edit {
    struct job_target target;
    char *label;        /* "51 finetune-7b" */
    struct job_req req; /* as it was when the form was opened */
    bool waits;         /* the job has not started: all of its request may change */
    bool array, steps, admin;
    uint32_t priority;    /* that the policy has computed; 0: not known, or it is fixed */
    struct strv old, now; /* the values of form_edit_fields; "": not set */
};

/* Of the job, or the array or element, that to names. */
struct form_edit *formedit_new(const struct ui *ui, const struct job *j, const struct job_target *to,
                               const char *label) __attribute__((warn_unused_result));
struct form_edit *formedit_copy(const struct form_edit *e) __attribute__((warn_unused_result));
void formedit_free(struct form_edit *e); /* NULL is fine */

/* Whether that field may be changed now. */
bool formedit_shows(const struct form_edit *e, const struct form_field *field);
const char *formedit_value(const struct form_edit *e, const struct form_field *field);
/* As the job has it. */
const char *formedit_old(const struct form_edit *e, const struct form_field *field);
void formedit_set(struct form_edit *e, const struct form_field *field, const char *value);
bool formedit_is_changed(const struct form_edit *e, const struct form_field *field);
size_t formedit_n_changed(const struct form_edit *e);

/* "TimeLimit=2:00:00", one for each field that is changed. */
void formedit_changes(const struct form_edit *e, struct strv *ret);
/* What takes these changes back; false: the job cannot become what it was. */
bool formedit_changes_back(const struct form_edit *e, struct wall now, struct strv *ret);
/* The request with the changes; what is not understood stays as it was, and has a hint. msg_submit_rec
 * frees what ret holds. */
void formedit_request(const struct form_edit *e, struct wall now, struct job_req *ret,
                      struct form_hints *hints);

#endif
