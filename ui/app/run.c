/* run.c - the loop around the frame: waits for the terminal, the controller and the clock only.
 *
 * While nothing happens and no clock is on the screen, it sleeps until the next heartbeat to the
 * controller.
 */
#include "ui/app/run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/client/client_remote.h"
#include "src/lang/lang.h"
#include "src/os/clock.h"
#include "src/os/exe_path.h"
#include "ui/app/app.h"
#include "ui/app/connector.h"
#include "ui/app/first_run.h"
#include "ui/app/run_signals.h"
#include "ui/app/saver.h"
#include "ui/app/settings_reload.h"
#include "ui/app/theme_choice.h"
#include "ui/frame/aside.h"
#include "ui/frame/later.h"
#include "ui/frame/mirror_follow.h"
#include "ui/frame/outbox.h"
#include "ui/term/term.h"
#include "ui/term/term_caps.h"

_Static_assert(UI_COPY_MAX <= TERM_COPY_MAX, "what is copied is not cut");

#define FRAME_MS     16 /* minimum between two pictures; longer if a picture is expensive */
#define FRAME_MAX_MS 80
#define FEED_MS      25 /* of messages before the keyboard is read again */
#define HEARTBEAT_MS 15000
#define SILENCE_MS   40000 /* no reply for this long: the connection is closed */
#define GOODBYE_MS   400   /* to send the rest at the end */
#define SAVING_MS    2000  /* to write the rest at the end */
#define SKEW_MS      2000  /* clocks that differ by more than this are corrected for the display */

struct ui_loop {
    struct term *term;
    struct theme theme;
    struct canvas canvas;
    struct ui *app;
    struct connector *connector;
    struct client *client;
    int signals;
    struct client_rows rows; /* where those of a snapshot go */
    int64_t skew_ms;         /* the controller's clock minus ours */
    struct wall demo_wall;   /* with settings.clock_speed: the controller's clock ... */
    struct mono demo_mono;   /* ... at that moment; unset: it has not been heard */
    int tries;
    bool far;                 /* the controller is reached through ssh */
    bool wants_start, starts; /* the next attempt may start a controller; this one may */
    struct mono retry_at;     /* 0: no attempt is due */
    struct mono heard, pinged, drawn;
    int64_t draw_cost_ms;
    bool mouse, quit;
    int ended_by;       /* a signal read through the descriptor, which ends the process; 0: none */
    bool takes_signals; /* TERM and HUP are read through a descriptor */
    bool more_messages; /* there may be some among the bytes that have been read already */
    struct prefs prefs;
    char *prefs_path;
    struct saver saver;
    const struct settings *settings; /* those of the start, or own */
    struct settings own;             /* as they were read since */
    struct theme_choice themes;
    struct reload reload;
    struct errtext start_err; /* why no controller could be started; "": it could, or was not tried */
};

static int64_t loop_ms_since(struct mono from)
{
    return (mono_read().ns - from.ns) / NS_PER_MS;
}

static void loop_set_time(struct ui_loop *l)
{
    struct wall now = wall_read();
    now.ms += l->skew_ms;
    if (l->demo_mono.ns)
        now.ms = l->demo_wall.ms + loop_ms_since(l->demo_mono) * l->settings->clock_speed;
    app_set_time(l->app, now, mono_read());
}

/* --- the controller --- */

static int send_message(void *ctx, enum msg_kind kind, const void *body, uint64_t *ret_tag)
{
    struct ui_loop *l = ctx;
    struct errtext err;
    int rc = l->client ? client_send(l->client, kind, body, ret_tag, &err) : -ENOTCONN;
    if (rc == 0 && kind == MSG_GET)
        client_take_rows(l->client, *ret_tag, &l->rows);
    return rc;
}

static int loop_take_rows(void *ctx, const void *p, size_t n, struct errtext *err)
{
    struct ui_loop *l = ctx;
    (void)err;
    follow_feed_rows(l->app, p, n);
    return 0;
}

static void loop_try_later(struct ui_loop *l)
{
    static const int pauses_ms[] = {200, 500, 1000, 2000, 5000};
    static const int far_pauses_ms[] = {1000, 2000, 5000, 10000, 15000}; /* each is a login */
    const int *pauses = l->far ? far_pauses_ms : pauses_ms;
    int last = (int)(sizeof pauses_ms / sizeof pauses_ms[0]) - 1;
    l->retry_at = mono_add_ms(mono_read(), l->wants_start ? 0 : pauses[l->tries < last ? l->tries : last]);
    l->tries++;
}

