/* main_shim.c - stoker-shim DIRECTORY: the supervisor of one task, started by stoker-agent. */
#include <stdio.h>

#include "backend/agent/shim.h"

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: stoker-shim DIRECTORY (started by stoker-agent)\n", stderr);
        return 2;
    }
    return shim_main(argv[1]);
}
