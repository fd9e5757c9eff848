/* test_reversal.c - what was done a moment ago is taken back by one key: it sends what makes jobs and nodes
 * what they were. */
#include "src/text/jobtext.h"
#include "tests/screen/ui_fixture.h"

static const void *body_of(struct uilab *u, enum msg_kind kind)
{
    const struct uilab_sent *s = uilab_sent(u, kind);
    assert_non_null(s);
    return s->body;
}

static void a_hold_is_released(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/eval<Enter>Hy");
    assert_int_equal(((const struct msg_act *)body_of(u, MSG_ACT))->act, ACT_HOLD);
    uilab_forget_sent(u);
    uilab_keys(u, "z"); /* nothing has been done yet */
    assert_null(uilab_sent(u, MSG_ACT));
    uilab_keys(u, "<Esc>/eval<Enter>Hy");
    uilab_result(u, MSG_ACT, REFUSAL_NONE, "", 1);
    keys_show(u, "", "held: 1   z takes it back");
    uilab_forget_sent(u);
    uilab_keys(u, "z");
    const struct msg_act *m = body_of(u, MSG_ACT);
    assert_int_equal(m->act, ACT_RELEASE);
    assert_int_equal(m->targets.n, 1);
    assert_int_equal(m->targets.v[0].job, g->s.eval);
    uilab_result(u, MSG_ACT, REFUSAL_NONE, "", 1);
    keys_show(u, "", "the last change is taken back");
    uilab_forget_sent(u);
    uilab_keys(u, "z"); /* once */
    assert_null(uilab_sent(u, MSG_ACT));
}

static void what_was_refused_is_not_taken_back(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/eval<Enter>Hy");
    uilab_result(u, MSG_ACT, REFUSAL_NOT_ALLOWED, "no", 0);
    uilab_keys(u, "<Esc>");
    uilab_forget_sent(u);
    uilab_keys(u, "z");
    assert_null(uilab_sent(u, MSG_ACT));
}

static void after_a_while_it_is_settled(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/eval<Enter>Hy");
    uilab_result(u, MSG_ACT, REFUSAL_NONE, "", 1);
    uilab_forget_sent(u);
    uilab_keys(u, "/z<Esc>"); /* in an input line it is a letter */
    assert_null(uilab_sent(u, MSG_ACT));
    uilab_wait(u, 61000);
    uilab_keys(u, "z");
    assert_null(uilab_sent(u, MSG_ACT));
}

/* A node gets back the reason that it had. */
static void drains_and_notes_go_back(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "2dfan<Enter>");
    const struct msg_drain *m = body_of(u, MSG_DRAIN);
    char *name = xstrdup(m->nodes.v[0]);
    uilab_result(u, MSG_DRAIN, REFUSAL_NONE, "", 1);
    keys_show(u, "", "z takes it back");
    uilab_forget_sent(u);
    uilab_keys(u, "z");
    m = body_of(u, MSG_DRAIN);
    assert_false(m->drain);
    assert_int_equal(m->nodes.n, 1);
    assert_string_equal(m->nodes.v[0], name);
    uilab_result(u, MSG_DRAIN, REFUSAL_NONE, "", 1);
    uilab_keys(u, "ehot<Enter>");
    uilab_result(u, MSG_NODE_NOTE, REFUSAL_NONE, "", 1);
    uilab_forget_sent(u);
    uilab_keys(u, "z");
    assert_null(((const struct msg_node_note *)body_of(u, MSG_NODE_NOTE))->text);
    free(name);
}

