#include "src/model/cause.h"

#include "src/base/err.h"

REC_DEFINE(cause, CAUSE_FIELDS)

const char *why_class_name(enum why_class c)
{
    static const char *const names[WHY_N_CLASSES] = {
#define X(name, text, self) [WHY_##name] = text,
        WHY_CLASSES(X)
#undef X
    };
    return (unsigned)c < WHY_N_CLASSES ? names[c] : "?";
}

const char *cause_code_name(enum cause_code c)
{
    static const char *const names[CAUSE_N_CODES] = {
#define X(name, sets) [CAUSE_##name] = #name,
        CAUSES(X)
#undef X
    };
    return (unsigned)c < CAUSE_N_CODES ? names[c] : "?";
}

struct cause *cause_set(struct cause *c, enum cause_code code)
{
    if (!c)
        return NULL;
    cause_clear(c);
    c->code = code;
    return c;
}

struct cause *cause_add(struct cause *c, enum cause_code code)
{
    struct cause *part = rec_list_push(&c->parts);
    *part = (struct cause){.code = code};
    return part;
}

struct cause *cause_add_take(struct cause *c, struct cause *from)
{
    struct cause *part = rec_list_push(&c->parts);
    *part = *from;
    *from = (struct cause){0};
    return part;
}

struct cause *causes_set(struct causes *list, enum cause_code code)
{
    bug_on(list->n);
    return cause_set(rec_list_push(list), code);
}

void causes_add_copy(struct causes *list, const struct cause *c)
{
    rec_copy(&cause_rec, rec_list_push(list), c);
}

void causes_copy(struct causes *to, const struct causes *from)
{
    rec_list_free(&cause_rec, to);
    *to = (struct causes){0};
    for (size_t i = 0; i < from->n; i++)
        causes_add_copy(to, &from->v[i]);
}

void cause_clear(struct cause *c)
{
    rec_fini(&cause_rec, c);
}
