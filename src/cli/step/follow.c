/* follow.c - staying with one job. */
#include "src/cli/step/follow.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/cli/ask.h"

#define PAUSE_FIRST_MS 50
#define PAUSE_MAX_MS   1000

static void lose(struct follow *f)
{
    client_free(f->client);
    f->client = NULL;
    if (f->pause_ms == 0)
        f->pause_ms = PAUSE_FIRST_MS;
}

static void take_name(struct follow *f)
{
    const struct msg_welcome *w = client_welcome(f->client);
    if (!w) /* not yet */
        return;
    xstrset(&f->cluster, w->name);
}

/* Asks for the job's rows and events; what comes replaces the mirror. again: this connection has lost or
 * confused something. */
static bool subscribe(struct follow *f, bool again)
{
    model_fini(&f->m);
    model_init(&f->m);
    f->known = false;
    struct job_target target = {.job = f->job, .array_index = ARRAY_NONE, .step = STEP_ALL};
    struct msg_job owned = {.target = target};
    struct msg_get get = {.what = GET_JOBS, .jobs = {.v = &target, .n = 1}, .follow = true};
    get.live_steps = !again; /* one of those that are done may be ours only if we were here before */
    return (!f->own || follow_send(f, MSG_OWN, &owned, NULL)) && follow_send(f, MSG_GET, &get, &f->tag);
}

void follow_init(struct follow *f, const struct cli *cli, struct client *c, uint32_t job, bool own)
{
    *f = (struct follow){
        .cli = cli, .client = c, .job = job, .own = own, .signal_fd = -1, .out_fd = {-1, -1}};
    model_init(&f->m);
    if (!c) {
        f->pause_ms = PAUSE_FIRST_MS;
        return;
    }
    take_name(f);
    subscribe(f, false);
}

static void signal_set(sigset_t *set, bool children)
{
    sigemptyset(set);
    for (const int *s = (const int[]){SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, 0}; *s; s++)
        sigaddset(set, *s);
    if (children)
        sigaddset(set, SIGCHLD);
}

/* A signal that was ignored when we were started (nohup) stays so: a blocked one would come through the
 * descriptor. */
static void drop_ignored(sigset_t *set)
{
    for (int s = 1; s < NSIG; s++) {
        struct sigaction old;
        if (sigismember(set, s) == 1 && sigaction(s, NULL, &old) == 0 && old.sa_handler == SIG_IGN &&
            s != SIGCHLD)
            sigdelset(set, s);
    }
}

