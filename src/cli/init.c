/* init.c - stoker init: a configuration file for this machine, with what could be changed in comments. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/cli/ask.h"

struct init {
    bool print;
};

enum { O_PRINT = 1 };

static const struct opt table[] = {{.id = O_PRINT, .name = "print", .help = "to standard output, no file"}};

static int set_option(void *ctx, __attribute__((unused)) const struct opt *o,
                      __attribute__((unused)) const char *arg, __attribute__((unused)) struct errtext *err)
{
    struct init *i = ctx;
    i->print = true;
    return 0;
}

static const struct opts options = OPTS(table, set_option);

struct machine {
    char name[256];
    int cpus;
    uint64_t mem_gib;
    unsigned gpus;
};

/* Device files of NVIDIA's driver, else render nodes are not counted: every small graphics chip has one. */
static unsigned count_gpus(void)
{
    unsigned n = 0;
    DIR *dev = opendir("/dev");
    for (struct dirent *e; dev && (e = readdir(dev));)
        n += strncmp(e->d_name, "nvidia", 6) == 0 && isdigit((unsigned char)e->d_name[6]);
    if (dev)
        closedir(dev);
    return n;
}

static void find_machine(struct machine *m)
{
    struct sysinfo si;
    cpu_set_t set;
    if (gethostname(m->name, sizeof m->name - 1) < 0 || !m->name[0])
        strcpy(m->name, "localhost");
    m->name[strcspn(m->name, ".")] = '\0';
    m->cpus = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    m->mem_gib = sysinfo(&si) == 0 ? (uint64_t)si.totalram * si.mem_unit >> 30 : 0;
    m->gpus = count_gpus();
}

static void write_text(struct str *out, const struct machine *m)
{
    str_appendf(
        out,
        "# Configuration of Stoker. libconfig; `stoker config check` says what is wrong with it.\n"
        "# Nothing here is required: without this file the cluster is this machine, as it is found.\n"
        "\n"
        "cluster = \"%s\";\n"
        "\n"
        "# Found here: %d CPUs, %" PRIu64
        " GB of memory, %u GPUs. Figures that are not given are found again at each start;\n"
        "# with detect = false those given here are believed.\n"
        "nodes = (\n"
        "  { name = \"%s\"; transport = \"local\"; }\n"
        "  # more machines, reached by ssh; all they need is sshd:\n"
        "  # , { name = \"gpu[01-04]\"; address = \"gpu%%s\"; ssh_user = \"stoker\"; gpu_type = \"a100\"; "
        "features = [\"bigmem\"]; }\n"
        ");\n"
        "\n"
        "partitions = (\n"
        "  { name = \"main\"; nodes = \"%s\"; default = true; max_time = \"7-00:00:00\"; default_time = "
        "\"1:00:00\"; }\n"
        "  # , { name = \"idle\"; nodes = \"%s\"; priority_tier = 0; preempt_mode = \"requeue\"; "
        "grace_time = \"60s\"; }\n"
        ");\n"
        "\n"
        "# What one user may hold at once. soft: more may run, but yields as soon as another job needs the "
        "resources.\n"
        "# limits = ( { scope = \"user\"; name = \"*\"; soft = { gpus = 2; }; hard = { gpus = 8; "
        "running_jobs = 50; }; } );\n"
        "\n"
        "# Accounts are Unix groups unless they are listed:\n"
        "# accounts = ( { name = \"vision\"; shares = 10; users = ( { name = \"alice\"; shares = 1; } ); } "
        ");\n"
        "\n"
        "# Who may do everything, besides root and the controller's own user:\n"
        "# admin_groups = [\"sudo\", \"wheel\"];\n"
        "\n"
        "# Between TERM and KILL when a job is ended:\n"
        "# kill_wait = \"30s\";\n",
        m->name, m->cpus, m->mem_gib, m->gpus, m->name, m->name, m->name);
}

/* The directories above path; those that are there already are left alone. */
static int make_parents(const char *path)
{
    char *p = xstrdup(path);
    int rc = 0;
    for (char *slash = strchr(p + 1, '/'); slash && rc == 0; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(p, 0755) < 0 && errno != EEXIST)
            rc = -errno;
        *slash = '/';
    }
    free(p);
    return rc;
}

static int write_file(const struct cli *cli, const char *path, const struct str *text)
{
    int rc = make_parents(path);
    int fd = rc ? -1 : open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0 && !rc)
        rc = -errno;
    if (rc == -EEXIST) {
        cli_error(cli, "%s is there already; it is left as it is", path);
        return 1;
    }
    for (size_t at = 0; !rc && at < text->len;) {
        ssize_t n = write(fd, text->s + at, text->len - at);
        if (n < 0)
            rc = -errno;
        else
            at += (size_t)n;
    }
    if (fd >= 0 && close(fd) < 0 && !rc)
        rc = -errno;
    if (rc) {
        if (fd >= 0)
            unlink(path);
        cli_error(cli, "%s: %s", path, strerror(-rc));
        return 1;
    }
    printf("wrote %s\n", path);
    return 0;
}

static int init_run(struct cli *cli, int argc, char **argv)
{
    struct init i = {0};
    struct machine m = {.name = ""};
    struct str text = STR_INIT;
    struct paths p;
    int rc = 0;
    if (!cli_parse(cli, &i, argc, argv, 0, NULL, &rc))
        return rc;
    paths_find(&p);
    find_machine(&m);
    write_text(&text, &m);
    if (i.print)
        out_flush(&text);
    else
        rc = write_file(cli, p.config, &text);
    str_fini(&text);
    paths_fini(&p);
    return rc;
}

const struct command cmd_init = {
    .name = "init",
    .summary = "Write a configuration file for this machine, if there is none",
    .usage = "[--print]",
    .options = &options,
    .run = init_run,
};
