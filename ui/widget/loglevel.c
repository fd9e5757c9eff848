/* loglevel.c - words in lines of logs that tell of an error or a warning. */
#include "ui/widget/loglevel.h"

#include <ctype.h>
#include <string.h>

#include "src/base/xalloc.h"

/* Capitals mark a level anywhere. A word in small letters counts only as compilers and shells write it,
 * with a colon: "0 errors" and "loss, error 0.02" are good news. */
static const struct {
    const char *word;
    enum role role;
} levels[] = {
    {"ERROR", ROLE_ERROR},
    {"CRITICAL", ROLE_ERROR},
    {"FATAL", ROLE_ERROR},
    {"SEVERE", ROLE_ERROR},
    {"PANIC", ROLE_ERROR},
    {"WARNING", ROLE_WARN},
    {"WARN", ROLE_WARN},
    {"error:", ROLE_ERROR},
    {"Error:", ROLE_ERROR},
    {"fatal:", ROLE_ERROR},
    {"Fatal:", ROLE_ERROR},
    {"panic:", ROLE_ERROR},
    {"warning:", ROLE_WARN},
    {"Warning:", ROLE_WARN},
    {"Exception:", ROLE_ERROR},
    {"Traceback (most recent call last)", ROLE_ERROR},
    {"Segmentation fault", ROLE_ERROR},
    {"out of memory", ROLE_ERROR},
    {"Out of memory", ROLE_ERROR},
};

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* "ValueError:" is an error in all its letters; "NOERROR" and "ERRORS_MAX" are none. */
static bool loglevel_fits(const char *text, size_t at, size_t n)
{
    bool names = text[at + n - 1] == ':' && isupper((unsigned char)text[at]);
    return (names || !at || !is_word_char(text[at - 1])) && !is_word_char(text[at + n]);
}

bool loglevel_find(const char *text, size_t *at, size_t *ret_n, enum role *ret_role)
{
    bool found = false;
    size_t from = *at;
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        size_t n = strlen(levels[i].word);
        const char *s = strstr(text + from, levels[i].word);
        while (s && !loglevel_fits(text, (size_t)(s - text), n))
            s = strstr(s + 1, levels[i].word);
        if (!s || (found && (size_t)(s - text) >= *at))
            continue;
        found = true;
        *at = (size_t)(s - text);
        *ret_n = n;
        *ret_role = levels[i].role;
    }
    while (found && *at > from && is_word_char(text[*at - 1])) { /* the name of the exception */
        --*at;
        ++*ret_n;
    }
    return found;
}
