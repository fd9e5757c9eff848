/* actions_internal.h - an action on jobs, for the files that ask about it. */
#ifndef UI_DIALOGS_ACTIONS_INTERNAL_H
#define UI_DIALOGS_ACTIONS_INTERNAL_H

#include "ui/dialogs/job_dialogs.h"

struct job_action {
    enum action action;
    enum act act;
    int32_t signal;
    struct strv changes; /* EDIT */
    struct targets targets;
    uint32_t counts[JOB_N_STATES];
    uint32_t n;        /* jobs that it applies to */
    uint32_t left_out; /* jobs that it does not apply to */
    uint32_t foreign;  /* jobs of others, which are left out too */
    uint64_t dialog;   /* the dialog of the input, which shows a refusal; 0: none */
};

struct job_action *job_action_copy(const struct job_action *from);
void job_action_free(void *action);
void job_action_words(const struct job_action *d, struct str *out);  /* "signal 3 jobs with INT" */
void job_action_list(const struct job_action *d, struct lines *out); /* its targets */
void job_action_confirm(struct ui *ui, struct job_action *take_d);   /* asks, then sends */
void job_action_send(struct ui *ui, const struct job_action *d);     /* without a question */

/* job_change.c */
void job_action_choose_change(struct ui *ui,
                              struct job_action *take_d); /* asks for the attribute and its value */
void job_action_send_changes(struct ui *ui, const struct job_action *d);

#endif
