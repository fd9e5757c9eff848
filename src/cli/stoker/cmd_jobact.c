/* cmd_jobact.c - stoker cancel, requeue, hold, release and update: what is done to jobs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/cli/ask.h"
#include "src/cli/jobfilter.h"
#include "src/cli/usernames.h"
#include "src/jobspec/signame.h"
#include "src/lang/lang.h"

struct action {
    int signal;
    bool mine, hold, admin;
};

enum {
    O_SIGNAL = 1,
};

static int jobact_set_option(void *ctx, const struct opt *o, const char *arg, struct errtext *err)
{
    struct action *a = ctx;
    switch (o->id) {
    case O_SIGNAL:
        a->signal = signal_by_name(arg);
        return a->signal > 0 ? 0 : err_set(err, -EINVAL, tr("there is no signal %s"), arg);
    default: break;
    }
    return 0;
}

static const struct opt cancel_table[] = {
    {.id = O_SIGNAL,
     .name = "signal",
     .letter = 's',
     .arg = OPT_REQUIRED,
     .meta = "SIGNAL",
     .help = N_("send this signal instead: a name or a number")},
    {OPT_SETS(struct action, mine), .name = "mine", .help = N_("all my jobs")},
};
static const struct opts cancel_options = OPTS(cancel_table, jobact_set_option);
static const struct opt requeue_table[] = {
    {OPT_SETS(struct action, hold), .name = "hold", .help = N_("and hold it there")}};
static const struct opts requeue_options = OPTS(requeue_table, jobact_set_option);
static const struct opt hold_table[] = {{OPT_SETS(struct action, admin), .name = "admin",
                                         .help = N_("only an administrator can release it again")}};
static const struct opts hold_options = OPTS(hold_table, jobact_set_option);
static const struct opts no_options = {.fn = jobact_set_option};

/* Adds the caller's own jobs. Returns 0 or the exit code. */
static int add_mine(const struct cli *cli, struct client *c, struct target_list *t)
{
    struct msg_get get = {.what = GET_JOBS, .states = STATES_QUEUED};
    struct model m;
    int rc = ask_fetch(cli, c, &get, &m);
    if (rc == 0)
        list_for_each (j, &m.all, struct job, in_all)
            if (j->uid == username_own_uid_at(c))
                *rec_list_push(&t->list) =
                    (struct job_target){.job = j->id, .array_index = ARRAY_NONE, .step = STEP_ALL};
    model_fini(&m);
    return rc;
}

static int parse_targets(const struct cli *cli, const struct strv *words, struct target_list *t)
{
    struct errtext err = {0};
    for (size_t i = 0; i < words->n; i++)
        if (targets_add_list(t, words->v[i], &err) < 0) {
            cli_error(cli, "%s", err.s);
            return 2;
        }
    return 0;
}

static void print_done(enum act act, uint32_t n)
{
    switch (act) {
    case ACT_SIGNAL: printf(trn("signalled %u job\n", "signalled %u jobs\n", n), n); break;
    case ACT_REQUEUE: printf(trn("requeued %u job\n", "requeued %u jobs\n", n), n); break;
    case ACT_REQUEUE_HOLD:
        printf(trn("requeued and held %u job\n", "requeued and held %u jobs\n", n), n);
        break;
    case ACT_HOLD: printf(trn("held %u job\n", "held %u jobs\n", n), n); break;
    case ACT_RELEASE: printf(trn("released %u job\n", "released %u jobs\n", n), n); break;
    case ACT_CANCEL:
    case ACT_SUSPEND:
    case ACT_RESUME:
    case ACT_NOTIFY: printf(trn("cancelled %u job\n", "cancelled %u jobs\n", n), n); break;
    }
}

static int act_on(const struct cli *cli, enum act act, const struct action *a, const struct strv *words)
{
    struct target_list t = {0};
    int rc = parse_targets(cli, words, &t);
    if (rc == 0 && !t.list.n && !a->mine) {
        cli_error(cli, tr("give at least one job"));
        rc = 2;
    }
    struct client *c = rc ? NULL : ask_connect(cli);
    if (rc == 0 && !c)
        rc = EXIT_AWAY;
    if (rc == 0 && a->mine)
        rc = add_mine(cli, c, &t);
    struct msg_result result = {0};
    if (rc == 0 && t.list.n) {
        struct msg_act body = {.act = act,
                               .targets = {.v = t.list.v, .n = t.list.n},
                               .signal = a->signal,
                               .else_batch = true,
                               .admin_hold = a->admin};
        rc = ask_result(cli, c, MSG_ACT, &body, &result);
    }
    if (rc == 0)
        print_done(act, result.count);
    client_free(c);
    target_list_fini(&t);
    return rc;
}

