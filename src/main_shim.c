/* main_shim.c - stoker-shim DIRECTORY: the supervisor of one task, started by stoker-agent. */
#include "backend/shim/forkserver.h"

int main(int argc, char **argv)
{
    return shim_program(argc - 1, argv + 1);
}
