/* test_apply_nodes.c - applied events other than jobs': epochs, nodes, configurations; and how a job
 * leaves. */
#include <errno.h>

#include "tests/unit/model/fold.h"

/* --- nodes, configuration, epoch --- */

static void test_epoch(void **state)
{
    (void)state;
    struct ev_epoch b = {.uuid = xstrdup("u"), .epoch = 3, .next_job = 100};
    lab_must(&l, EV_EPOCH, 0, &b);
    b = (struct ev_epoch){.uuid = xstrdup("v"), .epoch = 2, .next_job = 200};
    assert_int_equal(lab_apply(&l, EV_EPOCH, 0, &b), -EINVAL);
    b = (struct ev_epoch){.uuid = xstrdup("u"), .epoch = 4, .next_job = 50};
    lab_must(&l, EV_EPOCH, 0, &b);
    assert_int_equal(l.m.next_job, 100); /* ids only go up */
    assert_int_equal(lab_submit_kind(&l, JOB_KIND_BATCH), 100);
}

static void test_node_figures(void **state)
{
    (void)state;
    struct node_spec *spec = lab_node(&l, "n3", 0, 0, UINT32_MAX, NULL);
    spec->mem_mib = 4000;
    lab_configure(&l);
    const struct node *n = model_get_node(&l.m, "n3");
    assert_int_equal(n->cpus, 0);
    struct ev_node b = {.node = xstrdup("n3"),
                        .state = NODE_UP,
                        .boot_id = xstrdup("b1"),
                        .cpus = 16,
                        .gpus = 4,
                        .mem_mib = 9000,
                        .gpu_type = xstrdup("a100")};
    lab_must(&l, EV_NODE, 0, &b);
    assert_int_equal(n->cpus, 16);
    assert_int_equal(n->gpus, 4);
    assert_int_equal(n->mem_mib, 4000); /* the configuration's word counts */
    assert_string_equal(n->gpu_type, "a100");
    b = (struct ev_node){.node = xstrdup("n3"), .state = NODE_LOST};
    lab_must(&l, EV_NODE, 0, &b);
    assert_int_equal(n->cpus, 16); /* reachability alone */
    assert_int_equal(n->t_state.ms, l.now.ms);
    b = (struct ev_node){.node = xstrdup("n3"), .state = NODE_N_STATES};
    assert_int_equal(lab_apply(&l, EV_NODE, 0, &b), -EINVAL);
    b = (struct ev_node){.node = NULL, .state = NODE_UP};
    assert_int_equal(lab_apply(&l, EV_NODE, 0, &b), -ENOENT);
    struct ev_drain d = {
        .node = xstrdup("n3"), .drain = true, .reason = xstrdup("fan"), .user = xstrdup("root")};
    lab_must(&l, EV_DRAIN, 0, &d);
    assert_string_equal(n->drain_reason, "fan");
    d = (struct ev_drain){.node = xstrdup("n3"), .reason = xstrdup("mended")};
    lab_must(&l, EV_DRAIN, 0, &d);
    assert_null(n->drain_reason);
    assert_false(wall_is_set(n->t_drain));
    d = (struct ev_drain){.node = xstrdup("n9"), .drain = true};
    assert_int_equal(lab_apply(&l, EV_DRAIN, 0, &d), -ENOENT);
}

/* The log of an earlier release may hold what the controller now refuses from a node. */
static void test_node_of_impossible_figures(void **state)
{
    (void)state;
    static const uint32_t said[] = {CPUSET_MAX, CPUSET_MAX + 1, 4000, UINT32_MAX - 1};
    lab_node(&l, "n3", 0, 0, UINT32_MAX, NULL);
    lab_configure(&l);
    for (size_t i = 0; i < N_OF(said); i++) {
        struct ev_node b = {
            .node = xstrdup("n3"), .state = NODE_UP, .boot_id = xstrdup("b1"), .cpus = 16, .gpus = said[i]};
        lab_must(&l, EV_NODE, 0, &b);
        assert_int_equal(model_get_node(&l.m, "n3")->gpus, CPUSET_MAX);
    }
}

static void test_node_leaves_the_configuration(void **state)
{
    (void)state;
    uint32_t id = running_batch();
    struct cluster_spec spec;
    rec_copy(&cluster_spec_rec, &spec, &l.spec);
    rec_fini(&node_spec_rec, &spec.nodes.v[0]);
    memmove(&spec.nodes.v[0], &spec.nodes.v[1], sizeof spec.nodes.v[0]);
    spec.nodes.n = 1;
    lab_must(&l, EV_CONFIG, 0, &spec);
    assert_int_equal(l.m.n_nodes, 2);
    assert_string_equal(l.m.nodes[0]->spec.name, "n2"); /* those that are gone stand behind */
    assert_true(model_get_node(&l.m, "n1")->gone);
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_EXITED, 0, 0), 0);
    assert_null(model_get_node(&l.m, "n1"));
    lab_configure(&l);
    assert_string_equal(l.m.nodes[0]->spec.name, "n1");
    /* A job on an unknown node: carried, then forgotten. */
    id = lab_submit_kind(&l, JOB_KIND_BATCH);
    assert_int_equal(lab_start(&l, id, ARRAY_NONE, 0, lab_alloc("n7", 0, 1, 0, 0, 1)), 0);
    assert_true(model_get_node(&l.m, "n7")->gone);
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_EXITED, 0, 0), 0);
    assert_null(model_get_node(&l.m, "n7"));
}

