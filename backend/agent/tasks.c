/* tasks.c - the table of tasks: launch once, pass on, end once.
 *
 *     (nothing) --LAUNCH--> STARTING --shim says so--> RUNNING --end record--> ENDED
 *                                                         |                      ^   (end unknown)
 *                                                         `--shim lost--> its processes are killed
 *
 *     ENDED --END_ACK--> kept for readers --> (nothing)
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/agent/agent_private.h"
#include "backend/agent/user_lookup.h"
#include "backend/shim/shim.h"
#include "src/base/log.h"
#include "src/base/xalloc.h"
#include "src/proto/codec.h"

#define SHIM_FRAME_MAX (4u << 20)
#define END_AGAIN_MS   200

static struct atask *find_task(struct agent *a, const struct launch_key *key)
{
    struct atask *t = idmap_get(&a->by_key, launch_key_hash(key));
    return t && launch_key_eq(&t->st.key, key) ? t : NULL;
}

struct atask *tasks_find_latest(struct agent *a, const struct launch_key *key)
{
    if (key->attempt)
        return find_task(a, key);
    struct atask *best = NULL;
    list_for_each (t, &a->tasks, struct atask, link)
        if (t->st.key.job == key->job && t->st.key.step == key->step && t->st.key.task == key->task &&
            (!best || t->st.key.attempt > best->st.key.attempt))
            best = t;
    return best;
}

struct atask *tasks_new(struct agent *a, const struct launch_key *key)
{
    struct atask *t = xcalloc(1, sizeof *t);
    t->a = a;
    t->st = (struct launch_status){.key = *key, .state = LAUNCH_STARTING};
    taskdir_name(key, t->name);
    list_init(&t->lost_link);
    list_append(&a->tasks, &t->link);
    idmap_set(&a->by_key, launch_key_hash(key), t);
    a->n_live++;
    return t;
}

/* Forgets the shim, which has ended or is of no more interest. */
static void drop_shim(struct atask *t)
{
    if (t->shim && idmap_get(&t->a->by_pid, (uint64_t)t->shim) == t)
        idmap_remove(&t->a->by_pid, (uint64_t)t->shim);
    t->shim = 0;
    wire_close(&t->wire);
}

static void drop_late(struct atask *t)
{
    vec_for_each (&t->late, i)
        rec_fini(&launch_kill_rec, &t->late.v[i]);
    vec_clear(&t->late);
}

void tasks_free(struct atask *t)
{
    drop_shim(t);
    list_unlink(&t->link);
    list_unlink(&t->lost_link);
    idmap_remove(&t->a->by_key, launch_key_hash(&t->st.key));
    loop_timer_cancel(t->a->loop, &t->timer);
    if (t->end)
        rec_fini(&launch_end_rec, t->end);
    else
        t->a->n_live--;
    free(t->end);
    drop_late(t);
    vec_fini(&t->late);
    free(t->cluster);
    vec_fini(&t->inputs);
    free(t);
}

/* --- standard input --- */

static bool input_is_asked_for(const struct atask *t)
{
    return t->a->controller && t->a->controller->serial == t->input_peer;
}

static void input_answered(struct atask *t, const struct frame *f)
{
    vec_for_each (&t->inputs, i)
        if (t->inputs.v[i] == f->tag) {
            vec_remove(&t->inputs, i);
            break;
        }
    if (input_is_asked_for(t))
        wire_send_encoded(&t->a->controller->wire, MSG_INPUT_ACK, f->tag, f->body, f->size);
}

/* The shim answers no more: it has ended, or may not have got it. Who sent it hears so in any case. */
static void answer_inputs(struct atask *t)
{
    struct msg_input_ack ack = {.closed = t->end != NULL};
    vec_for_each (&t->inputs, i)
        if (input_is_asked_for(t))
            agent_send(t->a, MSG_INPUT_ACK, t->inputs.v[i], &ack);
    vec_clear(&t->inputs);
}

