/* Programs by their names in the directories of a PATH. */
#include "tests/lib/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/os/path_search.h"

static void programs_are_found_in_order(void **unused)
{
    (void)unused;
    char dir[] = "/tmp/stoker-path.XXXXXX", old[4096];
    assert_non_null(mkdtemp(dir));
    assert_non_null(getcwd(old, sizeof old));
    assert_int_equal(chdir(dir), 0);
    assert_int_equal(mkdir("a", 0755) || mkdir("b", 0755) || mkdir("b/ls", 0755), 0);
    check_make_file("a", "text", 0644);
    check_make_file("b", "text", 0755);
    check_make_file("b", "both", 0755);
    check_make_file("a", "both", 0755);
    check_make_file(".", "here", 0755);
    static const struct {
        const char *path, *name, *want;
    } rows[] = {
        {NULL, "both", NULL},      {"", "both", NULL},        {"a:b", "none", NULL},
        {"a:b", "ls", NULL}, /* a directory */
        {"a", "text", NULL}, /* not executable */
        {"a:b", "text", "b/text"}, {"a:b", "both", "a/both"}, {"b:a", "both", "b/both"},
        {"b:", "here", "./here"},  {":b", "here", "./here"},  {"a::b", "here", "./here"},
        {"b", "a/both", "a/both"}, {"b", "a/text", NULL},     {NULL, "./here", "./here"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        char *got = path_find_program(rows[i].path, rows[i].name);
        check_str(rows[i].name, got ? got : "none", rows[i].want ? rows[i].want : "none");
        free(got);
    }
    assert_int_equal(chdir(old), 0);
    char *remove = xasprintf("rm -r %s", dir);
    assert_int_equal(system(remove), 0);
    free(remove);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(programs_are_found_in_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
