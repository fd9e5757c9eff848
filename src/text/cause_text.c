#include "src/text/cause_text.h"

#include "src/lang/lang.h"
#include "src/text/cause_sentence.h"
#include "src/text/cause_template.h"

static const struct cause_sentence *cause_find_sentence(uint32_t code)
{
    static const struct cause_sentence *const tables[] = {cause_job_sentences, cause_limit_sentences,
                                                          cause_place_sentences, cause_refusal_sentences,
                                                          cause_end_sentences};
    static const struct cause_sentence none = {.full = ""};
    for (size_t i = 0; code < CAUSE_N_CODES && i < sizeof tables / sizeof *tables; i++)
        if (tables[i][code].full || tables[i][code].full_by)
            return &tables[i][code];
    return &none;
}

void cause_full(struct str *out, const struct cause *c, const struct cause_reader *r)
{
    const struct cause_sentence *s = cause_find_sentence(c->code);
    if (c->code >= CAUSE_N_CODES)
        str_appendf(out, tr("cause %u (of a newer release)"), c->code);
    else if (s->full_by)
        s->full_by(out, c, r, cause_full);
    else
        template_append(out, s->full, c, r, cause_full);
}

void cause_brief(struct str *out, const struct cause *c, const struct cause_reader *r)
{
    const struct cause_sentence *s = cause_find_sentence(c->code);
    if (s->brief_by)
        s->brief_by(out, c, r, cause_full);
    else if (s->brief)
        template_append(out, s->brief, c, r, cause_full);
    else
        cause_full(out, c, r);
}

char *cause_string(const struct cause *c, const struct cause_reader *r)
{
    struct str s = STR_INIT;
    cause_full(&s, c, r);
    return str_take(&s);
}

bool cause_is_known(const struct cause *c, uint32_t n_codes)
{
    bool known = c->code == CAUSE_NONE || c->code < n_codes;
    for (size_t i = 0; known && i < c->parts.n; i++)
        known = cause_is_known(&c->parts.v[i], n_codes);
    return known;
}

const char *cause_template_fault(enum cause_code code)
{
    const struct cause_sentence *s = cause_find_sentence(code);
    const char *fault = NULL;
    if (code != CAUSE_NONE && !s->full_by && str_is_empty(s->full))
        return "there is no sentence";
    if (s->full)
        fault = template_fault(s->full);
    return !fault && s->brief ? template_fault(s->brief) : fault;
}
