/* test_pmi_fences.c - every rank of a step on several nodes gets the answer of each fence, whatever dies on
 * its way: the controller, the supervisors and the PMI servers, all in one process, with the wires between
 * them played here.
 */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "backend/control/emit.h"
#include "backend/control/nodes/node_peers.h"
#include "backend/control/nodes/pmi_fences.h"
#include "backend/pmi/pmi_ranks.h"
#include "backend/shim/shim_agent.h"
#include "backend/shim/shim_files.h"
#include "backend/shim/shim_kill.h"
#include "backend/shim/shim_pmi.h"
#include "backend/shim/shim_pmi_start.h"
#include "backend/shim/shim_rank.h"
#include "src/proto/codec.h"
#include "src/proto/frame.h"
#include "tests/lib/lab.h"

#define TASKS_MAX      5
#define JOB            7
#define BIG            30000 /* bytes of a value, where a rank puts several */
#define RUNS           100
#define SEVERAL_PIECES 24 /* values, of three tasks */
#define TURN_MS        100
#define TURNS_MAX      3000 /* of a run: more than it needs if no fence is lost */

struct wire_queue {
    struct msg_pmi v[4096];
    size_t n;
};

/* A task: its one rank, its PMI server, its supervisor, and the wires to the controller and back. */
struct peer {
    struct shim shim;
    struct rank rank;
    struct launch_rank launch_rank;
    struct pmi_setup setup; /* of the server, as it was told */
    int shim_fd;            /* the server's end of the supervisor's socket */
    struct pmi_ranks *server;
    struct frame_reader from_shim;
    int rank_fd; /* the server's end of the rank's socket */
    struct node_peer node;
    struct wire_queue up, down;
    int fd;           /* the rank's end */
    unsigned fence;   /* that the rank is in or comes to */
    bool is_in;       /* it waits for the end of the fence */
    bool agent_down;  /* nothing passes */
    unsigned rests;   /* turns in which the rank does nothing: it computes, or is suspended */
    bool old_release; /* keeps no answers */
    bool ends;        /* its rank has ended; the supervisor may stay */
    bool has_ended;
    bool is_ended; /* by the supervisor */
};

static struct control c;
static struct peer peers[TASKS_MAX];
static size_t n_peers;
static unsigned n_values; /* that a rank puts before a fence */
static unsigned fences;   /* of a run */
static int64_t now_ms = 1000000;
static unsigned n_killed; /* the step was ended */
static char note[256];
static uint64_t seed;
static void
    *served[2 * (RUNS + 100) * TASKS_MAX]; /* neither supervisor nor server frees anything: it ends */
static size_t n_served;
static int made[4]; /* what socketpair has given since the start of a supervisor, again: the supervisor
                       closes some */
static size_t n_made;
static size_t lost_from = SIZE_MAX; /* answers to this task and the later ones are lost */

static uint32_t below(uint32_t n)
{
    return (uint32_t)(check_rand(&seed) % n);
}

/* --- what is played: clock, processes, wires, events --- */

int clock_gettime(clockid_t id, struct timespec *ts)
{
    (void)id;
    *ts = (struct timespec){.tv_sec = now_ms / 1000, .tv_nsec = now_ms % 1000 * 1000000};
    return 0;
}

struct mono loop_now(const struct loop *l)
{
    (void)l;
    return (struct mono){.ns = now_ms * 1000000};
}

int socketpair(int domain, int type, int protocol, int sv[2])
{
    int (*libc_socketpair)(int, int, int, int *) = NULL;
    *(void **)&libc_socketpair = dlsym(RTLD_NEXT, "socketpair");
    int r = libc_socketpair(domain, type, protocol, sv);
    for (int i = 0; i < 2; i++)
        made[n_made++] = dup(sv[i]);
    return r;
}

