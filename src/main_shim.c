/* main_shim.c - stoker-shim DIRECTORY: the supervisor of one task, started by stoker-agent. */
#include "backend/shim/shim_server.h"

int main(int argc, char **argv)
{
    return shim_program(argc - 1, argv + 1);
}
