#include "backend/control/nodes/node_avoid.h"

#include <stdlib.h>
#include <string.h>

#include "backend/control/emit.h"
#include "backend/control/nodes/stuck_nodes.h"
#include "src/base/utf8.h"
#include "src/os/log.h"

#define USER_MS   600000
#define ALL_MS    60000
#define TEXT_MAX  200
#define USERS_MAX 64 /* a node that refuses this many users is avoided for all */

static int64_t node_avoid_pause_ms(const struct control *c, uint32_t uid)
{
    int64_t ms = c->settings.hooks.avoid_ms;
    return ms ? ms : uid == AVOID_ALL_USERS ? ALL_MS : USER_MS;
}

/* A clock that was set back must not prolong it. */
static bool node_avoid_is_over(const struct control *c, const struct node_avoid *a, struct wall now)
{
    return a->until.ms <= now.ms || a->until.ms > now.ms + node_avoid_pause_ms(c, a->uid);
}

/* The rows that still count, of other users than uid. */
static void node_avoid_keep_rows(const struct control *c, const struct node *n, struct wall now,
                                 uint32_t uid, struct ev_avoid *ret)
{
    *ret = (struct ev_avoid){.node = xstrdup(n->spec.name)};
    for (size_t i = 0; i < n->avoids.n; i++)
        if (!node_avoid_is_over(c, &n->avoids.v[i], now) && n->avoids.v[i].uid != uid)
            rec_copy(&node_avoid_rec, rec_list_push(&ret->rows), &n->avoids.v[i]);
}

static void node_avoid_set_timer(struct control *c)
{
    int64_t next_ms = INT64_MAX, now_ms = loop_wall(c->loop).ms;
    for (size_t i = 0; i < c->model.n_nodes; i++)
        for (size_t k = 0; k < c->model.nodes[i]->avoids.n; k++) {
            int64_t ms = c->model.nodes[i]->avoids.v[k].until.ms - now_ms;
            next_ms = ms < next_ms ? ms : next_ms;
        }
    if (next_ms == INT64_MAX)
        return;
    next_ms = next_ms < 1 ? 1 : next_ms > USER_MS ? USER_MS : next_ms;
    loop_timer_set(c->loop, c->state[MODULE_NODE_AVOID], next_ms);
}

void node_avoid_expire(struct control *c)
{
    struct wall now = loop_wall(c->loop);
    for (size_t i = 0; i < c->model.n_nodes && !c->read_only; i++) {
        const struct node *n = c->model.nodes[i];
        struct ev_avoid body;
        if (!n->avoids.n || n->gone)
            continue;
        node_avoid_keep_rows(c, n, now, 0, &body);
        size_t n_over = 0;
        for (size_t k = 0; k < n->avoids.n; k++)
            n_over += node_avoid_is_over(c, &n->avoids.v[k], now);
        if (!n_over) {
            rec_fini(&ev_avoid_rec, &body);
            continue;
        }
        log_info("node=%s no longer avoided by users whose jobs it could not start", n->spec.name);
        ctl_emit(c, EV_AVOID, 0, &body);
    }
    node_avoid_set_timer(c);
}

void node_avoid_clear(struct control *c, const char *node)
{
    const struct node *n = model_get_node(&c->model, node);
    if (!n || !n->avoids.n)
        return;
    struct ev_avoid body = {.node = xstrdup(node)};
    ctl_emit(c, EV_AVOID, 0, &body);
}

/* A node's message, as it may be shown to all users. Caller frees. */
static char *node_avoid_clean_text(const char *message)
{
    char *text = xstrdup(str_is_empty(message) ? "no reason is given" : message);
    utf8_clean(text, TEXT_MAX);
    return text;
}

static void node_avoid_add(struct control *c, const struct node *n, const struct job *j,
                           const struct launch_end *end)
{
    bool all = end->fault == FAULT_NODE || n->avoids.n >= USERS_MAX;
    uint32_t uid = all ? AVOID_ALL_USERS : j->uid;
    struct ev_avoid body;
    struct wall now = loop_wall(c->loop);
    const struct node_avoid *known = node_avoids(n, j->uid);
    if (known && !node_avoid_is_over(c, known, now) && (known->uid == uid || known->uid == AVOID_ALL_USERS))
        return; /* launched before that was known */
    char *text = node_avoid_clean_text(end->message);
    log_warn("node=%s starts no jobs%s%s for now: %s", n->spec.name, all ? "" : " of ", all ? "" : j->user,
             text);
    node_avoid_keep_rows(c, n, now, uid, &body);
    *(struct node_avoid *)rec_list_push(&body.rows) =
        (struct node_avoid){.uid = uid,
                            .user = all ? NULL : xstrdup(j->user),
                            .text = text,
                            .until = {.ms = now.ms + node_avoid_pause_ms(c, uid)}};
    ctl_emit(c, EV_AVOID, 0, &body);
    node_avoid_set_timer(c);
}

static bool node_avoid_is_spool_full(const struct launch_end *end)
{
    return end->message && strncmp(end->message, NODE_SPOOL_FULL, strlen(NODE_SPOOL_FULL)) == 0;
}

bool node_avoid_spare_job(struct control *c, const char *node, const struct launch_end *end)
{
    const struct job *j = model_get_job(&c->model, end->key.job);
    const struct node *n = model_get_node(&c->model, node);
    const struct launch_key *k = &end->key;
    if (end->end_kind != END_LAUNCH_FAILED || !j || !n ||
        (end->fault == FAULT_JOB && !node_avoid_is_spool_full(end)))
        return false;
    if (node_avoid_is_spool_full(end))
        stuck_nodes_note_disk(c, node, true);
    else
        node_avoid_add(c, n, j, end);
    if (j->kind == JOB_KIND_STEPS) {
        struct ev_unplace body = {.step = k->step, .task = k->task, .attempt = k->attempt};
        return ctl_emit(c, EV_UNPLACE, j->id, &body) == 0;
    }
    if (k->step != STEP_BATCH || (j->state != JOB_RUNNING && j->state != JOB_SUSPENDED))
        return false;
    struct ev_kill body = {.step = STEP_ALL, .cause = KILL_NODE_FAIL, .fate = FATE_REQUEUE};
    struct cause *why = causes_set(&body.why, CAUSE_JOB_NODE_REFUSED);
    why->name = xstrdup(node);
    why->text = node_avoid_clean_text(end->message);
    ctl_emit(c, EV_KILL, j->id, &body);
    return false;
}

static void node_avoid_on_timer(void *ctx)
{
    node_avoid_expire(ctx);
}

static void node_avoid_start(struct control *c)
{
    struct loop_timer *timer = c->state[MODULE_NODE_AVOID] = xcalloc(1, sizeof *timer);
    *timer = (struct loop_timer){.fn = node_avoid_on_timer, .ctx = c};
}

static void node_avoid_stop(struct control *c)
{
    loop_timer_cancel(c->loop, c->state[MODULE_NODE_AVOID]);
    free(c->state[MODULE_NODE_AVOID]);
}

const struct module_ops node_avoid_module = {.start = node_avoid_start, .stop = node_avoid_stop};
