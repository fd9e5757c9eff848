/* seldom.h - a question to the controller that is asked again when the queue has changed, but not more
 * often than every few seconds: at once where the last one is long ago, else when it is.
 *
 *      change --seldom_is_due?--yes--> ask --> seldom_answered
 *                     |
 *                     no: due is set, and view.timer comes back to it
 */
#ifndef UI_VIEW_SELDOM_H
#define UI_VIEW_SELDOM_H

#include "ui/state/view.h"

struct seldom {
    bool asking;
    bool refused;      /* an older controller, which will not answer the next time either */
    bool has;          /* an answer */
    struct mono asked; /* the last time; 0: never */
    struct mono due;   /* when to come back to it; 0: not before the next change */
};

/* Something has changed, or due has come. True: ask now, and count it as asked. */
bool seldom_is_due(struct seldom *s, const struct ui *ui, int pause_ms);
/* sent: it went out. */
void seldom_sent(struct seldom *s, bool sent);
/* Returns true where in is an answer of that kind. */
bool seldom_answered(struct seldom *s, const struct incoming *in, enum msg_kind kind);

#endif
