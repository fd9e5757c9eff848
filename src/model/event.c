/* event.c - the tables of the events' bodies. */
#include "src/model/event.h"

#include <stdlib.h>

#include "src/base/err.h"

REC_DEFINE(ev_epoch, EV_EPOCH_FIELDS)
REC_DEFINE(ev_node, EV_NODE_FIELDS)
REC_DEFINE(ev_drain, EV_DRAIN_FIELDS)
REC_DEFINE(node_avoid, NODE_AVOID_FIELDS)
REC_DEFINE(ev_avoid, EV_AVOID_FIELDS)
REC_DEFINE(unknown_task, UNKNOWN_TASK_FIELDS)
REC_DEFINE(node_event, NODE_EVENT_FIELDS)
REC_DEFINE(node, NODE_FIELDS)
const struct node_rare node_nothing_rare;
REC_DEFINE(ev_unknown, EV_UNKNOWN_FIELDS)
REC_DEFINE(ev_unplace, EV_UNPLACE_FIELDS)
REC_DEFINE(ev_note, EV_NOTE_FIELDS)
REC_DEFINE(ev_suspend, EV_SUSPEND_FIELDS)
REC_DEFINE(ev_start, EV_START_FIELDS)
REC_DEFINE(ev_split, EV_SPLIT_FIELDS)
REC_DEFINE(ev_step, EV_STEP_FIELDS)
REC_DEFINE(ev_place, EV_PLACE_FIELDS)
REC_DEFINE(ev_running, EV_RUNNING_FIELDS)
REC_DEFINE(ev_end, EV_END_FIELDS)
REC_DEFINE(ev_kill, EV_KILL_FIELDS)
REC_DEFINE(ev_signal, EV_SIGNAL_FIELDS)
REC_DEFINE(ev_hold, EV_HOLD_FIELDS)
REC_DEFINE(ev_requeue, EV_REQUEUE_FIELDS)
REC_DEFINE(ev_update, EV_UPDATE_FIELDS)
REC_DEFINE(ev_complete, EV_COMPLETE_FIELDS)
REC_DEFINE(ev_none, EV_NONE_FIELDS)
REC_DEFINE(ev_eligible, EV_ELIGIBLE_FIELDS)
REC_DEFINE(ev_preempt, EV_PREEMPT_FIELDS)
REC_DEFINE(window, WINDOW_FIELDS)
REC_DEFINE(ev_window, EV_WINDOW_FIELDS)
REC_DEFINE(usage_row, USAGE_ROW_FIELDS)
REC_DEFINE(ev_usage, EV_USAGE_FIELDS)

const struct rec_desc *event_body_rec(enum event_kind kind)
{
    static const struct rec_desc *const recs[EV_N_KINDS] = {
#define X(name, text, body) [EV_##name] = &body##_rec,
        EVENTS(X)
#undef X
    };
    bug_on((unsigned)kind >= EV_N_KINDS);
    return recs[kind];
}

const char *event_name(enum event_kind kind)
{
    static const char *const names[EV_N_KINDS] = {
#define X(name, text, body) [EV_##name] = text,
        EVENTS(X)
#undef X
    };
    bug_on((unsigned)kind >= EV_N_KINDS);
    return names[kind];
}

void event_fini(struct event *ev)
{
    if (!ev->body)
        return;
    rec_fini(event_body_rec(ev->kind), ev->body);
    free(ev->body);
    ev->body = NULL;
}
