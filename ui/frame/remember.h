/* remember.h - filter, sort and columns of the screens: from the prefs, and back to them. */
#ifndef UI_FRAME_REMEMBER_H
#define UI_FRAME_REMEMBER_H

#include "ui/state/prefs.h"
#include "ui/state/view.h"

/* The view has just been opened: it shows what it showed the last time. */
void remember_restore(struct ui *ui, struct view *v);
/* Notes what it shows now. */
void remember_view(struct ui *ui, struct view *v);
/* Makes the view show what p says. */
void remember_apply(struct view *v, const struct view_prefs *p);
/* "jobs, mine, state:wait, by time down". */
void remember_words(const struct view_prefs *p, struct str *out);

#endif
