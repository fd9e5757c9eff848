/* initshared.h - stoker init --shared and --node: a machine is made ready for services of its own accounts.
 *
 *     account        runs                          sees
 *     stoker         stokerd                       state, clients; no key, no user's file
 *     stoker-link    stoker-link listen            the key to the nodes; no state
 *     root           stoker-agent                  tasks, which it starts as their users, as far as
 *                                                  /etc/stoker/policy lets it
 *
 * Every step looks first and does what is missing; what an administrator may have changed is left alone.
 */
#ifndef STOKER_CLI_INITSHARED_H
#define STOKER_CLI_INITSHARED_H

#include "src/cli/cmd.h"

struct init_shared {
    const struct cli *cli;
    const char *root;             /* files go below it, and nothing else is touched; NULL: this machine */
    const char *user, *link_user; /* accounts; NULL: stoker, stoker-link */
    const char *node;             /* its name in the cluster */
    const char *key;              /* --node: the controller's public key or a file of it; NULL: later */
    bool login;                   /* --node: people log in there */
    const char *config;           /* --shared: what stoker.cfg is to say */
};

/* The machine of the controller. Returns an exit code. */
int init_shared_controller(struct init_shared *s);
/* A node that it reaches over SSH. */
int init_shared_node(struct init_shared *s);

#endif
