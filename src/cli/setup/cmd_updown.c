/* cmd_updown.c - stoker up and stoker down: the controller in the background. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/cli/ask.h"
#include "src/cli/setup/allocation_up.h"
#include "src/lang/lang.h"
#include "src/os/clock.h"

#define STOP_WAIT_MS     30000  /* of a controller that only stops */
#define STOP_JOBS_MARGIN 120000 /* more for the jobs to end: their kill_wait is the controller's */

struct down {
    bool kill_jobs;
};

struct up {
    bool accept_loss, in_allocation;
};

static const struct opt down_table[] = {
    {OPT_SETS(struct down, kill_jobs), .name = "kill-jobs", .help = N_("end the jobs too")}};

static const struct opts down_options = OPTS(down_table, NULL);

static const struct opt up_table[] = {
    {OPT_SETS(struct up, in_allocation), .name = "in-allocation",
     .help = N_("on the nodes of the job of Slurm that this runs in; prints STOKER_HOME for the shell")},
    {OPT_SETS(struct up, accept_loss), .name = "accept-loss",
     .help = N_("start with a state that has lost its last events; job ids go on beyond all given out")}};
static const struct opts up_options = OPTS(up_table, NULL);

static void print_where(const struct client *c, bool already)
{
    const struct msg_welcome *w = client_welcome(c);
    const struct paths *p = client_paths(c);
    printf(already ? tr("cluster %s: the controller runs already (process %u on %s, socket %s)\n")
                   : tr("cluster %s: the controller runs (process %u on %s, socket %s)\n"),
           w->name ? w->name : "?", w->pid, w->host ? w->host : "?", p->socket);
    if (w->read_only)
        printf(tr("it accepts nothing now: %s\n"), w->read_only);
}

static int up_run(struct cli *cli, int argc, char **argv)
{
    int rc = 0;
    struct errtext err = {0};
    struct up u = {0};
    struct client *c = NULL;
    if (!cli_parse(cli, &u, argc, argv, 0, NULL, &rc))
        return rc;
    unsigned flags = CLIENT_UP | (u.accept_loss ? CLIENT_ACCEPT_LOSS : 0);
    struct wall end;
    if (u.in_allocation && (rc = allocation_prepare(cli, &end)) != 0)
        return rc;
    if (u.in_allocation && client_connect(cli->name, flags, &c, &err) == 0) {
        rc = allocation_tell(cli, c, end);
    } else if (!u.in_allocation && client_connect(cli->name, 0, &c, NULL) == 0) {
        print_where(c, true);
    } else if (!u.in_allocation && client_connect(cli->name, flags, &c, &err) == 0) {
        print_where(c, false);
    } else {
        cli_error(cli, "%s", err.s);
        rc = EXIT_AWAY;
    }
    client_free(c);
    return rc;
}

/* Waits until the connection is lost and the process gone; *ret_left: how many jobs it said are left. pidfd
 * < 0: it cannot be watched, the connection alone counts. */
static bool wait_gone(struct client *c, int pidfd, int64_t deadline, uint32_t *ret_left)
{
    for (bool connected = true; connected;) {
        struct incoming in;
        int64_t left = deadline - mono_ms();
        int r = left > 0 ? client_next(c, (int)left, &in, NULL) : 0;
        if (r > 0 && in.kind == MSG_RESULT)
            *ret_left = ((const struct msg_result *)in.body)->count;
        if (r > 0)
            msg_free(in.kind, in.body);
        else if (r == 0)
            return false;
        else
            connected = false;
    }
    for (;;) {
        int64_t left = deadline - mono_ms();
        struct pollfd p = {.fd = pidfd, .events = POLLIN};
        int n = pidfd < 0 ? 1 : poll(&p, 1, left > 0 ? (int)left : 0);
        if (n >= 0 || errno != EINTR)
            return n > 0;
    }
}

/* The controller's process, where it is really what answers here and not an agent on the way to another
 * machine. Taken before the request, so that it cannot mean a later process of that number. */
static int open_process(const struct client *c)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    uint32_t pid = client_welcome(c)->pid;
    if (getsockopt(client_fd(c), SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 || (uint32_t)peer.pid != pid)
        return -1;
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

static int updown_stop(const struct cli *cli, struct client *c, bool kill_jobs)
{
    struct msg_flag body = {.on = kill_jobs};
    int pidfd = open_process(c);
    int64_t deadline = mono_ms() + STOP_WAIT_MS + (kill_jobs ? STOP_JOBS_MARGIN : 0);
    struct errtext err = {0};
    enum refusal refusal = REFUSAL_NONE;
    struct msg_result *r = ask_call(c, MSG_SHUTDOWN, &body, MSG_RESULT, &refusal, &err);
    uint32_t n_away = r ? r->count : 0;
    int rc = 0;
    if (r)
        msg_free(MSG_RESULT, r);
    /* It may be gone before its answer is read: that is what was asked for. */
    if (!r && refusal != REFUSAL_NONE && refusal != REFUSAL_SHUTTING_DOWN) {
        rc = ask_failed(cli, refusal, &err);
    } else if (!wait_gone(c, pidfd, deadline, &n_away)) {
        cli_error(cli, tr("the controller (process %u) is still there"), client_welcome(c)->pid);
        rc = EXIT_TIMED_OUT;
    } else if (n_away) {
        printf(
            trn("the controller has stopped; %u of its jobs has not ended: it ends when the node and the "
                "controller are there again\n",
                "the controller has stopped; %u of its jobs have not ended: they end when the node and the "
                "controller are there again\n",
                n_away),
            n_away);
    } else {
        puts(kill_jobs ? tr("the controller and its jobs have stopped")
                       : tr("the controller has stopped; jobs go on"));
    }
    if (pidfd >= 0)
        close(pidfd);
    return rc;
}

static int down_run(struct cli *cli, int argc, char **argv)
{
    struct down d = {0};
    struct client *c = NULL;
    struct errtext err = {0};
    int rc = 0;
    if (!cli_parse(cli, &d, argc, argv, 0, NULL, &rc))
        return rc;
    int r = client_connect(cli->name, 0, &c, &err);
    if (r == -ENOENT || r == -ECONNREFUSED) {
        puts(tr("no controller runs here"));
        return 0;
    }
    if (r < 0) {
        cli_error(cli, "%s", err.s);
        return EXIT_AWAY;
    }
    rc = updown_stop(cli, c, d.kill_jobs);
    client_free(c);
    return rc;
}

const struct command cmd_up = {
    .name = "up",
    .reach = REACH_HERE,
    .summary = N_("Start the controller in the background"),
    .usage = "[--accept-loss] [--in-allocation]",
    .options = &up_options,
    .run = up_run,
};

const struct command cmd_down = {
    .name = "down",
    .reach = REACH_HERE,
    .summary = N_("Stop the controller; jobs go on"),
    .usage = "[--kill-jobs]",
    .options = &down_options,
    .run = down_run,
};
