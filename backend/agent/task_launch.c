#include "backend/agent/task_launch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/agent/agent_internal.h"
#include "backend/agent/containment.h"
#include "backend/agent/controller_id.h"
#include "backend/agent/disk_reserve.h"
#include "backend/agent/ended_launches.h"
#include "backend/agent/lease.h"
#include "backend/agent/spool_quota.h"
#include "backend/agent/task_end.h"
#include "backend/agent/task_shim.h"
#include "backend/agent/task_table.h"
#include "backend/node/node_gpus.h"
#include "backend/node/user_lookup.h"
#include "backend/task/shim_setup.h"
#include "src/base/log.h"
#include "src/base/xalloc.h"

static int launch_spawn_shim(struct task_launcher *tl, struct atask *t, const char *group, int sock)
{
    struct agent *a = t->a;
    char *dir = xasprintf("%s/%s", a->dir.tasks_path, t->name);
    pid_t pid = forkserver_shim(&tl->forkserver, dir, group, sock);
    free(dir);
    if (pid < 0)
        return pid;
    task_table_set_shim(t, pid);
    return 0;
}

/* ret_fault: whose a refusal is. A policy that does not admit what one job of a user wants is taken for one
 * that does not admit the user: it may well admit it elsewhere. */
static int launch_check(struct agent *a, const struct launch *l, const struct blob **ret_groups,
                        enum launch_fault *ret_fault, struct errtext *err)
{
    *ret_fault = FAULT_NODE;
    if (!str_eq(l->cluster, a->controller->cluster))
        return err_set(err, -EPERM, "launch of another cluster");
    if (l->epoch < a->controller->epoch)
        return err_set(err, -EPERM, "launch of an older controller: epoch %llu, this node obeys %llu",
                       (unsigned long long)l->epoch, (unsigned long long)a->controller->epoch);
    if (!l->ranks.n || l->ranks.n > NODE_RANKS_MAX) {
        *ret_fault = FAULT_JOB;
        return err_set(err, -EINVAL, "a task has 1 to %d ranks, not %zu", NODE_RANKS_MAX, l->ranks.n);
    }
    *ret_fault = FAULT_USER;
    if (!a->root && l->uid != geteuid())
        return err_set(err, -EPERM, "this node runs jobs of uid %u only, not of %u", geteuid(), l->uid);
    /* Its own uid needs no groups from the name service: it has them. */
    bool ask = a->root ? l->uid != 0 || l->gid != 0 : a->policy.groups.n + a->policy.denied.n > 0;
    int r = ask ? user_lookup_groups(l->uid, l->gid, l->user, ret_groups, err) : 0;
    r = r ? r : node_policy_check(&a->policy, l, a->tasks->n_live, *ret_groups, err);
    if (r == -EAGAIN || r == 0)
        *ret_fault = FAULT_NODE;
    if (r < 0)
        return r;
    return disk_reserve_check(a->disk, err);
}

static void launch_send_setup(const struct own_limits *limits, struct atask *t, const struct blob *groups,
                              const struct task_groups *groups_of, bool gpus_closed, const struct frame *f)
{
    struct agent *a = t->a;
    uint32_t root_group = 0;
    struct blob own = {.p = (uint8_t *)&root_group, .n = sizeof root_group};
    char *node = xstrdup(a->cfg.node);
    struct shim_setup setup = {
        .version = SHIM_VERSION,
        .drop = a->root,
        .groups = groups ? *groups : own,
        .node = node,
        .boot_id = a->facts.probe.boot_id,
        .bind = node_facts_binds_cpus(&a->facts),
        .cpus = a->facts.probe.cpus,
        .cpu_order = a->facts.cpu_order,
        .cgroup = groups_of->memory,
        .nofile = limits->nofile,
        .core_known = true,
        .core = limits->core,
        .spared = limits->spared,
        .oom_score_adj = limits->oom_score_adj,
        .spool_max = a->policy.spool_max_mib << 20,
        .stuck_ms = a->cfg.stuck_ms,
        .lease_ms = (uint64_t)a->lease->renewed_ms,
        .supervisor = groups_of->supervisor,
        .pids = groups_of->pids,
        .cgroup_v1 = groups_of->memory_is_v1,
        .ranks = groups_of->task,
        .inherited = groups_of->inherited,
        .group = t->group,
        .workdirs = a->policy.workdirs, /* still the policy's */
    };
    node_gpus_names(a->gpus, gpus_closed, &setup.gpu_names);
    wire_send(&t->wire, SHIM_SETUP, 0, &shim_setup_rec, &setup);
    wire_send_encoded(&t->wire, MSG_LAUNCH, 0, f->body, f->size);
    strv_fini(&setup.gpu_names);
    free(node);
}