/* Whether the node had a job when it left must make no difference: that job's events go, and a restart
 * would find another state. */
static void test_words_about_a_node_go_with_it(void **state)
{
    (void)state;
    uint32_t id = running_batch();
    struct cluster_spec spec;
    struct ev_drain d = {
        .node = xstrdup("n1"), .drain = true, .reason = xstrdup("fan"), .user = xstrdup("root")};
    lab_must(&l, EV_DRAIN, 0, &d);
    struct ev_note note = {.node = xstrdup("n1"), .text = xstrdup("loud"), .user = xstrdup("root")};
    lab_must(&l, EV_NOTE, 0, &note);
    rec_copy(&cluster_spec_rec, &spec, &l.spec);
    rec_fini(&node_spec_rec, &spec.nodes.v[0]);
    memmove(&spec.nodes.v[0], &spec.nodes.v[1], sizeof spec.nodes.v[0]);
    spec.nodes.n = 1;
    lab_must(&l, EV_CONFIG, 0, &spec);
    const struct node *n = model_get_node(&l.m, "n1");
    assert_true(n->gone && n->n_jobs == 1);
    assert_false(n->drain || n->drain_reason || n->drain_user || n->note || n->note_user);
    d = (struct ev_drain){.node = xstrdup("n1"), .drain = true, .reason = xstrdup("again")};
    assert_int_equal(lab_apply(&l, EV_DRAIN, 0, &d), -ENOENT);
    note = (struct ev_note){.node = xstrdup("n1"), .text = xstrdup("again")};
    assert_int_equal(lab_apply(&l, EV_NOTE, 0, &note), -ENOENT);
    rec_copy(&cluster_spec_rec, &spec, &l.spec);
    lab_must(&l, EV_CONFIG, 0, &spec);
    assert_true(n == model_get_node(&l.m, "n1"));
    assert_false(n->drain || n->gone);
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_EXITED, 0, 0), 0);
}

static void test_bad_configurations(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct cluster_spec spec;
        rec_copy(&cluster_spec_rec, &spec, &l.spec);
        char **name = i < 2 ? &spec.nodes.v[1].name : &spec.parts.v[0].name;
        if (i == 3) {
            spec.parts.v[0].state = PART_INACTIVE + 1;
        } else {
            free(*name);
            *name = i == 0 ? xstrdup("n1") : NULL;
        }
        assert_int_equal(lab_apply(&l, EV_CONFIG, 0, &spec), -EINVAL);
    }
}

static void test_retire(void **state)
{
    (void)state;
    uint32_t id = running_batch();
    struct ev_none none = {0};
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_EXITED, 0, 0), 0);
    lab_must(&l, EV_RETIRE, id, &none);
    assert_null(model_get_job(&l.m, id));
    assert_int_equal(l.m.n_ended, 0);
    assert_int_equal(lab_submit_kind(&l, JOB_KIND_BATCH), id + 1);
}

static void set_avoids(uint32_t uid, size_t n)
{
    struct ev_avoid body = {.node = xstrdup("n1")};
    for (size_t i = 0; i < n; i++)
        *(struct node_avoid *)rec_list_push(&body.rows) =
            (struct node_avoid){.uid = uid, .text = xstrdup("no such user")};
    lab_must(&l, EV_AVOID, 0, &body);
}

/* The event has all there are: the newest is what counts. */
static void test_avoids(void **state)
{
    (void)state;
    const struct node *n = model_get_node(&l.m, "n1");
    assert_null(node_avoids(n, 1000));
    set_avoids(1000, 1);
    assert_string_equal(node_avoids(n, 1000)->text, "no such user");
    assert_null(node_avoids(n, 1001));
    set_avoids(AVOID_ALL_USERS, 1);
    assert_non_null(node_avoids(n, 1001));
    set_avoids(0, 0);
    assert_null(node_avoids(n, 1000));
    struct ev_avoid body = {.node = xstrdup("n7")};
    assert_int_equal(lab_apply(&l, EV_AVOID, 0, &body), -ENOENT);
}

static void set_unknown(size_t n)
{
    struct ev_unknown body = {.node = xstrdup("n1"), .n = (uint32_t)n, .mem_mib = 100 * n};
    cpuset_add_range(&body.cpus, 0, (unsigned)n);
    cpuset_add_range(&body.gpus, 1, (unsigned)n);
    for (size_t i = 0; i < n; i++)
        *(struct unknown_task *)rec_list_push(&body.rows) =
            (struct unknown_task){.job = 7, .task = (uint32_t)i, .user = xstrdup("ada")};
    lab_must(&l, EV_UNKNOWN, 0, &body);
}

