/* requests.h - requests to the controller that are not answered yet. Sent with ui_send and ui_ask. */
#ifndef UI_FRAME_REQUESTS_H
#define UI_FRAME_REQUESTS_H

#include "src/lang/lang.h"
#include "ui/state/view.h"

#define NOT_CONNECTED N_("no connection to the controller")

void requests_new(struct ui *ui);
void requests_free(struct ui *ui);
/* The view goes: its requests are not told to it any more. */
void requests_forget(struct ui *ui, const struct view *owner);
/* Hands a message to the request that it answers; false: it answers none. */
bool requests_take_answer(struct ui *ui, const struct incoming *in);
/* The connection is gone: no answer comes to any. */
void requests_fail(struct ui *ui);

#endif
