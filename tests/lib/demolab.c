/* demolab.c - the screens of the demo in memory. */
#include "tests/lib/demolab.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/os/clock.h"
#include "src/os/clock_system.h"
#include "src/os/log.h"
#include "src/os/ulimit.h"
#include "src/values/time_parse.h"
#include "tests/lib/uilab.h"
#include "ui/frame/aside.h"

#define STEP_MS    10 /* of the cluster's clock, so that answers that wait for a timer come */
#define QUIET      4  /* steps without anything new */
#define STEPS_MAX  400
#define REMOVE_FDS 16

static struct demo_clock demolab_clock;
static bool demolab_runs;

struct mono demolab_mono(void)
{
    return demolab_runs ? demo_clock_mono(&demolab_clock) : clock_system_mono();
}

struct wall demolab_wall(void)
{
    return demolab_runs ? demo_clock_wall(&demolab_clock) : clock_system_wall();
}

/* --- messages --- */

static int demolab_send(void *ctx, enum msg_kind kind, const void *body, uint64_t *ret_tag)
{
    struct demolab *d = ctx;
    struct errtext err;
    int r = d->client ? client_send(d->client, kind, body, ret_tag, &err) : -ENOTCONN;
    if (r == 0 && kind == MSG_GET)
        client_take_rows(d->client, *ret_tag, &d->rows);
    return r;
}

static int demolab_take_rows(void *ctx, const void *p, size_t n, struct errtext *err)
{
    struct demolab *d = ctx;
    (void)err;
    follow_feed_rows(d->app, p, n);
    return 0;
}

/* Returns whether anything came. */
static bool demolab_take(struct demolab *d)
{
    struct incoming in;
    struct errtext err = {""};
    bool any = false;
    int r = client_flush(d->client, &err);
    while (r >= 0 && (r = client_next(d->client, 0, &in, &err)) > 0) {
        any = true;
        if (in.body)
            app_feed(d->app, &in);
        msg_free(in.kind, in.body);
    }
    if (r < 0)
        fail_msg("the demo does not answer: %s", err.s);
    return any;
}

static void demolab_set_time(struct demolab *d)
{
    app_set_time(d->app, wall_read(), mono_read());
}

static bool demolab_wake(struct demolab *d)
{
    struct pollfd fds[] = {{.fd = app_view_fd(d->app), .events = POLLIN},
                           {.fd = aside_fd(d->app), .events = POLLIN}};
    if (poll(fds, 2, 0) <= 0)
        return false;
    if (fds[0].revents)
        app_view_wake(d->app);
    if (fds[1].revents)
        aside_wake(d->app);
    return true;
}

/* Until all that was asked is answered. */
static void demolab_settle(struct demolab *d)
{
    for (int quiet = 0, n = 0; quiet < QUIET && n < STEPS_MAX; n++) {
        demo_play(d->demo, STEP_MS);
        demolab_set_time(d);
        bool any = demolab_take(d);
        any = demolab_wake(d) || any;
        if (app_next_ms(d->app) == 0)
            app_tick(d->app);
        while (app_work(d->app))
            any = true;
        quiet = any ? 0 : quiet + 1;
    }
}

void demolab_play(struct demolab *d, int64_t ms)
{
    for (int64_t left = ms; left > 0; left -= MS_PER_S) {
        demo_play(d->demo, left < MS_PER_S ? left : MS_PER_S);
        demolab_set_time(d);
        demolab_take(d);
        demolab_wake(d);
        app_tick(d->app);
    }
    demolab_settle(d);
}

/* --- its life --- */

static void demolab_start_demo(struct demolab *d, const char *at)
{
    struct errtext err = {""};
    struct wall when;
    /* In memory: each commit is waited for. */
    char dir[64];
    snprintf(dir, sizeof dir, "%s/stoker-demolab.XXXXXX",
             access("/dev/shm", W_OK | X_OK) ? "/tmp" : "/dev/shm");
    if (!mkdtemp(dir))
        fail_msg("%s: %s", dir, strerror(errno));
    if (wall_parse(at, clock_system_wall(), &when, &err) < 0)
        fail_msg("%s: %s", at, err.s);
    d->dir = xstrdup(dir);
    char *log = xasprintf("%s/demo.log", dir);
    d->log_fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    log_open("demolab", d->log_fd, LOG_LVL_INFO);
    free(log);
    ulimit_set(ULIMIT_NOFILE, ULIMIT_UNLIMITED);
    demo_clock_init(&demolab_clock, when);
    demolab_runs = true;
    d->loop = loop_new();
    struct demo_config cfg = {
        .dir = dir, .loop = d->loop, .clock = &demolab_clock, .at = when, .seed = 1, .size = DEMO_LAB};
    if (demo_new(&cfg, &d->demo, &err) < 0)
        fail_msg("%s", err.s);
}

static void demolab_connect(struct demolab *d)
{
    struct errtext err = {""};
    setenv("STOKER_HOME", d->dir, 1);
    unsetenv("STOKER_SOCKET");
    if (client_connect("stoker-ui", CLIENT_EAGER, &d->client, &err) < 0)
        fail_msg("%s", err.s);
    client_set_nonblocking(d->client);
    for (int n = 0; !client_welcome(d->client) && n < STEPS_MAX; n++) {
        demo_play(d->demo, STEP_MS);
        demolab_set_time(d);
        demolab_take(d);
    }
    assert_non_null(client_welcome(d->client));
    follow_connected(d->app, client_welcome(d->client));
    demolab_settle(d);
}

void demolab_open(struct demolab *d, const char *at)
{
    setenv("TZ", "UTC", 1);
    tzset();
    *d = (struct demolab){.log_fd = -1};
    demolab_start_demo(d, at);
    d->rows = (struct client_rows){.take = demolab_take_rows, .ctx = d};
    theme_init(&d->theme, COLORS_TRUE);
    canvas_init(&d->canvas);
    keymap_init(&d->options.keys);
    d->options.prefs = &d->prefs;
    d->options.cwd = "/home/alice/study";
    d->options.send = demolab_send;
    d->options.ctx = d;
    d->app = app_new(&d->options);
    demolab_set_time(d);
    demolab_connect(d);
}

static int demolab_remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    return remove(path);
}

void demolab_close(struct demolab *d)
{
    app_free(d->app);
    client_free(d->client);
    demo_free(d->demo);
    loop_free(d->loop);
    demolab_runs = false;
    nftw(d->dir, demolab_remove_one, REMOVE_FDS, FTW_DEPTH | FTW_PHYS);
    if (d->log_fd >= 0)
        close(d->log_fd);
    prefs_fini(&d->prefs);
    canvas_fini(&d->canvas);
    free(d->dir);
}

/* --- keys and pictures --- */

void demolab_keys(struct demolab *d, const char *keys)
{
    struct input in;
    while (uilab_next_key(&keys, &in)) {
        demolab_set_time(d);
        app_input(d->app, &in);
        demolab_settle(d);
        demolab_draw(d, 43, 132); /* what a picture asks for */
        demolab_settle(d);
    }
}

void demolab_draw(struct demolab *d, int rows, int cols)
{
    canvas_resize(&d->canvas, rows, cols);
    app_draw(d->app, &d->canvas);
}

void demolab_picture(struct demolab *d, const char *name, int rows, int cols)
{
    demolab_draw(d, rows, cols); /* its size may ask for more */
    demolab_settle(d);
    struct picture p = {.name = name, .theme = &d->theme, .rows = rows, .cols = cols};
    uilab_app_picture(d->app, &d->canvas, &p);
}
