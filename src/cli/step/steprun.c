/* steprun.c - one step of srun.
 *
 *     CREATE sent --STEP_CREATED--> in the job's mirror --tasks placed, run, end--> all output written
 *                                                                                   --> exit code
 *
 * Nothing is remembered that can be looked up: after each turn the mirror is looked at and what is missing
 * is asked for, so that a new connection needs no special case but asking again.
 */
#include "src/cli/step/steprun.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/vec.h"
#include "src/cli/pty.h"
#include "src/cli/step/ptyin.h"
#include "src/cli/step/stepends.h"
#include "src/cli/step/stepin.h"
#include "src/cli/step/stepout.h"
#include "src/lang/lang.h"
#include "src/os/clock.h"

#define AGAIN_MS      200
#define REPLAY        (16u << 10)     /* of a screen, for a client that comes back to it */
#define DOUBLE_MS     1000            /* two ^C within it end the step */
#define LAST_WORDS_MS 30000           /* a node that is gone gives no more output after so long */
#define AWAY_MS       (5 * 60 * 1000) /* one that is away does not either, where no job runs on meanwhile */

struct run {
    struct follow *f;
    struct msg_step_create *msg;
    const struct steprun_options *opt;
    uint64_t create_tag; /* 0: not asked, or answered */
    bool created, waiting, said_started, said_aborted, said_pipe, said_waited, given_up;
    bool done_interrupted; /* the step is over, and who waits for its output ends that */
    int32_t step;
    bool refused;
    bool cancel; /* the step is to end; asked for until it is seen to end */
    uint64_t cancel_tag;
    bool cancel_asked;
    int64_t create_at_ms;
    int64_t last_int_ms, first_end_ms, done_ms;
    VEC(uint32_t) told; /* tasks whose end has been described */
    struct stepout out;
    struct stepin in;
    struct ptyin pty;
    bool left, was_held;
    int code;
};

static const struct step *steprun_run_step(const struct run *r)
{
    const struct job *j = follow_job(r->f);
    return j && r->created ? job_find_step(j, r->step) : NULL;
}

/* --- creation --- */

static void create(struct run *r)
{
    if (!r->created && !r->create_tag && !r->given_up && !r->refused && r->f->client &&
        mono_ms() >= r->create_at_ms)
        if (!follow_send(r->f, MSG_STEP_CREATE, r->msg, &r->create_tag))
            r->create_tag = 0;
}

static void creation_refused(struct run *r, const struct msg_result *result)
{
    const char *cause =
        refusal_slurm(result->refusal < REFUSAL_N ? (enum refusal)result->refusal : REFUSAL_BAD_REQUEST);
    if (result->refusal == REFUSAL_BAD_REQUEST && !str_is_empty(result->text))
        cause = result->text;
    else if (!str_is_empty(result->text) && !str_eq(result->text, cause))
        cli_error_lines(r->f->cli, result->text);
    cli_error(r->f->cli, "Unable to create step for job %u: %s", r->f->job, cause);
    r->refused = true;
    r->code = 1;
}

static void creation_answered(struct run *r, const struct incoming *in)
{
    r->create_tag = 0;
    if (in->kind == MSG_RESULT) {
        const struct msg_result *result = in->body;
        if (result->refusal != REFUSAL_SHUTTING_DOWN)
            creation_refused(r, result);
        else
            r->create_at_ms = mono_ms() + AGAIN_MS; /* the next controller is asked */
        return;
    }
    if (in->kind != MSG_STEP_CREATED)
        return;
    const struct msg_step_created *c = in->body;
    r->created = true;
    r->step = c->step;
    r->waiting = c->waiting;
    if (c->waiting && !r->opt->quiet)
        cli_say(r->f->cli, "Job %u step creation temporarily disabled, retrying (Requested nodes are busy)",
                r->f->job);
}

/* --- ending it --- */

static void ask_cancel(struct run *r)
{
    const struct step *s = steprun_run_step(r);
    if (!r->cancel || r->cancel_asked || !s || s->done || s->killing)
        return;
    struct job_target target = {.job = r->f->job, .array_index = ARRAY_NONE, .step = r->step};
    struct msg_act act = {.act = ACT_CANCEL, .targets = {.v = &target, .n = 1}};
    r->cancel_asked = follow_send(r->f, MSG_ACT, &act, &r->cancel_tag);
}

static void send_signal(struct run *r, int number)
{
    struct job_target target = {.job = r->f->job, .array_index = ARRAY_NONE, .step = r->step};
    struct msg_act act = {.act = ACT_SIGNAL, .targets = {.v = &target, .n = 1}, .signal = number};
    if (!follow_send(r->f, MSG_ACT, &act, NULL))
        cli_error(r->f->cli, "signal %d was not sent: the controller is away", number);
}

