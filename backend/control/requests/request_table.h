/* request_table.h - the messages that clients may send. */
#ifndef STOKER_BACKEND_CONTROL_REQUESTS_REQUEST_TABLE_H
#define STOKER_BACKEND_CONTROL_REQUESTS_REQUEST_TABLE_H

#include "backend/control/clients/session.h"

extern const struct request_kind request_table[]; /* by enum msg_kind */

#endif
