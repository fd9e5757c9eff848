/* step_fit.h - steps inside an allocation (srun). */
#ifndef STOKER_BACKEND_SCHED_STEP_FIT_H
#define STOKER_BACKEND_SCHED_STEP_FIT_H

#include "src/base/vec.h"
#include "src/model/cause.h"
#include "src/model/model.h"

enum step_fit { STEP_FITS, STEP_BUSY, STEP_TOO_BIG };

/* Where the tasks of step s of the batch or interactive job j can run now, beside the steps that run there
 * already. FITS: one ev_place for each node used is appended to ret (a VEC of struct ev_place, owned by the
 * caller). *why says what is short. */
struct sched_places {
    VEC(struct ev_place) v;
};
enum step_fit sched_fit_step(const struct job *j, const struct step *s, struct sched_places *ret,
                             struct cause *why);

#endif
