/* commands.c - the table of commands. */
#include "src/cli/stoker/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/lang.h"
#include "src/base/words.h"
#include "src/base/xalloc.h"
#include "src/client/client.h"
#include "src/client/client_remote.h"

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

static const char *running; /* the name of the command */

static void say_unreadable(const char *text)
{
    fprintf(stderr, tr("%s: warning: a job cannot be read and is left out: %s\n"),
            running ? running : "stoker", text);
}

int command_run(const struct command *cmd, int argc, char **argv)
{
    char *name = cmd->slurm ? xstrdup(cmd->name) : xasprintf("stoker %s", cmd->name);
    struct cli cli = {.cmd = cmd, .name = name};
    running = name;
    lang_choose(cmd->slurm ? "en" : NULL, NULL); /* what has Slurm's name prints what Slurm prints */
    client_on_unreadable(say_unreadable);
    const char *host = cmd->reach == REACH_HERE ? client_remote_host() : NULL;
    int rc = host ? 2 : cmd->run(&cli, argc, argv);
    if (host)
        cli_error(&cli, tr("this works on the machine of the cluster alone: ssh %s %s ..."), host, name);
    client_on_unreadable(NULL);
    running = NULL;
    free(name);
    return rc;
}