void tasks_input(struct agent *a, uint64_t tag, const struct msg_input *m, const struct frame *f)
{
    struct atask *t = tasks_find_latest(a, &m->key);
    if (!t || t->end || !t->wire.open) {
        /* An adopted shim that is not reached yet has taken nothing of it: the sender comes again. */
        struct msg_input_ack ack = {.closed = !t || t->end};
        agent_send(a, MSG_INPUT_ACK, tag, &ack);
        return;
    }
    uint64_t peer = a->controller ? a->controller->serial : 0;
    if (t->input_peer != peer)
        vec_clear(&t->inputs); /* nobody waits for those answers any more */
    t->input_peer = peer;
    vec_push(&t->inputs, tag);
    wire_send_encoded(&t->wire, MSG_INPUT, tag, f->body, f->size);
}

/* --- ends --- */

void tasks_ended(struct atask *t, struct launch_end *end)
{
    struct agent *a = t->a;
    if (t->end) {
        rec_fini(&launch_end_rec, end);
        return;
    }
    t->end = xmemdup(end, sizeof *end);
    *end = (struct launch_end){0};
    t->st.state = LAUNCH_ENDED;
    a->n_live--;
    list_unlink(&t->lost_link);
    loop_timer_cancel(a->loop, &t->timer); /* it is not connected to any more */
    if (t->caged)
        cgroup_remove_of(a, t->name);
    answer_inputs(t);
    agent_send(a, MSG_TASK_END, 0, t->end);
    if (!a->controller && t->has_dir) {
        /* Nobody takes it now: it must outlast the power of this machine. Otherwise the controller's disk
         * is the place. */
        int fd = openat(a->tasks_fd, t->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd >= 0) {
            taskdir_sync_end(fd);
            close(fd);
        }
    }
    spool_task_changed(a, &t->st.key);
}

/* An end that the agent itself gives. text is copied. */
static void end_without_shim(struct atask *t, uint32_t kind, const char *text)
{
    struct launch_end end = {.key = t->st.key,
                             .end_kind = kind,
                             .t_start = t->st.t_start,
                             .t_end = loop_wall(t->a->loop),
                             .message = xstrdup(text),
                             .fault = FAULT_NODE};
    tasks_ended(t, &end);
}

/* Takes the end of a task without a shim from what that has left. Returns false where it cannot be read
 * now. */
static bool take_left(struct atask *t)
{
    int fd = t->has_dir ? openat(t->a->tasks_fd, t->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    int r = fd >= 0 ? 0 : t->has_dir ? -errno : -ENOENT;
    struct launch_end end;
    struct shim_record rec = {0};
    r = r ? r : taskdir_read_claim(fd, &rec);
    bool claimed = r == 0 && rec.version > 0;
    if (claimed) {
        t->shim_start = rec.start;
        r = taskdir_read_end(fd, &end);
    }
    if (fd >= 0)
        close(fd);
    if (taskdir_is_passing(r))
        return false;
    if (claimed && r == 0)
        tasks_ended(t, &end);
    else if (!claimed)
        end_without_shim(t, END_LAUNCH_FAILED, "its supervisor could not start");
    else
        sweep_add(t);
    return true;
}

static void look_for_end(void *ctx)
{
    struct atask *t = ctx;
    if (t->end || take_left(t))
        return;
    loop_timer_cancel(t->a->loop, &t->timer);
    t->timer = (struct loop_timer){.fn = look_for_end, .ctx = t};
    loop_timer_set(t->a->loop, &t->timer, END_AGAIN_MS);
}

void tasks_shim_gone(struct atask *t)
{
    if (t->shim)
        t->lost_shim = t->shim; /* else it was gone before this agent came: its record says who it was */
    drop_shim(t);
    look_for_end(t);
}

void tasks_child_ended(struct agent *a, pid_t pid)
{
    struct atask *t = idmap_get(&a->by_pid, (uint64_t)pid);
    if (t)
        tasks_shim_gone(t);
}

static void remove_task(struct atask *t)
{
    if (t->has_dir)
        taskdir_remove(t->a->tasks_fd, t->name);
    tasks_free(t);
}

/* Tests cannot wait for a minute. */
static int64_t keep_ms(void)
{
    const char *text = getenv("STOKER_SPOOL_KEEP_MS");
    int ms = text ? atoi(text) : 0;
    return ms > 0 ? ms : SPOOL_KEEP_MS;
}

static void keep_over(void *ctx)
{
    remove_task(ctx);
}

void tasks_ack(struct agent *a, const struct launch_key *key)
{
    struct atask *t = find_task(a, key);
    if (!t || !t->end || t->acked)
        return;
    tomb_add(&a->tomb, key);
    t->acked = true;
    if (!t->has_spool) {
        remove_task(t);
        return;
    }
    t->timer = (struct loop_timer){.fn = keep_over, .ctx = t};
    loop_timer_set(a->loop, &t->timer, keep_ms());
}

void tasks_was_read(struct atask *t)
{
    if (t->acked)
        loop_timer_set(t->a->loop, &t->timer, keep_ms());
}

unsigned tasks_hand_over(struct agent *a)
{
    unsigned n = 0;
    list_for_each (t, &a->tasks, struct atask, link)
        if (t->acked)
            remove_task(t);
        else
            n++;
    return n;
}

void tasks_list(struct agent *a, struct msg_agent *into)
{
    list_for_each (t, &a->tasks, struct atask, link)
        if (!t->acked)
            *rec_list_push(&into->launches) = t->st;
}

void tasks_send_ends(struct agent *a)
{
    list_for_each (t, &a->tasks, struct atask, link)
        if (t->end && !t->acked)
            agent_send(a, MSG_TASK_END, 0, t->end);
}

/* --- what a shim says --- */

static int on_shim_frame(void *ctx, const struct frame *f)
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
        agent_send(a, MSG_TASK_RUNNING, 0, &t->st);
        return 0;
    case MSG_TASK_END:
        if (codec_decode(&launch_end_rec, f->body, f->size, &end, NULL) < 0)
            return 0;
        end.key = t->st.key;
        tasks_ended(t, &end);
        return 0;
    case MSG_INPUT_ACK: input_answered(t, f); return 0;
    case MSG_PMI_FENCE:
        if (a->controller)
            wire_send_encoded(&a->controller->wire, MSG_PMI_FENCE, 0, f->body, f->size);
        return 0;
    case SHIM_LIMIT:
        if (!a->controller) {
            struct launch_kill k = {.key = t->st.key, .cause = KILL_TIMEOUT, .grace_s = a->kill_wait_s};
            tasks_kill(a, &k);
        }
        return 0;
    default: return 0;
    }
}

