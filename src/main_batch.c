/* main_batch.c - stoker-batch: sbatch and srun, which workflows start thousands of times. Static, and of
 * these two commands alone: of the processor time of an sbatch in `stoker`, almost half is the work of the
 * dynamic linker and of pages that belong to other commands. Under any other name, it becomes stoker.
 */
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/str.h"
#include "src/base/xalloc.h"
#include "src/cli/stoker/commands.h"
#include "src/os/exe_path.h"
#include "src/os/user_record.h"

/* In place of the library's, which asks the name service. */
const struct passwd *user_record_of_uid(uid_t uid)
{
    char key[24];
    snprintf(key, sizeof key, "%u", (unsigned)uid);
    return user_record_ask_getent(key);
}

const struct passwd *user_record_of_name(const char *name)
{
    return user_record_ask_getent(name);
}

int main(int argc, char **argv)
{
    char *path = xstrdup(argc ? argv[0] : "stoker");
    const char *name = basename(path);
    const struct command *cmd = str_eq(name, cmd_sbatch.name) ? &cmd_sbatch
                                : str_eq(name, cmd_srun.name) ? &cmd_srun
                                                              : NULL;
    int rc = 1;
    if (cmd)
        rc = command_run(cmd, argc, argv);
    else
        fprintf(stderr, "stoker: %s\n", strerror(-exe_path_exec("stoker", argv)));
    free(path);
    return command_flush(rc);
}
