/* sim_world.c - builds the cluster of a seed, drives the clock, and lets things go wrong.
 *
 * A world has two parts: a number of virtual minutes in which faults come at exponential intervals, then
 * none, until every job has ended. What kinds of faults there are, and how often, follows from the seed, so
 * that some worlds have one kind alone and some are quiet for long.
 */
#include "tests/vopr/sim_world.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "backend/control/control.h"
#include "src/base/str.h"
#include "src/base/vec.h"
#include "src/conf/conf.h"
#include "tests/vopr/ledger.h"
#include "tests/vopr/sim.h"
#include "tests/vopr/sim_agent.h"
#include "tests/vopr/sim_client.h"
#include "tests/vopr/sim_net.h"
#include "tests/vopr/sim_vfs.h"
#include "tests/vopr/sim_worker.h"

#define NODES_MAX     5
#define CLIENTS       3
#define SOCKET        "controller.sock"
#define STATE         "state"
#define KILL_WAIT_S   10
#define MINUTE_MS     60000
#define PATIENCE_MS   (90 * MINUTE_MS) /* virtual: without faults every job has ended by then */
#define VERSIONS_MAX  8
#define WRITE_BACK_MS 35000 /* the kernel writes what is not synced after so long */

struct version { /* of a small file that is not synced */
    char *text;  /* NULL: it was not there */
    size_t n;
    int64_t over_ms; /* since when there is a newer one */
};

struct small_file {
    const char *path;
    struct version v[VERSIONS_MAX];
    unsigned n;
};

/* Mean milliseconds between two of a kind; 0: there are none. */
struct weather {
    int64_t crash, net, agent, disk, pause, clock;
    unsigned power_per_mille;  /* of crashes */
    unsigned damage_per_mille; /* of the others */
    unsigned stuck_per_mille;
    bool late_disk;
};

struct world {
    struct loop *loop; /* the controller's; NULL: it is not running */
    struct control *control;
    int64_t paused_ns; /* it is stopped until then */
    char *config;
    unsigned n_nodes;
    uint32_t max_cpus, max_gpus;
    struct sim_agent *agents[NODES_MAX];
    struct sim_client *clients[CLIENTS], *auditor, *follower, *own_follower;
    struct weather weather;
    struct small_file mark, lineage;
    bool was_damaged; /* before this start */
    bool mark_is_old; /* no commit since a power failure: damage to the log cannot be noticed */
    bool accepts_loss;
    bool has_accepted; /* and no start since has gone well by itself */
    struct loop_timer start, crash, net, agent, disk, disk_over, pause, clock;
    struct world_result count;
};

static struct world w;

/* --- files --- */

static char *read_file(const char *path, size_t *ret_n)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    bug_on(fstat(fd, &st) < 0);
    char *p = xmalloc((size_t)st.st_size + 1);
    bug_on(read(fd, p, (size_t)st.st_size) != st.st_size);
    close(fd);
    *ret_n = (size_t)st.st_size;
    return p;
}

/* p NULL: there is none afterwards. */
static void write_file(const char *path, const char *p, size_t n)
{
    unlink(path);
    if (!p)
        return;
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    bug_on(fd < 0 || write(fd, p, n) != (ssize_t)n);
    close(fd);
}

static void empty_dir(const char *dir)
{
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));) {
        char *path = xasprintf("%s/%s", dir, e->d_name);
        if (e->d_name[0] != '.' && unlink(path) < 0) {
            empty_dir(path);
            rmdir(path);
        }
        free(path);
    }
    if (d)
        closedir(d);
}

void world_clear(void)
{
    empty_dir(".");
}

/* What a power failure may bring back of a file that is written and not waited for. Returns whether it has
 * changed. */
static bool note_version(struct small_file *f)
{
    struct version now = {0}, *last = f->n ? &f->v[(f->n - 1) % VERSIONS_MAX] : NULL;
    now.text = read_file(f->path, &now.n);
    bool same = last && !last->text == !now.text && last->n == now.n &&
                (!now.n || memcmp(last->text, now.text, now.n) == 0);
    if (same) {
        free(now.text);
        return false;
    }
    if (last)
        last->over_ms = sim_now_ms();
    struct version *v = &f->v[f->n++ % VERSIONS_MAX];
    free(v->text);
    *v = now;
    return true;
}

