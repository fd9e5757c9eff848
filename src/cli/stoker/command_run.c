/* command_run.c - one call of a command, apart from the table of all: a program of few commands links only
 * those. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/cli/stoker/commands.h"
#include "src/client/client.h"
#include "src/client/client_remote.h"
#include "src/lang/lang.h"

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

int command_flush(int rc)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return rc;
    if (errno != EPIPE)
        fprintf(stderr, tr("stoker: standard output: %s\n"), strerror(errno));
    return rc ? rc : 1;
}
