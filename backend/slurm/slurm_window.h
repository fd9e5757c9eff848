/* slurm_window.h - reservations, as `scontrol` prints them. Pure. */
#ifndef STOKER_BACKEND_SLURM_SLURM_WINDOW_H
#define STOKER_BACKEND_SLURM_SLURM_WINDOW_H

#include "backend/slurm/slurm_value.h"
#include "src/model/window_rec.h"

/* A line of `scontrol -o show reservation`. False where it reserves no nodes. *ret is to be freed with
 * rec_fini. */
bool slurm_window_read(const struct slurm_span *line, struct window *ret)
    __attribute__((warn_unused_result));

#endif
