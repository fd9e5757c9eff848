/* main_agent.c - stoker-agent: the daemon on a node. */
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/agent/agent.h"
#include "backend/agent/bridge.h"
#include "backend/agent/spawn_server.h"
#include "backend/agent/spool/file_reader.h"
#include "backend/node/gpu_sampler.h"
#include "backend/rights/rights_wire.h"
#include "backend/shim/shim_server.h"
#include "src/os/exe_path.h"
#include "src/os/log.h"
#include "src/values/opt.h"

#define ACCOUNT       "stoker-agent"
#define SPOOL_KEEP_MS 60000
#define STUCK_MS      60000

/* For tests: other times than these, and another library than NVIDIA's. */
#define SPOOL_KEEP_VARIABLE "STOKER_SPOOL_KEEP_MS"
#define STUCK_VARIABLE      "STOKER_STUCK_MS"
#define GPU_LOOK_VARIABLE   "STOKER_GPU_LOOK_MS"
#define NVML_VARIABLE       "STOKER_NVML"

struct options {
    /* For as long as it runs. */
    char *node, *dir, *socket, *log, *policy, *controller, *clients, *account;
    bool daemon, bridge;
};

static const struct opt agent_table[] = {
    {OPT_TEXT(struct options, node), .name = "node", .meta = "NAME", .help = "the node's name"},
    {OPT_TEXT(struct options, dir), .name = "dir", .meta = "DIR", .help = "what it keeps"},
    {OPT_TEXT(struct options, socket), .name = "socket", .meta = "PATH",
     .help = "where it listens, or where a bridge finds it"},
    {OPT_TEXT(struct options, log), .name = "log", .meta = "FILE",
     .help = "its log; otherwise standard error"},
    {OPT_TEXT(struct options, policy), .name = "policy", .meta = "FILE", .help = "what this node allows"},
    {OPT_TEXT(struct options, controller), .name = "controller", .meta = "USER",
     .help = "the user of the controller"},
    {OPT_TEXT(struct options, clients), .name = "clients", .meta = "PATH",
     .help = "the socket for commands on this node"},
    {OPT_TEXT(struct options, account), .name = "account", .meta = "USER",
     .help = "the account of the agent itself, started by root; with --controller " ACCOUNT
             " unless given, where there is one"},
    {OPT_SETS(struct options, daemon), .name = "daemon", .help = "detach"},
    {OPT_SETS(struct options, bridge), .name = "bridge",
     .help = "what an SSH channel runs: joins it with the agent"},
};

static const struct opts agent_opts = OPTS(agent_table, NULL);
static const struct opt_program program = {
    .name = "stoker-agent",
    .usage = "--node=NAME --dir=DIR [OPTIONS]",
    .more = "stoker-agent --bridge --node=NAME --dir=DIR starts an agent where none runs;\n"
            "stoker-agent --bridge --socket=PATH joins one that is a service;\n"
            "stoker-agent shim DIR supervises a task.\n",
    .options = &agent_opts,
};

/* Returns true to go on, otherwise *ret_exit is the exit code. */
static bool parse(int argc, char **argv, struct options *o, int *ret_exit)
{
    if (!opt_parse_program(&program, o, argc, argv, ret_exit))
        return false;
    bool enough = (o->node && o->dir) || (o->bridge && o->socket);
    if (!enough)
        fputs("stoker-agent: --node and --dir are needed\n", stderr);
    *ret_exit = 2;
    return enough;
}

/* Out of the starter's session and process tree. The first process waits until the daemon listens, or has
 * said why it does not. */
static int detach(void)
{
    int p[2];
    if (pipe2(p, O_CLOEXEC) < 0)
        return -1;
    pid_t pid = fork();
    if (pid < 0)
        return -1;
    if (pid > 0) {
        char c;
        close(p[1]);
        ssize_t n;
        do
            n = read(p[0], &c, 1);
        while (n < 0 && errno == EINTR);
        int status = 0;
        waitpid(pid, &status, 0);
        _exit(n == 1 ? 0 : 1);
    }
    close(p[0]);
    setsid();
    pid = fork();
    if (pid != 0)
        _exit(pid < 0);
    return p[1];
}

static int main_agent_open_log(const struct options *o)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0)
        return -1;
    dup2(null, 0);
    int log = o->log ? open(o->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0600) : -1;
    if (o->log && log < 0)
        fprintf(stderr, "stoker-agent: %s: %s\n", o->log, strerror(errno));
    int out = log >= 0 ? log : o->daemon ? null : 2;
    dup2(out, 1);
    dup2(out, 2);
    return log;
}

static int run_bridge(const struct options *o)
{
    struct errtext err = {.s = ""};
    char *self = exe_path();
    int r = o->socket ? bridge_join(o->socket, &err) : bridge_run(self, o->node, o->dir, &err);
    if (r < 0)
        fprintf(stderr, "stoker-agent: %s\n", err.s);
    free(self);
    return r < 0;
}

/* The shim lies beside the agent; where it does not, the agent is its own shim. */
static char *find_shim(const char **ret_mode)
{
    char *beside = exe_path_sibling("stoker-shim");
    *ret_mode = beside ? NULL : "shim";
    return beside ? beside : exe_path();
}

static uint32_t env_ms(const char *variable, uint32_t otherwise)
{
    const char *text = getenv(variable);
    int ms = text ? atoi(text) : 0;
    return ms > 0 ? (uint32_t)ms : otherwise;
}

