#include "backend/demo/demo.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backend/control/control.h"
#include "backend/demo/demo_users.h"
#include "backend/demo/model_node.h"
#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/conf/conf.h"
#include "src/conf/paths.h"
#include "src/os/clock.h"
#include "src/os/dirs.h"
#include "src/os/file.h"
#include "src/os/unixsock.h"

#define PAST_MS      (26 * INT64_C(3600000))
#define START_MS     1000 /* until its nodes are there */
#define BEAT_MS      60000
#define SAMPLE_MS    1000
#define DISK_MS      200 /* one wait for what is being written */
#define LONG_MS      30000
#define CREEP_NS     (20 * NS_PER_MS)
#define CREEP_MAX_NS (800 * NS_PER_MS) /* in all: less than a second */
#define OFFLINE_MIN  170               /* before the demo opens */
#define OFFLINE      "gpu04"

struct demo {
    struct demo_config cfg;
    char *dir, *config;
    struct control *control;
    VEC(struct model_node *) nodes;
    struct model_node *offline; /* it goes down some time before the demo opens; NULL: there is none */
    struct demo_users *users;
    struct loop_fd viewers;
    struct loop_timer go_offline;
    bool stopped;
};

/* --- nodes --- */

static void demo_on_begin(void *ctx, const struct launch *l, const char *step)
{
    struct demo *d = ctx;
    if (step && d->users)
        demo_users_start_step(d->users, l, step);
}

static void demo_on_offline(void *ctx)
{
    struct demo *d = ctx;
    model_node_go_down(d->offline);
}

static void demo_add_nodes(struct demo *d)
{
    struct demo_machine m;
    for (unsigned i = 0; demo_machine_get(d->cfg.size, i, &m) && !str_eq(m.name, DEMO_LOGIN); i++) {
        char *path = demo_agent_socket(d->dir, m.name);
        struct model_node_config cfg = {.loop = d->cfg.loop,
                                        .name = m.name,
                                        .path = path,
                                        .cpus = m.cpus,
                                        .gpus = m.gpus,
                                        .mem_mib = m.mem_mib,
                                        .seed = d->cfg.seed,
                                        .sample_ms = SAMPLE_MS,
                                        .on_begin = demo_on_begin,
                                        .ctx = d};
        struct model_node *n = model_node_new(&cfg);
        vec_push(&d->nodes, n);
        if (str_eq(m.name, OFFLINE))
            d->offline = n;
        free(path);
    }
}

/* --- viewers --- */

static void demo_on_viewer(void *ctx, unsigned ready)
{
    (void)ready;
    struct demo *d = ctx;
    int fd = accept4(d->viewers.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0)
        control_add_client(d->control, fd, DEMO_UID + DEMO_VIEWER);
}

static int demo_listen(struct demo *d, struct errtext *err)
{
    char *path = xasprintf("%s/run/controller.sock", d->dir);
    int fd = unixsock_listen(path, 0600, 64);
    if (fd < 0)
        err_set(err, fd, "cannot listen at %s: %s", path, strerror(-fd));
    free(path);
    if (fd < 0)
        return fd;
    d->viewers = (struct loop_fd){.fd = fd, .fn = demo_on_viewer, .ctx = d};
    loop_watch(d->cfg.loop, &d->viewers, LOOP_READ);
    return 0;
}

/* --- the clock --- */

static bool demo_is_ready(const struct demo *d, int timeout_ms)
{
    struct pollfd p = {.fd = loop_poll_fd(d->cfg.loop), .events = POLLIN};
    return poll(&p, 1, timeout_ms) > 0;
}

/* Until nothing more happens at this time. */
static void demo_settle(struct demo *d)
{
    bool settled = false;
    while (!settled) {
        loop_turn(d->cfg.loop, 0);
        bool due = loop_next_ns(d->cfg.loop) <= mono_read().ns;
        bool written = control_is_settled(d->control);
        settled = !due && !demo_is_ready(d, due || written ? 0 : DISK_MS) && written;
    }
}

void demo_play(struct demo *d, int64_t ms)
{
    int64_t end = mono_read().ns + ms * NS_PER_MS;
    demo_settle(d);
    while (mono_read().ns < end) {
        int64_t next = loop_next_ns(d->cfg.loop);
        demo_clock_advance(d->cfg.clock, (next < end ? next : end) - mono_read().ns);
        demo_settle(d);
    }
}

void demo_stop(struct demo *d)
{
    d->stopped = true;
}

/* A clock that stands still is moved by as little as it takes to answer: answers may wait for a timer of
 * some milliseconds. What is further away does not happen. */
static void demo_creep(struct demo *d, int64_t *crept_ns)
{
    int64_t ns;
    while ((ns = loop_next_ns(d->cfg.loop) - mono_read().ns) <= CREEP_NS && *crept_ns < CREEP_MAX_NS) {
        ns = ns > 0 ? ns : 0;
        demo_clock_advance(d->cfg.clock, ns);
        *crept_ns += ns;
        loop_turn(d->cfg.loop, 0);
    }
}

void demo_run(struct demo *d, uint32_t speed)
{
    int64_t crept_ns = 0;
    demo_clock_go(d->cfg.clock, speed);
    while (!d->stopped) {
        int64_t ns = loop_next_ns(d->cfg.loop) - mono_read().ns;
        int64_t ms = ns <= 0 ? 0 : speed ? (ns / speed + NS_PER_MS - 1) / NS_PER_MS : LONG_MS;
        demo_is_ready(d, (int)(ms < LONG_MS ? ms : LONG_MS));
        loop_turn(d->cfg.loop, 0);
        if (!speed)
            demo_creep(d, &crept_ns);
    }
}

