/* sessions.h - clients: let in, greeted, heard.
 *
 * A session's identity is what the kernel said when it connected. */
#ifndef STOKER_BACKEND_CONTROL_CLIENTS_SESSIONS_H
#define STOKER_BACKEND_CONTROL_CLIENTS_SESSIONS_H

#include "backend/control/clients/session.h"

#include <sys/socket.h>

extern const struct module_ops sessions_module;

/* Opens the socket for clients. */
int sessions_listen(struct control *c, struct errtext *err) __attribute__((warn_unused_result));
struct list *sessions(struct control *c); /* of struct session */

struct session_origin { /* of a client that did not come over the socket */
    const char *node;   /* its identity is what this node says */
    const char *user;   /* the user's name there; NULL: it was not said */
    /* What a client with these credentials is told instead of a welcome; CAUSE_NONE: it is let in. */
    void (*vet)(struct control *c, const struct ucred *cred, const struct session_origin *from,
                struct cause *ret_refused);
};

/* A client whose stream is fd (taken). from NULL: this machine. Where the name service has to be asked
 * about its user, it waits for that, and nothing that it says is read before. */
void sessions_let_in(struct control *c, int fd, const struct ucred *cred,
                     const struct session_origin *from);
void sessions_close_all(struct control *c);

#endif
