/* The grammar of command lines, from tables of options. */
#include "tests/lib/check.h"

#include <errno.h>

#include "src/values/opt.h"

enum { T_ALL = 1, T_COUNT, T_HOLD, T_STATE, T_STATUS, T_WAIT };

/* What was called, in the order of the calls: "a n=4 wait=-". */
static int record(void *ctx, const struct opt *o, const char *arg, struct errtext *err)
{
    struct str *s = ctx;
    if (o->id == T_COUNT && arg && strcmp(arg, "bad") == 0)
        return err_set(err, -EINVAL, "\"%s\" is not a count", arg);
    str_appendf(s, "%s%s=%s", s->len ? " " : "", o->name ? o->name : "", arg ? arg : "-");
    return 0;
}

static const struct opt shared_table[] = {
    {.id = T_HOLD, .name = "hold", .letter = 'H', .help = "held"},
    {.id = T_STATE, .name = "state", .arg = OPT_REQUIRED, .help = "state", .env = "OLD_STATE T_STATE"},
    {.id = T_STATE, .name = "states", .arg = OPT_REQUIRED},
    {.id = T_STATUS, .name = "verbose", .letter = 'a', .help = "never met by its letter"},
};
static const struct opts shared = OPTS(shared_table, record);
static const struct opt table[] = {
    {.id = T_ALL, .name = "all", .letter = 'a', .help = "all", .env = "T_ALL"},
    {.id = T_COUNT,
     .name = "count",
     .letter = 'n',
     .arg = OPT_REQUIRED,
     .meta = "N",
     .help = "count",
     .env = "T_COUNT"},
    {.id = T_WAIT,
     .name = "wait",
     .letter = 'w',
     .arg = OPT_OPTIONAL,
     .meta = "S",
     .help = "wait",
     .env = "T_WAIT"},
};
static const struct opts all_opts = OPTS_ALSO(table, record, &shared);

struct line {
    const char *in; /* words at blanks; "~" is an empty one */
    const char *calls, *operands;
    enum opt_result result;
    const char *err;
};

static void parse_line(const struct line *row, unsigned flags)
{
    struct strv argv = strv_split(row->in, " "), operands = {0};
    for (size_t i = 0; i < argv.n; i++)
        if (strcmp(argv.v[i], "~") == 0)
            argv.v[i][0] = '\0';
    struct str calls = STR_INIT;
    struct errtext err = {0};
    check_int(row->in, opt_parse(&all_opts, &calls, (int)argv.n, argv.v, flags, &operands, &err),
              row->result);
    char *joined = strv_join(&operands, " ");
    check_str(row->in, calls.s, row->calls);
    check_str(row->in, joined, row->operands);
    check_str(row->in, err.s, row->err ? row->err : "");
    free(joined);
    str_fini(&calls);
    strv_fini(&argv);
    strv_fini(&operands);
}

static void refused(void **unused)
{
    (void)unused;
    static const struct line rows[] = {
        {"x --foo", "", "", OPT_BAD_USAGE, "unrecognized option '--foo'"},
        {"x --foo=1 y", "", "", OPT_BAD_USAGE, "unrecognized option '--foo=1'"},
        {"x -z", "", "", OPT_BAD_USAGE, "invalid option -- 'z'"},
        {"x -az", "all=-", "", OPT_BAD_USAGE, "invalid option -- 'z'"},
        {"x --count", "", "", OPT_BAD_USAGE, "option '--count' requires an argument"},
        {"x -n", "", "", OPT_BAD_USAGE, "option requires an argument -- 'n'"},
        {"x --all=1", "", "", OPT_BAD_USAGE, "option '--all' doesn't allow an argument"},
        {"x --h", "", "", OPT_BAD_USAGE, "option '--h' is ambiguous; possibilities: '--hold' '--help'"},
        {"x y -n bad", "", "y", OPT_BAD_VALUE, "\"bad\" is not a count"},
    };
    for (size_t i = 0; i < N_OF(rows); i++)
        parse_line(&rows[i], 0);
}

