/* nodecheck.h - stoker-link check as lines for people. */
#ifndef STOKER_CLI_NODECHECK_H
#define STOKER_CLI_NODECHECK_H

#include "src/cli/cmd.h"
#include "src/client/client.h"
#include "src/model/spec.h"

struct node_check {
    const struct node_spec *spec; /* where it is */
    const char *accept;           /* fingerprint, or NULL */
    bool only_failures;
    bool is_new; /* no node yet: what is said of nodes is of no help */
    /* out */
    bool key_known;    /* its host key is in known_hosts, now or since before */
    bool own_files;    /* it does not see what is written here */
    char *unknown_key; /* the fingerprint of a host key that has not been accepted; caller frees */
};

/* Where the controller's key and known_hosts lie, and as whom it logs in where nothing else is said. */
struct key_place {
    char *dir;  /* below its state, or another account's, which alone may read and write there */
    char *user; /* NULL: who calls */
    bool apart; /* another account's */
};

void key_place_find(struct key_place *k, const struct paths *p, const struct cluster_spec *all);
void key_place_fini(struct key_place *k);

/* Prints a line for each thing looked at. Returns 0, or the exit code where one is wrong. */
int nodecheck_run(const struct cli *cli, const struct key_place *p, struct node_check *c)
    __attribute__((warn_unused_result));

/* The keys to log in with, as the controller tries them: the node's, else the controller's own and its
 * user's. */
struct strv nodecheck_keys(const struct key_place *p, const struct node_spec *spec);
/* Makes the controller's key where there is none at all. Returns 0 or an exit code. */
int nodecheck_need_key(const struct cli *cli, const struct key_place *p, const struct node_spec *spec)
    __attribute__((warn_unused_result));

#endif
