/* sbcast.c - one file to all nodes of a job, or of one of its steps.
 *
 * It is a step of the job, beside all others: a shell on each node writes its standard input to the file,
 * which is fed as srun feeds it. So it goes wherever srun goes, as the same user, by the same ways.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/cli/step/insidejob.h"
#include "src/cli/step/steprun.h"
#include "src/jobspec/jobtargets.h"
#include "src/lang/lang.h"
#include "src/values/units.h"

/* clang-format off */
/* What a node does; $1 the file, $2 its mode, $3 its size, $4 whether it may replace one, $5 and $6 its times or
 * nothing. What is replaced is there as it was until the new one is whole; what is begun and not ended goes. */
static const char receiver[] =
    "umask 077; LC_ALL=C; export LC_ALL; dest=$1; at=\n"
    "fail() { echo \"sbcast: error: $SLURMD_NODENAME: $dest: ${1##*: }\" >&2; exit 1; }\n"
    "trap '[ -z \"$at\" ] || rm -f \"$at\"' EXIT; trap 'exit 1' HUP INT TERM\n"
    "[ ! -d \"$dest\" ] || fail 'Is a directory'\n"
    "if [ \"$4\" = 1 ]; then\n"
    "    new=${dest%/*}/.sbcast.$SLURM_JOB_ID.$SLURM_STEP_ID.$SLURMD_NODENAME.$$\n"
    "else\n"
    "    new=$dest\n"
    "    [ ! -e \"$dest\" ] && [ ! -L \"$dest\" ] || fail 'File exists'\n"
    "fi\n"
    "why=$( { set -C; : >\"$new\"; } 2>&1) || fail \"$why\"\n"
    "at=$new\n"
    "why=$(cat 2>&1 >\"$new\") || fail \"$why\"\n"
    "[ \"$(wc -c <\"$new\")\" -eq \"$3\" ] || fail 'not all of it has come'\n"
    "why=$(chmod \"$2\" \"$new\" 2>&1) || fail \"$why\"\n"
    "if [ -n \"$5\" ]; then\n"
    "    why=$(touch -a -d \"@$5\" \"$new\" 2>&1 && touch -m -d \"@$6\" \"$new\" 2>&1) || fail \"$why\"\n"
    "fi\n"
    "[ \"$new\" = \"$dest\" ] || why=$(mv -f \"$new\" \"$dest\" 2>&1) || fail \"$why\"\n"
    "at=\n";
/* clang-format on */

struct sbcast {
    const struct cli *cli;
    struct job_target target; /* job 0: none named */
    bool force, preserve;
    char *dest;
    struct stat st;
};

enum { O_ACCEPTED = 1, O_JOBID, O_SEND_LIBS };

/* clang-format off */
static const struct opt table[] = {
    {.id = O_ACCEPTED, .name = "compress", .letter = 'C', .arg = OPT_OPTIONAL, .meta = "LIB", .help = "taken, without effect", .env = "SBCAST_COMPRESS"},
    {OPT_SETS(struct sbcast, force), .name = "force", .letter = 'f', .help = "replace what is there, once the new file is whole", .env = "SBCAST_FORCE"},
    {.id = O_JOBID, .name = "jobid", .letter = 'j', .arg = OPT_REQUIRED, .meta = "JOB[.STEP]", .help = "the nodes of this job, or of one step of it; in a job: its own", .env = "SLURM_JOB_ID"},
    {OPT_SETS(struct sbcast, preserve), .name = "preserve", .letter = 'p', .help = "times too; the mode is always that of SOURCE", .env = "SBCAST_PRESERVE"},
    {.id = O_SEND_LIBS, .name = "send-libs", .arg = OPT_OPTIONAL, .meta = "no", .help = "libraries of a program: not supported, copy them as files", .env = "SBCAST_SEND_LIBS"},
    {.id = O_ACCEPTED, .name = "exclude", .arg = OPT_REQUIRED}, {.id = O_ACCEPTED, .name = "fanout", .letter = 'F', .arg = OPT_REQUIRED},
    {.id = O_ACCEPTED, .name = "treewidth", .arg = OPT_REQUIRED}, {.id = O_ACCEPTED, .name = "size", .letter = 's', .arg = OPT_REQUIRED},
    {.id = O_ACCEPTED, .name = "timeout", .letter = 't', .arg = OPT_REQUIRED}, {.id = O_ACCEPTED, .name = "verbose", .letter = 'v'},
};
/* clang-format on */

