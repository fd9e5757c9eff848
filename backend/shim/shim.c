/* Takes the launch, starts the ranks, waits, writes the end.
 *
 *     OPENING --files are open--> RUNNING --last rank ended--> LEFTOVERS --no child left--> GONE
 *
 * Invariants: the claim in the task directory comes before the first process of the task; the end record
 * comes after the last one is gone, and before the shim goes.
 */
#include "backend/shim/shim.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/keyctl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "backend/shim/shim_agent.h"
#include "backend/shim/shim_files.h"
#include "backend/shim/shim_group.h"
#include "backend/shim/shim_io.h"
#include "backend/shim/shim_kill.h"
#include "backend/shim/shim_mem.h"
#include "backend/shim/shim_orders.h"
#include "backend/shim/shim_pmi.h"
#include "backend/shim/shim_pty.h"
#include "backend/shim/shim_rank.h"
#include "backend/shim/shim_reap.h"
#include "backend/shim/shim_spool.h"
#include "backend/shim/shim_state.h"
#include "backend/shim/shim_timer.h"
#include "backend/task/taskdir.h"
#include "src/base/xalloc.h"
#include "src/os/clock.h"
#include "src/proto/codec.h"

#define LIMIT_AGAIN_MS 30000
#define END_RETRY_MS   1000
#define TELL_MS        20
#define TELL_STEP_MS   5

/* --- the beginning --- */

static bool shim_claim(struct shim *s)
{
    struct shim_record rec = {
        .version = SHIM_VERSION, .pid = getpid(), .t_start = s->t_start, .nonce = s->l.key.nonce};
    rec.start = s->start;
    snprintf(rec.boot_id, sizeof rec.boot_id, "%s", s->setup.boot_id ? s->setup.boot_id : "-");
    snprintf(rec.group, sizeof rec.group, "%s", s->setup.group ? s->setup.group : "");
    int r = taskdir_claim(s->dir_fd, &rec);
    if (r < 0)
        fprintf(stderr, "stoker-shim: cannot claim %s: %s\n", s->dir, strerror(-r));
    return r == 0;
}

static int shim_write_script(struct shim *s)
{
    uid_t uid = s->setup.drop ? s->l.uid : geteuid();
    gid_t gid = s->setup.drop ? s->l.gid : getegid();
    if (s->n_before && s->l.script.n && taskdir_has_script(s->dir_fd, &s->l.script, uid, gid))
        return 0;
    if (s->n_before) /* of the task before, if the directory was its own */
        unlinkat(s->dir_fd, TASKDIR_SCRIPT, 0);
    if (!s->l.script.n)
        return 0;
    int fd = openat(s->dir_fd, TASKDIR_SCRIPT, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0500);
    int r = fd < 0 ? -errno : 0;
    if (r == 0 && write(fd, s->l.script.p, s->l.script.n) != (ssize_t)s->l.script.n)
        r = errno ? -errno : -ENOSPC;
    if (r == 0 && s->setup.drop && fchown(fd, s->l.uid, s->l.gid) < 0)
        r = -errno;
    if (fd >= 0)
        close(fd);
    if (r < 0)
        shim_message(s, "cannot write the script to %s: %s", s->dir, strerror(-r));
    return r;
}

/* That a short task runs is told with its end: the agent wakes up once and the controller commits once. A
 * client waits for a step, and has its first output that much later. 0: at once. */
static int64_t shim_tell_after_ms(const struct shim *s)
{
    bool is_step = s->l.key.step != STEP_BATCH && s->l.job_alloc.node;
    return s->pmi || s->pty ? 0 : is_step ? TELL_STEP_MS : TELL_MS;
}