/* Its exit is seen by its pid. One that lives listens when its agent has closed: that it did not read, or
 * sent what cannot be read, must not put it out of reach for ever. */
static void on_shim_close(void *ctx, const char *why)
{
    struct atask *t = ctx;
    if (t->end || !t->shim)
        return;
    answer_inputs(t);
    log_info("task=%s its supervisor's connection is over: %s", t->name, why);
    adopt_connect_later(t);
}

const struct wire_ops shim_wire_ops = {.on_frame = on_shim_frame, .on_close = on_shim_close};

/* --- launch --- */

static int spawn_shim(struct atask *t, int sock)
{
    struct agent *a = t->a;
    char *dir = xasprintf("%s/%s", a->tasks_dir, t->name);
    pid_t pid = forkserver_shim(&a->forkserver, dir, sock);
    free(dir);
    if (pid < 0)
        return pid;
    t->shim = pid;
    idmap_set(&a->by_pid, (uint64_t)pid, t);
    return 0;
}

/* ret_fault: whose a refusal is. A policy that does not admit what one job of a user wants is taken for one
 * that does not admit the user: it may well admit it elsewhere. */
static int check_launch(struct agent *a, const struct launch *l, const struct blob **ret_groups,
                        enum launch_fault *ret_fault, struct errtext *err)
{
    *ret_fault = FAULT_NODE;
    if (!str_eq(l->cluster, a->cluster))
        return err_set(err, -EPERM, "launch of another cluster");
    if (l->epoch < a->epoch)
        return err_set(err, -EPERM, "launch of an older controller: epoch %llu, this node obeys %llu",
                       (unsigned long long)l->epoch, (unsigned long long)a->epoch);
    if (!l->ranks.n || l->ranks.n > NODE_RANKS_MAX) {
        *ret_fault = FAULT_JOB;
        return err_set(err, -EINVAL, "a task has 1 to %d ranks, not %zu", NODE_RANKS_MAX, l->ranks.n);
    }
    *ret_fault = FAULT_USER;
    if (!a->root && l->uid != geteuid())
        return err_set(err, -EPERM, "this node runs jobs of uid %u only, not of %u", geteuid(), l->uid);
    /* Its own uid needs no groups from the name service: it has them. */
    bool ask = a->root ? l->uid != 0 || l->gid != 0 : a->policy.groups.n > 0;
    int r = ask ? users_groups(l->uid, l->gid, l->user, ret_groups, err) : 0;
    r = r ? r : policy_check(&a->policy, l, a->n_live, *ret_groups, err);
    if (r == -EAGAIN || r == 0)
        *ret_fault = FAULT_NODE;
    if (r < 0)
        return r;
    return room_check(a, err);
}

