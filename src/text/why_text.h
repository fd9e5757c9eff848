/* why_text.h - the answer to why a job waits, in sentences: the list, `stoker why` and the screens share
 * them. */
#ifndef STOKER_TEXT_WHY_TEXT_H
#define STOKER_TEXT_WHY_TEXT_H

#include "src/answers/answer_why.h"
#include "src/text/cause_text.h"

/* "job 25: 3 jobs ahead, starts ~14:44 (and 2 more causes)"; of a job that does not wait what it does. */
void why_text_summary(struct str *out, const struct msg_why *w, const struct cause_reader *r);
/* Whether the likely range lies wholly before the start that follows from the time limits. Then the range
 * is the news, and the start is called that of the limits. */
bool why_text_is_sooner(const struct msg_why *w);
/* The first cause in brief, without its start where the job likely starts sooner; nothing where the job
 * does not wait. */
void why_text_sentence(struct str *out, const struct msg_why *w, const struct cause_reader *r);
/* Whether the brief form of the cause says all that the full one does. */
bool why_text_is_brief(const struct cause *c, const struct cause_reader *r);
/* "preempted by job 328 of ann after 27:31": how the last run of a waiting job ended, and when; nothing
 * where it has not run. */
void why_text_past(struct str *out, const struct msg_why *w, struct wall *ret);
/* How many rows of w->plan, from the second on, end before the job is expected to start: they make room. */
size_t why_text_room_makers(const struct msg_why *w);

#endif