/* --- all of it --- */

static int demo_reload(void *ctx, struct cluster_spec *ret, struct errtext *err)
{
    struct demo *d = ctx;
    return conf_parse("stoker.cfg", d->config, ret, err);
}

static int demo_make_dirs(const struct demo *d, struct errtext *err)
{
    static const char *const names[] = {"state", "run", "log", "nodes"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = xasprintf("%s/%s", d->dir, names[i]);
        int r = dirs_make(path, 0700, 0700);
        if (r < 0)
            err_set(err, r, "cannot make %s: %s", path, strerror(-r));
        free(path);
        if (r < 0)
            return r;
    }
    return 0;
}

/* For commands: the machine does not know these users. */
static int demo_write_users(const struct demo *d, struct errtext *err)
{
    struct str text = STR_INIT;
    char *path = xasprintf("%s/" DEMO_USERS_FILE, d->dir);
    uint32_t own = d->cfg.is_admin ? geteuid() : DEMO_UID + DEMO_VIEWER;
    str_appendf(&text, "%s %u\n", demo_name_of_uid(own), own);
    for (unsigned i = 0; i < DEMO_N_USERS; i++)
        str_appendf(&text, "%s %u\n", demo_user_name(i), DEMO_UID + i);
    int r = file_write(path, 0600, text.s);
    if (r < 0)
        err_set(err, r, "cannot write %s: %s", path, strerror(-r));
    free(path);
    str_fini(&text);
    return r;
}

static int demo_start_control(struct demo *d, struct errtext *err)
{
    struct cluster_spec spec;
    int r = demo_reload(d, &spec, err);
    if (r < 0)
        return r;
    char *state = xasprintf("%s/state", d->dir), *run = xasprintf("%s/run", d->dir),
         *log = xasprintf("%s/log", d->dir);
    char *socket = xasprintf("%s/%s", run, d->cfg.is_admin ? "controller.sock" : "administrator.sock");
    struct control_config cfg = {.state_dir = state,
                                 .run_dir = run,
                                 .log_dir = log,
                                 .socket = socket,
                                 .everyone = true, /* who reaches the folder */
                                 .host = DEMO_LOGIN,
                                 .spec = &spec,
                                 .reload = demo_reload,
                                 .reload_ctx = d,
                                 .user_name = demo_name_of_uid,
                                 .beat_ms = BEAT_MS};
    r = control_new(d->cfg.loop, &cfg, &d->control, err);
    free(state);
    free(run);
    free(log);
    free(socket);
    return r;
}

static int demo_begin_users(struct demo *d, struct errtext *err)
{
    int admin = -1;
    char *path = xasprintf("%s/run/%s", d->dir, d->cfg.is_admin ? "controller.sock" : "administrator.sock");
    admin = unixsock_connect(path, SOCK_NONBLOCK, 0);
    free(path);
    if (admin < 0)
        return err_set(err, admin, "the controller of the demo does not answer: %s", strerror(-admin));
    struct demo_users_config cfg = {.loop = d->cfg.loop,
                                    .control = d->control,
                                    .admin_fd = admin,
                                    .opens = d->cfg.at,
                                    .seed = d->cfg.seed,
                                    .size = d->cfg.size};
    d->users = demo_users_new(&cfg);
    return 0;
}

int demo_new(const struct demo_config *cfg, struct demo **ret, struct errtext *err)
{
    struct demo *d = xcalloc(1, sizeof *d);
    struct str text = STR_INIT;
    d->cfg = *cfg;
    d->dir = xstrdup(cfg->dir);
    d->viewers.fd = -1;
    demo_clock_init(cfg->clock, (struct wall){.ms = cfg->at.ms - PAST_MS});
    demo_cluster_config(cfg->size, d->dir, &text);
    d->config = str_take(&text);
    int r = demo_make_dirs(d, err);
    r = r == 0 ? demo_write_users(d, err) : r;
    if (r == 0) {
        demo_add_nodes(d);
        r = demo_start_control(d, err);
    }
    if (r == 0) {
        demo_play(d, START_MS);
        r = demo_begin_users(d, err);
    }
    if (r < 0) {
        demo_free(d);
        return r;
    }
    d->go_offline = (struct loop_timer){.fn = demo_on_offline, .ctx = d};
    if (d->offline)
        loop_timer_set(cfg->loop, &d->go_offline, PAST_MS - OFFLINE_MIN * INT64_C(60000));
    demo_play(d, PAST_MS);
    r = cfg->is_admin ? 0 : demo_listen(d, err);
    if (r < 0) {
        demo_free(d);
        return r;
    }
    *ret = d;
    return 0;
}

void demo_free(struct demo *d)
{
    if (!d)
        return;
    loop_timer_cancel(d->cfg.loop, &d->go_offline);
    if (d->viewers.fd >= 0) {
        loop_unwatch(d->cfg.loop, &d->viewers);
        close(d->viewers.fd);
    }
    demo_users_free(d->users);
    control_free(d->control);
    vec_for_each (&d->nodes, i)
        model_node_free(d->nodes.v[i]);
    vec_fini(&d->nodes);
    free(d->dir);
    free(d->config);
    free(d);
}
