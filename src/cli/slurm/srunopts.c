/* srunopts.c - srun's command line. */
#include "src/cli/slurm/srunopts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/jobspec/jobopts_check.h"
#include "src/jobspec/nodefile.h"
#include "src/values/hostlist.h"
#include "src/values/units.h"

enum srunopt {
    S_CPU_BIND = J_N,
    S_DISABLE_STATUS,
    S_EXACT,
    S_HARMLESS,
    S_IMMEDIATE,
    S_JOBID,
    S_KILL_ON_BAD_EXIT,
    S_LABEL,
    S_PRESERVE_ENV,
    S_MPI,
    S_MULTI_PROG,
    S_OVERLAP,
    S_PTY,
    S_QUIT_ON_INTERRUPT,
    S_RELATIVE,
    S_TEST_ONLY,
    S_UNBUFFERED,
    S_UNSUPPORTED,
    S_WAIT,
};

static int set_number(uint32_t *at, const struct opt *o, const char *arg, int64_t min, struct errtext *err)
{
    int64_t n;
    if (int_parse(arg, min, NOT_GIVEN - 1, &n, NULL))
        return err_set(err, -EDOM, "Invalid numeric value \"%s\" for --%s.", arg, o->name);
    *at = (uint32_t)n;
    return 0;
}

/* What is not served must be heard: such a program would hang or start as many alone. */
static int set_mpi(struct srunopts *s, const char *arg, struct errtext *err)
{
    if (str_eq(arg, "list"))
        s->mpi_list = true;
    else if (!str_eq(arg, "none") && !str_eq(arg, "openmpi") && !str_eq(arg, "pmi2"))
        return err_set(err, -EDOM, /* as Slurm says it of a plugin that is not there */
                       "Couldn't find the specified plugin name for mpi/%s looking at all files\n"
                       "cannot find mpi plugin for mpi/%s\nMPI: Cannot create context for mpi/%s\n"
                       "MPI: Unable to load any plugin\n"
                       "Invalid MPI type '%s', --mpi=list for acceptable types",
                       arg, arg, arg, arg);
    s->mpi = str_eq(arg, "pmi2") ? 1 : 0;
    return 0;
}

/* Steps are bound by what they hold: the words are checked, so that a slip is heard. Source: srun(1). */
static int set_cpu_bind(const char *arg, struct errtext *err)
{
    static const char *const known[] = {
        "q",        "quiet",     "v",        "verbose",   "none",    "no",     "rank",  "map_cpu",
        "mask_cpu", "rank_ldom", "map_ldom", "mask_ldom", "sockets", "socket", "cores", "core",
        "threads",  "thread",    "ldoms",    "ldom",      "boards",  "yes",    "help"};
    struct strv words = strv_split(arg, ",");
    int r = 0;
    for (size_t i = 0; i < words.n && r == 0; i++) {
        bool list = strchr(words.v[i], ':') != NULL;
        bool found = false;
        words.v[i][strcspn(words.v[i], ":")] = '\0';
        for (size_t k = 0; k < sizeof known / sizeof known[0] && !found; k++)
            found = str_ieq(words.v[i], known[k]);
        if (!found)
            r = err_set(err, -EDOM, "unrecognized --cpu-bind argument \"%s\"", arg);
        else if (list)
            break; /* "map_cpu:0,1,2": the rest are numbers */
    }
    strv_fini(&words);
    return r;
}

static int set_kill_on_bad_exit(struct srunopts *s, const struct opt *o, const char *arg,
                                struct errtext *err)
{
    uint32_t on = 1;
    int rc = arg ? set_number(&on, o, arg, 0, err) : 0;
    s->kill_on_bad_exit = on != 0;
    return rc;
}

