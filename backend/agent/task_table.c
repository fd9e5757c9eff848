#include "backend/agent/task_table.h"

#include <stdlib.h>

#include "backend/agent/agent_internal.h"
#include "backend/agent/rights_client.h"
#include "src/base/xalloc.h"

#define DEPTH_MAX 64 /* of process trees */

struct task_table *task_table_new(void (*on_end)(void *ctx, const struct launch_key *key), void *ctx)
{
    struct task_table *tt = xcalloc(1, sizeof *tt);
    tt->on_end = on_end;
    tt->ctx = ctx;
    list_init(&tt->all);
    list_init(&tt->lost);
    list_init(&tt->over);
    return tt;
}

struct atask *task_table_find(struct task_table *tt, const struct launch_key *key)
{
    struct atask *t = idmap_get(&tt->by_key, launch_key_hash(key));
    return t && launch_key_eq(&t->st.key, key) ? t : NULL;
}

struct atask *task_table_find_latest(struct task_table *tt, const struct launch_key *key)
{
    if (key->attempt)
        return task_table_find(tt, key);
    struct atask *best = NULL;
    list_for_each (t, &tt->all, struct atask, in_table)
        if (t->st.key.job == key->job && t->st.key.step == key->step && t->st.key.task == key->task &&
            (!best || t->st.key.attempt > best->st.key.attempt))
            best = t;
    return best;
}

struct atask *task_table_add(struct agent *a, const struct launch_key *key)
{
    struct task_table *tt = a->tasks;
    struct atask *t = xcalloc(1, sizeof *t);
    t->a = a;
    t->st = (struct launch_status){.key = *key, .state = LAUNCH_STARTING};
    taskdir_name(key, t->name);
    list_init(&t->in_lost);
    list_append(&tt->all, &t->in_table);
    idmap_set(&tt->by_key, launch_key_hash(key), t);
    tt->n_live++;
    return t;
}

void task_table_set_shim(struct atask *t, pid_t pid)
{
    t->shim = pid;
    idmap_set(&t->a->tasks->by_pid, (uint64_t)pid, t);
}

void task_table_drop_shim(struct atask *t)
{
    struct idmap *by_pid = &t->a->tasks->by_pid;
    if (t->shim && idmap_get(by_pid, (uint64_t)t->shim) == t)
        idmap_remove(by_pid, (uint64_t)t->shim);
    t->shim = 0;
    wire_close(&t->wire);
}

void task_table_drop_late(struct atask *t)
{
    vec_for_each (&t->late, i)
        rec_fini(&launch_kill_rec, &t->late.v[i]);
    vec_clear(&t->late);
}

static void task_table_free_task(struct atask *t)
{
    task_table_drop_shim(t);
    list_unlink(&t->in_table);
    list_unlink(&t->in_lost);
    idmap_remove(&t->a->tasks->by_key, launch_key_hash(&t->st.key));
    loop_timer_cancel(t->a->loop, &t->timer);
    if (t->end)
        rec_fini(&launch_end_rec, t->end);
    else
        t->a->tasks->n_live--;
    free(t->end);
    free(t->gpu_account);
    task_table_drop_late(t);
    vec_fini(&t->late);
    free(t->cluster);
    free(t->group);
    vec_fini(&t->inputs);
    free(t);
}

void task_table_free(struct task_table *tt)
{
    if (!tt)
        return;
    while (!list_empty(&tt->all))
        task_table_free_task(list_first(&tt->all, struct atask, in_table));
    idmap_fini(&tt->by_key);
    idmap_fini(&tt->by_pid);
    free(tt);
}

/* --- kept for readers --- */

void task_table_remove(struct atask *t)
{
    if (t->has_dir)
        rights_ask_number(t->a->rights, &(struct rights_request){.kind = RIGHTS_REMOVE, .key = t->st.key});
    task_table_free_task(t);
}

static void task_table_keep_over(void *ctx)
{
    task_table_remove(ctx);
}

void task_table_keep(struct atask *t)
{
    t->acked = true;
    if (!t->has_spool) {
        list_move_to_end(&t->a->tasks->over, &t->in_lost);
        return;
    }
    t->timer = (struct loop_timer){.fn = task_table_keep_over, .ctx = t};
    task_table_was_read(t);
}

void task_table_remove_over(struct task_table *tt)
{
    list_for_each (t, &tt->over, struct atask, in_lost)
        task_table_remove(t);
}

void task_table_was_read(struct atask *t)
{
    if (t->acked)
        loop_timer_set(t->a->loop, &t->timer, t->a->cfg.spool_keep_ms);
}

unsigned task_table_hand_over(struct task_table *tt)
{
    unsigned n = 0;
    list_for_each (t, &tt->all, struct atask, in_table)
        if (t->acked)
            task_table_remove(t);
        else
            n++;
    return n;
}

/* --- processes and GPUs --- */

struct atask *task_table_above(struct task_table *tt, const struct proc *p)
{
    struct proc at = *p;
    for (int i = 0; i < DEPTH_MAX && at.pid > 1; i++) {
        struct atask *t = idmap_get(&tt->by_pid, (uint64_t)at.pid);
        if (t)
            return t;
        if (proc_read(at.ppid, &at) < 0)
            break;
    }
    return NULL;
}

bool task_table_job_holds(const struct task_table *tt, uint32_t job, uint32_t gpu)
{
    list_for_each (t, &tt->all, struct atask, in_table)
        if (!t->end && t->st.key.job == job && (!t->gpus_known || cpuset_has(&t->gpus, gpu)))
            return true;
    return false;
}

bool task_table_has_user(const struct task_table *tt, uint32_t uid)
{
    list_for_each (t, &tt->all, struct atask, in_table) {
        bool unknown = !t->gpus_known && cpuset_is_empty(&t->st.cpus);
        if (!t->end && (unknown || (t->gpus_known ? t->uid : t->st.uid) == uid))
            return true;
    }
    return false;
}

bool task_table_user_holds(const struct task_table *tt, uint32_t uid, uint32_t gpu)
{
    list_for_each (t, &tt->all, struct atask, in_table)
        if (!t->end && t->gpus_known && t->uid == uid && cpuset_has(&t->gpus, gpu))
            return true;
    return false;
}