/* A server waits until what it says has left: its supervisor reads. */
ssize_t send(int fd, const void *p, size_t n, int flags)
{
    for (;;) {
        ssize_t r = sendto(fd, p, n, flags | MSG_DONTWAIT, NULL, 0);
        bool full = r < 0 && errno == EAGAIN;
        struct peer *from = NULL;
        for (size_t i = 0; full && i < n_peers; i++)
            from = fd == peers[i].shim_fd ? &peers[i] : from;
        if (!from)
            return r;
        shim_pmi_serve(&from->shim, POLLIN);
    }
}

/* The server's process. */
pid_t shim_pmi_start_server(const struct shim *s, const int *ours, int shim_fd)
{
    (void)s;
    (void)ours;
    (void)shim_fd;
    return 1;
}

bool shim_pmi_end_server(pid_t parent, int fd)
{
    (void)fd;
    assert_int_equal(parent, 1);
    return true;
}

static void queue_push(struct wire_queue *q, const struct msg_pmi *m)
{
    assert_true(q->n < N_OF(q->v));
    rec_copy(&msg_pmi_rec, &q->v[q->n++], m);
}

static struct msg_pmi queue_shift(struct wire_queue *q)
{
    struct msg_pmi m = q->v[0];
    memmove(q->v, q->v + 1, --q->n * sizeof *q->v);
    return m;
}

/* All but the first n. */
static void queue_cut(struct wire_queue *q, size_t n)
{
    while (q->n > n)
        rec_fini(&msg_pmi_rec, &q->v[--q->n]);
}

void shim_agent_send(struct shim *s, unsigned type, uint64_t tag, const struct rec_desc *d,
                     const void *body)
{
    struct peer *p = &peers[s->l.key.task];
    struct msg_pmi m = *(const struct msg_pmi *)body;
    (void)tag;
    assert_int_equal(type, MSG_PMI_FENCE);
    assert_ptr_equal(d, &msg_pmi_rec);
    if (p->old_release && m.fence == PMI_KEPT)
        return;
    m.keeps &= !p->old_release;
    if (!p->agent_down)
        queue_push(&p->up, &m);
}

bool nodeconn_send(struct nodeconn *n, uint64_t ticket, enum msg_kind kind, uint64_t tag, const void *body)
{
    struct peer *p = (struct peer *)(void *)n;
    (void)ticket;
    (void)tag;
    if (kind == MSG_KILL) {
        const struct launch_kill *k = body;
        snprintf(note, sizeof note, "%s", k->note);
        return true;
    }
    assert_int_equal(kind, MSG_PMI_ALL);
    if (p->agent_down)
        return false;
    if ((size_t)(p - peers) >= lost_from)
        return true;
    queue_push(&p->down, body);
    return true;
}

size_t nodeconn_queued(const struct nodeconn *n)
{
    (void)n;
    return 0;
}

struct node_peer *node_peer_find(struct control *control, const char *name)
{
    assert_ptr_equal(control, &c);
    return &peers[atoi(name + 1)].node;
}

int ctl_emit(struct control *control, enum event_kind kind, uint32_t job, void *body)
{
    (void)control;
    (void)body;
    assert_int_equal(kind, EV_KILL);
    assert_int_equal(job, JOB);
    n_killed++;
    struct step *s = &model_get_job(&c.model, JOB)->steps.v[0];
    for (size_t i = 0; i < s->tasks.n; i++)
        s->tasks.v[i].killing = true;
    return 0;
}

uint64_t ctl_ticket(const struct control *control)
{
    (void)control;
    return 0;
}

void shim_files_note(struct shim *s, const char *line)
{
    (void)s;
    snprintf(note, sizeof note, "%s", line);
}

void shim_kill_terminate(struct shim *s, int64_t grace_ms)
{
    (void)grace_ms;
    peers[s->l.key.task].is_ended = true;
}

/* --- the cluster --- */

static void controller_start(void)
{
    pmi_fences_module.start(&c);
}

