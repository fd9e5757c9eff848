/* scancel.c - ends jobs, or sends them signals. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "src/cli/ask.h"
#include "src/cli/jobfilter.h"
#include "src/jobspec/signame.h"
#include "src/lang/lang.h"

#define EXIT_CONTROLLER_AWAY 8 /* seen with 22.05: its number for a failed step of the last kind */

struct scancel {
    struct errtext fatal;
    struct job_filter filter;
    bool by_filter; /* at least one of the options that select */
    int signal;     /* 0: cancel */
    bool batch, full, ask, quiet, verbose;
};

enum {
    O_ACCOUNT = 1,
    O_ME,
    O_NAME,
    O_NODELIST,
    O_PARTITION,
    O_QOS,
    O_RESERVATION,
    O_SIGNAL,
    O_STATE,
    O_USER,
    O_WCKEY,
    O_IGNORED,
};

static const struct opt table[] = {
    /* clang-format off */
    {.id = O_ACCOUNT, .name = "account", .letter = 'A', .arg = OPT_REQUIRED, .meta = "LIST", .env = "SCANCEL_ACCOUNT", .help = "jobs of these accounts"},
    {OPT_SETS(struct scancel, batch), .name = "batch", .letter = 'b', .env = "SCANCEL_BATCH", .help = "signal the batch shell alone"},
    {.id = O_IGNORED, .name = "clusters", .letter = 'M', .arg = OPT_REQUIRED, .meta = "NAME", .help = "of this cluster: there is one"},
    {.id = O_IGNORED, .name = "ctld", .env = "SCANCEL_CTLD", .help = "by way of the controller: always so"},
    {.id = O_IGNORED, .name = "cron"},
    {OPT_SETS(struct scancel, full), .name = "full", .letter = 'f', .env = "SCANCEL_FULL", .help = "signal the steps, the batch shell and all its children"},
    {.id = O_IGNORED, .name = "hurry", .letter = 'H', .env = "SCANCEL_HURRY"},
    {OPT_SETS(struct scancel, ask), .name = "interactive", .letter = 'i', .env = "SCANCEL_INTERACTIVE", .help = "ask before each"},
    {.id = O_ME, .name = "me", .help = "my jobs"},
    {.id = O_NAME, .name = "name", .letter = 'n', .arg = OPT_REQUIRED, .meta = "NAME", .env = "SCANCEL_NAME", .help = "jobs of this name"},
    {.id = O_NAME, .name = "jobname", .arg = OPT_REQUIRED},
    {.id = O_NODELIST, .name = "nodelist", .letter = 'w', .arg = OPT_REQUIRED, .meta = "NODES", .help = "jobs on these nodes"},
    {.id = O_PARTITION, .name = "partition", .letter = 'p', .arg = OPT_REQUIRED, .meta = "NAME", .env = "SCANCEL_PARTITION", .help = "jobs of this partition"},
    {.id = O_QOS, .name = "qos", .letter = 'q', .arg = OPT_REQUIRED, .meta = "NAME", .env = "SCANCEL_QOS", .help = "jobs of this QOS"},
    {OPT_SETS(struct scancel, quiet), .name = "quiet", .letter = 'Q', .help = "no word about jobs that have ended"},
    {.id = O_RESERVATION, .name = "reservation", .letter = 'R', .arg = OPT_REQUIRED, .meta = "NAME", .help = "jobs of this reservation"},
    {.id = O_IGNORED, .name = "sibling", .arg = OPT_REQUIRED},
    {.id = O_SIGNAL, .name = "signal", .letter = 's', .arg = OPT_REQUIRED, .meta = "SIGNAL", .help = "send this signal instead, to the steps: a name or a number; KILL ends the job at once"},
    {.id = O_STATE, .name = "state", .letter = 't', .arg = OPT_REQUIRED, .meta = "STATE", .env = "SCANCEL_STATE", .help = "jobs in this state: PENDING, RUNNING, SUSPENDED"},
    {.id = O_USER, .name = "user", .letter = 'u', .arg = OPT_REQUIRED, .meta = "NAME", .env = "SCANCEL_USER", .help = "jobs of this user"},
    {OPT_SETS(struct scancel, verbose), .name = "verbose", .letter = 'v', .env = "SCANCEL_VERBOSE", .help = "say more"},
    {.id = O_WCKEY, .name = "wckey", .arg = OPT_REQUIRED, .meta = "KEY", .env = "SCANCEL_WCKEY", .help = "jobs of this workload key"},
    /* clang-format on */
};