static void note_versions(void)
{
    w.mark_is_old = !note_version(&w.mark) && w.mark_is_old;
    note_version(&w.lineage);
}

/* It is on disk: no earlier version comes back. */
static void note_synced(struct small_file *f)
{
    note_version(f);
    for (unsigned i = 0; i < VERSIONS_MAX; i++)
        f->v[i].over_ms = i == (f->n - 1) % VERSIONS_MAX ? f->v[i].over_ms : INT64_MIN / 2;
}

/* In place of the C library's, for the mark; SQLite's files are those of sim_vfs. */
int fdatasync(int fd)
{
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    if (str_ends(path, "/" STATE "/mark"))
        note_synced(&w.mark);
    return (int)syscall(SYS_fdatasync, fd);
}

static void lose_version(struct small_file *f)
{
    unsigned n = f->n < VERSIONS_MAX ? f->n : VERSIONS_MAX;
    unsigned back = n ? sim_below(n) : 0;
    while (back && f->v[(f->n - 1 - back) % VERSIONS_MAX].over_ms + WRITE_BACK_MS < sim_now_ms())
        back--;
    const struct version *v = n ? &f->v[(f->n - 1 - back) % VERSIONS_MAX] : NULL;
    if (v)
        write_file(f->path, v->text, v->n);
}

static void free_versions(struct small_file *f)
{
    for (unsigned i = 0; i < VERSIONS_MAX; i++)
        free(f->v[i].text);
    *f = (struct small_file){.path = f->path};
}

/* --- the controller --- */

static int reload(void *ctx, struct cluster_spec *ret, struct errtext *err)
{
    (void)ctx;
    return conf_parse("stoker.cfg", w.config, ret, err);
}

/* No thread asks a name service here: it would not be simulated. */
static const char *name_of_user(uint32_t uid)
{
    return uid == 0 ? "root" : uid == geteuid() ? "self" : NULL;
}

static int try_start(bool accept_loss, struct errtext *err)
{
    struct cluster_spec spec;
    bug_on(reload(NULL, &spec, err) < 0);
    struct control_config cfg = {.state_dir = STATE,
                                 .run_dir = ".",
                                 .log_dir = ".",
                                 .socket = SOCKET,
                                 .host = "here",
                                 .accept_loss = accept_loss,
                                 .spec = &spec,
                                 .reload = reload,
                                 .user_name = name_of_user};
    sim_vfs_revive();
    /* Some starts end before they are complete. */
    if (!accept_loss && w.weather.crash && sim_chance(30))
        sim_vfs_die_after(1 + sim_below(40));
    sim.in_controller = true;
    sim.read_cost_ns = sim_between(100, 20000);
    w.loop = loop_new();
    int r = control_new(w.loop, &cfg, &w.control, err);
    sim.in_controller = false;
    if (r < 0) {
        loop_free(w.loop);
        w.loop = NULL;
        w.control = NULL;
    }
    note_versions();
    return r;
}

/* Frees what the process had. Nothing of that reaches a file or a socket. */
static void bury(void)
{
    struct small_file *small[] = {&w.mark, &w.lineage};
    note_versions();
    sim_vfs_die_after(0);
    net_controller_died();
    if (w.control) {
        sim.in_controller = true;
        control_free(w.control);
        sim.in_controller = false;
        loop_free(w.loop);
    }
    w.control = NULL;
    w.loop = NULL;
    for (size_t i = 0; i < 2; i++) {
        const struct version *v = &small[i]->v[(small[i]->n - 1) % VERSIONS_MAX];
        write_file(small[i]->path, v->text, v->n);
    }
    net_collect();
}

/* --- damage --- */

static const char *const state_files[] = {STATE "/stoker.db",  STATE "/stoker.db-wal",
                                          STATE "/mark",       STATE "/lineage",
                                          STATE "/history.db", STATE "/history.db-wal"};
#define N_STATE_FILES (sizeof state_files / sizeof *state_files)

