/* window_edit.h - the line "start=18:00 duration=2h reason=fans are changed": windows are made and changed
 * with it, on the command line and in the box that asks for it. */
#ifndef UI_DIALOGS_WINDOW_EDIT_H
#define UI_DIALOGS_WINDOW_EDIT_H

#include "ui/frame/view.h"

/* The keys of the line, for what is offered while it is typed: X(key, what it says) */
#define WINDOWLINE_KEYS(X)                                            \
    X("start", "18:00, now+2hours, tomorrow, 2026-12-24T08:00")       \
    X("duration", "2h, 90m, 1d: from the start")                      \
    X("end", "instead of a duration")                                 \
    X("nodes", "n[01-04],big or ALL")                                 \
    X("users", "ann,bo: reserved for these users; none: maintenance") \
    X("accounts", "the same for the users of accounts")               \
    X("reason", "reason, shown to all users; may contain blanks")     \
    X("name", "name of the window; default: one is made up")

/* Makes one on those nodes (NULL: the words say which); asks for the words where they are NULL or empty,
 * and again, with what is wrong, where they are refused here or by the controller. */
void windowline_make(struct ui *ui, const char *nodes, const char *words);
/* Changes what the words name of that one, in the same way. A window whose start is moved stays as long as
 * it was. */
void windowline_change(struct ui *ui, const struct window *w, const char *words);
/* Deletes them, after a question. */
void windowline_delete(struct ui *ui, const struct strv *names);

#endif
