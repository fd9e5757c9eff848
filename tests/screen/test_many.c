/* test_many.c - more jobs than a filter is tried on between two keys. */
#include "src/base/xalloc.h"
#include "tests/screen/stage.h"

#define WAITING  20000
#define ELEMENTS 3
#define NODES    300

/* An array of which some run, first in the list and closed; behind it what waits, each with a name. */
static void take_jobs(struct lab *l)
{
    for (uint32_t id = 1; id <= ELEMENTS + WAITING; id++) {
        struct job *j = lab_job(l, JOB_KIND_BATCH);
        j->id = id;
        if (id <= ELEMENTS) {
            j->array_job = 1;
            j->array_index = id - 1;
            j->array_count = ELEMENTS;
            j->state = JOB_RUNNING;
        } else {
            free(j->req.name);
            j->req.name = xasprintf("job-%05u", id);
        }
        model_take_job(&l->m, j);
    }
}

static void type(struct uilab *u, uint32_t key)
{
    struct input in = input_key(key);
    app_input(u->app, &in);
    uilab_draw(u, 24, 80);
}

/* A filter opens every branch, so other rows are tried than those that are seen meanwhile. */
static void rows_stay_while_a_filter_is_tried(void **unused)
{
    (void)unused;
    struct uilab u;
    uilab_init(&u);
    take_jobs(&u.lab);
    uilab_connect(&u);
    uilab_draw(&u, 24, 80);
    int array = uilab_find(&u, "1_[");
    assert_true(array > 0);
    assert_int_equal(uilab_find(&u, "job-00004"), array + 1);
    type(&u, '/');
    array = uilab_find(&u, "1_[");
    type(&u, '9');
    assert_true(app_work(u.app)); /* there is more to do */
    uilab_draw(&u, 24, 80);
    assert_int_equal(uilab_find(&u, "1_["), array);
    assert_int_equal(uilab_find(&u, "job-00004"), array + 1);
    assert_int_equal(uilab_find(&u, "job-00005"), array + 2);
    uilab_keys(&u, "999<Enter>"); /* looks at the rest */
    uilab_draw(&u, 24, 80);
    assert_int_equal(uilab_find(&u, "1_["), -1);
    assert_int_equal(uilab_find(&u, "job-09999"), array);
    uilab_keys(&u, "<Esc>g"); /* the cursor had stayed on its job */
    uilab_draw(&u, 24, 80);
    assert_int_equal(uilab_find(&u, "job-00004"), array + 1);
    uilab_fini(&u);
}

/* Hundreds of nodes: their numbers are not cut in the header, their names not to what they have in common.
 */
static void many_nodes_can_be_told_apart(void **unused)
{
    (void)unused;
    struct uilab u;
    uilab_init(&u);
    for (int i = 0; i < NODES; i++) {
        char name[40];
        snprintf(name, sizeof name, "long-name-of-a-node-%03d", i);
        lab_node(&u.lab, name, 128, 512 * 1024, 8, "nvidia_h100_80gb_hbm3");
    }
    lab_part(&u.lab, "main", "long-name-of-a-node-[000-299]");
    lab_configure(&u.lab);
    for (unsigned i = 0; i < NODES; i++) {
        char name[40];
        uint32_t id = lab_submit_kind(&u.lab, JOB_KIND_BATCH);
        snprintf(name, sizeof name, "long-name-of-a-node-%03u", i);
        lab_start(&u.lab, id, ARRAY_NONE, 0, lab_alloc(name, 0, 99, 0, 7, 1024));
    }
    uilab_connect(&u);
    uilab_keys(&u, "2");
    uilab_draw(&u, 24, 80);
    must_show(&u, "300 run  0 wait   nodes 300/300   cpu 29700/38400   gpu 2100/2400");
    must_show(&u, "long-name-of-a-node-007 [");
    uilab_draw(&u, 24, 132);
    must_show(&u, "long-name-of-a-node-007 ");
    uilab_keys(&u, "3");
    uilab_draw(&u, 24, 132);
    must_show(&u, "long-name-of-a-node-007 ");
    must_show(&u, "2400: 300 free, 1 on one node");
    uilab_draw(&u, 12, 40); /* cut, but not where they differ */
    must_show(&u, "lon…-003");
    uilab_keys(&u, "2");
    uilab_draw(&u, 12, 40);
    must_show(&u, "lon…-003 ");
    uilab_fini(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_stay_while_a_filter_is_tried),
                                       cmocka_unit_test(many_nodes_can_be_told_apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
