/* form_strip.h - the plan at the foot of the form: the nodes where the job would run, its own bar among
 * those of the other jobs, as the controller has answered last. */
#ifndef UI_FORM_FORM_STRIP_H
#define UI_FORM_FORM_STRIP_H

#include "ui/state/view.h"

struct form_strip;

struct form_strip *formstrip_new(struct ui *ui) __attribute__((warn_unused_result));
void formstrip_free(struct form_strip *s);

/* Takes the answer to the trial of m; r NULL or a refusal: there is no bar. Asks for the plan, unless the
 * one that is there is a few seconds old at most; the answer finds the strip through the view, a form. */
void formstrip_take_trial(struct form_strip *s, struct view *v, const struct msg_submit *m,
                          const struct msg_result *r);
/* For a job that waits in the queue: asks for the plan with these changes ("TimeLimit=2:00:00"), and shows
 * when the job would start then. A controller that does not plan changes gives the plan as it is: then the
 * bar has its planned start with a limit of limit_s; limit_s 0: the job will be planned again, and there is
 * no bar. */
void formstrip_take_change(struct form_strip *s, struct view *v, uint32_t job, uint32_t limit_s,
                           const struct strv *changes);
/* When that job is planned to start; unset: not known. *ret_changed: with the changes. */
struct wall formstrip_start(const struct form_strip *s, bool *ret_changed);
/* The model has changed. */
void formstrip_sync(struct form_strip *s);

/* "gpu01, GPUs 2-5": where the job would start now; nothing: not known. */
void formstrip_place(const struct form_strip *s, struct str *out);
/* Whether there is something to draw. */
bool formstrip_is_there(const struct form_strip *s);
/* The scale and the lanes, as many as there is room for. */
void formstrip_draw(struct form_strip *s, struct canvas *c, struct rect r);

#endif
