/* main_sim.c - stoker-sim: what `stoker sim` runs. Arguments and wiring only. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/sim/generate.h"
#include "backend/sim/play_report.h"
#include "backend/sim/procs_report.h"
#include "backend/sim/simcluster.h"
#include "backend/sim/whatif.h"
#include "src/cli/ask.h"
#include "src/cli/stoker/commands.h"
#include "src/cli/stoker/planopts.h"
#include "src/cli/stoker/simopts.h"
#include "src/conf/conf.h"
#include "src/record/json.h"
#include "src/values/hostlist.h"

#define EXIT_USAGE 2

static const struct cli cli = {.cmd = &cmd_sim, .name = "stoker sim"};

static int sim_main_fail(const struct errtext *err)
{
    cli_error(&cli, "%s", err->s);
    return EXIT_FAILURE;
}

/* A file to write to, "-" is standard output; NULL, with the message said. */
static FILE *open_starts(const char *path)
{
    FILE *f = str_eq(path, "-") ? stdout : fopen(path, "w");
    if (!f)
        cli_error(&cli, "%s: %s", path, strerror(errno));
    return f;
}

/* rc: of what was written. Returns the exit code. */
static int close_starts(const char *path, FILE *f, int rc)
{
    if (f != stdout && fclose(f) != 0 && rc == 0)
        rc = -errno;
    if (rc < 0)
        cli_error(&cli, "%s: %s", path, strerror(-rc));
    return rc < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Takes the text. */
static int sim_main_print(struct str *out)
{
    bool ok = fwrite(out->s, 1, out->len, stdout) == out->len && fflush(stdout) == 0;
    if (!ok)
        cli_error(&cli, "standard output: %s", strerror(errno));
    str_fini(out);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* The starts on standard output are all that is printed there. */
static bool prints_report(const struct sim_options *o)
{
    return !str_eq(o->starts, "-");
}

static int sim_main_print_json(const struct rec_desc *d, const void *rec)
{
    struct str out = STR_INIT;
    rec_to_json(d, rec, &out);
    str_append_char(&out, '\n');
    return sim_main_print(&out);
}

/* --- processors alone --- */

static int print_procs(const struct sim_options *o, const struct procs_trace *t, enum procs_policy policy)
{
    struct procs_report r;
    struct str out = STR_INIT;
    procs_report_init(&r, t, o->trace, policy);
    if (!o->json)
        procs_report_text(&r, &out);
    int rc = o->json ? sim_main_print_json(&procs_report_rec, &r) : sim_main_print(&out);
    rec_fini(&procs_report_rec, &r);
    return rc;
}

static int replay_procs(const struct sim_options *o, struct procs_trace *t, enum procs_policy policy)
{
    struct progress progress;
    FILE *starts = o->starts ? open_starts(o->starts) : NULL;
    if (o->starts && !starts)
        return EXIT_FAILURE;
    progress_init(&progress);
    procs_run(t, policy, &progress);
    progress_fini(&progress);
    int rc = starts ? close_starts(o->starts, starts, procs_write_starts(t, starts)) : EXIT_SUCCESS;
    return rc || !prints_report(o) ? rc : print_procs(o, t, policy);
}

static int run_procs(const struct sim_options *o)
{
    enum procs_policy policy = PROCS_EASY;
    struct swf swf;
    struct procs_trace t;
    struct errtext err = {""};
    if (o->policy && !procs_policy_parse(o->policy, &policy)) {
        cli_error(
            &cli,
            "--policy is one of fcfs, easy, cons, replan, easy-sjbf, easy-sjf, easy-wfp3, easy-unicep, "
            "easy-f1, not '%s'",
            o->policy);
        return EXIT_USAGE;
    }
    if (swf_read(o->trace, &swf, &err) < 0)
        return sim_main_fail(&err);
    int rc = procs_trace_init(&t, &swf, o->first, &err);
    swf_fini(&swf);
    if (rc < 0) {
        cli_error(&cli, "%s: %s", o->trace, err.s);
        return EXIT_FAILURE;
    }
    rc = replay_procs(o, &t, policy);
    procs_trace_fini(&t);
    return rc;
}

/* --- the whole cluster --- */

/* False, with the message said, for a name that is none. */
static bool set_policy(const struct sim_options *o, struct cluster_spec *cluster)
{
    enum procs_policy policy;
    if (!o->policy)
        return true;
    if (!procs_policy_parse(o->policy, &policy) || policy >= PROCS_REPLAN) {
        cli_error(&cli, "--policy is one of fcfs, easy, cons here, not '%s'", o->policy);
        return false;
    }
    cluster->backfill = policy == PROCS_FCFS   ? BACKFILL_OFF
                        : policy == PROCS_EASY ? BACKFILL_EASY
                                               : BACKFILL_CONSERVATIVE;
    return true;
}

static int print_play(const struct sim_options *o, const struct play *r, const struct workload *w,
                      const struct cluster_spec *cluster)
{
    struct sim_report report;
    struct str out = STR_INIT;
    play_report_init(&report, r, w, cluster);
    if (!o->json)
        play_report_text(&report, &out);
    int rc = o->json ? sim_main_print_json(&sim_report_rec, &report) : sim_main_print(&out);
    rec_fini(&sim_report_rec, &report);
    return rc;
}

/* Runs it, with the bar. Returns as play_run. */
static int run_play(const struct cluster_spec *cluster, const struct workload *w, struct play *ret)
{
    struct progress progress;
    struct errtext err = {""};
    progress_init(&progress);
    int rc = play_run(cluster, w, &progress, ret, &err);
    progress_fini(&progress);
    if (rc < 0)
        sim_main_fail(&err);
    return rc;
}

static int play(const struct sim_options *o, const struct workload *w, struct cluster_spec *cluster)
{
    struct play r;
    if (!set_policy(o, cluster))
        return EXIT_USAGE;
    FILE *starts = o->starts ? open_starts(o->starts) : NULL;
    if (o->starts && !starts)
        return EXIT_FAILURE;
    bool ran = run_play(cluster, w, &r) == 0;
    int rc = ran ? EXIT_SUCCESS : EXIT_FAILURE;
    if (starts &&
        close_starts(o->starts, starts, ran ? play_write_starts(&r, w, starts) : 0) != EXIT_SUCCESS)
        rc = EXIT_FAILURE;
    if (rc == EXIT_SUCCESS && prints_report(o))
        rc = print_play(o, &r, w, cluster);
    if (ran)
        play_fini(&r);
    return rc;
}

static int play_trace(const struct sim_options *o, const struct swf *swf)
{
    struct cluster_spec cluster;
    struct workload w;
    struct errtext err = {""};
    int rc =
        o->config ? simcluster_load(o->config, &cluster, &err) : simcluster_of_trace(swf, &cluster, &err);
    if (rc < 0)
        return sim_main_fail(&err);
    workload_from_trace(&w, o->trace, swf, &cluster, o->first);
    rc = play(o, &w, &cluster);
    workload_fini(&w);
    rec_fini(&cluster_spec_rec, &cluster);
    return rc;
}

static int run_trace(const struct sim_options *o)
{
    struct swf swf;
    struct errtext err = {""};
    if (swf_read(o->trace, &swf, &err) < 0)
        return sim_main_fail(&err);
    int rc = play_trace(o, &swf);
    swf_fini(&swf);
    return rc;
}

static int play_generated(const struct sim_options *o, const struct made_spec *made)
{
    struct cluster_spec cluster;
    struct workload w;
    struct errtext err = {""};
    if (!o->config)
        simcluster_small(&cluster);
    else if (simcluster_load(o->config, &cluster, &err) < 0)
        return sim_main_fail(&err);
    int rc = generate_workload(made, o->generate, &cluster, &w, &err);
    if (rc == 0) {
        rc = play(o, &w, &cluster);
        workload_fini(&w);
    } else {
        cli_error(&cli, "%s: %s", o->generate, err.s);
        rc = EXIT_FAILURE;
    }
    rec_fini(&cluster_spec_rec, &cluster);
    return rc;
}

static int run_generated(const struct sim_options *o)
{
    struct made_spec made;
    struct errtext err = {""};
    if (generate_load(o->generate, &made, &err) < 0)
        return sim_main_fail(&err);
    if (o->has_seed)
        made.seed = o->seed;
    int rc = play_generated(o, &made);
    rec_fini(&made_spec_rec, &made);
    return rc;
}

/* --- what if: stoker plan --drain, --config --- */

static const struct cli plan_cli = {.cmd = &cmd_plan, .name = "stoker plan"};

static int fail_plan(const struct errtext *err, int rc)
{
    cli_error(&plan_cli, "%s", err->s);
    return rc;
}

/* The state as the controller has it. */
static int sim_main_fetch(struct model *m, struct wall *ret_now)
{
    struct client *c = ask_connect(&plan_cli);
    struct msg_get get = {.what = GET_SPEC | GET_NODES | GET_JOBS | GET_WINDOWS};
    if (!c)
        return EXIT_AWAY;
    int rc = ask_fetch(&plan_cli, c, &get, m);
    *ret_now = client_welcome(c)->now;
    client_free(c);
    return rc;
}

static void plan_kind_json(struct str *out, const char *key, uint32_t kind)
{
    json_text(out, key, plan_kind_name(kind < PLAN_N_KINDS ? (enum plan_kind)kind : PLAN_UNKNOWN));
}

static void what_if_row_json(struct str *out, const struct whatif_row *r)
{
    json_int(out, "job", r->job);
    json_int(out, "array_job", r->array_job);
    json_count(out, "array_index", r->array_index);
    json_text(out, "name", r->name);
    json_text(out, "user", r->user);
    json_text(out, "partition", r->partition);
    plan_kind_json(out, "kind_before", r->kind_before);
    plan_kind_json(out, "kind_after", r->kind_after);
    json_time(out, "start_before", r->before);
    json_time(out, "start_after", r->after);
}

static int print_what_if_json(const struct whatif *w)
{
    struct str out = STR_INIT;
    json_begin_document(&out, 2);
    json_time(&out, "now", w->now);
    json_int(&out, "n_waiting", w->n_waiting);
    json_int(&out, "n_earlier", w->n_earlier);
    json_int(&out, "n_later", w->n_later);
    json_int(&out, "n_never", w->n_never);
    json_begin_array(&out, "nodes");
    for (size_t i = 0; i < w->nodes.n; i++) {
        json_begin_object(&out, NULL);
        json_text(&out, "node", w->nodes.v[i].node);
        json_int(&out, "n_jobs", w->nodes.v[i].n_jobs);
        json_time(&out, "free_at", w->nodes.v[i].free_at);
        json_end_object(&out);
    }
    json_end_array(&out);
    json_begin_array(&out, "rows");
    for (size_t i = 0; i < w->rows.n; i++) {
        json_begin_object(&out, NULL);
        what_if_row_json(&out, &w->rows.v[i]);
        json_end_object(&out);
    }
    json_end_array(&out);
    json_end_document(&out);
    return sim_main_print(&out);
}

static int show_what_if(const struct plan_options *o, struct whatif_change *change)
{
    struct model m;
    struct wall now;
    struct whatif w = {.n_waiting = 0};
    struct errtext err = {""};
    model_init(&m);
    int rc = sim_main_fetch(&m, &now);
    if (rc == 0 && whatif_run(&m, change, now, &w, &err) < 0)
        rc = fail_plan(&err, EXIT_NOT_FOUND);
    if (rc == 0 && o->json) {
        rc = print_what_if_json(&w);
    } else if (rc == 0) {
        struct str out = STR_INIT;
        whatif_text(&w, &out);
        rc = sim_main_print(&out);
    }
    rec_fini(&whatif_rec, &w);
    model_fini(&m);
    return rc;
}

static int what_if(int argc, char **argv)
{
    struct plan_options o;
    struct whatif_change change = {.spec = NULL};
    struct cluster_spec spec;
    struct errtext err = {""};
    int rc = 0;
    if (!plan_options_parse(&o, &plan_cli, argc, argv, &rc))
        return rc;
    if (o.drain && hostlist_expand(o.drain, &change.drain, &err) < 0)
        rc = fail_plan(&err, EXIT_USAGE);
    else if (o.config && conf_load(o.config, &spec, &err) < 0)
        rc = fail_plan(&err, EXIT_FAILURE);
    else {
        change.spec = o.config ? &spec : NULL;
        rc = show_what_if(&o, &change);
    }
    if (change.spec)
        rec_fini(&cluster_spec_rec, &spec);
    strv_fini(&change.drain);
    plan_options_fini(&o);
    return rc;
}

int main(int argc, char **argv)
{
    struct sim_options o;
    int rc = 0;
    if (argc > 1 && str_eq(argv[1], "what-if"))
        return what_if(argc - 1, argv + 1);
    if (!sim_options_parse(&o, &cli, argc, argv, &rc))
        return rc;
    rc = o.procs_only ? run_procs(&o) : o.generate ? run_generated(&o) : run_trace(&o);
    sim_options_fini(&o);
    return rc;
}
