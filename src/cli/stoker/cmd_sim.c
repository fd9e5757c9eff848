/* cmd_sim.c - stoker sim: replays a workload through the scheduler. The work is done by stoker-sim, which
 * lies beside this program. */
#include <stdlib.h>
#include <string.h>

#include "src/cli/stoker/simopts.h"
#include "src/lang/lang.h"
#include "src/os/exe_path.h"

#define PROGRAM "stoker-sim"

static int sim_run(struct cli *cli, int argc, char **argv)
{
    struct sim_options o;
    int rc = 0;
    if (!sim_options_parse(&o, cli, argc, argv, &rc))
        return rc;
    sim_options_fini(&o);
    char name[] = PROGRAM;
    argv[0] = name;
    cli_error(cli, PROGRAM ": %s", strerror(-exe_path_exec(PROGRAM, argv)));
    return 1;
}

const struct command cmd_sim = {
    .name = "sim",
    .reach = REACH_NONE,
    .summary = N_("Replay a trace or a made-up workload through the scheduler"),
    .usage = "[OPTIONS] TRACE.swf[.gz] | --generate=FILE",
    .options = &sim_opts,
    .run = sim_run,
};
