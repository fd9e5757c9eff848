/* test_launched_limits.c - test_agent_limits.c with agents of another account, which stoker-launcher has
 * started. */
#include <stdlib.h>
#include <unistd.h>

#include "tests/lib/agent_driver.h"

/* Only root has a launcher. */
__attribute__((constructor)) static void under_launcher(void)
{
    if (geteuid() != 0)
        _exit(0);
    setenv(DRIVER_ACCOUNT_VARIABLE, "daemon", 1);
}

#include "tests/integ/test_agent_limits.c"
