/* demo_machines.h - the made-up cluster: its nodes, its users, its configuration.
 */
#ifndef STOKER_BACKEND_DEMO_DEMO_MACHINES_H
#define STOKER_BACKEND_DEMO_DEMO_MACHINES_H

#include <stdint.h>

#include "src/base/str.h"

enum demo_size { DEMO_SMALL, DEMO_LAB, DEMO_CLUSTER };

/* "small", "lab" or "cluster"; false for another word. */
bool demo_size_parse(const char *text, enum demo_size *ret);

struct demo_machine {
    char name[16];
    uint32_t cpus, gpus;
    uint64_t mem_mib;
};

#define DEMO_LOGIN "login1"

/* The node of that number, from 0; false: there are fewer. The last one is the login node. */
bool demo_machine_get(enum demo_size size, unsigned i, struct demo_machine *ret);

#define DEMO_VIEWER  0u     /* the user whom the viewer is */
#define DEMO_UID     61001u /* of the first user; the others follow */
#define DEMO_N_USERS 8u

const char *demo_user_name(unsigned i);
/* Of a uid, "root" for one that is none of the users'. */
const char *demo_name_of_uid(uint32_t uid);

/* Where a node's agent listens; caller frees. */
char *demo_agent_socket(const char *dir, const char *node);
/* stoker.cfg. dir: where the sockets are. */
void demo_cluster_config(enum demo_size size, const char *dir, struct str *out);

#endif