/* What it has not sent is lost, and what it has not read. Of what it has sent each node gets a part: all
 * tasks before `all_until` get everything, random if SIZE_MAX. */
static void controller_dies(size_t all_until)
{
    pmi_fences_module.stop(&c);
    for (size_t i = 0; i < n_peers; i++) {
        struct wire_queue *q = &peers[i].down;
        queue_cut(&peers[i].up, 0);
        queue_cut(q, all_until == SIZE_MAX ? below((uint32_t)q->n + 1) : i < all_until ? q->n : 0);
    }
    controller_start();
}

static void agent_dies(struct peer *p)
{
    queue_cut(&p->up, 0);
    queue_cut(&p->down, below((uint32_t)p->down.n + 1));
}

static void cluster_end(void)
{
    pmi_fences_module.stop(&c);
    model_fini(&c.model);
    for (size_t i = 0; i < n_peers; i++) {
        queue_cut(&peers[i].up, 0);
        queue_cut(&peers[i].down, 0);
        close(peers[i].fd);
        close(peers[i].rank_fd);
        close(peers[i].shim_fd);
        close(shim_pmi_fd(&peers[i].shim));
        frame_reader_fini(&peers[i].from_shim);
        rec_fini(&pmi_setup_rec, &peers[i].setup);
    }
}

/* --- the ranks --- */

static void server_take(struct peer *p, const struct frame *f)
{
    struct msg_pmi m;
    if (f->type == PMI_ASK_PAST) {
        pmi_ranks_ask_past(p->server);
        return;
    }
    if (f->type == PMI_SETUP) {
        assert_int_equal(codec_decode(&pmi_setup_rec, f->body, f->size, &p->setup, NULL), 0);
        assert_int_equal(p->setup.ranks.n, 1);
        p->setup.ranks.v[0].fd = p->rank_fd; /* closed by the supervisor, as the server has its own */
        p->server = pmi_ranks_new(&p->setup, p->shim_fd);
        served[n_served++] = p->server;
        return;
    }
    assert_int_equal(f->type, MSG_PMI_ALL);
    assert_int_equal(codec_decode(&msg_pmi_rec, f->body, f->size, &m, NULL), 0);
    pmi_ranks_take(p->server, &m);
    rec_fini(&msg_pmi_rec, &m);
}

/* All that supervisor and server have said to each other arrives. */
static void server_turn(struct peer *p)
{
    struct frame f;
    ssize_t n;
    do {
        n = recv(p->shim_fd, frame_reader_space(&p->from_shim, 65536), 65536, MSG_DONTWAIT);
        frame_reader_added(&p->from_shim, n > 0 ? (size_t)n : 0);
        while (frame_reader_next(&p->from_shim, &f) > 0)
            server_take(p, &f);
        shim_pmi_serve(&p->shim, shim_pmi_wants_write(&p->shim) ? POLLIN | POLLOUT : POLLIN);
    } while (n > 0);
}

static const char *rank_read(struct peer *p)
{
    static char line[BIG + 1000];
    ssize_t n = recv(p->fd, line, sizeof line - 1, MSG_DONTWAIT);
    assert_true(n > 0 || errno == EAGAIN);
    line[n > 0 ? n : 0] = '\0';
    return n > 0 ? line : NULL;
}

static void rank_say(struct peer *p, const char *text)
{
    assert_int_equal(write(p->fd, text, strlen(text)), strlen(text));
    pmi_ranks_read(p->server, 0);
    server_turn(p);
}

/* Returns the line of the answer. */
static const char *rank_ask(struct peer *p, const char *text)
{
    const char *answer;
    rank_say(p, text);
    while (!(answer = rank_read(p)))
        pmi_ranks_read(p->server, 0);
    return answer;
}

