/* test_model.c - look-ups, the order of the queue, snapshots. */
#include <malloc.h>

#include "src/base/strpool.h"
#include "src/base/xalloc.h"
#include "src/values/units.h"
#include "tests/lib/lab.h"

static struct lab l;

static int set_up(void **state)
{
    (void)state;
    lab_init(&l);
    lab_node(&l, "n1", 8, 16000, 0, NULL);
    lab_part(&l, "main", "n1");
    lab_part(&l, "long", "n1");
    lab_configure(&l);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    lab_fini(&l);
    return 0;
}

static void end_quickly(uint32_t id, enum end_kind end)
{
    assert_int_equal(lab_start(&l, id, ARRAY_NONE, 0, lab_alloc("n1", 0, 1, 0, 0, 1)), 0);
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, end, 0, 0), 0);
}

static void test_look_ups_that_find_nothing(void **state)
{
    (void)state;
    assert_null(model_get_job(&l.m, 0));
    assert_null(model_get_job(&l.m, 1));
    assert_null(model_get_element(&l.m, 1, 0));
    assert_null(model_get_request(&l.m, "r1"));
    assert_null(model_get_node(&l.m, NULL));
    assert_null(model_get_node(&l.m, "n2"));
    assert_null(model_get_part(&l.m, "none"));
    assert_null(model_get_part(&l.m, NULL));
    struct model empty;
    model_init(&empty);
    assert_null(model_default_part(&empty));
    assert_null(model_get_node(&empty, "n1"));
    assert_int_equal(model_check(&empty, NULL), 0);
    model_fini(&empty);
}

static void test_look_ups(void **state)
{
    (void)state;
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->request_id = xstrdup("r1");
    j->partition = xstrdup("long");
    uint32_t id = lab_submit(&l, j);
    j = model_get_job(&l.m, id);
    assert_int_equal(j->id, id);
    assert_ptr_equal(model_get_request(&l.m, "r1"), j);
    assert_null(model_get_element(&l.m, id, 0));
    assert_string_equal(model_job_part(&l.m, j)->name, "long");
    assert_string_equal(model_default_part(&l.m)->name, "main");
    assert_string_equal(model_get_node(&l.m, "n1")->spec.name, "n1");
    struct ev_none none = {0};
    assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_CANCEL, FATE_END), 0);
    lab_must(&l, EV_RETIRE, id, &none);
    assert_null(model_get_request(&l.m, "r1"));
}

static void test_order_of_the_queue(void **state)
{
    (void)state;
    uint32_t first = lab_submit_kind(&l, JOB_KIND_BATCH);
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    *rec_list_push(&job_rare_mut(j)->array_pending) = (struct index_range){0, 4, 1};
    uint32_t array = lab_submit(&l, j), last = lab_submit_kind(&l, JOB_KIND_BATCH);
    assert_string_equal(lab_ids(&l.m.pending), "1 2 3");
    struct ev_split three = {.array_index = 3, .new_id = 4}, one = {.array_index = 1, .new_id = 5};
    lab_must(&l, EV_SPLIT, array, &three);
    lab_must(&l, EV_SPLIT, array, &one);
    /* Elements stand with their array, by their index, the rest behind them. */
    assert_string_equal(lab_ids(&l.m.pending), "1 5 4 2 3");
    /* A requeued job gets its place by its id again. */
    end_quickly(first, END_NODE_REBOOT);
    assert_string_equal(lab_ids(&l.m.pending), "1 5 4 2 3");
    end_quickly(4, END_NODE_REBOOT);
    assert_string_equal(lab_ids(&l.m.pending), "1 5 4 2 3");
    end_quickly(last, END_EXITED);
    end_quickly(first, END_EXITED);
    assert_string_equal(lab_ids(&l.m.pending), "5 4 2");
    assert_string_equal(lab_ids(&l.m.ended), "3 1"); /* in the order of their ends */
    assert_int_equal(l.m.n_pending, 3);
    assert_int_equal(l.m.n_ended, 2);
}

static struct job *row(uint32_t id, enum job_state state, const char *request)
{
    struct job *j = job_new();
    j->id = id;
    j->state = (uint8_t)state;
    j->request_id = xstrdup(request);
    return j;
}

static void test_snapshot(void **state)
{
    (void)state;
    struct model m;
    model_init(&m);
    struct cluster_spec spec;
    rec_copy(&cluster_spec_rec, &spec, &l.spec);
    model_take_spec(&m, &spec);
    assert_int_equal(spec.parts.n, 0); /* moved out */
    assert_string_equal(model_default_part(&m)->name, "main");
    struct node n = {.spec = {.name = xstrdup("n1")}, .cpus = 4};
    model_take_node(&m, &n);
    assert_null(n.spec.name);
    n = (struct node){.spec = {.name = xstrdup("n1")}, .cpus = 6};
    model_take_node(&m, &n);
    assert_int_equal(m.n_nodes, 1);
    assert_int_equal(model_get_node(&m, "n1")->cpus, 6);
    /* Rows may come in any order, and again. */
    model_take_job(&m, row(7, JOB_PENDING, "r7"));
    model_take_job(&m, row(3, JOB_CANCELLED, "r3"));
    model_take_job(&m, row(5, JOB_PENDING, "r5"));
    model_take_job(&m, row(7, JOB_PENDING, "r8"));
    assert_string_equal(lab_ids(&m.pending), "5 7");
    assert_string_equal(lab_ids(&m.ended), "3");
    assert_int_equal(m.next_job, 8);
    assert_null(model_get_request(&m, "r7"));
    assert_int_equal(model_get_request(&m, "r8")->id, 7);
    model_take_job(&m, row(5, JOB_FAILED, "r5"));
    assert_int_equal(m.n_pending, 1);
    assert_int_equal(m.n_ended, 2);
    struct errtext err;
    assert_int_equal(model_check(&m, &err), 0);
    model_fini(&m);
}

