/* test_jobfile.c - the file of a step job: refusals by line, what comes out, and whatever is typed. */
#include <errno.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/conf/jobfile.h"
#include "src/values/units.h"
#include "tests/lib/check.h"
#include "tests/lib/doc.h"

/* libconfig 1.5 forgets the text that it was reading when it meets a syntax error. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libconfig_yylex\nleak:strbuf_append\n";
}

static const char good[] =
    "name = \"train net\"; partition = \"a,b\"; time = \"2h\"; account = \"vision\"; qos = \"high\"; "
    "comment = \"c\";\n"
    "workdir = \"/w\"; output = \"o-%j\"; error = \"e-%j\"; features = \"x86\"; nodelist = \"n[1-2]\"; "
    "exclude = \"n3\";\n"
    "begin = \"@1000\"; nice = -5; hold = true; cpus = 2; mem = \"2G\"; gpus = 1; gpu_type = \"a100\";\n"
    "env = [\"A=1 2\", \"B=\"]; lost_node = \"lease\"; restart_at_limit = 4;\n"
    "steps = (\n"
    "  { name = \"one\"; command = \"echo $A\"; },\n"
    "  { tasks = 3; nodes = 4; ranks = 2; mpi = \"pmi2\"; script = \"s.sh\"; cpus = 1; mem = \"1G\"; gpus "
    "= 0; gpu_type = \"v100\"; "
    "time = \"10m\";\n"
    "    on_failure = \"continue\"; output = \"p\"; workdir = \"/x\"; env = \"A=3, 4\"; append = true; }\n"
    ");\n";

static char dir[] = "/tmp/st-jobfile.XXXXXX";

static char *path_of(const char *name)
{
    return xasprintf("%s/%s", dir, name);
}

static void put(const char *name, const char *text, size_t n)
{
    char *path = path_of(name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
    free(path);
}

static int load(const char *text, struct jobfile *ret, struct errtext *err)
{
    put("x.job", text, strlen(text));
    char *path = path_of("x.job");
    int r = jobfile_load(path, (struct wall){.ms = 1}, ret, err);
    free(path);
    return r;
}

static int set_up(void **state)
{
    (void)state;
    static char long_script[JOBFILE_MAX_SCRIPT + 10];
    assert_non_null(mkdtemp(dir));
    put("s.sh", "#!/bin/sh\necho hello\n", 21);
    put("plain.txt", "echo hello\n", 11);
    put("nul.sh", "#!/bin/sh\necho \0\n", 17);
    put("dos.sh", "#!/bin/sh\r\necho\r\n", 17);
    memset(long_script, 'x', sizeof long_script);
    memcpy(long_script, "#!/bin/sh\n", 10);
    put("long.sh", long_script, sizeof long_script);
    put("most.sh", long_script, JOBFILE_MAX_SCRIPT);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    char *command = xasprintf("rm -r '%s'", dir);
    int r = system(command);
    free(command);
    return r;
}

static void test_bad_files_are_refused_by_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"", "x.job:1: a job needs the key \"steps\""},
        {"name = \"x\"\nsteps = (", "x.job:2: syntax error"},
        {"\nsteps = ();", "x.job:2: steps: at least one step is needed"},
        {"step = ();", "x.job:1: \"step\" is not a key of a job, did you mean \"steps\"?"},
        {"steps = (\n{ comand = \"x\"; } );",
         "x.job:2: \"comand\" is not a key of a step, did you mean \"command\"?"},
        {"steps = ( {\n tasks = 2; } );", "x.job:1: a step needs \"command\" or \"script\", one of them"},
        {"steps = ( { script = \"s.sh\";\n command = \"x\"; } );",
         "x.job:2: a step needs \"command\" or \"script\", one of them"},
        {"steps = ( { command = \" \"; } );", "x.job:1: command is empty"},
        {"steps = ( { command = \"x\"; tasks = 0; } );",
         "x.job:1: tasks: \"0\" is not a whole number from 1 to 100000"},
        {"steps = ( { command = \"x\"; tasks = 100001; } );",
         "x.job:1: tasks: \"100001\" is not a whole number from 1 to 100000"},
        {"steps = ( { command = \"x\"; tasks = 60000; },\n { command = \"y\"; tasks = 40001; } );",
         "x.job:2: tasks: more than 100000 in the whole job (times their nodes)"},
        {"steps = ( { command = \"x\"; tasks = 50001; nodes = 2; } );",
         "x.job:1: tasks: more than 100000 in the whole job (times their nodes)"},
        {"steps = ( { command = \"x\"; mpi = \"pmix\"; } );", "x.job:1: mpi: \"pmix\" is not none or pmi2"},
        {"steps = ( { command = \"x\"; ranks = 512; cpus = 3; } );",
         "x.job:1: ranks: 512 of 3 CPUs are more than a node can have (1024)"},
        {"steps = ( { command = \"x\"; on_failure = \"retry\"; } );",
         "x.job:1: on_failure: \"retry\" is not stop or continue"},
        {"time = 10;\nsteps = ( { command = \"x\"; } );",
         "x.job:1: time: \"10\" has no unit: write 10m for minutes, 10h for hours"},
        {"steps = ( { command = \"x\"; time = \"90\"; } );",
         "x.job:1: time: \"90\" has no unit: write 90m for minutes, 90h for hours"},
        {"steps = ( { command = \"x\"; env = [\"A\"]; } );", "x.job:1: env: \"A\" is not NAME=value"},
        {"env = \"=x\";\nsteps = ( { command = \"x\"; } );", "x.job:1: env: \"=x\" is not NAME=value"},
        {"name = \"\"; steps = ( { command = \"x\"; } );", "x.job:1: name: an empty text is not a name"},
        {"steps = ( { name = \"a/b\"; command = \"x\"; } );",
         "x.job:1: name: \"a/b\" cannot be a name (up to 128 bytes without blanks and separators)"},
        {"steps = ( { script = \"none.sh\"; } );",
         "x.job:1: script: DIR/none.sh: No such file or directory"},
        {"steps = ( { script = \"plain.txt\"; } );",
         "x.job:1: script: DIR/plain.txt: its first line names no interpreter (#!/bin/sh)"},
        {"steps = ( { script = \"nul.sh\"; } );", "x.job:1: script: DIR/nul.sh: a NUL byte in it"},
        {"steps = ( { script = \"dos.sh\"; } );",
         "x.job:1: script: DIR/dos.sh: its lines end as in DOS (run dos2unix)"},
        {"steps = ( { script = \"long.sh\"; } );", "x.job:1: script: DIR/long.sh: longer than 4 MiB"},
        {"steps = ( { script = \"/dev/zero\"; } );", "x.job:1: script: /dev/zero: not a file"},
        {"steps = ( { script = \".\"; } );", "x.job:1: script: DIR/.: not a file"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct jobfile f;
        struct errtext err = {""};
        int r = load(cases[i].text, &f, &err);
        if (r == 0)
            fail_msg("accepted: %s", cases[i].text);
        /* Paths begin with the test's directory: away with it in front, DIR inside. */
        struct str text = STR_INIT;
        for (const char *p = err.s; *p;) {
            bool is_dir = str_starts(p, dir);
            if (is_dir && p == err.s)
                p += strlen(dir) + 1;
            else if (is_dir)
                str_append(&text, "DIR"), p += strlen(dir);
            else
                str_append_char(&text, *p++);
        }
        if (strcmp(text.s, cases[i].error) != 0)
            fail_msg("%s\n  says \"%s\"\n  expected \"%s\"", cases[i].text, text.s, cases[i].error);
        str_fini(&text);
    }
    struct jobfile f;
    struct errtext err;
    assert_int_equal(jobfile_load("/nowhere/x.job", (struct wall){0}, &f, &err), -ENOENT);
}

