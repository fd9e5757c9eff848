/* table_export.c - a table as text, for the clipboard and for files. Bars are left out: what they show is
 * in the other columns, or beside them. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/base/utf8.h"
#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/record/json.h"
#include "ui/table/table_private.h"

/* The text of a cell as it is drawn, without bars, and without blanks around it. */
static void export_cell(struct table *t, const struct trow *row, size_t column, struct str *out)
{
    const struct rich *r = &table_field(t, row, column, ROOM_OF_FILE)->text;
    struct str all = STR_INIT;
    size_t from = 0;
    for (size_t i = 0; i < r->n_runs; i++) {
        if (!r->runs[i].fill)
            str_append_n(&all, r->text.s + from, r->runs[i].end - from);
        from = r->runs[i].end;
    }
    if (from < r->text.len)
        str_append(&all, r->text.s + from);
    char *text = str_trim(all.s);
    str_append(out, text);
    str_fini(&all);
}

static void export_cell_plain(struct table *t, const struct trow *row, size_t column, struct str *out)
{
    struct str cell = STR_INIT;
    export_cell(t, row, column, &cell);
    cell_text(out, cell.s, -1, false, false);
    str_fini(&cell);
}

static void append_tabbed(struct table *t, const struct trow *row, struct str *out)
{
    bool first = true;
    for (size_t i = 0; i < t->n_cols; i++) {
        if (!t->on[i])
            continue;
        if (!first)
            str_append_char(out, '\t');
        first = false;
        export_cell_plain(t, row, i, out);
    }
}

void table_append_row(struct table *t, struct str *out)
{
    const struct trow *row = table_current(t);
    if (row)
        append_tabbed(t, row, out);
}

size_t table_export(struct table *t, size_t max, struct str *out)
{
    char word[COLUMN_WORD_SIZE];
    const char *separator = "";
    for (size_t i = 0; i < t->n_cols; i++)
        if (t->on[i]) {
            str_appendf(out, "%s%s", separator, table_column_word(&t->cols[i], word));
            separator = "\t";
        }
    str_append_char(out, '\n');
    for (size_t r = 0; r < t->shown.n; r++) {
        size_t before = out->len;
        append_tabbed(t, table_shown(t, r), out);
        str_append_char(out, '\n');
        if (out->len > max) {
            str_truncate(out, before);
            return r;
        }
    }
    return t->shown.n;
}

/* --- files --- */

bool table_format_of(const char *path, enum table_format *ret)
{
    static const struct {
        const char *end;
        enum table_format format;
    } ends[] = {{".txt", TABLE_TEXT}, {".csv", TABLE_CSV}, {".json", TABLE_JSON}};
    const char *dot = strrchr(path, '.');
    *ret = TABLE_TEXT;
    if (!dot || strchr(dot, '/'))
        return true; /* no end: text */
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (strcasecmp(ends[i].end, dot) == 0) {
            *ret = ends[i].format;
            return true;
        }
    return false;
}

/* In quotes where RFC 4180 asks for them, and where blanks at an end would be lost. */
static void append_csv(struct str *out, const char *text)
{
    size_t n = strlen(text);
    if (!text[strcspn(text, ",\"\r\n")] &&
        !(n && (isspace((unsigned char)text[0]) || isspace((unsigned char)text[n - 1])))) {
        str_append(out, text);
        return;
    }
    str_append_char(out, '"');
    for (; *text; text++) {
        if (*text == '"')
            str_append_char(out, '"');
        str_append_char(out, *text);
    }
    str_append_char(out, '"');
}

static bool is_count(const char *text)
{
    size_t n = strspn(text, "0123456789");
    return n && n < 16 && !text[n];
}

static void write_csv(struct table *t, const bool *on, struct str *out)
{
    char word[COLUMN_WORD_SIZE];
    struct str cell = STR_INIT;
    for (size_t r = 0; r <= t->shown.n; r++) { /* the first line: the headings */
        const char *sep = "";
        for (size_t i = 0; i < t->n_cols; i++) {
            if (!on[i])
                continue;
            str_clear(&cell);
            if (r)
                export_cell(t, table_shown(t, r - 1), i, &cell);
            str_append(out, sep);
            append_csv(out, r ? cell.s : table_column_word(&t->cols[i], word));
            sep = ",";
        }
        str_append_char(out, '\n');
    }
    str_fini(&cell);
}

/* Counts are numbers, all else is as it is shown. */
static void write_json(struct table *t, const bool *on, struct str *out)
{
    char word[COLUMN_WORD_SIZE];
    struct str cell = STR_INIT;
    json_begin_array(out, NULL);
    for (size_t r = 0; r < t->shown.n; r++) {
        str_append(out, r ? ",\n" : "\n"); /* behind a line end the writer of JSON puts no comma */
        json_begin_object(out, NULL);
        for (size_t i = 0; i < t->n_cols; i++) {
            if (!on[i])
                continue;
            str_clear(&cell);
            export_cell(t, table_shown(t, r), i, &cell);
            const char *key = table_column_word(&t->cols[i], word);
            if (t->field.has_num && is_count(cell.s))
                json_int(out, key, strtoll(cell.s, NULL, 10));
            else
                json_text(out, key, cell.s);
        }
        json_end_object(out);
    }
    str_append_char(out, '\n');
    json_end_array(out);
    str_append_char(out, '\n');
}

/* Columns as wide as their contents. */
static void write_text(struct table *t, const bool *on, struct str *out)
{
    int *widths = xcalloc(t->n_cols, sizeof *widths);
    struct str cell = STR_INIT;
    for (int pass = 0; pass < 2; pass++)
        for (size_t r = 0; r <= t->shown.n; r++) {
            size_t line = out->len;
            for (size_t i = 0; i < t->n_cols; i++) {
                if (!on[i])
                    continue;
                str_clear(&cell);
                if (r)
                    export_cell_plain(t, table_shown(t, r - 1), i, &cell);
                else
                    str_append(&cell, tr(t->cols[i].title));
                int w = cell_width(cell.s), pad = widths[i] - w;
                if (!pass) {
                    widths[i] = w > widths[i] ? w : widths[i];
                    continue;
                }
                bool right = t->cols[i].flags & COLUMN_RIGHT;
                str_appendf(out, "%*s%s%*s", right ? pad : 0, "", cell.s, right ? 0 : pad, "");
                str_append(out, "  ");
            }
            if (!pass)
                continue;
            while (out->len > line && out->s[out->len - 1] == ' ')
                str_truncate(out, out->len - 1);
            str_append_char(out, '\n');
        }
    str_fini(&cell);
    free(widths);
}

void table_write(struct table *t, enum table_format format, bool all_columns, struct str *out)
{
    bool *on = xcalloc(t->n_cols, sizeof *on);
    for (size_t i = 0; i < t->n_cols; i++)
        on[i] = all_columns || t->on[i];
    table_settle(t);
    if (format == TABLE_TEXT) {
        write_text(t, on, out);
    } else { /* programs read these */
        lang_pause();
        if (format == TABLE_CSV)
            write_csv(t, on, out);
        else
            write_json(t, on, out);
        lang_resume();
    }
    free(on);
}
