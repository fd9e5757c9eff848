/* sim_world.h - a whole cluster under a seed: the controller, its nodes, its clients, and what goes wrong.
 */
#ifndef STOKER_TESTS_VOPR_SIM_WORLD_H
#define STOKER_TESTS_VOPR_SIM_WORLD_H

#include <stdint.h>

struct world_result {
    uint64_t hash; /* of everything that happened */
    int64_t virtual_ms;
    unsigned crashes, power_losses, damages, reboots, submissions, runs, audits, compared;
};

/* Plays the world of a seed in the current directory, which is emptied. A broken promise ends the program
 * (sim_fail). */
void world_play(uint64_t seed, struct world_result *ret);
/* Empties the current directory. */
void world_clear(void);

#endif
