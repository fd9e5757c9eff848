#include "backend/control/requests/req_window.h"

#include <stdlib.h>
#include <string.h>

#include "backend/control/emit.h"
#include "backend/control/users/name_service.h"
#include "backend/control/users/user_cache.h"
#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/os/log.h"
#include "src/values/hostlist.h"

#define NAME_MAX_BYTES 128
#define TEXT_MAX_BYTES 1024
#define WINDOWS_MAX    10000u
#define NAMES_MAX      1000u /* users and accounts of one */
#define WAITS_MAX      100   /* requests that wait for the name service */

struct window_wait { /* a request that waits until the name service knows the users of its window */
    struct list link;
    struct session *session;
    uint64_t tag;
    struct msg_window_set m;
    size_t n_open; /* users that are being asked about */
};

static struct list *window_waits(const struct control *c)
{
    return c->state[MODULE_REQ_WINDOW];
}

static bool window_texts_are_clean(const struct strv *v)
{
    for (size_t i = 0; i < v->n; i++)
        if (!utf8_is_clean_name(v->v[i], NAME_MAX_BYTES))
            return false;
    return v->n <= NAMES_MAX;
}

/* Lists become names of existing nodes, each once. Nodes that the window had before stay: they may have
 * left the configuration since. */
static enum refusal window_expand_nodes(const struct control *c, struct window *w, const struct window *old,
                                        struct cause *why)
{
    struct strv all = {0};
    char *expr = strv_join(&w->nodes, ",");
    bool every = str_ieq(expr, WINDOW_ALL_NODES);
    struct errtext text;
    int r = every ? 0 : hostlist_expand(expr, &all, &text);
    free(expr);
    if (r < 0) {
        *why = (struct cause){.code = CAUSE_WORDS, .text = xstrdup(text.s)};
        return REFUSAL_NO_NODE;
    }
    if (!every && !all.n) { /* an empty list, from a script for example, does not mean all nodes */
        *why = (struct cause){.code = CAUSE_WINDOW_NODES, .name = xstrdup(w->name)};
        return REFUSAL_NO_NODE;
    }
    enum refusal refusal = REFUSAL_NONE;
    struct strv names = {0};
    for (size_t i = 0; i < all.n && refusal == REFUSAL_NONE; i++) {
        bool had = old && strv_has(&old->nodes, all.v[i]);
        if (!had && !model_get_node(&c->model, all.v[i])) {
            *why = (struct cause){.code = CAUSE_NO_NODE, .name = xstrdup(all.v[i])};
            refusal = REFUSAL_NO_NODE;
        } else if (!strv_has(&names, all.v[i])) {
            strv_push(&names, all.v[i]);
        }
    }
    if (every)
        strv_push(&names, WINDOW_ALL_NODES);
    strv_fini(&all);
    strv_fini(&w->nodes);
    w->nodes = names;
    return refusal;
}

/* An unknown user could never use it. Users that it had before stay: they may have left since. */
static enum refusal window_check_users(struct control *c, const struct window *w, const struct window *old,
                                       struct cause *why)
{
    for (size_t i = 0; i < w->users.n; i++) {
        const char *name = w->users.v[i];
        if (old && strv_has(&old->users, name))
            continue;
        enum user_there there = user_is_there(c->users, name);
        if (there == USER_THERE_YES)
            continue;
        *why = (struct cause){.code = there == USER_THERE_NO ? CAUSE_NO_USER : CAUSE_NAME_SERVICE,
                              .name = xstrdup(name)};
        return REFUSAL_NO_USER;
    }
    return REFUSAL_NONE;
}

/* Users about whom the name service is being asked now. */
static size_t window_count_asked(struct control *c, const struct window *w)
{
    size_t n = 0;
    for (size_t i = 0; i < w->users.n && w->users.n <= NAMES_MAX; i++)
        n += user_is_there(c->users, w->users.v[i]) == USER_THERE_ASKED;
    return n;
}

/* A free name, "root_3" as Slurm would choose. */
static char *window_make_name(const struct control *c, const char *user)
{
    for (uint32_t n = 1;; n++) {
        char *name = xasprintf("%s_%u", user, n);
        if (!model_get_window(&c->model, name))
            return name;
        free(name);
    }
}

static uint32_t window_next_id(const struct model *m)
{
    uint32_t id = 0;
    for (size_t i = 0; i < m->windows.n; i++)
        id = m->windows.v[i].id > id ? m->windows.v[i].id : id;
    return id + 1;
}

