/* window_confirm.h - asks before a window is created, and lists the affected jobs. */
#ifndef UI_DIALOGS_WINDOW_CONFIRM_H
#define UI_DIALOGS_WINDOW_CONFIRM_H

#include "ui/state/view.h"

/* The jobs that run on its nodes and may still run when it begins, and what becomes of them. */
void windowask_lines(struct lines *l, const struct ui *ui, const struct window *w);

/* Asks whether to create w; if confirmed, done is called with arg. take_arg is freed in the end. */
typedef void windowask_yes_fn(struct ui *ui, const struct window *w, void *arg);
void windowask(struct ui *ui, const struct window *w, windowask_yes_fn *yes, void *take_arg,
               void (*free_arg)(void *));

#endif
