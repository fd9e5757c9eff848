/* mgrlist.c - tables of sacctmgr. Source of names, headers and widths: sacctmgr(1). */
#include "src/cli/accounting/mgrlist.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/base/str.h"
#include "src/base/xalloc.h"
#include "src/cli/accounting/acctfields.h"
#include "src/cli/ask.h"

static const struct {
    const char *names, *header;
    int width;
} fields[F_N] = {
#define X(id, all, title, cells) [F_##id] = {.names = all, .header = title, .width = cells},
    FIELDS(X)
#undef X
};

static void row_fini(struct mgr_row *r)
{
    for (int f = 0; f < F_N; f++)
        free(r->v[f]);
}

void mgr_list_fini(struct mgr_list *l)
{
    vec_for_each (&l->rows, i)
        row_fini(&l->rows.v[i]);
    vec_fini(&l->rows);
    vec_fini(&l->items);
}

struct mgr_row *mgr_list_add_row(struct mgr_list *l)
{
    vec_push(&l->rows, (struct mgr_row){.v = {NULL}});
    return &l->rows.v[l->rows.n - 1];
}

void mgr_row_set(struct mgr_row *r, enum mgr_field f, const char *value)
{
    xstrset(&r->v[f], value);
}

void mgr_row_set_number(struct mgr_row *r, enum mgr_field f, uint64_t n)
{
    free(r->v[f]);
    r->v[f] = xasprintf("%llu", (unsigned long long)n);
}

void mgr_list_keep(struct mgr_list *l,
                   bool (*keep)(const struct mgr_list *l, size_t kept, const struct mgr_row *r))
{
    size_t kept = 0;
    vec_for_each (&l->rows, i) {
        struct mgr_row r = l->rows.v[i];
        if (keep(l, kept, &r))
            l->rows.v[kept++] = r;
        else
            row_fini(&r);
    }
    l->rows.n = kept;
}

/* --- which fields --- */

bool mgr_list_has_field(const struct mgr_list *l, enum mgr_field f)
{
    vec_for_each (&l->items, i)
        if (l->items.v[i].field == f)
            return true;
    return false;
}

int mgr_list_add_fields(struct mgr_list *l, const char *spec)
{
    struct strv words = strv_split(spec, ", ");
    int rc = 0;
    for (size_t i = 0; i < words.n && rc == 0; i++) {
        char *percent = strchr(words.v[i], '%');
        if (percent)
            *percent++ = '\0';
        size_t n = strlen(words.v[i]);
        int found = -1;
        for (int f = 0; f < F_N && found < 0; f++)
            for (const char *s = fields[f].names; *s && found < 0; s += strcspn(s, " "), s += *s == ' ')
                if (strncasecmp(s, words.v[i], n) == 0 && n >= 2)
                    found = f;
        if (found < 0) {
            fprintf(stderr, " Unknown field '%s'\n", words.v[i]);
            rc = 1;
        } else {
            int width = percent ? atoi(percent) : fields[found].width;
            vec_push(&l->items, (struct mgr_item){.field = (enum mgr_field)found,
                                                  .width = width ? width : fields[found].width});
        }
    }
    strv_fini(&words);
    return rc;
}

/* --- printing --- */

static void mgrlist_end_cell(const struct mgr_list *l, struct str *out, size_t i, size_t at)
{
    if (l->parsable || l->parsable2) {
        if (i + 1 < l->items.n || !l->parsable2)
            str_append_char(out, '|');
        return;
    }
    acct_fit(out, at, l->items.v[i].width);
    str_append_char(out, ' ');
}

void mgr_list_print(const struct mgr_list *l)
{
    struct str out = STR_INIT;
    for (size_t i = 0; i < l->items.n && !l->no_header; i++) {
        size_t at = out.len;
        str_append(&out, fields[l->items.v[i].field].header);
        mgrlist_end_cell(l, &out, i, at);
    }
    if (!l->no_header)
        str_append_char(&out, '\n');
    for (size_t i = 0; i < l->items.n && !l->no_header && !l->parsable && !l->parsable2; i++) {
        for (int k = abs(l->items.v[i].width); k > 0; k--)
            str_append_char(&out, '-');
        str_append(&out, i + 1 < l->items.n ? " " : " \n");
    }
    vec_for_each (&l->rows, r) {
        vec_for_each (&l->items, i) {
            size_t at = out.len;
            text_append_foreign(&out, l->rows.v[r].v[l->items.v[i].field], "");
            mgrlist_end_cell(l, &out, i, at);
        }
        str_append_char(&out, '\n');
    }
    out_flush(&out);
    str_fini(&out);
}