static void supervisor_start(struct peer *p)
{
    n_made = 0;
    shim_pmi_start(&p->shim);
    assert_int_equal(n_made, 4);
    close(made[1]);
    close(made[2]);
    p->rank_fd = made[0];
    p->shim_fd = made[3];
    assert_true(n_served + 2 <= N_OF(served));
    served[n_served++] = p->shim.pmi;
    server_turn(p);
    assert_non_null(p->server);
    assert_int_equal(shim_pmi_socket(&p->shim, 0, &p->fd), 0);
}

static void cluster_begin(size_t n, unsigned values)
{
    n_peers = n;
    n_values = values;
    n_killed = 0;
    note[0] = '\0';
    lost_from = SIZE_MAX;
    c = (struct control){0};
    model_init(&c.model);
    struct job *j = job_new();
    j->id = JOB;
    struct step *s = rec_list_push(&j->steps);
    for (size_t i = 0; i < n; i++) {
        struct task *t = rec_list_push(&s->tasks);
        *t = (struct task){.index = (uint32_t)i, .state = TASK_RUNNING, .attempt = (uint32_t)i + 1};
        t->alloc.node = xasprintf("n%zu", i);
        struct peer *p = &peers[i];
        memset(p, 0, sizeof *p);
        p->node.conn = (struct nodeconn *)(void *)p;
        p->shim.l = (struct launch){.pmi = true, .pmi_size = (uint32_t)n, .pmi_tasks = (uint32_t)n};
        p->shim.l.key = (struct launch_key){.job = JOB, .task = (uint32_t)i, .attempt = t->attempt};
        p->shim.n_ranks = 1;
        p->shim.ranks = &p->rank;
        p->rank.l = &p->launch_rank;
        p->launch_rank.rank = (uint32_t)i;
        p->shim.l.ranks.v = &p->launch_rank;
        p->shim.l.ranks.n = 1;
        supervisor_start(p);
    }
    model_take_job(&c.model, j);
    controller_start();
    for (size_t i = 0; i < n; i++)
        check_has("init", rank_ask(&peers[i], "cmd=init pmi_version=1 pmi_subversion=1\n"), "rc=0");
}

static char *value_of(size_t rank, unsigned fence, unsigned i)
{
    char *s = xasprintf("%zu.%u.%u.", rank, fence, i);
    if (n_values < 2)
        return s;
    char *big = xasprintf("%s%0*d", s, BIG, 0);
    free(s);
    return big;
}

static void rank_check_values(struct peer *p)
{
    for (size_t r = 0; r < n_peers; r++)
        for (unsigned i = 0; i < n_values; i++) {
            char *value = value_of(r, p->fence, i);
            char *text = xasprintf("cmd=get key=%zu.%u.%u\n", r, p->fence, i);
            char *want = xasprintf("cmd=get_result rc=0 msg=success value=%s\n", value);
            assert_string_equal(rank_ask(p, text), want);
            free(value);
            free(text);
            free(want);
        }
}

static void rank_turn(struct peer *p)
{
    size_t rank = (size_t)(p - peers);
    if (p->is_ended)
        return;
    if (p->rests) {
        p->rests--;
    } else if (p->is_in) {
        const char *answer = rank_read(p);
        if (!answer)
            return;
        assert_string_equal(answer, "cmd=barrier_out rc=0\n");
        rank_check_values(p);
        p->is_in = false;
        p->fence++;
    } else if (p->fence < fences) {
        for (unsigned i = 0; i < n_values; i++) {
            char *value = value_of(rank, p->fence, i);
            char *text = xasprintf("cmd=put key=%zu.%u.%u value=%s\n", rank, p->fence, i, value);
            assert_string_equal(rank_ask(p, text), "cmd=put_result rc=0 msg=success\n");
            free(value);
            free(text);
        }
        rank_say(p, "cmd=barrier_in\n");
        p->is_in = true;
    }
}

/* --- runs --- */

static void take_up(struct peer *p)
{
    struct msg_pmi m = queue_shift(&p->up);
    pmi_fences_take(&c, &m);
    rec_fini(&msg_pmi_rec, &m);
}

