/* The answers of a real Slurm, and forged ones, folded into a model. */
#include "backend/slurm/slurm_mirror.h"

#include <errno.h>

#include "backend/slurm/slurm_job.h"
#include "backend/slurm/slurm_table.h"
#include "backend/slurm/why/slurm_causes.h"
#include "src/model/array.h"
#include "src/text/cause_text.h"
#include "tests/unit/slurm/fixture.h"

#define NOW ((struct wall){1795405800000})

struct told {
    unsigned rows, gone, nodes;
};

static void note(void *ctx, const struct event *ev)
{
    struct told *t = ctx;
    t->rows += ev->kind == EV_JOB_ROW;
    t->gone += ev->kind == EV_JOB_GONE;
    t->nodes += ev->kind == EV_NODE_ROW;
}

static int take(struct slurm_mirror *s, const char *text, size_t n, const char *word,
                enum slurm_scope scope)
{
    struct slurm_span answer = {text, n};
    return slurm_mirror_take_jobs(s, &answer, word, scope, NOW, NULL);
}

static struct slurm_mirror *recorded(struct told *t)
{
    struct slurm_mirror *s = slurm_mirror_new(note, t);
    struct slurm_span jobs = fixture_read("squeue"), word = fixture_read("word"),
                      nodes = fixture_read("node"), parts = fixture_read("partition"),
                      config = fixture_read("config");
    assert_int_equal(slurm_mirror_take_config(s, &config, NULL), 1);
    assert_int_equal(slurm_mirror_take_partitions(s, &parts, NULL), 1);
    assert_int_equal(take(s, jobs.p, jobs.n, word.p, SLURM_ALL), 1);
    assert_int_equal(slurm_mirror_take_nodes(s, &nodes, NOW, NULL), 1);
    free((void *)(uintptr_t)jobs.p);
    free((void *)(uintptr_t)word.p);
    free((void *)(uintptr_t)nodes.p);
    free((void *)(uintptr_t)parts.p);
    free((void *)(uintptr_t)config.p);
    return s;
}

static const struct job *by_name(const struct model *m, const char *name)
{
    list_for_each (j, &m->all, struct job, in_all)
        if (str_eq(j->req.name, name))
            return j;
    fail_msg("no job is called %s", name);
    return NULL;
}

static void test_recorded_queue(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum job_state want;
        enum reason reason;
    } rows[] = {
        {"one", JOB_RUNNING, REASON_NONE},
        {"two nodes", JOB_RUNNING, REASON_NONE},
        {"fails", JOB_FAILED, REASON_NON_ZERO_EXIT},
        {"held", JOB_PENDING, REASON_HELD_USER},
        {"later", JOB_PENDING, REASON_BEGIN_TIME},
        {"follows", JOB_PENDING, REASON_DEPENDENCY},
        {"never", JOB_PENDING, REASON_NONE},
        {"None", JOB_PENDING, REASON_HELD_USER},
        {"a|b,c;d e", JOB_PENDING, REASON_HELD_USER},
        {"x\n999999 RUNNING\n999998;forged", JOB_PENDING, REASON_HELD_USER},
        {"\x1f\x1e\033[31mred", JOB_PENDING, REASON_HELD_USER},
    };
    struct told t = {0};
    struct slurm_mirror *s = recorded(&t);
    const struct model *m = slurm_mirror_model(s);
    assert_int_equal(m->n_nodes, 28);
    assert_int_equal(t.nodes, 28);
    assert_int_equal(m->spec.parts.n, 3);
    assert_string_equal(m->spec.name, "bench");
    assert_string_equal(slurm_mirror_release(s), "22.05.8");
    assert_int_equal(t.rows, m->jobs.n);
    assert_null(model_get_job(m, 999999));
    assert_null(model_get_job(m, 999998));
    for (size_t i = 0; i < N_OF(rows); i++) {
        const struct job *j = by_name(m, rows[i].name);
        check_int(rows[i].name, j->state, rows[i].want);
        check_int(rows[i].name, j->reason, rows[i].reason);
    }
    slurm_mirror_free(s);
}

