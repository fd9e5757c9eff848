/* mirror_follow.c - the mirror of the controller's state. */
#include "ui/frame/mirror_follow.h"

#include <malloc.h>
#include <stdlib.h>

#include "src/base/strpool.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "ui/frame/engine.h"
#include "ui/frame/past_jobs.h"
#include "ui/frame/requests.h"
#include "ui/frame/stack.h"
#include "ui/frame/toast.h"
#include "ui/frame/totals.h"
#include "ui/frame/utilization.h"
#include "ui/frame/watch.h"
#include "ui/state/changes.h"
#include "ui/state/ui_state.h"

/* A mirror that does not fit is not asked for again at once, or both sides do nothing else. */
#define RESYNC_PAUSE_MS 2000
/* Everything is kept for so long after it was last shown. */
#define KEEP_ALL_MS 60000

struct mirror_follow {
    struct model *next;    /* what a snapshot is building; NULL: none */
    struct strpool *texts; /* of the jobs of both models */
    uint64_t get_tag;      /* of the last GET */
    uint64_t greet_tag;    /* of a HELLO that is not answered; 0: none */
    struct mono resynced;  /* when the state was last asked for */
    bool missed;           /* messages were dropped while frozen */
    bool own, next_own;    /* ui->m, and next, are to have the user's own jobs alone */
    bool sends_all;        /* the controller is an older one */
    struct mono all_until; /* everything is wanted until then; 0: for as long as it is shown */
    struct connection connection;
};

static void model_drop(struct model *m)
{
    if (m)
        model_fini(m);
    free(m);
}

static struct model *follow_new_model(const struct mirror_follow *f)
{
    struct model *m = xcalloc(1, sizeof *m);
    model_init(m);
    model_intern_texts(m, f->texts);
    return m;
}

void follow_new(struct ui *ui)
{
    ui->follow = xcalloc(1, sizeof *ui->follow);
    ui->follow->texts = strpool_new();
    ui->m = follow_new_model(ui->follow);
}

void follow_free(struct ui *ui)
{
    struct mirror_follow *f = ui->follow;
    model_drop(ui->m);
    model_drop(f->next);
    strpool_unref(f->texts);
    free(f->connection.why_lost);
    free(f->connection.connecting);
    rec_fini(&msg_welcome_rec, &ui->session.welcome);
    rec_fini(&msg_engine_rec, &ui->session.engine);
    free(f);
    ui->follow = NULL;
}

const struct connection *follow_connection(const struct ui *ui)
{
    return &ui->follow->connection;
}

static void follow_drop_next(struct ui *ui)
{
    model_drop(ui->follow->next);
    ui->follow->next = NULL;
}

/* Whether the user's own jobs are enough now. */
static bool follow_own_suffices(const struct ui *ui)
{
    return !ui->follow->sends_all && stack_shows_own(ui) && !watch_needs_all(ui);
}

static void follow_keep_all(struct ui *ui)
{
    ui->follow->all_until = mono_add_ms(ui->mono, KEEP_ALL_MS);
}

static void follow_ask(struct ui *ui, bool own)
{
    if (!ui->session.online)
        return;
    follow_drop_next(ui);
    ui->follow->next = follow_new_model(ui->follow);
    ui->follow->next_own = own;
    struct msg_get get = {
        .what = GET_SPEC | GET_JOBS | GET_WINDOWS | (own ? 0 : GET_NODES), .follow = true, .own = own};
    ui->follow->missed = false;
    ui->follow->resynced = ui->mono;
    if (ui->o.send(ui->o.ctx, MSG_GET, &get, &ui->follow->get_tag) < 0) {
        follow_drop_next(ui);
        follow_keep_all(ui);
    }
}

void follow_resync(struct ui *ui)
{
    follow_ask(ui, follow_own_suffices(ui) && ui->mono.ns >= ui->follow->all_until.ns);
}

void follow_fit(struct ui *ui)
{
    struct mirror_follow *f = ui->follow;
    if (!ui->session.online || ui->frozen)
        return;
    if (!follow_own_suffices(ui)) {
        follow_keep_all(ui);
        if (f->next ? f->next_own : f->own)
            follow_ask(ui, false);
    } else if (!f->next && !f->own && ui->session.has_data && ui->mono.ns >= f->all_until.ns) {
        follow_ask(ui, true);
    }
}