void follow_take_signals(struct follow *f, bool children)
{
    sigset_t set;
    signal_set(&set, children);
    drop_ignored(&set);
    sigprocmask(SIG_BLOCK, &set, NULL);
    f->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

void follow_take_resize(struct follow *f)
{
    sigset_t set;
    signal_set(&set, false);
    sigaddset(&set, SIGWINCH);
    drop_ignored(&set);
    sigprocmask(SIG_BLOCK, &set, NULL);
    if (f->signal_fd >= 0)
        signalfd(f->signal_fd, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

void follow_reset_signals(void)
{
    sigset_t set;
    signal_set(&set, true);
    sigaddset(&set, SIGWINCH);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

void follow_fini(struct follow *f)
{
    client_free(f->client);
    f->client = NULL;
    model_fini(&f->m);
    free(f->cluster);
    f->cluster = NULL;
    if (f->signal_fd >= 0) {
        close(f->signal_fd);
        follow_reset_signals();
    }
    f->signal_fd = -1;
}

const struct job *follow_job(const struct follow *f)
{
    return model_get_job(&f->m, f->job);
}

bool follow_is_gone(const struct follow *f)
{
    return f->known && !follow_job(f);
}

bool follow_send(struct follow *f, enum msg_kind kind, const void *body, uint64_t *ret_tag)
{
    struct errtext err;
    if (f->client && client_send(f->client, kind, body, ret_tag, &err) == 0)
        return true;
    if (f->client)
        lose(f);
    return false;
}

static bool reconnect(struct follow *f)
{
    struct errtext err;
    if (client_connect(f->cli->cmd->name, 0, &f->client, &err)) {
        f->pause_ms = f->pause_ms * 2 < PAUSE_MAX_MS ? f->pause_ms * 2 : PAUSE_MAX_MS;
        if (!f->said_away)
            cli_error(
                f->cli,
                "Unable to contact slurm controller (connect failure); the job goes on, waiting for it");
        f->said_away = true;
        return false;
    }
    f->pause_ms = 0;
    f->said_away = false;
    take_name(f);
    return subscribe(f, true);
}

/* A message of the subscription is folded; any other one is the caller's. */
static unsigned follow_take_message(struct follow *f, struct incoming *in)
{
    if (in->kind != MSG_RESYNC && in->tag != f->tag)
        return FOLLOW_MESSAGE;
    struct errtext err;
    const struct msg_result *refused = in->kind == MSG_RESULT ? in->body : NULL;
    bool again = in->kind == MSG_RESYNC || (!refused && mirror_feed(&f->m, in, &err) < 0);
    bool no_job = refused && refused->refusal == REFUSAL_NO_JOB;
    bool later = refused && !no_job; /* it is shutting down, or too busy */
    if (in->kind == MSG_SNAPSHOT || no_job) {
        f->known = true;
        take_name(f);
    }
    msg_free(in->kind, in->body);
    if (later)
        lose(f);
    else if (again)
        subscribe(f, true);
    return f->known ? FOLLOW_CHANGED : 0;
}

/* What has come already, without waiting. */
static unsigned take_next(struct follow *f, struct follow_turn *turn)
{
    while (f->client) {
        struct errtext err;
        int r = client_next(f->client, 0, &turn->in, &err);
        if (r < 0)
            lose(f);
        if (r <= 0)
            return 0;
        unsigned bits = follow_take_message(f, &turn->in);
        if (bits)
            return bits;
    }
    return 0;
}

static int follow_shorter(int a, int b)
{
    return a < 0 ? b : b < 0 ? a : a < b ? a : b;
}

unsigned follow_wait(struct follow *f, int timeout_ms, int extra_fd, struct follow_turn *turn)
{
    bool was_away = !f->client;
    unsigned bits = was_away ? 0 : take_next(f, turn);
    if (bits)
        timeout_ms = 0;
    struct pollfd fds[5] = {
        {.fd = f->client ? client_fd(f->client) : -1, .events = POLLIN},
        {.fd = f->signal_fd, .events = POLLIN},
        {.fd = f->client ? extra_fd : -1, .events = POLLIN},
        {.fd = f->out_fd[0], .events = POLLOUT},
        {.fd = f->out_fd[1], .events = POLLOUT},
    };
    if (f->client && client_wants_write(f->client))
        fds[0].events |= POLLOUT;
    int n = poll(fds, 5, follow_shorter(timeout_ms, f->client ? -1 : f->pause_ms));
    if (n > 0 && fds[1].revents &&
        read(f->signal_fd, &turn->signal, sizeof turn->signal) == sizeof turn->signal)
        bits |= FOLLOW_SIGNAL;
    if (n > 0 && fds[2].revents)
        bits |= FOLLOW_EXTRA;
    if (n > 0 && (fds[3].revents || fds[4].revents))
        bits |= FOLLOW_OUT;
    if (!f->client && reconnect(f))
        bits |= FOLLOW_CONNECTED;
    else if (!(bits & (FOLLOW_CHANGED | FOLLOW_MESSAGE)) && n > 0 && fds[0].revents)
        bits |= take_next(f, turn);
    return bits;
}

void *follow_call(struct follow *f, enum msg_kind kind, const void *body, int wait_ms,
                  enum msg_kind *ret_kind)
{
    struct errtext err;
    void *answer;
    for (;;) {
        if (f->client && client_call(f->client, kind, body, ret_kind, &answer, &err) == 0)
            return answer;
        if (f->client)
            lose(f);
        if (client_connect_wait(f->cli->cmd->name, ask_flags(f->cli), wait_ms, &f->client, &err)) {
            f->client = NULL;
            return NULL;
        }
        f->pause_ms = 0;
        subscribe(f, true);
    }
}
