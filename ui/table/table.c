/* table.c - rows and columns of a table. Its filter, its order, its keys and its picture have a file each:
 * table_filter.c, table_sort.c, table_input.c, table_flat.c, table_fit.c, table_group.c and table_draw.c.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/base/utf8.h"
#include "src/base/vec.h"
#include "ui/table/table_private.h"

/* --- the value of a column --- */

void field_count(struct table_field *f, uint64_t n, enum role role)
{
    f->has_num = true;
    f->num = (double)n;
    if (n)
        rich_addf(&f->text, role, "%llu", (unsigned long long)n);
}

void field_init(struct table_field *f)
{
    *f = (struct table_field){0};
    rich_init(&f->text);
}

void field_fini(struct table_field *f)
{
    rich_fini(&f->text);
}

const struct table_field *table_field(struct table *t, const struct trow *row, size_t column, int room)
{
    struct table_field *f = &t->field;
    rich_clear(&f->text);
    f->has_num = f->ticks = false;
    f->minor = 0;
    f->room = room;
    t->cols[column].get(t->ctx, row->data, f);
    t->ticked = t->ticked || f->ticks;
    return f;
}

/* --- the table --- */

void table_init(struct table *t, const struct table_column *cols, size_t n_cols,
                void (*fill)(void *ctx, struct table *t), void *ctx)
{
    *t = (struct table){.cols = cols, .n_cols = n_cols, .fill = fill, .ctx = ctx, .sort = -1};
    edit_init(&t->edit);
    field_init(&t->field);
    t->on = xcalloc(n_cols, sizeof *t->on);
    t->needs = xcalloc(n_cols, sizeof *t->needs);
    t->drawn = xcalloc(n_cols, sizeof *t->drawn);
    for (size_t i = 0; i < n_cols; i++)
        t->on[i] = !(cols[i].flags & COLUMN_HIDDEN);
}

void table_fini(struct table *t)
{
    list_state_fini(&t->list);
    vec_fini(&t->rows);
    vec_fini(&t->before);
    vec_fini(&t->shown);
    vec_fini(&t->next);
    vec_fini(&t->lines);
    vec_fini(&t->old);
    idmap_fini(&t->open);
    filter_fini(&t->filter);
    edit_fini(&t->edit);
    field_fini(&t->field);
    free(t->on);
    free(t->needs);
    free(t->drawn);
    *t = (struct table){0};
}

uint64_t table_shown_id(const void *ctx, size_t i)
{
    return table_shown(ctx, i)->id;
}

void table_add(struct table *t, struct trow row)
{
    vec_push(&t->rows, row);
}

bool table_is_open(const struct table *t, uint64_t id)
{
    return idmap_get(&t->open, id) != NULL;
}

bool table_wants_children(const struct table *t, uint64_t id)
{
    return t->filter.n > 0 || table_is_open(t, id);
}

void table_fold(struct table *t, uint64_t id, bool open)
{
    if (open)
        idmap_set(&t->open, id, t);
    else
        idmap_remove(&t->open, id);
}

const char *table_column_word(const struct table_column *col, char buf[static COLUMN_WORD_SIZE])
{
    size_t n = 0;
    for (const char *s = col->title; *s && n + 1 < COLUMN_WORD_SIZE; s++)
        if (isalnum((unsigned char)*s) || *s == '%')
            buf[n++] = (char)tolower((unsigned char)*s);
        else if (n && buf[n - 1] != '-')
            buf[n++] = '-';
    while (n && buf[n - 1] == '-')
        n--;
    buf[n] = '\0';
    return n > 1 ? buf : col->name;
}

int table_find_column(const struct table *t, const char *name)
{
    size_t n = strlen(name);
    char word[COLUMN_WORD_SIZE];
    for (size_t i = 0; i < t->n_cols; i++)
        if (str_ieq(table_column_word(&t->cols[i], word), name))
            return (int)i;
    for (size_t i = 0; i < t->n_cols; i++)
        if (str_ieq(t->cols[i].name, name))
            return (int)i;
    for (size_t i = 0; i < t->n_cols; i++)
        if (t->cols[i].alias && str_ieq(t->cols[i].alias, name))
            return (int)i;
    for (size_t i = 0; i < t->n_cols && n >= 2; i++)
        if (strncasecmp(table_column_word(&t->cols[i], word), name, n) == 0)
            return (int)i;
    for (size_t i = 0; i < t->n_cols && n >= 2; i++)
        if (strncasecmp(t->cols[i].name, name, n) == 0)
            return (int)i;
    return -1;
}

void table_show_column(struct table *t, size_t column, bool on)
{
    t->on[column] = on;
}

bool table_shows_column(const struct table *t, size_t column)
{
    return t->on[column];
}

bool table_has_own_columns(const struct table *t)
{
    for (size_t i = 0; i < t->n_cols; i++)
        if (t->on[i] == ((t->cols[i].flags & COLUMN_HIDDEN) != 0))
            return true;
    return false;
}

/* --- the cursor --- */

const struct trow *table_current(const struct table *t)
{
    return t->shown.n ? table_shown(t, t->list.cursor) : NULL;
}

char *table_current_name(struct table *t)
{
    const struct trow *row = table_current(t);
    for (size_t i = 0; row && i < t->n_cols; i++)
        if (t->cols[i].flags & COLUMN_TREE) {
            struct str name = STR_INIT;
            cell_text(&name, table_field(t, row, i, 0)->text.text.s, -1, false, false);
            return str_take(&name);
        }
    return NULL;
}

void table_select(struct table *t, uint64_t id)
{
    t->list.id = id;
    if (t->list.n)
        list_sync(&t->list, t->shown.n, table_shown_id, t);
}
