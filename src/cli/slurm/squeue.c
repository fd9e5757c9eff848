/* squeue.c - Slurm's view of the queue: its options, and what the controller is asked.
 *
 * Texts, defaults and exit codes are those of squeue(1); scripts parse them.
 */
#include "src/cli/slurm/squeue.h"
#include "src/client/client_remote.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/base/xalloc.h"
#include "src/cli/ask.h"
#include "src/lang/lang.h"
#include "src/values/units.h"

#define ASK_EACH 8 /* up to this many jobs --start asks about one by one, more at once */

enum {
    O_FORMAT = 1,
    O_NAMES,
    O_JOBS,
    O_STATES,
    O_USERS,
    O_ME,
    O_NODES,
    O_STEPS,
    O_ITERATE,
    O_IGNORED,
};

static const struct opt table[] = {
    /* clang-format off */
    {OPT_NAMES(struct squeue, filter.accounts), .name = "account", .letter = 'A', .meta = "LIST", .env = "SQUEUE_ACCOUNT", .help = "jobs of these accounts"},
    {.id = O_IGNORED, .name = "all", .letter = 'a', .env = "SQUEUE_ALL", .help = "jobs of hidden partitions too: there are none"},
    {OPT_SETS(struct squeue, elements), .name = "array", .letter = 'r', .env = "SQUEUE_ARRAY", .help = "one line for each element of an array"},
    {.id = O_IGNORED, .name = "array-unique", .env = "SQUEUE_ARRAY_UNIQUE", .help = "one line for each unique element"},
    {OPT_TEXT(struct squeue, cluster), .name = "clusters", .letter = 'M', .meta = "NAME", .env = "SLURM_CLUSTERS", .help = "of this cluster: there is one"},
    {OPT_TEXT(struct squeue, cluster), .name = "cluster"},
    {.id = O_IGNORED, .name = "expand-patterns", .help = "output paths are always expanded"},
    {.id = O_IGNORED, .name = "federation"},
    {.id = O_FORMAT, .name = "format", .letter = 'o', .arg = OPT_REQUIRED, .meta = "FORMAT", .env = "SQUEUE_FORMAT", .help = "what to print, as %[[.]width]letter"},
    {.id = O_NAMES, .name = "Format", .letter = 'O', .arg = OPT_REQUIRED, .meta = "NAMES", .env = "SQUEUE_FORMAT2", .help = "what to print, as name[:[.][width][suffix]],..."},
    {.id = O_IGNORED, .name = "hide", .help = "no hidden partitions"},
    {.id = O_ITERATE, .name = "iterate", .letter = 'i', .arg = OPT_REQUIRED, .meta = "SECONDS", .help = "print again every SECONDS"},
    {.id = O_JOBS, .name = "jobs", .letter = 'j', .arg = OPT_OPTIONAL, .meta = "LIST", .help = "these jobs: N, N_k"},
    {OPT_SETS(struct squeue, json), .name = "json", .arg = OPT_OPTIONAL, .meta = "FORM", .help = "print JSON"},
    {OPT_NAMES(struct squeue, filter.licenses), .name = "licenses", .letter = 'L', .meta = "LIST", .env = "SQUEUE_LICENSES", .help = "jobs with these licences"},
    {.id = O_IGNORED, .name = "local"},
    {OPT_SETS(struct squeue, long_form), .name = "long", .letter = 'l', .help = "more columns"},
    {.id = O_ME, .name = "me", .help = "only my jobs"},
    {OPT_NAMES(struct squeue, filter.names), .name = "name", .letter = 'n', .meta = "LIST", .env = "SQUEUE_NAMES", .help = "jobs of these names"},
    {OPT_SETS(struct squeue, noconvert), .name = "noconvert", .help = "keep units as they were given"},
    {.id = O_NODES, .name = "nodelist", .letter = 'w', .arg = OPT_REQUIRED, .meta = "NODES", .help = "jobs on these nodes"},
    {.id = O_NODES, .name = "node", .arg = OPT_REQUIRED},
    {OPT_SETS(struct squeue, no_header), .name = "noheader", .letter = 'h', .help = "no header line"},
    {.id = O_IGNORED, .name = "only-job-state", .help = "states alone: no different here"},
    {OPT_NAMES(struct squeue, filter.partitions), .name = "partition", .letter = 'p', .meta = "LIST", .env = "SQUEUE_PARTITION", .help = "jobs of these partitions"},
    {OPT_NAMES(struct squeue, filter.qos), .name = "qos", .letter = 'q', .meta = "LIST", .env = "SQUEUE_QOS", .help = "jobs of these QOS"},
    {OPT_NAMES(struct squeue, filter.reservations), .name = "reservation", .letter = 'R', .meta = "LIST", .help = "jobs of these reservations"},
    {.id = O_IGNORED, .name = "sibling"},
    {OPT_TEXT(struct squeue, sort), .name = "sort", .letter = 'S', .meta = "LETTERS", .env = "SQUEUE_SORT", .help = "sort by these columns; - in front: downwards"},
    {OPT_SETS(struct squeue, start), .name = "start", .help = "waiting jobs and when they are expected to start"},
    {.id = O_STATES, .name = "states", .letter = 't', .arg = OPT_REQUIRED, .meta = "LIST", .env = "SQUEUE_STATES", .help = "jobs in these states; all"},
    {.id = O_STEPS, .name = "steps", .letter = 's', .arg = OPT_OPTIONAL, .meta = "LIST", .help = "steps instead of jobs"},
    {.id = O_USERS, .name = "user", .letter = 'u', .arg = OPT_REQUIRED, .meta = "LIST", .env = "SQUEUE_USERS", .help = "jobs of these users"},
    {.id = O_USERS, .name = "users", .arg = OPT_REQUIRED},
    {.id = O_IGNORED, .name = "verbose", .letter = 'v', .help = "say more"},
    {OPT_SETS(struct squeue, json), .name = "yaml", .arg = OPT_OPTIONAL},
    /* clang-format on */
};

