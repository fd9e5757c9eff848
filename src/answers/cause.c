#include "src/answers/cause.h"

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

void cause_clear(struct cause *c)
{
    rec_fini(&cause_rec, c);
}
