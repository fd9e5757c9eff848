/* test_nodeedit.c - entries in and out of the text of stoker.cfg. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "src/base/str.h"
#include "src/cli/setup/nodeedit.h"
#include "src/conf/conf.h"

#define NEW "{ name = \"new\"; address = \"new\"; }"

static const struct {
    const char *name, *text, *want;
} adds[] = {
    {"no file", "", "nodes = (\n    { name = \"me\"; },\n    " NEW "\n);\n"},
    {"no list", "cluster = \"lab\"",
     "cluster = \"lab\"\nnodes = (\n    { name = \"me\"; },\n    " NEW "\n);\n"},
    {"empty list", "nodes = ();\n", "nodes = (\n    " NEW "\n);\n"},
    {"one line", "nodes = ( { name = \"a\"; } );\n", "nodes = ( { name = \"a\"; },\n    " NEW "\n);\n"},
    {"two, directly behind one another", "nodes=({name=\"a\";},{name=\"b\";});",
     "nodes=({name=\"a\";},{name=\"b\";},\n    " NEW "\n);"},
    {"a comment behind the last", "nodes = (\n  { name = \"a\"; } # old )\n);\n",
     "nodes = (\n  { name = \"a\"; }, # old )\n    " NEW "\n);\n"},
    {"brackets in strings and comments",
     "# nodes = ( );\n/* nodes = ( */ x = { nodes = ( { name = \"no\"; } ); };\n"
     "nodes : ( { name = \"a)\\\"}\"; features = [\"(\"]; } // {\n ) ;\npartitions = ();\n",
     "# nodes = ( );\n/* nodes = ( */ x = { nodes = ( { name = \"no\"; } ); };\n"
     "nodes : ( { name = \"a)\\\"}\"; features = [\"(\"]; }, // {\n    " NEW "\n) ;\npartitions = ();\n"},
};

static void test_add(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof adds / sizeof *adds; i++) {
        struct str out = STR_INIT;
        struct errtext err = {""};
        print_message("%s\n", adds[i].name);
        assert_int_equal(nodeedit_add(&out, adds[i].text, NEW, "{ name = \"me\"; }", &err), 0);
        assert_string_equal(out.s, adds[i].want);
        str_fini(&out);
    }
}

static void test_add_to_what_is_broken(void **state)
{
    (void)state;
    const char *texts[] = {"nodes = (", "nodes = ( { name = \"a\";", "nodes = ( \"a"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct str out = STR_INIT;
        struct errtext err = {""};
        assert_int_equal(nodeedit_add(&out, texts[i], NEW, NULL, &err), -EINVAL);
        assert_true(err.s[0] != '\0');
        assert_int_equal(out.len, 0);
    }
}

static const struct {
    const char *name, *text, *node, *want;
} removals[] = {
    {"first", "nodes = ( { name = \"a\"; }, { name = \"b\"; } );", "a", "nodes = ( { name = \"b\"; } );"},
    {"last", "nodes = ( { name = \"a\"; }, { name = \"b\"; } );", "b", "nodes = ( { name = \"a\"; } );"},
    {"the only one", "nodes = ( { name = \"a\"; } );", "a", "nodes = ( );"},
    {"middle, by lines",
     "nodes = (\n  { name = \"a\"; },\n  { name = \"b\"; x = ( { name = \"c\"; } ); }, # b\n  { name = "
     "\"c\"; }\n);",
     "b", "nodes = (\n  { name = \"a\"; },\n  { name = \"c\"; }\n);"},
    {"not by a part of its name", "nodes = ( { name = \"ab\"; } );", "a", NULL},
    {"not out of a pattern", "nodes = ( { name = \"a[1-2]\"; } );", "a1", NULL},
    {"not an inner one", "nodes = ( { name = \"a\"; x = { name = \"b\"; }; } );", "b", NULL},
    {"no list", "cluster = \"a\";", "a", NULL},
};

static void test_remove(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof removals / sizeof *removals; i++) {
        struct str out = STR_INIT;
        struct errtext err = {""};
        print_message("%s\n", removals[i].name);
        int r = nodeedit_remove(&out, removals[i].text, removals[i].node, &err);
        assert_int_equal(r, removals[i].want ? 0 : -ENOENT);
        if (removals[i].want)
            assert_string_equal(out.s, removals[i].want);
        else
            assert_int_equal(out.len, 0);
        str_fini(&out);
    }
}

/* What comes out is what the parser reads. */
static void test_parses(void **state)
{
    (void)state;
    const char *text = "nodes = ( { name = \"a\"; transport = \"local\"; } # one\n );\n";
    struct str one = STR_INIT, two = STR_INIT, three = STR_INIT;
    struct errtext err = {""};
    struct cluster_spec spec;
    assert_int_equal(nodeedit_add(&one, text, "{ name = \"b\"; address = \"b\"; }", NULL, &err), 0);
    assert_int_equal(nodeedit_add(&two, one.s, "{ name = \"c\"; address = \"c\"; }", NULL, &err), 0);
    assert_int_equal(conf_parse("f", two.s, &spec, &err), 0);
    assert_int_equal(spec.nodes.n, 3);
    rec_fini(&cluster_spec_rec, &spec);
    assert_int_equal(nodeedit_remove(&three, two.s, "b", &err), 0);
    assert_int_equal(conf_parse("f", three.s, &spec, &err), 0);
    assert_int_equal(spec.nodes.n, 2);
    assert_string_equal(spec.nodes.v[1].name, "c");
    rec_fini(&cluster_spec_rec, &spec);
    str_fini(&one);
    str_fini(&two);
    str_fini(&three);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add),
        cmocka_unit_test(test_add_to_what_is_broken),
        cmocka_unit_test(test_remove),
        cmocka_unit_test(test_parses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
