/* score_text.h - how forecasts came true, in words. */
#ifndef STOKER_TEXT_SCORE_TEXT_H
#define STOKER_TEXT_SCORE_TEXT_H

#include "src/answers/answer_score.h"
#include "src/base/str.h"

/* "under 10 min", "10 min to 1 h", "over 6 h": the waits of row i. */
void score_text_horizon(const struct msg_scores *m, size_t i, struct str *out);
/* "81 starts were forecast: 48 % within their range, 1.2 % later than told"; nothing without starts. */
void score_text_brief(const struct msg_scores *m, struct str *out);

#endif