static bool launch_uses_spool(const struct launch *l)
{
    for (size_t i = 0; i < l->ranks.n; i++)
        if (!l->ranks.v[i].std_out || !l->ranks.v[i].std_err)
            return true;
    return false;
}

static int launch_start(struct task_launcher *tl, struct atask *t, const struct launch *l,
                        const struct blob *groups, const struct frame *f, struct errtext *err)
{
    struct agent *a = t->a;
    /* Users pass through to their scripts, and list nothing. */
    if (mkdirat(a->dir.tasks_fd, t->name, a->root ? 0711 : 0700) < 0)
        return err_set(err, -errno, "cannot make the task directory: %s", strerror(errno));
    t->has_dir = true;
    int sv[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv) < 0)
        return err_set(err, -errno, "resource: no socket for the supervisor: %s", strerror(errno));
    struct task_groups bounds;
    bool gpus_closed;
    containment_make(a->containment, t, l, &bounds, &gpus_closed);
    int r = launch_spawn_shim(tl, t, bounds.supervisor, sv[1]);
    close(sv[1]);
    if (r < 0) {
        close(sv[0]);
        task_groups_fini(&bounds);
        return err_set(err, r, "resource: cannot start the supervisor: %s", strerror(-r));
    }
    task_shim_open(t, sv[0]);
    launch_send_setup(&tl->limits, t, groups, &bounds, gpus_closed, f);
    task_groups_fini(&bounds);
    return 0;
}

static void launch_refuse(struct agent *a, const struct launch *l, uint32_t kind, enum launch_fault fault,
                          const char *text)
{
    struct launch_end end = {.key = l->key, .end_kind = kind, .t_end = loop_wall(a->loop), .fault = fault};
    end.message = xstrdup(text);
    uplink_send(&a->uplink, MSG_TASK_END, 0, &end);
    free(end.message);
}

void task_launch(struct task_launcher *tl, struct agent *a, const struct launch *l, const struct frame *f)
{
    struct atask *t = task_table_find(a->tasks, &l->key);
    if (t) {
        /* Asked again: the answer is what is known of it. */
        if (t->end)
            uplink_send(&a->uplink, MSG_TASK_END, 0, t->end);
        else if (t->st.state == LAUNCH_RUNNING)
            uplink_send(&a->uplink, MSG_TASK_RUNNING, 0, &t->st);
        return;
    }
    t = idmap_get(&a->tasks->by_key, launch_key_hash(&l->key));
    if (t) { /* its directory has that name: one that has ended goes by itself */
        launch_refuse(a, l, END_LAUNCH_FAILED, FAULT_JOB,
                      "this node holds a task of another job with the same id and try");
        return;
    }
    if (ended_has(a->ended, &l->key)) {
        launch_refuse(a, l, END_UNKNOWN, FAULT_JOB,
                      "this launch has been run, and its end acknowledged, before");
        return;
    }
    if (l->lease_s && !lease_holds(a->lease, l->lease_s,
                                   loop_now(a->loop).ns / NS_PER_MS)) { /* on its way for too long */
        launch_refuse(a, l, END_LEASE, FAULT_JOB, "no controller was heard for its lease");
        return;
    }
    struct errtext err;
    const struct blob *groups = NULL;
    enum launch_fault fault;
    int r = launch_check(a, l, &groups, &fault, &err);
    if (r < 0) {
        log_warn("launch=%u.%d.%u.%u refused: %s", l->key.job, l->key.step, l->key.task, l->key.attempt,
                 err.s);
        launch_refuse(a, l, END_LAUNCH_FAILED, fault, err.s);
        return;
    }
    t = task_table_add(a, &l->key);
    t->cluster = xstrdup(l->cluster);
    t->has_spool = launch_uses_spool(l);
    t->uid = l->uid;
    t->gpus = l->alloc.gpus;
    t->gpus_known = true;
    t->st.uid = l->uid;
    t->st.cpus = l->alloc.cpus;
    t->st.gpus = l->alloc.gpus;
    t->st.mem_mib = l->alloc.mem_mib;
    t->leased = l->lease_s != 0;
    t->st.t_start = loop_wall(a->loop);
    r = launch_start(tl, t, l, groups, f, &err);
    if (r == 0 && t->has_spool)
        spool_quota_begin(a->spool_quota);
    if (r == 0)
        return;
    log_error("launch=%s failed: %s", t->name, err.s);
    containment_leave(a->containment, t);
    launch_refuse(a, l, END_LAUNCH_FAILED, FAULT_NODE, err.s);
    task_table_remove(t);
}