/* "task 0: running", "tasks 1-3: waiting": one line for each state that ranks are in. */
static void print_status(const struct run *r, const struct step *s)
{
    for (unsigned state = TASK_WAITING; state < TASK_N_STATES; state++) {
        VEC(uint32_t) ranks = VEC_INIT;
        for (size_t i = 0; i < s->tasks.n; i++)
            for (uint32_t k = 0; s->tasks.v[i].state == state && k < s->tasks.v[i].n_ranks; k++)
                vec_push(&ranks, step_rank(s, &s->tasks.v[i], k));
        if (ranks.n) {
            struct str line = STR_INIT;
            stepends_append_ranks(&line, ranks.v, ranks.n);
            cli_say(r->f->cli, "StepId=%u.%d %s: %s", r->f->job, r->step, line.s,
                    state == TASK_DONE ? "exited" : task_state_text((enum task_state)state));
            str_fini(&line);
        }
        vec_fini(&ranks);
    }
}

static void interrupted(struct run *r, const struct step *s)
{
    int64_t now = mono_ms();
    bool again = r->opt->quit_on_interrupt || (r->last_int_ms && now - r->last_int_ms < DOUBLE_MS);
    r->last_int_ms = now;
    if (!again && !r->opt->disable_status) {
        cli_say(r->f->cli, "interrupt (one more within 1 sec to abort)");
        print_status(r, s);
        return;
    }
    cli_say(r->f->cli, "sending Ctrl-C to StepId=%u.%d", r->f->job, r->step);
    send_signal(r, SIGINT);
    r->cancel = !r->opt->disable_status || again;
}

static bool tasks_exist(const struct step *s)
{
    for (size_t i = 0; s && i < s->tasks.n; i++)
        if (s->tasks.v[i].state != TASK_WAITING)
            return true;
    return false;
}

static void handle_signal(struct run *r, const struct signalfd_siginfo *si)
{
    const struct step *s = steprun_run_step(r);
    int number = (int)si->ssi_signo;
    if (number == SIGCHLD)
        return;
    bool ending = number == SIGTERM || number == SIGHUP || number == SIGINT || number == SIGQUIT;
    if (number == SIGWINCH) {
        ptyin_resize(&r->pty);
        return;
    }
    if ((ending && r->opt->attach) || (number == SIGHUP && r->opt->pty && tasks_exist(s))) {
        r->left = true; /* the laptop was closed: its session waits */
        return;
    }
    if (s && s->done) {
        r->done_interrupted = r->done_interrupted || ending;
        return;
    }
    if (!tasks_exist(s)) {
        if (!ending)
            return;
        cli_say(r->f->cli, "Cancelled pending job step with signal %d", number);
        r->cancel = r->given_up = true;
        r->code = 1;
    } else if (number == SIGINT) {
        interrupted(r, s);
    } else if (number == SIGTERM || number == SIGHUP) {
        cli_say(r->f->cli, "forcing job termination");
        r->cancel = true;
    } else {
        send_signal(r, number);
    }
}

/* --- what the mirror shows --- */

static void say_started(struct run *r, const struct step *s)
{
    if (r->said_started || !tasks_exist(s))
        return;
    r->said_started = true;
    if (r->waiting && !r->opt->quiet)
        cli_say(r->f->cli, "Step created for StepId=%u.%d", r->f->job, r->step);
}

static void say_killed(struct run *r, const struct step *s)
{
    if (r->said_aborted || !s->killing || s->done)
        return;
    r->said_aborted = true;
    if (r->opt->quiet)
        return;
    if (s->kill_cause == KILL_STEP_FAILED)
        cli_say(r->f->cli, "Terminating StepId=%u.%d", r->f->job, r->step);
    else
        cli_say(r->f->cli, "Job step aborted: Waiting up to 32 seconds for job step to finish.");
}

static bool was_told(const struct run *r, uint32_t task)
{
    vec_for_each (&r->told, i)
        if (r->told.v[i] == task)
            return true;
    return false;
}

/* After the task's last output: an end is not to stand in front of it. */
static void tell_ends(struct run *r, const struct step *s, bool all)
{
    for (size_t i = 0; i < s->tasks.n; i++) {
        const struct task *t = &s->tasks.v[i];
        if (t->state != TASK_DONE || was_told(r, t->index) ||
            (!all && !stepout_task_is_done(&r->out, s, t)))
            continue;
        vec_push(&r->told, t->index);
        struct str text = STR_INIT;
        stepends_describe(s, t, &text);
        if (!r->opt->quiet)
            cli_error_lines(r->f->cli, text.s);
        str_fini(&text);
    }
}

/* --wait. A node ends the ranks that are left of its own task, and the controller then those on other
 * nodes; where all ranks of a node have ended, only this end sees that others are left. */