/* What keeps a task within its bounds: directories of control groups, NULL where there is none. */
struct cage {
    char *memory, *pids, *devices;
    bool gpus_closed;
};

static void cage_make(struct atask *t, const struct launch *l, struct cage *c)
{
    struct agent *a = t->a;
    cgroup_make(a, t->name, l->alloc.mem_mib, &c->memory, &c->pids);
    const char *v2 = a->cages.memory_version == 2 ? c->memory : NULL;
    c->gpus_closed = devices_close(a, t->name, v2, &l->alloc.gpus, &c->devices);
    t->caged = c->memory || c->pids || c->devices;
}

static void cage_fini(struct cage *c)
{
    free(c->memory);
    free(c->pids);
    free(c->devices);
}

static void send_setup(struct atask *t, const struct blob *groups, const struct cage *cage,
                       const struct frame *f)
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
        .boot_id = a->probe.boot_id,
        .bind = agent_binds_cpus(a),
        .cpus = a->probe.cpus,
        .cpu_order = a->cpu_order,
        .cgroup = cage->memory,
        .nofile = a->nofile,
        .core_known = true,
        .core = a->core,
        .spared = a->spared,
        .oom_score_adj = a->oom_score_adj,
        .spool_max = a->policy.spool_max_mib << 20,
        .stuck_ms = a->stuck_ms,
        .lease_ms = (uint64_t)a->renewed_ms,
        .devices = cage->devices,
        .pids = cage->pids,
        .cgroup_v1 = a->cages.memory_version == 1,
    };
    gpus_names(a, cage->gpus_closed, &setup.gpu_names);
    wire_send(&t->wire, SHIM_SETUP, 0, &shim_setup_rec, &setup);
    wire_send_encoded(&t->wire, MSG_LAUNCH, 0, f->body, f->size);
    strv_fini(&setup.gpu_names);
    free(node);
}

static bool uses_spool(const struct launch *l)
{
    for (size_t i = 0; i < l->ranks.n; i++)
        if (!l->ranks.v[i].std_out || !l->ranks.v[i].std_err)
            return true;
    return false;
}

static int start(struct atask *t, const struct launch *l, const struct blob *groups, const struct frame *f,
                 struct errtext *err)
{
    struct agent *a = t->a;
    /* The user passes through to reach his script, and lists nothing. */
    if (mkdirat(a->tasks_fd, t->name, a->root ? 0711 : 0700) < 0)
        return err_set(err, -errno, "cannot make the task directory: %s", strerror(errno));
    t->has_dir = true;
    int sv[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv) < 0)
        return err_set(err, -errno, "resource: no socket for the supervisor: %s", strerror(errno));
    int r = spawn_shim(t, sv[1]);
    close(sv[1]);
    if (r < 0) {
        close(sv[0]);
        return err_set(err, r, "resource: cannot start the supervisor: %s", strerror(-r));
    }
    wire_open(&t->wire, a->loop, &a->dirty, sv[0], SHIM_FRAME_MAX, &shim_wire_ops, t);
    struct cage cage = {0};
    cage_make(t, l, &cage);
    send_setup(t, groups, &cage, f);
    cage_fini(&cage);
    return 0;
}

static void refuse(struct agent *a, const struct launch *l, uint32_t kind, enum launch_fault fault,
                   const char *text)
{
    struct launch_end end = {.key = l->key, .end_kind = kind, .t_end = loop_wall(a->loop), .fault = fault};
    end.message = xstrdup(text);
    agent_send(a, MSG_TASK_END, 0, &end);
    free(end.message);
}