static void an_edit_goes_back(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/eval<Enter>e<C-u>2<Down><Down><Down><Down><C-u>90m<Down><Down><C-u>evaluate<F10>");
    assert_int_equal(((const struct msg_update *)body_of(u, MSG_UPDATE))->changes.n, 3);
    uilab_result(u, MSG_UPDATE, REFUSAL_NONE, "", 1);
    keys_show(u, "", "changed: 53 eval   z takes it back");
    uilab_forget_sent(u);
    uilab_keys(u, "z");
    const struct msg_update *m = body_of(u, MSG_UPDATE);
    assert_int_equal(m->target.job, g->s.eval);
    assert_int_equal(m->changes.n, 3);
    assert_string_equal(m->changes.v[0], "Gpus=1");
    assert_string_equal(m->changes.v[1], "TimeLimit=4:00:00");
    assert_string_equal(m->changes.v[2], "JobName=eval");
}

static size_t updates(const struct uilab *u, const struct msg_update *ret[static 4])
{
    size_t n = 0;
    vec_for_each (&u->sent, i)
        if (u->sent.v[i].kind == MSG_UPDATE && n < 4)
            ret[n++] = u->sent.v[i].body;
    return n;
}

/* Answers the first as said, the others well. */
static void answer_updates(struct uilab *u, enum refusal first)
{
    size_t n = 0;
    vec_for_each (&u->sent, i)
        if (u->sent.v[i].kind == MSG_UPDATE) {
            struct msg_result r = {.refusal = n ? REFUSAL_NONE : first, .count = n || !first};
            r.text = xstrdup(n ? "" : "no");
            uilab_feed(u, MSG_RESULT, u->sent.v[i].tag, &r);
            rec_fini(&msg_result_rec, &r);
            n++;
        }
}

/* Each of them gets back what it had itself; what was refused is left alone. */
static void an_edit_of_several_goes_back(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    const struct msg_update *m[4];
    for (int refused = 0; refused < 2; refused++) {
        uilab_keys(u, refused ? "<Esc><Esc>/eval|ablation<Enter>" : "/eval|ablation<Enter>");
        uilab_keys(u, "*e<Enter>7h<Enter>y");
        assert_int_equal(updates(u, m), 2);
        assert_string_equal(m[0]->changes.v[0], "TimeLimit=07:00:00");
        uint32_t first = m[0]->target.job, second = m[1]->target.job;
        answer_updates(u, refused ? REFUSAL_NOT_ALLOWED : REFUSAL_NONE);
        keys_show(u, "", refused ? "changed: 1   z takes it back" : "changed: 2   z takes it back");
        uilab_forget_sent(u);
        uilab_keys(u, refused ? "<Esc><Esc><Esc>z" : "z");
        assert_int_equal(updates(u, m), refused ? 1 : 2);
        assert_int_equal(m[0]->target.job, refused ? second : first);
        for (int i = 0; i < 2 - refused; i++) {
            const struct job *j = model_get_job(&u->lab.m, m[i]->target.job);
            struct str limit = STR_INIT;
            str_append(&limit, "TimeLimit=");
            jobtext_limit(&limit, j, &u->lab.m);
            assert_string_equal(m[i]->changes.v[0], limit.s);
            str_fini(&limit);
        }
        uilab_forget_sent(u);
    }
}

/* A fixed priority has no way back: then nothing is taken back of any of them. */
static void a_change_without_a_way_back_offers_none(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/eval|ablation<Enter>*e<Down><Down><Down><Enter>77<Enter>y");
    const struct msg_update *m[4];
    assert_int_equal(updates(u, m), 2);
    answer_updates(u, REFUSAL_NONE);
    keys_show(u, "", "changed: 2");
    must_not_show(u, "takes it back");
    uilab_forget_sent(u);
    uilab_keys(u, "z");
    assert_int_equal(updates(u, m), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UI_FIXTURE_CASE(a_hold_is_released),
        UI_FIXTURE_CASE(what_was_refused_is_not_taken_back),
        UI_FIXTURE_CASE(after_a_while_it_is_settled),
        UI_FIXTURE_CASE(drains_and_notes_go_back),
        UI_FIXTURE_CASE(an_edit_goes_back),
        UI_FIXTURE_CASE(an_edit_of_several_goes_back),
        UI_FIXTURE_CASE(a_change_without_a_way_back_offers_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
