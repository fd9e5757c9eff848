/* given_env.c - the environment without what only this process uses. */
#include "src/os/given_env.h"

#include <stddef.h>
#include <unistd.h>

char **given_env_changed;

char **given_env(void)
{
    return given_env_changed ? given_env_changed : environ;
}