static void take_down(struct peer *p)
{
    struct msg_pmi m = queue_shift(&p->down);
    struct str body = STR_INIT;
    codec_encode(&msg_pmi_rec, &m, &body);
    shim_pmi_take(&p->shim,
                  &(struct frame){.type = MSG_PMI_ALL, .body = (uint8_t *)body.s, .size = body.len});
    str_fini(&body);
    rec_fini(&msg_pmi_rec, &m);
    server_turn(p);
}

static void pass_time(void)
{
    now_ms += TURN_MS;
    for (size_t i = 0; i < n_peers; i++)
        if (!peers[i].has_ended) {
            pmi_ranks_look(peers[i].server);
            server_turn(&peers[i]);
            shim_pmi_look(&peers[i].shim);
        }
}

/* The supervisor's last act, where it need not stay. */
static void look_for_end(struct peer *p)
{
    if (!p->ends || p->has_ended || shim_pmi_stays(&p->shim)) {
        server_turn(p);
        return;
    }
    p->has_ended = true;
    queue_cut(&p->up, 0);
    model_get_job(&c.model, JOB)->steps.v[0].tasks.v[p - peers].state = TASK_DONE;
}

/* Everything that can happen happens, in turn. */
static void turn(void)
{
    for (size_t i = 0; i < n_peers; i++) {
        struct peer *p = &peers[i];
        look_for_end(p);
        if (p->has_ended) {
            queue_cut(&p->down, 0);
            continue;
        }
        if (!p->ends)
            rank_turn(p);
        while (p->up.n)
            take_up(p);
        while (p->down.n)
            take_down(p);
    }
    pass_time();
}

static bool all_have(unsigned fence)
{
    for (size_t i = 0; i < n_peers; i++)
        if (peers[i].fence < fence)
            return false;
    return true;
}

static void run_until(unsigned fence)
{
    fences = fence;
    for (unsigned i = 0; !all_have(fence); i++) {
        if (i == TURNS_MAX || n_killed || note[0])
            fail_msg("fence %u is not over: %s", fence, n_killed ? note : "ranks wait in it");
        turn();
    }
}

/* Fence k is over for the first `have` tasks alone, and its controller dead. */
static void lose_answers(unsigned k, size_t have)
{
    run_until(k);
    fences = k + 1;
    lost_from = have;
    while (peers[0].fence == k)
        turn();
    controller_dies(have);
    lost_from = SIZE_MAX;
}

static void an_answer_is_lost_with_the_controller(void **unused)
{
    (void)unused;
    static const struct {
        size_t tasks, have;
        unsigned values;
    } rows[] = {{2, 1, 1}, {3, 1, 1}, {5, 4, 1}, {2, 1, 0}, {3, 1, SEVERAL_PIECES}};
    for (size_t i = 0; i < N_OF(rows); i++)
        for (unsigned k = 0; k < 3; k++) {
            cluster_begin(rows[i].tasks, rows[i].values);
            lose_answers(k, rows[i].have);
            run_until(k + 3);
            cluster_end();
        }
}

/* Its ranks may wait for those that lack the answer: it comes to no further fence before. */
static void the_task_that_has_the_answer_computes(void **unused)
{
    (void)unused;
    cluster_begin(3, 1);
    lose_answers(1, 1);
    peers[0].rests = UINT32_MAX;
    run_until(2);
    peers[0].rests = 0;
    run_until(4);
    cluster_end();
}

static void the_controller_dies_again_and_again(void **unused)
{
    (void)unused;
    cluster_begin(3, SEVERAL_PIECES);
    lose_answers(1, 1);
    for (unsigned i = 0; i < 60 && !all_have(2); i++) {
        for (unsigned n = 0; n < i; n++)
            turn();
        controller_dies(SIZE_MAX);
    }
    run_until(4);
    cluster_end();
}