static void watch_stragglers(struct run *r, const struct step *s, int64_t now)
{
    bool waited_out = false;
    for (size_t i = 0; i < s->tasks.n; i++) {
        if (s->tasks.v[i].state == TASK_DONE && !r->first_end_ms)
            r->first_end_ms = now;
        waited_out = waited_out || s->tasks.v[i].waited_out;
    }
    bool over = r->opt->wait_s && r->first_end_ms && !s->done && !r->cancel &&
                now - r->first_end_ms >= r->opt->wait_s * 1000LL;
    if (r->said_waited || (!over && !waited_out))
        return;
    r->said_waited = true;
    if (!r->opt->quiet)
        cli_say(r->f->cli, "First task exited %us ago", r->opt->wait_s);
    if (s->done)
        return;
    print_status(r, s);
    if (waited_out)
        return;
    send_signal(r, SIGKILL);
    r->cancel = true;
}

/* As in a pipeline on one machine: who writes for a reader that went away gets SIGPIPE. */
static void pass_on_broken_pipe(struct run *r, const struct step *s)
{
    if (!r->out.pipe_broken || r->said_pipe || s->done)
        return;
    if (r->opt->attach || r->opt->pty) {
        r->left = true;
        return;
    }
    r->said_pipe = true;
    send_signal(r, SIGPIPE);
}

static bool ranks_can_read(const struct step *s)
{
    for (size_t i = 0; i < s->tasks.n; i++)
        if (s->tasks.v[i].state == TASK_WAITING || s->tasks.v[i].state == TASK_LAUNCHING)
            return false;
    return s->tasks.n > 0;
}

/* How long output may stay away after the end; INT64_MAX: the job that this runs in may wait for ever. */
static int64_t patience_ms(const struct run *r, const struct step *s)
{
    for (size_t i = 0; i < s->tasks.n; i++)
        if (s->tasks.v[i].end_kind == END_UNKNOWN || s->tasks.v[i].end_kind == END_NODE_REBOOT ||
            s->tasks.v[i].end_kind == END_LEASE)
            return LAST_WORDS_MS;
    const struct job *j = follow_job(r->f);
    return r->f->own || !j || job_state_is_final((enum job_state)j->state) ? AWAY_MS : INT64_MAX;
}

/* Where a screen is come back to it begins shortly before its present end, once that is known. */
static void show_output(struct run *r, const struct step *s, int64_t now)
{
    const struct ptyin *p = &r->pty;
    bool known = !p->attached || p->held || p->closed || s->done;
    if (!r->out.v && p->attached && known)
        stepout_of_screen(&r->out, p->out > REPLAY ? p->out - REPLAY : 0);
    if (known)
        stepout_update(&r->out, s, now);
}

/* Returns true when everything has been seen. */
static bool look_at_step(struct run *r, const struct step *s)
{
    int64_t now = mono_ms();
    say_started(r, s);
    watch_stragglers(r, s, now);
    say_killed(r, s);
    pass_on_broken_pipe(r, s);
    ask_cancel(r);
    show_output(r, s, now);
    if (ranks_can_read(s) && !s->done) {
        stepin_update(&r->in, s, now);
        ptyin_update(&r->pty, s, stepout_seen(&r->out), now);
    }
    tell_ends(r, s, false);
    if (!s->done)
        return false;
    r->done_ms = r->done_ms ? r->done_ms : now;
    int64_t quiet_since = r->out.last_data_ms > r->done_ms ? r->out.last_data_ms : r->done_ms;
    bool late = stepout_is_drained(&r->out) && now - quiet_since > patience_ms(r, s);
    if (late || r->done_interrupted)
        stepout_give_up(&r->out, s);
    stepout_drain(&r->out, now);
    if (!stepout_is_done(&r->out, s) && !r->done_interrupted)
        return false;
    tell_ends(r, s, true);
    if (!r->given_up)
        r->code = stepends_exit_code(s);
    if ((r->out.failed || !stepout_is_drained(&r->out)) && !r->code)
        r->code = 1;
    return true;
}

/* This end goes, the step stays. */
static bool steprun_leave(struct run *r, const struct step *s)
{
    const struct ptyin *p = &r->pty;
    if (!r->left && !p->left && !p->hung_up && !p->refused)
        return false;
    pty_restore();
    if (r->was_held && p->is_tty) /* the cursor is where the session has left it */
        fputs("\r\n", stderr);
    if (p->refused && r->opt->attach && !r->was_held)
        cli_error(r->f->cli, tr("%s is at StepId=%u.%d; --take takes it over"), p->refused, r->f->job,
                  s->id);
    else if (p->refused)
        cli_say(r->f->cli, tr("%s has taken StepId=%u.%d over"), p->refused, r->f->job, s->id);
    else
        cli_say(r->f->cli, tr("left StepId=%u.%d, which goes on: stoker attach %u.%d"), r->f->job, s->id,
                r->f->job, s->id);
    ptyin_leave(&r->pty, s);
    r->code = p->refused && !r->was_held ? 1 : STEPRUN_LEFT;
    return true;
}

