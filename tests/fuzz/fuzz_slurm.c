/* What Slurm's commands print: rows of squeue behind a word, nodes, partitions, the configuration. */
#include <stdlib.h>

#include "backend/slurm/slurm_mirror.h"
#include "tests/fuzz/driver.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct slurm_mirror *s = slurm_mirror_new(NULL, NULL);
    struct slurm_span answer = {(const char *)data, size};
    struct wall now = {1795405800000};
    int r = slurm_mirror_take_config(s, &answer, NULL);
    r |= slurm_mirror_take_partitions(s, &answer, NULL);
    r |= slurm_mirror_take_nodes(s, &answer, now, NULL);
    r |= slurm_mirror_take_jobs(s, &answer, ";", SLURM_ALL, now, NULL);
    r |= slurm_mirror_take_jobs(s, &answer, ";", SLURM_SOME, now, NULL);
    slurm_mirror_free(s);
    return r ? 0 : 0;
}
