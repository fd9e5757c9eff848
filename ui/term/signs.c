/* signs.c - the signs of the screens, and what they are in ASCII. */
#include "ui/term/signs.h"

#include <string.h>

#include "src/base/utf8.h"

static const struct {
    const char *sign;
    char letter;
} states[] = {
    {SIGN_RUNNING, 'R'},   {SIGN_WAITING, 'P'},   {SIGN_HELD, 'H'},      {SIGN_DONE, 'D'},
    {SIGN_FAILED, '!'},    {SIGN_CANCELLED, 'X'}, {SIGN_PREEMPTED, '~'}, {SIGN_ENDING, 'c'},
    {SIGN_STARTING, 's'},  {SIGN_SUSPENDED, 'S'}, {SIGN_TIMEOUT, 'T'},   {SIGN_MEMORY, 'M'},
    {SIGN_NODE_FAIL, 'N'}, {SIGN_DEADLINE, 'L'},
};

static const struct {
    uint32_t cp;
    char plain;
} others[] = {
    {0x00b7, '.'}, {0x2571, 'x'}, {0x2591, '-'}, {0x2592, '='}, {0x2593, '>'}, {0x259a, '!'},
    {0x259e, '!'}, {0x2588, '#'}, {0x25cf, '*'}, {0x25d0, '+'}, {0x25c9, 'A'}, {0x25cb, '.'},
    {0x2026, '+'}, {0x00d7, 'x'}, {0x2500, '-'}, {0x2502, '|'}, {0x2514, '`'}, {0x251c, '|'},
    {0x203a, '>'}, {0x256d, '+'}, {0x256e, '+'}, {0x256f, '+'}, {0x2570, '+'}, {0x2503, '#'},
    {0x2715, '#'}, {0x25be, 'v'}, {0x25b8, '>'}, {0x25b4, '^'}, {0x25b2, '^'}, {0x25bc, 'v'},
    {0x25a0, '#'}, {0x25a1, 'o'}, {0x25c6, 'w'}, {0x25bd, 'v'}, {0x25bc, 'V'}, {0x25a8, '='},
};

const char *sign_of(char letter, char buf[static 2])
{
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
        if (states[i].letter == letter)
            return states[i].sign;
    buf[0] = letter;
    buf[1] = '\0';
    return buf;
}

const char *bar_sign(enum role role)
{
    static const struct {
        enum role role;
        const char *sign;
    } signs[] = {
        {ROLE_BAR_FREE, "\u00b7"},    {ROLE_BAR_IDLE, "\u2592"}, {ROLE_BAR_OUT, "\u2571"},
        {ROLE_BAR_FAIL, "\u259a"},    {ROLE_BAR_RUN, "\u2593"},  {ROLE_BAR_GONE, "\u2591"},
        {ROLE_BAR_FOREIGN, "\u259e"},
    };
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (signs[i].role == role)
            return signs[i].sign;
    return "\u2588";
}

/* Of a line of the past: how high it is. */
static char plain_braille(uint32_t dots)
{
    int n = __builtin_popcount(dots & 0xff);
    return "_.:-=+*#"[n > 0 ? n - 1 : 0];
}

/* 0: it has none. */
static char plain_of(uint32_t cp)
{
    if (cp >= SIGN_BRAILLE && cp < SIGN_BRAILLE + 256)
        return plain_braille(cp - SIGN_BRAILLE);
    if (cp >= 0x2589 && cp <= 0x258f)                   /* eighths of a cell */
        return cp > 0x2589 && cp <= 0x258c ? '#' : '.'; /* what is not full does not look so */
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i].cp == cp)
            return others[i].plain;
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
        uint32_t sign = 0;
        utf8_decode(states[i].sign, strlen(states[i].sign), &sign);
        if (sign == cp)
            return states[i].letter;
    }
    return 0;
}

uint32_t sign_of_end(enum role role, uint32_t cp)
{
    uint32_t sign;
    const char *s = bar_sign(cp >= 0x258a && cp <= 0x258c ? role : ROLE_BAR_FREE);
    if (cp < 0x2589 || cp > 0x258f)
        return 0;
    utf8_decode(s, strlen(s), &sign);
    return sign;
}

void signs_to_ascii(struct str *out, const char *s, enum role role)
{
    size_t n = strlen(s);
    for (size_t i = 0, len; i < n; i += len) {
        uint32_t cp = 0;
        len = utf8_decode(s + i, n - i, &cp);
        uint32_t end = len > 1 ? sign_of_end(role, cp) : 0;
        char plain = len > 1 ? plain_of(end ? end : cp) : 0;
        len = len ? len : 1;
        if (plain)
            str_append_char(out, plain);
        else
            str_append_n(out, s + i, len);
    }
}
