/* large_requests.h - requests that bring much to be run.
 *
 * Scripts, arguments and environments of megabytes take the disk tens of milliseconds, for which the
 * requests of all users in the same batch, and in the next one, would wait. They are stored in pieces
 * (store.h) before the request is handled:
 *
 *     request --large--> held --pieces, one with each batch--> handled as if it had come now
 *
 * Nothing is known of it meanwhile: if its client goes, or the controller ends, nothing has happened. What
 * a held request takes of memory is charged to its user with the connections.
 */
#ifndef STOKER_BACKEND_CONTROL_CLIENTS_LARGE_REQUESTS_H
#define STOKER_BACKEND_CONTROL_CLIENTS_LARGE_REQUESTS_H

#include "backend/control/clients/session.h"

extern const struct module_ops large_requests_module;

typedef int large_request_fn(struct session *s, enum msg_kind kind, uint64_t tag, void *body);

/* Whether it is held: then body is taken, and handle called later. */
bool large_requests_hold(struct session *s, enum msg_kind kind, uint64_t tag, void *body,
                         large_request_fn *handle) __attribute__((warn_unused_result));

#endif
