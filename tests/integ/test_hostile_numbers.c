/* test_hostile_numbers.c - every number that a client may put into a submission and a node into what it
 * says of itself, at its edges and beyond: the controller refuses it, cuts it or takes it, and lives, also
 * after a restart with what it has taken. The records' own tables are walked, so a new member is tried by
 * itself.
 */
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/os/unixsock.h"
#include "tests/lib/asking.h"
#include "tests/lib/check.h"
#include "tests/lib/cluster.h"
#include "tests/lib/fake_agent.h"

/* What is most in one place or another, and one more. */
static const uint64_t numbers[] = {
    0,       1,        CPUSET_MAX, CPUSET_MAX + 1,           4097,           1000000,
    1000001, 1u << 31, UINT32_MAX, (uint64_t)UINT32_MAX + 1, UINT64_MAX - 1, UINT64_MAX};

static pid_t controller;

/* --- one number of a record --- */

struct walk {
    size_t at, wanted; /* numbers passed so far; the one that is set */
    uint64_t value;
    const char *name; /* of it; NULL: there are fewer */
};

static bool set_number(const struct rec_field *f, void *p, uint64_t v)
{
    if (f->type == REC_U32)
        *(uint32_t *)p = (uint32_t)v;
    else if (f->type == REC_I32)
        *(int32_t *)p = (int32_t)(uint32_t)v;
    else if (f->type == REC_U64)
        *(uint64_t *)p = v;
    else if (f->type == REC_I64)
        *(int64_t *)p = (int64_t)v;
    else if (f->type == REC_WALL)
        ((struct wall *)p)->ms = (int64_t)(v % (UINT64_C(1) << 53)); /* what is later is not read at all */
    else
        return false;
    return true;
}

static void walk(const struct rec_desc *d, void *rec, struct walk *w)
{
    for (size_t i = 0; i < d->n_fields; i++) {
        const struct rec_field *f = &d->fields[i];
        if (f->box_size) { /* its box is made where it has none */
            void **box = (void **)(void *)((char *)rec + f->box);
            *box = *box ? *box : xcalloc(1, f->box_size);
        }
        void *p = (void *)(uintptr_t)rec_at(f, rec);
        struct rec_list_any *list = p;
        uint64_t spare[4];
        if (f->type == REC_SUB)
            walk(f->sub, p, w);
        else if (f->type == REC_LISTOF && list->n)
            walk(f->sub, list->v, w);
        else if (set_number(f, spare, 0) && w->at++ == w->wanted) {
            w->name = f->name;
            set_number(f, p, w->value);
        }
    }
}

/* --- submissions --- */

static struct msg_submit base(enum job_kind kind)
{
    char *id = client_request_id();
    struct msg_submit m = submission(kind, id);
    free(id);
    *(struct launch_rank *)rec_list_push(&m.payload.ranks) = (struct launch_rank){0};
    for (int i = 0; kind == JOB_KIND_STEPS && i < 2; i++) {
        struct step *s = rec_list_push(&m.steps);
        plain_step_init(s);
        s->id = i;
        s->name = xasprintf("s%d", i);
        struct step_payload *p = rec_list_push(&m.step_payloads);
        p->argv = strv_split("true", " ");
    }
    return m;
}

static void must_live(struct client *c, const char *name, uint64_t value)
{
    struct errtext err = {""};
    enum msg_kind kind;
    void *body = NULL;
    if (client_call(c, MSG_PING, NULL, &kind, &body, &err) < 0)
        fail_msg("%s = %llu: the controller does not answer: %s", name, (unsigned long long)value, err.s);
    msg_free(kind, body);
}

/* Whether there is such a number. */
static bool submit_with(struct client **c, enum job_kind kind, size_t wanted, uint64_t value,
                        unsigned *ret_taken)
{
    struct walk w = {.wanted = wanted, .value = value};
    struct msg_submit m = base(kind);
    struct errtext err = {""};
    enum msg_kind got;
    void *body = NULL;
    walk(&msg_submit_rec, &m, &w);
    if (w.name &&
        client_call(*c, MSG_SUBMIT, &m, &got, &body, &err) < 0) { /* cannot be read: closed for that */
        client_free(*c);
        *c = cluster_connect();
    } else if (w.name) {
        const struct msg_result *r = body;
        uint32_t job = got == MSG_RESULT && r->refusal == REFUSAL_NONE ? r->job : 0;
        msg_free(got, body);
        must_live(*c, w.name, value);
        *ret_taken += job != 0;
        if (job)
            (void)ask_act(*c, ACT_CANCEL, job);
    }
    rec_fini(&msg_submit_rec, &m);
    return w.name != NULL;
}

static void numbers_of_a_submission(void **unused)
{
    (void)unused;
    cluster_configure(4, 4, 4);
    controller = cluster_spawn(NULL);
    struct client *c = cluster_connect();
    for (int kind = JOB_KIND_BATCH; kind <= JOB_KIND_INTERACTIVE; kind++) {
        unsigned taken = 0;
        size_t n = 0;
        for (bool more = true; more; n += more)
            for (size_t i = 0;
                 i < N_OF(numbers) && (more = submit_with(&c, (enum job_kind)kind, n, numbers[i], &taken));
                 i++)
                ;
        assert_in_range(n, 20, 1000);
        assert_in_range(taken, 20, 100000);
    }
    client_free(c);
    controller = cluster_restart(controller);
    c = cluster_connect();
    must_live(c, "after a restart", 0);
    client_free(c);
    cluster_stop(controller);
}

