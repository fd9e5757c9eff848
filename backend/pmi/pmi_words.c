#include "backend/pmi/pmi_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"

const char *pmi_words_value(const struct pmi_words *w, const char *key)
{
    for (size_t i = 0; i + 1 < w->v.n; i += 2)
        if (str_eq(w->v.v[i], key))
            return w->v.v[i + 1];
    return NULL;
}

void pmi_words_split_v2(const char *s, struct pmi_words *ret)
{
    while (*s) {
        size_t n = strcspn(s, "=;");
        struct str value = STR_INIT;
        char *key = xstrndup(s, n);
        s += n;
        if (*s == '=')
            for (s++; *s && (*s != ';' || s[1] == ';'); s++) {
                str_append_char(&value, *s);
                s += *s == ';';
            }
        s += *s == ';';
        strv_push_take(&ret->v, key);
        strv_push_take(&ret->v, str_take(&value));
    }
}

/* A value that is the last may hold blanks. */
void pmi_words_split_v1(const char *s, struct pmi_words *ret)
{
    while (*(s += strspn(s, " "))) {
        size_t n = strcspn(s, "= ");
        char *key = xstrndup(s, n);
        s += n + (s[n] == '=');
        n = str_eq(key, "value") ? strlen(s) : strcspn(s, " ");
        strv_push_take(&ret->v, key);
        strv_push_take(&ret->v, xstrndup(s, n));
        s += n;
    }
}

static void pmi_words_escape(struct str *out, const char *value)
{
    for (; *value; value++) {
        str_append_char(out, *value);
        if (*value == ';')
            str_append_char(out, ';');
    }
}

void pmi_words_answer_v2(struct str *out, const char *cmd, const char *thread, const char *more,
                         const char *value, int rc)
{
    struct str s = STR_INIT;
    char length[16];
    str_appendf(&s, "cmd=%s-response;", cmd);
    if (thread)
        str_appendf(&s, "thrid=%s;", thread);
    str_append(&s, more);
    if (value) {
        str_append(&s, "value=");
        pmi_words_escape(&s, value);
        str_append_char(&s, ';');
    }
    str_appendf(&s, "rc=%d;", rc);
    snprintf(length, sizeof length, "%6zu", s.len);
    str_append_n(out, length, 6);
    str_append_n(out, s.s, s.len);
    str_fini(&s);
}