static int srun_set(void *ctx, const struct opt *o, const char *arg, struct errtext *err)
{
    struct srunopts *s = ctx;
    switch ((enum srunopt)o->id) {
    case S_CPU_BIND: return set_cpu_bind(arg, err);
    case S_DISABLE_STATUS: s->disable_status = true; return 0;
    case S_EXACT: s->exact = true; return 0;
    case S_HARMLESS: return arg ? jobopts_check(o, arg, err) : 0;
    case S_IMMEDIATE:
        s->immediate = true;
        s->immediate_s = 1;
        return arg ? set_number(&s->immediate_s, o, arg, 0, err) : 0;
    case S_JOBID: return set_number(&s->jobid, o, arg, 1, err);
    case S_KILL_ON_BAD_EXIT: return set_kill_on_bad_exit(s, o, arg, err);
    case S_LABEL: s->label = true; return 0;
    case S_PRESERVE_ENV: s->preserve_env = true; return 0;
    case S_MPI: return set_mpi(s, arg, err);
    case S_MULTI_PROG: s->multi_prog = true; return 0;
    case S_OVERLAP: s->overlap = true; return 0;
    case S_PTY: s->pty = true; return 0;
    case S_QUIT_ON_INTERRUPT: s->quit_on_interrupt = true; return 0;
    case S_RELATIVE: return set_number(&s->relative, o, arg, 0, err);
    case S_TEST_ONLY: s->test_only = true; return 0;
    case S_UNBUFFERED: s->unbuffered = true; return 0;
    case S_UNSUPPORTED: return err_set(err, -EINVAL, "--%s is not supported here", o->name);
    case S_WAIT: return set_number(&s->wait_s, o, arg, 0, err);
    }
    bug_on(true);
    return 0;
}

/* clang-format off */
#define FLAG(i, n, l, h, ...) {.id = (i), .name = (n), .letter = (l), .help = (h), __VA_ARGS__}
static const struct opt table[] = {
    {.id = S_CPU_BIND, .name = "cpu-bind", .arg = OPT_REQUIRED, .meta = "HOW", .help = "none, cores, rank, map_cpu:LIST ...: checked; a step is bound to what it holds", .env = "SLURM_CPU_BIND"},
    FLAG(S_DISABLE_STATUS, "disable-status", 'X', "the first ^C goes to the tasks", .env = "SLURM_DISABLE_STATUS"),
    FLAG(S_EXACT, "exact", 0, "only the CPUs it asks for (steps do that anyhow)", .env = "SLURM_EXACT"),
    {.id = S_IMMEDIATE, .name = "immediate", .letter = 'I', .arg = OPT_OPTIONAL, .meta = "SECONDS", .help = "give up where it cannot start at once", .env = "SLURM_IMMEDIATE"},
    {.id = S_JOBID, .name = "jobid", .arg = OPT_REQUIRED, .meta = "ID", .help = "a step of this job", .env = "SLURM_JOBID SLURM_JOB_ID"},
    {.id = S_KILL_ON_BAD_EXIT, .name = "kill-on-bad-exit", .letter = 'K', .arg = OPT_OPTIONAL, .meta = "0|1", .help = "one task fails: end the others", .env = "SLURM_KILL_BAD_EXIT"},
    FLAG(S_LABEL, "label", 'l', "the task's number in front of each line", .env = "SLURM_LABELIO"),
    {.id = S_MPI, .name = "mpi", .arg = OPT_REQUIRED, .meta = "none|pmi2|list", .help = "how MPI is started", .env = "SLURM_MPI_TYPE"},
    FLAG(S_MULTI_PROG, "multi-prog", 0, "the operand is a file that says which task runs what"),
    FLAG(S_OVERLAP, "overlap", 0, "share the CPUs with other steps, never wait", .env = "SLURM_OVERLAP"),
    FLAG(S_PRESERVE_ENV, "preserve-env", 'E', "keep SLURM_NTASKS and SLURM_JOB_NUM_NODES as they are here"),
    FLAG(S_PTY, "pty", 0, "one task on a terminal of its own"),
    FLAG(S_QUIT_ON_INTERRUPT, "quit-on-interrupt", 0, "the first ^C ends the step"),
    {.id = S_RELATIVE, .name = "relative", .letter = 'r', .arg = OPT_REQUIRED, .meta = "N", .help = "from the job's Nth node on"},
    FLAG(S_TEST_ONLY, "test-only", 0, "say when it would start, run nothing"),
    FLAG(S_UNBUFFERED, "unbuffered", 'u', "output byte by byte, not line by line", .env = "SLURM_UNBUFFEREDIO"),
    {.id = S_WAIT, .name = "wait", .letter = 'W', .arg = OPT_REQUIRED, .meta = "SECONDS", .help = "end the others so long after the first task ended", .env = "SLURM_WAIT"},

    {.id = S_HARMLESS, .name = "accel-bind", .arg = OPT_REQUIRED},
    {.id = S_HARMLESS, .name = "threads", .letter = 'T', .arg = OPT_REQUIRED},
    {.id = S_HARMLESS, .name = "msg-timeout", .arg = OPT_REQUIRED}, {.id = S_HARMLESS, .name = "slurmd-debug", .arg = OPT_REQUIRED},
    {.id = S_HARMLESS, .name = "whole"}, {.id = S_HARMLESS, .name = "interactive"},
    {.id = S_HARMLESS, .name = "epilog", .arg = OPT_REQUIRED}, {.id = S_HARMLESS, .name = "prolog", .arg = OPT_REQUIRED},
    {.id = S_HARMLESS, .name = "cluster-constraint", .arg = OPT_REQUIRED}, {.id = S_HARMLESS, .name = "compress", .arg = OPT_OPTIONAL},
    {.id = S_UNSUPPORTED, .name = "bcast", .arg = OPT_OPTIONAL}, {.id = S_UNSUPPORTED, .name = "no-allocate", .letter = 'Z'},
    {.id = S_UNSUPPORTED, .name = "task-prolog", .arg = OPT_REQUIRED}, {.id = S_UNSUPPORTED, .name = "task-epilog", .arg = OPT_REQUIRED},
};
/* clang-format on */
const struct opts srun_opts = OPTS_ALSO(table, srun_set, &jobopts_table);

