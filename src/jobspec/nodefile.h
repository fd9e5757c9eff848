/* nodefile.h - files of node names: --nodelist=./FILE and SLURM_HOSTFILE. */
#ifndef STOKER_JOBSPEC_NODEFILE_H
#define STOKER_JOBSPEC_NODEFILE_H

#include "src/base/err.h"
#include "src/base/str.h"

/* Each line is a list of names, "#" begins a comment; order and repetitions stay. Owns: the caller frees
 * *ret with strv_fini. Errors: negative errno with a text that names the file and the line. */
int nodefile_read(const char *path, struct strv *ret, struct errtext *err)
    __attribute__((warn_unused_result));

#endif