static void note_on(struct model *m, char *node, char *text)
{
    struct ev_note body = {.node = node, .text = text};
    struct event ev = {.kind = EV_NOTE, .body = &body};
    assert_int_equal(model_apply(m, &ev), 0);
}

/* Nodes say the same too, after a snapshot and after events. */
static void test_nodes_share_texts(void **state)
{
    (void)state;
    char names[][3] = {"n1", "n2", "n3"}, text[] = "fan broken";
    struct model m;
    struct strpool *texts = strpool_new();
    model_init(&m);
    model_intern_texts(&m, texts);
    for (int i = 0; i < 3; i++) {
        struct node n = {.spec = {.name = xstrdup(names[i])}, .os = xstrdup("Linux")};
        model_take_node(&m, &n);
        note_on(&m, names[i], text);
    }
    assert_ptr_equal(m.nodes[1]->os, m.nodes[2]->os);
    assert_ptr_equal(m.nodes[1]->note, m.nodes[2]->note);
    char other[] = "repaired";
    note_on(&m, names[1], other); /* the others keep what they share */
    assert_string_equal(m.nodes[1]->note, "repaired");
    assert_string_equal(m.nodes[2]->note, "fan broken");
    struct node again = {.spec = {.name = xstrdup("n3")}, .os = xstrdup("Linux")};
    model_take_node(&m, &again);
    assert_null(model_get_node(&m, "n3")->note);
    assert_ptr_equal(m.nodes[1]->os, m.nodes[2]->os);
    model_fini(&m);
    assert_int_equal(strpool_count(texts), 0);
    strpool_unref(texts);
}

/* As `sbatch -J job-NNNNN -o runs/NNNNN/%j.out fit.sh` makes them: what can be the job's own is. */
static struct job *mirrored_job(uint32_t id)
{
    struct job *j = job_new();
    j->id = id;
    j->user = xstrdup("alice");
    j->partition = xstrdup("main");
    j->req.name = xasprintf("job-%05u", id);
    j->req.account = xstrdup("vision");
    j->req.partition = xstrdup("main");
    j->req.workdir = xstrdup("/home/alice/projects/vision");
    j->req.std_out = xasprintf("/home/alice/projects/vision/runs/%05u/%%j.out", id);
    struct job_req_detail *detail = req_detail_mut(&j->req);
    detail->qos = xstrdup("normal");
    detail->gres = xstrdup("gpu:2");
    struct job_origin *origin = job_origin_mut(j);
    origin->group = xstrdup("users");
    origin->submit_host = xstrdup("login1.cluster");
    origin->command = xstrdup("/home/alice/projects/vision/fit.sh");
    req_rare_mut(&j->req)->mail_type = xstrdup("END");
    return j;
}

static void update_qos(struct model *m, uint32_t id, const char *qos)
{
    struct ev_update body = {.time_limit_s = DURATION_NOT_SET};
    rec_copy(&job_req_rec, &body.req, &model_get_job(m, id)->req);
    xstrset(&req_detail_mut(&body.req)->qos, qos);
    struct event ev = {.kind = EV_UPDATE, .job = id, .body = &body};
    assert_int_equal(model_apply(m, &ev), 0);
    rec_fini(&ev_update_rec, &body);
}

/* Boxes too, as long as all that is in them is the same. */
static void test_jobs_share_boxes(void **state)
{
    (void)state;
    struct model m;
    struct strpool *texts = strpool_new();
    model_init(&m);
    model_intern_texts(&m, texts);
    for (uint32_t id = 1; id <= 6; id++)
        model_take_job(&m, mirrored_job(id));
    const struct job *a = model_get_job(&m, 5), *b = model_get_job(&m, 6);
    assert_ptr_equal(a->origin, b->origin);
    assert_ptr_equal(a->req.detail, b->req.detail);
    assert_ptr_equal(a->req.rare, b->req.rare);
    update_qos(&m, 5, "high"); /* the others keep what they share */
    assert_string_equal(req_detail(&a->req)->qos, "high");
    assert_string_equal(req_detail(&b->req)->qos, "normal");
    assert_ptr_equal(a->origin, b->origin);
    update_qos(&m, 5, "normal");
    assert_ptr_equal(a->req.detail, b->req.detail);
    model_fini(&m);
    assert_int_equal(strpool_count(texts), 0);
    strpool_unref(texts);
}

/* What a screen on all jobs takes: it grew unseen before. Raise a bound only with docs/BENCHMARKS.md. */
static void test_what_a_mirrored_job_takes(void **state)
{
    (void)state;
    enum { MANY = 4096 };
    struct model m;
    struct strpool *texts = strpool_new();
    assert_true(sizeof(struct job) <= 312);
    model_init(&m);
    model_intern_texts(&m, texts);
    size_t before = mallinfo2().uordblks;
    for (uint32_t id = 1; id <= MANY; id++)
        model_take_job(&m, mirrored_job(id));
    size_t each = (mallinfo2().uordblks - before) / MANY;
    print_message("%zu bytes a job\n", each);
    assert_true(each <= 432);
    model_fini(&m);
    strpool_unref(texts);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_look_ups_that_find_nothing), TEST(test_look_ups),
        TEST(test_order_of_the_queue),         TEST(test_snapshot),
        TEST(test_nodes_share_texts),          TEST(test_jobs_share_boxes),
        TEST(test_what_a_mirrored_job_takes),
    };
    return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
