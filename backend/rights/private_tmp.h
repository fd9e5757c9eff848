/* private_tmp.h - /tmp and /dev/shm of a job's own: a mount namespace for each job, kept until it is
 * removed.
 *
 * DIR/private is a small file system in memory, which root alone reaches. A file in it for each job holds
 * the job's namespace (a bind mount of it), so the namespace outlasts the processes in it, and the process
 * that has the rights next finds it. In it /tmp and /dev/shm are file systems in memory of a bounded size:
 * they go with the namespace, and no file of a user is ever removed by name.
 */
#ifndef STOKER_BACKEND_RIGHTS_PRIVATE_TMP_H
#define STOKER_BACKEND_RIGHTS_PRIVATE_TMP_H

#include <stdint.h>

#include "backend/rights/agent_dir.h"
#include "src/base/str.h"

#define PRIVATE_TMP_NAME_SIZE 128

/* Each user has namespaces apart from those of all others, whatever group and nonce say. group is a word of
 * digits. Returns buf. */
const char *private_tmp_name(uint32_t uid, uint64_t nonce, const char *group,
                             char buf[static PRIVATE_TMP_NAME_SIZE]);

/* Opens the namespace. If there is none and size_mib is not 0, makes it: then /tmp and /dev/shm hold
 * size_mib each. The caller closes the descriptor. -ENOENT: there is none and none was to be made, without
 * a text. */
int private_tmp_open(const struct agent_dir *d, const char *name, uint64_t size_mib, struct errtext *err)
    __attribute__((warn_unused_result));
/* Processes that are in it still keep it until they end. */
void private_tmp_remove(const struct agent_dir *d, const char *name);
/* All names. Caller frees with strv_fini. */
void private_tmp_list(const struct agent_dir *d, struct strv *ret);

#endif
