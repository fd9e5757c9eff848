/* linetext.c - a line of output as a terminal would leave it. */
#include "ui/widget/linetext.h"

#define TAB 8

/* Bytes of the control sequence at s, which begins with ESC. */
static size_t escape_bytes(const char *s, size_t n)
{
    if (n < 2)
        return n;
    size_t i = 2;
    if (s[1] == '[') { /* CSI: parameters, then a byte of @..~ */
        while (i < n && (s[i] < 0x40 || s[i] > 0x7e))
            i++;
        return i < n ? i + 1 : n;
    }
    if (s[1] == ']' || s[1] == 'P' || s[1] == '_' || s[1] == '^') { /* a string, up to BEL or ESC \ */
        while (i < n && s[i] != '\a' && !(s[i] == 0x1b && i + 1 < n && s[i + 1] == '\\'))
            i++;
        return i >= n ? n : s[i] == '\a' ? i + 1 : i + 2;
    }
    return s[1] >= 0x20 && s[1] < 0x30 && n > 2 ? 3 : 2; /* ESC ( B, ESC 7 */
}

static void take_back(struct str *out, size_t start)
{
    if (out->len <= start)
        return;
    size_t len = out->len - 1;
    while (len > start && ((unsigned char)out->s[len] & 0xc0) == 0x80)
        len--;
    str_truncate(out, len);
}

/* Where what the last carriage return left begins: one that nothing was written after overwrote nothing. */
static size_t last_pass(const char *s, size_t n)
{
    size_t from = n;
    while (from > 0 && s[from - 1] != '\r')
        from--;
    return from;
}

void linetext_fold(const char *s, size_t n, struct str *out)
{
    size_t start = out->len;
    while (n > 0 && (s[n - 1] == '\n' || s[n - 1] == '\r'))
        n--;
    size_t from = last_pass(s, n);
    s += from;
    n -= from;
    for (size_t i = 0; i < n;) {
        char c = s[i];
        if (c == 0x1b) {
            i += escape_bytes(s + i, n - i);
            continue;
        }
        if (c == '\t')
            do
                str_append_char(out, ' ');
            while ((out->len - start) % TAB);
        else if (c == '\b')
            take_back(out, start);
        else if (c == '\0')
            str_append(out, "\xef\xbf\xbd");
        else if (c != '\a' && c != '\n')
            str_append_char(out, c);
        i++;
    }
}