static int squeue_set_states(struct squeue *q, const char *arg, struct errtext *err)
{
    struct errtext word = {0};
    if (filter_parse_states(arg, &q->filter.states, &word) == 0)
        return 0;
    struct str list = STR_INIT;
    for (enum job_state s = 0; s < JOB_N_STATES; s++)
        str_appendf(&list, "%s%s", s ? "," : "", job_state_long(s));
    err_set(err, -EINVAL, "Invalid job state specified: %s\nValid job states include: %s", word.s, list.s);
    str_fini(&list);
    return -EINVAL;
}

static int set_iterate(struct squeue *q, const char *arg, struct errtext *err)
{
    int64_t s;
    if (int_parse(arg, 1, 1 << 30, &s, NULL) < 0)
        return err_set(err, -EINVAL, "--iterate=%s", arg);
    q->iterate_s = (uint32_t)s;
    return 0;
}

/* The word of the list that is not a job. */
static const char *first_bad_id(const char *words, struct str *ret)
{
    struct strv v = strv_split(words, ",");
    for (size_t i = 0; i < v.n && !ret->len; i++) {
        struct target_list t = {0};
        if (targets_add_list(&t, v.v[i], NULL) < 0)
            str_append(ret, v.v[i]);
        target_list_fini(&t);
    }
    strv_fini(&v);
    return ret->len ? ret->s : words;
}

static int squeue_set_jobs(struct squeue *q, const char *arg, struct errtext *err)
{
    target_list_fini(&q->filter.targets);
    q->ids_given = true;
    if (!arg || targets_add_list(&q->filter.targets, arg, err) == 0)
        return 0;
    struct str word = STR_INIT;
    err_set(err, -EINVAL, "Invalid job id: %s", first_bad_id(arg, &word));
    str_fini(&word);
    return -EINVAL;
}