static void loop_lost(struct ui_loop *l, const char *why)
{
    struct client *c = l->client;
    l->client = NULL;
    follow_lost(l->app, why);
    client_free(c);
    loop_try_later(l);
}

static void begin_attempt(struct ui_loop *l)
{
    l->retry_at = (struct mono){0};
    l->starts = l->wants_start;
    l->wants_start = false;
    /* Only a key starts a controller: looking at the screens must not. */
    connector_start(l->connector, CLIENT_SILENT | (l->starts ? CLIENT_UP : 0));
    follow_connecting(l->app, l->starts       ? tr("starting")
                              : l->tries == 0 ? tr("connecting")
                                              : tr("connecting again"));
}

/* c is connected. */
static void loop_take_client(struct ui_loop *l, struct client *c)
{
    l->client = c;
    l->tries = 1;
    l->start_err.s[0] = '\0';
    client_set_nonblocking(c);
    int64_t skew = client_welcome(c)->now.ms - wall_read().ms;
    l->skew_ms = skew > SKEW_MS || skew < -SKEW_MS ? skew : 0;
    l->heard = mono_read();
    if (l->settings->clock_speed != 1) {
        l->demo_wall = client_welcome(c)->now;
        l->demo_mono = l->heard;
    }
    l->pinged = (struct mono){0};
    loop_set_time(l);
    follow_connected(l->app, client_welcome(c));
}

static void end_attempt(struct ui_loop *l)
{
    struct errtext err = {""};
    struct client *c = NULL;
    int rc = connector_take(l->connector, &c, &err);
    if (rc == 0)
        return;
    bool tried = l->starts;
    l->starts = false;
    if (rc < 0) {
        /* The reason why it could not be started is more useful than that none runs. */
        if (tried)
            l->start_err = err;
        if (!tried && (rc == -ENOENT || rc == -ECONNREFUSED))
            first_run_offer_start(l->settings, &err);
        follow_lost(l->app, *l->start_err.s ? l->start_err.s : err.s);
        l->tries = l->tries ? l->tries : 1;
        loop_try_later(l);
        return;
    }
    loop_take_client(l, c);
}

static void read_messages(struct ui_loop *l)
{
    struct mono begin = mono_read();
    l->more_messages = false;
    while (l->client && !l->more_messages) {
        struct incoming in;
        struct errtext err = {""};
        int rc = client_next(l->client, 0, &in, &err);
        if (rc < 0) {
            loop_lost(l, err.s);
            return;
        }
        if (rc == 0)
            return;
        l->heard = mono_read();
        if (in.body) /* rows of a snapshot were taken above */
            app_feed(l->app, &in);
        msg_free(in.kind, in.body);
        l->more_messages = loop_ms_since(begin) >= FEED_MS;
    }
}

static void flush_messages(struct ui_loop *l)
{
    struct errtext err = {""};
    if (l->client && client_wants_write(l->client) && client_flush(l->client, &err) < 0)
        loop_lost(l, err.s);
}

/* On exit the queued requests are still sent, within a short time. */
static void send_rest(struct ui_loop *l)
{
    struct mono begin = mono_read();
    while (l->client && client_wants_write(l->client) && loop_ms_since(begin) < GOODBYE_MS) {
        struct pollfd fd = {.fd = client_fd(l->client), .events = POLLOUT};
        if (poll(&fd, 1, GOODBYE_MS / 4) < 0)
            return;
        flush_messages(l);
    }
}

static void heartbeat(struct ui_loop *l)
{
    if (!l->client || loop_ms_since(l->heard) < HEARTBEAT_MS)
        return;
    if (loop_ms_since(l->heard) > SILENCE_MS) {
        loop_lost(l, tr("the controller does not answer"));
    } else if (l->pinged.ns <= l->heard.ns) {
        uint64_t tag;
        struct errtext err = {""};
        l->pinged = mono_read();
        if (client_send(l->client, MSG_PING, NULL, &tag, &err) < 0)
            loop_lost(l, err.s);
    }
}

/* --- the terminal --- */

