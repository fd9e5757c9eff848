/* test_peers.c - bugs that other programs of this kind shipped, one by one: what is not tested elsewhere.
 * The whole list, and where each of them is, stands in docs/UI.md. */
#include "src/base/xalloc.h"
#include "tests/screen/ui_fixture.h"

/* A node that is down has told no memory: that is not a full one. */
static void unknown_memory_is_not_full(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    struct model *m = u->app->m;
    struct node *n = NULL;
    for (size_t i = 0; i < m->n_nodes; i++)
        if (strcmp(m->nodes[i]->spec.name, "cpu06") == 0)
            n = m->nodes[i];
    assert_non_null(n);
    n->mem_mib = 0;
    n->cpus = 0;
    changes_everything(u->app);
    uilab_keys(u, "2/cpu06<Enter>");
    uilab_draw(u, 24, 80);
    must_show(u, "✕ cpu06");
    must_not_show(u, "0/0");
    must_not_show(u, "100%");
    uilab_keys(u, "<Enter>");
    uilab_draw(u, 43, 132);
    must_show(u, "memory not known");
}

/* No figure of a job that measured nothing, neither in the list nor beside it. */
static void nothing_measured_is_no_number(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "6/relax<Enter>");
    uilab_draw(u, 43, 200);
    must_show(u, "memory    not measured");
    must_show(u, "CPUs      not measured");
    must_not_show(u, " 0M of");
}

static void outputs_of_elements_have_their_number(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/sweep<Enter><Right>j");
    uilab_draw(u, 50, 200);
    must_show(u, "slurm-8_");
    must_not_show(u, "%a");
    must_not_show(u, "%A");
}

/* Those that have not started have none yet: the pattern is shown, not 2^32-2; the array's last one keeps
 * the record, whose output is a file from then on. */
static void elements_to_come_show_the_pattern(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/sweep<Enter><Right>G");
    uilab_draw(u, 50, 200);
    must_show(u, "slurm-8_%a.out");
    must_not_show(u, "4294967294");
    uilab_keys(u, "l");
    uilab_draw(u, 24, 80);
    must_show(u, "Each element of the array has its own output:");
    must_show(u, "slurm-8_%a.out");
    must_show(u, "A started element has a row of its own");

    struct job *j = lab_job(&u->lab, JOB_KIND_BATCH);
    uint32_t id = j->id = j->array_job = u->lab.m.next_job;
    *rec_list_push(&job_rare_mut(j)->array_pending) =
        (struct index_range){.first = 7, .last = 7, .step = 1};
    job_origin_mut(j)->array_count = job_origin_mut(j)->array_step = 1;
    j->req.std_out = xstrdup("last-%a.log");
    req_detail_mut(&j->req)->std_err = xstrdup("all.err");
    uilab_push(u, EV_SUBMIT, id, j);
    free(j);
    uilab_keys(u, "q<Esc>/work<Enter>l");
    uilab_draw(u, 24, 80);
    must_show(u, "/home/alice/last-%a.log");
    uilab_keys(u, "e"); /* that one they share */
    uilab_draw(u, 24, 80);
    must_show(u, "/home/alice/all.err");
    must_not_show(u, "Each element");
    uilab_keys(u, "e");
    struct ev_start start = {.array_index = 7, .partition = xstrdup("main"), .time_limit_s = 3600};
    *rec_list_push(&start.alloc) = lab_alloc("cpu01", 0, 1, 0, 0, 1024);
    uilab_push(u, EV_START, id, &start);
    uilab_draw(u, 24, 80);
    must_show(u, "/home/alice/last-7.log");
    must_not_show(u, "Each element");
}

/* A key pressed while the list changes its order hits what was under the cursor, with marks and without. */
static void sorting_moves_no_mark(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/finetune<Enter> <Esc>:sort name down<Enter>");
    uilab_draw(u, 24, 80);
    must_show(u, "1 marked");
    uilab_keys(u, ":sort time<Enter>gc");
    uilab_draw(u, 24, 80);
    must_show(u, "\u25f7 52 finetune-7b");
    must_show(u, "cancel 1 job");
}

/* Two jobs of one number cannot be mistaken: an element and its array are two targets. */
static void an_element_is_not_the_job_of_its_number(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, ":cancel 8_35<Enter>y");
    uilab_wait(u, 5000);
    const struct msg_act *act = uilab_sent(u, MSG_ACT)->body;
    check_int("one target", (int64_t)act->targets.n, 1);
    check_int("of the array", act->targets.v[0].job, 8);
    check_int("that element", act->targets.v[0].array_index, 35);
}

/* Node actions on a list that is filtered and sorted mean the nodes that are seen. */
static void node_keys_mean_what_is_seen(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "2:sort gpu down<Enter>/cpu<Enter>gjjd");
    uilab_draw(u, 24, 80);
    must_show(u, "drain cpu0");
    must_not_show(u, "drain gpu");
    uilab_keys(u, "dust<Enter>");
    const struct msg_drain *m = uilab_sent(u, MSG_DRAIN)->body;
    check_int("one node", (int64_t)m->nodes.n, 1);
    assert_int_equal(strncmp(m->nodes.v[0], "cpu", 3), 0);
}

/* What is kept is applied at the next start, not only written. */
static void what_is_set_is_applied(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, ":columns id memory<Enter>");
    app_free(u->app);
    u->app = NULL;
    uilab_forget_sent(u);
    uilab_connect(u);
    uilab_draw(u, 24, 80);
    must_show(u, "MEM");
    must_not_show(u, "USER");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UI_FIXTURE_CASE(unknown_memory_is_not_full),
        UI_FIXTURE_CASE(nothing_measured_is_no_number),
        UI_FIXTURE_CASE(outputs_of_elements_have_their_number),
        UI_FIXTURE_CASE(elements_to_come_show_the_pattern),
        UI_FIXTURE_CASE(sorting_moves_no_mark),
        UI_FIXTURE_CASE(an_element_is_not_the_job_of_its_number),
        UI_FIXTURE_CASE(node_keys_mean_what_is_seen),
        UI_FIXTURE_CASE(what_is_set_is_applied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