static int set_user(struct scancel *s, const char *arg, struct errtext *err)
{
    struct strv unknown = {0};
    filter_set_users(&s->filter, arg, &unknown);
    int rc = unknown.n ? err_set(err, -EINVAL, "Invalid user name: %s", unknown.v[0]) : 0;
    strv_fini(&unknown);
    return rc;
}

static int set_state(struct scancel *s, const char *arg)
{
    uint32_t mask;
    struct errtext word = {0};
    if (filter_parse_states(arg, &mask, &word) < 0 || (mask & ~STATES_QUEUED && mask != STATES_ALL))
        return err_set(
            &s->fatal, 0, /* said without a name in front: Slurm's text */
            "Invalid job state specified: %s\nValid job states are PENDING, RUNNING, and SUSPENDED",
            word.s[0] ? word.s : arg);
    s->filter.states = mask;
    return 0;
}

static int set_signal(struct scancel *s, const char *arg)
{
    s->signal = signal_by_name(arg);
    return s->signal > 0 ? 0 : err_set(&s->fatal, 0, "Unknown job signal: %s", arg);
}

static int scancel_set_option(void *ctx, const struct opt *o, const char *arg, struct errtext *err)
{
    struct scancel *s = ctx;
    struct job_filter *f = &s->filter;
    switch (o->id) {
    case O_SIGNAL: return set_signal(s, arg);
    case O_IGNORED: return 0;
    default: break;
    }
    s->by_filter = true;
    switch (o->id) {
    case O_ACCOUNT: filter_set_list(&f->accounts, arg); break;
    case O_ME: filter_set_user_me(f); break;
    case O_NAME: filter_set_list(&f->names, arg); break;
    case O_NODELIST: return filter_set_nodes(f, arg, err);
    case O_PARTITION: filter_set_list(&f->partitions, arg); break;
    case O_QOS: filter_set_list(&f->qos, arg); break;
    case O_RESERVATION: filter_set_list(&f->reservations, arg); break;
    case O_STATE: return set_state(s, arg);
    case O_USER: return set_user(s, arg, err);
    case O_WCKEY: filter_set_list(&f->wckeys, arg); break;
    default: break;
    }
    return 0;
}

static const struct opts options = OPTS(table, scancel_set_option);

/* --- one request --- */

static void kill_error(const struct cli *cli, const struct job_target *t, const char *what)
{
    struct str id = STR_INIT;
    target_append(&id, t);
    cli_error(cli, "Kill job error on job %s%s: %s", t->step == STEP_ALL ? "id " : "step id ", id.s, what);
    str_fini(&id);
}

static enum refusal act(const struct scancel *s, struct client *c, struct job_target *targets, size_t n,
                        bool *ret_lost)
{
    struct msg_act body = {.act = s->signal ? ACT_SIGNAL : ACT_CANCEL,
                           .targets = {.v = targets, .n = n},
                           .signal = s->signal,
                           .batch = s->batch,
                           .full = s->full};
    struct errtext err = {0};
    enum refusal refusal;
    struct msg_result *r = ask_call(c, MSG_ACT, &body, MSG_RESULT, &refusal, &err);
    *ret_lost = !r && refusal == REFUSAL_NONE;
    if (r)
        msg_free(MSG_RESULT, r);
    return refusal;
}

