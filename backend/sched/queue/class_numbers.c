/* class_numbers.c - classes by number, and those that have changed since a cycle lined them up.
 *
 * What a cycle keeps of a class for the next one refers to it by its number: the class may be gone by then,
 * and its number may be that of another class. Both are changes, which that cycle drops first.
 */
#include "backend/sched/queue/queue.h"

void class_note_changed(struct queue *q, const struct job_class *g)
{
    struct class_numbers *n = &q->classes.numbers;
    uint64_t bit = UINT64_C(1) << g->number % 64;
    if (n->changed_bits.v[g->number / 64] & bit)
        return;
    n->changed_bits.v[g->number / 64] |= bit;
    vec_push(&n->changed, g->number);
}

void class_number_give(struct queue *q, struct job_class *g)
{
    struct class_numbers *n = &q->classes.numbers;
    list_init(&g->entries);
    list_append(&q->classes.list, &g->link);
    g->nth = q->classes.n_made++;
    if (n->unused.n) {
        g->number = n->unused.v[--n->unused.n];
        n->classes.v[g->number] = g;
    } else {
        g->number = (uint32_t)n->classes.n;
        vec_push(&n->classes, g);
        if (g->number % 64 == 0)
            vec_push(&n->changed_bits, 0);
    }
    class_note_changed(q, g);
}

void class_number_take_back(struct queue *q, const struct job_class *g)
{
    struct class_numbers *n = &q->classes.numbers;
    class_note_changed(q, g);
    n->classes.v[g->number] = NULL;
    vec_push(&n->unused, g->number);
}

void class_forget_changes(struct queue *q)
{
    struct class_numbers *n = &q->classes.numbers;
    vec_for_each (&n->changed, i)
        n->changed_bits.v[n->changed.v[i] / 64] = 0;
    vec_clear(&n->changed);
    n->all_changed = false;
}

void class_numbers_fini(struct queue *q)
{
    struct class_numbers *n = &q->classes.numbers;
    vec_fini(&n->classes);
    vec_fini(&n->unused);
    vec_fini(&n->changed);
    vec_fini(&n->changed_bits);
}
