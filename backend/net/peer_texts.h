/* peer_texts.h - texts in messages of nodes, cleaned where they enter.
 *
 * What a node says is kept, logged and shown to other users: whichever member of a message it stands in, no
 * control character of it comes further than here. */
#ifndef STOKER_BACKEND_NET_PEER_TEXTS_H
#define STOKER_BACKEND_NET_PEER_TEXTS_H

#include "src/proto/msg.h"

#define PEER_TEXT_MAX \
    4096 /* bytes of one; what is kept is bounded more tightly by the module that keeps it */

/* Each STR of the body, by utf8_clean, and the notes of a report; its paths are left as they are: they are
 * opened, not shown. Keys and values of PMI are not texts: they are left too. */
void peer_texts_clean(enum msg_kind kind, void *body);

#endif
