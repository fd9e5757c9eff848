#include "backend/control/compact.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/model/fold/nodeevents.h"

struct compact_node { /* numbers of events that still count; 0: none */
    uint64_t facts, change, before, newest, drain, note, avoid, unknown;
    uint64_t events[NODE_EVENTS_MAX]; /* that the node's record keeps, the oldest first */
    size_t n_events;
};

static struct compact_node *compact_get_node(struct compact *k, const char *name)
{
    uint64_t id = hash_bytes(name, strlen(name));
    struct compact_node *n = idmap_get(&k->nodes, id);
    if (!n) {
        n = xcalloc(1, sizeof *n);
        idmap_set(&k->nodes, id, n);
    }
    return n;
}

static bool compact_counts(const struct compact_node *n, uint64_t seq)
{
    bool counts = seq == n->facts || seq == n->change || seq == n->before || seq == n->newest ||
                  seq == n->drain || seq == n->note || seq == n->avoid || seq == n->unknown;
    for (size_t i = 0; i < n->n_events && !counts; i++)
        counts = n->events[i] == seq;
    return counts;
}

/* Of what counted before the last event those that nothing counts for any more are superseded. */
static void compact_let_go(struct compact *k, const struct compact_node *old, const struct compact_node *n)
{
    uint64_t seqs[] = {old->facts,  old->change,  old->before,
                       old->newest, old->drain,   old->note,
                       old->avoid,  old->unknown, old->n_events ? old->events[0] : 0};
    for (size_t i = 0; i < sizeof seqs / sizeof seqs[0]; i++) {
        bool again = false;
        for (size_t j = 0; j < i; j++)
            again = again || seqs[j] == seqs[i];
        if (seqs[i] && !again && !compact_counts(n, seqs[i]))
            vec_push(&k->gone, seqs[i]);
    }
}

static void compact_note_event(struct compact_node *n, uint64_t seq)
{
    if (n->n_events == NODE_EVENTS_MAX)
        memmove(n->events, n->events + 1, --n->n_events * sizeof *n->events);
    n->events[n->n_events++] = seq;
}

static void compact_note_node(struct compact_node *n, const struct event *ev, bool changed)
{
    uint64_t newest = n->newest;
    n->newest = ev->seq;
    if (((const struct ev_node *)ev->body)->boot_id)
        n->facts = ev->seq;
    if (changed) {
        n->change = ev->seq;
        n->before = newest;
    }
}

/* The first member of all of these bodies is the name of the node. */
static void compact_note_about_node(struct compact *k, const struct event *ev, bool changed)
{
    struct compact_node *n = compact_get_node(k, *(char *const *)ev->body), old = *n;
    if (ev->kind == EV_NODE)
        compact_note_node(n, ev, changed);
    else if (ev->kind == EV_DRAIN)
        n->drain = ev->seq;
    else if (ev->kind == EV_NOTE)
        n->note = ev->seq;
    else if (ev->kind == EV_AVOID)
        n->avoid = ev->seq;
    else
        n->unknown = ev->seq;
    if (nodeevents_keeps(ev))
        compact_note_event(n, ev->seq);
    compact_let_go(k, &old, n);
}

/* The newest event of a window holds all of it. A removed window needs no event, but its removal may be the
 * last event of all, whose number must not be given again: both go with the next event about a window. */
static void compact_note_window(struct compact *k, const struct event *ev)
{
    const struct ev_window *b = ev->body;
    uint64_t id = hash_bytes(b->window.name, strlen(b->window.name));
    uint64_t old = (uint64_t)(uintptr_t)idmap_remove(&k->windows, id);
    for (size_t i = 0; i < 2 && k->removed[i]; i++)
        vec_push(&k->gone, k->removed[i]);
    k->removed[0] = k->removed[1] = 0;
    if (b->remove) {
        k->removed[0] = old;
        k->removed[1] = ev->seq;
        return;
    }
    if (old)
        vec_push(&k->gone, old);
    idmap_set(&k->windows, id, (void *)(uintptr_t)ev->seq);
}

static bool compact_is_about_node(const struct event *ev)
{
    return ev->kind == EV_NODE || ev->kind == EV_DRAIN || ev->kind == EV_NOTE || ev->kind == EV_AVOID ||
           ev->kind == EV_UNKNOWN;
}

int compact_apply(struct compact *k, struct model *m, const struct event *ev)
{
    const struct ev_node *b = ev->kind == EV_NODE ? ev->body : NULL;
    const struct node *node = b && b->node ? model_get_node(m, b->node) : NULL;
    bool changed = node && node->state != b->state;
    int r = model_apply(m, ev);
    if (k->unfit) /* only once there is a later number: no number is given twice */
        vec_push(&k->gone, k->unfit);
    k->unfit = r == -ENOENT && compact_is_about_node(ev) ? ev->seq : 0;
    if (k->unfit)
        return 0;
    if (r < 0)
        return r;
    if (compact_is_about_node(ev)) {
        compact_note_about_node(k, ev, changed);
    } else if (ev->kind == EV_EPOCH) {
        if (k->epoch)
            vec_push(&k->gone, k->epoch);
        k->epoch = ev->seq;
    } else if (ev->kind == EV_USAGE) {
        if (k->usage)
            vec_push(&k->gone, k->usage);
        k->usage = ev->seq;
    } else if (ev->kind == EV_WINDOW) {
        compact_note_window(k, ev);
    }
    return 0;
}

void compact_fini(struct compact *k)
{
    idmap_for_each (&k->nodes, slot)
        free(slot->value);
    idmap_fini(&k->nodes);
    idmap_fini(&k->windows);
    vec_fini(&k->gone);
}
