/* Lines of a listing: their order, and rows that come again while the listing is made. */
#include "tests/lib/check.h"

#include <stdio.h>

#include "src/cli/listing/lines.h"

struct pet {
    uint32_t id;
    const char *name;
    int64_t age;
};

static void get_name(struct str *out, const void *row, const void *cx)
{
    (void)cx;
    str_append(out, ((const struct pet *)row)->name);
}

static int64_t age(const void *row, const void *cx)
{
    (void)cx;
    return ((const struct pet *)row)->age;
}

static const struct column table[] = {
    {.letter = 'n', .names = "name", .title = "NAME", .get = get_name},
    {.letter = 'a', .names = "age", .title = "AGE", .get = get_name, .number = age},
};
static const struct columns pets = COLUMNS(table);

/* What listing_lines_print writes for these rows. */
static char *printed(const char *spec, const struct pet *v, size_t n, const char *between)
{
    struct sorting s = {.items = VEC_INIT};
    struct listing_lines l;
    char *text = NULL;
    size_t size;
    assert_int_equal(sorting_parse(&s, &pets, spec, NULL), 0);
    listing_lines_init(&l, &s);
    for (size_t i = 0; i < n; i++) {
        if (!i || v[i].id != v[i - 1].id)
            listing_lines_begin(&l, v[i].id);
        str_append(&l.text, v[i].name);
        str_append_char(&l.text, ' ');
        if (i && v[i].age == v[i - 1].age && strcmp(v[i].name, v[i - 1].name) == 0)
            listing_lines_end_alike(&l);
        else
            listing_lines_end(&l, &v[i], NULL);
    }
    FILE *was = stdout, *f = open_memstream(&text, &size);
    stdout = f;
    listing_lines_print(&l, between);
    stdout = was;
    fclose(f);
    listing_lines_fini(&l);
    sorting_fini(&s);
    return text;
}

static void in_order(void **unused)
{
    (void)unused;
    static const struct pet none[1] = {{0}};
    static const struct pet four[] = {{1, "cat", 3}, {2, "ant", 7}, {3, "cat", 1}, {3, "cat", 1}};
    static const struct {
        const char *what, *spec;
        const struct pet *v;
        size_t n;
        const char *between, *want;
    } rows[] = {
        {"none", "n", none, 0, ",", ""},
        {"as they come", "", four, 4, "", "cat ant cat cat "},
        {"by text", "n", four, 4, "", "ant cat cat cat "},
        {"in order already", "-a", four + 1, 3, ",", "ant ,cat ,cat "},
        {"by number, downwards", "-a", four, 4, ",", "ant ,cat ,cat ,cat "},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        char *text = printed(rows[i].spec, rows[i].v, rows[i].n, rows[i].between);
        check_str(rows[i].what, text, rows[i].want);
        free(text);
    }
}

/* A job that changed after its row was sent is sent again: it stands once, as it is now, in its place. */
static void rows_that_come_again(void **unused)
{
    (void)unused;
    static const struct pet v[] = {{1, "a", 1}, {2, "b", 1}, {2, "bb", 1}, {3, "c", 1},
                                   {2, "B", 1}, {1, "A", 1}, {2, "C", 1}};
    char *text = printed("", v, N_OF(v), "");
    check_str("in their place", text, "A C c ");
    free(text);
    text = printed("-n", v, N_OF(v), ",");
    check_str("sorted", text, "c ,C ,A ");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_order), cmocka_unit_test(rows_that_come_again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