struct mono follow_due(const struct ui *ui)
{
    const struct mirror_follow *f = ui->follow;
    bool will = ui->session.online && !ui->frozen && !f->next && !f->own && ui->session.has_data &&
                follow_own_suffices(ui);
    return will ? f->all_until : (struct mono){0};
}

void ui_want_all(struct ui *ui)
{
    follow_keep_all(ui);
    if (ui->session.online && !ui->frozen && (ui->follow->next ? ui->follow->next_own : ui->follow->own))
        follow_ask(ui, false);
}

bool ui_has_all(const struct ui *ui)
{
    return !ui->follow->own;
}

static void follow_broken(struct ui *ui, const struct errtext *err)
{
    if (ui->follow->resynced.ns && ui->mono.ns - ui->follow->resynced.ns < RESYNC_PAUSE_MS * NS_PER_MS) {
        ui_toast(ui, ROLE_WARN, tr("what is shown may be incomplete: %s"), err->s);
        return;
    }
    follow_resync(ui);
}

/* A model as if a snapshot had brought it. */
static void follow_take_model(struct ui *ui, struct model *m)
{
    model_drop(ui->m);
    ui->m = m;
    ui->session.has_data = true;
    changes_everything(ui);
}

static void follow_adopt(struct ui *ui, bool own)
{
    struct model *m = ui->follow->next;
    ui->follow->next = NULL;
    ui->follow->own = own;
    ui->follow->sends_all = ui->follow->next_own && !own;
    follow_take_model(ui, m);
    malloc_trim(0); /* of the messages, and of the model before */
}

/* What is configured of a node stands in the node itself: thousands need not be kept twice. */
static void follow_spare_spec(struct model *m)
{
    rec_list_free(&node_spec_rec, &m->spec.nodes);
}

/* Rows of a snapshot build the next model while the old one goes on being shown and kept up by events. */
static void follow_take_row(struct ui *ui, const struct incoming *in)
{
    struct errtext err = {""};
    if (!ui->follow->next)
        return;
    if (mirror_feed(ui->follow->next, in, &err) < 0) {
        follow_drop_next(ui);
        follow_broken(ui, &err);
    } else if (in->kind == MSG_SPEC) {
        follow_spare_spec(ui->follow->next);
    } else if (in->kind == MSG_SNAPSHOT) {
        follow_adopt(ui, ((const struct msg_snapshot *)in->body)->own);
    }
}

void follow_feed_rows(struct ui *ui, const void *p, size_t n)
{
    struct errtext err = {""};
    int r = ui->follow->next ? mirror_feed_rows(ui->follow->next, p, n, &err) : 0;
    if (r < 0) {
        follow_drop_next(ui);
        follow_broken(ui, &err);
    } else if (r > 0) {
        ui_toast(ui, ROLE_WARN, tr("%d jobs cannot be read and are left out: %s"), r, err.s);
    }
}

static void follow_take_push(struct ui *ui, const struct incoming *in)
{
    struct errtext err = {""};
    if (ui->frozen) {
        ui->follow->missed = true;
        return;
    }
    if (!ui->session.has_data)
        return;
    if (in->kind == MSG_EVENT) {
        const struct msg_event *ev = in->body;
        bool leaves = ev->kind == EV_RETIRE || ev->kind == EV_JOB_GONE;
        const struct job *leaving = leaves ? model_get_job(ui->m, ev->job) : NULL;
        if (leaving)
            past_jobs_keep(ui, leaving);
    }
    changes_note(ui, in); /* it may leave */
    int rc = mirror_feed(ui->m, in, &err);
    follow_spare_spec(ui->m); /* the event may have been a configuration */
    changes_note(ui, in);
    if (rc > 0)
        changes_show(ui);
    else if (rc < 0 && !ui->follow->next)
        follow_broken(ui, &err);
}

/* A full disk makes the controller read-only, and it has to be asked whether that still holds: the first
 * thing that it sends then is that all is to be fetched again, and the first event that it stores comes
 * when it is over. */