static void test_recorded_details(void **state)
{
    (void)state;
    struct told t = {0};
    struct slurm_mirror *s = recorded(&t);
    const struct model *m = slurm_mirror_model(s);
    const struct job *two = by_name(m, "two nodes"), *fails = by_name(m, "fails"),
                     *killed = by_name(m, "killed");
    assert_int_equal(two->alloc.n, 2);
    assert_int_equal(job_cpus(two), 10);
    assert_int_equal(two->req.time_limit_s, 3600);
    assert_string_equal(two->req.std_out, "/home/ann/work/out-%x-%j.txt");
    assert_string_equal(req_rare(&two->req)->comment, "a comment");
    assert_string_equal(two->req.workdir, "/home/ann/work");
    assert_int_equal(fails->exit_code, 3);
    assert_int_equal(killed->exit_signal, 9);
    assert_string_equal(job_rare(by_name(m, "never"))->reason_detail,
                        "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority "
                        "partitions");
    const struct part_spec *main_part = model_get_part(m, "main");
    assert_true(main_part->is_default);
    assert_int_equal(main_part->max_time_s, 2 * 86400);
    assert_int_equal(main_part->nodes.n, 6);
    /* Every node that runs a job has it counted. */
    assert_true(model_get_node(m, two->alloc.v[0].node)->n_jobs >= 1);
    slurm_mirror_free(s);
}

static void test_recorded_array(void **state)
{
    (void)state;
    struct told t = {0};
    struct slurm_mirror *s = recorded(&t);
    const struct model *m = slurm_mirror_model(s);
    const struct job *record = NULL;
    uint32_t single = 0;
    list_for_each (j, &m->all, struct job, in_all) {
        if (!str_eq(j->req.name, "sweep"))
            continue;
        check_int("of the array", job_origin(j)->array_count, 13);
        check_int("of the array", job_origin(j)->array_max, 30);
        assert_null(j->req.std_out); /* slurm-6_0.out, and not slurm-20.out as squeue says */
        assert_null(req_detail(&j->req)->std_err);
        if (job_is_array_record(j))
            record = j;
        else
            single++;
    }
    assert_non_null(record);
    assert_int_equal(record->req.array_throttle, 2);
    assert_int_equal(job_origin(record)->array_count, 13);
    assert_int_equal(job_pending_elements(record) + single, 13);
    /* The page of the array shows the elements that have begun, beside those that wait. */
    struct array_spec all;
    assert_int_equal(array_parse(req_detail(&record->req)->array_spec, ARRAY_SIZE_MAX, &all, NULL), 0);
    assert_int_equal(all.count, 13);
    assert_int_equal(all.throttle, 2);
    array_spec_fini(&all);
    slurm_mirror_free(s);
}

/* The same answer again tells nothing; a changed row is told alone; a job that is not there has gone,
 * unless the answer was about some jobs only. */
static void test_changes(void **state)
{
    (void)state;
    struct told t = {0};
    struct slurm_mirror *s = recorded(&t);
    struct slurm_span jobs = fixture_read("squeue"), word = fixture_read("word");
    size_t n_jobs = slurm_mirror_model(s)->jobs.n;
    t = (struct told){0};
    assert_int_equal(take(s, jobs.p, jobs.n, word.p, SLURM_ALL), 0);
    assert_int_equal(t.rows + t.gone, 0);

    char *changed = (char *)(uintptr_t)strstr(jobs.p, "JobHeldUser");
    assert_non_null(changed);
    memcpy(changed, "JobHeldXser", 11);
    assert_int_equal(take(s, jobs.p, jobs.n, word.p, SLURM_ALL), 1);
    assert_int_equal(t.rows, 1);
    assert_int_equal(t.gone, 0);

    assert_int_equal(take(s, "", 0, word.p, SLURM_SOME), 0);
    assert_int_equal(slurm_mirror_model(s)->jobs.n, n_jobs);
    assert_int_equal(take(s, "", 0, word.p, SLURM_OWN), 1);
    assert_int_equal(slurm_mirror_model(s)->jobs.n, 0);
    assert_int_equal(t.gone, n_jobs);
    free((void *)(uintptr_t)jobs.p);
    free((void *)(uintptr_t)word.p);
    slurm_mirror_free(s);
}

