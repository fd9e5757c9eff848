/* follow.c - the frame and the controller: the mirror is built and followed, requests find their answers.
 */
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "ui/frame/frame_internal.h"

#define RESYNC_PAUSE_MS \
    2000 /* a mirror that does not fit is not asked for again at once, or both sides do nothing else */
#define UTIL_FRESH_MS 4000
#define NOT_CONNECTED "no connection to the controller"

/* --- requests --- */

bool ui_send(struct ui *a, enum msg_kind kind, const void *body, struct view *owner, ui_reply_fn *reply,
             uint64_t arg)
{
    uint64_t tag = 0;
    if (!a->online || a->o.send(a->o.ctx, kind, body, &tag) < 0) {
        ui_toast(a, ROLE_ERROR, NOT_CONNECTED);
        return false;
    }
    if (reply)
        vec_push(&a->asked,
                 (struct asked){
                     .tag = tag, .owner = owner, .has_owner = owner != NULL, .reply = reply, .arg = arg});
    return true;
}

struct held { /* what comes with a request of ui_ask */
    ui_told_fn *told;
    void *arg;
    void (*free_arg)(void *);
};

static void held_free(struct held *h)
{
    if (h->free_arg)
        h->free_arg(h->arg);
    free(h);
}

static void tell_held(struct ui *a, struct view *owner, uint64_t at, const struct incoming *in)
{
    (void)owner;
    struct held *h = (struct held *)(uintptr_t)at;
    h->told(a, in, h->arg);
    held_free(h);
}

bool ui_ask(struct ui *a, enum msg_kind kind, const void *body, ui_told_fn *told, void *take_arg,
            void (*free_arg)(void *))
{
    struct held *h = xcalloc(1, sizeof *h);
    *h = (struct held){.told = told, .arg = take_arg, .free_arg = free_arg};
    bool sent = ui_send(a, kind, body, NULL, tell_held, (uint64_t)(uintptr_t)h);
    if (!sent)
        held_free(h);
    return sent;
}

void link_fini(struct ui *a)
{
    vec_for_each (&a->asked, i)
        if (a->asked.v[i].reply == tell_held)
            held_free((struct held *)(uintptr_t)a->asked.v[i].arg);
    vec_fini(&a->asked);
}

void link_forget(struct ui *a, const struct view *owner)
{
    for (size_t i = a->asked.n; i-- > 0;)
        if (a->asked.v[i].owner == owner && a->asked.v[i].has_owner)
            vec_remove(&a->asked, i);
}

static bool take_answer(struct ui *a, const struct incoming *in)
{
    vec_for_each (&a->asked, i)
        if (a->asked.v[i].tag == in->tag && in->tag) {
            struct asked q = a->asked.v[i];
            if (in->kind != MSG_JOBS) /* more follows, up to the end of the history */
                vec_remove(&a->asked, i);
            q.reply(a, q.owner, q.arg, in);
            stack_replay(a);
            return true;
        }
    return false;
}

static void fail_requests(struct ui *a)
{
    while (a->asked.n) {
        struct asked q = a->asked.v[a->asked.n - 1];
        a->asked.n--;
        q.reply(a, q.owner, q.arg, NULL);
    }
}

/* --- the state --- */

static void drop_next(struct ui *a)
{
    if (a->next)
        model_fini(a->next);
    free(a->next);
    a->next = NULL;
}

void link_resync(struct ui *a)
{
    if (!a->online)
        return;
    drop_next(a);
    a->next = xcalloc(1, sizeof *a->next);
    model_init(a->next);
    model_share_texts(a->next, a->texts);
    struct msg_get get = {.what = GET_SPEC | GET_NODES | GET_JOBS | GET_WINDOWS, .follow = true};
    a->missed = false;
    a->resynced = a->mono;
    if (a->o.send(a->o.ctx, MSG_GET, &get, &a->get_tag) < 0)
        drop_next(a);
}

