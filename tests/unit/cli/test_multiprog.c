/* srun --multi-prog's files. */
#include "tests/lib/check.h"

#include <errno.h>

#include "src/cli/step/multiprog.h"

static void refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        uint32_t n;
        const char *err;
    } rows[] = {
        {"", 1, "Configuration file f invalid, no record for task id 0"},
        {"# nothing\n", 1, "no record for task id 0"},
        {"0 a\n", 2, "Configuration file f invalid, no record for task id 1"},
        {"0\n", 1, "no program\nLine 1 of configuration file f invalid"},
        {"# x\n\n0 'a\n", 1, "a quote is not closed\nLine 3 of configuration file f invalid"},
        {"x a\n", 1, "Invalid task range specification (x)\nLine 1 of configuration file f invalid"},
        {"0- a\n", 1, "Invalid task range specification (0-)"},
        {"3-1 a\n", 4, "Invalid task range specification (3-1)"},
        {"0,, a\n", 1, "Invalid task range specification (0,,)"},
        {"0;1 a\n", 2, "Invalid task range specification (0;1)"},
        {"0-1 a\n1 b\n", 2, "Duplicate record for task 1\nLine 2 of configuration file f invalid"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct step_payload p = {.umask = 0};
        struct errtext err = {0};
        check_int(rows[i].text, multiprog_parse("f", rows[i].text, rows[i].n, &p, &err), -EINVAL);
        check_has(rows[i].text, err.s, rows[i].err);
        check_int(rows[i].text, p.ranks.n, 0);
    }
}

static void understood(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        uint32_t n;
        const char *want; /* ranks at ';', words at '|' */
    } rows[] = {
        {"0 a", 1, "0:a"},
        {"0  python script firstarg\n1  python script secondarg\n", 2,
         "0:python|script|firstarg;1:python|script|secondarg"},
        {"0-1  python script %t\n", 2, "0:python|script|0;1:python|script|1"},
        {"2-3,5 a %t %o\n0,1,4 b %o\n", 6, "0:b|0;1:b|1;2:a|2|0;3:a|3|1;4:b|2;5:a|5|2"},
        {"1 a\n* b %t:%o\n", 4, "0:b|0:0;1:a;2:b|2:1;3:b|3:2"},
        {"* 'a b' \"c  d\" e\\ f 100%%\n", 1, "0:a b|c  d|e f|100%"},
        {"0 a \\\n  b\n", 1, "0:a|b"},
        {"# c\n\n  # d\n\t0 a # b\n", 1, "0:a|#|b"},
        {"0-7 a\n", 2, "0:a;1:a"}, /* one file for steps of several sizes */
        {"0 a %x\n", 1, "0:a|%x"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct step_payload p = {.umask = 0};
        struct errtext err = {0};
        check_int(rows[i].text, multiprog_parse("f", rows[i].text, rows[i].n, &p, &err), 0);
        struct str got = STR_INIT;
        for (size_t k = 0; k < p.ranks.n; k++) {
            char *words = strv_join(&p.ranks.v[k].argv, "|");
            str_appendf(&got, "%s%u:%s", k ? ";" : "", p.ranks.v[k].rank, words);
            free(words);
        }
        check_str(rows[i].text, got.s, rows[i].want);
        str_fini(&got);
        rec_fini(&step_payload_rec, &p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(refused), cmocka_unit_test(understood)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
