/* paths.h - where everything of one cluster lies. */
#ifndef STOKER_CONF_PATHS_H
#define STOKER_CONF_PATHS_H

#include <stdbool.h>

/* Below STOKER_HOME of a demo: its users, whom the machine does not know. Lines "NAME UID", the user of the
 * commands first. */
#define DEMO_USERS_FILE "demo-users"

struct paths {
    char *home;              /* NULL in shared and XDG modes */
    char *config;            /* stoker.cfg */
    char *state, *run, *log; /* directories */
    char *socket;            /* run/controller.sock */
    bool shared;             /* system directories, every user of the machine */
};

/* From the environment (STOKER_HOME, XDG_*, HOME), and from which controller there is. STOKER_SOCKET names
 * another socket: an agent's, which leads to the controller. */
void paths_find(struct paths *p);
/* The same for a user whose home directory is known. */
void paths_find_below(struct paths *p, const char *user_home);
/* Root has said that its controller serves other users although it stays root: variable
 * STOKER_ROOT_SERVES_ALL=1. Otherwise root's own cluster serves root alone. */
#define PATHS_ROOT_SERVES_ALL "STOKER_ROOT_SERVES_ALL"
bool paths_root_serves_all(void);

void paths_fini(struct paths *p);

/* What starts and what restarts the controller there, as words for a shell: in shared mode a service
 * manager keeps it. */
const char *paths_start_command(const struct paths *p);
const char *paths_restart_command(const struct paths *p);

#endif