static void test_every_key_arrives(void **state)
{
    (void)state;
    struct jobfile f;
    struct errtext err = {""};
    if (load(good, &f, &err) < 0)
        fail_msg("%s", err.s);
    assert_string_equal(f.req.name, "train net");
    assert_string_equal(f.req.partition, "a,b");
    assert_int_equal(f.req.time_limit_s, 7200);
    assert_string_equal(f.req.account, "vision");
    assert_string_equal(req_detail(&f.req)->qos, "high");
    assert_string_equal(req_rare(&f.req)->comment, "c");
    assert_string_equal(f.req.workdir, "/w");
    assert_string_equal(f.req.std_out, "o-%j");
    assert_string_equal(req_detail(&f.req)->std_err, "e-%j");
    assert_string_equal(req_detail(&f.req)->features, "x86");
    assert_string_equal(req_rare(&f.req)->nodelist, "n[1-2]");
    assert_string_equal(req_rare(&f.req)->exclude, "n3");
    assert_true(req_detail(&f.req)->begin.ms == 1000000);
    assert_int_equal(req_detail(&f.req)->nice, -5);
    assert_int_equal(req_rare(&f.req)->lost_node, LOST_LEASE);
    assert_int_equal(req_rare(&f.req)->limit_restarts, 4);
    assert_int_equal(f.req.ntasks, NOT_GIVEN);
    assert_true(f.hold);
    assert_int_equal(f.env.n, 2);
    assert_string_equal(f.env.v[0], "A=1 2");
    assert_int_equal(f.steps.n, 2);

    const struct jobfile_step *s = &f.steps.v[0];
    assert_int_equal(s->step.id, 0);
    assert_string_equal(s->step.name, "one");
    assert_string_equal(s->step.command, "echo $A");
    assert_int_equal(s->argv.n, 3);
    assert_string_equal(s->argv.v[0], "/bin/sh");
    assert_string_equal(s->argv.v[1], "-c");
    assert_string_equal(s->argv.v[2], "echo $A");
    assert_int_equal(s->step.n_tasks, 1);
    assert_int_equal(s->step.n_ranks, 1);
    assert_int_equal(s->step.cpus_per_rank, 2);
    assert_int_equal(s->step.mem_mib, 2048);
    assert_int_equal(s->step.gpus, 1);
    assert_string_equal(s->step.gpu_type, "a100");
    assert_int_equal(s->step.time_limit_s, DURATION_NOT_SET);
    assert_false(s->step.keep_going);
    assert_string_equal(s->step.std_out, "o-%j");
    assert_string_equal(s->step.std_err, "e-%j");

    s = &f.steps.v[1];
    assert_int_equal(s->step.id, 1);
    assert_string_equal(s->step.name, "step-1");
    assert_int_equal(s->argv.n, 0);
    assert_int_equal(s->script.n, 21);
    assert_memory_equal(s->script.p, "#!/bin/sh\necho hello\n", 21);
    assert_int_equal(s->step.n_tasks, 3);
    assert_int_equal(s->step.nodes, 4);
    assert_int_equal(s->step.n_ranks, 2);
    assert_int_equal(s->step.mpi, 1);
    assert_int_equal(s->step.cpus_per_rank, 1);
    assert_int_equal(s->step.mem_mib, 1024);
    assert_int_equal(s->step.gpus, 0);
    assert_string_equal(s->step.gpu_type, "v100");
    assert_int_equal(s->step.time_limit_s, 600);
    assert_true(s->step.keep_going);
    assert_true(s->step.append);
    assert_string_equal(s->step.std_out, "p");
    assert_null(s->step.std_err); /* goes with its own output, not with the job's errors */
    assert_string_equal(s->step.workdir, "/x");
    assert_int_equal(s->env.n, 1);
    assert_string_equal(s->env.v[0], "A=3, 4");
    jobfile_fini(&f);
}