static void broken(struct ui *a, const struct errtext *err)
{
    if (a->resynced.ns && a->mono.ns - a->resynced.ns < RESYNC_PAUSE_MS * NS_PER_MS) {
        ui_toast(a, ROLE_WARN, "what is shown may be incomplete: %s", err->s);
        return;
    }
    link_resync(a);
}

static void adopt_next(struct ui *a)
{
    struct model *m = a->next;
    a->next = NULL;
    app_take_model(a, m);
}

/* Rows of a snapshot build the next model while the old one goes on being shown and kept up by events. */
static void take_row(struct ui *a, const struct incoming *in)
{
    struct errtext err = {""};
    if (!a->next)
        return;
    if (mirror_feed(a->next, in, &err) < 0) {
        drop_next(a);
        broken(a, &err);
    } else if (in->kind == MSG_SNAPSHOT) {
        adopt_next(a);
    }
}

void app_feed_rows(struct ui *a, const void *p, size_t n)
{
    struct errtext err = {""};
    int r = a->next ? mirror_feed_rows(a->next, p, n, &err) : 0;
    if (r < 0) {
        drop_next(a);
        broken(a, &err);
    } else if (r > 0) {
        ui_toast(a, ROLE_WARN, "%d jobs cannot be read here and are left out: %s", r, err.s);
    }
}

static void take_push(struct ui *a, const struct incoming *in)
{
    struct errtext err = {""};
    if (a->frozen) {
        a->missed = true;
        return;
    }
    if (!a->has_data)
        return;
    if (in->kind == MSG_EVENT) {
        const struct msg_event *ev = in->body;
        const struct job *leaving = ev->kind == EV_RETIRE ? model_get_job(a->m, ev->job) : NULL;
        if (leaving)
            past_keep(a, leaving);
    }
    changes_note(a, in); /* it may leave */
    int rc = mirror_feed(a->m, in, &err);
    changes_note(a, in);
    if (rc > 0)
        a->changed = a->dirty = true;
    else if (rc < 0 && !a->next)
        broken(a, &err);
}

/* --- utilisation --- */

void link_watch(struct ui *a)
{
    bool want = app_view(a)->ops->watches_util && a->online;
    if (want == a->watching)
        return;
    a->watching = want;
    struct msg_flag flag = {.on = want};
    uint64_t tag;
    if (a->online && a->o.send(a->o.ctx, MSG_WATCH_UTIL, &flag, &tag) < 0)
        a->watching = false;
}

static uint64_t name_id(const char *node)
{
    return hash_bytes(node, strlen(node));
}

static struct measured *find_measured(const struct ui *a, const char *node)
{
    struct measured *at = idmap_get(&a->utils_by_name, name_id(node));
    return at && str_eq(at->util.node, node) ? at : NULL;
}

static void add_past(uint8_t *v, size_t n, uint64_t percent)
{
    if (n == UTIL_PAST)
        memmove(v, v + 1, UTIL_PAST - 1);
    v[n < UTIL_PAST ? n : UTIL_PAST - 1] = (uint8_t)(percent > 100 ? 100 : percent);
}

static void add_gpus(struct util_past *p, const struct msg_util *u)
{
    for (size_t i = 0; i < u->gpus.n; i++) {
        const struct gpu_util *g = &u->gpus.v[i];
        if (g->index >= CPUSET_MAX)
            continue;
        if (g->index >= p->n_gpus) {
            p->gpus = xreallocarray(p->gpus, g->index + 1u, sizeof *p->gpus);
            memset(p->gpus + p->n_gpus, 0, (g->index + 1u - p->n_gpus) * sizeof *p->gpus);
            p->n_gpus = g->index + 1u;
        }
        add_past(p->gpus[g->index].busy, p->n, g->busy_pct);
    }
}

/* After a time in which nobody looked the past begins anew: what was between is not known. */
static void keep_past(struct measured *m, struct mono now)
{
    struct util_past *p = &m->past;
    if (m->at.ns && now.ns - m->at.ns > UTIL_FRESH_MS * NS_PER_MS) {
        free(p->gpus);
        *p = (struct util_past){0};
    }
    add_gpus(p, &m->util);
    add_past(p->cpu, p->n, m->util.cpu_permille / 10);
    add_past(p->mem, p->n, m->util.mem_mib ? m->util.mem_used_mib * 100 / m->util.mem_mib : 0);
    p->n += p->n < UTIL_PAST;
}

