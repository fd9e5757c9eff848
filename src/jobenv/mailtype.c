/* mailtype.c - --mail-type. */
#include "src/jobenv/mailtype.h"

#include "src/base/str.h"

static const struct {
    const char *word;
    bool all;
} types[MAIL_N_TYPES] = {
#define X(name, text, of_all) [MAIL_##name] = {.word = text, .all = of_all},
    MAIL_TYPES(X)
#undef X
};

static bool mailtype_add(const char *word, uint32_t *mask)
{
    bool all = str_ieq(word, "ALL"), known = all;
    if (str_ieq(word, "NONE")) {
        *mask = 0;
        return true;
    }
    for (unsigned i = 0; i < MAIL_N_TYPES; i++)
        if (all ? types[i].all : str_ieq(word, types[i].word)) {
            *mask |= 1u << i;
            known = true;
        }
    return known;
}

bool mail_types_parse(const char *text, uint32_t *ret_mask)
{
    uint32_t mask = 0;
    bool ok = true;
    struct strv words = strv_split(text ? text : "", ", ");
    for (size_t i = 0; i < words.n; i++)
        ok = mailtype_add(words.v[i], &mask) && ok;
    strv_fini(&words);
    *ret_mask = mask;
    return ok;
}
