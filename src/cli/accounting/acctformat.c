/* acctformat.c - listings of accounting fields: "jobid,state%20", widths, cuts and delimiters. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "src/cli/accounting/acctfields.h"

#define WIDTH_MAX 4096

void acct_format_fini(struct acct_format *f)
{
    vec_fini(&f->items);
}

/* "%20", "%-8" behind the name. Returns false if it is not a width. */
static bool parse_width(const char *s, int *ret)
{
    char *end;
    if (!*s)
        return true;
    long n = strtol(s, &end, 10);
    if (end == s || *end || n == 0 || labs(n) > WIDTH_MAX)
        return false;
    *ret = (int)n;
    return true;
}

int acct_format_parse(struct acct_format *f, const char *spec, struct errtext *err)
{
    struct strv words = strv_split(spec, ", \t\n");
    int r = 0;
    for (size_t i = 0; i < words.n && r == 0; i++) {
        size_t n = strcspn(words.v[i], "%");
        const struct acct_field *field = acct_field_find(words.v[i], n);
        struct acct_item item = {.field = field, .width = field ? field->width : 0};
        if (!field || !parse_width(words.v[i] + n + (words.v[i][n] == '%'), &item.width)) {
            words.v[i][n] = '\0';
            r = err_set(err, -EINVAL, "Invalid field requested: \"%s\"", words.v[i]);
        } else {
            vec_push(&f->items, item);
        }
    }
    strv_fini(&words);
    return r;
}

void acct_fit(struct str *out, size_t at, int width)
{
    int most = abs(width);
    bool cut = cell_width(out->s + at) > most;
    format_fit(out, at, cut ? most - 1 : most, width > 0);
    if (cut && most == 1)
        str_truncate(out, at);
    if (cut)
        str_append_char(out, '+');
}

/* Puts what stands in out from `at` on into its place in the line. */
static void acctformat_end_cell(struct str *out, const struct acct_format *f, size_t i, size_t at)
{
    if (!f->parsable) {
        acct_fit(out, at, f->items.v[i].width);
        str_append_char(out, ' ');
    } else if (f->ending || i + 1 < f->items.n) {
        str_append(out, f->delimiter);
    }
}

void acct_format_header(struct str *out, const struct acct_format *f)
{
    vec_for_each (&f->items, i) {
        size_t at = out->len;
        str_append(out, f->items.v[i].field->name);
        acctformat_end_cell(out, f, i, at);
    }
    str_append_char(out, '\n');
    if (f->parsable)
        return;
    vec_for_each (&f->items, i) {
        for (int k = abs(f->items.v[i].width); k > 0; k--)
            str_append_char(out, '-');
        str_append_char(out, ' ');
    }
    str_append_char(out, '\n');
}

void acct_format_row(struct str *out, const struct acct_format *f, const struct acct_row *r,
                     const struct acct_cx *cx)
{
    vec_for_each (&f->items, i) {
        size_t at = out->len;
        f->items.v[i].field->get(out, r, cx);
        acctformat_end_cell(out, f, i, at);
    }
    str_append_char(out, '\n');
}
