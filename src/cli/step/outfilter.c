/* outfilter.c - output of jobs on its way to a terminal. */
#include "src/cli/step/outfilter.h"

#include <string.h>

#include "src/base/utf8.h"

#define ESC '\033'

static void show_byte(struct str *out, unsigned char c)
{
    str_appendf(out, "\\x%02X", c);
}

/* At s stands ESC. Length of the SGR sequence; 0: it may become one with more bytes; -1: it is none. */
static int sgr_length(const char *s, size_t n)
{
    if (n < 2)
        return 0;
    if (s[1] != '[')
        return -1;
    for (size_t i = 2; i < n && i < sizeof((struct outfilter *)NULL)->carry; i++) {
        if (s[i] == 'm')
            return (int)i + 1;
        if ((s[i] < '0' || s[i] > '9') && s[i] != ';')
            return -1;
    }
    return n < sizeof((struct outfilter *)NULL)->carry ? 0 : -1;
}

/* Could these bytes be the beginning of a longer UTF-8 character? */
static bool is_utf8_head(const char *s, size_t n)
{
    unsigned char c = (unsigned char)s[0];
    size_t want = c >= 0xf0 && c < 0xf5 ? 4 : c >= 0xe0 ? 3 : c >= 0xc2 ? 2 : 1;
    if (c >= 0xf5 || n >= want)
        return false;
    for (size_t i = 1; i < n; i++)
        if (((unsigned char)s[i] & 0xc0) != 0x80)
            return false;
    return true;
}

/* One unit at s. Returns the bytes used; 0: more are needed. */
static size_t take_unit(struct outfilter *f, struct str *out, const char *s, size_t n)
{
    unsigned char c = (unsigned char)s[0];
    if (c == '\n' || c == '\t' || (c >= ' ' && c < 0x7f)) {
        str_append_char(out, (char)c);
        return 1;
    }
    if (c == ESC) {
        int len = sgr_length(s, n);
        if (len == 0)
            return 0;
        if (len > 0) {
            str_append_n(out, s, (size_t)len);
            f->colored = !(len == 3 || (len == 4 && s[2] == '0'));
            return (size_t)len;
        }
    }
    if (c >= 0x80) {
        uint32_t cp;
        size_t len = utf8_decode(s, n, &cp);
        if (!len && is_utf8_head(s, n))
            return 0;
        if (len && utf8_width(cp) >= 0) {
            str_append_n(out, s, len);
            return len;
        }
    }
    show_byte(out, c);
    return 1;
}

static void take_all(struct outfilter *f, struct str *out, const char *s, size_t n)
{
    for (size_t at = 0; at < n;) {
        if (s[at] == '\r') {
            if (f->had_cr)
                str_append_char(out, '\n');
            f->had_cr = true;
            at++;
            continue;
        }
        if (f->had_cr && s[at] != '\n')
            str_append_char(out, '\n');
        f->had_cr = false;
        size_t used = take_unit(f, out, s + at, n - at);
        if (!used) {
            f->n_carry = n - at;
            memcpy(f->carry, s + at, f->n_carry);
            return;
        }
        at += used;
    }
}

void outfilter_append(struct outfilter *f, struct str *out, const char *data, size_t n)
{
    if (f->raw) {
        str_append_n(out, data, n);
        return;
    }
    if (f->n_carry) {
        struct str joined = STR_INIT;
        str_append_n(&joined, f->carry, f->n_carry);
        str_append_n(&joined, data, n);
        f->n_carry = 0;
        take_all(f, out, joined.s, joined.len);
        str_fini(&joined);
    } else {
        take_all(f, out, data, n);
    }
}

void outfilter_finish(struct outfilter *f, struct str *out)
{
    for (size_t i = 0; i < f->n_carry; i++)
        show_byte(out, (unsigned char)f->carry[i]);
    f->n_carry = 0;
    if (f->had_cr)
        str_append_char(out, '\n');
    f->had_cr = false;
    if (f->colored)
        str_append(out, "\033[0m");
    f->colored = false;
}
