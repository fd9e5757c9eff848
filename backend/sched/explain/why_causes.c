/* why_causes.c - the list of causes as it grows. */
#include "backend/sched/explain/why_internal.h"

struct cause *why_add(struct msg_why *w, enum why_class cls, enum cause_code code)
{
    struct cause *c = rec_list_push(&w->causes);
    *c = (struct cause){.code = code, .cls = cls};
    return c;
}

struct cause *why_add_take(struct msg_why *w, enum why_class cls, struct cause *c)
{
    struct cause *to = rec_list_push(&w->causes);
    *to = *c;
    to->cls = cls;
    *c = (struct cause){0};
    return to;
}

bool why_names_limit(const struct msg_why *w)
{
    for (size_t i = 0; i < w->causes.n; i++)
        if (w->causes.v[i].cls == WHY_USER_LIMIT || w->causes.v[i].cls == WHY_GROUP_LIMIT)
            return true;
    return false;
}
