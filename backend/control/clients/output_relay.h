/* output_relay.h - questions that a node answers: what its tasks print, what they are to read.
 *
 *     client --OUTPUT_READ, INPUT--> relay --the same, with a number of ours--> agent
 *        ^                                                                        |
 *        +-------------------------- OUTPUT_DATA, INPUT_ACK <---------------------+ */
#ifndef STOKER_BACKEND_CONTROL_CLIENTS_OUTPUT_RELAY_H
#define STOKER_BACKEND_CONTROL_CLIENTS_OUTPUT_RELAY_H

#include "backend/control/clients/session.h"

extern const struct module_ops output_relay_module;

void req_output(struct session *s, uint64_t tag, void *body);
void req_input(struct session *s, uint64_t tag, void *body);
/* from: only the node that was asked may answer. */
void output_relay_answer(struct control *c, const struct node_peer *from, uint64_t id, enum msg_kind kind,
                         const void *body);

#endif
