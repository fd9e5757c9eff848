/* screens.c - the screens of the number keys, in their order: add a new screen here. */
#include "ui/app/screens.h"

#include "src/lang/lang.h"
#include "ui/jobs/history_view.h"
#include "ui/jobs/jobs_view.h"
#include "ui/nodes/gpus_view.h"
#include "ui/nodes/nodes_view.h"
#include "ui/nodes/partitions_view.h"
#include "ui/plan/timeline_view.h"
#include "ui/usage/usage_view.h"

const struct screen screens[] = {
    {.ops = &jobs_view,
     .title = N_("Jobs"),
     .brief = N_("Jobs"),
     .action = ACTION_SCREEN_JOBS,
     .answers = N_("state of my jobs, since when, and why they wait")},
    {.ops = &nodes_view,
     .title = N_("Nodes"),
     .brief = N_("Nodes"),
     .action = ACTION_SCREEN_NODES,
     .answers = N_("used, allocated but idle, free, offline; who drained a node and why")},
    {.ops = &gpus_view,
     .title = N_("GPUs"),
     .brief = N_("GPUs"),
     .action = ACTION_SCREEN_GPUS,
     .answers = N_("one letter per GPU: its user, busy or idle; free GPUs by type")},
    {.ops = &timeline_view,
     .title = N_("Timeline"),
     .brief = N_("Plan"),
     .action = ACTION_SCREEN_PLAN,
     .answers = N_(
         "the plan as a timeline: what runs until when, what starts where, and what a gap is planned for")},
    {.ops = &parts_view,
     .title = N_("Partitions"),
     .brief = N_("Parts"),
     .action = ACTION_SCREEN_PARTS,
     .answers = N_("limits, free resources, waiting jobs and why they wait")},
    {.ops = &history_view,
     .title = N_("History"),
     .brief = N_("Past"),
     .action = ACTION_SCREEN_HISTORY,
     .answers = N_("ended jobs, how they ended, and their efficiency")},
    {.ops = &usage_view,
     .title = N_("Usage"),
     .brief = N_("Usage"),
     .action = ACTION_SCREEN_USAGE,
     .answers = N_("resources in use by account and user, GPU hours, shares and fair-share factor")},
};

const size_t n_screens = sizeof screens / sizeof screens[0];
