/* cmd_users.c - stoker users: who holds what and waits for what. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/ask.h"
#include "src/cli/jobfilter.h"
#include "src/cli/listing/texttable.h"
#include "src/lang/lang.h"
#include "src/record/json.h"
#include "src/values/units.h"

struct user_sum {
    const char *name; /* of a job in the model */
    uint32_t uid;
    uint64_t running, waiting, cpus, gpus, mem_mib, wait_cpus, wait_gpus;
};

struct users {
    bool json;
    VEC(struct user_sum) v;
};

static const struct opt option_table[] = {
    {OPT_SETS(struct users, json), .name = "json", .help = N_("print JSON")}};

static const struct opts options = OPTS(option_table, NULL);

static struct user_sum *sum_of(struct users *u, const struct job *j)
{
    vec_for_each (&u->v, i)
        if (u->v.v[i].uid == j->uid)
            return &u->v.v[i];
    vec_push(&u->v, (struct user_sum){.uid = j->uid, .name = j->user});
    return &u->v.v[u->v.n - 1];
}

static void users_add_job(struct users *u, const struct job *j)
{
    struct user_sum *s = sum_of(u, j);
    if (j->state == JOB_PENDING) {
        uint64_t n = job_pending_elements(j);
        s->waiting += n;
        s->wait_cpus += n * job_cpus(j);
        s->wait_gpus += n * job_gpus(j);
        return;
    }
    s->running++;
    s->cpus += job_cpus(j);
    s->gpus += job_gpus(j);
    s->mem_mib += job_mem_mib(j);
}

/* The user with the most GPUs comes first, then by CPUs, then users whose jobs wait. */
static int compare_sums(const void *a, const void *b)
{
    const struct user_sum *x = a, *y = b;
    const uint64_t kx[] = {x->gpus, x->cpus, x->waiting}, ky[] = {y->gpus, y->cpus, y->waiting};
    for (size_t i = 0; i < sizeof kx / sizeof kx[0]; i++)
        if (kx[i] != ky[i])
            return kx[i] > ky[i] ? -1 : 1;
    return x->uid < y->uid ? -1 : x->uid > y->uid;
}

static const struct table_col columns[] = {
    {.title = N_("USER"), .flex = 8},           {.title = N_("RUNNING"), .right = true},
    {.title = N_("CPUS"), .right = true},       {.title = N_("GPUS"), .right = true},
    {.title = N_("MEMORY"), .right = true},     {.title = N_("WAITING"), .right = true},
    {.title = N_("CPUS ASKED"), .right = true}, {.title = N_("GPUS ASKED"), .right = true},
};

static void users_add_count(struct texttable *t, uint64_t n)
{
    if (n)
        texttable_addf(t, TONE_PLAIN, "%" PRIu64, n);
    else
        texttable_add(t, TONE_DIM, "0");
}

static void users_print_users(const struct users *u, struct str *out)
{
    struct texttable t = TEXTTABLE_INIT(columns);
    char buf[UNITS_TEXT_SIZE];
    vec_for_each (&u->v, i) {
        const struct user_sum *s = &u->v.v[i];
        texttable_add(&t, TONE_PLAIN, s->name);
        users_add_count(&t, s->running);
        users_add_count(&t, s->cpus);
        users_add_count(&t, s->gpus);
        texttable_add(&t, TONE_PLAIN, s->mem_mib ? mem_format_words(s->mem_mib * 1024, buf) : NULL);
        users_add_count(&t, s->waiting);
        users_add_count(&t, s->wait_cpus);
        users_add_count(&t, s->wait_gpus);
    }
    texttable_print(&t, out, listing_width(), color_is_welcome());
    texttable_fini(&t);
}

static void users_json(const struct users *u, struct str *out)
{
    json_begin_document(out, 1);
    json_begin_array(out, "users");
    vec_for_each (&u->v, i) {
        const struct user_sum *s = &u->v.v[i];
        json_begin_object(out, NULL);
        json_text(out, "user", s->name);
        json_int(out, "uid", s->uid);
        json_int(out, "running", (int64_t)s->running);
        json_int(out, "cpus", (int64_t)s->cpus);
        json_int(out, "gpus", (int64_t)s->gpus);
        json_int(out, "mem_mib", (int64_t)s->mem_mib);
        json_int(out, "waiting", (int64_t)s->waiting);
        json_int(out, "waiting_cpus", (int64_t)s->wait_cpus);
        json_int(out, "waiting_gpus", (int64_t)s->wait_gpus);
        json_end_object(out);
    }
    json_end_array(out);
    json_end_document(out);
}

static int users_show(struct users *u, const struct cli *cli, struct client *c)
{
    struct msg_get get = {.what = GET_SPEC | GET_JOBS, .states = STATES_QUEUED};
    struct model m;
    struct str out = STR_INIT;
    int rc = ask_fetch(cli, c, &get, &m);
    if (rc == 0) {
        list_for_each (j, &m.all, struct job, in_all)
            users_add_job(u, j);
        if (u->v.n > 1)
            qsort(u->v.v, u->v.n, sizeof u->v.v[0], compare_sums);
        if (u->json)
            users_json(u, &out);
        else
            users_print_users(u, &out);
        out_flush(&out);
    }
    str_fini(&out);
    model_fini(&m);
    return rc;
}

static int users_run(struct cli *cli, int argc, char **argv)
{
    struct users u = {.v = VEC_INIT};
    int rc = 0;
    if (cli_parse(cli, &u, argc, argv, 0, NULL, &rc)) {
        struct client *c = ask_connect(cli);
        rc = c ? users_show(&u, cli, c) : EXIT_AWAY;
        client_free(c);
    }
    vec_fini(&u.v);
    return rc;
}

const struct command cmd_users = {
    .name = "users",
    .summary = N_("Show who holds and who waits for what"),
    .usage = "[--json]",
    .options = &options,
    .run = users_run,
};
