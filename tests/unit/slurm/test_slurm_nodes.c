/* What scontrol is told about nodes, and who is offered that. */
#include "backend/slurm/slurm_nodes.h"

#include <string.h>

#include "backend/slurm/live/slurm_lists.h"
#include "backend/slurm/slurm_rights.h"
#include "backend/slurm/slurm_window.h"
#include "src/base/xalloc.h"
#include "tests/unit/slurm/fixture.h"

static void check_words(struct strv *words, const char *want)
{
    char *line = strv_join(words, "|");
    assert_string_equal(line, want);
    free(line);
    strv_fini(words);
}

static void test_nodes(void **state)
{
    (void)state;
    struct msg_drain drain = {.drain = true, .reason = xstrdup("fan is loud; $(true) State=DOWN")};
    struct msg_node_note note = {.text = NULL};
    struct strv words = {0};
    strv_push(&drain.nodes, "n1");
    strv_push(&drain.nodes, "n2");
    strv_push(&note.nodes, "n1");
    slurm_nodes_drain_words(&drain, &words);
    check_words(&words,
                "scontrol|update|NodeName=n1,n2|State=DRAIN|Reason=fan is loud; $(true) State=DOWN");
    drain.drain = false;
    slurm_nodes_drain_words(&drain, &words);
    check_words(&words, "scontrol|update|NodeName=n1,n2|State=RESUME");
    slurm_nodes_note_words(&note, &words);
    check_words(&words, "scontrol|update|NodeName=n1|Comment=");
    rec_fini(&msg_drain_rec, &drain);
    rec_fini(&msg_node_note_rec, &note);
}

static void test_windows(void **state)
{
    (void)state;
    static const struct {
        const char *name, *user, *reason;
        uint32_t kind;
        bool update, remove;
        const char *want;
    } rows[] = {
        {"maint", NULL, NULL, WINDOW_MAINTENANCE, false, false,
         "scontrol|create|reservation|ReservationName=maint|StartTime=uts1795438800|EndTime=uts1795442400|"
         "Nodes=n1,n2|"
         "Users=root|Flags=MAINT,IGNORE_JOBS"},
        {NULL, "ann", "a class", WINDOW_RESERVATION, false, false,
         "scontrol|create|reservation|StartTime=uts1795438800|EndTime=uts1795442400|Nodes=n1,n2|Users=ann|"
         "Comment=a class"},
        {"maint", NULL, NULL, WINDOW_MAINTENANCE, true, false,
         "scontrol|update|ReservationName=maint|StartTime=uts1795438800|EndTime=uts1795442400|Nodes=n1,n2"},
        {"a b Users=x", NULL, NULL, WINDOW_RESERVATION, false, true,
         "scontrol|delete|ReservationName=a b Users=x"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct msg_window_set m = {.update = rows[i].update, .remove = rows[i].remove};
        struct strv words = {0};
        m.window = (struct window){.name = rows[i].name ? xstrdup(rows[i].name) : NULL,
                                   .reason = rows[i].reason ? xstrdup(rows[i].reason) : NULL,
                                   .kind = rows[i].kind,
                                   .start = {1795438800000},
                                   .end = {1795442400000}};
        strv_push(&m.window.nodes, "n1");
        strv_push(&m.window.nodes, "n2");
        if (rows[i].user)
            strv_push(&m.window.users, rows[i].user);
        slurm_window_words(&m, &words);
        check_words(&words, rows[i].want);
        rec_fini(&msg_window_set_rec, &m);
    }
    char *made = slurm_window_created("Reservation created: ann_7\n"), *none = slurm_window_created("");
    assert_string_equal(made, "ann_7");
    assert_null(none);
    free(made);
}

/* Rows by the manual of sacctmgr. */
static void test_lists(void **state)
{
    (void)state;
    static const char text[] =
        "vision|sound|normal\nvision|vision|normal,long\nvision|sound|urgent\nno row\n";
    struct slurm_span answer = {text, sizeof text - 1}, none = {"", 0};
    struct cluster_spec spec = {0};
    assert_true(slurm_lists_read(&answer, "ann", &spec));
    assert_int_equal(spec.accounts.n, 2);
    assert_string_equal(spec.accounts.v[0].name, "vision");
    assert_string_equal(spec.accounts.v[1].name, "sound");
    assert_string_equal(spec.accounts.v[1].users.v[0].name, "ann");
    assert_int_equal(spec.qos.n, 3);
    assert_string_equal(spec.qos.v[0].name, "normal");
    assert_string_equal(spec.qos.v[1].name, "long");
    assert_string_equal(spec.qos.v[2].name, "urgent");
    assert_false(slurm_lists_read(&answer, "ann", &spec));
    assert_true(slurm_lists_read(&none, "ann", &spec));
    assert_int_equal(spec.accounts.n + spec.qos.n, 0);
    rec_fini(&cluster_spec_rec, &spec);
}

static void test_rights(void **state)
{
    (void)state;
    static const char text[] =
        "SlurmdUser              = root(0)\nSlurmUser               = slurm(64030)\n";
    struct slurm_span config = {text, strlen(text)}, none = {"", 0};
    assert_true(slurm_rights_is_slurm_user(&config, 64030));
    assert_false(slurm_rights_is_slurm_user(&config, 6403));
    assert_false(slurm_rights_is_slurm_user(&config, 0)); /* of SlurmdUser */
    assert_false(slurm_rights_is_slurm_user(&none, 0));
    assert_int_equal(slurm_rights_read_level("Operator\n"), SLURM_LEVEL_OPERATOR);
    assert_int_equal(slurm_rights_read_level("Administrator\n"), SLURM_LEVEL_ADMINISTRATOR);
    assert_int_equal(slurm_rights_read_level("None\n"), SLURM_LEVEL_USER);
    assert_int_equal(slurm_rights_read_level(""), SLURM_LEVEL_USER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nodes),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_rights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
