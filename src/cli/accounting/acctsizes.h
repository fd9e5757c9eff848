/* acctsizes.h - which jobs sacct means by what they had: nodes, CPUs, time limit, group, association. */
#ifndef STOKER_CLI_ACCTSIZES_H
#define STOKER_CLI_ACCTSIZES_H

#include <sys/types.h>

#include "src/base/vec.h"
#include "src/cli/accounting/assoc.h"
#include "src/model/model.h"

struct acct_sizes {
    uint32_t nodes_min, nodes_max, cpus_min, cpus_max; /* 0: any */
    uint32_t limit_min_s, limit_max_s;                 /* DURATION_NOT_SET: any */
    VEC(gid_t) groups;                                 /* empty: any */
    VEC(uint64_t) assocs;                              /* numbers; empty: any */
};

void acct_sizes_init(struct acct_sizes *z);
void acct_sizes_fini(struct acct_sizes *z);

/* "2", "2-4". what: of what. Errors: -EINVAL, as the others. */
int acct_sizes_set_range(uint32_t *min, uint32_t *max, const char *what, const char *arg,
                         struct errtext *err) __attribute__((warn_unused_result));
int acct_sizes_set_limit(uint32_t *at, const char *arg, struct errtext *err)
    __attribute__((warn_unused_result));
/* Names and numbers between commas. */
int acct_sizes_set_groups(struct acct_sizes *z, const char *arg, struct errtext *err)
    __attribute__((warn_unused_result));

/* Numbers between commas, as `sacctmgr show associations format=id` has them. */
int acct_sizes_set_assocs(struct acct_sizes *z, const char *arg, struct errtext *err)
    __attribute__((warn_unused_result));

/* A lower limit alone is the limit itself. as: of the cluster. */
bool acct_sizes_take(const struct acct_sizes *z, const struct job *j, const struct model *m,
                     struct assocs *as);

#endif