static int run_action(struct cli *cli, int argc, char **argv, enum act act)
{
    struct action a = {0};
    struct strv words = {0};
    int rc = 0;
    if (cli_parse(cli, &a, argc, argv, 0, &words, &rc)) {
        if (act == ACT_CANCEL && a.signal)
            rc = act_on(cli, ACT_SIGNAL, &a, &words);
        else if (act == ACT_REQUEUE && a.hold)
            rc = act_on(cli, ACT_REQUEUE_HOLD, &a, &words);
        else
            rc = act_on(cli, act, &a, &words);
    }
    strv_fini(&words);
    return rc;
}

static int cancel_run(struct cli *cli, int argc, char **argv)
{
    return run_action(cli, argc, argv, ACT_CANCEL);
}
static int requeue_run(struct cli *cli, int argc, char **argv)
{
    return run_action(cli, argc, argv, ACT_REQUEUE);
}
static int hold_run(struct cli *cli, int argc, char **argv)
{
    return run_action(cli, argc, argv, ACT_HOLD);
}
static int release_run(struct cli *cli, int argc, char **argv)
{
    return run_action(cli, argc, argv, ACT_RELEASE);
}

/* stoker update JOB KEY=VALUE... */
static int update_run(struct cli *cli, int argc, char **argv)
{
    struct action a = {0};
    struct strv words = {0}, changes = {0};
    struct job_target target;
    uint32_t task;
    struct errtext err = {0};
    int rc = 0;
    if (cli_parse(cli, &a, argc, argv, 0, &words, &rc)) {
        for (size_t i = 1; i < words.n; i++)
            strv_push(&changes, words.v[i]);
        if (!changes.n)
            rc = (cli_error(cli, tr("give a job and what to change, as in: %s 12 TimeLimit=2:00:00"),
                            cli->name),
                  2);
        else if (target_parse_one(words.v[0], &target, &task, &err) < 0)
            rc = (cli_error(cli, "%s", err.s), 2);
        for (size_t i = 0; i < changes.n && rc == 0; i++)
            if (!strchr(changes.v[i], '='))
                rc = (cli_error(cli, tr("\"%s\" is not KEY=VALUE"), changes.v[i]), 2);
        struct client *c = rc ? NULL : ask_connect(cli);
        if (rc == 0 && !c)
            rc = EXIT_AWAY;
        if (rc == 0) {
            struct msg_update body = {.target = target, .changes = changes};
            rc = ask_result(cli, c, MSG_UPDATE, &body, NULL);
        }
        client_free(c);
    }
    strv_fini(&changes);
    strv_fini(&words);
    return rc;
}

const struct command cmd_cancel = {
    .name = "cancel",
    .summary = N_("End jobs, steps or elements of arrays, or send them a signal"),
    .usage = "[--signal=SIGNAL] JOB[_INDEX][.STEP]... | --mine",
    .options = &cancel_options,
    .run = cancel_run,
};

const struct command cmd_requeue = {
    .name = "requeue",
    .summary = N_("Put jobs back into the queue"),
    .usage = "[--hold] JOB...",
    .options = &requeue_options,
    .run = requeue_run,
};

const struct command cmd_hold = {
    .name = "hold",
    .summary = N_("Keep waiting jobs from starting"),
    .usage = "[--admin] JOB...",
    .options = &hold_options,
    .run = hold_run,
};

const struct command cmd_release = {
    .name = "release",
    .summary = N_("Let held jobs start again"),
    .usage = "JOB...",
    .options = &no_options,
    .run = release_run,
};

const struct command cmd_update = {
    .name = "update",
    .summary = N_("Change a job: TimeLimit, Partition, Priority, JobName ..."),
    .usage = "JOB KEY=VALUE...",
    .options = &no_options,
    .run = update_run,
};
