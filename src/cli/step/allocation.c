/* allocation.c - an interactive job. */
#include "src/cli/step/allocation.h"
#include "src/os/clock.h"

#include <signal.h>
#include <stdlib.h>

#define SILENT_MS 400   /* what starts so soon was not waited for */
#define END_MS    10000 /* how long the end is told to a controller that is away */

/* For tests another time: what they compare word for word must not tell how slow the machine was. */
static int64_t silent_ms(void)
{
    const char *text = getenv("STOKER_SILENT_MS");
    long ms = text ? strtol(text, NULL, 10) : 0;
    return ms > 0 ? ms : SILENT_MS;
}

struct waiting {
    struct follow *f;
    const struct allocation_options *opt;
    int64_t since_ms, silent_ms;
    bool said;
};

static void say_queued(struct waiting *w)
{
    if (w->said)
        return;
    w->said = true;
    if (w->opt->quiet)
        return;
    if (w->opt->granted_lines)
        cli_say(w->f->cli, "Pending job allocation %u", w->f->job);
    cli_say(w->f->cli, "job %u queued and waiting for resources", w->f->job);
}

static void say_granted(const struct waiting *w)
{
    if (w->opt->quiet)
        return;
    if (w->said)
        cli_say(w->f->cli, "job %u has been allocated resources", w->f->job);
    if (w->opt->granted_lines)
        cli_say(w->f->cli, "Granted job allocation %u", w->f->job);
}

static void take_back(struct follow *f)
{
    struct job_target target = {.job = f->job, .array_index = ARRAY_NONE, .step = STEP_ALL};
    struct msg_act act = {.act = ACT_CANCEL, .targets = {.v = &target, .n = 1}};
    enum msg_kind kind;
    void *answer = follow_call(f, MSG_ACT, &act, END_MS, &kind);
    if (answer)
        msg_free(kind, answer);
}

/* 0: still waiting, 1: it runs, -1: it is over. */
static int allocation_look(const struct follow *f)
{
    const struct job *j = follow_job(f);
    if (!f->known)
        return 0;
    if (!j || job_state_is_final((enum job_state)j->state) || j->state == JOB_COMPLETING)
        return -1;
    return j->state == JOB_PENDING ? 0 : 1;
}

static int allocation_next_timeout(const struct waiting *w)
{
    int64_t waited = mono_ms() - w->since_ms, left = -1;
    if (!w->said)
        left = w->silent_ms - waited;
    if (w->opt->immediate_s && (left < 0 || left > w->opt->immediate_s * 1000LL - waited))
        left = w->opt->immediate_s * 1000LL - waited;
    return w->said && !w->opt->immediate_s ? -1 : left > 0 ? (int)left : 0;
}

static int wait_for_start(struct waiting *w)
{
    struct follow *f = w->f;
    for (int state; (state = allocation_look(f)) <= 0;) {
        if (state < 0) {
            cli_error(f->cli, "Job allocation %u has been revoked.", f->job);
            return 1;
        }
        int64_t waited = mono_ms() - w->since_ms;
        if (waited >= w->silent_ms && f->known && !w->opt->immediate_s)
            say_queued(w);
        if (w->opt->immediate_s && waited >= w->opt->immediate_s * 1000LL) {
            take_back(f);
            cli_error(f->cli, "%s: Requested nodes are busy", w->opt->failed);
            return 1;
        }
        struct follow_turn t;
        unsigned bits = follow_wait(f, allocation_next_timeout(w), -1, &t);
        if (bits & FOLLOW_MESSAGE)
            msg_free(t.in.kind, t.in.body);
        if ((bits & FOLLOW_SIGNAL) && t.signal.ssi_signo != SIGUSR1 && t.signal.ssi_signo != SIGUSR2 &&
            t.signal.ssi_signo != SIGCHLD) {
            cli_say(f->cli, "Force Terminated job %u", f->job);
            take_back(f);
            return 1;
        }
    }
    say_granted(w);
    return 0;
}

int allocation_get(const struct cli *cli, const struct msg_submit *m, const struct allocation_options *opt,
                   struct follow *f)
{
    struct client *c;
    struct msg_result r;
    struct errtext err = {0};
    if (submission_send(cli, m, &c, &r, &err))
        return submission_away(cli, opt->failed, &err);
    if (r.refusal != REFUSAL_NONE) {
        int code = submission_refused(cli, opt->failed, &r);
        rec_fini(&msg_result_rec, &r);
        client_free(c);
        return code;
    }
    submission_warn(cli, &r);
    follow_init(f, cli, c, r.job, opt->own);
    follow_take_signals(f, opt->children);
    rec_fini(&msg_result_rec, &r);
    struct waiting w = {.f = f, .opt = opt, .since_ms = mono_ms(), .silent_ms = silent_ms()};
    int code = wait_for_start(&w);
    if (code)
        follow_fini(f);
    return code;
}

void allocation_end(struct follow *f, int code)
{
    struct msg_complete m = {.job = f->job,
                             .code = code >= 128 ? 0 : code,
                             .signal = code > 128 && code < 128 + NSIG ? code - 128 : 0};
    if (code >= 128 && !m.signal)
        m.code = code;
    enum msg_kind kind;
    void *answer = follow_call(f, MSG_COMPLETE, &m, END_MS, &kind);
    if (answer)
        msg_free(kind, answer);
    follow_fini(f);
}
