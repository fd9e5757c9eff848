/* model_task.h - the tasks of a model of a node: from their launch until their end is acknowledged, and
 * what they have printed for as long as the model lives.
 */
#ifndef STOKER_BACKEND_DEMO_MODEL_TASK_H
#define STOKER_BACKEND_DEMO_MODEL_TASK_H

#include "backend/demo/demo_task.h"
#include "backend/loop/loop.h"
#include "src/base/list.h"
#include "src/proto/msg.h"

struct model_tasks;

struct model_task {
    struct list link;
    struct model_tasks *owner;
    struct demo_task what;
    struct launch_status status;
    uint32_t n_ranks;
    struct launch_end *end; /* NULL: it runs */
    int64_t since_ms;       /* mono: it has been running since, or it was stopped until then */
    int64_t ran_ms;         /* before */
    bool paused;
    uint32_t kill_cause; /* enum kill_cause */
    struct loop_timer timer;
};

struct model_tasks {
    struct loop *loop;
    uint64_t seed;
    struct list all;
    struct list outputs;
    /* MSG_TASK_RUNNING or MSG_TASK_END. */
    void (*say)(void *ctx, enum msg_kind kind, const void *body);
    void *ctx;
};

void model_tasks_init(struct model_tasks *ts, struct loop *l, uint64_t seed,
                      void (*say)(void *ctx, enum msg_kind kind, const void *body), void *ctx);
void model_tasks_fini(struct model_tasks *ts);

/* Begins it, or tells again what has become of it; NULL: it was there. */
struct model_task *model_tasks_launch(struct model_tasks *ts, const struct launch *l);
void model_tasks_kill(struct model_tasks *ts, const struct launch_kill *k);
/* The end is on the controller's disk. */
void model_tasks_forget(struct model_tasks *ts, const struct launch_key *key);
/* For how long it has been running. */
int64_t model_task_ran_ms(const struct model_task *t);

/* What it has printed so far, from an offset on; *ret_next_ms: when there will be more, from now; -1:
 * never. */
void model_tasks_read(struct model_tasks *ts, const struct msg_output_read *m, struct msg_output_data *ret,
                      int64_t *ret_next_ms);

#endif
