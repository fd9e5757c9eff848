/* answer_why.c - the records of the answer to why. */
#include "src/answers/answer_why.h"

#include "src/base/err.h"

REC_DEFINE(why_cause, WHY_CAUSE_FIELDS)
REC_DEFINE(msg_why, MSG_WHY_FIELDS)
REC_DEFINE(job_wait, JOB_WAIT_FIELDS)

const char *why_class_name(enum why_class c)
{
    static const char *const names[WHY_N_CLASSES] = {
#define X(name, text, self) [WHY_##name] = text,
        WHY_CLASSES(X)
#undef X
    };
    bug_on((unsigned)c >= WHY_N_CLASSES);
    return names[c];
}