/* Jobs that are unknown or over are what the caller wanted: said only with -v, and no failure. Returns the
 * exit code. */
static int act_one(const struct scancel *s, const struct cli *cli, struct client *c, struct job_target *t)
{
    bool lost;
    enum refusal r = act(s, c, t, 1, &lost);
    if (lost) {
        kill_error(cli, t, SLURM_TIMEOUT);
        return 1;
    }
    if (r == REFUSAL_NONE)
        return 0;
    bool gone = r == REFUSAL_NO_JOB || r == REFUSAL_ENDED || r == REFUSAL_NO_STEP;
    if (gone && (t->step == STEP_ALL || r == REFUSAL_ENDED)) {
        if (s->verbose && !s->quiet)
            kill_error(cli, t, refusal_slurm(r));
        return 0;
    }
    kill_error(cli, t, refusal_slurm(r));
    return 1;
}

/* All in one request; where something is refused, each again by itself, so that every refusal has its name.
 * A signal must not be sent twice and goes one by one from the start. */
static int act_all(const struct scancel *s, const struct cli *cli, struct client *c,
                   const struct target_list *t)
{
    bool lost = false;
    if (s->verbose)
        for (size_t i = 0; i < t->list.n; i++) {
            struct str id = STR_INIT;
            target_append(&id, &t->list.v[i]);
            cli_say(cli, "%s %s", s->signal ? "Signalling job" : "Terminating job", id.s);
            str_fini(&id);
        }
    if (t->list.n > 1 && !s->signal && act(s, c, t->list.v, t->list.n, &lost) == REFUSAL_NONE && !lost)
        return 0;
    int rc = 0;
    for (size_t i = 0; i < t->list.n; i++) {
        int one = act_one(s, cli, c, &t->list.v[i]);
        rc = one ? one : rc;
    }
    return rc;
}

/* --- selection --- */

static bool scancel_confirm(const struct job *j, const struct job_target *t)
{
    struct str q = STR_INIT;
    str_appendf(&q, "Cancel %s=", t->step == STEP_ALL ? "job_id" : "step_id");
    target_append(&q, t);
    str_append(&q, " name=");
    cell_text(&q, j && j->req.name ? j->req.name : "", -1, false, false);
    str_appendf(&q, " partition=%s [y/n]? ", j && j->partition ? j->partition : "");
    char line[64];
    bool yes = false;
    for (;;) {
        fputs(q.s, stdout);
        fflush(stdout);
        if (!fgets(line, sizeof line, stdin))
            break;
        yes = line[0] == 'y' || line[0] == 'Y';
        if (yes || line[0] == 'n' || line[0] == 'N')
            break;
    }
    str_fini(&q);
    return yes;
}

static struct job_target target_of(const struct job *j)
{
    bool element = j->array_job && j->array_index != ARRAY_NONE;
    return (struct job_target){.job = element ? j->array_job : j->id,
                               .array_index = element ? j->array_index : ARRAY_NONE,
                               .step = STEP_ALL};
}

/* With ids each is kept where the job it names passes the filter; without, every job that passes becomes a
 * target. Returns 0, or 1 where a job that was named has ended and the user is to be asked about each. */
static int select_targets(const struct scancel *s, const struct cli *cli, const struct model *m,
                          struct target_list *ret)
{
    int rc = 0;
    for (size_t i = 0; i < s->filter.targets.list.n; i++) {
        const struct job_target *t = &s->filter.targets.list.v[i];
        const struct job *j = t->array_index == ARRAY_NONE ? model_get_job(m, t->job)
                                                           : model_get_element(m, t->job, t->array_index);
        if (j && !job_filter_takes(&s->filter, j))
            continue;
        if (s->ask && j && job_state_is_final((enum job_state)j->state)) { /* nothing to ask about */
            kill_error(cli, t, refusal_slurm(REFUSAL_ENDED));
            rc = 1;
        } else if (!s->ask || scancel_confirm(j, t))
            *rec_list_push(&ret->list) = *t;
    }
    if (s->filter.targets.list.n)
        return rc;
    list_for_each (j, &m->all, struct job, in_all) {
        if (job_state_is_final((enum job_state)j->state) || !job_filter_takes(&s->filter, j))
            continue;
        struct job_target t = target_of(j);
        if (!s->ask || scancel_confirm(j, &t))
            *rec_list_push(&ret->list) = t;
    }
    return rc;
}

