/* answer_prio.c - the records of priorities and shares. */
#include "src/answers/answer_prio.h"

REC_DEFINE(prio_parts, PRIO_PARTS_FIELDS)
REC_DEFINE(prio_row, PRIO_ROW_FIELDS)
REC_DEFINE(share_row, SHARE_ROW_FIELDS)
REC_DEFINE(msg_shares_rows, MSG_SHARES_ROWS_FIELDS)
