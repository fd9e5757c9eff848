/* slurm_window.h - reservations, as `scontrol` prints and takes them. Pure. */
#ifndef STOKER_BACKEND_SLURM_SLURM_WINDOW_H
#define STOKER_BACKEND_SLURM_SLURM_WINDOW_H

#include "backend/slurm/slurm_value.h"
#include "src/proto/msg.h"

/* A line of `scontrol -o show reservation`. False where it reserves no nodes. *ret is to be freed with
 * rec_fini. */
bool slurm_window_read(const struct slurm_span *line, struct window *ret)
    __attribute__((warn_unused_result));

/* All reservations of an answer, by their start; their number. The caller frees them, or model_take_windows
 * takes them. */
size_t slurm_windows_read(const struct slurm_span *answer, struct window **ret)
    __attribute__((warn_unused_result));

/* The words of the command that makes, changes or deletes a reservation; the caller frees them. A
 * maintenance window is a reservation with the flag MAINT for its users, or for root if it names none;
 * running jobs go on. */
void slurm_window_words(const struct msg_window_set *m, struct strv *ret);
/* "Reservation created: NAME": the name; NULL: the text has none. Caller frees. */
char *slurm_window_created(const char *out) __attribute__((warn_unused_result));

#endif