static int squeue_set_option(void *ctx, const struct opt *o, const char *arg, struct errtext *err)
{
    struct squeue *q = ctx;
    struct job_filter *f = &q->filter;
    switch (o->id) {
    case O_FORMAT:
        xstrset(&q->letters, arg);
        xstrset(&q->names, NULL);
        break;
    case O_NAMES:
        xstrset(&q->names, arg);
        xstrset(&q->letters, NULL);
        break;
    case O_JOBS: return squeue_set_jobs(q, arg, err);
    case O_STATES: return squeue_set_states(q, arg, err);
    case O_USERS:
        strv_fini(&q->unknown_users);
        filter_set_users(f, arg, &q->unknown_users);
        break;
    case O_ME: filter_set_user_me(f); break;
    case O_NODES: return filter_set_nodes(f, arg, err);
    case O_STEPS: q->steps = true; return arg ? targets_add_list(&q->step_ids, arg, err) : 0;
    case O_ITERATE: return set_iterate(q, arg, err);
    default: break;
    }
    return 0;
}

static const struct opts options = OPTS(table, squeue_set_option);

static void squeue_fini(struct squeue *q)
{
    job_filter_fini(&q->filter);
    strv_fini(&q->unknown_users);
    target_list_fini(&q->step_ids);
    free(q->letters);
    free(q->names);
    free(q->sort);
    free(q->cluster);
}

/* --- estimated starts --- */

static void note_start(struct squeue_listing *l, uint32_t job, struct wall start)
{
    if (wall_is_set(start) && !idmap_get(&l->starts, job))
        idmap_set(&l->starts, job, xmemdup(&start, sizeof start));
}

/* Where the connection is lost what is known is printed. */
static void ask_each(struct client *c, struct squeue_listing *l)
{
    list_for_each (j, &l->m->all, struct job, in_all) {
        if (!listing_wants_start(l, j))
            continue;
        struct msg_job body = {.target = {.job = j->id, .array_index = ARRAY_NONE, .step = STEP_ALL}};
        struct errtext err = {0};
        enum refusal refusal;
        struct msg_why *why = ask_call(c, MSG_WHY, &body, MSG_WHY_CAUSES, &refusal, &err);
        if (!why && refusal == REFUSAL_NONE)
            return;
        if (why) {
            note_start(l, j->id, why->start);
            msg_free(MSG_WHY_CAUSES, why);
        }
    }
}

static void ask_starts(struct client *c, struct squeue_listing *l)
{
    size_t n = 0;
    list_for_each (j, &l->m->all, struct job, in_all)
        n += listing_wants_start(l, j);
    if (n <= ASK_EACH) {
        ask_each(c, l);
        return;
    }
    struct msg_plan_get body = {.waiting = true};
    struct errtext err = {0};
    enum refusal refusal;
    struct msg_plan *plan = ask_call(c, MSG_PLAN, &body, MSG_PLAN_DATA, &refusal, &err);
    for (size_t i = 0; plan && i < plan->rows.n; i++)
        note_start(l, plan->rows.v[i].job, plan->rows.v[i].start);
    if (plan)
        msg_free(MSG_PLAN_DATA, plan);
}

/* --- asking --- */

/* With one job after the other in view, or with all of them where the columns need that. */
static int squeue_fetch(struct squeue_listing *l, struct client *c, struct model *m)
{
    struct msg_get get;
    struct job_members reads = listing_reads(l);
    bool at_once = reads.job == UINT64_MAX;
    job_filter_to_get(&l->q->filter, GET_SPEC | GET_JOBS | (l->q->filter.nodes.n ? GET_NODES : 0), &get);
    int rc;
    if (at_once) {
        rc = client_fetch(c, &get, m, NULL);
    } else {
        get.job_members = reads.job;
        get.req_members = reads.req;
        get.live_tasks = !reads.all_tasks;
        rc = client_each_job(c, &get, m, listing_add_job, l, NULL);
    }
    rec_fini(&msg_get_rec, &get);
    if (rc < 0 || !at_once)
        return rc;
    if (l->q->start)
        ask_starts(c, l);
    list_for_each (j, &m->all, struct job, in_all)
        listing_add_job(l, j);
    return 0;
}

static int squeue_failed(const char *what)
{
    fprintf(stderr, "slurm_load_jobs error: %s\n", what);
    return 1;
}

static bool is_other_cluster(const struct squeue *q, const struct model *m)
{
    return q->cluster && !str_ieq(q->cluster, "all") && !str_eq(q->cluster, m->spec.name);
}