static bool on_command_line(const struct srunopts *o, enum jobopt id)
{
    return o->job.given[id] == LEVEL_COMMAND_LINE;
}

void srunopts_init(struct srunopts *o)
{
    *o = (struct srunopts){.relative = NOT_GIVEN};
    jobopts_init(&o->job);
}

void srunopts_fini(struct srunopts *o)
{
    jobopts_fini(&o->job);
    strv_fini(&o->rank_nodes);
}

/* --- a node for each rank --- */

static void replace_text(char **at, char *text)
{
    free(*at);
    *at = text;
}

/* -w on the command line, else the file that SLURM_HOSTFILE names, else -w from elsewhere. */
static int read_rank_nodes(struct srunopts *o, struct errtext *err)
{
    const char *file = getenv("SLURM_HOSTFILE"), *list = req_rare(&o->job.req)->nodelist;
    bool named = list && o->job.given[J_NODELIST] == LEVEL_COMMAND_LINE;
    if (!named && !str_is_empty(file)) {
        o->job.distribution = 2; /* the file counts, whatever --distribution says */
        replace_text(&o->job.distribution_text, xstrdup("arbitrary"));
        int rc = nodefile_read(file, &o->rank_nodes, err);
        return rc ? err_prefix(err, rc, "SLURM_HOSTFILE") : 0;
    }
    if (o->job.distribution != 2 || list)
        return o->job.distribution == 2 ? hostlist_expand(list, &o->rank_nodes, err) : 0;
    if (o->job.given[J_DISTRIBUTION] == LEVEL_COMMAND_LINE)
        return err_set(
            err, -EINVAL,
            "--distribution=arbitrary: no nodes are named, neither by --nodelist nor by SLURM_HOSTFILE");
    o->job.distribution = 0; /* of the job around it, whose nodes are not named here */
    return 0;
}

