/* screens.c - the screens of the number keys, in their order: a new one gets its line here. */
#include "ui/frame/frame_internal.h"
#include "ui/jobs/history_view.h"
#include "ui/jobs/jobs_view.h"
#include "ui/nodes/gpus_view.h"
#include "ui/nodes/nodes_view.h"
#include "ui/nodes/partitions_view.h"
#include "ui/plan/timeline_view.h"
#include "ui/usage/usage_view.h"

/* X(view_ops, title, the same where there is little room, action, what it answers) */
/* clang-format off */
#define SCREENS(X) \
    X(jobs_view, "Jobs", "Jobs", ACTION_SCREEN_JOBS, "are mine running, waiting, dead; since when; why not") \
    X(nodes_view, "Nodes", "Nodes", ACTION_SCREEN_NODES, "used, held idle, free, out; who drained it and why") \
    X(gpus_view, "GPUs", "GPUs", ACTION_SCREEN_GPUS, "a letter per device: whose, busy or idle; what is free by type") \
    X(timeline_view, "Timeline", "Plan", ACTION_SCREEN_PLAN, "what runs until when, what is to start where; what a gap is kept for") \
    X(parts_view, "Partitions", "Parts", ACTION_SCREEN_PARTS, "limits, what is free, what waits and for what") \
    X(history_view, "History", "Past", ACTION_SCREEN_HISTORY, "what has ended, how, and what it used of what it asked for") \
    X(usage_view, "Usage", "Usage", ACTION_SCREEN_USAGE, "who holds what now, GPU hours, share and fair-share factor")
/* clang-format on */

const struct view_ops *const screens[] = {
#define X(ops, title, brief, action, answers) &ops,
    SCREENS(X)
#undef X
};

static const char *const titles[] = {
#define X(ops, title, brief, action, answers) title,
    SCREENS(X)
#undef X
};

static const enum action actions[] = {
#define X(ops, title, brief, action, answers) action,
    SCREENS(X)
#undef X
};

static const char *const briefs[] = {
#define X(ops, title, brief, action, answers) brief,
    SCREENS(X)
#undef X
};

static const char *const questions[] = {
#define X(ops, title, brief, action, answers) answers,
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

const char *screen_answers(size_t i)
{
    return questions[i];
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
