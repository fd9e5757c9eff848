/* query_queue.h - row queries are queued and served for a few milliseconds in each loop iteration.
 *
 * So a submission never waits behind them. Users are served in turn, however many connections they have.
 * Identical queries share one answer: a query waits while the same answer is being made for another one. */
#ifndef STOKER_BACKEND_CONTROL_CLIENTS_QUERY_QUEUE_H
#define STOKER_BACKEND_CONTROL_CLIENTS_QUERY_QUEUE_H

#include "backend/control/clients/session.h"

extern const struct module_ops query_queue_module;

/* The question in s->get is new. */
void query_queue_begin(struct session *s);
/* A message with rows has been sent to it. */
void query_queue_note(struct session *s, const void *body, size_t n);
/* No-op where there is none under way. */
void query_queue_end(struct session *s);
/* At the end of a loop iteration: as much as its share of time allows. */
void query_queue_serve(struct control *c);

#endif
