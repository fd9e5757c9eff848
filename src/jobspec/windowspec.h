/* windowspec.h - a window as people give it: stoker window's options and scontrol's keys. */
#ifndef STOKER_JOBSPEC_WINDOWSPEC_H
#define STOKER_JOBSPEC_WINDOWSPEC_H

#include "src/base/err.h"
#include "src/model/window.h"

struct windowspec {
    struct window w;
    uint32_t duration_s; /* counts from the start; 0: the end was given, or stays */
    bool maint;          /* Flags=MAINT */
};

/* key of scontrol, any case: ReservationName StartTime EndTime Duration Nodes Users Accounts Flags Comment,
 * and the like. Later ones win. Errors: -EINVAL with a text; -ENOENT: no such key. */
int windowspec_set(struct windowspec *s, const char *key, const char *value, struct wall now,
                   struct errtext *err) __attribute__((warn_unused_result));
/* What was given becomes a whole window: its end, its kind. */
int windowspec_finish(struct windowspec *s, struct wall now, struct errtext *err)
    __attribute__((warn_unused_result));
void windowspec_fini(struct windowspec *s);

#endif
