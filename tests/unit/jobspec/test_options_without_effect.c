/* test_options_without_effect.c - the options that are accepted without effect: docs/SLURM-DIFFERENCES.md
 * has each of them and no other, and none has become an error. */
#include "src/base/xalloc.h"
#include "src/jobspec/jobopts.h"
#include "tests/lib/doc.h"

#define DOC     "docs/SLURM-DIFFERENCES.md"
#define HEADING "\n## Options without effect\n"

static const struct opt *find(const char *name, size_t n)
{
    for (size_t i = 0; i < jobopts_table.n; i++)
        if (jobopts_table.v[i].name && strlen(jobopts_table.v[i].name) == n &&
            strncmp(jobopts_table.v[i].name, name, n) == 0)
            return &jobopts_table.v[i];
    return NULL;
}

/* The rows under the heading. */
static char *read_section(void)
{
    char *doc = doc_read(DOC), *at = strstr(doc, HEADING);
    if (!at)
        fail_msg("%s has no section%s", DOC, HEADING);
    at = strstr(at, "|---|");
    char *end = at ? strstr(at, "\n## ") : NULL;
    if (!end)
        fail_msg("%s: the section has no rows", DOC);
    char *rows = xstrndup(at, (size_t)(end - at));
    free(doc);
    return rows;
}

/* The first column of the table: what stands in others names options that have an effect. */
static void test_the_page_has_no_other(void **state)
{
    (void)state;
    char *rows = read_section();
    unsigned n = 0;
    for (char *line = strtok(rows, "\n"); line; line = strtok(NULL, "\n")) {
        char *end = strchr(line + 1, '|');
        for (char *s = line; end && (s = strstr(s, "`--")) && s < end; s++, n++) {
            const struct opt *o = find(s + 3, strcspn(s + 3, "`= "));
            if (!o || o->id != J_HARMLESS)
                fail_msg("%s: %.*s is not an option without effect", DOC, (int)strcspn(s + 1, "`"), s + 1);
        }
    }
    assert_true(n > 20);
    free(rows);
}

static void test_the_page_has_each(void **state)
{
    (void)state;
    char *rows = read_section();
    for (size_t i = 0; i < jobopts_table.n; i++) {
        char *quoted = xasprintf("`--%s`", jobopts_table.v[i].name ? jobopts_table.v[i].name : "");
        if (jobopts_table.v[i].id == J_HARMLESS && !strstr(rows, quoted))
            fail_msg("%s does not have %s", DOC, quoted);
        free(quoted);
    }
    free(rows);
}

/* What is given to each that takes a value; others take 1. */
static const char *value_of(const char *name)
{
    static const char *const values[][2] = {{"hint", "nomultithread"}, {"gpu-bind", "closest"},
                                            {"gpu-freq", "medium"},    {"cpu-freq", "performance"},
                                            {"mem-bind", "local"},     {"profile", "none"},
                                            {"power", "level"},        {"network", "ib"},
                                            {"prefer", "a100"},        {"gres-flags", "enforce-binding"}};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if (strcmp(values[i][0], name) == 0)
            return values[i][1];
    return "1";
}

static void test_none_is_an_error(void **state)
{
    (void)state;
    for (size_t i = 0; i < jobopts_table.n; i++) {
        const struct opt *o = &jobopts_table.v[i];
        if (o->id != J_HARMLESS)
            continue;
        struct jobopts opts;
        struct errtext err = {""};
        char *arg = o->arg == OPT_NONE ? xasprintf("--%s", o->name)
                                       : xasprintf("--%s=%s", o->name, value_of(o->name));
        char program[] = "x", *argv[] = {program, arg, NULL};
        jobopts_init(&opts);
        opts.level = LEVEL_COMMAND_LINE;
        if (opt_parse(&jobopts_table, &opts, 2, argv, 0, NULL, &err) != OPT_OK)
            fail_msg("%s: %s", arg, err.s);
        jobopts_fini(&opts);
        free(arg);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_page_has_no_other),
        cmocka_unit_test(test_the_page_has_each),
        cmocka_unit_test(test_none_is_an_error),
    };
    return cmocka_run_group_tests_name("options without effect", tests, NULL, NULL);
}
