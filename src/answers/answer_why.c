#include "src/answers/answer_why.h"

REC_DEFINE(msg_why, MSG_WHY_FIELDS)
REC_DEFINE(job_wait, JOB_WAIT_FIELDS)
