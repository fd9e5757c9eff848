/* client_remote.h - a controller, or a Slurm, on another machine: through the ssh of the user.
 *
 *     this program --socket pair--> ssh ====> sshd --> sh: is the program there? --> stoker-slurm --stdio
 *                                                          (src/carry/boot.h)         |
 *                                        its controller's socket, or stoker-slurm <---+
 *
 * Everything that ssh can do it does as for any other use: names, keys, agents, jump hosts, shared
 * connections, questions on the terminal. Nothing of what it or the other end says reaches a terminal
 * unfiltered.
 */
#ifndef STOKER_CLIENT_CLIENT_REMOTE_H
#define STOKER_CLIENT_CLIENT_REMOTE_H

#include <stdbool.h>

#include "src/base/err.h"
#include "src/base/str.h"

/* What names the machine: user@host, a name of ~/.ssh/config, ssh://[user@]host[:port]. */
#define CLIENT_HOST_VARIABLE "STOKER_HOST"

struct client_remote;

/* The machine that is meant; NULL: this one. Inside a job (STOKER_SOCKET) it is the job's. */
const char *client_remote_host(void);
/* From now on that one is meant. Errors: -EINVAL with a text: it is not the name of a machine. */
int client_remote_choose(const char *host, struct errtext *err) __attribute__((warn_unused_result));
/* Does the word name a machine: "user@host", "host:", "ssh://host"? */
bool client_remote_is_host(const char *word);

/* Returns a connected socket that frames can flow through, or a negative errno with a text, in which the
 * words of ssh are. silent: ssh may ask nothing and is given a minute; else it may ask on the
 * terminal, and what it says stands on standard error. */
int client_remote_open(const char *host, bool silent, struct client_remote **ret, struct errtext *err)
    __attribute__((warn_unused_result));
/* What was sent is given half a second to leave; then ssh is gone, and fd is closed. */
void client_remote_close(struct client_remote *r, int fd);
/* -ECONNRESET, with ssh's last words in the text. */
int client_remote_lost(struct client_remote *r, struct errtext *err);
/* HOME, USER, LOGNAME, SHELL and PATH as a login there begins with; without those that are not known. */
const struct strv *client_remote_env(const struct client_remote *r);

#endif