static enum refusal window_check_request(struct session *s, struct msg_window_set *m, struct cause *why)
{
    struct control *c = s->ctl;
    struct window *w = &m->window;
    if (str_is_empty(w->name) && !m->remove && !m->update) {
        free(w->name);
        w->name = window_make_name(c, user_name(c->users, s->uid));
    }
    const struct window *old = model_get_window(&c->model, w->name);
    if ((m->remove || m->update) && !old) {
        *why = (struct cause){.code = CAUSE_NO_WINDOW, .name = xstrdup(w->name)};
        return REFUSAL_NO_WINDOW;
    }
    if (m->remove)
        return REFUSAL_NONE;
    if (old && !m->update) {
        *why = (struct cause){.code = CAUSE_WINDOW_EXISTS, .name = xstrdup(w->name)};
        return REFUSAL_BAD_REQUEST;
    }
    bool clean = utf8_is_clean_name(w->name, NAME_MAX_BYTES) && !strchr(w->name, ',') &&
                 (!w->reason || utf8_is_clean_name(w->reason, TEXT_MAX_BYTES)) &&
                 window_texts_are_clean(&w->users) && window_texts_are_clean(&w->accounts);
    if (!clean || (!old && c->model.windows.n >= WINDOWS_MAX)) {
        why->code = clean ? CAUSE_WINDOWS_TOO_MANY : CAUSE_WINDOW_TEXT;
        return REFUSAL_BAD_REQUEST;
    }
    enum refusal r = window_expand_nodes(c, w, old, why);
    r = r == REFUSAL_NONE ? window_check_users(c, w, old, why) : r;
    if (r != REFUSAL_NONE)
        return r;
    w->id = old ? old->id : window_next_id(&c->model);
    w->t_made = old ? old->t_made : loop_wall(c->loop);
    xstrset(&w->user, user_name(c->users, s->uid));
    struct errtext text;
    if (window_check(w, &text) < 0)
        *why = (struct cause){.code = CAUSE_WORDS, .text = xstrdup(text.s)};
    else if (w->end.ms <= loop_wall(c->loop).ms)
        *why = (struct cause){.code = CAUSE_WINDOW_OVER, .name = xstrdup(w->name)};
    else if (w->kind == WINDOW_RESERVATION && !w->users.n && !w->accounts.n)
        *why = (struct cause){.code = CAUSE_WINDOW_USERS, .name = xstrdup(w->name)};
    return why->code == CAUSE_NONE ? REFUSAL_NONE : REFUSAL_BAD_REQUEST;
}

static void window_set(struct session *s, uint64_t tag, struct msg_window_set *m)
{
    struct control *c = s->ctl;
    struct cause why = {0};
    enum refusal r = window_check_request(s, m, &why);
    if (r != REFUSAL_NONE) {
        session_refuse(s, tag, r, 0, &why);
        return;
    }
    char *name = xstrdup(m->window.name);
    log_info("window=%s %s by user=%s", name,
             m->remove   ? "removed"
             : m->update ? "changed"
                         : "made",
             user_name(c->users, s->uid));
    struct ev_window change = {.window = m->window, .remove = m->remove};
    m->window = (struct window){0};
    r = ctl_emit(c, EV_WINDOW, 0, &change) < 0 ? REFUSAL_BAD_REQUEST : REFUSAL_NONE;
    session_answer(s, tag, &(struct msg_result){.refusal = r, .count = r == REFUSAL_NONE, .text = name});
}

/* Takes what *m owns. */
static void window_wait(struct session *s, uint64_t tag, struct msg_window_set *m, size_t n_open)
{
    struct window_wait *w = xcalloc(1, sizeof *w);
    *w = (struct window_wait){.session = s, .tag = tag, .m = *m, .n_open = n_open};
    *m = (struct msg_window_set){0};
    list_init(&w->link);
    list_append(window_waits(s->ctl), &w->link);
}

static void window_wait_free(struct window_wait *w)
{
    list_unlink(&w->link);
    rec_fini(&msg_window_set_rec, &w->m);
    free(w);
}

static unsigned window_count_waits(const struct control *c)
{
    unsigned n = 0;
    list_for_each (w, window_waits(c), struct window_wait, link)
        n++;
    return n;
}

void req_window(struct session *s, uint64_t tag, void *body)
{
    struct msg_window_set *m = body;
    bool may_wait = !m->remove && window_count_waits(s->ctl) < WAITS_MAX;
    size_t n_open = may_wait ? window_count_asked(s->ctl, &m->window) : 0;
    if (n_open)
        window_wait(s, tag, m, n_open);
    else
        window_set(s, tag, m);
}

/* What may have changed while it waited is checked again. */
static void window_resume(struct window_wait *w)
{
    struct session *s = w->session;
    struct control *c = s->ctl;
    if (c->read_only)
        session_refuse(s, w->tag, REFUSAL_READ_ONLY, 0,
                       &(struct cause){.code = CAUSE_READ_ONLY, .text = xstrdup(c->read_only)});
    else if (!s->admin)
        session_refuse(s, w->tag, REFUSAL_NOT_ALLOWED, 0,
                       &(struct cause){.code = CAUSE_ADMINS_ONLY, .what = ADMIN_ACT_WINDOW});
    else
        window_set(s, w->tag, &w->m);
}

static void req_window_names_told(struct control *c, const struct name_answer *a, bool groups_changed)
{
    (void)groups_changed;
    if (!a->asked)
        return;
    list_for_each (w, window_waits(c), struct window_wait, link) {
        for (size_t i = 0; i < w->m.window.users.n; i++) /* it may name a user twice */
            w->n_open -= str_eq(w->m.window.users.v[i], a->asked);
        if (w->n_open)
            continue;
        window_resume(w);
        window_wait_free(w);
    }
}

/* s NULL: of all sessions. */
static void window_drop_waits(struct control *c, const struct session *s)
{
    list_for_each (w, window_waits(c), struct window_wait, link)
        if (!s || w->session == s)
            window_wait_free(w);
}

static void req_window_session_closed(struct control *c, struct session *s)
{
    window_drop_waits(c, s);
}

static void req_window_start(struct control *c)
{
    struct list *waits = c->state[MODULE_REQ_WINDOW] = xcalloc(1, sizeof *waits);
    list_init(waits);
}

static void req_window_stop(struct control *c)
{
    window_drop_waits(c, NULL);
    free(window_waits(c));
}

const struct module_ops req_window_module = {.start = req_window_start,
                                             .stop = req_window_stop,
                                             .names_told = req_window_names_told,
                                             .session_closed = req_window_session_closed};
