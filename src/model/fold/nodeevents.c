/* nodeevents.c - what has happened to a node. */
#include "src/model/fold/nodeevents.h"

#include <string.h>

#include "src/base/xalloc.h"

static enum node_news nodeevents_kind(const struct event *ev)
{
    const struct ev_node *node = ev->body;
    if (ev->kind == EV_DRAIN)
        return ((const struct ev_drain *)ev->body)->drain ? NEWS_DRAINED : NEWS_RESUMED;
    if (ev->kind == EV_NOTE)
        return NEWS_NOTED;
    if (ev->kind == EV_NODE && node->news < NEWS_N) /* a later release may know more */
        return (enum node_news)node->news;
    return NEWS_NONE;
}

bool nodeevents_keeps(const struct event *ev)
{
    return nodeevents_kind(ev) != NEWS_NONE;
}

static void nodeevents_push(struct node *n, struct node_event e)
{
    if (n->events.n >= NODE_EVENTS_MAX) {
        rec_fini(&node_event_rec, &n->events.v[0]);
        memmove(n->events.v, n->events.v + 1, (n->events.n - 1) * sizeof *n->events.v);
        n->events.n--;
    }
    *(struct node_event *)rec_list_push(&n->events) = e;
}

void nodeevents_note(struct node *n, const struct event *ev)
{
    struct node_event e = {.t = ev->t, .kind = nodeevents_kind(ev)};
    const struct ev_drain *drain = ev->body;
    const struct ev_note *note = ev->body;
    const struct ev_node *node = ev->body;
    if (e.kind == NEWS_NONE)
        return;
    if (ev->kind == EV_DRAIN) {
        e.text = drain->drain ? xstrdup(drain->reason) : NULL;
        e.user = xstrdup(drain->user);
    } else if (ev->kind == EV_NOTE) {
        e.text = str_is_empty(note->text) ? NULL : xstrdup(note->text);
        e.user = xstrdup(note->user);
    } else {
        e.text = xstrdup(node->news_text);
    }
    nodeevents_push(n, e);
}

bool nodeevents_is_away(const struct node *n)
{
    for (size_t i = n->events.n; i-- > 0;)
        if (n->events.v[i].kind == NEWS_LOST || n->events.v[i].kind == NEWS_BACK ||
            n->events.v[i].kind == NEWS_REBOOTED)
            return n->events.v[i].kind == NEWS_LOST;
    return false;
}
