#include "backend/control/nodes/attempt_state.h"

#include <stdlib.h>

#include "src/base/idmap.h"

struct idmap *attempt_states(struct control *c)
{
    return c->state[MODULE_ATTEMPTS]; /* job << 32 | attempt */
}

static uint64_t attempt_state_id(uint32_t job, uint32_t attempt)
{
    return (uint64_t)job << 32 | attempt;
}

struct launch_key launch_key_of(const struct job *j, const struct step *s, const struct task *t)
{
    return (struct launch_key){
        .job = j->id, .step = s->id, .task = t->index, .attempt = t->attempt, .nonce = j->nonce};
}

struct attempt_state *attempt_state_find(struct control *c, uint32_t job, uint32_t attempt)
{
    return idmap_get(attempt_states(c), attempt_state_id(job, attempt));
}

static int64_t attempt_state_clock_ms(const struct control *c)
{
    return loop_wall(c->loop).ms - loop_now(c->loop).ns / NS_PER_MS;
}

int64_t attempt_state_clock_step(struct control *c, uint32_t job, uint32_t attempt)
{
    const struct attempt_state *f = attempt_state_find(c, job, attempt);
    return f ? attempt_state_clock_ms(c) - f->clock_ms : 0;
}

struct attempt_state *attempt_state_get(struct control *c, const struct job *j, const struct step *s,
                                        const struct task *t)
{
    struct attempt_state *f = idmap_get(attempt_states(c), attempt_state_id(j->id, t->attempt));
    if (!f) {
        f = xcalloc(1, sizeof *f);
        f->key = launch_key_of(j, s, t);
        f->clock_ms = attempt_state_clock_ms(c);
        idmap_set(attempt_states(c), attempt_state_id(j->id, t->attempt), f);
    }
    return f;
}

void attempt_state_drop(struct control *c, uint32_t job, uint32_t attempt)
{
    free(idmap_remove(attempt_states(c), attempt_state_id(job, attempt)));
}

void attempt_state_forget_sent(struct control *c, const char *node)
{
    idmap_for_each (attempt_states(c), slot) {
        struct attempt_state *f = slot->value;
        const struct job *j = model_get_job(&c->model, f->key.job);
        const struct step *s = j ? job_find_step(j, f->key.step) : NULL;
        const struct task *t = s ? step_find_attempt(s, f->key.task, f->key.attempt) : NULL;
        if (!t || !str_eq(t->alloc.node, node))
            continue;
        f->sent = f->kill_sent = false;
        f->motion = MOTION_UNKNOWN;
        f->early_for_ms = f->limit_for_ms = 0;
    }
}

static void attempt_state_start(struct control *c)
{
    c->state[MODULE_ATTEMPTS] = xcalloc(1, sizeof(struct idmap));
}

static void attempt_state_reset(struct control *c)
{
    idmap_for_each (attempt_states(c), slot)
        free(slot->value);
    idmap_fini(attempt_states(c));
    *attempt_states(c) = (struct idmap){0};
}

static void attempt_state_stop(struct control *c)
{
    attempt_state_reset(c);
    free(attempt_states(c));
}

const struct module_ops attempt_state_module = {
    .start = attempt_state_start, .stop = attempt_state_stop, .reset = attempt_state_reset};
