/* test_directives.c - #SBATCH lines are edited, and every other byte of the script stays. */
#include "tests/lib/check.h"

#include <stdlib.h>

#include "src/jobspec/batchopts.h"
#include "src/jobspec/directives.h"

#define SCRIPT                                                                 \
    "#!/bin/bash -l\n"                                                         \
    "# a comment\n"                                                            \
    "#SBATCH --time=1:00:00   --job-name=\"two words\"  # why\n"               \
    "#SBATCH -n 4 -c2\n"                                                       \
    "\n"                                                                       \
    "#SBATCH -HO\n"                                                            \
    "#SBATCH --part main\n"                                                    \
    "  # not a directive: #SBATCH --mem=1G\n"                                  \
    "echo start # body\n"                                                      \
    "#SBATCH --qos=never\n"                                                    \
    "for i in 1 2; do\n\techo \"$i\"\ndone\n"

static void values_are_those_of_sbatch(void **state)
{
    (void)state;
    static const struct {
        int id;
        const char *want; /* "-": there is none */
    } rows[] = {
        {J_TIME, "1:00:00"},   {J_JOB_NAME, "two words"},
        {J_NTASKS, "4"},       {J_CPUS_PER_TASK, "2"},
        {J_PARTITION, "main"}, {J_QOS, "-"},
        {J_MEM, "-"},          {B_ARRAY, "-"},
    };
    struct directives d;
    directives_read(&d, &batch_opts, SCRIPT);
    for (size_t i = 0; i < N_OF(rows); i++) {
        const struct directive *it = directives_find(&d, rows[i].id);
        check_str(rows[i].want, it ? it->value : "-", rows[i].want);
    }
    assert_non_null(directives_find(&d, J_HOLD));
    assert_null(directives_find(&d, J_HOLD)->value);
    assert_int_equal(directives_find(&d, J_OVERCOMMIT)->line, 6);
    directives_fini(&d);
}

/* What a change does to the one line, and that all others stay. */
static void only_what_is_meant_changes(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value; /* NULL: taken out */
        const char *old, *new;
    } rows[] = {
        {"time", "2:00:00", "--time=1:00:00", "--time=2:00:00"},
        {"job-name", "three little words", "\"two words\"", "\"three little words\""},
        {"job-name", "plain", "\"two words\"", "plain"},
        {"job-name", "quo\"te", "\"two words\"", "\"quo\\\"te\""},
        {"ntasks", "8", "-n 4", "-n 8"},
        {"cpus-per-task", "16", "-c2", "-c16"},
        {"partition", "gpu,main", "--part main", "--part gpu,main"},
        {"time", NULL, " --time=1:00:00", ""},
        {"ntasks", NULL, " -n 4", ""},
        {"hold", NULL, "-HO", "-O"},
        {"overcommit", NULL, "-HO", "-H"},
        {"partition", NULL, "#SBATCH --part main\n", ""},
        {"gres", NULL, "", ""},
        {"mem", "16G", "#SBATCH --part main\n", "#SBATCH --part main\n#SBATCH --mem=16G\n"},
        {"exclusive", "", "#SBATCH --part main\n", "#SBATCH --part main\n#SBATCH --exclusive\n"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct str text = STR_INIT, want = STR_INIT;
        const struct opt *opt = opt_find(&batch_opts, rows[i].name, 0);
        assert_non_null(opt);
        const char *at = strstr(SCRIPT, rows[i].old);
        str_append_n(&want, SCRIPT, (size_t)(at - SCRIPT));
        str_append(&want, rows[i].new);
        str_append(&want, at + strlen(rows[i].old));
        str_append(&text, SCRIPT);
        if (rows[i].value)
            directives_set(&text, &batch_opts, opt, rows[i].value);
        else
            directives_remove(&text, &batch_opts, opt->id);
        check_str(rows[i].name, text.s, want.s);
        str_fini(&text);
        str_fini(&want);
    }
}

static void lines_go_where_they_count(void **state)
{
    (void)state;
    static const struct {
        const char *name, *before, *after;
    } rows[] = {
        {"behind the first line", "#!/bin/sh\necho\n", "#!/bin/sh\n#SBATCH --mem=1G\necho\n"},
        {"before all", "echo\n", "#SBATCH --mem=1G\necho\n"},
        {"empty", "", "#SBATCH --mem=1G\n"},
        {"no line end", "#!/bin/sh", "#!/bin/sh\n#SBATCH --mem=1G\n"},
        {"behind comments", "#!/bin/sh\n# x\n\n#SBATCH -n1\n# y\nls\n",
         "#!/bin/sh\n# x\n\n#SBATCH -n1\n#SBATCH --mem=1G\n# y\nls\n"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct str text = STR_INIT;
        str_append(&text, rows[i].before);
        directives_set(&text, &batch_opts, opt_find(&batch_opts, "mem", 0), "1G");
        check_str(rows[i].name, text.s, rows[i].after);
        str_fini(&text);
    }
}

/* Every option of the table comes back as it was set, and taken out again leaves the script as it was. */
static void every_option_comes_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < jobopts_table.n; i++) {
        const struct opt *o = &jobopts_table.v[i];
        static const char *const values[] = {"4", "a b", "x#y", "'q' \"z\"", "back\\slash"};
        for (size_t k = 0; k < N_OF(values) && o->name; k++) {
            const char *value = o->arg == OPT_NONE ? "" : values[k];
            struct str text = STR_INIT;
            struct directives d;
            str_append(&text, "#!/bin/sh\n#SBATCH --wrap=x # keep\nls\n");
            directives_set(&text, &batch_opts, o, value);
            directives_read(&d, &batch_opts, text.s);
            const struct directive *it = directives_find(&d, o->id);
            assert_non_null(it);
            check_str(o->name, it->value ? it->value : "", value);
            directives_fini(&d);
            directives_remove(&text, &batch_opts, o->id);
            check_str(o->name, text.s, "#!/bin/sh\n#SBATCH --wrap=x # keep\nls\n");
            str_fini(&text);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_of_sbatch),
        cmocka_unit_test(only_what_is_meant_changes),
        cmocka_unit_test(lines_go_where_they_count),
        cmocka_unit_test(every_option_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