static int set_jobid(struct sbcast *b, const char *arg, struct errtext *err)
{
    uint32_t task;
    if (target_parse_one(arg, &b->target, &task, err) < 0 || task != NOT_GIVEN ||
        b->target.array_index != ARRAY_NONE)
        return err_set(err, -EDOM, "Invalid job id specified: %s", arg);
    return 0;
}

static int sbcast_set_option(void *ctx, const struct opt *o, const char *arg, struct errtext *err)
{
    struct sbcast *b = ctx;
    switch (o->id) {
    case O_JOBID: return set_jobid(b, arg, err);
    case O_SEND_LIBS:
        if (!arg || (!str_ieq(arg, "no") && !str_eq(arg, "0")))
            return err_set(err, -EDOM, "--send-libs is not supported here: libraries are copied as files");
        break;
    default: break;
    }
    return 0;
}

static const struct opts options = OPTS(table, sbcast_set_option);

/* --- the step --- */

static void sbcast_add_node(struct strv *nodes, const struct alloc *a)
{
    if (a->node && !strv_has(nodes, a->node))
        strv_push(nodes, a->node);
}

/* Of the job, or of the step that is named. Empty: there is no such step, or it runs nowhere yet. */
static struct strv sbcast_nodes_of(const struct sbcast *b, const struct job *j)
{
    struct strv nodes = {0};
    const struct step *s = b->target.step == STEP_ALL ? NULL : job_find_step(j, b->target.step);
    for (size_t i = 0; b->target.step == STEP_ALL && i < j->alloc.n; i++)
        sbcast_add_node(&nodes, &j->alloc.v[i]);
    for (size_t i = 0; s && i < s->tasks.n; i++)
        sbcast_add_node(&nodes, &s->tasks.v[i].alloc);
    return nodes;
}

static void push_time(struct strv *argv, const struct sbcast *b, const struct timespec *t)
{
    if (b->preserve)
        strv_push_take(argv, xasprintf("%lld.%09ld", (long long)t->tv_sec, t->tv_nsec));
    else
        strv_push(argv, "");
}

static void sbcast_fill_payload(const struct sbcast *b, const struct job *j, struct step_payload *p)
{
    const char *const fixed[] = {"/bin/sh", "-c", receiver, "sbcast", b->dest};
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        strv_push(&p->argv, fixed[i]);
    strv_push_take(&p->argv, xasprintf("%04o", (unsigned)b->st.st_mode & 0777));
    strv_push_take(&p->argv, xasprintf("%lld", (long long)b->st.st_size));
    strv_push(&p->argv, b->force ? "1" : "0");
    push_time(&p->argv, b, &b->st.st_atim);
    push_time(&p->argv, b, &b->st.st_mtim);
    strv_push(&p->env, "PATH=/usr/local/bin:/usr/bin:/bin");
    p->workdir = xstrdup(j->req.workdir ? j->req.workdir : "/"); /* where the job may be, so may this */
    p->umask = 077;
}

/* Beside what runs: it takes no CPUs, memory or GPUs from anybody. */
static struct step sbcast_step_of(const struct sbcast *b, const struct job *j, const struct strv *nodes)
{
    uint32_t n = (uint32_t)nodes->n;
    return (struct step){
        .name = xstrdup("sbcast"),
        .command = xasprintf("sbcast %s", b->dest),
        .n_tasks = n,
        .n_ranks = n,
        .nodes = n,
        .nodelist = strv_join(nodes, ","),
        .cpus_per_rank = NOT_GIVEN,
        .mem_mib = MEM_NOT_GIVEN,
        .gpus = 0,
        .time_limit_s = DURATION_NOT_SET,
        .overlap = true,
        .workdir = xstrdup(j->req.workdir),
    };
}

