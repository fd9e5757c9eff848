/* apply_taking.h - the fold of an event that its caller does not need any more. */
#ifndef STOKER_MODEL_FOLD_APPLY_TAKING_H
#define STOKER_MODEL_FOLD_APPLY_TAKING_H

#include "src/model/model.h"

/* As model_apply (src/model/model.h). What a submission brings may be moved into the state instead of being
 * copied: then the record at ev->body is empty, and is freed as before. */
int model_apply_taking(struct model *m, struct event *ev);

/* For apply.c: the fold of EV_SUBMIT that empties *body. */
int apply_submit_taking(struct model *m, const struct event *ev, struct job *body);

#endif