/* Each answer has a word of its own: the same rows behind another one are the same rows. */
static void test_another_word(void **state)
{
    (void)state;
    struct told t = {0};
    struct slurm_mirror *s = recorded(&t);
    struct slurm_span jobs = fixture_read("squeue"), word = fixture_read("word");
    size_t len = strlen(word.p);
    char *other = xstrndup("\037OtherWordOfThatLength", len);
    t = (struct told){0};
    assert_int_equal(strlen(other), len);
    for (char *at = (char *)(uintptr_t)jobs.p;
         (at = memmem(at, jobs.n - (size_t)(at - jobs.p), word.p, len));)
        memcpy(at, other, len);
    assert_int_equal(take(s, jobs.p, jobs.n, other, SLURM_ALL), 0);
    assert_int_equal(t.rows + t.gone, 0);
    free(other);
    free((void *)(uintptr_t)jobs.p);
    free((void *)(uintptr_t)word.p);
    slurm_mirror_free(s);
}

/* An answer that is cut off anywhere changes nothing. */
static void test_cut_answers(void **state)
{
    (void)state;
    struct told t = {0};
    struct slurm_mirror *s = recorded(&t);
    struct slurm_span jobs = fixture_read("squeue"), word = fixture_read("word");
    uint64_t seed = check_seed();
    t = (struct told){0};
    for (int i = 0; i < 300; i++) {
        size_t n = check_rand(&seed) % jobs.n;
        struct slurm_span rest = {jobs.p, n};
        struct slurm_row row;
        int r;
        while ((r = slurm_table_next(&rest, word.p, &row, NULL)) > 0)
            ;
        if (r == 0) /* between two rows: a smaller queue, which is an answer */
            continue;
        assert_int_equal(take(s, jobs.p, n, word.p, SLURM_ALL), -EBADMSG);
    }
    assert_int_equal(t.rows + t.gone, 0);
    free((void *)(uintptr_t)jobs.p);
    free((void *)(uintptr_t)word.p);
    slurm_mirror_free(s);
}

/* Whatever bytes a name is made of, those of earlier words, separators and whole rows among them, it comes
 * back as it was and makes no other job. */
static void test_any_name_is_a_name(void **state)
{
    (void)state;
    static const char *const pieces[] = {"|",
                                         "\n",
                                         ";",
                                         ",",
                                         "\037",
                                         "abcdefgh;",
                                         "\0379 RUNNING\n",
                                         "0",
                                         "\033[31m",
                                         "zż",
                                         "\xff",
                                         " ",
                                         "\n99;99;N/A;RUNNING;0;root;\n"};
    const char *word = "\037qwertzuiopasdf;";
    uint64_t seed = check_seed();
    for (int round = 0; round < 2000; round++) {
        struct str name = STR_INIT, answer = STR_INIT;
        for (size_t k = check_rand(&seed) % 8; k; k--)
            str_append(&name, pieces[check_rand(&seed) % N_OF(pieces)]);
        for (int c = 0; c < SLURM_N_COLUMNS; c++)
            str_appendf(&answer, "%s%s",
                        c == SLURM_COLUMN_ID                                  ? "7"
                        : c == SLURM_COLUMN_UID                               ? "0"
                        : c == SLURM_COLUMN_GID                               ? "1004"
                        : c == SLURM_COLUMN_NAME || c == SLURM_COLUMN_COMMENT ? name.s
                                                                              : "",
                        word);
        str_append_char(&answer, '\n');
        struct slurm_mirror *s = slurm_mirror_new(NULL, NULL);
        assert_int_equal(take(s, answer.s, answer.len, word, SLURM_ALL), 1);
        assert_int_equal(slurm_mirror_model(s)->jobs.n, 1);
        struct slurm_span raw = {name.s, name.len};
        char *want = slurm_text_any(&raw);
        assert_string_equal(model_get_job(slurm_mirror_model(s), 7)->req.name, want);
        assert_int_equal(job_origin(model_get_job(slurm_mirror_model(s), 7))->gid, 1004);
        free(want);
        slurm_mirror_free(s);
        str_fini(&name);
        str_fini(&answer);
    }
}

