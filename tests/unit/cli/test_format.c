/* Slurm's format languages: parsing, widths, headers, sorting. */
#include "tests/lib/check.h"

#include <errno.h>

#include "src/cli/listing/format.h"

struct pet {
    const char *name;
    int64_t age;
};

static void get_name(struct str *out, const void *row, const void *cx)
{
    (void)cx;
    text_append_foreign(out, ((const struct pet *)row)->name, "(null)");
}
static void get_age(struct str *out, const void *row, const void *cx)
{
    (void)cx;
    str_appendf(out, "%d", (int)((const struct pet *)row)->age);
}
static int64_t num_age(const void *row, const void *cx)
{
    (void)cx;
    return ((const struct pet *)row)->age;
}

static const struct column table[] = {
    {.letter = 'n', .names = "name petname", .title = "NAME", .get = get_name},
    {.letter = 'A', .names = "age", .title = "AGE", .get = get_age, .number = num_age},
    {.names = "tres-alloc", .title = "TRES_ALLOC", .get = get_age, .number = num_age},
};
static const struct columns pets = COLUMNS(table);

static void check_lines(const char *row, const struct format *f, const struct pet *pet, const char *head,
                        const char *line)
{
    struct str s = STR_INIT;
    format_header(&s, f);
    check_str(row, s.s, head);
    str_clear(&s);
    format_row(&s, f, pet, NULL);
    check_str(row, s.s, line);
    str_fini(&s);
}

static void letters(void **unused)
{
    (void)unused;
    static const struct {
        const char *spec, *name, *head, *line, *unknown;
    } rows[] = {
        {"", "rex", "", "", NULL},
        {"plain", "rex", "plain", "plain", NULL},
        {"%n", "rex", "NAME", "rex", NULL},
        {"%n %A", "rex", "NAME AGE", "rex 7", NULL},
        {"%8n|", "rex", "NAME    |", "rex     |", NULL},
        {"%.8n|", "rex", "    NAME|", "     rex|", NULL},
        {"%2n|", "rex", "NA|", "re|", NULL},
        {"%.2n|", "rex", "NA|", "re|", NULL},
        {"%0n|", "rex", "NAME|", "rex|", NULL},
        {"%n\t\"%A\"\n", "rex", "NAME\t\"AGE\"\n", "rex\t\"7\"\n", NULL},
        {"a%nb%Ac", "rex", "aNAMEbAGEc", "arexb7c", NULL},
        {"%all", "rex", "NAME|AGE", "rex|7", NULL},
        {"%all;", "rex", "NAME|AGE;", "rex|7;", NULL},
        {"%n%?%A", "rex", "NAME%?AGE", "rex%?7", "?"},
        {"%n%q-%A", "rex", "NAME%q-AGE", "rex%q-7", "q"},
        {"%n%", "rex", "NAME%", "rex%", ""},
        {"%n%.5", "rex", "NAME%.5", "rex%.5", ""},
        {"%n%%", "rex", "NAME%", "rex%", NULL},
        {"%6n|", NULL, "NAME  |", "(null)|", NULL},
        /* cells, not bytes */
        {"%6n|", "żółw", "NAME  |", "żółw  |", NULL},
        {"%.6n|", "żółw", "  NAME|", "  żółw|", NULL},
        {"%3n|", "żółw", "NAM|", "żół|", NULL},
        {"%5n|", "日本語", "NAME |", "日本 |", NULL},
        {"%.5n|", "日本語", " NAME|", " 日本|", NULL},
        /* what would move the cursor or forge a line */
        {"%n|", "a\nb", "NAME|", "a\\nb|", NULL},
        {"%n|", "\033[31mred", "NAME|", "\\x1B[31mred|", NULL},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct format f = {.items = VEC_INIT};
        struct strv unknown = {0};
        struct pet pet = {.name = rows[i].name, .age = 7};
        format_parse_letters(&f, &pets, rows[i].spec, &unknown);
        check_lines(rows[i].spec, &f, &pet, rows[i].head, rows[i].line);
        check_str(rows[i].spec, unknown.n ? unknown.v[0] : NULL, rows[i].unknown);
        strv_fini(&unknown);
        format_fini(&f);
    }
}