static struct version backup[N_STATE_FILES];

static void take_backup(void)
{
    for (size_t i = 0; i < N_STATE_FILES; i++) {
        free(backup[i].text);
        backup[i] = (struct version){0};
        backup[i].text = read_file(state_files[i], &backup[i].n);
    }
}

static void put_backup_back(void)
{
    for (size_t i = 0; i < N_STATE_FILES; i++)
        write_file(state_files[i], backup[i].text, backup[i].n);
    sim_vfs_take_as_found();
}

static void damage(void)
{
    static const char *const kinds[] = {"the database is empty", "the database is gone", "the log is gone",
                                        "the log is cut", "a byte of the log differs"};
    const char *db = state_files[0], *log = state_files[1];
    size_t n = 0;
    char *text = read_file(log, &n);
    uint32_t kind = sim_below(5);
    take_backup();
    if (kind == 0)
        write_file(db, "", 0);
    else if (kind == 1 || kind == 2)
        unlink(kind == 1 ? db : log);
    else if (kind == 3 && n)
        write_file(log, text, sim_below((uint32_t)n));
    else if (n) {
        text[sim_below((uint32_t)n)] ^= (char)(1u << sim_below(8));
        write_file(log, text, n);
    }
    free(text);
    sim_note("damage: %s", kinds[kind]);
    sim_vfs_take_as_found();
    w.was_damaged = true;
    w.count.damages++;
}

/* --- its death and its start --- */

static void start_later(void)
{
    loop_timer_set(sim.world, &w.start, sim_between(50, sim_chance(200) ? 60000 : 3000));
}

static void crash(bool loses_power)
{
    sim_note("the controller %s", loses_power ? "loses power" : "is killed");
    bury();
    w.count.crashes++;
    if (loses_power) {
        w.count.power_losses++;
        sim_vfs_lose_power();
        lose_version(&w.mark);
        lose_version(&w.lineage);
        note_versions();
        w.mark_is_old = true;
    } else if (!w.was_damaged && !w.mark_is_old && sim_chance(w.weather.damage_per_mille) &&
               access(state_files[0], F_OK) == 0) {
        damage();
    }
    start_later();
}

static void stop_well(void)
{
    sim_note("the controller is stopped");
    sim.in_controller = true;
    control_free(w.control);
    sim.in_controller = false;
    loop_free(w.loop);
    w.control = NULL;
    w.loop = NULL;
    net_controller_died();
    note_versions();
    start_later();
}

/* What an administrator does about a state whose loss was accepted before, where the controller was killed
 * before its first commit. Returns as try_start. */
static int accept_remains(int r, struct errtext *err)
{
    if (r != -EUCLEAN || w.was_damaged || !w.has_accepted)
        return r;
    sim_note("the administrator says to go on");
    return try_start(true, err);
}

/* Damage that was noticed is a good end, too: the files are put back, or what is lost is given up. */
static int accept_damage(int r, struct errtext *err)
{
    if (r != -EUCLEAN && r != -ENOENT)
        sim_fail("the controller does not say that the state is damaged: %s", err->s);
    if (r != -EUCLEAN || !w.accepts_loss || sim_chance(700))
        return r;
    sim_note("the administrator accepts the loss");
    r = try_start(true, err);
    w.has_accepted = r == 0;
    if (r == 0)
        ledger_accept_loss();
    else
        sim_note("not even so: %s", err->s);
    return r;
}

static void on_start(void *ctx)
{
    (void)ctx;
    struct errtext err = {""};
    int r = try_start(false, &err);
    if (sim_vfs_is_dead()) {
        sim_note("the controller dies at its start");
        crash(sim_chance(w.weather.power_per_mille));
        return;
    }
    sim_note("the controller starts: %s", r < 0 ? err.s : "it runs");
    w.has_accepted = w.has_accepted && r < 0;
    r = accept_remains(r, &err);
    if (r < 0 && !w.was_damaged)
        sim_fail("the controller does not start on what a crash has left: %s", err.s);
    if (r < 0)
        r = accept_damage(r, &err);
    w.was_damaged = false;
    if (r < 0) {
        put_backup_back();
        start_later();
    }
}

