/* screens.c - the screens of the number keys, in their order: a new one gets its line here. */
#include "ui/app/private.h"
#include "ui/view/jobs.h"
#include "ui/view/nodes.h"

/* X(view_ops, title, action) */
#define SCREENS(X)                           \
    X(jobs_view, "Jobs", ACTION_SCREEN_JOBS) \
    X(nodes_view, "Nodes", ACTION_SCREEN_NODES)

const struct view_ops *const screens[] = {
#define X(ops, title, action) &ops,
    SCREENS(X)
#undef X
};

static const char *const titles[] = {
#define X(ops, title, action) title,
    SCREENS(X)
#undef X
};

static const enum action actions[] = {
#define X(ops, title, action) action,
    SCREENS(X)
#undef X
};

size_t screens_count(void)
{
    return sizeof screens / sizeof screens[0];
}

const char *screen_title(size_t i)
{
    return titles[i];
}

enum action screen_action(size_t i)
{
    return actions[i];
}

int screen_of_action(enum action a)
{
    for (size_t i = 0; i < screens_count(); i++)
        if (actions[i] == a)
            return (int)i;
    return -1;
}
