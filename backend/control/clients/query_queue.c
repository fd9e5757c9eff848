/* query_queue.c - those who ask for rows wait in a line, and a turn has only so much time for all of them.
 *
 * Who submits waits for the turn that is under way and its own, never for the hundred who look. Who asks
 * what somebody before him is just being told waits for that answer: it is made once for all of them.
 */
#include <string.h>

#include "backend/control/private.h"
#include "src/base/units.h"
#include "src/proto/codec.h"

#define TURN_MS 2

static void line_up(struct session *s)
{
    struct party *p = s->party;
    list_append(&p->looks, &s->look.link);
    if (list_empty(&p->look_link))
        list_append(&s->ctl->look_parties, &p->look_link);
    s->ctl->n_looks++;
}

static void leave(struct session *s)
{
    if (list_empty(&s->look.link))
        return;
    list_unlink(&s->look.link);
    if (list_empty(&s->party->looks))
        list_unlink(&s->party->look_link);
    s->ctl->n_looks--;
}

/* The next in line of the next party: who looks with fifty connections is served as often as who has one.
 */
static struct session *take_next(struct control *c)
{
    struct party *p = list_first(&c->look_parties, struct party, look_link);
    list_move_to_end(&c->look_parties, &p->look_link);
    struct session *s = list_first(&p->looks, struct session, look.link);
    leave(s);
    return s;
}

void look_end(struct session *s)
{
    leave(s);
    str_fini(&s->look.key);
    answer_fini(&s->look.keep);
    s->look.begun = s->look.keeping = false;
}

void look_begin(struct session *s)
{
    s->look.asked = mono_read();
    if (!s->get.follow)
        codec_encode(&msg_get_rec, &s->get, &s->look.key);
    line_up(s);
}

void look_continue(struct session *s)
{
    if (list_empty(&s->look.link))
        line_up(s);
}

void look_note(struct session *s, const void *body, size_t n)
{
    struct look *l = &s->look;
    if (l->keeping)
        l->keeping = answer_add(&l->keep, body, n);
}

static bool is_same_question(const struct look *a, const struct look *b)
{
    return a->key.len && a->key.len == b->key.len && memcmp(a->key.s, b->key.s, a->key.len) == 0;
}

/* Somebody in the line gets the same answer, and may have been told half of it. */
static bool is_being_made(const struct session *s)
{
    list_for_each (p, &s->ctl->look_parties, struct party, look_link)
        list_for_each (o, &p->looks, struct session, look.link)
            if (o->look.begun && o->look.keeping && is_same_question(&o->look, &s->look))
                return true;
    return false;
}

static struct answer_stamp stamp_now(const struct control *c)
{
    return (struct answer_stamp){.events = c->stats.events,
                                 .passes = c->stats.passes,
                                 .second = loop_wall(c->loop).ms / MS_PER_S,
                                 .begun_ns = mono_read().ns};
}

static void keep(struct session *s)
{
    struct look *l = &s->look;
    struct answer_stamp made = l->stamp, now = stamp_now(s->ctl);
    if (made.events != now.events || made.passes != now.passes)
        made.events = ANSWER_CHANGED;
    if (l->keeping)
        answers_take(s->ctl->answers, &l->key, made, &l->keep);
}

static void serve(struct session *s, struct mono until)
{
    struct control *c = s->ctl;
    struct look *l = &s->look;
    if (!l->begun) {
        rows_send_spec(s);
        l->stamp = stamp_now(c);
        const struct answer *a =
            l->key.len ? answers_find(c->answers, &l->key, l->stamp, l->asked.ns) : NULL;
        if (a) {
            rows_send_kept(s, a);
            look_end(s);
            return;
        }
        l->begun = true;
        l->keeping = l->key.len > 0;
    }
    switch (rows_slice(s, until)) {
    case SLICE_MORE: line_up(s); return;
    case SLICE_FULL: conn_ask_drain(s->conn); return;
    case SLICE_LAST: keep(s); break;
    }
    look_end(s);
}

void ctl_look_on(void *ctx)
{
    (void)ctx; /* the end of the turn does the rest */
}

void ctl_serve_looks(struct control *c)
{
    struct mono until = mono_add_ms(mono_read(), TURN_MS);
    size_t passed_over = 0;
    bool late = false;
    while (!late && c->n_looks > passed_over) {
        struct session *s = take_next(c);
        if (!s->snapshotting) { /* what it was to get is void */
            look_end(s);
            continue;
        }
        if (!s->look.begun && is_being_made(s)) {
            line_up(s);
            passed_over++;
            continue;
        }
        passed_over = 0;
        serve(s, until);
        late = mono_read().ns >= until.ns;
    }
    if (c->n_looks)
        loop_timer_set(c->loop, &c->look_timer, 0);
}