/* Whether root's rights are for a launcher and not for us. */
static bool wants_launcher(struct options *o)
{
    if (geteuid() != 0 || o->account)
        return o->account != NULL;
    if (!o->controller)
        return false;
    if (!getpwnam(ACCOUNT)) {
        log_warn("there is no account " ACCOUNT
                 ": the agent keeps the rights of root. `stoker init --shared` "
                 "and `stoker init --node` make the account");
        return false;
    }
    static char account[] = ACCOUNT;
    o->account = account;
    return true;
}

/* Becomes it; returns where that fails. */
static void become_launcher(const struct options *o, int ready, int starter)
{
    char ready_text[16], starter_text[16], name[] = "stoker-launcher", none[] = "";
    snprintf(ready_text, sizeof ready_text, "%d", ready);
    snprintf(starter_text, sizeof starter_text, "%d", starter);
    char *argv[] = {name,
                    ready_text,
                    starter_text,
                    o->account,
                    o->node,
                    o->dir,
                    o->socket ? o->socket : none,
                    o->policy ? o->policy : none,
                    o->controller ? o->controller : none,
                    o->clients ? o->clients : none,
                    NULL};
    char *launcher = exe_path_sibling(name);
    if (ready >= 0)
        fcntl(ready, F_SETFD, 0);
    fcntl(starter, F_SETFD, 0);
    if (launcher)
        execv(launcher, argv);
    dprintf(starter, "stoker-agent: cannot start stoker-launcher: %s\n", strerror(errno));
    log_error("cannot start stoker-launcher: %s", strerror(errno));
    free(launcher);
}

static struct agent_config common_config(void)
{
    return (struct agent_config){.reader = "/proc/self/exe",
                                 .spool_keep_ms = env_ms(SPOOL_KEEP_VARIABLE, SPOOL_KEEP_MS),
                                 .stuck_ms = env_ms(STUCK_VARIABLE, STUCK_MS),
                                 .gpu_look_ms = env_ms(GPU_LOOK_VARIABLE, 0),
                                 .test_nvml = getenv(NVML_VARIABLE) != NULL};
}

static int main_agent_run(const struct agent_config *cfg)
{
    struct errtext err = {.s = ""};
    int r = agent_run(cfg, &err);
    if (r < 0) {
        dprintf(cfg->starter_fd, "stoker-agent: %s\n", err.s);
        log_error("%s", err.s);
    }
    /* A second agent is not a failure: what was asked for is there. */
    if (r == -EEXIST && cfg->ready_fd >= 0 && write(cfg->ready_fd, "", 1) != 1)
        r = -EPIPE;
    return r < 0 && r != -EEXIST;
}

/* NODE DIR POLICY CONTROLLER, as the launcher says them; "" for what is not given. */
static int run_launched(char **argv)
{
    struct agent_config cfg = common_config();
    log_open("stoker-agent", 2, LOG_LVL_INFO);
    for (int fd = LAUNCHED_RIGHTS_FD; fd <= LAUNCHED_LOCK_FD; fd++)
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    cfg.launched = true;
    cfg.node = argv[0];
    cfg.dir = argv[1];
    cfg.policy = *argv[2] ? argv[2] : NULL;
    cfg.controller = *argv[3] ? argv[3] : NULL;
    cfg.ready_fd = LAUNCHED_READY_FD;
    cfg.starter_fd = LAUNCHED_STARTER_FD;
    return main_agent_run(&cfg);
}

int main(int argc, char **argv)
{
    if (argc >= 3 && strcmp(argv[1], "shim") == 0)
        return shim_program(argc - 2, argv + 2);
    if (argc == 2 && strcmp(argv[1], GPU_SAMPLER_OPTION) == 0)
        return gpu_sampler_main(getenv(NVML_VARIABLE));
    if (argc == 3 && strcmp(argv[1], SPAWN_SERVER_OPTION) == 0)
        return spawn_server_main(argv[2]);
    if (argc == 3 && strcmp(argv[1], FILE_READER_OPTION) == 0) {
        log_open("stoker-agent", 2, LOG_LVL_INFO);
        return file_reader_main(argv[2]);
    }
    if (argc == 6 && strcmp(argv[1], LAUNCHED_OPTION) == 0)
        return run_launched(argv + 2);
    static struct options o;
    int exit_code;
    if (!parse(argc, argv, &o, &exit_code))
        return exit_code;
    if (o.bridge)
        return run_bridge(&o);
    int ready = -1;
    if (o.daemon && (ready = detach()) < 0) {
        perror("stoker-agent");
        return 1;
    }
    struct agent_config cfg = common_config();
    cfg.node = o.node;
    cfg.dir = o.dir;
    cfg.socket = o.socket;
    cfg.clients = o.clients;
    cfg.policy = o.policy;
    cfg.controller = o.controller;
    cfg.ready_fd = ready;
    char *shim = find_shim(&cfg.shim_mode);
    cfg.shim = shim;
    cfg.starter_fd = fcntl(2, F_DUPFD_CLOEXEC, 3);
    main_agent_open_log(&o);
    log_open("stoker-agent", 2, LOG_LVL_INFO);
    if (wants_launcher(&o)) {
        become_launcher(&o, ready, cfg.starter_fd);
        return 1;
    }
    int r = main_agent_run(&cfg);
    free(shim);
    return r;
}