static void names(void **unused)
{
    (void)unused;
    static const struct {
        const char *spec, *head, *line, *unknown;
    } rows[] = {
        {"", "", "", NULL},
        {"name", "NAME                ", "rex                 ", NULL},
        {"NaMe,age", "NAME                AGE                 ", "rex                 7                   ",
         NULL},
        {"petname:5", "NAME ", "rex  ", NULL},
        {"name:.5", " NAME", "  rex", NULL},
        {"name:2", "NA", "re", NULL},
        {"name:0", "NAME", "rex", NULL},
        {"name:|,age:|", "NAME|AGE|", "rex|7|", NULL},
        {"name:6|,age:.4|", "NAME  | AGE|", "rex   |   7|", NULL},
        {"name:0|,age:0", "NAME|AGE", "rex|7", NULL},
        {"name:5,age:3,", "NAME AGE", "rex  7  ", NULL},
        {"name:5, age:3", "NAME AGE", "rex  7  ", NULL},
        {"name:", "NAME                ", "rex                 ", NULL},
        {"tres-alloc:0", "TRES_ALLOC", "7", NULL},
        {"nick:5,age:3", "AGE", "7  ", "nick"},
        {"nam:5", "", "", "nam"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct format f = {.items = VEC_INIT};
        struct strv unknown = {0};
        struct pet pet = {.name = "rex", .age = 7};
        format_parse_names(&f, &pets, rows[i].spec, &unknown);
        check_lines(rows[i].spec, &f, &pet, rows[i].head, rows[i].line);
        check_str(rows[i].spec, unknown.n ? unknown.v[0] : NULL, rows[i].unknown);
        strv_fini(&unknown);
        format_fini(&f);
    }
}

static void names_cut_at_twenty(void **unused)
{
    (void)unused;
    struct format f = {.items = VEC_INIT};
    struct pet pet = {.name = "a-name-that-is-longer-than-twenty", .age = 7};
    format_parse_names(&f, &pets, "name,age:0", NULL);
    check_lines("no separator", &f, &pet, "NAME                AGE", "a-name-that-is-longe7");
    format_fini(&f);
}

static void automatic_width(void **unused)
{
    (void)unused;
    const struct pet a = {.name = "rex"}, b = {.name = "a-long-name"};
    const void *rows[] = {&a, &b};
    struct format f = {.items = VEC_INIT};
    format_parse_letters(&f, &pets, "%#n|%.#A|", NULL);
    format_fix_widths(&f, rows, 2, NULL);
    check_lines("widest", &f, &a, "NAME       |AGE|", "rex        |  0|");
    format_fix_widths(&f, rows, 0, NULL);
    format_fini(&f);
    struct format none = {.items = VEC_INIT};
    format_parse_letters(&none, &pets, "%#n|", NULL);
    format_fix_widths(&none, rows, 0, NULL);
    check_lines("header alone", &none, &a, "NAME|", "rex |");
    format_fini(&none);
}

static void sorting(void **unused)
{
    (void)unused;
    static const struct pet rex = {.name = "rex", .age = 7}, ada = {.name = "ada", .age = 12},
                            bob = {.name = "bob", .age = -1}, long_a = {.name = "hippopotamus-a", .age = 7},
                            long_b = {.name = "hippopotamus-b", .age = 7};
    static const struct {
        const char *spec, *want;
    } rows[] = {
        {"", "rex ada bob hippopotamus-b hippopotamus-a "}, /* as they came */
        {"n", "ada bob hippopotamus-a hippopotamus-b rex "},
        {"-n", "rex hippopotamus-b hippopotamus-a bob ada "},
        {"A", "bob rex hippopotamus-b hippopotamus-a ada "}, /* stable */
        {"-A,n", "ada hippopotamus-a hippopotamus-b rex bob "},
        {"-An", "ada rex hippopotamus-b hippopotamus-a bob "},
        {"+A,-n", "bob rex hippopotamus-b hippopotamus-a ada "},
        {"age,name", "bob hippopotamus-a hippopotamus-b rex ada "},
        {"-tres-alloc,n", "ada hippopotamus-a hippopotamus-b rex bob "},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        const void *v[] = {&rex, &ada, &bob, &long_b, &long_a};
        struct sorting s = {.items = VEC_INIT};
        struct errtext err = {0};
        struct str got = STR_INIT;
        check_int(rows[i].spec, sorting_parse(&s, &pets, rows[i].spec, &err), 0);
        sorting_apply(&s, v, N_OF(v), NULL);
        for (size_t k = 0; k < N_OF(v); k++)
            str_appendf(&got, "%s ", ((const struct pet *)v[k])->name);
        check_str(rows[i].spec, got.s, rows[i].want);
        str_fini(&got);
        sorting_fini(&s);
    }
    struct sorting bad = {.items = VEC_INIT};
    struct errtext err = {0};
    check_int("bad key", sorting_parse(&bad, &pets, "n,?", &err), -EINVAL);
    check_has("bad key", err.s, "?");
    sorting_fini(&bad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letters),         cmocka_unit_test(names),   cmocka_unit_test(names_cut_at_twenty),
        cmocka_unit_test(automatic_width), cmocka_unit_test(sorting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
