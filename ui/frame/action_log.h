/* action_log.h - what the user has changed with these screens: each request as the command line that does
 * the same in a shell, when it was sent, and what came of it. */
#ifndef UI_FRAME_ACTION_LOG_H
#define UI_FRAME_ACTION_LOG_H

#include "ui/state/view.h"

#define ACTION_LOG_MAX 500 /* the oldest go first */

enum action_result {
    ACTION_RESULT_SENT, /* no reply yet */
    ACTION_RESULT_DONE,
    ACTION_RESULT_NOTHING, /* accepted, and there was nothing left to do */
    ACTION_RESULT_REFUSED,
    ACTION_RESULT_LOST, /* the connection went before the reply */
};

struct action_record {
    uint64_t number; /* from 1, in the order of time */
    uint64_t tag;    /* of the request; 0: answered */
    struct wall t;
    char *line; /* may have several lines: a script as a here-document */
    enum action_result result;
    char *text; /* why it was refused, or the new job or window; NULL: nothing to say */
    uint32_t count;
};

void action_log_new(struct ui *ui);
void action_log_free(struct ui *ui);

/* A request goes out under that tag; one that changes nothing is not noted. */
void action_log_sent(struct ui *ui, enum msg_kind kind, const void *body, uint64_t tag);
/* Its answer. No-op for a tag that is not known. */
void action_log_answered(struct ui *ui, uint64_t tag, const struct incoming *in);
/* The connection is gone: no answer comes any more. */
void action_log_lose(struct ui *ui);
/* The line of the next request, which knows it better than the request does. */
void ui_log_next(struct ui *ui, char *take_line);

size_t action_log_n(const struct ui *ui);
/* Valid until the next request. */
const struct action_record *action_log_at(const struct ui *ui, size_t i);

#endif