/* The first one that is asked is out of reach in the middle of its reply. */
static void an_agent_dies_while_it_passes_the_answer_on(void **unused)
{
    (void)unused;
    cluster_begin(3, SEVERAL_PIECES);
    lose_answers(1, 2);
    fences = 3;
    for (unsigned i = 0; i < 100; i++) {
        peers[i % 3].agent_down = i % 7 == 0;
        if (peers[i % 3].agent_down)
            agent_dies(&peers[i % 3]);
        turn();
        peers[i % 3].agent_down = false;
    }
    run_until(4);
    cluster_end();
}

/* Its supervisors keep nothing: the step cannot go on, and is told why. */
static void tasks_of_an_earlier_release(void **unused)
{
    (void)unused;
    cluster_begin(2, 1);
    peers[0].old_release = peers[1].old_release = true;
    lose_answers(1, 1);
    fences = 3;
    for (unsigned i = 0; i < TURNS_MAX && !n_killed; i++)
        turn();
    assert_int_equal(n_killed, 1);
    check_has("note", note, "a fence was over when its controller was restarted");
    cluster_end();
}

/* A task that replies without end, as none of ours does. */
static void a_reply_is_bounded(void **unused)
{
    (void)unused;
    cluster_begin(2, 1);
    lose_answers(1, 1);
    fences = 3;
    char *lump = xasprintf("%0*d", PMI_PIECE_MAX, 0);
    struct msg_pmi m = {.key = peers[0].shim.l.key, .fence = PMI_KEPT, .of = 1, .more = true};
    strv_push(&m.pairs, "key");
    strv_push_take(&m.pairs, lump);
    peers[0].agent_down = true; /* it says nothing itself */
    for (unsigned i = 0; i < TURNS_MAX && !peers[0].down.n && !n_killed; i++) {
        peers[0].agent_down = false;
        rank_turn(&peers[1]);
        while (peers[1].up.n)
            take_up(&peers[1]);
        while (peers[0].up.n)
            take_up(&peers[0]);
        pass_time();
    }
    for (unsigned i = 0; i < 100 && !n_killed; i++, m.piece++)
        pmi_fences_take(&c, &m);
    assert_int_equal(n_killed, 1);
    check_has("note", note, "more than 32 MiB");
    strv_fini(&m.pairs);
    cluster_end();
}

static bool has_all_ended(size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!peers[i].has_ended)
            return false;
    return true;
}

/* Their ranks come to no further fence: the supervisors stay for the task that lacks the answer. */
static void the_tasks_that_have_the_answer_end(void **unused)
{
    (void)unused;
    static const unsigned values[] = {0, 1, SEVERAL_PIECES};
    for (size_t i = 0; i < N_OF(values); i++) {
        cluster_begin(3, values[i]);
        lose_answers(1, 2);
        peers[0].ends = peers[1].ends = true;
        peers[2].agent_down = true;
        for (unsigned n = 0; n < 200; n++)
            turn();
        assert_false(peers[0].has_ended || peers[1].has_ended);
        controller_dies(0);
        peers[2].agent_down = false;
        run_until(2);
        peers[2].rests = UINT32_MAX; /* it need not end itself */
        for (unsigned n = 0; n < 100 && !has_all_ended(2); n++)
            turn();
        assert_true(has_all_ended(2));
        peers[2].ends = true;
        turn();
        turn();
        assert_true(has_all_ended(3));
        cluster_end();
    }
}

/* An end is delayed neither where all is well nor where the task has failed. */
static void ends_that_need_not_wait(void **unused)
{
    (void)unused;
    cluster_begin(4, 1);
    run_until(2);
    fences = 2;
    peers[0].ends = peers[1].ends = true;
    for (unsigned n = 0; n < 5; n++)
        turn();
    assert_true(has_all_ended(2));
    controller_dies(0);
    peers[2].ends = true;
    peers[2].rank.end.code = 1;
    turn();
    assert_true(has_all_ended(3));
    peers[3].ends = true;
    peers[3].agent_down = true;
    for (unsigned n = 0; n < 100; n++)
        turn();
    assert_false(peers[3].has_ended);
    shim_pmi_let_go(&peers[3].shim); /* it is cancelled */
    turn();
    assert_true(has_all_ended(4));
    cluster_end();
}

