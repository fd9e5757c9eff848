/* demo.h - a made-up cluster behind the real protocol: the real controller, models of nodes and of users,
 * in one process and a folder of its own.
 *
 * The past of a day or so is played in an instant; then time goes on, or stands still. Nothing is run, and
 * nothing outside of the folder is read or written. The clock is the program's: mono_read and wall_read
 * must be demo_clock_mono and demo_clock_wall of demo_config.clock.
 */
#ifndef STOKER_BACKEND_DEMO_DEMO_H
#define STOKER_BACKEND_DEMO_DEMO_H

#include "backend/demo/demo_clock.h"
#include "backend/demo/demo_machines.h"
#include "backend/loop/loop.h"
#include "src/base/err.h"

struct demo;

struct demo_config {
    const char *dir; /* STOKER_HOME of the demo: there, and empty */
    struct loop *loop;
    struct demo_clock *clock;
    struct wall at; /* the moment that it opens with */
    uint64_t seed;
    enum demo_size size;
    bool is_admin; /* the viewer is an administrator, not the user DEMO_VIEWER */
};

/* Plays the past: the clock stands at cfg->at when it returns. Errors have a text. */
int demo_new(const struct demo_config *cfg, struct demo **ret, struct errtext *err)
    __attribute__((warn_unused_result));
void demo_free(struct demo *d);

/* Moves the clock on: all that happens in that time has happened, and all questions are answered, when it
 * returns. */
void demo_play(struct demo *d, int64_t ms);
/* Until loop_stop; speed 0: the clock stands still, and questions are answered. */
void demo_run(struct demo *d, uint32_t speed);
/* loop_stop for demo_run. */
void demo_stop(struct demo *d);

#endif
