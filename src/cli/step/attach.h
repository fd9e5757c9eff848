/* attach.h - beside a step that runs: what stoker attach and sattach have in common. */
#ifndef STOKER_CLI_ATTACH_H
#define STOKER_CLI_ATTACH_H

#include "src/cli/step/steprun.h"

/* Takes c. Shows what the step prints, from the beginning of what its nodes keep; one on a terminal gets
 * this one's keys and window. how says who takes over, which ranks are shown, labels.
 * Returns the step's exit code as srun has it, 0 where this end has left. */
int attach_step(const struct cli *cli, struct client *c, uint32_t job, const struct step *s,
                const struct steprun_options *how);

#endif