static void take_util(struct ui *a, struct msg_util *util)
{
    if (!util->node || a->frozen)
        return;
    struct measured *at = find_measured(a, util->node);
    if (!at) {
        at = xcalloc(1, sizeof *at);
        vec_push(&a->utils, at);
        idmap_set(&a->utils_by_name, name_id(util->node), at);
    }
    rec_fini(&msg_util_rec, &at->util);
    at->util = *util;
    keep_past(at, a->mono);
    at->at = a->mono;
    *util = (struct msg_util){0};
    if (app_view(a)->ops->watches_util)
        a->dirty = true;
}

void link_drop_utils(struct ui *a)
{
    vec_for_each (&a->utils, i) {
        rec_fini(&msg_util_rec, &a->utils.v[i]->util);
        free(a->utils.v[i]->past.gpus);
        free(a->utils.v[i]);
    }
    vec_fini(&a->utils);
    idmap_fini(&a->utils_by_name);
}

static const struct measured *fresh(const struct ui *a, const char *node)
{
    const struct measured *at = find_measured(a, node);
    return at && a->mono.ns - at->at.ns < UTIL_FRESH_MS * NS_PER_MS ? at : NULL;
}

const struct msg_util *ui_util(const struct ui *a, const char *node)
{
    const struct measured *at = fresh(a, node);
    return at ? &at->util : NULL;
}

const struct util_past *ui_util_past(const struct ui *a, const char *node)
{
    const struct measured *at = fresh(a, node);
    return at ? &at->past : NULL;
}

int64_t ui_gpu_idle_flag_s(const struct ui *a)
{
    return a->o.gpu_idle_flag_s;
}

/* --- messages --- */

void app_feed(struct ui *a, const struct incoming *in)
{
    /* Jobs that answer a question are no part of the state. */
    if (in->kind == MSG_JOBS && in->tag && in->tag != a->get_tag) {
        take_answer(a, in);
        return;
    }
    switch ((int)in->kind) {
    case MSG_SPEC:
    case MSG_NODES:
    case MSG_WINDOWS:
    case MSG_JOBS:
    case MSG_SNAPSHOT: take_row(a, in); return;
    case MSG_EVENT:
    case MSG_REASONS: take_push(a, in); return;
    case MSG_RESYNC: link_resync(a); return;
    case MSG_UTIL: take_util(a, in->body); return;
    default: break;
    }
    if (take_answer(a, in))
        return;
    if (in->kind == MSG_RESULT && in->tag == a->get_tag && a->next) {
        const struct msg_result *r = in->body;
        drop_next(a);
        ui_toast(a, ROLE_ERROR, "the controller does not tell its state: %s",
                 r->text ? r->text : "refused");
    }
}

static void set_text(char **at, const char *text)
{
    char *copy = xstrdup(text);
    free(*at);
    *at = copy;
}

void app_connected(struct ui *a, const struct msg_welcome *w)
{
    rec_fini(&msg_welcome_rec, &a->welcome);
    rec_copy(&msg_welcome_rec, &a->welcome, w);
    a->online = a->was_online = true;
    a->watching = false;
    set_text(&a->connecting, NULL);
    set_text(&a->why_lost, NULL);
    if (a->toast && str_eq(a->toast, NOT_CONNECTED)) { /* it is not so any more */
        free(a->toast);
        a->toast = NULL;
    }
    a->dirty = true;
    link_resync(a);
    link_watch(a);
}

void app_lost(struct ui *a, const char *why)
{
    if (a->online)
        a->lost_at = a->mono;
    a->online = a->watching = a->past.asked = false;
    drop_next(a);
    set_text(&a->why_lost, why);
    set_text(&a->connecting, NULL);
    a->dirty = true;
    fail_requests(a);
}

void app_connecting(struct ui *a, const char *what)
{
    set_text(&a->connecting, what);
    a->dirty = true;
}
