/* actions_internal.h - a deed, for the files that ask about it. */
#ifndef UI_DIALOGS_ACTIONS_INTERNAL_H
#define UI_DIALOGS_ACTIONS_INTERNAL_H

#include "ui/dialogs/job_dialogs.h"

struct deed {
    enum action action;
    enum act act;
    int32_t signal;
    struct strv changes; /* EDIT */
    struct targets targets;
    uint32_t counts[JOB_N_STATES];
    uint32_t n;        /* jobs that it concerns */
    uint32_t left_out; /* jobs that it cannot be done to */
    uint32_t foreign;  /* jobs of others, which are left out too */
    uint64_t dialog;   /* where it was typed or chosen, which tells a refusal; 0: nowhere */
};

struct deed *deed_copy(const struct deed *from);
void deed_free(void *deed);
void deed_words(const struct deed *d, struct str *out);  /* "signal 3 jobs with INT" */
void deed_list(const struct deed *d, struct lines *out); /* what it is done to */
void deed_confirm(struct ui *ui, struct deed *take_d);   /* asks, then sends */
void deed_send(struct ui *ui, const struct deed *d);     /* without a question */

/* job_change.c */
void deed_choose_change(struct ui *ui, struct deed *take_d); /* asks what, and to what */
void deed_send_changes(struct ui *ui, const struct deed *d);

#endif
