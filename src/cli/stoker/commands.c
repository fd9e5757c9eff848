/* commands.c - the table of commands. */
#include "src/cli/stoker/commands.h"

#include <string.h>

#include "src/base/words.h"

#define NEAR 2 /* edits that make a name a likely slip */

const struct command *const commands[] = {
#define X(name) &cmd_##name,
    COMMANDS(X)
#undef X
        NULL};

const struct command *command_find(const char *name, bool slurm)
{
    for (const struct command *const *c = commands; *c; c++)
        if ((*c)->slurm == slurm && strcmp((*c)->name, name) == 0)
            return *c;
    return NULL;
}

const char *command_nearest(const char *name, bool slurm)
{
    const char *best = NULL;
    size_t best_distance = NEAR + 1;
    for (const struct command *const *c = commands; *c; c++) {
        if ((*c)->slurm != slurm)
            continue;
        size_t d = words_distance(name, (*c)->name);
        if (d < best_distance) {
            best_distance = d;
            best = (*c)->name;
        }
    }
    return best;
}
