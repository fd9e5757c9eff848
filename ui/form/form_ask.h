/* form_ask.h - drafts of the form, the controller's forecast, sending. */
#ifndef UI_FORM_FORM_ASK_H
#define UI_FORM_FORM_ASK_H

#include "ui/form/form_page.h"

/* What a draft is made for. */
#define DRAFT_CHECK   1u
#define DRAFT_ASK     2u /* when would it start? */
#define DRAFT_BY_HAND 4u /* the same, and a toast shows the answer */
#define DRAFT_SEND    8u

/* Makes a draft of the form as it is now, in a thread, and does what it is for: DRAFT_*. */
void form_ask_draft(struct form_page *s, unsigned what);
/* Of a job in the queue: asks for the priority that the policy has computed. */
void form_ask_priority(struct form_page *s);
/* Asks the controller when the user pauses. */
void form_ask_soon(struct form_page *s);
void form_ask_timer(struct view *v);
/* The connection is back: asks what could not be asked. */
void form_ask_catch_up(struct form_page *s);

#endif