static void accepted(void **unused)
{
    (void)unused;
    static const struct line rows[] = {
        {"x", "", "", OPT_OK, NULL},
        {"x -n4", "count=4", "", OPT_OK, NULL},
        {"x -n 4", "count=4", "", OPT_OK, NULL},
        {"x --count 4", "count=4", "", OPT_OK, NULL},
        {"x --count=4", "count=4", "", OPT_OK, NULL},
        {"x --count=", "count=", "", OPT_OK, NULL},
        {"x --count ~", "count=", "", OPT_OK, NULL},
        {"x --co 4", "count=4", "", OPT_OK, NULL},
        {"x -n -4", "count=-4", "", OPT_OK, NULL},
        {"x --stat=R", "state=R", "", OPT_OK, NULL}, /* two names of one option are no ambiguity */
        {"x --states=R", "states=R", "", OPT_OK, NULL},
        {"x -aHn4 y", "all=- hold=- count=4", "y", OPT_OK, NULL},
        {"x -aw5", "all=- wait=5", "", OPT_OK, NULL},
        {"x -w 5", "wait=-", "5", OPT_OK, NULL}, /* an optional argument is attached or not given */
        {"x --wait 5", "wait=-", "5", OPT_OK, NULL},
        {"x --wait=5", "wait=5", "", OPT_OK, NULL},
        {"x y -a z", "all=-", "y z", OPT_OK, NULL},
        {"x -a -- -n 4", "all=-", "-n 4", OPT_OK, NULL},
        {"x -", "", "-", OPT_OK, NULL},
        {"x -n 1 -n 2", "count=1 count=2", "", OPT_OK, NULL},
        {"x -a --help -n", "all=-", "", OPT_HELP, NULL},
        {"x --usage", "", "", OPT_USAGE, NULL},
        {"x -V", "", "", OPT_VERSION, NULL},
        {"x -h", "", "", OPT_HELP, NULL},
    };
    for (size_t i = 0; i < N_OF(rows); i++)
        parse_line(&rows[i], 0);
}

static void stops_at_the_first_operand(void **unused)
{
    (void)unused;
    static const struct line rows[] = {
        {"x -a prog -n 4 --foo", "all=-", "prog -n 4 --foo", OPT_OK, NULL},
        {"x -- prog -a", "", "prog -a", OPT_OK, NULL},
        {"x -n 4 prog -- -a", "count=4", "prog -- -a", OPT_OK, NULL},
    };
    for (size_t i = 0; i < N_OF(rows); i++)
        parse_line(&rows[i], OPT_STOP_AT_OPERAND);
}

static void a_scan_calls_nobody(void **unused)
{
    (void)unused;
    parse_line(&(struct line){"x -a -n bad y", "", "y", OPT_OK, NULL}, OPT_SCAN);
}

static void environment(void **unused)
{
    (void)unused;
    static const struct {
        const char *env, *prefixes, *calls;
    } rows[] = {
        {"", "T_", ""},
        {"T_COUNT=4", "T_", "count=4"},
        {"T_COUNT=4", "S_", ""},
        {"T_COUNTER=4 T_COUN=4 T_COUNT", "T_", ""},
        {"T_COUNT=4 T_COUNT=5", "T_", "count=4"},
        {"S_COUNT=9 T_COUNT=4 S_COUNT=9", "S_ T_", "count=4"},
        {"T_COUNT=", "T_", ""},
        {"T_ALL=", "T_", "all=-"},
        {"T_ALL=1", "T_", "all=-"},
        {"T_ALL=yes", "T_", "all=-"},
        {"T_ALL=0", "T_", ""},
        {"T_ALL=no", "T_", ""},
        {"T_WAIT=", "T_", "wait=-"},
        {"T_WAIT=3", "T_", "wait=3"},
        {"T_STATE=a OLD_STATE=b", "T_ OLD_", "state=b state=a"}, /* the later name wins */
        {"T_STATE=a OLD_STATE=b", "T_", "state=a"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct strv env = strv_split(rows[i].env, " ");
        struct str calls = STR_INIT;
        struct errtext err = {0};
        check_int(rows[i].env, opt_env(&all_opts, &calls, &env, rows[i].prefixes, &err), OPT_OK);
        check_str(rows[i].env, calls.s, rows[i].calls);
        str_fini(&calls);
        strv_fini(&env);
    }
    struct strv env = strv_split("T_COUNT=bad", " ");
    struct errtext err = {0};
    check_int("bad", opt_env(&all_opts, NULL, &env, "T_", &err), OPT_BAD_VALUE);
    check_str("bad", err.s, "in the environment: T_COUNT=bad\n\"bad\" is not a count");
    strv_fini(&env);
}

static void help_lists_what_can_be_typed(void **unused)
{
    (void)unused;
    char *text;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    opt_print_help(f, &all_opts);
    opt_print_usage(f, "x", &all_opts, "[FILE]");
    fclose(f);
    check_has("help", text, "  -a, --all");
    check_has("help", text, "  -n, --count=N");
    check_has("help", text, "  -w, --wait[=S]");
    check_has("help", text, "      --verbose"); /* its letter belongs to --all */
    check_has("help", text, "  -h, --help");
    check_has("usage", text, "Usage: x [-a] [-nN] [-w[S]]");
    if (strstr(text, "--states"))
        fail_msg("an alias is listed");
    for (const char *line = text; *line; line = strchr(line, '\n') + 1)
        if (strcspn(line, "\n") > 80)
            fail_msg("a line is too long: %s", line);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused),
        cmocka_unit_test(accepted),
        cmocka_unit_test(stops_at_the_first_operand),
        cmocka_unit_test(a_scan_calls_nobody),
        cmocka_unit_test(environment),
        cmocka_unit_test(help_lists_what_can_be_typed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