static void follow_greet_again(struct ui *ui)
{
    struct msg_hello hello = {
        .version = PROTO_VERSION, .program = xstrdup("stoker-ui"), .causes = CAUSE_N_CODES};
    if (!ui->session.welcome.engine && !ui->follow->greet_tag &&
        ui->o.send(ui->o.ctx, MSG_HELLO, &hello, &ui->follow->greet_tag) < 0)
        ui->follow->greet_tag = 0;
    free(hello.program);
}

static void follow_take_welcome(struct ui *ui, const struct msg_welcome *w)
{
    ui->follow->greet_tag = 0;
    rec_fini(&msg_welcome_rec, &ui->session.welcome);
    rec_copy(&msg_welcome_rec, &ui->session.welcome, w);
    ui->dirty = true;
}

static void follow_take_totals(struct ui *ui, const struct cluster_totals *t)
{
    totals_take(ui, t);
    if (ui->follow->own && !ui->frozen)
        changes_show(ui);
}

/* --- messages --- */

void follow_feed(struct ui *ui, const struct incoming *in)
{
    /* Jobs that answer a question are no part of the state. */
    if (in->kind == MSG_JOBS && in->tag && in->tag != ui->follow->get_tag) {
        requests_take_answer(ui, in);
        return;
    }
    bool stored = in->kind == MSG_EVENT || in->kind == MSG_REASONS || in->kind == MSG_TOTALS;
    if (in->kind == MSG_RESYNC || (stored && ui->session.welcome.read_only))
        follow_greet_again(ui);
    switch ((int)in->kind) {
    case MSG_SPEC:
    case MSG_NODES:
    case MSG_WINDOWS:
    case MSG_JOBS:
    case MSG_SNAPSHOT: follow_take_row(ui, in); return;
    case MSG_EVENT:
    case MSG_REASONS: follow_take_push(ui, in); return;
    case MSG_RESYNC: follow_resync(ui); return;
    case MSG_TOTALS: follow_take_totals(ui, in->body); return;
    case MSG_ENGINE_DATA: engine_take(ui, in->body); return;
    case MSG_UTIL: utilization_take(ui, in->body); return;
    case MSG_JOB_USE: utilization_take_use(ui, in->body); return;
    case MSG_WELCOME: follow_take_welcome(ui, in->body); return;
    default: break;
    }
    if (requests_take_answer(ui, in))
        return;
    if (in->kind == MSG_RESULT && in->tag == ui->follow->get_tag && ui->follow->next) {
        const struct msg_result *r = in->body;
        follow_drop_next(ui);
        ui_toast(ui, ROLE_ERROR, tr("the controller did not send its state: %s"),
                 r->text ? r->text : tr("refused"));
    }
}

static void follow_say(char **at, const char *text)
{
    char *copy = xstrdup(text);
    free(*at);
    *at = copy;
}

void follow_connected(struct ui *ui, const struct msg_welcome *w)
{
    struct connection *c = &ui->follow->connection;
    rec_fini(&msg_welcome_rec, &ui->session.welcome);
    rec_copy(&msg_welcome_rec, &ui->session.welcome, w);
    rec_fini(&msg_engine_rec, &ui->session.engine);
    ui->follow->greet_tag = 0;
    ui->session.online = c->was_online = true;
    ui->follow->sends_all = false;
    follow_say(&c->connecting, NULL);
    follow_say(&c->why_lost, NULL);
    toast_withdraw(ui, tr(NOT_CONNECTED));
    ui->dirty = true;
    engine_begin(ui);
    follow_resync(ui);
    utilization_connected(ui);
}

void follow_lost(struct ui *ui, const char *why)
{
    struct connection *c = &ui->follow->connection;
    if (ui->session.online)
        c->lost_at = ui->mono;
    ui->session.online = false;
    past_jobs_lost(ui);
    follow_drop_next(ui);
    follow_say(&c->why_lost, why);
    follow_say(&c->connecting, NULL);
    ui->dirty = true;
    requests_fail(ui);
}

void follow_connecting(struct ui *ui, const char *what)
{
    follow_say(&ui->follow->connection.connecting, what);
    ui->dirty = true;
}

void follow_freeze(struct ui *ui, bool freeze)
{
    ui->frozen = freeze;
    ui->dirty = true;
    if (!freeze && ui->follow->missed)
        follow_resync(ui);
}
