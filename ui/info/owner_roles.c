/* owner_roles.c - a colour for each user.
 *
 * A user's place follows from the name, so that it stays when other users come and go; only of two users
 * with the same place the second one moves to the next that is free.
 */
#include "ui/info/owner_roles.h"

#include <string.h>

#include "src/base/vec.h"
#include "ui/state/view.h"

#define OTHERS (OWNER_ROLES - 1) /* places beside the first, which is the user's own */

static size_t place_of_name(const char *user)
{
    return 1 + hash_bytes(user, strlen(user)) % OTHERS;
}

static bool is_own_name(const struct ownerroles *o, const char *user)
{
    return o->names[0] && str_eq(o->names[0], user);
}

/* Returns false where all places are taken. */
static bool owner_take_place(struct ownerroles *o, const char *user)
{
    size_t at = place_of_name(user);
    for (size_t i = 0; i < OTHERS; i++, at = 1 + at % OTHERS) {
        if (!o->names[at])
            o->names[at] = user;
        if (str_eq(o->names[at], user))
            return true;
    }
    return false;
}

void ownerroles_fill(struct ownerroles *o, const struct ui *ui)
{
    uint32_t own = ui_uid(ui), last = own;
    bool room = true;
    memset(o, 0, sizeof *o);
    list_for_each (j, &ui_model(ui)->active, struct job, in_queue) {
        if (!j->user || (j->uid == own && o->names[0]))
            continue;
        if (j->uid == own) {
            o->names[0] = j->user;
        } else if (room && j->holding && j->uid != last) {
            room = owner_take_place(o, j->user);
            last = j->uid;
        }
    }
}

enum role ownerroles_of(const struct ownerroles *o, const char *user)
{
    if (!user)
        return ROLE_BAR_USED;
    if (is_own_name(o, user))
        return ROLE_OWNER_1;
    for (size_t i = 1; i < OWNER_ROLES; i++)
        if (o->names[i] && str_eq(o->names[i], user))
            return (enum role)(ROLE_OWNER_1 + i);
    return (enum role)(ROLE_OWNER_1 + place_of_name(user));
}