int srunopts_finish(struct srunopts *o, struct errtext *err)
{
    struct job_req *r = &o->job.req;
    int rc = read_rank_nodes(o, err);
    if (rc || !o->rank_nodes.n)
        return rc;
    bool counted = r->ntasks != NOT_GIVEN && (on_command_line(o, J_NTASKS) || !o->jobid);
    if (counted && r->ntasks > o->rank_nodes.n)
        return err_set(err, -EINVAL, "Too few NodeNames in Slurm Hostfile: %zu for %u tasks",
                       o->rank_nodes.n, r->ntasks);
    struct strv names = {0}, unique = {0};
    for (size_t i = 0; i < o->rank_nodes.n && (!counted || i < r->ntasks); i++) {
        strv_push(&names, o->rank_nodes.v[i]);
        if (!strv_has(&unique, o->rank_nodes.v[i]))
            strv_push(&unique, o->rank_nodes.v[i]);
    }
    strv_fini(&o->rank_nodes);
    o->rank_nodes = names;
    r->ntasks = (uint32_t)names.n;
    r->nodes_min = r->nodes_max = (uint32_t)unique.n;
    replace_text(&req_rare_mut(r)->nodelist, strv_join(&unique, ","));
    strv_fini(&unique);
    return 0;
}

void srunopts_shape_job(const struct srunopts *o, struct job_req *r)
{
    uint32_t most = 0;
    for (size_t i = 0; i < o->rank_nodes.n; i++) {
        uint32_t same = 0;
        for (size_t k = 0; k < o->rank_nodes.n; k++)
            same += str_eq(o->rank_nodes.v[i], o->rank_nodes.v[k]);
        most = same > most ? same : most;
    }
    if (!most)
        return;
    req_detail_mut(r)->ntasks_per_node = most;
    r->ntasks = most * r->nodes_min;
}

/* --- from options to a step --- */

/* On how many nodes of an allocation of n: -N; else as many as -w names; else all that the job has,
 * but no more than there are ranks. */
static uint32_t srunopts_count_nodes(const struct srunopts *o, uint32_t nodes_held)
{
    const struct job_req *r = &o->job.req;
    uint32_t nodes = r->nodes_min != NOT_GIVEN ? r->nodes_min : nodes_held;
    struct strv names = {0};
    if (req_rare(r)->nodelist && !on_command_line(o, J_NODES) &&
        hostlist_expand(req_rare(r)->nodelist, &names, NULL) == 0)
        nodes = (uint32_t)names.n;
    strv_fini(&names);
    if (o->relative != NOT_GIVEN && !on_command_line(o, J_NODES) && nodes > nodes_held - o->relative)
        nodes = nodes_held > o->relative ? nodes_held - o->relative : 1;
    if (r->ntasks != NOT_GIVEN && r->ntasks < nodes)
        nodes = r->ntasks;
    return nodes ? nodes : 1;
}

/* -c alone: as many ranks as the CPUs of the nodes carry. */
static uint32_t count_by_cpus(const struct srunopts *o, const struct job *j, uint32_t nodes)
{
    uint32_t ranks = 0, first = o->relative == NOT_GIVEN ? 0 : o->relative;
    for (uint32_t i = first; i < j->alloc.n && i - first < nodes; i++)
        ranks += cpuset_count(&j->alloc.v[i].cpus) / o->job.req.cpus_per_task;
    return ranks > nodes ? ranks : nodes;
}

static uint32_t count_ranks(const struct srunopts *o, const struct job *j, uint32_t nodes)
{
    const struct job_req *r = &o->job.req;
    bool per_node_is_nearer = o->job.given[J_NTASKS_PER_NODE] > o->job.given[J_NTASKS];
    if (o->pty)
        return 1;
    if (req_detail(r)->ntasks_per_node != NOT_GIVEN && (r->ntasks == NOT_GIVEN || per_node_is_nearer))
        return req_detail(r)->ntasks_per_node * nodes;
    if (r->ntasks == NOT_GIVEN && on_command_line(o, J_CPUS_PER_TASK) && r->cpus_per_task)
        return count_by_cpus(o, j, nodes);
    if (r->ntasks == NOT_GIVEN ||
        (on_command_line(o, J_NODES) && !on_command_line(o, J_NTASKS) && r->ntasks < nodes))
        return nodes;
    return r->ntasks;
}

