/* input.c - names of keys. */
#include "ui/keys/input.h"

#include <string.h>
#include <strings.h>

#include "src/base/utf8.h"

static const struct {
    const char *name;
    uint32_t key;
} named[] = {
#define X(member, value, text) {.name = text, .key = value},
    NAMED_KEYS(X)
#undef X
};

#define N_NAMED (sizeof named / sizeof named[0])

void key_format(uint32_t key, struct str *out)
{
    for (size_t i = 0; i < N_NAMED; i++)
        if (named[i].key == key) {
            str_append(out, named[i].name);
            return;
        }
    if (key < 0x20) {
        str_appendf(out, "Ctrl-%c", (char)(key | 0x40));
    } else if (key <= 0x10ffff) {
        char b[4];
        str_append_n(out, b, utf8_encode(key, b));
    }
}

uint32_t key_parse(const char *text)
{
    for (size_t i = 0; i < N_NAMED; i++)
        if (str_ieq(text, named[i].name))
            return named[i].key;
    const char *ctrl = str_starts(text, "C-")                             ? text + 2
                       : strncasecmp(text, "Ctrl-", strlen("Ctrl-")) == 0 ? text + strlen("Ctrl-")
                                                                          : "";
    if (*ctrl >= 0x40 && *ctrl <= 0x7e && !ctrl[1])
        return CTRL_KEY(*ctrl);
    uint32_t cp = 0;
    size_t n = strlen(text), len = utf8_decode(text, n, &cp);
    return len && len == n && utf8_width(cp) > 0 ? cp : 0;
}

bool key_is_text(uint32_t key)
{
    return key >= 0x20 && key != 0x7f && key <= 0x10ffff && utf8_width(key) >= 0;
}
