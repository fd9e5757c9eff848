#include "backend/net/byte_budget.h"

void byte_budget_init(struct byte_budget *b, size_t most)
{
    *b = (struct byte_budget){.most = most};
    list_init(&b->waiting);
}

/* An eighth must be free first: else every byte that is given back would have all of them look again. */
static void budget_serve_waiting(struct byte_budget *b)
{
    struct list now;
    if (list_empty(&b->waiting) || (b->most && b->used > b->most - b->most / 8))
        return;
    list_init(&now);
    while (!list_empty(&b->waiting))
        list_move_to_end(&now, b->waiting.next);
    while (!list_empty(&now)) {
        struct budget_place *p = list_first(&now, struct budget_place, link);
        list_unlink(&p->link);
        p->serve(p->ctx);
    }
}

void budget_place_charge(struct budget_place *p, size_t bytes)
{
    struct byte_budget *b = p->budget;
    size_t before = p->charged;
    if (!b || before == bytes)
        return;
    p->charged = bytes;
    b->used = b->used - before + bytes;
    if (b->used > b->peak)
        b->peak = b->used;
    if (bytes < before)
        budget_serve_waiting(b);
}

bool budget_place_has_room(const struct budget_place *p, size_t more)
{
    const struct byte_budget *b = p->budget;
    return !b || !b->most || b->used == p->charged || b->used + more <= b->most;
}

size_t budget_place_kept(const struct budget_place *p, size_t most)
{
    const struct byte_budget *b = p->budget;
    return b && b->most && b->used > b->most / 2 ? 0 : most;
}

void budget_place_wait(struct budget_place *p)
{
    if (!p->budget || !list_empty(&p->link))
        return;
    list_append(&p->budget->waiting, &p->link);
    p->budget->n_waited++;
}

void budget_place_leave(struct budget_place *p)
{
    struct byte_budget *b = p->budget;
    if (!b)
        return;
    list_unlink(&p->link);
    budget_place_charge(p, 0);
    p->budget = NULL;
    p->charged = 0;
    budget_serve_waiting(b);
}

void budget_place_join(struct budget_place *p, struct byte_budget *b)
{
    size_t bytes = p->charged;
    if (p->budget == b)
        return;
    budget_place_leave(p);
    p->budget = b;
    if (b)
        budget_place_charge(p, bytes);
}
