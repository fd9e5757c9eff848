#include "backend/launcher/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/rights/own_rights.h"
#include "backend/rights/rights.h"
#include "backend/rights/rights_wire.h"
#include "backend/task/programs.h"
#include "src/base/xalloc.h"
#include "src/os/exe_path.h"
#include "src/os/log.h"
#include "src/os/privdrop.h"
#include "src/os/unixsock.h"

#define AGENT_SOCKET "agent.sock"
#define LOCK_WAIT_MS 2000 /* an agent whose launcher was killed goes in a moment */
#define FIRST_FREE   16   /* descriptors below are given places in the agent */

struct launcher {
    const struct launcher_config *cfg;
    struct agent_dir dir;
    struct rights *rights;
    uid_t uid;
    gid_t gid;
    int listener, socket, signals;
    pid_t agent;
    int status; /* of the agent, as waitpid tells it */
};

static bool launcher_is_helper(void *ctx, pid_t pid)
{
    const struct launcher *l = ctx;
    return pid == l->agent;
}

/* The peer's uid decides, which the agent looks at. Where the socket can be given to the controller's
 * account the kernel turns away all others. */
static int launcher_listen(struct launcher *l, struct errtext *err)
{
    uid_t uid;
    gid_t gid;
    int r = l->cfg->controller ? privdrop_find_user(l->cfg->controller, &uid, &gid, err) : 0;
    if (r < 0)
        return r;
    char *path = l->cfg->socket ? xstrdup(l->cfg->socket) : xasprintf("%s/" AGENT_SOCKET, l->dir.path);
    l->listener = unixsock_listen(path, 0600, 64);
    if (l->listener < 0)
        r = err_set(err, l->listener, "cannot listen at %s: %s", path, strerror(-l->listener));
    else if (l->cfg->controller && lchown(path, uid, (gid_t)-1) < 0)
        chmod(path, 0666);
    free(path);
    return r;
}

/* Not returned from. */
static void launcher_become_agent(const struct launcher *l, const char *program, int sock, pid_t launcher)
{
    const struct launcher_config *c = l->cfg;
    struct errtext err = {""};
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    int ours[] = {sock, l->listener, c->ready_fd >= 0 ? c->ready_fd : null,
                  c->starter_fd >= 0 ? c->starter_fd : null, l->dir.lock_fd};
    sigset_t none;
    sigemptyset(&none);
    /* The directory is taken until both have ended. */
    for (int i = 0; i < LAUNCHED_N; i++)
        ours[i] = fcntl(ours[i], F_DUPFD_CLOEXEC, FIRST_FREE);
    for (int i = 0; i < LAUNCHED_N; i++)
        if (ours[i] < 0 || dup2(ours[i], LAUNCHED_RIGHTS_FD + i) < 0)
            _exit(126);
    char name[] = "stoker-agent", launched[] = LAUNCHED_OPTION;
    const char *argv[] = {
        name, launched, c->node, c->dir, c->policy ? c->policy : "", c->controller ? c->controller : "",
        NULL};
    if (privdrop_to_uid(l->uid, &err) < 0) {
        log_error("the agent is not started: %s", err.s);
        _exit(126);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* one without rights can do nothing */
    if (getppid() != launcher)
        _exit(126);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execv(program, (char **)(uintptr_t)argv);
    log_error("cannot start %s: %s", program, strerror(errno));
    _exit(127);
}

static int launcher_start_agent(struct launcher *l, struct errtext *err)
{
    int sv[2];
    pid_t self = getpid();
    char *program = exe_path_sibling("stoker-agent");
    if (!program)
        return err_set(err, -ENOENT, "stoker-agent does not lie beside stoker-launcher");
    int r = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv) < 0 ? -errno : 0;
    if (r == 0) {
        l->agent = fork();
        if (l->agent == 0)
            launcher_become_agent(l, program, sv[1], self);
        r = l->agent < 0 ? -errno : 0;
        close(sv[1]);
        l->socket = sv[0];
    }
    free(program);
    if (r < 0)
        return err_set(err, r, "cannot start the agent: %s", strerror(-r));
    if (l->cfg->ready_fd >= 0)
        close(l->cfg->ready_fd);
    if (l->cfg->starter_fd >= 0)
        close(l->cfg->starter_fd);
    close(l->listener);
    return 0;
}

