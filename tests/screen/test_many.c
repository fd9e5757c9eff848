/* test_many.c - more jobs than a filter is tried on between two keys. */
#include "src/base/xalloc.h"
#include "tests/screen/ui_fixture.h"

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
            job_origin_mut(j)->array_count = ELEMENTS;
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
    assert_true(uilab_find(&u, "job-00004") > array);
    type(&u, '/');
    array = uilab_find(&u, "1_[");
    type(&u, '9');
    assert_true(app_work(u.app)); /* there is more to do */
    uilab_draw(&u, 24, 80);
    assert_int_equal(uilab_find(&u, "1_["), array);
    assert_true(uilab_find(&u, "job-00004") > array);
    assert_int_equal(uilab_find(&u, "job-00005"), uilab_find(&u, "job-00004") + 1);
    uilab_keys(&u, "999<Enter>"); /* looks at the rest */
    uilab_draw(&u, 24, 80);
    assert_int_equal(uilab_find(&u, "1_["), -1);
    assert_int_equal(uilab_find(&u, "job-09999"), array);
    uilab_keys(&u, "<Esc>g"); /* the cursor had stayed on its job */
    uilab_draw(&u, 24, 80);
    assert_true(uilab_find(&u, "job-00004") > array);
    uilab_fini(&u);
}

/* Hundreds of nodes: their numbers are not cut in the header, their names not to what they have in
 * common. */
/* An array with elements in no order, and more than one slice sees. */
static void take_big_array(struct lab *l, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct job *j = lab_job(l, JOB_KIND_BATCH);
        j->id = 10 + i;
        j->array_job = 10;
        j->array_index = i * 7 % n; /* n is not a multiple of 7 */
        job_origin_mut(j)->array_count = n;
        j->state = i % 3 ? JOB_COMPLETED : JOB_RUNNING;
        j->t_start = l->now;
        model_take_job(&l->m, j);
    }
}

static void elements_stand_in_the_order_of_their_numbers(void **unused)
{
    (void)unused;
    struct uilab u;
    char id[32];
    uilab_init(&u);
    take_big_array(&u.lab, 40);
    uilab_connect(&u);
    uilab_keys(&u, "g<Right>");
    uilab_draw(&u, 50, 80);
    int at = uilab_find(&u, " 10_0 ");
    for (int i = 0; i < 40; i++) {
        snprintf(id, sizeof id, " 10_%d ", i);
        assert_int_equal(uilab_find(&u, id), at + i);
    }
    uilab_fini(&u);
}

static void an_array_is_filtered_in_slices_too(void **unused)
{
    (void)unused;
    struct uilab u;
    uilab_init(&u);
    take_big_array(&u.lab, WAITING);
    uilab_connect(&u);
    uilab_draw(&u, 24, 80);
    type(&u, '/');
    type(&u, '_');
    type(&u, '7');
    assert_true(app_work(u.app)); /* there is more to do */
    uilab_keys(&u, "777<Enter><Right>");
    uilab_draw(&u, 24, 80);
    assert_true(uilab_find(&u, " 10_7777 ") > 0);
    assert_int_equal(uilab_find(&u, " 10_7776 "), -1);
    uilab_fini(&u);
}

static size_t count(const char *s, const char *end, char what)
{
    size_t n = 0;
    for (; s < end; s++)
        n += *s == what;
    return n;
}

