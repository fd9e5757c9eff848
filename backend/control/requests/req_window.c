#include "backend/control/requests/req_window.h"

#include <stdlib.h>
#include <string.h>

#include "backend/control/emit.h"
#include "backend/control/user_cache.h"
#include "src/base/hostlist.h"
#include "src/base/log.h"
#include "src/base/utf8.h"
#include "src/base/xalloc.h"

#define NAME_MAX_BYTES 128
#define TEXT_MAX_BYTES 1024
#define WINDOWS_MAX    10000u
#define NAMES_MAX      1000u /* users and accounts of one */

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
static enum refusal window_check_users(const struct window *w, const struct window *old, struct cause *why)
{
    for (size_t i = 0; i < w->users.n; i++) {
        const char *name = w->users.v[i];
        if ((!old || !strv_has(&old->users, name)) && !user_is_there(name)) {
            *why = (struct cause){.code = CAUSE_NO_USER, .name = xstrdup(name)};
            return REFUSAL_NO_USER;
        }
    }
    return REFUSAL_NONE;
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
    r = r == REFUSAL_NONE ? window_check_users(w, old, why) : r;
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

void req_window(struct session *s, uint64_t tag, void *body)
{
    struct msg_window_set *m = body;
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
