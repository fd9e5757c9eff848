/* toast.h - a line in place of the footer, for some seconds or until the next key. Set with ui_toast. */
#ifndef UI_FRAME_TOAST_H
#define UI_FRAME_TOAST_H

#include "ui/state/view.h"

struct toast {
    char *text;
    enum role role;
    struct mono until;
};

/* NULL: there is none. */
const struct toast *toast_get(const struct ui *ui);
void toast_clear(struct ui *ui);
/* Clears it if it says just that, which has become untrue. */
void toast_withdraw(struct ui *ui, const char *text);
/* Clears it if its time is over. */
void toast_tick(struct ui *ui);

#endif
