/* list.h - intrusive doubly linked lists.
 *
 * A struct list is both head and link. An empty list and an unlinked link point to themselves, so unlinking
 * twice is harmless and moving an object between lists cannot fail.
 */
#ifndef STOKER_BASE_LIST_H
#define STOKER_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct list {
    struct list *next, *prev;
};

#define container_of(p, type, member) ((type *)(void *)((char *)(p)-offsetof(type, member)))

static inline void list_init(struct list *l)
{
    l->next = l->prev = l;
}

static inline bool list_empty(const struct list *l)
{
    return l->next == l;
}

static inline void list_unlink(struct list *l)
{
    l->prev->next = l->next;
    l->next->prev = l->prev;
    list_init(l);
}

/* Links l, which must be unlinked, in front of pos; in front of the head means at the end. */
static inline void list_insert_before(struct list *pos, struct list *l)
{
    l->prev = pos->prev;
    l->next = pos;
    pos->prev->next = l;
    pos->prev = l;
}

static inline void list_append(struct list *head, struct list *l)
{
    list_insert_before(head, l);
}

static inline void list_move_to_end(struct list *head, struct list *l)
{
    list_unlink(l);
    list_append(head, l);
}

#define list_first(head, type, member) \
    (list_empty(head) ? (type *)NULL : container_of((head)->next, type, member))

/* Safe against unlinking the current element. */
#define list_for_each(it, head, type, member)                           \
    for (type *it = container_of((head)->next, type, member),           \
              *it##_next = container_of(it->member.next, type, member); \
         &it->member != (head);                                         \
         it = it##_next, it##_next = container_of(it##_next->member.next, type, member))

#endif
