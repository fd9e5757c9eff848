/* cmd_init.c - stoker init: a configuration file for this machine, with what could be changed in comments;
 * with
 * --shared services for all its users, with --node those of a node. */
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
#include "src/cli/setup/initshared.h"
#include "src/cli/setup/initunits.h"
#include "src/lang/lang.h"
#include "src/os/dirs.h"
#include "src/os/file.h"

struct init {
    bool print, shared, login;
    char *node, *key, *root, *user, *link_user;
};

static const struct opt table[] = {
    {OPT_SETS(struct init, print), .name = "print",
     .help = N_("the configuration to standard output, no file")},
    {OPT_SETS(struct init, shared), .name = "shared",
     .help = N_("as root: services for all users of this machine, each under an account of its own")},
    {OPT_TEXT(struct init, node), .name = "node", .meta = "NAME",
     .help = N_("as root, on a node of such a controller: its agent as a service")},
    {OPT_TEXT(struct init, key), .name = "key", .meta = "LINE|FILE",
     .help = N_("--node: the controller's public key, which may then reach the agent and nothing else")},
    {OPT_SETS(struct init, login), .name = "login",
     .help = N_("--node: people log in there; commands find the controller")},
    {OPT_TEXT(struct init, user), .name = "user", .meta = "NAME",
     .help = N_("the controller's account, and on nodes the one that it logs in as (stoker)")},
    {OPT_TEXT(struct init, link_user), .name = "link-user", .meta = "NAME",
     .help = N_("--shared: the account that has the key to the nodes (stoker-link)")},
    {OPT_TEXT(struct init, root), .name = "root", .meta = "DIR",
     .help = N_("--shared, --node: write below DIR and touch nothing else; what is left to do is printed")},
};

static const struct opts options = OPTS(table, NULL);

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

static void init_write_text(struct str *out, const struct machine *m, bool shared)
{
    const char *agent = shared ? " agent_socket = \"" AGENT_SOCKET "\";" : "";
    str_appendf(
        out,
        "# Configuration of Stoker. libconfig; `stoker config check` says what is wrong with it.\n"
        "# Nothing here is required: without this file the cluster is this machine, as it is found.\n"
        "\n"
        "cluster = \"%s\";\n"
        "%s"
        "\n"
        "# Found here: %d CPUs, %" PRIu64
        " GB of memory, %u GPUs. Figures that are not given are found again at each start;\n"
        "# with detect = false those given here are believed.\n"
        "nodes = (\n"
        "  { name = \"%s\"; transport = \"local\";%s }\n"
        "  # more machines, reached by ssh%s:\n"
        "  # , { name = \"gpu[01-04]\"; address = \"gpu%%s\"; ssh_user = \"stoker\"; gpu_type = \"a100\"; "
        "features = [\"bigmem\"]; }\n"
        ");\n"
        "\n"
        "# Over all nodes, those that are added later too; nodes = \"gpu[01-04]\" names some.\n"
        "partitions = (\n"
        "  { name = \"main\"; default = true; max_time = \"7-00:00:00\"; default_time = "
        "\"1:00:00\"; }\n"
        "  # , { name = \"idle\"; priority_tier = 0; preempt_mode = \"requeue\"; "
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
        m->name,
        shared ? "\n"
                 "# Kept by systemd, under accounts of their own: stoker init --shared.\n"
                 "link_socket = \"" LINK_SOCKET "\";\n"
                 "link_keys = \"" LINK_KEYS "\";\n"
               : "",
        m->cpus, m->mem_gib, m->gpus, m->name, agent,
        shared ? "; on each of them, as root: stoker init --node=NAME --key='...'"
               : "; all they need is sshd");
}

static int init_write_file(const struct cli *cli, const char *path, const struct str *text)
{
    int rc = dirs_above(path, 0755);
    int fd = rc ? -1 : open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0 && !rc)
        rc = -errno;
    if (rc == -EEXIST) {
        cli_error(cli, tr("%s is there already; it is left as it is"), path);
        return 1;
    }
    rc = rc ? rc : file_write_fd(fd, text->s, text->len);
    if (fd >= 0 && close(fd) < 0 && !rc)
        rc = -errno;
    if (rc) {
        if (fd >= 0)
            unlink(path);
        cli_error(cli, "%s: %s", path, strerror(-rc));
        return 1;
    }
    printf(tr("wrote %s\n"), path);
    return 0;
}

/* Everything of one cluster for the caller: no account, no service. */
static int init_private(const struct cli *cli, const struct str *text)
{
    struct paths p;
    paths_find(&p);
    int rc = init_write_file(cli, p.config, text);
    if (rc == 0 && !p.shared)
        printf(tr("private: everything lies in %s, and it runs your jobs alone; stoker up starts it\n"),
               p.state);
    paths_fini(&p);
    return rc;
}

static bool init_is_word(const char *s)
{
    static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    return *s && *s != '-' && *s != '.' && strspn(s, good) == strlen(s);
}

/* They stand in units and in a line for sshd. */
static int check_words(const struct cli *cli, const struct init *i)
{
    const char *words[] = {i->node, i->user, i->link_user};
    for (size_t k = 0; k < 3; k++)
        if (words[k] && !init_is_word(words[k])) {
            cli_error(cli, tr("%s is not a name"), words[k]);
            return 2;
        }
    if (i->shared && i->node) {
        cli_error(cli, tr("--shared is for the controller's machine, --node for the others"));
        return 2;
    }
    if (!i->shared && !i->node && (i->key || i->root || i->user || i->link_user || i->login)) {
        cli_error(cli, tr("that goes with --shared or --node"));
        return 2;
    }
    return 0;
}

static int init_run(struct cli *cli, int argc, char **argv)
{
    struct init i = {0};
    struct machine m = {.name = ""};
    struct str text = STR_INIT;
    int rc = 0;
    bool go_on = cli_parse(cli, &i, argc, argv, 0, NULL, &rc);
    rc = go_on ? check_words(cli, &i) : rc;
    if (go_on && rc == 0) {
        find_machine(&m);
        init_write_text(&text, &m, i.shared);
        struct init_shared s = {.cli = cli,
                                .root = i.root,
                                .user = i.user,
                                .link_user = i.link_user,
                                .node = i.node ? i.node : m.name,
                                .key = i.key,
                                .login = i.login,
                                .config = text.s};
        if (i.print)
            out_flush(&text);
        else if (i.shared)
            rc = init_shared_controller(&s);
        else
            rc = i.node ? init_shared_node(&s) : init_private(cli, &text);
    }
    str_fini(&text);
    char *texts[] = {i.node, i.key, i.root, i.user, i.link_user};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        free(texts[k]);
    return rc;
}

const struct command cmd_init = {
    .name = "init",
    .reach = REACH_HERE,
    .summary =
        N_("Write a configuration file for this machine; --shared: make it a service for all its users"),
    .usage = "[--print] | --shared [--root=DIR] | --node=NAME --key=LINE [--login] [--root=DIR]",
    .options = &options,
    .run = init_run,
};