/* False when the agent has ended. */
static bool launcher_reap(struct launcher *l)
{
    int status;
    bool on = true;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
        if (pid == l->agent) {
            l->status = status;
            on = false;
        } else {
            rights_child_ended(l->rights, pid, status);
        }
    return on;
}

static bool launcher_take_signals(struct launcher *l)
{
    struct signalfd_siginfo s;
    while (read(l->signals, &s, sizeof s) == (ssize_t)sizeof s)
        if (s.ssi_signo != SIGCHLD)
            kill(l->agent, (int)s.ssi_signo); /* a child that was not reaped: its number is its own */
    return launcher_reap(l);
}

/* An agent that sends anything else has lost its rights: it is ended. */
static void launcher_take_request(struct launcher *l)
{
    static struct rights_request q;
    static struct rights_answer a;
    int r = rights_receive_request(l->socket, &q);
    if (r == 0) {
        rights_serve(l->rights, &q, &a);
        r = rights_send_answer(l->socket, &a);
    }
    if (r == 0)
        return;
    if (r != -EPIPE) {
        log_error("the agent is ended: %s", strerror(-r));
        kill(l->agent, SIGKILL);
    }
    close(l->socket);
    l->socket = -1;
}

static void launcher_serve(struct launcher *l)
{
    bool on = true;
    while (on) {
        struct pollfd p[] = {{.fd = l->signals, .events = POLLIN}, {.fd = l->socket, .events = POLLIN}};
        poll(p, 2, -1);
        if (p[0].revents)
            on = launcher_take_signals(l);
        if (on && p[1].revents)
            launcher_take_request(l);
    }
}

static int launcher_begin(struct launcher *l, struct errtext *err)
{
    int r = privdrop_find_user(l->cfg->account, &l->uid, &l->gid, err);
    if (r == 0 && l->uid == 0)
        r = err_set(err, -EINVAL, "the account of the agent is root's");
    r = r ? r : agent_dir_open(&l->dir, l->cfg->dir, true, LOCK_WAIT_MS, err);
    return r ? r : agent_dir_give(&l->dir, l->uid, l->gid, err);
}

static int launcher_find_rights(struct launcher *l, struct errtext *err)
{
    static struct rights_answer a;
    char *shim = exe_path_sibling("stoker-shim"), *reader = exe_path_sibling("stoker-agent");
    if (!shim || !reader)
        return err_set(err, -ENOENT, "stoker-shim or stoker-agent does not lie beside stoker-launcher");
    /* Both for as long as this process lives. */
    struct rights_config cfg = {.policy = l->cfg->policy,
                                .clients = l->cfg->clients,
                                .shim = shim,
                                .reader = reader,
                                .agent = l->uid,
                                .is_helper = launcher_is_helper,
                                .ctx = l};
    l->rights = rights_new(&cfg, &l->dir);
    if (rights_serve(l->rights, &(struct rights_request){.kind = RIGHTS_POLICY}, &a) < 0)
        return err_set(err, a.r, "%s", a.text);
    if (a.fd >= 0)
        close(a.fd);
    return 0;
}

static void launcher_catch_signals(struct launcher *l)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < 4; i++)
        sigaddset(&set, ((const int[]){SIGCHLD, SIGTERM, SIGINT, SIGHUP})[i]);
    sigprocmask(SIG_SETMASK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    l->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int launcher_run(const struct launcher_config *cfg, struct errtext *err)
{
    struct launcher l = {.cfg = cfg, .dir = AGENT_DIR_INIT, .socket = -1};
    programs_hold();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_DUMPABLE, 0);
    umask(077);
    int r = launcher_begin(&l, err);
    umask(026); /* the agent reads through its group, users pass through */
    r = r ? r : launcher_listen(&l, err);
    r = r ? r : launcher_find_rights(&l, err);
    if (r == 0) {
        launcher_catch_signals(&l);
        r = launcher_start_agent(&l, err);
    }
    if (r == 0) {
        own_rights_reduce(cfg->controller != NULL);
        log_info("agent=%d account=%s dir=%s", (int)l.agent, cfg->account, l.dir.path);
        launcher_serve(&l);
        r = WIFEXITED(l.status) ? WEXITSTATUS(l.status) : 128 + WTERMSIG(l.status);
    }
    rights_free(l.rights);
    agent_dir_close(&l.dir);
    return r;
}
