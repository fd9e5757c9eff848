#include "backend/slurm/slurm_rights.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/slurm/slurm_cluster.h"
#include "src/base/xalloc.h"

#define WAIT_MS 1500 /* a greeting waits no longer */

struct slurm_rights {
    struct slurm_hub *hub;
    struct slurm_command *command;
    struct loop_timer patience;
    bool known;
    enum slurm_level level;
    void (*on_known)(void *ctx);
    void *ctx;
};

bool slurm_rights_is_slurm_user(const struct slurm_span *config, uint32_t uid)
{
    char *value = slurm_config_value(config, "SlurmUser");
    const char *open = value ? strchr(value, '(') : NULL;
    char *end = NULL;
    bool is = open && strtoul(open + 1, &end, 10) == uid && end > open + 1 && *end == ')';
    free(value);
    return is;
}

enum slurm_level slurm_rights_read_level(const char *out)
{
    return str_starts(out, "Admin")      ? SLURM_LEVEL_ADMINISTRATOR
           : str_starts(out, "Operator") ? SLURM_LEVEL_OPERATOR
                                         : SLURM_LEVEL_USER;
}

bool slurm_rights_show_user(struct strv *ret)
{
    const char *user = getenv("USER");
    if (str_is_empty(user) || strspn(user, ",= "))
        return false;
    strv_push(ret, "sacctmgr");
    strv_push(ret, "--noheader");
    strv_push(ret, "--parsable2");
    strv_push(ret, "show");
    strv_push(ret, "user");
    strv_push(ret, user);
    return true;
}

static void slurm_rights_end(struct slurm_rights *r, enum slurm_level level)
{
    slurm_command_free(r->command);
    r->command = NULL;
    loop_timer_cancel(r->hub->loop, &r->patience);
    r->known = true;
    r->level = level;
    r->on_known(r->ctx);
}

static void rights_on_patience(void *ctx)
{
    slurm_rights_end(ctx, SLURM_LEVEL_USER);
}

static void rights_ask(struct slurm_rights *r, const struct strv *argv, slurm_command_fn *fn)
{
    slurm_command_free(r->command);
    r->command = slurm_command_new(
        r->hub->loop,
        &(struct slurm_command_spec){
            .dir = r->hub->dir, .argv = argv, .env = &r->hub->env, .timeout_ms = WAIT_MS * 2},
        fn, r);
}

static void rights_on_level(void *ctx, const struct slurm_output *o)
{
    slurm_rights_end(ctx, o->exit_code == 0 ? slurm_rights_read_level(o->out.s) : SLURM_LEVEL_USER);
}

static void rights_on_config(void *ctx, const struct slurm_output *o)
{
    struct slurm_rights *r = ctx;
    struct slurm_span config = {o->out.s, o->out.len};
    struct strv argv = {0};
    bool is_slurms = o->exit_code == 0 && slurm_rights_is_slurm_user(&config, geteuid());
    if (is_slurms || o->exit_code != 0 || !slurm_rights_show_user(&argv)) {
        slurm_rights_end(r, is_slurms ? SLURM_LEVEL_ADMINISTRATOR : SLURM_LEVEL_USER);
        return;
    }
    strv_push(&argv, "format=AdminLevel");
    rights_ask(r, &argv, rights_on_level);
    strv_fini(&argv);
}

struct slurm_rights *slurm_rights_new(struct slurm_hub *hub, void (*known)(void *ctx), void *ctx)
{
    struct slurm_rights *r = xcalloc(1, sizeof *r);
    struct strv argv = {0};
    *r = (struct slurm_rights){.hub = hub, .on_known = known, .ctx = ctx};
    r->patience = (struct loop_timer){.fn = rights_on_patience, .ctx = r};
    r->known = geteuid() == 0;
    r->level = r->known ? SLURM_LEVEL_ADMINISTRATOR : SLURM_LEVEL_USER;
    if (r->known)
        return r;
    loop_timer_set(hub->loop, &r->patience, WAIT_MS);
    strv_push(&argv, "scontrol");
    strv_push(&argv, "show");
    strv_push(&argv, "config");
    rights_ask(r, &argv, rights_on_config);
    strv_fini(&argv);
    return r;
}

void slurm_rights_free(struct slurm_rights *r)
{
    if (!r)
        return;
    slurm_command_free(r->command);
    loop_timer_cancel(r->hub->loop, &r->patience);
    free(r);
}

bool slurm_rights_are_known(const struct slurm_rights *r)
{
    return r->known;
}

bool slurm_rights_is_operator(const struct slurm_rights *r)
{
    return r->level >= SLURM_LEVEL_OPERATOR;
}

bool slurm_rights_is_administrator(const struct slurm_rights *r)
{
    return r->level == SLURM_LEVEL_ADMINISTRATOR;
}
