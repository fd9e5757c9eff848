/* sim_agent.h - a model of a node: its agent, its supervisors and what they run.
 *
 * Speaks the real messages. Follows docs/AGENT.md where that makes a promise: a launch is begun once, an
 * end is told until it is acknowledged, tasks outlive the agent, a lease ends its tasks, a controller of a
 * lower epoch is refused. What a task does follows from its key and the seed.
 */
#ifndef STOKER_TESTS_VOPR_SIM_AGENT_H
#define STOKER_TESTS_VOPR_SIM_AGENT_H

#include <stdbool.h>
#include <stdint.h>

struct sim_agent;

/* The node is up and its agent runs. path: its socket. */
struct sim_agent *sim_agent_new(const char *name, const char *path, uint32_t cpus, uint32_t gpus,
                                uint32_t kill_wait_s);
void sim_agent_free(struct sim_agent *a);

/* The agent's process is killed; its tasks go on. It comes back after pause_ms. */
void sim_agent_kill(struct sim_agent *a, int64_t pause_ms);
/* The machine goes down with all that runs on it, and is back after pause_ms. */
void sim_agent_reboot(struct sim_agent *a, int64_t pause_ms);
/* The agent reads and writes nothing for so long; its supervisors go on. */
void sim_agent_freeze(struct sim_agent *a, int64_t pause_ms);
void sim_agent_set_spool_full(struct sim_agent *a, bool is_full);
/* Processes that do not die when they are killed: per mille of its tasks, from now on. */
void sim_agent_set_stuck(struct sim_agent *a, unsigned per_mille);

/* Tasks whose end the controller has not acknowledged. */
unsigned sim_agent_n_tasks(const struct sim_agent *a);

#endif
