#include "backend/control/control.h"

#include <stdlib.h>
#include <sys/socket.h>

#include "backend/control/clients/sessions.h"
#include "backend/control/compact.h"
#include "backend/control/core.h"
#include "backend/control/iteration.h"
#include "backend/control/lineage.h"
#include "backend/control/modules.h"
#include "backend/control/nodes/node_avoid.h"
#include "backend/control/nodes/node_peers.h"
#include "backend/control/nodes/node_reports.h"
#include "backend/control/payload_cache.h"
#include "backend/control/reload.h"
#include "backend/control/requests/request_table.h"
#include "backend/control/state_load.h"
#include "backend/control/users/audit.h"
#include "backend/control/users/user_cache.h"
#include "src/os/log.h"

#define BEAT_MS 5000

static void control_names_told(void *ctx, const struct name_answer *a, bool groups_changed)
{
    struct control *c = ctx;
    modules_call(c, names_told, c, a, groups_changed);
}

static void control_init(struct control *c, struct loop *l, const struct control_config *cfg)
{
    *c = (struct control){
        .loop = l,
        .settings = {.state_dir = xstrdup(cfg->state_dir),
                     .log_dir = xstrdup(cfg->log_dir),
                     .socket_path = xstrdup(cfg->socket),
                     .host = xstrdup(cfg->host),
                     .home = xstrdup(cfg->home),
                     .everyone = cfg->everyone,
                     .reload = cfg->reload,
                     .reload_ctx = cfg->reload_ctx,
                     .user_name = cfg->user_name,
                     .incarnation = random_nonce()},
        .wiring = {.modules = control_modules, .requests = request_table, .nodes = &node_report_handlers},
        .payloads = payload_cache_new(),
        .stats.t_start = loop_wall(l)};
    c->users = user_cache_new(
        l, &(struct user_cache_ops){.name_of = cfg->user_name, .on_told = control_names_told, .ctx = c});
    test_hooks_read(&c->settings.hooks, cfg->beat_ms ? cfg->beat_ms : BEAT_MS);
    model_init(&c->model);
    modules_call(c, start, c);
}

static void control_release(struct control *c)
{
    size_t n = 0;
    while (c->wiring.modules[n])
        n++;
    while (n-- > 0)
        if (c->wiring.modules[n]->stop)
            c->wiring.modules[n]->stop(c);
    vec_fini(&c->touched);
    payload_cache_free(c->payloads);
    user_cache_free(c->users);
    model_fini(&c->model);
    free(c->settings.state_dir);
    free(c->settings.log_dir);
    free(c->settings.socket_path);
    free(c->settings.host);
    free(c->settings.home);
    free(c);
}

/* Opens the state and folds it; what has been superseded leaves the log. */
static int control_load(struct control *c, bool accept_loss, struct errtext *err)
{
    struct store_callbacks cb = {.on_commit = iteration_on_commit, .ctx = c};
    int r = lineage_open_state(c, &cb, accept_loss, err);
    if (r < 0)
        return r;
    struct compact compact = {0};
    r = state_load(c, &compact, err);
    r = r ? r : lineage_check_loaded(c, accept_loss, err);
    for (size_t i = 0; r == 0 && i < compact.gone.n; i++)
        store_del_event(c->store, compact.gone.v[i]);
    compact_fini(&compact);
    r = r ? r : sessions_listen(c, err);
    if (r < 0) {
        store_leave(c->store);
        c->store = NULL;
    }
    return r;
}

int control_new(struct loop *l, const struct control_config *cfg, struct control **ret, struct errtext *err)
{
    struct control *c = xcalloc(1, sizeof *c);
    control_init(c, l, cfg);
    int r = control_load(c, cfg->accept_loss, err);
    if (r < 0) {
        rec_fini(&cluster_spec_rec, cfg->spec);
        control_release(c);
        return r;
    }
    state_take_over(c, cfg->accept_loss);
    if (config_apply(c, cfg->spec) < 0)
        log_error("the state refuses the configuration");
    state_doubt_nodes(c);
    node_avoid_expire(c);
    node_peers_connect(c);
    state_touch_active(c);
    loop_on_turn(l, iteration_end, c);
    modules_call(c, serving, c);
    *ret = c;
    return 0;
}

void control_free(struct control *c)
{
    if (!c)
        return;
    c->stopping = STOP_SOON;
    node_peers_stop_agents(c);
    sessions_close_all(c);
    audit_own(c, AUDIT_STOP, NULL);
    node_peers_drop_all(c);
    loop_on_turn(c->loop, NULL, NULL);
    control_release(c);
}

void control_add_client(struct control *c, int fd, uint32_t uid)
{
    sessions_let_in(c, fd, &(struct ucred){.uid = uid, .gid = uid}, &(struct session_origin){.node = ""});
}

bool control_is_settled(const struct control *c)
{
    return store_committed(c->store) >= store_ticket(c->store);
}

int control_reload(struct control *c, struct errtext *err)
{
    int r = config_reload(c, err);
    audit_own(c, AUDIT_RELOAD, r < 0 ? xasprintf("refused: %s", err->s) : NULL);
    return r;
}
