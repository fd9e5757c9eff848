/* answer_plan.c - the words of the plan. */
#include "src/answers/answer_plan.h"

REC_DEFINE(plan_row, PLAN_ROW_FIELDS)
REC_DEFINE(msg_plan, MSG_PLAN_FIELDS)

const char *plan_kind_name(enum plan_kind k)
{
    static const char *const names[] = {
#define X(name, text, what) [PLAN_##name] = text,
        PLAN_KINDS(X)
#undef X
    };
    return k < PLAN_N_KINDS ? names[k] : "?";
}