/* Of the manuals of 20.11 to 24.11, and one that none of them has. */
static void test_states_without_a_word_of_ours(void **state)
{
    (void)state;
    static const struct {
        const char *slurm;
        enum job_state want;
    } rows[] = {
        {"CONFIGURING", JOB_RUNNING},        {"RESIZING", JOB_RUNNING},
        {"SIGNALING", JOB_RUNNING},          {"STAGE_OUT", JOB_COMPLETING},
        {"STOPPED", JOB_SUSPENDED},          {"BOOT_FAIL", JOB_NODE_FAIL},
        {"LAUNCH_FAILED", JOB_NODE_FAIL},    {"RECONFIG_FAIL", JOB_NODE_FAIL},
        {"REVOKED", JOB_CANCELLED},          {"SPECIAL_EXIT", JOB_PENDING},
        {"REQUEUE_HOLD", JOB_PENDING},       {"REQUEUED", JOB_PENDING},
        {"DEADLINE", JOB_DEADLINE},          {"OUT_OF_MEMORY", JOB_OUT_OF_MEMORY},
        {"OF_A_LATER_RELEASE", JOB_PENDING},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct slurm_span text = {rows[i].slurm, strlen(rows[i].slurm)};
        check_int(rows[i].slurm, slurm_job_state(&text), rows[i].want);
    }
}

/* squeue looks the name of each job's group up in the name service: 20,000 times for 20,000 jobs. */
static void test_no_name_service_for_each_job(void **state)
{
    (void)state;
    struct strv argv = {0};
    slurm_table_ask(&argv, "\037word");
    assert_string_equal(argv.v[0], "squeue");
    assert_non_null(strstr(argv.v[argv.n - 1], ",GroupID:\037word,"));
    assert_null(strcasestr(argv.v[argv.n - 1], "GroupName"));
    strv_fini(&argv);
}

static void test_other_forms_are_refused(void **state)
{
    (void)state;
    struct slurm_mirror *s = slurm_mirror_new(NULL, NULL);
    struct slurm_span text = {"slurm_load_node error: no answer\n", 33};
    struct errtext err = {""};
    assert_int_equal(slurm_mirror_take_nodes(s, &text, NOW, &err), -EBADMSG);
    assert_int_equal(slurm_mirror_take_partitions(s, &text, &err), -EBADMSG);
    assert_int_equal(slurm_mirror_take_config(s, &text, &err), -EBADMSG);
    assert_int_equal(slurm_mirror_take_jobs(s, &text, "\037x;", SLURM_ALL, NOW, &err), -EBADMSG);
    assert_int_equal(slurm_mirror_model(s)->n_nodes, 0);
    slurm_mirror_free(s);
}

/* A node that the next answer does not have has gone. The load of a node is not one of its figures. */
static void test_nodes_change(void **state)
{
    (void)state;
    struct told t = {0};
    struct slurm_mirror *s = recorded(&t);
    struct slurm_span nodes = fixture_read("node");
    t = (struct told){0};
    char *load = (char *)(uintptr_t)strstr(nodes.p, "CPULoad=0");
    if (load)
        load[8] = '1';
    assert_int_equal(slurm_mirror_take_nodes(s, &nodes, NOW, NULL), 0);
    assert_int_equal(t.nodes, 0);
    char *second = strchr(nodes.p, '\n') + 1;
    struct slurm_span fewer = {second, nodes.n - (size_t)(second - nodes.p)};
    assert_int_equal(slurm_mirror_take_nodes(s, &fewer, NOW, NULL), 1);
    assert_int_equal(slurm_mirror_model(s)->n_nodes, 27);
    free((void *)(uintptr_t)nodes.p);
    slurm_mirror_free(s);
}

