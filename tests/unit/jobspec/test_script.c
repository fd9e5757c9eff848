/* Batch scripts: what may be one, and what its header says. */
#include "tests/lib/check.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/jobspec/script.h"

static struct script script_of(const char *text, size_t n)
{
    return (struct script){.text = {.p = xmemdup(text, n ? n : 1), .n = n}, .name = xstrdup("job.sh")};
}

static void no_scripts(void **unused)
{
    (void)unused;
#define TEXT(s) s, sizeof s - 1
    static const struct {
        const char *name, *text;
        size_t n;
        const char *err;
    } rows[] = {
        {"empty", TEXT(""), "Batch script is empty!"},
        {"blank", TEXT(" \n\t\n"), "Batch script contains only whitespace!"},
        {"no interpreter", TEXT("echo hi\n"),
         "This does not look like a batch script.  The first\n"
         "line must start with #! followed by the path to an interpreter.\n"
         "For instance: #!/bin/sh"},
        {"second line", TEXT("\n#!/bin/sh\n"), "This does not look like a batch script."},
        {"one byte", TEXT("#"), "This does not look like a batch script."},
        {"binary", TEXT("#!/bin/sh\n\0\n"), "contain a NULL character '\\0'."},
        {"DOS", TEXT("#!/bin/sh\r\necho hi\r\n"),
         "Batch script contains DOS line breaks (\\r\\n)\ninstead of expected UNIX line breaks (\\n)."},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct script s = script_of(rows[i].text, rows[i].n);
        struct errtext err = {0};
        check_int(rows[i].name, script_check(&s.text, &err), -EINVAL);
        check_has(rows[i].name, err.s, rows[i].err);
        script_fini(&s);
    }
    struct script s = script_of(TEXT("#!/bin/sh\necho 'a\rb'\n"));
    struct errtext err = {0};
    check_int("a lone return", script_check(&s.text, &err), 0);
    script_fini(&s);
#undef TEXT
}

/* "2:-n|4 5:-J|a b": line numbers and words. */
static char *describe(const struct script_header *h)
{
    struct str s = STR_INIT;
    for (size_t i = 0; i < h->n; i++) {
        str_appendf(&s, "%s%u:", i ? " " : "", h->v[i].number);
        for (size_t k = 1; k < h->v[i].argv.n; k++)
            str_appendf(&s, "%s%s", k > 1 ? "|" : "", h->v[i].argv.v[k]);
    }
    return str_take(&s);
}

static void headers(void **unused)
{
    (void)unused;
    static const struct {
        const char *name, *text, *want;
    } rows[] = {
        {"none", "#!/bin/sh\necho\n", ""},
        {"one", "#!/bin/sh\n#SBATCH -n 4\n", "2:-n|4"},
        {"no line break at the end", "#!/bin/sh\n#SBATCH -n 4", "2:-n|4"},
        {"several on a line", "#!/bin/sh\n#SBATCH -N 2 --ntasks-per-node=2 -t 2\n",
         "2:-N|2|--ntasks-per-node=2|-t|2"},
        {"tabs and blanks", "#!/bin/sh\n#SBATCH\t -n  4 \t\n", "2:-n|4"},
        {"after empty lines and comments", "#!/bin/sh\n\n  \t\n# hello\n#SBATCH -n 4\n", "5:-n|4"},
        {"not after a command", "#!/bin/sh\n#SBATCH -n 4\necho\n#SBATCH -n 8\n", "2:-n|4"},
        {"commented out", "#!/bin/sh\n##SBATCH -n 4\n## SBATCH -n 4\n# SBATCH -n 4\n#SBATCH -n 8\n",
         "5:-n|8"},
        {"another word", "#!/bin/sh\n#SBATCHES -n 4\n#SBATCH\n", ""},
        {"without a blank", "#!/bin/sh\n#SBATCH-n4\n", "2:-n4"},
        {"indented", "#!/bin/sh\n #SBATCH -n 4\n#SBATCH -n 8\n", "3:-n|8"},
        {"double quotes", "#!/bin/sh\n#SBATCH -J \"a b\"\n", "2:-J|a b"},
        {"single quotes", "#!/bin/sh\n#SBATCH --comment='a \"b\" c'\n", "2:--comment=a \"b\" c"},
        {"empty quotes", "#!/bin/sh\n#SBATCH -J '' -n 1\n", "2:-J||-n|1"},
        {"escape", "#!/bin/sh\n#SBATCH -J a\\ b\n", "2:-J|a b"},
        {"a remark behind", "#!/bin/sh\n#SBATCH -n 4 # four tasks\n", "2:-n|4"},
        {"a hash within", "#!/bin/sh\n#SBATCH -J a#b\n", "2:-J|a"},
        {"a quoted hash", "#!/bin/sh\n#SBATCH -J '# b'\n", "2:-J|# b"},
        {"the first line is not an option", "#!/bin/sh\n", ""},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct script s = script_of(rows[i].text, strlen(rows[i].text));
        struct script_header h;
        struct errtext err = {0};
        check_int(rows[i].name, script_parse_header(&s, &h, &err), 0);
        char *got = describe(&h);
        check_str(rows[i].name, got, rows[i].want);
        free(got);
        script_header_fini(&h);
        script_fini(&s);
    }
}

