/* slurm_peers.h - the servers on this machine that read the jobs of all users, each for its own user.
 *
 * None of them can see what the others cost slurmctld. Each tells by its process name that it reads all
 * jobs, and counts the processes of that name, so that together they stay within the share of one.
 */
#ifndef STOKER_BACKEND_SLURM_HOST_SLURM_PEERS_H
#define STOKER_BACKEND_SLURM_HOST_SLURM_PEERS_H

#include <stdbool.h>

/* This process reads the jobs of all users from now on, or no longer. */
void slurm_peers_tell(bool reads_all);

/* How many processes of this machine read the jobs of all users, this one included; 0 where /proc does not
 * tell. Those that are hidden from this user (hidepid) are not counted. */
unsigned slurm_peers_count(void);

#endif