/* What terminals take is bounded: whole rows are copied, and it is said how many. */
static void what_is_copied_is_whole(void **unused)
{
    (void)unused;
    struct uilab u;
    char words[64];
    uilab_init(&u);
    take_jobs(&u.lab);
    uilab_connect(&u);
    uilab_keys(&u, "Y");
    uilab_draw(&u, 24, 120);
    const char *s = outbox_copied(u.app), *end = s + strlen(s), *line = strchr(s, '\n');
    size_t rows = count(s, end, '\n') - 1;
    assert_true(end - s <= UI_COPY_MAX && end - s > UI_COPY_MAX - 1000);
    assert_int_equal(end[-1], '\n');
    assert_int_equal(count(s, end, '\t'), (rows + 1) * count(s, line, '\t'));
    snprintf(words, sizeof words, "the first %zu of %d rows", rows, WAITING + 1);
    assert_true(uilab_find(&u, words) > 0);
    uilab_keys(&u, "/job");
    uilab_draw(&u, 24, 80);
    assert_true(uilab_find(&u, " match  Enter keep, Esc clear") > 0); /* whole, however many they are */
    uilab_keys(&u, "<C-u>job-00007<Enter>Y");
    uilab_draw(&u, 24, 120);
    assert_true(uilab_find(&u, "copied 1 row") > 0);
    uilab_fini(&u);
}

/* Of all that are marked those are listed that it is done to. */
static void of_many_those_are_listed_that_are_meant(void **unused)
{
    (void)unused;
    struct uilab u;
    uilab_init(&u);
    take_jobs(&u.lab);
    uilab_connect(&u);
    uilab_keys(&u, "**c");
    uilab_draw(&u, 50, 120);
    assert_true(uilab_find(&u, "cancel 20003 jobs") > 0);
    assert_true(uilab_find(&u, " job-00014  alice") > 0);
    assert_true(uilab_find(&u, "and 19989 more") > 0);
    uilab_keys(&u, "<Esc>R");
    uilab_draw(&u, 50, 120);
    assert_true(uilab_find(&u, "requeue 3 jobs") > 0);
    assert_true(uilab_find(&u, "\u25b6 1_[") > 0);
    assert_true(uilab_find(&u, "20000 jobs are left out") > 0);
    uilab_fini(&u);
}

static uint64_t id_at(const void *ctx, size_t i)
{
    return ((const uint64_t *)ctx)[i];
}

static void marks_of_what_has_gone_go(void **unused)
{
    (void)unused;
    static const uint64_t before[] = {2, 3, 5, 9}, now[] = {9, 4, 3, 7};
    struct list_state l = {0};
    for (size_t i = 0; i < N_OF(before); i++)
        list_mark(&l, before[i], true);
    list_prune(&l, N_OF(before), id_at, before);
    assert_int_equal(list_n_marks(&l), 4);
    list_prune(&l, N_OF(now), id_at, now);
    assert_int_equal(list_n_marks(&l), 2);
    assert_true(list_is_marked(&l, 3) && list_is_marked(&l, 9));
    list_prune(&l, 0, id_at, now);
    assert_int_equal(list_n_marks(&l), 0);
    list_state_fini(&l);
}

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
    must_show(&u, "300/300");
    must_show(&u, "29700/38400");
    must_show(&u, "2100/2400");
    must_show(&u, "long-name-of-a-node-007 ");
    uilab_draw(&u, 24, 132);
    must_show(&u, "long-name-of-a-node-007 ");
    uilab_keys(&u, "3");
    uilab_draw(&u, 24, 132);
    must_show(&u, "long-name-of-a-node-001 ");
    must_show(&u, "2400: 300 free, 1 on one node");
    uilab_keys(&u, "t");
    uilab_draw(&u, 24, 132);
    must_show(&u, "long-name-of-a-node-007 ");
    must_show(&u, "2400: 300 free, 1 on one node");
    uilab_draw(&u, 12, 40); /* cut, but not where they differ */
    must_show(&u, "lon…-003");
    uilab_keys(&u, "2");
    uilab_draw(&u, 12, 40);
    must_show(&u, "long-n…ode-003 ");
    uilab_fini(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_stay_while_a_filter_is_tried),
                                       cmocka_unit_test(elements_stand_in_the_order_of_their_numbers),
                                       cmocka_unit_test(an_array_is_filtered_in_slices_too),
                                       cmocka_unit_test(what_is_copied_is_whole),
                                       cmocka_unit_test(of_many_those_are_listed_that_are_meant),
                                       cmocka_unit_test(marks_of_what_has_gone_go),
                                       cmocka_unit_test(many_nodes_can_be_told_apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
