/* nodecmd.h - the parts of stoker node. */
#ifndef STOKER_CLI_NODECMD_H
#define STOKER_CLI_NODECMD_H

#include "src/cli/setup/nodecheck.h"

struct node_cmd {
    const struct cli *cli;
    struct paths paths;
    struct key_place keys; /* known once the configuration is */
    char *reason, *name, *address, *user, *identity, *accept, *memory, *type, *role;
    char *port, *cpus, *gpus;
    char *end; /* tasks: JOB[.STEP[.TASK]] */
    bool json; /* tasks */
    struct strv features;
    struct strv words; /* the verb and what follows it */
};

/* --- nodesetup.c: what each verb does for machines that come and go; exit codes --- */

int node_do_check(struct node_cmd *n);
int node_do_accept(struct node_cmd *n);
int node_do_key(struct node_cmd *n);
int node_do_add(struct node_cmd *n);
int node_do_remove(struct node_cmd *n);

/* --- nodetasks.c --- */

int node_do_tasks(struct node_cmd *n);

/* --- nodeentry.c: a machine, and the configuration that it is an entry of. What is wrong is said; returns
 * 0 or an exit code --- */

/* A machine that is not in the configuration: from [USER@]HOST and the options. s: rec_fini in any case. */
int node_describe(const struct node_cmd *n, const char *host, struct node_spec *s)
    __attribute__((warn_unused_result));
/* The configuration as it is now; n->keys with it. spec: rec_fini where it returns 0. */
int node_load_config(struct node_cmd *n, struct cluster_spec *spec) __attribute__((warn_unused_result));
/* "{ name = ...; }" for stoker.cfg. Caller frees. */
char *node_entry(const struct node_cmd *n, const struct node_spec *s);
/* text in place of stoker.cfg, if it is a configuration; else that stays as it is. */
int node_write_config(const struct node_cmd *n, const char *text) __attribute__((warn_unused_result));

#endif
