/* test_util_watch.c - nodes measure while a client watches them: all nodes, or those of one job. The
 * connections are played here. */
#include "backend/control/nodes/util_watch.h"

#include "backend/control/emit.h"
#include "backend/control/nodes/node_peers.h"
#include "src/base/xalloc.h"
#include "tests/lib/check.h"
#include "tests/lib/lab.h"

#define NODES 4

struct nodeconn {
    char name[16];
    bool up, measures;
    unsigned told; /* times */
};

static struct nodeconn conns[NODES];
static struct node_peer peers[NODES];
static struct list all_peers;
static struct lab lab;
static struct control *c;

struct client {
    struct session s;
    unsigned reports, tasks; /* what it was sent */
};
static struct client clients[2];

/* --- connections --- */

struct list *node_peers(struct control *of)
{
    (void)of;
    return &all_peers;
}

const char *nodeconn_node(const struct nodeconn *n)
{
    return n->name;
}

bool nodeconn_is_up(const struct nodeconn *n)
{
    return n->up;
}

bool nodeconn_send(struct nodeconn *n, uint64_t ticket, enum msg_kind kind, uint64_t tag, const void *body)
{
    (void)ticket;
    (void)tag;
    assert_int_equal(kind, MSG_WATCH_UTIL);
    n->measures = ((const struct msg_watch_util *)body)->on;
    n->told++;
    return true;
}

size_t conn_queued(const struct conn *of)
{
    (void)of;
    return 0;
}

bool conn_send(struct conn *to, uint64_t ticket, enum msg_kind kind, uint64_t tag, const void *body)
{
    (void)ticket;
    (void)kind;
    struct client *cl = &clients[tag];
    assert_ptr_equal(to, cl->s.conn);
    cl->reports++;
    cl->tasks += (unsigned)((const struct msg_util *)body)->tasks.n;
    return true;
}

/* --- the fixture --- */

static int up(void **state)
{
    (void)state;
    c = xcalloc(1, sizeof *c);
    lab_init(&lab);
    list_init(&all_peers);
    for (unsigned i = 0; i < NODES; i++) {
        conns[i] = (struct nodeconn){.up = true};
        snprintf(conns[i].name, sizeof conns[i].name, "n%u", i + 1);
        peers[i] = (struct node_peer){.ctl = c, .conn = &conns[i]};
        list_init(&peers[i].link);
        list_append(&all_peers, &peers[i].link);
        lab_node(&lab, conns[i].name, 8, 16384, 0, NULL);
    }
    lab_part(&lab, "main", "n1,n2,n3,n4");
    lab_configure(&lab);
    for (unsigned i = 0; i < 2; i++)
        clients[i] = (struct client){.s = {.ctl = c, .conn = (struct conn *)(void *)&clients[i]}};
    util_watch_module.start(c);
    return 0;
}

static int down(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++)
        util_watch_module.session_closed(c, &clients[i].s);
    util_watch_module.stop(c);
    lab_fini(&lab);
    free(c);
    return 0;
}

static void watch(unsigned client, bool on, uint32_t job)
{
    struct msg_watch_util m = {.on = on, .job = job};
    c->model = lab.m; /* to be read */
    req_watch_util(&clients[client].s, client, &m);
}

/* Something has happened to that job. */
static void happened(uint32_t job)
{
    struct event ev = {.kind = EV_END, .job = job};
    struct emission e = {.ev = &ev};
    c->model = lab.m;
    util_watch_module.after(c, &e);
}

static void check_measures(const char *what, const char *want)
{
    struct str got = STR_INIT;
    str_append(&got, "");
    for (unsigned i = 0; i < NODES; i++) {
        str_append_char(&got, conns[i].measures ? '1' : '0');
        check_int(what, peers[i].measures, conns[i].measures);
    }
    check_str(what, got.s, want);
    str_fini(&got);
}

static uint32_t start_on(const char *node, unsigned cpu)
{
    uint32_t id = lab_submit_kind(&lab, JOB_KIND_BATCH);
    assert_int_equal(lab_start(&lab, id, ARRAY_NONE, 0, lab_alloc(node, cpu, 1, 0, 0, 100)), 0);
    return id;
}

/* --- the cases --- */

static void only_nodes_of_the_job_measure(void **state)
{
    (void)state;
    uint32_t a = start_on("n2", 0), b = start_on("n3", 0), waits = lab_submit_kind(&lab, JOB_KIND_BATCH);
    watch(0, true, a);
    check_measures("one job", "0100");
    watch(0, true, b); /* another one instead */
    check_measures("another job", "0010");
    watch(1, true, a);
    check_measures("two clients", "0110");
    watch(1, true, 0);
    check_measures("all", "1111");
    watch(1, false, 0);
    check_measures("one again", "0010");
    watch(0, true, waits);
    check_measures("a job that waits", "0000");
    assert_int_equal(lab_start(&lab, waits, ARRAY_NONE, 0, lab_alloc("n4", 0, 1, 0, 0, 100)), 0);
    happened(a); /* which is not watched */
    check_measures("not noticed", "0000");
    happened(waits);
    check_measures("it has started", "0001");
    util_watch_module.session_closed(c, &clients[0].s);
    check_measures("the client is gone", "0000");
    watch(0, true, 4711);
    check_measures("there is no such job", "0000");
}

static void a_node_is_told_once_in_a_connection(void **state)
{
    (void)state;
    conns[2].up = false;
    watch(0, true, 0);
    watch(1, true, 0);
    check_int("told", conns[0].told, 1);
    check_int("not up", conns[2].told, 0);
    conns[2].up = true;
    util_watch_tell_nodes(c);
    check_int("up", conns[2].told, 1);
    conns[0].measures = false; /* a new connection, a new agent perhaps */
    util_watch_module.peer_down(c, &peers[0]);
    util_watch_tell_nodes(c);
    check_int("told again", conns[0].told, 2);
    check_measures("all", "1111");
}

static void a_client_gets_what_it_watches(void **state)
{
    (void)state;
    char n1[] = "n1", n2[] = "n2";
    uint32_t a = start_on("n1", 0), b = start_on("n1", 1);
    struct task_util tasks[] = {{.key = {.job = a}}, {.key = {.job = b}}, {.key = {.job = b, .task = 1}}};
    struct msg_util u = {.node = n1, .tasks = {.v = tasks, .n = N_OF(tasks)}};
    watch(0, true, 0);
    watch(1, true, b);
    util_watch_push(c, &u);
    check_int("reports", clients[0].reports, 1);
    check_int("all tasks", clients[0].tasks, 3);
    check_int("reports of the job", clients[1].reports, 1);
    check_int("its tasks", clients[1].tasks, 2);
    u.node = n2; /* where the job has nothing */
    util_watch_push(c, &u);
    check_int("reports", clients[0].reports, 2);
    check_int("reports of the job", clients[1].reports, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(only_nodes_of_the_job_measure, up, down),
        cmocka_unit_test_setup_teardown(a_node_is_told_once_in_a_connection, up, down),
        cmocka_unit_test_setup_teardown(a_client_gets_what_it_watches, up, down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