static void an_open_quote_is_named(void **unused)
{
    (void)unused;
    const char *text = "#!/bin/sh\n#SBATCH -n 4\n#SBATCH -J \"a b\n";
    struct script s = script_of(text, strlen(text));
    struct script_header h;
    struct errtext err = {0};
    check_int("quote", script_parse_header(&s, &h, &err), -EINVAL);
    check_str("quote", err.s, "job.sh:3: a quote is not closed");
    script_fini(&s);
}

static void write_file(const char *path, const char *text, size_t n)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static void files(void **unused)
{
    (void)unused;
    char dir[] = "/tmp/st-script.XXXXXX";
    assert_non_null(mkdtemp(dir));
    char *path = xasprintf("%s/here.sh", dir), *bin = xasprintf("%s/bin", dir),
         *inpath = xasprintf("%s/there.sh", bin);
    const char *text = "#!/bin/sh\n";
    write_file(path, text, strlen(text));
    assert_int_equal(mkdir(bin, 0700), 0);
    write_file(inpath, text, strlen(text));
    char *old = getcwd(NULL, 0), *old_path = xstrdup(getenv("PATH"));
    assert_int_equal(chdir(dir), 0);
    setenv("PATH", bin, 1);
    struct script s;
    struct errtext err = {0};
    assert_int_equal(script_read("here.sh", &s, &err), 0);
    check_str("relative", s.path, path);
    script_fini(&s);
    assert_int_equal(script_read("there.sh", &s, &err), 0);
    check_str("in PATH", s.path, inpath);
    script_fini(&s);
    assert_int_equal(script_read("./there.sh", &s, &err), -ENOENT);
    check_str("not in PATH", err.s, "Unable to open file ./there.sh");
    assert_int_equal(script_read("bin", &s, &err), -ENOENT);
    char *big = xcalloc(1, SCRIPT_MAX + 2);
    memset(big, '#', SCRIPT_MAX + 2);
    big[1] = '!';
    write_file(path, big, SCRIPT_MAX);
    assert_int_equal(script_read("here.sh", &s, &err), 0);
    script_fini(&s);
    write_file(path, big, SCRIPT_MAX + 1);
    assert_int_equal(script_read("here.sh", &s, &err), -E2BIG);
    free(big);
    assert_int_equal(chdir(old), 0);
    setenv("PATH", old_path, 1);
    unlink(path);
    unlink(inpath);
    rmdir(bin);
    rmdir(dir);
    free(path);
    free(bin);
    free(inpath);
    free(old);
    free(old_path);
}

static void wrapped(void **unused)
{
    (void)unused;
    struct script s;
    script_wrap("echo hi", &s);
    check_int("size", s.text.n,
              strlen("#!/bin/sh\n# This script was created by sbatch --wrap.\n\necho hi\n"));
    assert_int_equal(script_check(&s.text, NULL), 0);
    assert_null(s.path);
    script_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_scripts), cmocka_unit_test(headers), cmocka_unit_test(an_open_quote_is_named),
        cmocka_unit_test(files),      cmocka_unit_test(wrapped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
