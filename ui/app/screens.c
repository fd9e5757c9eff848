/* screens.c - the screens of the number keys, in their order: a new one gets its line here. */
#include "ui/app/screens.h"

#include "ui/jobs/history_view.h"
#include "ui/jobs/jobs_view.h"
#include "ui/nodes/gpus_view.h"
#include "ui/nodes/nodes_view.h"
#include "ui/nodes/partitions_view.h"
#include "ui/plan/timeline_view.h"
#include "ui/usage/usage_view.h"

const struct screen screens[] = {
    {.ops = &jobs_view,
     .title = "Jobs",
     .brief = "Jobs",
     .action = ACTION_SCREEN_JOBS,
     .answers = "are mine running, waiting, dead; since when; why not"},
    {.ops = &nodes_view,
     .title = "Nodes",
     .brief = "Nodes",
     .action = ACTION_SCREEN_NODES,
     .answers = "used, held idle, free, out; who drained it and why"},
    {.ops = &gpus_view,
     .title = "GPUs",
     .brief = "GPUs",
     .action = ACTION_SCREEN_GPUS,
     .answers = "a letter per device: whose, busy or idle; what is free by type"},
    {.ops = &timeline_view,
     .title = "Timeline",
     .brief = "Plan",
     .action = ACTION_SCREEN_PLAN,
     .answers = "what runs until when, what is to start where; what a gap is kept for"},
    {.ops = &parts_view,
     .title = "Partitions",
     .brief = "Parts",
     .action = ACTION_SCREEN_PARTS,
     .answers = "limits, what is free, what waits and for what"},
    {.ops = &history_view,
     .title = "History",
     .brief = "Past",
     .action = ACTION_SCREEN_HISTORY,
     .answers = "what has ended, how, and what it used of what it asked for"},
    {.ops = &usage_view,
     .title = "Usage",
     .brief = "Usage",
     .action = ACTION_SCREEN_USAGE,
     .answers = "who holds what now, GPU hours, share and fair-share factor"},
};

const size_t n_screens = sizeof screens / sizeof screens[0];
