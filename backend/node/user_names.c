/* user_names.c - names of users, for what an agent reports. */
#include <pwd.h>
#include <stdlib.h>

#include "backend/loop/loop.h"
#include "backend/node/user_lookup.h"
#include "src/base/xalloc.h"

#define KEPT    64
#define KEEP_NS (60 * NS_PER_S)

struct named {
    uint32_t uid;
    char *name;
    int64_t until_ns;
};

static struct named names[KEPT];

const char *user_lookup_name(uint32_t uid)
{
    struct named *n = &names[uid % KEPT];
    int64_t now = mono_read().ns;
    if (n->until_ns <= now || n->uid != uid) {
        const struct passwd *pw = getpwuid(uid);
        free(n->name);
        *n = (struct named){.uid = uid,
                            .name = pw ? xstrdup(pw->pw_name) : xasprintf("%u", uid),
                            .until_ns = now + KEEP_NS};
    }
    return n->name;
}