static int select_and_act(struct scancel *s, const struct cli *cli, struct client *c)
{
    struct msg_get get;
    struct model m;
    struct target_list chosen = {0};
    filter_set_me_there(&s->filter, c);
    job_filter_to_get(&s->filter, GET_SPEC | GET_JOBS, &get);
    if (!s->filter.targets.list.n && !get.states)
        get.states = STATES_QUEUED;
    model_init(&m);
    int rc = client_fetch(c, &get, &m, NULL) < 0;
    if (rc) {
        fprintf(stderr, "slurm_load_jobs error: %s\n", SLURM_TIMEOUT);
    } else {
        rc = select_targets(s, cli, &m, &chosen);
        int acted = chosen.list.n ? act_all(s, cli, c, &chosen) : 0;
        rc = acted ? acted : rc;
    }
    target_list_fini(&chosen);
    rec_fini(&msg_get_rec, &get);
    model_fini(&m);
    return rc;
}

static int controller_away(const struct scancel *s, const struct cli *cli, const char *what)
{
    if (s->by_filter && !s->filter.targets.list.n) {
        fprintf(stderr, "slurm_load_jobs error: %s\n", what);
        return 1;
    }
    for (size_t i = 0; i < s->filter.targets.list.n; i++)
        kill_error(cli, &s->filter.targets.list.v[i], what);
    return EXIT_CONTROLLER_AWAY;
}

static bool scancel_parse(struct scancel *s, const struct cli *cli, int argc, char **argv, int *ret_rc)
{
    struct strv env = cli_environ(), operands = {0};
    struct errtext err = {0};
    bool go = cli_parsed(cli, opt_env(&options, s, &env, "SCANCEL_", &err), &err, ret_rc) &&
              cli_parse(cli, s, argc, argv, 0, &operands, ret_rc);
    if (go && s->fatal.s[0]) {
        fprintf(stderr, "%s\n", s->fatal.s);
        *ret_rc = 1;
        go = false;
    }
    for (size_t i = 0; go && i < operands.n; i++)
        if (targets_add_list(&s->filter.targets, operands.v[i], &err) < 0) {
            cli_error(cli, "%s", err.s);
            *ret_rc = 1;
            go = false;
        }
    if (go && !s->filter.targets.list.n && !s->by_filter) {
        cli_error(cli, "No job identification provided");
        *ret_rc = 1;
        go = false;
    }
    strv_fini(&operands);
    strv_fini(&env);
    return go;
}

static int scancel_run(struct cli *cli, int argc, char **argv)
{
    struct scancel s = {.filter.uids = VEC_INIT};
    int rc = 0;
    if (scancel_parse(&s, cli, argc, argv, &rc)) {
        const char *away = NULL;
        struct client *c = ask_connect_slurm(cli, &away);
        if (!c)
            rc = controller_away(&s, cli, away);
        else if (s.by_filter || s.ask)
            rc = select_and_act(&s, cli, c);
        else
            rc = act_all(&s, cli, c, &s.filter.targets);
        client_free(c);
    }
    job_filter_fini(&s.filter);
    return rc;
}

const struct command cmd_scancel = {
    .name = "scancel",
    .summary = N_("End jobs, or send them signals"),
    .usage = "[OPTIONS] [JOB[_INDEX][.STEP]...]",
    .options = &options,
    .slurm = true,
    .run = scancel_run,
};
