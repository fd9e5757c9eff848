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
/* A client whose stream is fd (taken). node: cred is what that node says; NULL: what the kernel says.
 * *refused (taken): what it is told instead of a welcome; CAUSE_NONE: it is let in. */
void sessions_let_in(struct control *c, int fd, const struct ucred *cred, const char *node,
                     struct cause *refused);
/* Names and groups, and so who is an administrator, are looked up again. */
void sessions_forget_users(struct control *c);
void sessions_close_all(struct control *c);

#endif