static void test_little_is_required(void **state)
{
    (void)state;
    struct jobfile f;
    struct errtext err = {""};
    assert_int_equal(load("steps = ( { command = \"true\"; }, { script = \"most.sh\"; } );", &f, &err), 0);
    assert_string_equal(f.req.name, "x");
    assert_null(f.req.partition);
    assert_null(f.req.workdir);
    assert_int_equal(f.req.time_limit_s, DURATION_NOT_SET);
    assert_false(f.hold);
    const struct step *s = &f.steps.v[0].step;
    assert_int_equal(s->cpus_per_rank, 1);
    assert_true(s->mem_mib == MEM_NOT_GIVEN);
    assert_int_equal(s->gpus, 0);
    assert_int_equal(f.steps.v[1].script.n, JOBFILE_MAX_SCRIPT);
    jobfile_fini(&f);
}

static void test_the_example_is_one(void **state)
{
    (void)state;
    struct jobfile f;
    struct errtext err = {""};
    if (jobfile_load("docs/examples/sweep.job", (struct wall){.ms = 1}, &f, &err) < 0)
        fail_msg("%s", err.s);
    assert_int_equal(f.steps.n, 3);
    assert_int_equal(f.steps.v[1].step.n_tasks, 8);
    jobfile_fini(&f);
}

static uint64_t seed;

static uint32_t below(uint32_t n)
{
    return (uint32_t)(check_rand(&seed) % n);
}

static void test_random_edits_never_crash(void **state)
{
    (void)state;
    seed = check_seed();
    unsigned accepted = 0;
    for (int round = 0; round < 2000; round++) {
        char *text = xstrdup(good);
        size_t n = strlen(text);
        for (uint32_t edits = 1 + below(3); edits; edits--) {
            uint32_t at = below((uint32_t)n);
            if (below(2))
                text[at] = (char)(1 + below(255));
            else
                memmove(text + at, text + at + 1, n-- - at);
        }
        struct jobfile f;
        struct errtext err = {""};
        if (load(text, &f, &err) == 0) {
            accepted++;
            assert_true(f.steps.n > 0);
            jobfile_fini(&f);
        } else {
            assert_true(strlen(err.s) > 0);
        }
        free(text);
    }
    assert_in_range(accepted, 1, 1999);
}

static void test_the_documentation_is_that_of_the_tables(void **state)
{
    (void)state;
    struct str reference = STR_INIT;
    jobfile_reference(&reference);
    doc_must_end_with("docs/JOBFILE.md", "with tests/unit/conf/test_jobfile. -->\n\n", reference.s);
    str_fini(&reference);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_files_are_refused_by_line),
        cmocka_unit_test(test_every_key_arrives),
        cmocka_unit_test(test_little_is_required),
        cmocka_unit_test(test_the_example_is_one),
        cmocka_unit_test(test_random_edits_never_crash),
        cmocka_unit_test(test_the_documentation_is_that_of_the_tables),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
