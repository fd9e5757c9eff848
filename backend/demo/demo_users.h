/* demo_users.h - the users of a demo at work, and its administrator.
 */
#ifndef STOKER_BACKEND_DEMO_DEMO_USERS_H
#define STOKER_BACKEND_DEMO_DEMO_USERS_H

#include "backend/control/control.h"
#include "backend/demo/demo_machines.h"
#include "src/base/time.h"
#include "src/proto/launch.h"

struct demo_users;

struct demo_users_config {
    struct loop *loop;
    struct control *control;
    int admin_fd;      /* of the administrator's connection; taken */
    struct wall opens; /* the scene is to be there then */
    uint64_t seed;
    enum demo_size size;
};

struct demo_users *demo_users_new(const struct demo_users_config *cfg);
void demo_users_free(struct demo_users *u);
/* A batch script has begun that uses srun. */
void demo_users_start_step(struct demo_users *u, const struct launch *l, const char *program);

#endif
