/* window_edit.h - the line "start=18:00 duration=2h reason=fans are changed": it creates and changes
 * windows, on the command line and in a box. */
#ifndef UI_DIALOGS_WINDOW_EDIT_H
#define UI_DIALOGS_WINDOW_EDIT_H

#include "src/lang/lang.h"
#include "ui/state/view.h"

/* The keys of the line, for completion: X(key, help) */
#define WINDOWLINE_KEYS(X)                                            \
    X("start", N_("18:00, now+2hours, tomorrow, 2026-12-24T08:00"))       \
    X("duration", N_("2h, 90m, 1d: from the start"))                      \
    X("end", N_("instead of a duration"))                                 \
    X("nodes", N_("n[01-04],big or ALL"))                                 \
    X("users", N_("ann,bo: reserved for these users; none: maintenance")) \
    X("accounts", N_("the same for the users of accounts"))               \
    X("reason", N_("reason, shown to all users; may contain blanks"))     \
    X("name", N_("name of the window; default: generated"))

/* Creates a window on those nodes (NULL: the words name them). Opens the form if the words are NULL or
 * empty; asks for the words again, with the error, if the screens or the controller refuse them. */
void windowline_make(struct ui *ui, const char *nodes, const char *words);
/* Changes the named attributes of a window in the same way. If the start moves, the duration stays. */
void windowline_change(struct ui *ui, const struct window *w, const char *words);
/* Deletes them, after a question. */
void windowline_delete(struct ui *ui, const struct strv *names);

#endif