/* --- a node --- */

static void write_config(void)
{
    char *path = xasprintf("%s/stoker.cfg", getenv("STOKER_HOME"));
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("cluster = \"test\";\nnodes = ( { name = \"n1\"; transport = \"local\"; } );\nkill_wait = "
          "\"1s\";\n",
          f);
    assert_int_equal(fclose(f), 0);
    free(path);
}

/* The note is news: it is taken in. */
static struct msg_agent agent_says(const char *mark)
{
    struct msg_agent m;
    fake_agent_report(&m, mark);
    *(struct launch_status *)rec_list_push(&m.launches) = (struct launch_status){.key = {.job = 1}};
    return m;
}

/* Is n1 up, with that note? Fails the test where the controller does not answer. */
static bool is_taken(struct client *c, const char *mark, struct node *ret)
{
    struct msg_get get = {.what = GET_NODES};
    struct errtext err = {""};
    struct model m;
    model_init(&m);
    if (client_fetch(c, &get, &m, &err) < 0)
        fail_msg("%s: the controller does not answer: %s", mark, err.s);
    const struct node *n = model_get_node(&m, "n1");
    bool so = n && n->state == NODE_UP && n->gpu_notes.n && strcmp(n->gpu_notes.v[0], mark) == 0;
    if (so)
        *ret = (struct node){.cpus = n->cpus, .gpus = n->gpus, .mem_mib = n->mem_mib, .drain = n->drain};
    model_fini(&m);
    return so;
}

static void resume(struct client *c)
{
    struct msg_drain m = {0};
    strv_push(&m.nodes, "n1");
    (void)ask_and_fini(c, MSG_DRAIN, &msg_drain_rec, &m);
}

/* Jobs that want all of it, and more: they are placed, or never will be. */
static void ask_for_all(struct client *c, uint32_t gpus)
{
    char *id = client_request_id();
    struct msg_submit m = submission(JOB_KIND_BATCH, id);
    free(id);
    m.req.gpus = gpus;
    struct answer a = ask_submit(c, &m);
    if (a.refusal == REFUSAL_NONE) {
        struct msg_act kill = {.act = ACT_SIGNAL, .signal = 9};
        *(struct job_target *)rec_list_push(&kill.targets) =
            (struct job_target){.job = a.job, .array_index = ARRAY_NONE, .step = STEP_ALL};
        (void)ask_and_fini(c, MSG_ACT, &msg_act_rec, &kill);
    }
}

/* A node's figure was believed: a job that asked for as many GPUs ended the controller, again after each
 * restart. */
static void numbers_of_a_node(void **unused)
{
    (void)unused;
    write_config();
    fake_agent_listen();
    setenv("STOKER_REPORT_MS", "1", 1);
    controller = cluster_spawn(NULL);
    struct client *c = cluster_connect();
    struct node got = {0};
    unsigned number = 0, drained = 0;
    bool more = true;
    for (size_t wanted = 0; more; wanted++)
        for (size_t i = 0; i < N_OF(numbers); i++) {
            char mark[32];
            snprintf(mark, sizeof mark, "news %u", ++number);
            struct walk w = {.wanted = wanted, .value = numbers[i]};
            struct msg_agent m = agent_says(mark);
            walk(&msg_agent_rec, &m, &w);
            int64_t end = cluster_now_ms() + WITHIN_MS;
            while (!fake_agent_is_called() && cluster_now_ms() < end)
                fake_agent_turn(100);
            fake_agent_say(MSG_AGENT, 0, &m);
            rec_fini(&msg_agent_rec, &m);
            more = w.name != NULL;
            if (!more)
                break;
            bool taken = false; /* or refused, and the connection with it */
            if (strcmp(w.name, "version") == 0)
                end = cluster_now_ms() + 1000; /* or passed over, which nothing tells */
            while (fake_agent_is_called() && !taken && cluster_now_ms() < end) {
                fake_agent_turn(1);
                taken = is_taken(c, mark, &got);
            }
            if (!taken)
                continue;
            assert_in_range(got.cpus, 0, CPUSET_MAX);
            assert_in_range(got.gpus, 0, CPUSET_MAX);
            assert_in_range(got.mem_mib, 0, NODE_MEM_MAX_MIB);
            drained += got.drain;
            if (got.drain)
                resume(c);
            static const uint32_t asked[] = {1, CPUSET_MAX, CPUSET_MAX + 1, 4000, 1000000};
            for (size_t k = 0; strcmp(w.name, "gpus") == 0 && k < N_OF(asked); k++) {
                ask_for_all(c, asked[k]);
                fake_agent_turn(1);
            }
            must_live(c, w.name, numbers[i]);
        }
    assert_in_range(drained, 10, 1000);
    client_free(c);
    controller = cluster_restart(controller);
    c = cluster_connect();
    ask_for_all(c, 4000);
    must_live(c, "after a restart", 0);
    client_free(c);
    fake_agent_hang_up();
    cluster_stop(controller);
    fake_agent_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_of_a_submission),
                                       cmocka_unit_test(numbers_of_a_node)};
    cluster_configure(4, 4, 4);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
