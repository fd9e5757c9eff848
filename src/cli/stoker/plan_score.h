/* plan_score.h - stoker plan --score: how forecasts came true. */
#ifndef STOKER_CLI_PLAN_SCORE_H
#define STOKER_CLI_PLAN_SCORE_H

#include "src/answers/answer_score.h"
#include "src/base/str.h"

void plan_score_text(const struct msg_scores *m, struct str *out);
/* As a list of objects: one for each horizon, then one for all. */
void plan_score_json(const struct msg_scores *m, struct str *out);

#endif
