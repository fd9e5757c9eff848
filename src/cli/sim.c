/* sim.c - stoker sim: replays a workload through the scheduler. The work is done by stoker-sim, which lies
 * beside this program. */
#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/cli/simopts.h"

#define PROGRAM "stoker-sim"

/* Returns only where it cannot be started. */
static void exec_program(char **argv)
{
    char self[4096], name[] = PROGRAM;
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    argv[0] = name;
    if (n > 0) {
        self[n] = '\0';
        char *beside = xasprintf("%s/" PROGRAM, dirname(self));
        execv(beside, argv);
        free(beside);
    }
    execvp(PROGRAM, argv);
}

static int sim_run(struct cli *cli, int argc, char **argv)
{
    struct sim_options o;
    int rc = 0;
    if (!sim_options_parse(&o, cli, argc, argv, &rc))
        return rc;
    sim_options_fini(&o);
    exec_program(argv);
    cli_error(cli, PROGRAM ": %s", strerror(errno));
    return 1;
}

const struct command cmd_sim = {
    .name = "sim",
    .summary = "Replay a trace or a made-up workload through the scheduler",
    .usage = "[OPTIONS] TRACE.swf[.gz] | --generate=FILE",
    .options = &sim_opts,
    .run = sim_run,
};