void tasks_launch(struct agent *a, const struct launch *l, const struct frame *f)
{
    struct atask *t = find_task(a, &l->key);
    if (t) {
        /* Asked again: the answer is what is known of it. */
        if (t->end)
            agent_send(a, MSG_TASK_END, 0, t->end);
        else if (t->st.state == LAUNCH_RUNNING)
            agent_send(a, MSG_TASK_RUNNING, 0, &t->st);
        return;
    }
    t = idmap_get(&a->by_key, launch_key_hash(&l->key));
    if (t) { /* its directory has that name: one that has ended goes by itself */
        refuse(a, l, END_LAUNCH_FAILED, FAULT_JOB,
               "this node holds a task of another job with the same id and try");
        return;
    }
    if (tomb_has(&a->tomb, &l->key)) {
        refuse(a, l, END_UNKNOWN, FAULT_JOB, "this launch has been run, and its end acknowledged, before");
        return;
    }
    if (l->lease_s && !lease_holds(a, l->lease_s)) { /* on its way for too long */
        refuse(a, l, END_LEASE, FAULT_JOB, "no controller was heard for its lease");
        return;
    }
    struct errtext err;
    const struct blob *groups = NULL;
    enum launch_fault fault;
    int r = check_launch(a, l, &groups, &fault, &err);
    if (r < 0) {
        log_warn("launch=%u.%d.%u.%u refused: %s", l->key.job, l->key.step, l->key.task, l->key.attempt,
                 err.s);
        refuse(a, l, END_LAUNCH_FAILED, fault, err.s);
        return;
    }
    t = tasks_new(a, &l->key);
    t->cluster = xstrdup(l->cluster);
    t->has_spool = uses_spool(l);
    t->uid = l->uid;
    t->gpus = l->alloc.gpus;
    t->gpus_known = true;
    t->st.uid = l->uid;
    t->st.cpus = l->alloc.cpus;
    t->st.gpus = l->alloc.gpus;
    t->st.mem_mib = l->alloc.mem_mib;
    t->leased = l->lease_s != 0;
    t->st.t_start = loop_wall(a->loop);
    r = start(t, l, groups, f, &err);
    if (r == 0)
        return;
    log_error("launch=%s failed: %s", t->name, err.s);
    if (t->caged)
        cgroup_remove_of(a, t->name);
    refuse(a, l, END_LAUNCH_FAILED, FAULT_NODE, err.s);
    remove_task(t);
}

/* --- passed on to the shim --- */

/* Which requests take the place of one another. */
static int32_t late_kind(int32_t signal)
{
    return signal == LAUNCH_PAUSED ? LAUNCH_LIMIT_AT : signal == SIGSTOP ? SIGCONT : signal;
}

/* What a shim that cannot be reached now gets when it can: the last request of each kind. */
static void keep_late(struct atask *t, const struct launch_kill *k)
{
    size_t i = 0;
    while (i < t->late.n && late_kind(t->late.v[i].signal) != late_kind(k->signal))
        i++;
    if (i < t->late.n) {
        rec_fini(&launch_kill_rec, &t->late.v[i]);
        vec_remove(&t->late, i);
    }
    struct launch_kill copy;
    rec_copy(&launch_kill_rec, &copy, k);
    vec_push(&t->late, copy);
}

void tasks_send_late(struct atask *t)
{
    vec_for_each (&t->late, i)
        wire_send(&t->wire, MSG_KILL, 0, &launch_kill_rec, &t->late.v[i]);
    drop_late(t);
}

void tasks_kill(struct agent *a, const struct launch_kill *k)
{
    struct atask *t = find_task(a, &k->key);
    if (!t || t->end)
        return;
    if (k->signal == 0)
        t->st.killing = true;
    if (t->wire.open && !t->wire.full)
        wire_send(&t->wire, MSG_KILL, 0, &launch_kill_rec, k);
    else if (k->signal != LAUNCH_NOTE_ONLY)
        keep_late(t, k);
}

void tasks_pmi(struct agent *a, const struct msg_pmi *m, const struct frame *f)
{
    struct atask *t = find_task(a, &m->key);
    if (t && !t->end)
        wire_send_encoded(&t->wire, MSG_PMI_ALL, 0, f->body, f->size);
}
