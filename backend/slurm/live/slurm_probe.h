/* slurm_probe.h - what a running job uses, measured once by a step in it: `srun --overlap` of a short
 * script on each of its nodes, on a user's key alone.
 *
 * The script looks for a second at the job's processes (/proc), at the machine, and at the GPUs
 * (nvidia-smi). Such a step costs slurmctld two requests. It is refused within 15 s of the one before, and
 * in jobs on more than 64 nodes.
 */
#ifndef STOKER_BACKEND_SLURM_LIVE_SLURM_PROBE_H
#define STOKER_BACKEND_SLURM_LIVE_SLURM_PROBE_H

#include "backend/slurm/slurm_session.h"

struct slurm_probes;

/* hub and mirror must outlive the result. */
struct slurm_probes *slurm_probes_new(struct slurm_hub *hub, const struct slurm_mirror *mirror)
    __attribute__((warn_unused_result));
void slurm_probes_free(struct slurm_probes *p); /* NULL is fine */
/* Appends the cost of these steps to the rows of slurm_poll_report. */
void slurm_probes_report(const struct slurm_probes *p, struct msg_engine *ret);

/* Measures the job; the client gets a UTIL of each node, or a JOB_USE that says why not. may: Slurm lets
 * this user do it. */
void slurm_probe(struct slurm_probes *p, struct slurm_session *s, uint32_t job, bool may);

/* The script, with its name and its argument: lines that begin with that word are what it has measured. */
extern const char slurm_probe_script[];
/* Reads the lines of all nodes; *ret gets one UTIL of each, n of them. GPUs that the script lists in the
 * order of their indices are those of the job on that node. Caller frees the UTILs with rec_fini and the
 * array. Pure. */
size_t slurm_probe_read(const struct slurm_span *answer, const char *word, const struct job *j,
                        struct wall now, struct msg_util **ret);

#endif