/* Only what was said on the command line counts: else a step would hold all of the job's memory, and no
 * second one could run beside it. */
static uint64_t step_mem(const struct srunopts *o, const struct step *s)
{
    const struct job_req *r = &o->job.req;
    uint64_t ranks_here = (s->n_ranks + s->nodes - 1) / s->nodes;
    if (on_command_line(o, J_MEM))
        return r->mem_node_mib;
    if (on_command_line(o, J_MEM_PER_CPU))
        return req_detail(r)->mem_cpu_mib * ranks_here *
               (s->cpus_per_rank == NOT_GIVEN ? 1 : s->cpus_per_rank);
    if (on_command_line(o, J_MEM_PER_GPU) && s->gpus != NOT_GIVEN)
        return req_detail(r)->mem_gpu_mib * ((s->gpus + s->nodes - 1) / s->nodes);
    return MEM_NOT_GIVEN;
}

/* The same for GPUs, but for --gpus-per-task of the job: it says how its ranks divide them. */
static void step_gpus(const struct srunopts *o, struct step *s)
{
    const struct job_req *r = &o->job.req;
    s->gpus = NOT_GIVEN;
    if (req_detail(r)->gpus_per_task != NOT_GIVEN) {
        s->gpus = req_detail(r)->gpus_per_task * s->n_ranks;
        s->gpus_per_rank = req_detail(r)->gpus_per_task;
    }
    if (on_command_line(o, J_GPUS))
        s->gpus = r->gpus;
    else if (on_command_line(o, J_GRES) || on_command_line(o, J_GPUS_PER_NODE))
        s->gpus = r->gpus_per_node * s->nodes;
    s->gpu_type = s->gpus == NOT_GIVEN ? NULL : xstrdup(req_detail(r)->gpu_type);
}

static int srunopts_check_names(const struct job *j, const struct strv *names, struct errtext *err)
{
    for (size_t i = 0; i < names->n; i++)
        if (!job_alloc_on(j, names->v[i]))
            return err_set(err, -EINVAL,
                           "Requested node configuration is not available: %s is not a node of job %u",
                           names->v[i], j->id);
    return 0;
}

/* -w, -x, -r: the names that are left of the job's nodes, where that is not all of them. */
static int step_places(const struct srunopts *o, const struct job *j, struct step *s, struct errtext *err)
{
    const struct job_req *r = &o->job.req;
    if (!req_rare(r)->nodelist && !req_rare(r)->exclude && o->relative == NOT_GIVEN)
        return 0;
    struct strv with = {0}, without = {0}, left = {0};
    int rc = req_rare(r)->nodelist ? hostlist_expand(req_rare(r)->nodelist, &with, err) : 0;
    rc = rc || !req_rare(r)->exclude ? rc : hostlist_expand(req_rare(r)->exclude, &without, err);
    rc = rc ? rc : srunopts_check_names(j, &with, err);
    for (size_t i = o->relative == NOT_GIVEN ? 0 : o->relative; i < j->alloc.n && !rc; i++) {
        const char *node = j->alloc.v[i].node;
        if ((!with.n || strv_has(&with, node)) && !strv_has(&without, node))
            strv_push(&left, node);
    }
    if (!rc && !left.n)
        rc = err_set(err, -EINVAL, "no node of job %u is left", j->id);
    if (!rc)
        s->nodelist = strv_join(&left, ",");
    strv_fini(&with);
    strv_fini(&without);
    strv_fini(&left);
    return rc;
}

/* "none" and the like are no file names. */
static bool is_rank_number(const char *s)
{
    int64_t n;
    return s && int_parse(s, 0, UINT32_MAX - 1, &n, NULL) == 0;
}

static char *srunopts_output_pattern(const char *given)
{
    if (!given || str_ieq(given, "all") || is_rank_number(given))
        return NULL;
    return xstrdup(str_ieq(given, "none") ? "/dev/null" : given);
}

