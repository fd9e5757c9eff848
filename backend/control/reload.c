#include "backend/control/reload.h"

#include <errno.h>

#include "backend/control/emit.h"
#include "backend/control/nodes/lost_nodes.h"
#include "backend/control/nodes/node_peers.h"
#include "backend/control/users/user_cache.h"

int config_apply(struct control *c, struct cluster_spec *spec)
{
    lost_nodes_bound_lease(c, spec);
    if (rec_eq(&cluster_spec_rec, spec, &c->model.spec)) {
        rec_fini(&cluster_spec_rec, spec);
        return 0;
    }
    return ctl_emit(c, EV_CONFIG, 0, spec);
}

int config_reload(struct control *c, struct errtext *err)
{
    struct cluster_spec spec;
    if (c->read_only)
        return err_set(err, -EROFS, "%s", c->read_only);
    int r = c->settings.reload(c->settings.reload_ctx, &spec, err);
    if (r < 0)
        return r;
    r = config_apply(c, &spec);
    user_cache_expire(c->users);
    node_peers_connect(c);
    planner_note_all(c->planner);
    c->sched_dirty = true;
    return r;
}
