/* seff.c - how much of its CPUs and memory a job used, as the script that comes with Slurm prints it.
 *
 * Source of the lines: seff of Slurm's contribs. The memory is that of the step that took most, as the sum
 * of its tasks' peaks: "estimated" where there are several, since they need not have peaked together.
 */
#include <errno.h>
#include <stdlib.h>

#include "src/cli/accounting/acctsource.h"
#include "src/cli/accounting/acctvalues.h"
#include "src/lang/lang.h"
#include "src/text/jobuse.h"

enum { O_DEBUG = 1 };

static const struct opt table[] = {{.id = O_DEBUG, .name = "debug", .letter = 'd'}};

static int seff_set_option(void *ctx, const struct opt *opt, const char *arg, struct errtext *err)
{
    (void)ctx, (void)opt, (void)arg, (void)err;
    return 0;
}

static const struct opts options = OPTS(table, seff_set_option);

struct seff {
    const char *cluster;
    size_t n; /* jobs printed */
};

static uint64_t most_memory_kib(const struct job *j, size_t *ret_tasks)
{
    uint64_t most = 0;
    *ret_tasks = 0;
    for (size_t i = 0; i < j->steps.n; i++) {
        const struct step *s = &j->steps.v[i];
        uint64_t kib = 0;
        for (size_t k = 0; k < s->tasks.n; k++)
            kib += s->tasks.v[k].peak_rss_kib;
        if (kib > most) {
            most = kib;
            *ret_tasks = s->tasks.n;
        }
    }
    return most;
}

/* "1.20 GB" */
static void append_memory(struct str *out, double kib)
{
    static const char *const units[] = {"KB", "MB", "GB", "TB", "PB"};
    size_t u = 0;
    for (; kib >= 1024 && u < sizeof units / sizeof units[0] - 1; u++)
        kib /= 1024;
    str_appendf(out, "%.2f %s", kib, units[u]);
}

static double percent(double part, double all)
{
    return all > 0 ? part * 100 / all : 0;
}

static void append_cpus(struct str *out, const struct job *j, const struct job_use *u)
{
    uint32_t cpus = job_cpus(j), nodes = job_nodes(j);
    if (nodes > 1 || cpus > 1)
        str_appendf(out, "Nodes: %u\nCores per node: %u\n", nodes, nodes ? cpus / nodes : cpus);
    else
        str_appendf(out, "Cores: %u\n", cpus);
    int64_t had_s = (int64_t)u->ran_s * cpus;
    str_append(out, "CPU Utilized: ");
    acct_append_padded(out, (int64_t)(u->cpu_ms / 1000));
    str_appendf(out, "\nCPU Efficiency: %.2f%% of ", percent((double)u->cpu_ms / 1000, (double)had_s));
    acct_append_padded(out, had_s);
    str_append(out, " core-walltime\nJob Wall-clock time: ");
    acct_append_padded(out, u->ran_s);
    str_append_char(out, '\n');
}

static void append_memory_lines(struct str *out, const struct job *j)
{
    size_t tasks;
    double used = (double)most_memory_kib(j, &tasks), had = (double)job_mem_mib(j) * 1024;
    str_append(out, "Memory Utilized: ");
    append_memory(out, used);
    str_append(out, tasks > 1 ? " (estimated maximum)\n" : "\n");
    if (had <= 0) {
        str_append(out, "Memory Efficiency: not known: no memory was asked for\n");
        return;
    }
    str_appendf(out, "Memory Efficiency: %.2f%% of ", percent(used, had));
    append_memory(out, had);
    str_append_char(out, '\n');
}

static void seff_print_job(void *ctx, struct str *out, const struct job *j, const struct model *m)
{
    struct seff *s = ctx;
    struct acct_row row = {.kind = ACCT_JOB, .job = j};
    struct acct_cx cx = {.m = m, .now = m->now};
    struct str state = STR_INIT;
    struct job_use use;
    s->n++;
    str_appendf(out, "Job ID: %u\n", j->id);
    if (j->array_job && j->array_index != ARRAY_NONE)
        str_appendf(out, "Array Job ID: %u_%u\n", j->array_job, j->array_index);
    str_appendf(out, "Cluster: %s\nUser/Group: %s/%s\n", s->cluster, j->user ? j->user : "",
                job_origin(j)->group ? job_origin(j)->group : "");
    acct_value_state(&state, &row, &cx);
    job_use(&use, j, m, m->now);
    if (job_state_is_final((enum job_state)j->state))
        str_appendf(out, "State: %s (exit code %d)\n", state.s, j->exit_code);
    else
        str_appendf(out, "State: %s\n", state.s);
    if (wall_is_set(j->t_start)) {
        append_cpus(out, j, &use);
        append_memory_lines(out, j);
        if (!job_state_is_final((enum job_state)j->state))
            str_appendf(out, "WARNING: Efficiency statistics may be misleading for %s jobs.\n", state.s);
    } else {
        str_appendf(out, "Efficiency not available for jobs in the %s state.\n", state.s);
    }
    str_fini(&state);
}

static int seff_ask(const struct cli *cli, const struct target_list *jobs)
{
    struct seff s = {0};
    struct acct_query q = {.filter.targets = *jobs};
    struct errtext err = {""};
    struct client *c;
    struct model m;
    struct str out = STR_INIT;
    int r = client_connect(cli->name, 0, &c, &err);
    if (r < 0) {
        cli_error(cli, "%s", err.s);
        return 1;
    }
    s.cluster = client_welcome(c)->name;
    model_init(&m);
    r = acct_each(c, &q, &m, &out, seff_print_job, &s, &err);
    if (r < 0)
        cli_error(cli, "%s", err.s);
    else if (!s.n)
        str_append(&out, "Job not found.\n");
    out_flush(&out);
    str_fini(&out);
    model_fini(&m);
    client_free(c);
    return r < 0 ? 1 : s.n ? 0 : 2;
}

static int seff_run(struct cli *cli, int argc, char **argv)
{
    struct target_list jobs = {0};
    struct strv operands = {0};
    struct errtext err = {""};
    int rc = 0;
    if (cli_parse(cli, NULL, argc, argv, 0, &operands, &rc)) {
        for (size_t i = 0; i < operands.n && rc == 0; i++)
            if (targets_add_list(&jobs, operands.v[i], &err) < 0) {
                cli_error(cli, "%s", err.s);
                rc = 1;
            }
        if (!operands.n) {
            cli_error(cli, "a job is missing: seff JOB");
            rc = 1;
        }
        rc = rc ? rc : seff_ask(cli, &jobs);
    }
    strv_fini(&operands);
    target_list_fini(&jobs);
    return rc;
}

const struct command cmd_seff = {
    .name = "seff",
    .summary = N_("Show how much of its CPUs and memory a job used"),
    .usage = "[OPTIONS] JOB...",
    .options = &options,
    .slurm = true,
    .run = seff_run,
};
