#include "src/base/words.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#define NAME_MAX_LEN 64

int words_split(const char *s, bool comments, struct strv *ret)
{
    struct str word = STR_INIT;
    bool open = false; /* within a word, an empty quoted one included */
    char quote = '\0';
    for (; *s; s++) {
        if (quote ? *s == quote : *s == '"' || *s == '\'') {
            quote = quote ? '\0' : *s;
            open = true;
        } else if (!quote && isspace((unsigned char)*s)) {
            if (open)
                strv_push(ret, word.s);
            str_clear(&word);
            open = false;
        } else if (comments && !quote && *s == '#') {
            break;
        } else {
            if (*s == '\\' && quote != '\'' && s[1])
                s++;
            str_append_char(&word, *s);
            open = true;
        }
    }
    if (open && !quote)
        strv_push(ret, word.s);
    str_fini(&word);
    return quote ? -EINVAL : 0;
}

void words_append(struct str *line, const char *word)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789%+,-./:=@_^";
    str_append(line, line->len ? " " : "");
    if (*word && !word[strspn(word, plain)]) {
        str_append(line, word);
        return;
    }
    str_append_char(line, '\'');
    for (; *word; word++)
        if (*word == '\'')
            str_append(line, "'\\''");
        else
            str_append_char(line, *word);
    str_append_char(line, '\'');
}

static size_t words_min3(size_t a, size_t b, size_t c)
{
    size_t m = a < b ? a : b;
    return m < c ? m : c;
}

bool word_begins(const char *word, const char *name, size_t min)
{
    size_t n = strlen(word);
    return n >= min && n <= strlen(name) && strncasecmp(word, name, n) == 0;
}

size_t words_distance(const char *a, const char *b)
{
    size_t row[NAME_MAX_LEN];
    size_t n = strlen(b);
    if (n >= NAME_MAX_LEN || strlen(a) >= NAME_MAX_LEN)
        return SIZE_MAX;
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t above = row[j];
            row[j] = words_min3(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[n];
}