static void test_causes(void **state)
{
    (void)state;
    static const struct {
        const char *name, *want;
    } rows[] = {
        {"one", ""},
        {"held", "held by root"},
        {"follows", "waits for 10 to succeed"},
        {"never", "big[1-20] are down: not built yet"},
        {"later", "not before"},
        {"base", "next in line, needs 1 CPU (0 free)"},
        {"behind", "1 job ahead"},
    };
    struct told t = {0};
    struct slurm_mirror *s = recorded(&t);
    const struct model *m = slurm_mirror_model(s);
    struct cause_reader reader = {.clock = wall_append_iso, .now = NOW};
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct cause c;
        struct str out = STR_INIT;
        slurm_cause_first(m, by_name(m, rows[i].name), true, &c);
        cause_brief(&out, &c, &reader);
        check_has(rows[i].name, out.s, rows[i].want);
        str_fini(&out);
        cause_clear(&c);
    }
    struct msg_why why;
    slurm_cause_why(m, by_name(m, "behind"), &(struct slurm_facts){.has_all = true}, &why);
    assert_true(why.rank > 1);
    assert_int_equal(why.causes.v[0].code, CAUSE_AHEAD);
    assert_int_equal(why.causes.v[1].code, CAUSE_NO_PLACE);
    rec_fini(&msg_why_rec, &why);
    slurm_mirror_free(s);
}

static size_t count_with_memory(const struct slurm_mirror *s)
{
    size_t n = 0;
    list_for_each (j, &slurm_mirror_model(s)->all, struct job, in_all) {
        n += j->req.mem_node_mib != MEM_NOT_GIVEN;
        for (size_t i = 0; i < j->alloc.n; i++)
            n += j->alloc.v[i].mem_mib != 0;
    }
    return n;
}

/* Where memory is not handed out, squeue prints that of whole nodes of jobs that asked for none. A cluster
 * that begins to hand it out is believed from the next answer on. */
static void test_memory_that_is_not_handed_out(void **state)
{
    (void)state;
    static const char hands_out[] = "ClusterName = c\nSLURM_VERSION = 22.05.8\n"
                                    "SelectTypeParameters = CR_CORE_MEMORY\n";
    struct told t = {0};
    struct slurm_mirror *s = recorded(&t); /* CR_CPU */
    struct slurm_span jobs = fixture_read("squeue"), word = fixture_read("word"),
                      config = {hands_out, strlen(hands_out)};
    assert_non_null(memmem(jobs.p, jobs.n, "mem=32000M", 10));
    assert_int_equal(count_with_memory(s), 0);
    assert_true(slurm_mirror_take_config(s, &config, NULL) >= 0);
    assert_int_equal(take(s, jobs.p, jobs.n, word.p, SLURM_ALL), 1);
    assert_true(count_with_memory(s) > 10);
    slurm_mirror_free(s);
    free((void *)(uintptr_t)jobs.p);
    free((void *)(uintptr_t)word.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recorded_queue),
        cmocka_unit_test(test_recorded_details),
        cmocka_unit_test(test_recorded_array),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_cut_answers),
        cmocka_unit_test(test_another_word),
        cmocka_unit_test(test_any_name_is_a_name),
        cmocka_unit_test(test_no_name_service_for_each_job),
        cmocka_unit_test(test_states_without_a_word_of_ours),
        cmocka_unit_test(test_other_forms_are_refused),
        cmocka_unit_test(test_nodes_change),
        cmocka_unit_test(test_causes),
        cmocka_unit_test(test_memory_that_is_not_handed_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