static void shim_spawn_ranks(struct shim *s)
{
    s->phase = SHIM_RUNNING;
    s->tell_ms = mono_ms() + shim_tell_after_ms(s);
    for (size_t i = 0; i < s->n_ranks && !s->launch_failed && !s->terminating; i++) {
        int r = shim_rank_spawn(s, &s->ranks[i]);
        if (r < 0) {
            s->launch_failed = true;
            s->node_fault = s->node_fault || i == 0; /* later ones may be too many */
            shim_message(s, "cannot start rank %u: %s", s->ranks[i].l->rank, strerror(-r));
        }
    }
    if (s->launch_failed && s->n_alive)
        shim_kill_terminate(s, 0);
    shim_io_input_push(s);
}

/* The session keyring of the agent would be that of all tasks of all users. The new one belongs to root, so
 * that no user's quota of keys bounds their tasks; the ranks possess it. A kernel without keys has none to
 * share. */
static void shim_leave_keyring(const struct shim *s)
{
    if (s->setup.drop)
        syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
}

static void shim_start(struct shim *s)
{
    shim_leave_keyring(s);
    int failed = shim_group_enter(s);
    s->n_ranks = s->l.ranks.n;
    s->ranks = xcalloc(s->n_ranks, sizeof *s->ranks);
    for (size_t i = 0; i < s->n_ranks; i++) {
        struct rank *r = &s->ranks[i];
        *r = (struct rank){.l = &s->l.ranks.v[i], .report_fd = -1, .in_fd = -1};
        for (int k = 0; k < 2; k++)
            r->pump[k] = (struct pump){.fd = -1, .line = STR_INIT};
    }
    shim_timer_start(s);
    shim_orders_start_lease(s);
    shim_timer_arm(s);
    shim_mem_start(s);
    shim_pmi_start(s);
    shim_pty_start(s);
    int r = failed ? failed : shim_write_script(s);
    if (r == 0)
        r = shim_files_prepare(s);
    shim_spool_start(s);
    if (r == 0 && shim_files_need_opener(s)) {
        r = shim_files_start_opener(s);
        if (r < 0)
            shim_message(s, "cannot start a process: %s", strerror(-r));
    }
    if (r < 0)
        s->launch_failed = s->node_fault = true;
    if (r < 0)
        s->phase = SHIM_RUNNING;
    else if (!s->opener)
        shim_spawn_ranks(s);
}

/* --- while it runs --- */

/* While a controller is there it keeps the time. A step's own limit is kept here. */
static void shim_limit_reached(struct shim *s)
{
    if (s->agent_fd >= 0 && !s->l.limit_own) {
        s->limit_ms = mono_ms() + LIMIT_AGAIN_MS;
        shim_agent_send(s, SHIM_LIMIT, 0, NULL, NULL);
        return;
    }
    shim_reap(s);
    s->limit_ms = INT64_MAX;
    if (s->phase != SHIM_OPENING && s->phase != SHIM_RUNNING)
        return;
    char at[WALL_TEXT_SIZE], step[16];
    snprintf(step, sizeof step, ".%d", s->l.key.step);
    char *line = xasprintf("slurmstepd: error: *** %s %u%s ON %s CANCELLED AT %s DUE TO TIME LIMIT ***",
                           s->l.is_batch ? "JOB" : "STEP", s->l.key.job, s->l.is_batch ? "" : step,
                           s->setup.node ? s->setup.node : "?", wall_format_iso(wall_read(), at));
    struct launch_kill k = {
        .key = s->l.key, .cause = KILL_TIMEOUT, .grace_s = s->l.kill_wait_s, .note = line};
    shim_orders_kill(s, &k);
    free(line);
}

/* srun --wait: no grace, as in Slurm. */
static void shim_wait_is_over(struct shim *s)
{
    s->wait_ms = INT64_MAX;
    shim_reap(s);
    if (s->phase != SHIM_RUNNING || !s->n_alive || s->terminating)
        return;
    s->waited_out = s->terminating = true;
    shim_kill_round(s);
}