/* --- what goes wrong --- */

static void again(struct loop_timer *t, int64_t mean_ms)
{
    if (mean_ms)
        loop_timer_set(sim.world, t, sim_exponential(mean_ms));
}

static void on_crash(void *ctx)
{
    (void)ctx;
    again(&w.crash, w.weather.crash);
    if (!w.control)
        return;
    uint32_t dice = sim_below(10);
    if (dice == 0)
        stop_well();
    else if (dice < 5) /* in the middle of what it writes next */
        sim_vfs_die_after(1 + sim_below(30));
    else
        crash(sim_chance(w.weather.power_per_mille));
}

static void on_net(void *ctx)
{
    (void)ctx;
    again(&w.net, w.weather.net);
    net_disturb();
    if (sim_chance(200)) {
        int64_t most_us = sim_chance(700) ? 2000 : 2000000;
        net_set_delay(20, most_us);
    }
}

static void on_agent(void *ctx)
{
    (void)ctx;
    again(&w.agent, w.weather.agent);
    struct sim_agent *a = w.agents[sim_below(w.n_nodes)];
    uint32_t dice = sim_below(100);
    if (dice < 40) {
        sim_agent_kill(a, sim_exponential(3000));
    } else if (dice < 55) {
        sim_agent_reboot(a, sim_between(5000, 180000));
        w.count.reboots++;
    } else if (dice < 80) {
        sim_agent_freeze(a, sim_exponential(20000));
    } else {
        sim_agent_set_spool_full(a, sim_chance(500));
    }
}

static void on_disk_over(void *ctx)
{
    (void)ctx;
    sim_note("the disk is good again");
    sim_vfs_set_fault(DISK_GOOD);
    sim_worker_set_pace(0, 2);
}

static void on_disk(void *ctx)
{
    (void)ctx;
    uint32_t dice = sim_below(4);
    again(&w.disk, w.weather.disk);
    sim_note("the disk %s", dice == 0   ? "is slow"
                            : dice == 1 ? "is full"
                            : dice == 2 ? "fails"
                                        : "syncs not");
    if (dice == 0)
        sim_worker_set_pace(50, 5000);
    else
        sim_vfs_set_fault((enum sim_disk_fault)dice);
    loop_timer_set(sim.world, &w.disk_over, sim_exponential(10000));
    /* A machine whose disk fails is often switched off before the disk is good again. */
    if (dice && w.weather.crash && sim_chance(300))
        loop_timer_set(sim.world, &w.crash, sim_exponential(5000));
}

static void on_pause(void *ctx)
{
    (void)ctx;
    int64_t ms = sim_exponential(20000);
    again(&w.pause, w.weather.pause);
    sim_note("the controller stands still for %d ms", (int)ms);
    w.paused_ns = sim.now_ns + ms * NS_PER_MS;
}

static void on_clock(void *ctx)
{
    (void)ctx;
    again(&w.clock, w.weather.clock);
    sim.skew_ms = sim_chance(500) ? 0 : sim_between(-3600000, 3600000);
    sim_note("the wall clock is set: %d s off", (int)(sim.skew_ms / 1000));
}

