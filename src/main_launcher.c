/* main_launcher.c - stoker-launcher: started by stoker-agent in its own place, with what that was given. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "backend/launcher/launcher.h"
#include "src/os/log.h"

/* "": not given. */
static const char *given(const char *text)
{
    return *text ? text : NULL;
}

int main(int argc, char **argv)
{
    if (argc != 10 || geteuid() != 0) {
        fputs("stoker-launcher: root's stoker-agent becomes it; see stoker-agent --account\n", stderr);
        return 2;
    }
    log_open_with("stoker-launcher", 2, LOG_LVL_INFO, NULL);
    struct launcher_config cfg = {.ready_fd = atoi(argv[1]),
                                  .starter_fd = atoi(argv[2]),
                                  .account = argv[3],
                                  .node = argv[4],
                                  .dir = argv[5],
                                  .socket = given(argv[6]),
                                  .policy = given(argv[7]),
                                  .controller = given(argv[8]),
                                  .clients = given(argv[9])};
    struct errtext err = {""};
    int r = launcher_run(&cfg, &err);
    if (r < 0) {
        if (r != -EEXIST)
            log_error("%s", err.s);
        dprintf(cfg.starter_fd, "stoker-agent: %s\n", err.s);
    }
    /* A second agent is not a failure: what was asked for is there. */
    if (r == -EEXIST && cfg.ready_fd >= 0 && write(cfg.ready_fd, "", 1) != 1)
        r = -EPIPE;
    return r >= 0 ? r : r != -EEXIST;
}