/* Tasks that no job has: as above. What is found on the node otherwise does not touch them. */
static void test_unknown_tasks(void **state)
{
    (void)state;
    const struct node *n = model_get_node(&l.m, "n1");
    set_unknown(0);
    assert_null(n->rare); /* what most nodes have takes no room */
    set_unknown(3);
    set_unknown(2);
    struct ev_node facts = {.node = xstrdup("n1"), .state = NODE_UP, .boot_id = xstrdup("b"), .cpus = 8};
    lab_must(&l, EV_NODE, 0, &facts);
    assert_int_equal(node_rare(n)->n_unknown, 2);
    assert_int_equal(node_rare(n)->unknown.n, 2);
    assert_int_equal(node_rare(n)->unknown.v[1].task, 1);
    assert_string_equal(node_rare(n)->unknown.v[1].user, "ada");
    assert_int_equal(cpuset_count(&node_rare(n)->unknown_cpus), 2);
    assert_true(cpuset_has(&node_rare(n)->unknown_gpus, 2) && !cpuset_has(&node_rare(n)->unknown_gpus, 0));
    assert_int_equal(node_rare(n)->unknown_mem_mib, 200);
    set_unknown(0);
    assert_int_equal(
        node_rare(n)->n_unknown + node_rare(n)->unknown.n + cpuset_count(&node_rare(n)->unknown_cpus), 0);
    struct ev_unknown body = {.node = xstrdup("n7")};
    assert_int_equal(lab_apply(&l, EV_UNKNOWN, 0, &body), -ENOENT);
}

/* A launch that its node has refused: the task waits, what it held is free, its attempt is over. */
static void test_unplace(void **state)
{
    (void)state;
    struct job *j = lab_job(&l, JOB_KIND_STEPS);
    lab_step(j, "s", 2);
    uint32_t id = lab_submit(&l, j);
    assert_int_equal(lab_place(&l, id, 0, 0, lab_alloc("n1", 0, 1, 0, 1, 10)), 0);
    struct ev_unplace body = {.attempt = 2};
    assert_int_equal(lab_apply(&l, EV_UNPLACE, id, &body), -ENOENT);
    body = (struct ev_unplace){.attempt = 1};
    assert_int_equal(lab_apply(&l, EV_UNPLACE, id, &body), 0);
    assert_int_equal(lab_get(&l, id)->state, JOB_RUNNING);
    assert_int_equal(lab_task(&l, id, 0, 0)->state, TASK_WAITING);
    assert_int_equal(model_get_node(&l.m, "n1")->n_jobs, 0);
    body = (struct ev_unplace){.attempt = 0};
    assert_int_equal(lab_apply(&l, EV_UNPLACE, id, &body), -EINVAL);
    assert_int_equal(lab_place(&l, id, 0, 0, lab_alloc("n2", 0, 1, 0, 1, 10)), 0);
    assert_int_equal(lab_task(&l, id, 0, 0)->attempt, 2);
    assert_int_equal(lab_running(&l, id, 0, 0), 0);
    body = (struct ev_unplace){.attempt = 2};
    assert_int_equal(lab_apply(&l, EV_UNPLACE, id, &body), -EINVAL); /* it runs */
}

/* A node is away since it answered last, not since that was noticed. */
static void test_since_when_a_node_is_silent(void **state)
{
    (void)state;
    const struct node *n = model_get_node(&l.m, "n1");
    struct wall heard = {.ms = l.now.ms - 14000};
    struct ev_node b = {.node = xstrdup("n1"), .state = NODE_SUSPECT, .t_heard = heard};
    lab_must(&l, EV_NODE, 0, &b);
    assert_int_equal(n->t_state.ms, heard.ms);
    b = (struct ev_node){.node = xstrdup("n1"), .state = NODE_LOST};
    lab_must(&l, EV_NODE, 0, &b);
    assert_int_equal(n->t_state.ms, heard.ms);
    b = (struct ev_node){.node = xstrdup("n1"), .state = NODE_UP};
    lab_must(&l, EV_NODE, 0, &b);
    assert_int_equal(n->t_state.ms, l.now.ms);
    b = (struct ev_node){.node = xstrdup("n1"), .state = NODE_LOST}; /* when is not known */
    lab_must(&l, EV_NODE, 0, &b);
    assert_int_equal(n->t_state.ms, l.now.ms);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_avoids),
        TEST(test_unknown_tasks),
        TEST(test_unplace),
        TEST(test_epoch),
        TEST(test_node_figures),
        TEST(test_node_of_impossible_figures),
        TEST(test_since_when_a_node_is_silent),
        TEST(test_node_leaves_the_configuration),
        TEST(test_words_about_a_node_go_with_it),
        TEST(test_bad_configurations),
        TEST(test_retire),
    };
    return cmocka_run_group_tests_name("apply_nodes", tests, NULL, NULL);
}
