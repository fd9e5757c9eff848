/* What scontrol is told about nodes, and who is offered that. */
#include "backend/slurm/slurm_nodes.h"

#include <string.h>

#include "backend/slurm/slurm_rights.h"
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
    assert_true(slurm_rights_is_level("Operator\n"));
    assert_true(slurm_rights_is_level("Administrator\n"));
    assert_false(slurm_rights_is_level("None\n"));
    assert_false(slurm_rights_is_level(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nodes),
        cmocka_unit_test(test_rights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
