/* screens.c - the screens of the number keys, in their order: a new one gets its line here. */
#include "ui/app/private.h"
#include "ui/view/gpus.h"
#include "ui/view/history.h"
#include "ui/view/jobs.h"
#include "ui/view/nodes.h"
#include "ui/view/parts.h"
#include "ui/view/timeline.h"
#include "ui/view/usage.h"

/* X(view_ops, title, the same where there is little room, action) */
#define SCREENS(X)                           \
    X(jobs_view, "Jobs", "Jobs", ACTION_SCREEN_JOBS) \
    X(nodes_view, "Nodes", "Nodes", ACTION_SCREEN_NODES) \
    X(gpus_view, "GPUs", "GPUs", ACTION_SCREEN_GPUS) \
    X(timeline_view, "Timeline", "Plan", ACTION_SCREEN_PLAN) \
    X(parts_view, "Partitions", "Parts", ACTION_SCREEN_PARTS) \
    X(history_view, "History", "Past", ACTION_SCREEN_HISTORY) \
    X(usage_view, "Usage", "Usage", ACTION_SCREEN_USAGE)

const struct view_ops *const screens[] = {
#define X(ops, title, brief, action) &ops,
    SCREENS(X)
#undef X
};

static const char *const titles[] = {
#define X(ops, title, brief, action) title,
    SCREENS(X)
#undef X
};

static const enum action actions[] = {
#define X(ops, title, brief, action) action,
    SCREENS(X)
#undef X
};

static const char *const briefs[] = {
#define X(ops, title, brief, action) brief,
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

const char *screen_short(size_t i)
{
    return briefs[i];
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
