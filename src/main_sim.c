/* main_sim.c - stoker-sim: what `stoker sim` runs. Arguments and wiring only. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/sim/procs_report.h"
#include "src/cli/simopts.h"

#define EXIT_USAGE 2

static const struct cli cli = {.cmd = &cmd_sim, .name = "stoker sim"};

static int fail(const struct errtext *err)
{
    cli_error(&cli, "%s", err->s);
    return EXIT_FAILURE;
}

/* Writes by fn into the file, "-" for standard output. */
static int write_starts(const char *path, const struct procs_trace *t)
{
    bool is_stdout = str_eq(path, "-");
    FILE *f = is_stdout ? stdout : fopen(path, "w");
    int rc = f ? procs_write_starts(t, f) : -errno;
    if (f && !is_stdout && fclose(f) != 0 && rc == 0)
        rc = -errno;
    if (rc < 0)
        cli_error(&cli, "%s: %s", path, strerror(-rc));
    return rc < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int print(struct str *out)
{
    bool ok = fwrite(out->s, 1, out->len, stdout) == out->len && fflush(stdout) == 0;
    if (!ok)
        cli_error(&cli, "standard output: %s", strerror(errno));
    str_fini(out);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int print_procs(const struct sim_options *o, const struct procs_trace *t, enum procs_policy policy)
{
    if (str_eq(o->starts, "-"))
        return EXIT_SUCCESS; /* they are all that is printed */
    struct procs_report r;
    struct str out = STR_INIT;
    procs_report_init(&r, t, o->trace, policy);
    if (o->json) {
        rec_to_json(&procs_report_rec, &r, &out);
        str_append_char(&out, '\n');
    } else {
        procs_report_text(&r, &out);
    }
    rec_fini(&procs_report_rec, &r);
    return print(&out);
}

static int replay_procs(const struct sim_options *o, struct procs_trace *t, enum procs_policy policy)
{
    struct progress progress;
    progress_init(&progress);
    procs_run(t, policy, &progress);
    progress_fini(&progress);
    int rc = o->starts ? write_starts(o->starts, t) : EXIT_SUCCESS;
    return rc ? rc : print_procs(o, t, policy);
}

static int run_procs(const struct sim_options *o)
{
    enum procs_policy policy = PROCS_EASY;
    struct swf swf;
    struct procs_trace t;
    struct errtext err = {""};
    if (o->policy && !procs_policy_parse(o->policy, &policy)) {
        cli_error(&cli, "--policy is one of fcfs, easy, cons, replan, not '%s'", o->policy);
        return EXIT_USAGE;
    }
    if (swf_read(o->trace, &swf, &err) < 0)
        return fail(&err);
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

int main(int argc, char **argv)
{
    struct sim_options o;
    int rc = 0;
    if (!sim_options_parse(&o, &cli, argc, argv, &rc))
        return rc;
    if (o.procs_only) {
        rc = run_procs(&o);
    } else {
        cli_error(&cli, "only --procs-only is there");
        rc = 1;
    }
    sim_options_fini(&o);
    return rc;
}
