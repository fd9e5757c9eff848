/* exe_exec.c - becoming another program of those that came with this one. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/os/exe_path.h"
#include "src/os/given_env.h"

char *exe_path_program(const char *name)
{
    char *beside = exe_path_sibling(name);
    return beside ? beside : xstrdup(name);
}

int exe_path_exec(const char *name, char *const argv[])
{
    char *program = exe_path_program(name);
    given_env_restore();
    execvp(program, argv); /* with a slash in it PATH is not looked at */
    int r = -errno;
    free(program);
    return r;
}
