/* owner_roles.h - a colour for each user, the same on every screen. */
#ifndef UI_INFO_OWNER_ROLES_H
#define UI_INFO_OWNER_ROLES_H

#include <stdint.h>

#include "ui/theme/roles.h"

#define OWNER_ROLES (ROLE_OWNER_6 - ROLE_OWNER_1 + 1)

struct ui;

/* The users that have a colour of their own; names point into the model. */
struct ownerroles {
    const char *names[OWNER_ROLES]; /* of users with a job that runs; each has one place */
};

/* Reads the running jobs again. */
void ownerroles_fill(struct ownerroles *o, const struct ui *ui);
/* ROLE_OWNER_1 is for the user of the screen. A user without a place shares the colour of another one. */
enum role ownerroles_of(const struct ownerroles *o, const char *user);

#endif
