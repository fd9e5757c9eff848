#include "backend/control/policy_view.h"

#include "backend/control/emit.h"
#include "backend/control/users/user_cache.h"
#include "backend/sched/limits/limits.h"

static bool policy_view_in_groups(void *ctx, uint32_t uid, const struct strv *groups)
{
    struct control *c = ctx;
    return user_in_groups(c->users, uid, groups);
}

struct sched_view policy_view(struct control *c)
{
    return (struct sched_view){.model = &c->model,
                               .in_groups = policy_view_in_groups,
                               .ctx = c,
                               .limits = c->state[MODULE_POLICY_VIEW]};
}

static void policy_view_stop(struct control *c)
{
    limits_free(c->state[MODULE_POLICY_VIEW]);
}

/* Follows each event; the planner's own follows each cycle. */
static void policy_view_loaded(struct control *c)
{
    limits_free(c->state[MODULE_POLICY_VIEW]);
    c->state[MODULE_POLICY_VIEW] = limits_new(&c->model);
}

static void policy_view_after(struct control *c, const struct emission *e)
{
    limits_note(c->state[MODULE_POLICY_VIEW], &c->model, e->ev);
}

const struct module_ops policy_view_module = {.start = policy_view_loaded,
                                              .stop = policy_view_stop,
                                              .loaded = policy_view_loaded,
                                              .after = policy_view_after};