static void shim_timers(struct shim *s)
{
    int64_t now = mono_ms();
    if (now >= s->wait_ms)
        shim_wait_is_over(s);
    if (now >= s->early_ms) {
        s->early_ms = INT64_MAX;
        s->early_sent = true;
        shim_kill_signal(s, s->l.early_signal, s->l.early_signal_leader ? SIGNAL_LEADER : SIGNAL_TREE);
        shim_timer_arm(s);
    }
    if (now >= s->limit_ms) {
        shim_limit_reached(s);
        shim_timer_arm(s);
    }
    if (now >= shim_timer_lease_ms(s)) {
        shim_orders_look_at_lease(s);
        shim_timer_arm(s);
    }
    if (now >= s->mem_ms)
        shim_mem_look(s);
    if (now >= s->spool_ms)
        shim_spool_look(s);
    shim_pmi_look(s);
    shim_pty_look(s);
    if (now >= s->kill_ms)
        shim_kill_round(s);
    if (!s->stuck && s->setup.stuck_ms && s->first_kill_ms && now - s->first_kill_ms > s->setup.stuck_ms) {
        shim_message(s, "its processes could not be killed for more than %u s", s->setup.stuck_ms / 1000);
        s->stuck = true;
        shim_agent_tell_running(s);
    }
}

/* The report that it runs waits. Until then nothing is asked of the ranks either, so that this process does
 * not wake up as they become their programs. */
static bool shim_is_quiet(const struct shim *s)
{
    return !s->told_running && !s->terminating && mono_ms() < s->tell_ms;
}

static int shim_wait_ms(const struct shim *s)
{
    const int64_t next[] = {s->kill_ms,
                            s->mem_ms,
                            s->wait_ms,
                            s->spool_ms,
                            shim_pmi_next_ms(s),
                            shim_pty_next_ms(s),
                            s->drain_ms ? s->drain_ms : INT64_MAX,
                            shim_is_quiet(s) ? s->tell_ms : INT64_MAX};
    int64_t at = INT64_MAX;
    for (size_t i = 0; i < sizeof next / sizeof *next; i++)
        at = next[i] < at ? next[i] : at;
    if (at == INT64_MAX)
        return -1;
    int64_t ms = at - mono_ms();
    return ms <= 0 ? 0 : ms > 60000 ? 60000 : (int)ms;
}

/* What a descriptor of the poll set stands for. */
struct poll_source {
    enum {
        SRC_SIGNAL,
        SRC_AGENT,
        SRC_CTL,
        SRC_TIMER,
        SRC_OPENER,
        SRC_REPORT,
        SRC_PUMP,
        SRC_INPUT,
        SRC_SINK,
        SRC_PMI
    } kind;
    size_t rank, sink;
    int stream;
};

struct poll_sources {
    VEC(struct pollfd) fds;
    VEC(struct poll_source) what;
};

static void shim_add(struct poll_sources *q, int fd, short events, struct poll_source what)
{
    if (fd < 0)
        return;
    vec_push(&q->fds, (struct pollfd){.fd = fd, .events = events});
    vec_push(&q->what, what);
}

