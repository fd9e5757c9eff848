/* window_confirm.h - what a new window touches, asked before it is made. */
#ifndef UI_DIALOGS_WINDOW_CONFIRM_H
#define UI_DIALOGS_WINDOW_CONFIRM_H

#include "ui/frame/view.h"

/* Asks whether w is to be made; on a yes done is called with arg. take_arg is freed in the end. */
typedef void windowask_yes_fn(struct ui *ui, const struct window *w, void *arg);
void windowask(struct ui *ui, const struct window *w, windowask_yes_fn *yes, void *take_arg,
               void (*free_arg)(void *));

#endif