static void loop_draw(struct ui_loop *l)
{
    struct mono begin = mono_read();
    int rows, cols;
    term_size(l->term, &rows, &cols);
    canvas_resize(&l->canvas, rows, cols);
    app_draw(l->app, &l->canvas);
    term_show(l->term, &l->canvas, &l->theme);
    l->drawn = mono_read();
    l->draw_cost_ms = (l->drawn.ns - begin.ns) / NS_PER_MS;
}

/* --- settings that change while the program runs --- */

static void loop_apply_settings(void *ctx, struct settings *take)
{
    struct ui_loop *l = ctx;
    struct settings before = l->own;
    bool other_theme = !str_eq(l->settings->theme, take->theme);
    if (other_theme) { /* what was chosen last counts */
        xstrset(&l->prefs.theme, NULL);
        saver_save(&l->saver);
    }
    if (!str_eq(l->settings->language, take->language))
        lang_choose(take->language, NULL);
    if (l->settings->no_mouse != take->no_mouse)
        term_set_mouse(l->term, l->mouse = !take->no_mouse);
    l->own = *take;
    l->settings = l->themes.settings = l->reload.now = &l->own;
    app_take_settings(l->app, l->settings, l->settings->ascii || caps_is_ascii());
    settings_fini(&before);
    theme_choice_read(&l->themes, l->app);
}

static void loop_themes_changed(void *ctx)
{
    struct ui_loop *l = ctx;
    theme_choice_read(&l->themes, l->app);
}

static void run_program(struct ui_loop *l)
{
    struct strv argv = strv_copy(outbox_program(l->app));
    char *own = strchr(argv.v[0], '/') ? NULL : exe_path_sibling(argv.v[0]); /* of our own commands */
    if (own) {
        free(argv.v[0]);
        argv.v[0] = own;
    }
    int rc = term_run(l->term, outbox_program_where(l->app), argv.v);
    strv_fini(&argv);
    if (rc < 0)
        ui_toast(l->app, ROLE_ERROR, "%s", strerror(-rc));
    l->heard = mono_read(); /* the loop did not read meanwhile */
    struct input resize = {.kind = INPUT_RESIZE};
    app_input(l->app, &resize);
}

/* While an action is delayed, TERM and HUP are read through a descriptor, so that the confirmed action is
 * sent before they end the process. Otherwise they end it at once, even if a write to the terminal
 * hangs. */
