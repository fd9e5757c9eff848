/* state_text.h - what the codes of the state mean, for people: ends, reasons, dependencies. */
#ifndef STOKER_TEXT_STATE_TEXT_H
#define STOKER_TEXT_STATE_TEXT_H

#include "src/model/dep.h"
#include "src/model/state.h"

/* "running", "waiting", "out of memory": for people. */
const char *job_state_word(enum job_state s);
const char *task_state_word(enum task_state s);
const char *node_state_word(enum node_state s);
const char *part_state_word(enum part_state s);
const char *end_kind_text(enum end_kind k);
const char *kill_cause_text(enum kill_cause c); /* "" for none */
const char *reason_text(enum reason r);
/* What a dependency of that type waits for: "to succeed". */
const char *dep_type_text(enum dep_type t);

#endif
