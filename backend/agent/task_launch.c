#include "backend/agent/task_launch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/agent/agent_internal.h"
#include "backend/agent/containment.h"
#include "backend/agent/controller_id.h"
#include "backend/agent/ended_launches.h"
#include "backend/agent/gpu_account.h"
#include "backend/agent/held_jobs.h"
#include "backend/agent/lease.h"
#include "backend/agent/rights_client.h"
#include "backend/agent/spool/disk_reserve.h"
#include "backend/agent/spool/spool_quota.h"
#include "backend/agent/task_end.h"
#include "backend/agent/task_shim.h"
#include "backend/agent/task_table.h"
#include "backend/agent/waiting_shims.h"
#include "backend/node/node_gpus.h"
#include "backend/task/shim_setup.h"
#include "src/base/xalloc.h"
#include "src/os/log.h"

static int launch_check(struct agent *a, const struct launch *l, enum launch_fault *ret_fault,
                        struct errtext *err)
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
    return disk_reserve_check(a->disk, err);
}

/* What the grant says is left out: see shim_setup.h. */
static void launch_send_setup(struct atask *t, bool gpus_closed, const struct frame *f)
{
    struct agent *a = t->a;
    char *node = xstrdup(a->cfg.node);
    struct shim_setup setup = {
        .version = SHIM_VERSION,
        .node = node,
        .boot_id = a->facts.probe.boot_id,
        .bind = node_facts_binds_cpus(&a->facts),
        .cpus = a->facts.probe.cpus,
        .cpu_order = a->facts.cpu_order,
        .stuck_ms = a->cfg.stuck_ms,
        .lease_ms = (uint64_t)a->lease->renewed_ms,
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

/* There was no descriptor left for the supervisor's socket: it hears no launch, and ends. */
static void launch_take_back(struct agent *a, struct rights_request *q, struct rights_answer *ret)
{
    q->kind = RIGHTS_GROUPS_LEAVE;
    rights_ask_number(a->rights, q);
    q->kind = RIGHTS_REMOVE;
    rights_ask_number(a->rights, q);
    ret->r = -EMFILE;
    ret->fault = FAULT_NODE;
    snprintf(ret->text, sizeof ret->text, "resource: no socket for the supervisor: %s", strerror(EMFILE));
}

/* Whose a refusal is: the answer says so. A policy that does not admit what one job of a user wants is
 * taken for one that does not admit the user: it may well admit it elsewhere. */
static int launch_ask(struct agent *a, const struct launch *l, struct rights_request *q,
                      struct rights_answer *ret, bool *ret_gpus_closed)
{
    char task[TASKDIR_NAME_SIZE];
    *q = (struct rights_request){
        .kind = RIGHTS_START, .key = l->key, .uid = l->uid, .gid = l->gid, .n_live = a->tasks->n_live};
    snprintf(q->user, sizeof q->user, "%s", l->user ? l->user : "");
    snprintf(q->path, sizeof q->path, "%s", l->workdir ? l->workdir : "");
    q->flag = launch_uses_spool(l);
    *ret_gpus_closed = containment_ask(a->containment, l, taskdir_name(&l->key, task), q);
    if (rights_ask(a->rights, q, ret) == 0 && ret->fd < 0)
        launch_take_back(a, q, ret);
    return ret->r;
}

static void launch_refuse(struct agent *a, const struct launch *l, uint32_t kind, enum launch_fault fault,
                          const char *text)
{
    struct launch_end end = {.key = l->key, .end_kind = kind, .t_end = loop_wall(a->loop), .fault = fault};
    end.message = xstrdup(text);
    uplink_send(&a->uplink, MSG_TASK_END, 0, &end);
    free(end.message);
}

static void launch_log_refusal(struct agent *a, const struct launch *l, const char *why)
{
    if (peer_log_may(&a->peer_log, a->loop))
        log_warn("launch=%u.%d.%u.%u refused: %s", l->key.job, l->key.step, l->key.task, l->key.attempt,
                 why);
}

void task_launch(struct agent *a, const struct launch *l, const struct frame *f)
{
    struct atask *t = task_table_find(a->tasks, &l->key);
    if (t && (!t->acked || t->has_spool)) {
        /* Asked again: the answer is what is known of it. */
        if (t->end)
            uplink_send(&a->uplink, MSG_TASK_END, 0, t->end);
        else if (t->st.state == LAUNCH_RUNNING)
            uplink_send(&a->uplink, MSG_TASK_RUNNING, 0, &t->st);
        return;
    }
    waiting_shims_drop_dir(a->waiting, &l->key);
    t = idmap_get(&a->tasks->by_key, launch_key_hash(&l->key));
    if (t && t->acked && !t->has_spool) { /* removed at the end of this turn otherwise */
        task_table_remove(t);
        t = NULL;
    }
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
    enum launch_fault fault;
    if (launch_check(a, l, &fault, &err) < 0) {
        launch_log_refusal(a, l, err.s);
        launch_refuse(a, l, END_LAUNCH_FAILED, fault, err.s);
        return;
    }
    struct rights_request q;
    struct rights_answer ans;
    bool gpus_closed;
    if (launch_ask(a, l, &q, &ans, &gpus_closed) < 0) {
        launch_log_refusal(a, l, ans.text);
        launch_refuse(a, l, END_LAUNCH_FAILED, ans.fault, ans.text);
        containment_remove_later(a->containment, q.group);
        return;
    }
    t = task_table_add(a, &l->key);
    t->has_dir = true;
    t->cluster = xstrdup(l->cluster);
    t->has_spool = launch_uses_spool(l);
    t->uid = l->uid;
    t->gpus = l->alloc.gpus;
    t->gpus_known = true;
    t->st.uid = l->uid;
    t->st.cpus = l->alloc.cpus;
    t->st.gpus = l->alloc.gpus;
    t->st.mem_mib = l->alloc.mem_mib;
    gpu_account_open(t);
    t->leased = l->lease_s != 0;
    t->st.t_start = loop_wall(a->loop);
    t->shim_start = ans.start;
    t->n_killed = waiting_shims_n_killed(a->waiting);
    if (ans.number)
        containment_adopt(a->containment, t, q.group);
    if (ans.number & RIGHTS_HAS_PRIVATE)
        held_jobs_add(a->held, l->uid, l->key.nonce, q.group);
    task_table_set_shim(t, ans.pid);
    task_shim_open(t, ans.fd);
    launch_send_setup(t, gpus_closed, f);
    if (t->has_spool)
        spool_quota_begin(a->spool_quota);
}
