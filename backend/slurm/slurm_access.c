#include "backend/slurm/slurm_access.h"

#include <stdlib.h>
#include <string.h>

#include "backend/slurm/slurm_rights.h"
#include "src/base/xalloc.h"

#define ACCESS_WAIT_MS  20000
#define ACCESS_PAUSE_MS 3600000

struct slurm_access {
    struct slurm_hub *hub;
    struct slurm_mirror *mirror;
    struct slurm_command *command;
    struct mono asked; /* ns 0: never */
    void (*on_known)(void *ctx);
    void *ctx;
};

/* --- asking --- */

static void access_on_answer(void *ctx, const struct slurm_output *o)
{
    struct slurm_access *a = ctx;
    struct slurm_span answer = {o->out.s, o->out.len};
    bool changed = o->exit_code == 0 && slurm_mirror_take_access(a->mirror, &answer, getenv("USER"));
    slurm_command_free(a->command);
    a->command = NULL;
    if (changed)
        a->on_known(a->ctx);
}

void slurm_access_check(struct slurm_access *a)
{
    struct mono now = loop_now(a->hub->loop);
    struct strv argv = {0};
    bool due = !a->asked.ns || now.ns - a->asked.ns > (int64_t)ACCESS_PAUSE_MS * NS_PER_MS;
    if (a->command || !due || !slurm_rights_show_user(&argv))
        return;
    a->asked = now;
    strv_push(&argv, "withassoc");
    strv_push(&argv, "format=DefaultAccount,Account,QOS");
    a->command = slurm_command_new(
        a->hub->loop,
        &(struct slurm_command_spec){
            .dir = a->hub->dir, .argv = &argv, .env = &a->hub->env, .timeout_ms = ACCESS_WAIT_MS},
        access_on_answer, a);
    strv_fini(&argv);
}

struct slurm_access *slurm_access_new(struct slurm_hub *hub, struct slurm_mirror *mirror,
                                      void (*on_known)(void *ctx), void *ctx)
{
    struct slurm_access *a = xcalloc(1, sizeof *a);
    *a = (struct slurm_access){.hub = hub, .mirror = mirror, .on_known = on_known, .ctx = ctx};
    return a;
}

void slurm_access_free(struct slurm_access *a)
{
    if (!a)
        return;
    slurm_command_free(a->command);
    free(a);
}