static int64_t one_of(const int64_t *seconds, size_t n)
{
    return seconds[sim_below((uint32_t)n)] * 1000;
}
#define ONE_OF(...) \
    one_of((const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static void choose_weather(void)
{
    struct weather *x = &w.weather;
    *x = (struct weather){.crash = ONE_OF(0, 10, 30, 30, 120),
                          .net = ONE_OF(0, 2, 10, 60),
                          .agent = ONE_OF(0, 15, 60, 300),
                          .disk = ONE_OF(0, 0, 60, 300),
                          .pause = ONE_OF(0, 0, 120),
                          .clock = ONE_OF(0, 0, 0, 200),
                          .power_per_mille = sim_chance(600) ? 500 : 0,
                          .damage_per_mille = sim_chance(400) ? 300 : 0,
                          .stuck_per_mille = sim_chance(300) ? 50 : 0};
    w.accepts_loss = sim_chance(300);
}

static void set_timers(void)
{
    static const struct {
        size_t at;
        loop_fn fn;
    } timers[] = {
        {offsetof(struct world, start), on_start}, {offsetof(struct world, crash), on_crash},
        {offsetof(struct world, net), on_net},     {offsetof(struct world, agent), on_agent},
        {offsetof(struct world, disk), on_disk},   {offsetof(struct world, disk_over), on_disk_over},
        {offsetof(struct world, pause), on_pause}, {offsetof(struct world, clock), on_clock}};
    for (size_t i = 0; i < sizeof timers / sizeof *timers; i++)
        ((struct loop_timer *)(void *)((char *)&w + timers[i].at))->fn = timers[i].fn;
    again(&w.crash, w.weather.crash);
    again(&w.net, w.weather.net);
    again(&w.agent, w.weather.agent);
    again(&w.disk, w.weather.disk);
    again(&w.pause, w.weather.pause);
    again(&w.clock, w.weather.clock);
}

/* From here on all is well. */
static void calm_down(void)
{
    sim_note("no more faults");
    w.weather = (struct weather){0};
    struct loop_timer *timers[] = {&w.crash, &w.net, &w.agent, &w.disk, &w.disk_over, &w.pause, &w.clock};
    for (size_t i = 0; i < sizeof timers / sizeof *timers; i++)
        loop_timer_cancel(sim.world, timers[i]);
    on_disk_over(NULL);
    sim_vfs_die_after(0);
    if (w.control)
        crash(false);
    sim.skew_ms = 0;
    net_set_delay(20, 500);
    net_calm();
    for (unsigned i = 0; i < w.n_nodes; i++) {
        sim_agent_set_spool_full(w.agents[i], false);
        sim_agent_set_stuck(w.agents[i], 0);
    }
    for (unsigned i = 0; i < CLIENTS; i++)
        sim_client_wind_down(w.clients[i]);
}

/* --- the cluster --- */

static void build(void)
{
    struct str cfg = STR_INIT;
    w.n_nodes = 1 + sim_below(NODES_MAX);
    bool leases = sim_chance(400);
    /* Each start makes the file that a full disk gives up: a small one. */
    str_appendf(&cfg,
                "kill_wait = \"%ds\"; node_timeout = \"%us\"; lost_node = \"%s\"; lease_time = \"%us\";\n"
                "min_job_age = \"%us\"; disk_reserve = \"4M\";\nnodes = (\n",
                KILL_WAIT_S, 20 + 10 * sim_below(5), leases ? "lease" : "hold", 30 + 15 * sim_below(6),
                30 + sim_below(300));
    for (unsigned i = 0; i < w.n_nodes; i++) {
        uint32_t cpus = 2 + sim_below(7), gpus = sim_below(5);
        char name[16], path[32];
        snprintf(name, sizeof name, "n%u", i + 1);
        snprintf(path, sizeof path, "n%u.sock", i + 1);
        str_appendf(&cfg,
                    "%s { name = \"%s\"; transport = \"local\"; agent_socket = \"%s\"; cpus = %u; gpus = "
                    "%u; memory = \"64G\"; detect = false; }\n",
                    i ? "," : "", name, path, cpus, gpus);
        w.agents[i] = sim_agent_new(name, path, cpus, gpus, KILL_WAIT_S);
        sim_agent_set_stuck(w.agents[i], w.weather.stuck_per_mille);
        w.max_cpus = cpus > w.max_cpus ? cpus : w.max_cpus;
        w.max_gpus = gpus > w.max_gpus ? gpus : w.max_gpus;
    }
    str_append(&cfg, ");\n");
    w.config = str_take(&cfg);
    for (unsigned i = 0; i < CLIENTS; i++) {
        w.clients[i] = sim_client_new(SOCKET, CLIENT_WORKS, 200 + 500 * sim_below(10));
        sim_client_set_cluster(w.clients[i], w.n_nodes, w.max_cpus, w.max_gpus);
    }
    w.auditor = sim_client_new(SOCKET, CLIENT_AUDITS, 30000);
    w.follower = sim_client_new(SOCKET, CLIENT_FOLLOWS, 5 * MINUTE_MS);
    w.own_follower = sim_client_new(SOCKET, CLIENT_FOLLOWS_OWN, 20000);
}

static void tear_down(void)
{
    if (w.control)
        bury();
    for (unsigned i = 0; i < CLIENTS; i++)
        sim_client_free(w.clients[i]);
    sim_client_free(w.auditor);
    sim_client_free(w.follower);
    sim_client_free(w.own_follower);
    for (unsigned i = 0; i < w.n_nodes; i++)
        sim_agent_free(w.agents[i]);
    net_reset();
    sim_vfs_reset();
    free_versions(&w.mark);
    free_versions(&w.lineage);
    free(w.config);
    for (size_t i = 0; i < N_STATE_FILES; i++) {
        free(backup[i].text);
        backup[i] = (struct version){0};
    }
}

/* --- the clock --- */

static void controller_turn(void)
{
    sim.in_controller = true;
    loop_turn(w.loop, 0);
    sim.in_controller = false;
    sim.now_ns += sim_between(1000, 200000);
    net_collect();
}

/* What is due next, and the clock moved to it. */
static void step(int64_t until_ns)
{
    bool runs = w.control && w.paused_ns <= sim.now_ns;
    int64_t next = loop_next_ns(sim.world);
    if (runs && (loop_next_ns(w.loop) <= sim.now_ns || sim_loop_is_ready(w.loop))) {
        controller_turn();
        next = loop_next_ns(sim.world);
    } else {
        int64_t own = runs ? loop_next_ns(w.loop) : w.control ? w.paused_ns : INT64_MAX;
        int64_t at = next < own ? next : own;
        at = at < until_ns ? at : until_ns;
        sim.now_ns = at > sim.now_ns ? at : sim.now_ns;
    }
    if (next <= sim.now_ns)
        loop_turn(sim.world, 0);
    if (sim_vfs_is_dead() && w.control)
        crash(sim_chance(w.weather.power_per_mille));
}

static bool is_over(void)
{
    for (unsigned i = 0; i < CLIENTS; i++)
        if (!sim_client_is_settled(w.clients[i]))
            return false;
    for (unsigned i = 0; i < w.n_nodes; i++)
        if (sim_agent_n_tasks(w.agents[i]))
            return false;
    return !ledger_n_open() && !ledger_audit_n_open();
}

static void run_until(int64_t ms, bool until_over)
{
    int64_t end_ns = sim.now_ns + ms * NS_PER_MS;
    unsigned audits = ledger_n_audits();
    while (sim.now_ns < end_ns) {
        step(end_ns);
        if (until_over && ledger_n_audits() > audits) {
            audits = ledger_n_audits();
            if (is_over())
                return;
        }
    }
    if (!until_over)
        return;
    for (unsigned i = 0; i < w.n_nodes; i++)
        sim_note("n%u: %u tasks", i + 1, sim_agent_n_tasks(w.agents[i]));
    sim_fail(
        "%d minutes after the last fault %u submissions have not ended, by the last audit these jobs:%s",
        PATIENCE_MS / MINUTE_MS, ledger_n_open(), ledger_open_text());
}

void world_play(uint64_t seed, struct world_result *ret)
{
    sim_begin(seed);
    w = (struct world){.mark = {.path = STATE "/mark"}, .lineage = {.path = STATE "/lineage"}};
    world_clear();
    sim_vfs_reset();
    ledger_begin();
    sim_worker_set_pace(0, 2);
    sim_worker_on_step(note_versions);
    net_set_delay(20, 500);
    choose_weather();
    build();
    set_timers();
    loop_timer_set(sim.world, &w.start, 1);
    run_until(sim_between(5, 30) * MINUTE_MS, false);
    calm_down();
    run_until(PATIENCE_MS, true);
    *ret = w.count;
    ret->hash = sim.hash;
    ret->virtual_ms = sim_now_ms();
    ret->submissions = ledger_n_submitted();
    ret->runs = ledger_n_runs();
    ret->audits = ledger_n_audits();
    ret->compared = ledger_n_compared();
    tear_down();
    ledger_end();
    sim_end();
}
