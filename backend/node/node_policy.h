/* node_policy.h - what the owner of this machine allows, whatever the controller says: DIR/policy or
 * --policy FILE.
 */
#ifndef STOKER_BACKEND_NODE_NODE_POLICY_H
#define STOKER_BACKEND_NODE_NODE_POLICY_H

#include "src/base/vec.h"
#include "src/proto/launch.h"

struct errtext;

struct node_policy {
    uint32_t min_uid, max_tasks;
    uint64_t spool_max_mib;      /* of one task */
    uint64_t spool_user_max_mib; /* of all tasks of a user; 0: not given */
    uint64_t max_processes;      /* of one job, threads included; 0: not given */
    bool allow_root;
    enum close_gpus { CLOSE_GPUS_NOT_SAID, CLOSE_GPUS_NO, CLOSE_GPUS_YES } close_gpus;
    struct strv users, workdirs; /* empty: all; workdirs by their names, and where those lead */
    struct strv groups;          /* their members are admitted like users */
    VEC(uint32_t) gids;          /* of groups */
    VEC(uint32_t) denied;        /* of groups whose members are not admitted at all */
};

/* From the file at path, else `policy` in dir_fd, where there is one. root may run tasks where neither says
 * otherwise, unless path is given: the agent is a service then, whose controller is not root. The
 * directories of a path are checked too: a user who may rename one of them could give us another policy. */
int node_policy_load(struct node_policy *p, int dir_fd, const char *path, struct errtext *err)
    __attribute__((warn_unused_result));
/* The same in two steps. Returns the descriptor; -ENOENT where there is no file and none was named; another
 * -errno with a text. */
int node_policy_open(int dir_fd, const char *path, struct errtext *err) __attribute__((warn_unused_result));
/* fd: -1 for none. given: by its path. */
int node_policy_read(struct node_policy *p, int fd, bool given, struct errtext *err)
    __attribute__((warn_unused_result));
void node_policy_fini(struct node_policy *p);
/* groups: of the launch's user on this machine (uint32_t each); NULL: not known. The working directory is
 * compared by its name alone: the shim compares where it leads. */
int node_policy_check(const struct node_policy *p, const struct launch *l, unsigned n_live,
                      const struct blob *groups, struct errtext *err) __attribute__((warn_unused_result));

#endif
