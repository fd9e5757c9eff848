/* shortage.h - whether memory or the disk is short, and what is kept for that case.
 *
 * Below disk_reserve of free disk, or near the end of the memory that the controller may take, requests
 * that add to the state are refused for all but administrators; jobs can be cancelled. A file,
 * state/reserve, is given up where the disk is full all the same: so that cancels and ends of jobs can be
 * written. It is made again when there is room. Four fifths of either are told to the log. */
#ifndef STOKER_BACKEND_CONTROL_SHORTAGE_H
#define STOKER_BACKEND_CONTROL_SHORTAGE_H

#include "backend/control/core.h"

extern const struct module_ops shortage_module;

/* Of what there is too little; *why tells the figures. False: of nothing. */
bool shortage_is(const struct control *c, struct cause *why);
/* The disk is full: room for a last few batches is made. */
void shortage_give_up_reserve(struct control *c);
/* What the state's disk has for it, in MiB: what is free and what it takes already; 0: not known. */
uint64_t shortage_disk_mib(const struct control *c);
/* What this process has of the memory of the machine; 0: not known. */
uint64_t shortage_memory_taken_kib(void);
void shortage_tell(const struct control *c, struct msg_stats *m);

#endif
