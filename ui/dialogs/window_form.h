/* window_form.h - the form of a window: its start, length, nodes, users and reason in fields, and below
 * them the jobs that it would hit. */
#ifndef UI_DIALOGS_WINDOW_FORM_H
#define UI_DIALOGS_WINDOW_FORM_H

#include "ui/state/view.h"

struct window_form_arg {
    const struct window *changes; /* NULL: a new one */
    const char *nodes;            /* of a new one, compressed; NULL: all */
};

extern const struct view_ops windowform_view; /* arg: const struct window_form_arg * */

#endif
