/* A supervisor keeps its process, its socket and its descriptors from task to task; everything else is
 * initialised again.
 *
 * It never serves a second user, so nothing that it learns of one user reaches another: the agent that
 * gives it another task ensures this (backend/agent/waiting_shims.h).
 */
#include "backend/shim/shim_life.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "backend/shim/shim.h"
#include "backend/shim/shim_orders.h"
#include "backend/task/taskdir.h"
#include "src/proto/codec.h"

#define TASKS_MAX    250 /* served by one process */
#define AGAIN_WAIT_S 5

struct shim_life {
    struct shim s;
    char *title; /* its command line, which names the directory; NULL: the process has the command line of
                    another program */
    size_t title_size;
};

/* --- the grant, the setup and the launch --- */

/* The grant's values override those of the setup. */
static void life_take_grant(struct shim *s, struct shim_setup *g)
{
    struct shim_setup *to = &s->setup;
    struct shim_setup said = *to;
    to->drop = g->drop;
    to->groups = g->groups;
    to->cgroup = g->cgroup;
    to->cgroup_v1 = g->cgroup_v1;
    to->nofile = g->nofile;
    to->core_known = g->core_known;
    to->core = g->core;
    to->spared = g->spared;
    to->oom_score_adj = g->oom_score_adj;
    to->spool_max = g->spool_max;
    to->supervisor = g->supervisor;
    to->pids = g->pids;
    to->ranks = g->ranks;
    to->inherited = g->inherited;
    to->group = g->group;
    to->workdirs = g->workdirs;
    to->uid = g->uid;
    to->gid = g->gid;
    to->agent = g->agent;
    to->stays = g->stays;
    to->dir = g->dir;
    g->groups = said.groups;
    g->cgroup = said.cgroup;
    g->supervisor = said.supervisor;
    g->pids = said.pids;
    g->ranks = said.ranks;
    g->inherited = said.inherited;
    g->group = said.group;
    g->workdirs = said.workdirs;
    g->dir = said.dir;
}

/* Checks that the launch is the one that was granted: of that user, with the name of this directory. */
static bool life_is_granted(const struct shim *s)
{
    char task[TASKDIR_NAME_SIZE];
    const char *slash = strrchr(s->dir, '/');
    return s->l.uid == s->setup.uid && s->l.gid == s->setup.gid && slash &&
           strcmp(slash + 1, taskdir_name(&s->l.key, task)) == 0;
}

