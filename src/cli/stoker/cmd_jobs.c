/* cmd_jobs.c - stoker jobs: the queue for people. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/ask.h"
#include "src/cli/jobfilter.h"
#include "src/cli/listing/columns.h"
#include "src/cli/listing/jobtable.h"
#include "src/cli/listing/waitreasons.h"
#include "src/lang/lang.h"
#include "src/text/jobtext.h"
#include "src/text/state_text.h"

struct jobs {
    struct job_filter filter;
    struct strv unknown_users;
    bool json, all, elements;
};

enum {
    O_MINE = 1,
    O_STATE,
    O_USER,
};

static const struct opt table[] = {
    {.id = O_MINE, .name = "mine", .letter = 'm', .help = N_("only my jobs")},
    {OPT_SETS(struct jobs, all), .name = "all", .letter = 'a',
     .help = N_("ended jobs too, as far back as the controller remembers")},
    {OPT_SETS(struct jobs, elements), .name = "elements", .letter = 'e',
     .help = N_("a line for each element of an array; else one for the array with its counts")},
    {.id = O_STATE,
     .name = "state",
     .letter = 's',
     .arg = OPT_REQUIRED,
     .meta = "STATES",
     .help = N_("jobs in these states: waiting, running, done, failed ... or Slurm's names")},
    {.id = O_USER,
     .name = "user",
     .letter = 'u',
     .arg = OPT_REQUIRED,
     .meta = "USERS",
     .help = N_("jobs of these users")},
    {OPT_NAMES(struct jobs, filter.partitions), .name = "partition", .letter = 'p', .meta = "PARTITIONS",
     .help = N_("jobs of these partitions")},
    {OPT_NAMES(struct jobs, filter.names), .name = "name", .letter = 'n', .meta = "NAMES",
     .help = N_("jobs of these names")},
    {OPT_SETS(struct jobs, json), .name = "json", .help = N_("print JSON")},
};

/* In English, as scripts have it, and as the list shows it. */
static bool is_word_of(const char *word, enum job_state s)
{
    bool shown = str_ieq(word, job_state_word(s));
    lang_pause();
    bool english = str_ieq(word, job_state_word(s));
    lang_resume();
    return shown || english;
}

/* Our own words and Slurm's. */
static int jobs_set_states(struct jobs *q, const char *arg, struct errtext *err)
{
    struct strv words = strv_split(arg, ",");
    uint32_t mask = 0;
    int rc = 0;
    for (size_t i = 0; i < words.n && rc == 0; i++) {
        uint32_t one = 0;
        for (enum job_state s = 0; s < JOB_N_STATES; s++)
            if (is_word_of(words.v[i], s))
                one = 1u << s;
        struct errtext word = {0};
        if (!one && filter_parse_states(words.v[i], &one, &word) < 0)
            rc = err_set(err, -EINVAL, tr("\"%s\" is not a job state"), words.v[i]);
        mask |= one;
    }
    strv_fini(&words);
    q->filter.states = mask;
    return rc;
}

static int jobs_set_option(void *ctx, const struct opt *o, const char *arg, struct errtext *err)
{
    struct jobs *q = ctx;
    switch (o->id) {
    case O_MINE: filter_set_user_me(&q->filter); break;
    case O_STATE: return jobs_set_states(q, arg, err);
    case O_USER:
        filter_set_users(&q->filter, arg, &q->unknown_users);
        if (q->unknown_users.n)
            return err_set(err, -EINVAL, tr("there is no user %s"), q->unknown_users.v[0]);
        break;
    default: break;
    }
    return 0;
}

static const struct opts options = OPTS(table, jobs_set_option);

static int jobs_show(struct jobs *q, const struct cli *cli, struct client *c)
{
    struct msg_get get;
    struct model m;
    struct job_list list = {.v = VEC_INIT, .fold = !q->elements};
    struct waits waits = WAITS_INIT;
    struct str out = STR_INIT;
    filter_set_me_there(&q->filter, c);
    job_filter_to_get(&q->filter, GET_SPEC | GET_JOBS, &get);
    int rc = ask_fetch(cli, c, &get, &m);
    if (rc == 0) {
        struct job_cx cx = job_cx_from_env(&m);
        list_for_each (j, &m.all, struct job, in_all)
            if (job_filter_takes(&q->filter, j))
                vec_push(&list.v, j);
        job_list_sort(&list);
        if (q->json)
            job_list_json(&list, &cx, &out);
        else {
            waits_ask(&waits, c, list.v.v, list.v.n);
            list.waits = &waits;
            job_list_print(&list, &cx, &out);
        }
        out_flush(&out);
    }
    str_fini(&out);
    waits_fini(&waits);
    vec_fini(&list.v);
    rec_fini(&msg_get_rec, &get);
    model_fini(&m);
    return rc;
}

static int jobs_run(struct cli *cli, int argc, char **argv)
{
    struct jobs q = {.filter.uids = VEC_INIT};
    struct strv operands = {0};
    struct errtext err = {0};
    int rc = 0;
    if (cli_parse(cli, &q, argc, argv, 0, &operands, &rc)) {
        if (!q.filter.states)
            q.filter.states = q.all || operands.n ? STATES_ALL : STATES_QUEUED;
        for (size_t i = 0; i < operands.n && rc == 0; i++) {
            q.elements |= strchr(operands.v[i], '_') != NULL;
            if (targets_add_list(&q.filter.targets, operands.v[i], &err) < 0) {
                cli_error(cli, "%s", err.s);
                rc = 2;
            }
        }
        struct client *c = rc ? NULL : ask_connect(cli);
        if (rc == 0)
            rc = c ? jobs_show(&q, cli, c) : EXIT_AWAY;
        client_free(c);
    }
    strv_fini(&operands);
    strv_fini(&q.unknown_users);
    job_filter_fini(&q.filter);
    return rc;
}

const struct command cmd_jobs = {
    .name = "jobs",
    .summary = N_("Show the queue"),
    .usage = "[OPTIONS] [JOB...]",
    .options = &options,
    .run = jobs_run,
};