static void shim_collect(struct shim *s, struct poll_sources *q)
{
    bool quiet = shim_is_quiet(s);
    vec_clear(&q->fds);
    vec_clear(&q->what);
    shim_add(q, s->signal_fd, POLLIN, (struct poll_source){.kind = SRC_SIGNAL});
    shim_add(q, s->agent_fd, (short)(POLLIN | (s->out.len ? POLLOUT : 0)),
             (struct poll_source){.kind = SRC_AGENT});
    shim_add(q, s->ctl_fd, POLLIN, (struct poll_source){.kind = SRC_CTL});
    shim_add(q, s->timer_fd, POLLIN, (struct poll_source){.kind = SRC_TIMER});
    shim_add(q, s->opener_fd, POLLIN, (struct poll_source){.kind = SRC_OPENER});
    shim_add(q, shim_pmi_fd(s), (short)(POLLIN | (shim_pmi_wants_write(s) ? POLLOUT : 0)),
             (struct poll_source){.kind = SRC_PMI});
    for (size_t i = 0; i < s->n_ranks; i++) {
        struct rank *r = &s->ranks[i];
        shim_add(q, quiet ? -1 : r->report_fd, POLLIN, (struct poll_source){.kind = SRC_REPORT, .rank = i});
        for (int k = 0; k < 2; k++)
            if (r->pump[k].fd >= 0 && shim_io_sink_has_room(s, r, k))
                shim_add(q, r->pump[k].fd, POLLIN,
                         (struct poll_source){.kind = SRC_PUMP, .rank = i, .stream = k});
        if (s->input.len > r->in_at)
            shim_add(q, r->in_fd, POLLOUT, (struct poll_source){.kind = SRC_INPUT, .rank = i});
    }
    vec_for_each (&s->sinks, i)
        if (s->sinks.v[i].queue.len)
            shim_add(q, s->sinks.v[i].fd, POLLOUT, (struct poll_source){.kind = SRC_SINK, .sink = i});
}

static void shim_drain(int fd)
{
    char buf[sizeof(struct signalfd_siginfo) * 8];
    while (read(fd, buf, sizeof buf) == (ssize_t)sizeof buf)
        ;
}

static void shim_serve(struct shim *s, const struct poll_source *what, short ready)
{
    struct rank *r = &s->ranks[what->rank];
    switch (what->kind) {
    case SRC_SIGNAL: shim_drain(s->signal_fd); break;
    case SRC_AGENT:
        if (s->agent_fd >= 0 && (ready & POLLOUT))
            shim_agent_flush(s);
        if (s->agent_fd >= 0 && (ready & (POLLIN | POLLHUP | POLLERR)))
            shim_agent_read(s);
        break;
    case SRC_CTL:
        if (s->ctl_fd >= 0)
            shim_agent_accept(s);
        break;
    case SRC_TIMER: shim_drain(s->timer_fd); break;
    case SRC_OPENER:
        if (shim_files_read_opener(s) && !s->terminating)
            shim_spawn_ranks(s);
        else if (s->opener_fd < 0)
            s->phase = SHIM_RUNNING; /* with no rank: over as soon as the opener is reaped */
        break;
    case SRC_REPORT:
        if (r->report_fd >= 0)
            shim_rank_read_report(s, r);
        break;
    case SRC_PUMP:
        if (r->pump[what->stream].fd >= 0)
            shim_io_pump_read(s, r, what->stream);
        break;
    case SRC_INPUT: shim_io_input_push(s); break;
    case SRC_PMI:
        if (shim_pmi_fd(s) >= 0)
            shim_pmi_serve(s, ready);
        break;
    case SRC_SINK: shim_io_sink_flush(s, &s->sinks.v[what->sink]); break;
    }
}

static void shim_run(struct shim *s)
{
    struct poll_sources q = {.fds = VEC_INIT, .what = VEC_INIT};
    shim_agent_take_frames(s); /* a kill may have come along with the launch */
    shim_reap(s);
    while (s->phase != SHIM_GONE || shim_pmi_stays(s) || shim_io_sinks_drain(s)) {
        shim_collect(s, &q);
        int n = poll(q.fds.v, q.fds.n, shim_wait_ms(s));
        for (size_t i = 0; n > 0 && i < q.fds.n; i++)
            if (q.fds.v[i].revents)
                shim_serve(s, &q.what.v[i], q.fds.v[i].revents);
        if (!s->told_running && !shim_is_quiet(s))
            shim_agent_tell_running(s);
        shim_timers(s);
        shim_reap(s);
    }
    vec_fini(&q.fds);
    vec_fini(&q.what);
}

/* --- the end --- */

