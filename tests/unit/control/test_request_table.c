/* test_request_table.c - what is said of each request that clients may send. */
#include "backend/control/requests/request_table.h"
#include "src/proto/audit_line.h"
#include "src/proto/msg.h"
#include "tests/lib/check.h"

static void each_change_has_a_line_in_the_audit_log(void **state)
{
    (void)state;
    unsigned n = 0;
    for (int k = 0; k < MSG_N_KINDS; k++) {
        const struct request_kind *r = &request_table[k];
        if (!r->changes && !r->admin)
            continue;
        if (!r->audit)
            fail_msg("%s changes something and has no line", msg_name((enum msg_kind)k));
        n++;
    }
    assert_true(n >= 10);
}

/* What keeps a question from telling of other users where `private` says so. tests/attack/test_private.sh
 * asks them all. */
static const char *const kept_by[MSG_N_KINDS] = {
    [MSG_OWN] = "owner",
    [MSG_SHUTDOWN] = "administrators",
    [MSG_GET] = "privacy_row, privacy_mask_node",
    [MSG_WHY] = "privacy_mask_why",
    [MSG_WAITS] = "privacy_mask_cause",
    [MSG_PLAN] = "privacy_mask_plan",
    [MSG_PRIO] = "rows of one's own",
    [MSG_SHARES] = "rows of one's own",
    [MSG_HISTORY] = "privacy_own_users",
    [MSG_SCRIPT] = "owner",
    [MSG_OUTPUT_READ] = "owner",
    [MSG_INPUT] = "owner",
    [MSG_STATS] = "rows of one's own",
    [MSG_WATCH_UTIL] = "privacy_hides_job",
    [MSG_AUDIT] = "audit_may_see",
    [MSG_PING] = "nothing is told",
};

static void each_question_keeps_what_is_private(void **state)
{
    (void)state;
    for (int k = 0; k < MSG_N_KINDS; k++) {
        const struct request_kind *r = &request_table[k];
        if (r->handle && !r->changes && !kept_by[k])
            fail_msg("what keeps %s from telling of other users? Say it here, and ask it in "
                     "tests/attack/test_private.sh",
                     msg_name((enum msg_kind)k));
    }
}

static void lines_name_their_requests(void **state)
{
    (void)state;
    for (uint32_t i = 1; i < AUDIT_N; i++)
        assert_true(audit_request_name(i)[0]);
    assert_string_equal(audit_request_name(AUDIT_N), "?");
    struct audit_line l = {.uid = 7, .request = AUDIT_CANCEL, .object = (char[]){"a\"b\nc"}, .refusal = 1};
    struct audit_job jobs[] = {{.job = 4, .index = AUDIT_NO_INDEX, .uid = 8},
                               {.job = 5, .index = 2, .uid = 9}};
    l.jobs.v = jobs;
    l.jobs.n = 2;
    struct str text = STR_INIT;
    audit_format(&text, &l);
    assert_string_equal(text.s, "audit request=cancel user=? uid=7 from=local jobs=4,5_2 "
                                "object=\"a\\x22b\\x0ac\" count=0 result=refused");
    str_fini(&text);
    static const struct {
        const char *name;
        struct audit_reader who;
        bool sees;
    } readers[] = {
        {"an administrator", {.uid = 1, .admin = true}, true},
        {"who asked", {.uid = 7}, true},
        {"the owner of the first job", {.uid = 8}, true},
        {"the owner of the last job", {.uid = 9}, true},
        {"another user", {.uid = 10}, false},
    };
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++)
        check_int(readers[i].name, audit_may_see(&readers[i].who, &l), readers[i].sees);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_change_has_a_line_in_the_audit_log),
        cmocka_unit_test(each_question_keeps_what_is_private),
        cmocka_unit_test(lines_name_their_requests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