/* Bounds how long the agent may be silent; 0: no bound. */
static void life_set_patience(const struct shim *s, time_t seconds)
{
    struct timeval patience = {.tv_sec = seconds};
    setsockopt(s->agent_fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
}

/* Returns false if the agent has ended before it has sent everything: then nothing has begun. again:
 * messages before the grant concern the previous task, and the agent must say something within
 * AGAIN_WAIT_S: one that hangs does not keep supervisors that it would have ended long ago. */
static bool life_receive(struct shim *s, bool again)
{
    static const unsigned order[] = {SHIM_GRANT, SHIM_SETUP, MSG_LAUNCH};
    struct shim_setup grant = {0};
    size_t have = 0;
    life_set_patience(s, again ? AGAIN_WAIT_S : 0);
    while (have < sizeof order / sizeof *order) {
        struct frame f;
        int r = frame_reader_next(&s->in, &f);
        if (r < 0)
            return false;
        if (r == 0) {
            uint8_t *p = frame_reader_space(&s->in, 65536);
            ssize_t n = recv(s->agent_fd, p, 65536, 0);
            if (n < 0 && errno == EINTR)
                continue;
            if (n <= 0)
                return false;
            frame_reader_added(&s->in, (size_t)n);
            continue;
        }
        struct errtext err;
        if (f.type != order[have] && again && !have)
            continue;
        if (f.type != order[have])
            return false;
        if (f.type == MSG_LAUNCH)
            r = codec_decode(&launch_rec, f.body, f.size, &s->l, &err);
        else
            r = codec_decode(&shim_setup_rec, f.body, f.size, f.type == SHIM_GRANT ? &grant : &s->setup,
                             &err);
        if (r < 0) {
            fprintf(stderr, "stoker-shim: %s\n", err.s);
            return false;
        }
        have++;
    }
    life_set_patience(s, 0);
    bool same = grant.version == SHIM_VERSION && s->setup.version == SHIM_VERSION;
    life_take_grant(s, &grant);
    rec_fini(&shim_setup_rec, &grant);
    if (s->setup.dir)
        s->dir = s->setup.dir;
    return same && life_is_granted(s) && s->l.ranks.n > 0;
}

/* --- from task to task --- */

static struct shim life_fresh(const char *dir, int pmi_program)
{
    return (struct shim){.dir = dir,
                         .pmi_program = pmi_program,
                         .agent_fd = SHIM_SOCKET_FD,
                         .on_frame = shim_orders_take_frame,
                         .ctl_fd = -1,
                         .opener_fd = -1,
                         .timer_fd = -1,
                         .signal_fd = -1,
                         .spare_fds = {-1, -1, -1, -1},
                         .out = STR_INIT,
                         .input = STR_INIT,
                         .kill_ms = INT64_MAX,
                         .wait_ms = INT64_MAX,
                         .sinks = VEC_INIT};
}

static void life_close(int fd)
{
    if (fd >= 0)
        close(fd);
}

/* Call only after a task after which the supervisor may stay: its ranks and their pipes are gone. */
static void life_end_task(struct shim *s)
{
    close(s->dir_fd);
    life_close(s->timer_fd);
    life_close(s->opener_fd);
    vec_for_each (&s->sinks, i) {
        life_close(s->sinks.v[i].fd);
        str_fini(&s->sinks.v[i].queue);
    }
    vec_fini(&s->sinks);
    free(s->ranks);
    str_fini(&s->input);
    rec_fini(&launch_rec, &s->l);
    rec_fini(&shim_setup_rec, &s->setup);
}

static void life_renew(struct shim *s)
{
    struct shim next = life_fresh("", s->pmi_program);
    next.in = s->in;
    next.out = s->out;
    next.start = s->start;
    next.signal_fd = s->signal_fd;
    memcpy(next.spare_fds, s->spare_fds, sizeof next.spare_fds);
    next.used_ms = s->used_ms;
    next.n_before = s->n_before + 1;
    *s = next;
}

static void life_put_title(struct shim_life *f, const char *text)
{
    if (!f->title)
        return;
    memset(f->title, 0, f->title_size);
    memcpy(f->title, text, strnlen(text, f->title_size - 1));
}

/* While it waits it is not the supervisor of a task. */
static void life_wait_title(struct shim_life *f)
{
    char *text = xstrdup(f->s.dir), *slash = strrchr(text, '/');
    if (slash)
        slash[1] = '\0';
    life_put_title(f, text);
    free(text);
}

static bool life_next_task(struct shim_life *f)
{
    struct shim *s = &f->s;
    if (!s->setup.stays)
        return false;
    life_wait_title(f);
    life_end_task(s);
    life_renew(s);
    if (!life_receive(s, true))
        return false;
    s->setup.stays = s->setup.stays && s->n_before < TASKS_MAX;
    life_put_title(f, s->dir);
    return true;
}

/* False if the identity of this process cannot be found out. */
static bool life_settle(struct shim *s)
{
    struct proc self;
    sigset_t all, chld;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL); /* only SIGKILL ends a supervisor */
    setsid();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    /* An agent of another account reads the files in the directory, which has the agent's group. */
    umask(shim_is_shared(s) ? 027 : 077);
    prctl(PR_SET_DUMPABLE, 0);
    sigemptyset(&chld);
    sigaddset(&chld, SIGCHLD);
    s->signal_fd = signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK);
    if (proc_read(getpid(), &self) < 0)
        return false;
    s->start = self.start;
    return true;
}

int shim_main(const char *dir, int pmi_program, char *title, size_t title_size)
{
    struct shim_life f = {.s = life_fresh(dir, pmi_program), .title = title, .title_size = title_size};
    fcntl(SHIM_SOCKET_FD, F_SETFD, FD_CLOEXEC);
    life_put_title(&f, dir);
    if (!life_receive(&f.s, false)) {
        fprintf(stderr, "stoker-shim: no launch came for %s\n", dir);
        return 1;
    }
    if (!life_settle(&f.s))
        return 1;
    do {
        if (!shim_run_task(&f.s))
            return 1;
    } while (life_next_task(&f));
    return 0;
}