static void mind_signals(struct ui_loop *l)
{
    bool take = (later_until(l->app).ns != 0);
    sigset_t set;
    if (take == l->takes_signals || l->ended_by)
        return;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigprocmask(take ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
    l->takes_signals = take;
}

static void grant_small_wishes(struct ui_loop *l, unsigned w)
{
    if (w & WISH_THEME)
        theme_choice_read(&l->themes, l->app);
    if (w & WISH_RELOAD)
        reload_start(&l->reload);
    if (w & WISH_NOTIFY && l->settings->notify != NOTIFY_OFF)
        term_notify(l->term, l->settings->notify, "Stoker", outbox_news(l->app));
    if (w & WISH_SAVE && w & WISH_KEEP)
        saver_save_asked(&l->saver);
    else if (w & WISH_SAVE)
        saver_save(&l->saver);
    if (w & WISH_BELL)
        term_bell(l->term);
    if (w & WISH_TITLE)
        term_title(l->term, outbox_title(l->app));
}

static void grant_wishes(struct ui_loop *l)
{
    unsigned w = outbox_take(l->app);
    grant_small_wishes(l, w);
    if (w & (WISH_RUN | WISH_SUSPEND)) {
        send_rest(l);
        mind_signals(l);
    }
    if (w & WISH_RUN)
        run_program(l);
    if (w & WISH_QUIT)
        l->quit = true;
    if (w & WISH_START && !l->client) {
        l->wants_start = true;
        l->start_err.s[0] = '\0';
        if (l->retry_at.ns) /* else an attempt is under way */
            begin_attempt(l);
    }
    if (w & WISH_REDRAW)
        term_redraw(l->term);
    if (w & WISH_COPY)
        term_copy(l->term, outbox_copied(l->app));
    if (w & WISH_MOUSE)
        term_set_mouse(l->term, l->mouse = !l->mouse);
    if (w & WISH_SUSPEND) {
        term_suspend(l->term);
        struct input resize = {.kind = INPUT_RESIZE};
        app_input(l->app, &resize);
    }
}

static void read_terminal(struct ui_loop *l)
{
    struct input in;
    while (!l->quit && term_read(l->term, &in)) {
        app_input(l->app, &in);
        grant_wishes(l);
    }
    if (term_is_gone(l->term)) {
        later_run(l->app);
        l->quit = true;
    }
}

static void read_signals(struct ui_loop *l)
{
    struct signalfd_siginfo si;
    while (read(l->signals, &si, sizeof si) == (ssize_t)sizeof si) {
        if (si.ssi_signo == SIGWINCH) {
            struct input resize = {.kind = INPUT_RESIZE};
            app_input(l->app, &resize);
            continue;
        }
        later_run(l->app);
        l->ended_by = (int)si.ssi_signo;
        l->quit = true;
    }
}

/* --- the loop --- */

static void sooner(int *timeout, int64_t ms)
{
    ms = ms < 0 ? 0 : ms;
    if (*timeout < 0 || ms < *timeout)
        *timeout = (int)ms;
}

static int64_t frame_pause(const struct ui_loop *l)
{
    int64_t pause = l->draw_cost_ms * 3;
    return pause < FRAME_MS ? FRAME_MS : pause > FRAME_MAX_MS ? FRAME_MAX_MS : pause;
}

static int how_long(const struct ui_loop *l, bool more_work)
{
    int timeout = -1;
    if (more_work || l->more_messages)
        return 0;
    if (term_wait_ms(l->term) >= 0)
        sooner(&timeout, term_wait_ms(l->term));
    if (app_is_dirty(l->app))
        sooner(&timeout, frame_pause(l) - loop_ms_since(l->drawn));
    if (app_next_ms(l->app) >= 0)
        sooner(&timeout, app_next_ms(l->app));
    if (l->retry_at.ns)
        sooner(&timeout, -loop_ms_since(l->retry_at));
    if (l->client)
        sooner(&timeout, (loop_ms_since(l->heard) < HEARTBEAT_MS ? HEARTBEAT_MS : SILENCE_MS + 1) -
                             loop_ms_since(l->heard));
    return timeout;
}

static void loop_turn(struct ui_loop *l, bool *more_work)
{
    enum { TERMINAL, SIGNALS, CONNECTOR, CLIENT, VIEW, ASIDE, RELOAD, N };
    struct pollfd fds[N] = {
        [TERMINAL] = {.fd = term_fd(l->term), .events = POLLIN},
        [SIGNALS] = {.fd = l->signals, .events = POLLIN},
        [CONNECTOR] = {.fd = connector_fd(l->connector), .events = POLLIN},
        [CLIENT] = {.fd = l->client ? client_fd(l->client) : -1, .events = POLLIN},
        [VIEW] = {.fd = app_view_fd(l->app), .events = POLLIN},
        [ASIDE] = {.fd = aside_fd(l->app), .events = POLLIN},
        [RELOAD] = {.fd = l->reload.fd, .events = POLLIN},
    };
    if (l->client && client_wants_write(l->client))
        fds[CLIENT].events |= POLLOUT;
    int next = app_next_ms(l->app);
    struct mono begin = mono_read();
    int n = poll(fds, N, how_long(l, *more_work));
    loop_set_time(l);
    if (n < 0 && errno != EINTR)
        l->quit = true;
    n = n < 0 ? 0 : n;
    if (next >= 0 && loop_ms_since(begin) >= next)
        app_tick(l->app);
    bool typed = (n && fds[TERMINAL].revents) || term_wait_ms(l->term) == 0;
    if (typed)
        read_terminal(l);
    if (n && fds[SIGNALS].revents)
        read_signals(l);
    if (n && fds[CONNECTOR].revents)
        end_attempt(l);
    if (n && fds[VIEW].revents && fds[VIEW].fd == app_view_fd(l->app))
        app_view_wake(l->app);
    if (n && fds[ASIDE].revents)
        aside_wake(l->app);
    if (n && fds[RELOAD].revents)
        reload_wake(&l->reload);
    if (l->more_messages || (n && fds[CLIENT].revents))
        read_messages(l);
    flush_messages(l);
    heartbeat(l);
    if (l->retry_at.ns && loop_ms_since(l->retry_at) >= 0)
        begin_attempt(l);
    *more_work = app_work(l->app);
    /* A key is drawn at once; changes of the cluster wait for the next picture. */
    bool by_hand = typed || (n && (fds[SIGNALS].revents || fds[VIEW].revents || fds[ASIDE].revents));
    mind_signals(
        l); /* before the picture that shows an action: the terminal may go as soon as it is seen */
    if (app_is_dirty(l->app) && (by_hand || loop_ms_since(l->drawn) >= frame_pause(l)))
        loop_draw(l);
    grant_wishes(l); /* messages are folded before the picture, and may ring the bell */
    mind_signals(l);
}

/* Writes the preferences; waits only a short time for a disk that hangs. */
static void await_saver(struct ui_loop *l)
{
    struct mono begin = mono_read();
    while (!saver_is_idle(&l->saver) && loop_ms_since(begin) < SAVING_MS) {
        struct pollfd fd = {.fd = aside_fd(l->app), .events = POLLIN};
        if (poll(&fd, 1, GOODBYE_MS / 4) < 0)
            return;
        if (fd.revents)
            aside_wake(l->app);
    }
}

int run_ui(const struct settings *s, const char *theme_dir, const char *notice, struct errtext *err)
{
    struct ui_loop l = {.signals = run_signals_block(), .mouse = !s->no_mouse, .settings = s};
    struct client *first = NULL;
    /* Before the screen: ssh may ask for a password. */
    l.far = client_remote_host() != NULL;
    int rc = l.far ? client_connect("stoker-ui", 0, &first, err) : 0;
    rc = rc < 0 ? rc : term_open(l.mouse ? TERM_MOUSE : 0, &l.term, err);
    if (rc < 0) {
        client_free(first);
        return rc;
    }
    l.rows = (struct client_rows){.take = loop_take_rows, .ctx = &l};
    struct errtext theme_err = {""}, prefs_err = {""};
    l.prefs_path = settings_beside("views.cfg");
    char *config_dir = settings_beside(""), *cwd = getcwd(NULL, 0);
    struct strv far_env = first ? strv_copy(client_far_env(first)) : (struct strv){0};
    if (prefs_load(&l.prefs, l.prefs_path, &prefs_err) < 0)
        notice = prefs_err.s;
    l.themes = (struct theme_choice){.term = l.term,
                                     .theme = &l.theme,
                                     .prefs = &l.prefs,
                                     .saver = &l.saver,
                                     .settings = s,
                                     .dir = theme_dir};
    if (theme_choice_first(&l.themes, &theme_err) < 0)
        notice = theme_err.s;
    canvas_init(&l.canvas);
    l.connector = connector_new();
    struct ui_options o = {.read_only = s->read_only,
                           .threads = true,
                           .start_by = first_run_start_by(),
                           .ascii = s->ascii || caps_is_ascii(),
                           .gpu_idle_flag_s = s->gpu_idle_s,
                           .keys = s->keys,
                           .commands = &s->commands,
                           .settings = s,
                           .notify_command = s->notify_command,
                           .prefs = &l.prefs,
                           .themes = settings_themes(theme_dir),
                           .config_dir = config_dir,
                           .cwd = cwd,
                           .host = client_remote_host(),
                           .far_env = l.far ? &far_env : NULL,
                           .samples = s->samples,
                           .send = send_message,
                           .ctx = &l};
    l.app = app_new(&o);
    saver_init(&l.saver, l.app, &l.prefs, l.prefs_path);
    l.reload = (struct reload){.app = l.app,
                               .now = s,
                               .apply = loop_apply_settings,
                               .themes_changed = loop_themes_changed,
                               .ctx = &l};
    reload_open(&l.reload);
    loop_set_time(&l);
    if (notice)
        ui_toast(l.app, ROLE_WARN, "%s", notice);
    if (s->samples)
        first_run_tell_samples(l.app, s);
    if (first)
        loop_take_client(&l, first);
    else
        begin_attempt(&l);
    loop_draw(&l); /* before any data */
    for (bool more_work = false; !l.quit;)
        loop_turn(&l, &more_work);
    send_rest(&l);
    await_saver(&l);
    term_close(l.term);
    app_free(l.app);
    client_free(l.client);
    strv_fini(&o.themes);
    saver_fini(&l.saver);
    prefs_fini(&l.prefs);
    free(l.prefs_path);
    theme_choice_fini(&l.themes);
    reload_close(&l.reload);
    settings_fini(&l.own);
    free(config_dir);
    free(cwd);
    strv_fini(&far_env);
    canvas_fini(&l.canvas);
    close(l.signals);
    if (l.ended_by)
        run_signals_end_by(l.ended_by);
    return 0;
}