static bool steprun_is_over(struct run *r)
{
    const struct step *s = steprun_run_step(r);
    if (r->refused)
        return true;
    r->was_held = r->was_held || r->pty.held;
    if (s && !s->done && steprun_leave(r, s))
        return true;
    if (s)
        return look_at_step(r, s);
    if (r->given_up && !r->created && !r->create_tag)
        return true;
    if (r->f->known && follow_is_gone(r->f) && !r->create_tag && stepout_is_drained(&r->out)) {
        cli_error(r->f->cli, tr("job %u is not there any more"), r->f->job);
        r->code = 1;
        return true;
    }
    return false;
}

/* --- the loop --- */

static int steprun_shorter(int a, int b)
{
    return a < 0 ? b : b < 0 ? a : a < b ? a : b;
}

static int steprun_next_timeout(const struct run *r)
{
    int64_t now = mono_ms();
    int t = steprun_shorter(stepout_timeout(&r->out, now), stepin_timeout(&r->in, now));
    const struct step *s = steprun_run_step(r);
    if (s && !s->done)
        t = steprun_shorter(t, ptyin_timeout(&r->pty, now));
    if (r->create_at_ms && !r->created && !r->create_tag)
        t = steprun_shorter(t, AGAIN_MS);
    if (r->done_ms)
        t = steprun_shorter(t, 1000);
    if (r->opt->wait_s && r->first_end_ms && !r->cancel) {
        int64_t left = r->first_end_ms + r->opt->wait_s * 1000LL - now;
        t = steprun_shorter(t, left > 0 ? (int)left : 0);
    }
    return t;
}

static void handle_message(struct run *r, struct incoming *in)
{
    if (r->create_tag && in->tag == r->create_tag)
        creation_answered(r, in);
    else if (r->cancel_asked && in->tag == r->cancel_tag)
        r->cancel_asked =
            in->kind == MSG_RESULT && ((struct msg_result *)in->body)->refusal == REFUSAL_NONE;
    else if (!stepout_take(&r->out, in, mono_ms()) && !ptyin_take(&r->pty, in, mono_ms()))
        stepin_take(&r->in, in, mono_ms());
    msg_free(in->kind, in->body);
}

static void steprun_turn(struct run *r)
{
    struct follow_turn t;
    const struct step *s = steprun_run_step(r);
    bool reads = s && !s->done && ranks_can_read(s);
    int fd = !reads ? -1 : r->opt->pty ? ptyin_fd(&r->pty) : stepin_fd(&r->in);
    stepout_fds(&r->out, r->f->out_fd);
    unsigned bits = follow_wait(r->f, steprun_next_timeout(r), fd, &t);
    if (bits & FOLLOW_OUT)
        stepout_drain(&r->out, mono_ms());
    if (bits & FOLLOW_CONNECTED) {
        r->create_tag = 0;
        r->cancel_asked = false;
        stepout_reconnected(&r->out);
        stepin_reconnected(&r->in);
        ptyin_reconnected(&r->pty);
    }
    if (bits & FOLLOW_MESSAGE)
        handle_message(r, &t.in);
    if (bits & FOLLOW_SIGNAL)
        handle_signal(r, &t.signal);
    if ((bits & FOLLOW_EXTRA) && r->opt->pty)
        ptyin_read(&r->pty);
    else if (bits & FOLLOW_EXTRA)
        stepin_read(&r->in);
}

int steprun(struct follow *f, struct msg_step_create *m, const struct steprun_options *opt)
{
    struct run r = {.f = f, .msg = m, .opt = opt, .step = STEP_ALL, .code = 1};
    if (opt->attach) {
        r.created = r.said_started = true;
        r.step = opt->step;
    }
    if (opt->pty)
        follow_take_resize(f);
    signal(SIGPIPE, SIG_IGN);
    stepout_init(&r.out, f, !opt->unbuffered);
    memcpy(r.out.only, opt->only, sizeof r.out.only);
    r.out.labels = opt->label;
    stepin_init(&r.in, f, opt->feed_stdin && !opt->pty);
    ptyin_init(&r.pty, f, opt->pty, opt->attach && opt->pty, opt->take);
    if (opt->pty && !opt->attach)
        stepout_of_screen(&r.out, 0);
    do {
        create(&r);
        steprun_turn(&r);
    } while (!steprun_is_over(&r));
    stepout_fini(&r.out);
    stepin_fini(&r.in);
    ptyin_fini(&r.pty);
    vec_fini(&r.told);
    return r.code;
}
