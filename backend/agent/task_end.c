#include "backend/agent/task_end.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backend/agent/agent_internal.h"
#include "backend/agent/containment.h"
#include "backend/agent/ended_launches.h"
#include "backend/agent/gpu_account.h"
#include "backend/agent/rights_client.h"
#include "backend/agent/task_input.h"
#include "backend/agent/waiting_shims.h"
#include "src/base/xalloc.h"
#include "src/os/log.h"

void task_ended(struct atask *t, struct launch_end *end)
{
    struct agent *a = t->a;
    if (t->end) {
        rec_fini(&launch_end_rec, end);
        return;
    }
    t->end = xmemdup(end, sizeof *end);
    *end = (struct launch_end){0};
    gpu_account_close(t, &t->end->gpu_use);
    t->st.state = LAUNCH_ENDED;
    a->tasks->n_live--;
    list_unlink(&t->in_lost);
    loop_timer_cancel(a->loop, &t->timer); /* it is not connected to any more */
    containment_leave(a->containment, t);
    task_input_give_up(t);
    uplink_send(&a->uplink, MSG_TASK_END, 0, t->end);
    if (!a->uplink.wire && t->has_dir) {
        /* Without a controller the end must outlast a loss of power here; else the controller's disk is
         * the place. */
        int fd = openat(a->dir.tasks_fd, t->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd >= 0) {
            taskdir_sync_end(fd);
            close(fd);
        }
    }
    a->tasks->on_end(a->tasks->ctx, &t->st.key);
}

bool task_end_share(const struct agent *a, const struct launch_key *key)
{
    struct rights_answer ans;
    return rights_ask(a->rights, &(struct rights_request){.kind = RIGHTS_SHARE, .key = *key}, &ans) == 0;
}

/* After a loss of power a directory that was used again may hold the record of the task before. */
int task_end_read(const struct agent *a, const struct launch_key *key, int dir_fd, struct launch_end *ret)
{
    int r = taskdir_read_end(dir_fd, ret);
    if (r == -EACCES && task_end_share(a, key))
        r = taskdir_read_end(dir_fd, ret);
    if (r == 0 && !launch_key_eq(&ret->key, key)) {
        rec_fini(&launch_end_rec, ret);
        r = -EBADMSG;
    }
    return r;
}

void task_end_record(const struct atask *t, const struct launch_end *end)
{
    struct rights_request q = {.kind = RIGHTS_END,
                               .key = t->st.key,
                               .end_kind = end->end_kind,
                               .t_start = end->t_start,
                               .t_end = end->t_end};
    struct rights_answer ans;
    snprintf(q.path, sizeof q.path, "%s", end->message);
    int r = rights_ask(t->a->rights, &q, &ans);
    if (r < 0 && r != -ENOENT)
        log_error("task=%s cannot write its end: %s", t->name, strerror(-r));
}

void task_end_without_shim(struct atask *t, uint32_t kind, const char *text)
{
    struct launch_end end = {.key = t->st.key,
                             .end_kind = kind,
                             .t_start = t->st.t_start,
                             .t_end = loop_wall(t->a->loop),
                             .message = xstrdup(text),
                             .fault = FAULT_NODE};
    task_ended(t, &end);
}

void task_end_acknowledged(struct agent *a, const struct launch_key *key)
{
    struct atask *t = task_table_find(a->tasks, key);
    if (!t || !t->end || t->acked)
        return;
    ended_add(a->ended, key);
    if (t->has_dir && !t->has_spool && waiting_shims_keep_dir(a->waiting, key))
        t->has_dir = false;
    task_table_keep(t);
}

void task_ends_send(struct agent *a)
{
    list_for_each (t, &a->tasks->all, struct atask, in_table)
        if (t->end && !t->acked)
            uplink_send(&a->uplink, MSG_TASK_END, 0, t->end);
}