void srunopts_only(const struct srunopts *o, uint32_t ret[static 2])
{
    const char *out = o->job.req.std_out,
               *err = req_detail(&o->job.req)->std_err ? req_detail(&o->job.req)->std_err : out;
    ret[0] = is_rank_number(out) ? 1 + (uint32_t)strtoul(out, NULL, 10) : 0;
    ret[1] = is_rank_number(err) ? 1 + (uint32_t)strtoul(err, NULL, 10) : 0;
}

bool srunopts_feeds_stdin(const struct srunopts *o)
{
    const char *in = req_rare(&o->job.req)->std_in;
    if (in && !str_ieq(in, "all") && !is_rank_number(in))
        return false;
    struct stat st, null;
    if (fstat(STDIN_FILENO, &st) < 0)
        return false;
    return stat("/dev/null", &null) < 0 || !S_ISCHR(st.st_mode) || st.st_rdev != null.st_rdev;
}

static int step_input(const struct srunopts *o, struct step *s, struct errtext *err)
{
    const char *in = req_rare(&o->job.req)->std_in;
    if (!in || str_ieq(in, "all") || (is_rank_number(in) && s->n_ranks == 1))
        return 0;
    if (is_rank_number(in)) {
        if (strtoul(in, NULL, 10) >= s->n_ranks)
            return err_set(err, -EINVAL, "Invalid task id, --input=%s, the step has %u tasks", in,
                           s->n_ranks);
        s->input_rank = 1 + (uint32_t)strtoul(in, NULL, 10);
        return 0;
    }
    s->std_in = xstrdup(str_ieq(in, "none") ? "/dev/null" : in);
    return 0;
}

static char *srunopts_step_name(const struct srunopts *o, const struct strv *command)
{
    if (on_command_line(o, J_JOB_NAME))
        return xstrdup(o->job.req.name);
    const char *slash = strrchr(command->v[0], '/');
    return xstrdup(slash ? slash + 1 : command->v[0]);
}

int srunopts_step(const struct srunopts *o, const struct job *j, const struct strv *command,
                  struct step *ret, struct errtext *err)
{
    const struct job_req *r = &o->job.req;
    struct step s = {
        .nodes = srunopts_count_nodes(o, (uint32_t)j->alloc.n),
        .cpus_per_rank = r->cpus_per_task,
        .time_limit_s = on_command_line(o, J_TIME) ? r->time_limit_s : DURATION_NOT_SET,
        .overlap = o->overlap,
        .exclusive = req_detail(r)->exclusive || req_detail(r)->exclusive_user || o->exact,
        .label = o->label,
        .preserve_env = o->preserve_env,
        .kill_on_bad_exit = o->kill_on_bad_exit,
        .overcommit = req_detail(r)->overcommit,
        .distribution = o->job.distribution,
        .append = req_detail(r)->append,
        .truncate = req_detail(r)->truncate,
        .wait_s = o->wait_s,
        .mpi = o->mpi,
    };
    if (o->relative != NOT_GIVEN && o->relative >= j->alloc.n)
        return err_set(err, -EINVAL, "--relative=%u: the job has %zu nodes", o->relative, j->alloc.n);
    s.n_ranks = o->rank_nodes.n ? (uint32_t)o->rank_nodes.n : count_ranks(o, j, s.nodes);
    s.nodes = s.nodes > s.n_ranks ? s.n_ranks : s.nodes;
    s.n_tasks = s.nodes;
    step_gpus(o, &s);
    s.mem_mib = step_mem(o, &s);
    int rc = step_places(o, j, &s, err);
    rc = rc ? rc : step_input(o, &s, err);
    if (!rc) {
        s.name = srunopts_step_name(o, command);
        s.command = strv_join(command, " ");
        s.pty = o->pty;
        s.std_out = o->pty ? NULL : srunopts_output_pattern(r->std_out);
        s.std_err = o->pty ? NULL : srunopts_output_pattern(req_detail(r)->std_err);
        s.workdir = xstrdup(r->workdir);
        s.rank_nodes = o->rank_nodes.n ? strv_join(&o->rank_nodes, ",") : NULL;
        *ret = s;
        return 0;
    }
    rec_fini(&step_rec, &s);
    return rc;
}
