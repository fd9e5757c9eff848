/* Which names a bundle has: those of the links beside the programs that lead to one of stoker's. */
#include "tests/lib/check.h"

#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/carry/bundle.h"

static void put_file(const char *dir, const char *name)
{
    char *path = xasprintf("%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(name, f);
    fclose(f);
    free(path);
}

static void put_link(const char *dir, const char *name, const char *target)
{
    char *path = xasprintf("%s/%s", dir, name);
    assert_int_equal(symlink(target, path), 0);
    free(path);
}

static void names_of_links(void **unused)
{
    (void)unused;
    static const char *const files[] = {"stoker-agent", "stoker", NULL}, *const agent[] = {"stoker-agent",
                                                                                           NULL};
    const char *dir = getenv("TMPDIR");
    struct errtext err;
    struct bundle k;
    put_file(dir, "stoker-agent");
    put_file(dir, "stoker");
    put_link(dir, "srun", "stoker-batch"); /* a program that is not carried */
    put_link(dir, "squeue", "stoker");
    put_link(dir, "elsewhere", "/usr/bin/stoker");
    put_link(dir, "agent", "stoker-agent");
    assert_int_equal(bundle_open(&k, dir, files, &err), 0);
    assert_int_equal(k.names.n, 2);
    assert_string_equal(k.names.v[0], "squeue");
    assert_string_equal(k.names.v[1], "srun");
    bundle_close(&k);
    assert_int_equal(bundle_open(&k, dir, agent, &err), 0);
    assert_int_equal(k.names.n, 0);
    bundle_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_of_links)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