/* The first word of -w that is not a node; NULL. */
static const char *unknown_node(const struct squeue *q, const struct model *m)
{
    for (size_t i = 0; i < q->filter.nodes.n; i++)
        if (!model_get_node(m, q->filter.nodes.v[i]))
            return q->filter.nodes.v[i];
    return NULL;
}

static int squeue_ask_once(struct squeue *q, const struct cli *cli)
{
    struct client *c;
    struct errtext err = {""};
    /* Who "me" is on another machine is known behind the greeting alone. */
    bool waits = q->filter.me && client_remote_host();
    int rc = client_connect(cli->name, waits ? 0 : CLIENT_EAGER, &c, &err);
    if (rc < 0) {
        ask_say_away(cli, rc, &err);
        return squeue_failed(ask_words_slurm(rc));
    }
    filter_set_me_there(&q->filter, c);
    struct model m;
    struct squeue_listing l;
    model_init(&m);
    listing_init(&l, q, &m);
    rc = squeue_fetch(&l, c, &m);
    listing_make_cx(&l);
    if (rc < 0) {
        rc = squeue_failed(client_welcome(c) ? SLURM_TIMEOUT : ask_words_slurm(rc));
    } else if (is_other_cluster(q, &m)) {
        cli_error(cli, "No cluster '%s' known by database.", q->cluster);
        rc = 1;
    } else if (unknown_node(q, &m)) {
        cli_error(cli, "Invalid node name %s", unknown_node(q, &m));
        rc = 1;
    } else if (q->filter.targets.list.n == 1 && !l.any_named) { /* one id alone must exist */
        rc = squeue_failed("Invalid job id specified");
    } else {
        rc = listing_print(&l, cli);
    }
    listing_fini(&l);
    model_fini(&m);
    client_free(c);
    return rc;
}

static int squeue_parse(struct squeue *q, const struct cli *cli, int argc, char **argv, bool *ret_go)
{
    struct strv env = cli_environ(), operands = {0};
    struct errtext err = {0};
    int rc = 0;
    *ret_go = cli_parsed(cli, opt_env(&options, q, &env, "SQUEUE_ SLURM_", &err), &err, &rc) &&
              cli_parse(cli, q, argc, argv, 0, &operands, &rc);
    if (*ret_go && operands.n) {
        /* "-j 12", "-s 12": an argument that stands apart belongs to the option before it. */
        int bad = -EINVAL;
        struct str word = STR_INIT;
        if (q->ids_given && !q->filter.targets.list.n)
            bad = targets_add_list(&q->filter.targets, operands.v[0], &err);
        else if (q->steps && !q->step_ids.list.n)
            bad = targets_add_list(&q->step_ids, operands.v[0], &err);
        if (bad || operands.n > 1) {
            if (q->ids_given && operands.n == 1)
                cli_error(cli, "Invalid job id: %s", first_bad_id(operands.v[0], &word));
            else
                cli_error(cli, "Unrecognized option: %s", operands.v[operands.n > 1 ? 1 : 0]);
            str_fini(&word);
            *ret_go = false;
            rc = 1;
        }
    }
    strv_fini(&operands);
    strv_fini(&env);
    return rc;
}

static int squeue_run(struct cli *cli, int argc, char **argv)
{
    struct squeue q = {.filter.uids = VEC_INIT};
    bool go;
    int rc = squeue_parse(&q, cli, argc, argv, &go);
    if (!go) {
        squeue_fini(&q);
        return rc;
    }
    for (size_t i = 0; i < q.unknown_users.n; i++)
        cli_error(cli, "Invalid user: %s", q.unknown_users.v[i]);
    if (!q.filter.states)
        q.filter.states = q.start ? 1u << JOB_PENDING : STATES_QUEUED;
    do {
        rc = squeue_ask_once(&q, cli);
        if (q.iterate_s) {
            puts("");
            fflush(stdout);
            nanosleep(&(struct timespec){.tv_sec = q.iterate_s}, NULL);
        }
    } while (q.iterate_s);
    squeue_fini(&q);
    return rc;
}

const struct command cmd_squeue = {
    .name = "squeue",
    .summary = N_("Show the jobs of the queue"),
    .usage = "[OPTIONS]",
    .options = &options,
    .slurm = true,
    .run = squeue_run,
};