static void an_abort_is_lost_with_the_controller(void **unused)
{
    (void)unused;
    cluster_begin(3, 1);
    run_until(1);
    rank_say(&peers[1], "cmd=abort error_msg=no\n");
    assert_true(peers[1].is_ended);
    check_has("note", note, "rank 1 aborts: no");
    peers[1].ends = true;
    peers[1].rank.end.signal = 15;
    controller_dies(0);
    look_for_end(&peers[1]);
    for (unsigned n = 0; n < 100; n++)
        turn();
    assert_int_equal(n_killed, 1);
    shim_pmi_let_go(&peers[1].shim);
    turn();
    assert_true(peers[1].has_ended);
    cluster_end();
}

/* Each fence is within its bounds, all of them together are not. */
static void a_step_puts_too_much(void **unused)
{
    (void)unused;
    cluster_begin(TASKS_MAX, 100);
    fences = 5;
    for (unsigned n = 0; n < TURNS_MAX && !n_killed; n++)
        turn();
    assert_int_equal(n_killed, 1);
    check_has("note", note, "have put more than 32 MiB");
    for (unsigned n = 0; n < 50; n++)
        turn();
    assert_int_equal(n_killed, 1);
    cluster_end();
}

static void random_deaths(void **unused)
{
    (void)unused;
    seed = check_seed();
    for (unsigned run = 0; run < RUNS; run++) {
        cluster_begin(2 + below(TASKS_MAX - 1), below(8) ? 1 : 20);
        fences = 6;
        for (unsigned deaths = 40; deaths && !all_have(fences);) {
            struct peer *p = &peers[below((uint32_t)n_peers)];
            uint32_t what = below(100);
            p->ends = p->ends || (p->fence == fences && !below(20));
            look_for_end(p);
            if (p->has_ended)
                queue_cut(&p->down, 0);
            else if (what < 30 && !p->ends)
                rank_turn(p);
            else if (what < 55 && p->up.n)
                take_up(p);
            else if (what < 80 && p->down.n)
                take_down(p);
            else if (what < 93)
                pass_time();
            else if (what < 96)
                p->agent_down = !p->agent_down;
            else if (what == 96)
                p->rests = below(50);
            else if (what == 97 && deaths--)
                controller_dies(SIZE_MAX);
            else if (what == 98 && deaths--)
                agent_dies(p);
            if (n_killed)
                fail_msg("run %u: %s", run, note);
        }
        for (size_t i = 0; i < n_peers; i++)
            peers[i].agent_down = false;
        run_until(fences);
        for (size_t i = 0; i < n_peers; i++)
            peers[i].ends = true;
        for (unsigned i = 0; i < 100 && !has_all_ended(n_peers); i++)
            turn();
        assert_true(has_all_ended(n_peers));
        cluster_end();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_is_lost_with_the_controller),
        cmocka_unit_test(the_task_that_has_the_answer_computes),
        cmocka_unit_test(the_controller_dies_again_and_again),
        cmocka_unit_test(an_agent_dies_while_it_passes_the_answer_on),
        cmocka_unit_test(tasks_of_an_earlier_release),
        cmocka_unit_test(a_reply_is_bounded),
        cmocka_unit_test(the_tasks_that_have_the_answer_end),
        cmocka_unit_test(ends_that_need_not_wait),
        cmocka_unit_test(an_abort_is_lost_with_the_controller),
        cmocka_unit_test(a_step_puts_too_much),
        cmocka_unit_test(random_deaths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
