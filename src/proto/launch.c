/* launch.c - the tables of the records about launches. */
#include "src/proto/launch.h"

REC_DEFINE(launch_key, LAUNCH_KEY_FIELDS)
REC_DEFINE(launch_rank, LAUNCH_RANK_FIELDS)
REC_DEFINE(resource_limit, RESOURCE_LIMIT_FIELDS)
REC_DEFINE(launch, LAUNCH_FIELDS)
REC_DEFINE(launch_status, LAUNCH_STATUS_FIELDS)
REC_DEFINE(launch_end, LAUNCH_END_FIELDS)
REC_DEFINE(launch_kill, LAUNCH_KILL_FIELDS)