static uint32_t shim_end_kind(const struct shim *s)
{
    if (s->lease_killed && !s->oom)
        return END_LEASE;
    if (s->was_killed && !s->oom)
        return s->kill_cause == KILL_TIMEOUT ? END_TIMEOUT
               : s->kill_cause == KILL_OOM   ? END_OOM
                                             : END_KILLED;
    if (s->launch_failed)
        return END_LAUNCH_FAILED;
    if (s->oom)
        return END_OOM;
    for (size_t i = 0; i < s->n_ranks; i++)
        if (s->ranks[i].end.signal)
            return END_SIGNALED;
    return END_EXITED;
}

/* A disk that is full must not lose an end: the shim waits for room, and tells the agent meanwhile. */
static void shim_store_end(struct shim *s, const struct launch_end *end)
{
    bool told = false;
    for (;;) {
        int r = taskdir_write_end(s->dir_fd, end, s->agent_fd < 0);
        if (r == 0 || r == -ENOENT) /* the directory is gone: the end has been acknowledged */
            return;
        if (r == -ENOSPC && taskdir_take_reserve(s->dir_fd))
            continue;
        if (!told)
            shim_agent_send(s, MSG_TASK_END, 0, &launch_end_rec, end);
        told = true;
        struct pollfd p = {.fd = s->agent_fd >= 0 ? s->agent_fd : s->ctl_fd, .events = POLLIN};
        poll(&p, 1, END_RETRY_MS);
        if (p.revents && s->agent_fd >= 0)
            shim_agent_read(s);
        else if (p.revents && s->ctl_fd >= 0) {
            shim_agent_accept(s);
            told = false;
        }
    }
}

/* A supervisor that has killed, or has lost its agent, ends with its task. */
static bool shim_may_stay(const struct shim *s)
{
    return s->setup.stays && !s->pmi && !s->pty && !s->opener && !s->terminating && !s->was_killed &&
           !s->oom && !s->notes_stuck && !s->out.len;
}

static void shim_finish(struct shim *s)
{
    s->setup.stays = shim_may_stay(s);
    struct launch_end end = {.key = s->l.key, .t_start = s->t_start, .t_end = s->t_end};
    shim_mem_finish(s, &end);
    end.run_ms = (uint64_t)(s->end_ms - s->start_ms);
    end.end_kind = shim_end_kind(s);
    end.was_killed = s->was_killed;
    end.waited_out = s->waited_out;
    end.fault = s->node_fault ? FAULT_NODE : FAULT_JOB;
    end.message = s->message;
    for (size_t i = 0; i < s->n_ranks; i++)
        *rec_list_push(&end.ranks) = s->ranks[i].end;
    if (s->setup.stays) /* the groups end with the job, and so would a supervisor in them */
        s->setup.stays = shim_group_leave_cpus(s);
    if (!s->told_running)
        shim_agent_add_running(s);
    shim_store_end(s, &end);
    shim_agent_add(s, MSG_TASK_END, 0, &launch_end_rec, &end);
    if (s->setup.stays)
        shim_agent_add(s, SHIM_WAITS, 0, NULL, NULL);
    shim_agent_flush(s);
    if (s->agent_fd >= 0 && s->out.len) {
        /* The record is there for later requests: an agent that does not read is not waited for. */
        struct pollfd p = {.fd = s->agent_fd, .events = POLLOUT};
        poll(&p, 1, 1000);
        shim_agent_flush(s);
    }
    /* A shim that waits sends nothing: if the end was not sent, the agent learns of it from the exit. */
    s->setup.stays = s->setup.stays && !s->out.len;
    s->message = NULL; /* owned by the record, like everything in it */
    rec_fini(&launch_end_rec, &end);
}

bool shim_run_task(struct shim *s)
{
    s->t_start = wall_read();
    s->start_ms = mono_ms();
    s->dir_fd = open(s->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (s->dir_fd < 0 || !shim_claim(s))
        return false;
    shim_kill_take_spares(s);
    taskdir_mark(&s->l.key, s->l.cluster, s->mark);
    shim_start(s);
    shim_run(s);
    shim_pmi_stop(s);
    shim_finish(s);
    return true;
}
