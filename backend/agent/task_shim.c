#include "backend/agent/task_shim.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backend/agent/agent_internal.h"
#include "backend/agent/controller_id.h"
#include "backend/agent/lease.h"
#include "backend/agent/rights_client.h"
#include "backend/agent/spool/sweep.h"
#include "backend/agent/task_end.h"
#include "backend/agent/task_input.h"
#include "backend/agent/waiting_shims.h"
#include "backend/task/shim_setup.h"
#include "src/os/log.h"
#include "src/proto/codec.h"

#define SHIM_FRAME_MAX (4u << 20)
#define END_AGAIN_MS   200
#define CONNECT_MIN_MS 10
#define CONNECT_MAX_MS 1000
#define FDS_SPARED     16

static void task_shim_connect_later(struct atask *t);
static void task_shim_send_late(struct atask *t);

/* --- the end of a shim --- */

/* Takes the end of a task without a shim from what that has left. Returns false where it cannot be read
 * now. */
static bool task_shim_take_left(struct atask *t)
{
    int fd = t->has_dir ? openat(t->a->dir.tasks_fd, t->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    int r = fd >= 0 ? 0 : t->has_dir ? -errno : -ENOENT;
    struct launch_end end;
    struct shim_record rec = {0};
    r = r ? r : taskdir_read_claim(fd, &rec);
    bool claimed = r == 0 && rec.version > 0;
    if (claimed) {
        t->shim_start = rec.start;
        r = task_end_read(t->a, &t->st.key, fd, &end);
    }
    if (fd >= 0)
        close(fd);
    if (taskdir_is_passing(r))
        return false;
    if (claimed && r == 0)
        task_ended(t, &end);
    else if (!claimed)
        task_end_without_shim(t, END_LAUNCH_FAILED, "its supervisor could not start");
    else
        sweep_add(t->a->sweep, t);
    return true;
}

static void task_shim_look_for_end(void *ctx)
{
    struct atask *t = ctx;
    if (t->end || task_shim_take_left(t))
        return;
    loop_timer_cancel(t->a->loop, &t->timer);
    t->timer = (struct loop_timer){.fn = task_shim_look_for_end, .ctx = t};
    loop_timer_set(t->a->loop, &t->timer, END_AGAIN_MS);
}

void task_shim_gone(struct atask *t)
{
    if (t->shim)
        t->lost_shim = t->shim; /* else it was gone before this agent came: its record says who it was */
    task_table_drop_shim(t);
    task_shim_look_for_end(t);
}

void task_shim_child_ended(struct agent *a, pid_t pid)
{
    struct atask *t = idmap_get(&a->tasks->by_pid, (uint64_t)pid);
    if (t)
        task_shim_gone(t);
}

/* --- connecting again --- */

/* The process of t's record has ended. A child is known by its number: its start is not kept. */
bool task_shim_is_gone(const struct atask *t)
{
    struct rights_request q = {.kind = RIGHTS_IS_GONE, .pid = t->shim, .start = t->shim_start};
    return t->shim_start && rights_ask_number(t->a->rights, &q);
}

/* Some descriptors stay free: for the controller's connection, and for what is opened for a moment. */
static bool task_shim_is_spare_fd(int fd)
{
    struct rlimit lim;
    return getrlimit(RLIMIT_NOFILE, &lim) == 0 && (rlim_t)fd + FDS_SPARED >= lim.rlim_cur;
}

static int task_shim_dial(const struct atask *t)
{
    struct rights_answer ans;
    rights_ask(t->a->rights, &(struct rights_request){.kind = RIGHTS_DIAL, .key = t->st.key}, &ans);
    if (ans.fd >= 0 && task_shim_is_spare_fd(ans.fd)) {
        close(ans.fd);
        return -1;
    }
    return ans.fd;
}

/* A shim listens from the moment it sees its agent go: where it does not yet, look again soon. As long as
 * it is connected the end of that connection tells of its death. */
void task_shim_connect(void *ctx)
{
    struct atask *t = ctx;
    if (t->end || t->wire.open || !t->shim)
        return;
    int fd = task_shim_dial(t);
    if (fd < 0 && task_shim_is_gone(t)) {
        task_shim_gone(t);
        return;
    }
    if (fd < 0) {
        task_shim_connect_later(t);
        return;
    }
    task_shim_open(t, fd);
    t->connect_pause_ms = 0;
    lease_tell(t->a->lease, t);
    task_shim_send_late(t);
}

static void task_shim_connect_later(struct atask *t)
{
    t->connect_pause_ms = t->connect_pause_ms ? t->connect_pause_ms * 2 : CONNECT_MIN_MS;
    if (t->connect_pause_ms > CONNECT_MAX_MS)
        t->connect_pause_ms = CONNECT_MAX_MS;
    loop_timer_cancel(t->a->loop, &t->timer);
    t->timer = (struct loop_timer){.fn = task_shim_connect, .ctx = t};
    loop_timer_set(t->a->loop, &t->timer, t->connect_pause_ms);
}

/* --- requests that are passed on --- */

/* Which requests take the place of one another. */
static int32_t task_shim_late_kind(int32_t signal)
{
    return signal == LAUNCH_PAUSED ? LAUNCH_LIMIT_AT : signal == SIGSTOP ? SIGCONT : signal;
}

/* What a shim that cannot be reached now gets when it can: the last request of each kind. */
static void task_shim_keep_late(struct atask *t, const struct launch_kill *k)
{
    size_t i = 0;
    while (i < t->late.n && task_shim_late_kind(t->late.v[i].signal) != task_shim_late_kind(k->signal))
        i++;
    if (i < t->late.n) {
        rec_fini(&launch_kill_rec, &t->late.v[i]);
        vec_remove(&t->late, i);
    }
    struct launch_kill copy;
    rec_copy(&launch_kill_rec, &copy, k);
    vec_push(&t->late, copy);
}

static void task_shim_send_late(struct atask *t)
{
    vec_for_each (&t->late, i)
        wire_send(&t->wire, MSG_KILL, 0, &launch_kill_rec, &t->late.v[i]);
    task_table_drop_late(t);
}

void task_shim_kill(struct agent *a, const struct launch_kill *k)
{
    struct atask *t = task_table_find(a->tasks, &k->key);
    if (!t || t->end)
        return;
    if (k->signal == 0)
        t->st.killing = true;
    if (t->wire.open && !t->wire.full)
        wire_send(&t->wire, MSG_KILL, 0, &launch_kill_rec, k);
    else if (k->signal != LAUNCH_NOTE_ONLY)
        task_shim_keep_late(t, k);
}

void task_shim_pmi(struct agent *a, const struct msg_pmi *m, const struct frame *f)
{
    struct atask *t = task_table_find(a->tasks, &m->key);
    if (t && !t->end)
        wire_send_encoded(&t->wire, MSG_PMI_ALL, 0, f->body, f->size);
}

/* --- what a shim says --- */

/* The end of its task has been reported. A shim that an earlier agent has started is not a child of this
 * one. The socket of a shim that is not kept is closed, so that it ends: else it would stay until its task
 * is forgotten. */
static void task_shim_waits(struct atask *t)
{
    pid_t pid = t->shim;
    bool keeps = t->end && pid && !t->shim_start && !task_shim_is_spare_fd(t->wire.fd.fd);
    int fd = keeps ? wire_release(&t->wire) : -1;
    if (fd < 0) {
        wire_close(&t->wire);
        return;
    }
    task_table_drop_shim(t);
    waiting_shims_keep(t->a->waiting, pid, fd, t);
}

static int task_shim_on_frame(void *ctx, const struct frame *f)
{
    struct atask *t = ctx;
    struct agent *a = t->a;
    struct launch_end end;
    struct launch_status st;
    switch (f->type) {
    case MSG_TASK_RUNNING:
        if (codec_decode(&launch_status_rec, f->body, f->size, &st, NULL) < 0 || t->end)
            return 0;
        st.key = t->st.key;
        if (cpuset_is_empty(&st.cpus)) { /* of an earlier release */
            st.uid = t->st.uid;
            st.cpus = t->st.cpus;
            st.gpus = t->st.gpus;
            st.mem_mib = t->st.mem_mib;
        }
        t->st = st;
        t->shim_used_ms = f->tag;
        uplink_send(&a->uplink, MSG_TASK_RUNNING, 0, &t->st);
        return 0;
    case MSG_TASK_END:
        if (codec_decode(&launch_end_rec, f->body, f->size, &end, NULL) < 0)
            return 0;
        end.key = t->st.key;
        task_ended(t, &end);
        return 0;
    case SHIM_WAITS: task_shim_waits(t); return 0;
    case MSG_INPUT_ACK: task_input_answered(t, f); return 0;
    case MSG_PMI_FENCE: uplink_send_encoded(&a->uplink, MSG_PMI_FENCE, 0, f->body, f->size); return 0;
    case SHIM_LIMIT:
        if (!a->uplink.wire) {
            struct launch_kill k = {
                .key = t->st.key, .cause = KILL_TIMEOUT, .grace_s = a->controller->kill_wait_s};
            task_shim_kill(a, &k);
        }
        return 0;
    default: return 0;
    }
}

/* Its exit is seen by its pid. One that lives listens when its agent has closed: that it did not read, or
 * sent what cannot be read, must not put it out of reach for ever. */
static void task_shim_on_close(void *ctx, const char *why)
{
    struct atask *t = ctx;
    if (t->end && t->shim_start)
        task_table_drop_shim(t); /* no signal tells that it is gone */
    if (t->end || !t->shim)
        return;
    task_input_give_up(t);
    log_info("task=%s its supervisor's connection is over: %s", t->name, why);
    task_shim_connect_later(t);
}

static const struct wire_ops task_shim_wire_ops = {.on_frame = task_shim_on_frame,
                                                   .on_close = task_shim_on_close};

void task_shim_open(struct atask *t, int fd)
{
    wire_open(&t->wire, t->a->loop, &t->a->dirty, fd, SHIM_FRAME_MAX, &task_shim_wire_ops, t);
}