static int copy(struct sbcast *b, struct follow *f)
{
    const struct job *j = follow_job(f);
    struct strv nodes = sbcast_nodes_of(b, j);
    int code = 1;
    if (nodes.n) {
        struct steprun_options opt = {.feed_stdin = true, .disable_status = true};
        struct msg_step_create m = {.job = f->job, .stream_in = true, .step = sbcast_step_of(b, j, &nodes)};
        m.request_id = client_request_id();
        sbcast_fill_payload(b, j, &m.payload);
        code = steprun(f, &m, &opt);
        rec_fini(&msg_step_create_rec, &m);
    } else {
        cli_error(b->cli, "step %u.%d has no nodes", f->job, b->target.step);
    }
    strv_fini(&nodes);
    return code;
}

/* --- the command line --- */

static bool sbcast_parse(struct sbcast *b, int argc, char **argv, struct strv *operands, int *ret_exit)
{
    struct errtext err = {0};
    struct strv env = cli_environ();
    enum opt_result r = opt_env(&options, b, &env, "SLURM_ SBCAST_", &err);
    if (r == OPT_OK)
        r = opt_parse(&options, b, argc, argv, 0, operands, &err);
    strv_fini(&env);
    return cli_parsed(b->cli, r, &err, ret_exit);
}

/* Becomes standard input, which is what steps are fed with. */
static int open_source(struct sbcast *b, const char *source)
{
    int fd = open(source, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int e = fd < 0 || fstat(fd, &b->st) < 0 ? errno : 0;
    if (!e && !S_ISREG(b->st.st_mode))
        e = S_ISDIR(b->st.st_mode) ? EISDIR : EINVAL;
    if (!e && dup2(fd, STDIN_FILENO) < 0)
        e = errno;
    if (fd >= 0)
        close(fd);
    if (e)
        cli_error(b->cli, "Can't open `%s`: %s", source, strerror(e));
    return e ? -1 : 0;
}

/* A relative name is one in the directory that this is called in. */
static int name_dest(struct sbcast *b, const char *dest)
{
    char *cwd = dest[0] == '/' ? NULL : getcwd(NULL, 0);
    b->dest = cwd ? xasprintf("%s/%s", cwd, dest) : xstrdup(dest);
    free(cwd);
    if (b->dest[0] == '/' && b->dest[strlen(b->dest) - 1] != '/')
        return 0;
    cli_error(b->cli, "Target filename cannot be a directory.");
    return -1;
}

static int check_operands(struct sbcast *b, const struct strv *operands)
{
    if (operands->n != 2) {
        fprintf(stderr, "Need two file names, have %zu names\nTry \"sbcast --help\" for more information\n",
                operands->n);
        return -1;
    }
    if (!b->target.job) {
        cli_error(b->cli, "Need a job id to run this command.  Run from within a Slurm job or use the "
                          "--jobid option.");
        return -1;
    }
    return name_dest(b, operands->v[1]) || open_source(b, operands->v[0]) ? -1 : 0;
}

static int sbcast_run(struct cli *cli, int argc, char **argv)
{
    struct sbcast b = {.cli = cli, .target = {.step = STEP_ALL}};
    struct strv operands = {0};
    struct follow f;
    int code;
    if (sbcast_parse(&b, argc, argv, &operands, &code)) {
        code = check_operands(&b, &operands) ? 1 : insidejob_open(cli, b.target.job, &f);
        if (!code) {
            code = copy(&b, &f);
            follow_fini(&f);
        }
    }
    strv_fini(&operands);
    free(b.dest);
    return code;
}

const struct command cmd_sbcast = {
    .name = "sbcast",
    .reach = REACH_HERE,
    .summary = N_("Copy a file to all nodes of a job"),
    .usage = "[OPTIONS] SOURCE DEST",
    .options = &options,
    .slurm = true,
    .run = sbcast_run,
};
