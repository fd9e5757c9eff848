#include "tests/lib/live_lab.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/control/control.h"
#include "backend/demo/demo_clock.h"
#include "backend/demo/model_node.h"
#include "backend/net/conn.h"
#include "src/base/xalloc.h"
#include "src/conf/conf.h"
#include "src/jobspec/batchopts.h"
#include "src/jobspec/message.h"
#include "src/os/clock_system.h"
#include "src/os/dirs.h"
#include "src/os/log.h"
#include "src/os/spawn.h"
#include "src/os/unixsock.h"
#include "src/values/hostlist.h"
#include "src/values/units.h"
#include "tests/lib/check.h"

#define BEGIN_MS   INT64_C(1795442400000) /* the clock begins then */
#define OUT_MAX    (16u << 20)
#define STEP_NS    (5 * NS_PER_MS) /* while an answer is waited for */
#define STEPS_MAX  400
#define DISK_MS    200 /* one wait for what is being written */
#define BEAT_MS    600000
#define LOST_MS    240000 /* until it is lost */
#define FIRST_MS   1000   /* until the nodes are there */
#define GONE_MS    3000   /* until jobs that were cancelled have ended */
#define BACK_MS    900000
#define REMOVE_FDS 16
#define UID_FIRST  61001u
#define JOB_NAME   "pretrain" /* models of nodes let it run for hours, and it does not fail */

static struct demo_clock live_clock;
static bool live_runs;

struct mono live_mono(void)
{
    return live_runs ? demo_clock_mono(&live_clock) : clock_system_mono();
}

struct wall live_wall(void)
{
    return live_runs ? demo_clock_wall(&live_clock) : clock_system_wall();
}

static const char *const live_users[] = {"root", "ann", "bob", "cas"};

static uint32_t live_uid(size_t i)
{
    return i ? UID_FIRST + (uint32_t)i - 1 : geteuid();
}

static const char *live_user_name(uint32_t uid)
{
    for (size_t i = 0; i < N_OF(live_users); i++)
        if (live_uid(i) == uid)
            return live_users[i];
    return NULL;
}

/* --- time --- */

static bool live_is_ready(const struct live_lab *l, int timeout_ms)
{
    struct pollfd p = {.fd = loop_poll_fd(l->loop), .events = POLLIN};
    return poll(&p, 1, timeout_ms) > 0;
}

/* Until nothing more happens at this time. */
static void live_settle(struct live_lab *l)
{
    bool settled = false;
    while (!settled) {
        loop_turn(l->loop, 0);
        bool due = loop_next_ns(l->loop) <= live_mono().ns;
        bool written = control_is_settled(l->control);
        settled = !due && !live_is_ready(l, due || written ? 0 : DISK_MS) && written;
    }
}

void live_play(struct live_lab *l, int64_t ms)
{
    int64_t end = live_mono().ns + ms * NS_PER_MS;
    live_settle(l);
    while (live_mono().ns < end) {
        int64_t next = loop_next_ns(l->loop);
        demo_clock_advance(&live_clock, (next < end ? next : end) - live_mono().ns);
        live_settle(l);
    }
}

/* --- clients --- */

struct live_client {
    struct conn *conn;
    const char *user;
    uint64_t asked; /* tag of the question under way */
    enum msg_kind kind;
    void *body; /* of its answer; NULL: none yet */
};

static int live_client_on_frame(void *ctx, struct conn *conn, const struct frame *f)
{
    (void)conn;
    struct live_client *c = ctx;
    struct errtext err = {""};
    void *body;
    if (msg_decode(f, &body, &err) < 0)
        fail_msg("the controller's answer: %s", err.s);
    if (f->tag != c->asked || c->body) {
        msg_free(f->type, body);
        return 0;
    }
    c->kind = f->type;
    c->body = body;
    return 0;
}

static void live_client_on_close(void *ctx, struct conn *conn, const char *why)
{
    (void)conn;
    fail_msg("the controller has closed the connection of %s: %s", ((struct live_client *)ctx)->user, why);
}

static const struct conn_ops live_client_ops = {.on_frame = live_client_on_frame,
                                                .on_close = live_client_on_close};

/* The answer; msg_free(*ret_kind, body). */
static void *live_call(struct live_lab *l, struct live_client *c, enum msg_kind kind, const void *body,
                       enum msg_kind *ret_kind)
{
    c->body = NULL;
    assert_true(conn_send(c->conn, 0, kind, ++c->asked, body));
    live_settle(l);
    for (int i = 0; !c->body && i < STEPS_MAX; i++) {
        demo_clock_advance(&live_clock, STEP_NS);
        live_settle(l);
    }
    if (!c->body)
        fail_msg("%s has no answer", c->user);
    void *answer = c->body;
    c->body = NULL;
    *ret_kind = c->kind;
    return answer;
}

static int live_connect_user(struct live_lab *l, size_t at)
{
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds), 0);
    control_add_client(l->control, fds[0], live_uid(at));
    return fds[1];
}

/* The user of this process administrates, by what the kernel says. */
static int live_connect_root(struct live_lab *l)
{
    char *path = xasprintf("%s/run/controller.sock", l->dir);
    int fd = unixsock_connect(path, SOCK_NONBLOCK, 0);
    free(path);
    assert_true(fd >= 0);
    return fd;
}

static struct live_client *live_client_of(struct live_lab *l, const char *user)
{
    size_t at = 0;
    while (at < N_OF(live_users) && !str_eq(live_users[at], user))
        at++;
    if (at == N_OF(live_users))
        fail_msg("there is no user %s", user);
    struct live_client *c = l->clients[at];
    if (c)
        return c;
    int fd = at ? live_connect_user(l, at) : live_connect_root(l);
    c = l->clients[at] = xcalloc(1, sizeof *c);
    *c = (struct live_client){.user = live_users[at]};
    c->conn = conn_new(l->loop, fd, FRAME_MAX, OUT_MAX, 0, &live_client_ops, c);
    char program[] = "test";
    enum msg_kind kind;
    struct msg_hello hello = {.version = PROTO_VERSION, .program = program, .causes = CAUSE_N_CODES};
    void *welcome = live_call(l, c, MSG_HELLO, &hello, &kind);
    assert_int_equal(kind, MSG_WELCOME);
    msg_free(kind, welcome);
    return c;
}

/* Frees the body's members. */
static void live_request(struct live_lab *l, const char *user, enum msg_kind kind,
                         const struct rec_desc *desc, void *body, struct msg_result *ret)
{
    enum msg_kind answer;
    void *r = live_call(l, live_client_of(l, user), kind, body, &answer);
    assert_int_equal(answer, MSG_RESULT);
    *ret = *(struct msg_result *)r;
    free(r);
    rec_fini(desc, body);
}

static void live_must(const char *what, struct msg_result *r)
{
    if (r->refusal != REFUSAL_NONE)
        fail_msg("%s is refused (%u): %s", what, r->refusal,
                 cause_code_name((enum cause_code)r->cause.code));
    rec_fini(&msg_result_rec, r);
}

/* --- requests --- */

static size_t live_find(const struct live_lab *l, const char *node)
{
    for (size_t i = 0; i < l->n_nodes; i++)
        if (str_eq(l->nodes[i].name, node))
            return i;
    fail_msg("there is no node %s", node);
    return 0;
}

static struct strv live_words(const char *options)
{
    char *line = xasprintf("sbatch %s", options);
    struct strv argv = strv_split(line, " ");
    free(line);
    return argv;
}

/* Takes *b's request. */
static void live_message(struct live_lab *l, const char *options, struct batch *b, struct msg_submit *ret)
{
    struct errtext err = {""};
    struct strv argv = live_words(options), operands = {0};
    struct script s = {.path = xstrdup("/live/" JOB_NAME), .name = xstrdup(JOB_NAME)};
    static const char text[] = "#!/bin/sh\nwork\n";
    s.text = (struct blob){.p = xmemdup(text, sizeof text - 1), .n = sizeof text - 1};
    b->job.level = LEVEL_COMMAND_LINE;
    if (opt_parse(&batch_opts, b, (int)argv.n, argv.v, 0, &operands, &err) != OPT_OK ||
        jobopts_finish(&b->job, &err) < 0 || message_of_script(&b->job, &s, NULL, 0, ret, &err) < 0)
        fail_msg("sbatch %s: %s", options, err.s);
    free(ret->req.workdir);
    ret->req.workdir = xstrdup(l->dir);
    ret->test_only = b->test_only;
    strv_fini(&ret->payload.env);
    strv_setenv(&ret->payload.env, "PATH", "/bin");
    strv_fini(&argv);
    strv_fini(&operands);
    script_fini(&s);
}

void live_try_submit(struct live_lab *l, const char *user, const char *options, struct msg_result *ret)
{
    struct batch b;
    struct msg_submit m;
    batch_init(&b);
    live_message(l, options, &b, &m);
    batch_fini(&b);
    live_request(l, user, MSG_SUBMIT, &msg_submit_rec, &m, ret);
    l->last_job = ret->refusal == REFUSAL_NONE && ret->job ? ret->job : l->last_job;
}

uint32_t live_submit(struct live_lab *l, const char *user, const char *options)
{
    struct msg_result r;
    live_try_submit(l, user, options, &r);
    uint32_t id = r.job;
    live_must(options, &r);
    return id;
}

void live_update(struct live_lab *l, const char *user, uint32_t job, const char *change,
                 struct msg_result *ret)
{
    struct msg_update m = {.target = {job, ARRAY_NONE, STEP_ALL}};
    strv_push(&m.changes, change);
    live_request(l, user, MSG_UPDATE, &msg_update_rec, &m, ret);
}

void live_act(struct live_lab *l, const char *user, enum act act, uint32_t job, struct msg_result *ret)
{
    struct msg_act m = {.act = act, .admin_hold = str_eq(user, "root")};
    *(struct job_target *)rec_list_push(&m.targets) = (struct job_target){job, ARRAY_NONE, STEP_ALL};
    live_request(l, user, MSG_ACT, &msg_act_rec, &m, ret);
}

void live_drain(struct live_lab *l, const char *node, const char *reason)
{
    struct msg_drain m = {.drain = reason != NULL, .reason = xstrdup(reason)};
    struct msg_result r;
    strv_push(&m.nodes, node);
    live_request(l, "root", MSG_DRAIN, &msg_drain_rec, &m, &r);
    live_must("drain", &r);
    l->is_drained[live_find(l, node)] = reason != NULL;
}

void live_window(struct live_lab *l, uint32_t kind, const char *name, const char *nodes, int from_s,
                 int to_s, const char *users)
{
    struct msg_window_set m = {.remove = !nodes};
    struct msg_result r;
    m.window = (struct window){.name = xstrdup(name),
                               .start = wall_add_s(live_wall(), from_s),
                               .end = wall_add_s(live_wall(), to_s),
                               .kind = kind};
    if (nodes) {
        m.window.nodes = strv_split(nodes, ",");
        strv_push(&l->windows, name);
    }
    if (users)
        m.window.users = strv_split(users, ",");
    live_request(l, "root", MSG_WINDOW_SET, &msg_window_set_rec, &m, &r);
    live_must(name, &r);
}

struct msg_why *live_why(struct live_lab *l, const char *user, uint32_t job)
{
    struct msg_job m = {.target = {job, ARRAY_NONE, STEP_ALL}};
    enum msg_kind kind;
    void *body = live_call(l, live_client_of(l, user), MSG_WHY, &m, &kind);
    if (kind == MSG_WHY_CAUSES)
        return body;
    assert_int_equal(kind, MSG_RESULT);
    assert_int_equal(((struct msg_result *)body)->refusal, REFUSAL_NO_JOB);
    msg_free(kind, body);
    return NULL;
}

#define COMMAND_MS 5 /* between two looks at it, of both clocks */

char *live_command(struct live_lab *l, const char *line, int *ret_status)
{
    struct strv argv = strv_split(line, " ");
    char *path = xasprintf("%s/command.out", l->dir);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    struct spawn s = {.path = argv.v[0], .argv = argv.v, .fds = {{fd, 1}, {fd, 2}}, .n_fds = 2};
    struct str out = STR_INIT;
    char buf[4096];
    pid_t pid = 0;
    setenv("STOKER_HOME", l->dir, 1);
    if (fd < 0 || spawn_program(&s, &pid) < 0)
        fail_msg("%s cannot be run", line);
    while (waitpid(pid, ret_status, WNOHANG) == 0) {
        live_is_ready(l, COMMAND_MS);
        demo_clock_advance(&live_clock, COMMAND_MS * NS_PER_MS);
        live_settle(l);
    }
    lseek(fd, 0, SEEK_SET);
    for (ssize_t n; (n = read(fd, buf, sizeof buf)) > 0;)
        str_append_n(&out, buf, (size_t)n);
    str_append(&out, "");
    close(fd);
    free(path);
    strv_fini(&argv);
    return str_take(&out);
}

/* --- nodes --- */

static char *live_socket(const struct live_lab *l, const char *node)
{
    return xasprintf("%s/run/%s.sock", l->dir, node);
}

static void live_start_node(struct live_lab *l, size_t i)
{
    const struct live_node *n = &l->nodes[i];
    char *path = live_socket(l, n->name);
    struct model_node_config cfg = {.loop = l->loop,
                                    .name = n->name,
                                    .path = path,
                                    .cpus = n->cpus,
                                    .gpus = n->gpus,
                                    .mem_mib = (uint64_t)n->mem_gib << 10,
                                    .seed = 1,
                                    .sample_ms = 1000};
    l->models[i] = model_node_new(&cfg);
    free(path);
}

void live_down(struct live_lab *l, const char *node)
{
    size_t i = live_find(l, node);
    model_node_free(l->models[i]);
    l->models[i] = NULL;
    live_play(l, LOST_MS);
}

void live_up(struct live_lab *l, const char *node)
{
    live_start_node(l, live_find(l, node));
    live_play(l, BACK_MS);
}

/* --- its life --- */

static char *live_config(const struct live_lab *l)
{
    struct str s = STR_INIT;
    str_append(&s, "cluster = \"live\";\nnode_timeout = \"60s\";\nnodes = (\n");
    for (size_t i = 0; i < l->n_nodes; i++) {
        const struct live_node *n = &l->nodes[i];
        char *path = live_socket(l, n->name);
        str_appendf(&s,
                    "%s  { name = \"%s\"; transport = \"local\"; cpus = %u; memory = \"%uG\"; gpus = %u; "
                    "detect = false; agent_socket = \"%s\"; %s }",
                    i ? ",\n" : "", n->name, n->cpus, n->mem_gib, n->gpus, path, n->more ? n->more : "");
        free(path);
    }
    str_appendf(&s, "\n);\n%s\n", l->policy);
    return str_take(&s);
}

static int live_reload(void *ctx, struct cluster_spec *ret, struct errtext *err)
{
    char *text = live_config(ctx);
    int r = conf_parse("stoker.cfg", text, ret, err);
    free(text);
    return r;
}

void live_policy(struct live_lab *l, const struct live_node *nodes, const char *policy)
{
    struct errtext err = {""};
    if (nodes == l->nodes && str_eq(policy, l->policy))
        return;
    l->nodes = nodes;
    xstrset(&l->policy, policy);
    if (control_reload(l->control, &err) < 0)
        fail_msg("%s\n%s", err.s, policy);
    live_settle(l);
}

static void live_make_dir(struct live_lab *l)
{
    static const char *const names[] = {"state", "run", "log"};
    char dir[64];
    snprintf(dir, sizeof dir, "%s/stoker-live.XXXXXX",
             access("/dev/shm", W_OK | X_OK) ? "/tmp" : "/dev/shm");
    assert_non_null(mkdtemp(dir)); /* in memory: each commit is waited for */
    l->dir = xstrdup(dir);
    for (size_t i = 0; i < N_OF(names); i++) {
        char *path = xasprintf("%s/%s", dir, names[i]);
        assert_int_equal(dirs_make(path, 0700, 0700), 0);
        free(path);
    }
}

void live_open(struct live_lab *l, const struct live_node *nodes, size_t n, const char *policy)
{
    struct errtext err = {""};
    struct cluster_spec spec;
    assert_true(n <= LIVE_NODES && N_OF(live_users) <= LIVE_NODES);
    *l = (struct live_lab){
        .nodes = nodes, .n_nodes = n, .policy = xstrdup(policy), .first_job = 1, .log_fd = -1};
    live_make_dir(l);
    char *log = xasprintf("%s/live.log", l->dir), *state = xasprintf("%s/state", l->dir),
         *run = xasprintf("%s/run", l->dir), *logs = xasprintf("%s/log", l->dir),
         *socket = xasprintf("%s/run/controller.sock", l->dir);
    l->log_fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    log_open("live", l->log_fd, LOG_LVL_INFO);
    demo_clock_init(&live_clock, (struct wall){.ms = BEGIN_MS});
    live_runs = true;
    l->loop = loop_new();
    for (size_t i = 0; i < n; i++)
        live_start_node(l, i);
    if (live_reload(l, &spec, &err) < 0)
        fail_msg("%s", err.s);
    struct control_config cfg = {.state_dir = state,
                                 .run_dir = run,
                                 .log_dir = logs,
                                 .socket = socket,
                                 .everyone = true,
                                 .host = "live",
                                 .spec = &spec,
                                 .reload = live_reload,
                                 .reload_ctx = l,
                                 .user_name = live_user_name,
                                 .beat_ms = BEAT_MS};
    if (control_new(l->loop, &cfg, &l->control, &err) < 0)
        fail_msg("%s", err.s);
    live_play(l, FIRST_MS);
    free(log);
    free(state);
    free(run);
    free(logs);
    free(socket);
}

static int live_remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    return remove(path);
}

void live_close(struct live_lab *l)
{
    for (size_t i = 0; i < N_OF(live_users); i++) {
        if (l->clients[i])
            conn_close(l->clients[i]->conn);
        free(l->clients[i]);
    }
    control_free(l->control);
    for (size_t i = 0; i < l->n_nodes; i++)
        model_node_free(l->models[i]);
    loop_free(l->loop);
    live_runs = false;
    close(l->log_fd);
    nftw(l->dir, live_remove_one, REMOVE_FDS, FTW_DEPTH | FTW_PHYS);
    strv_fini(&l->windows);
    free(l->dir);
    free(l->policy);
}

void live_clear(struct live_lab *l)
{
    struct msg_result r;
    for (; l->first_job <= l->last_job; l->first_job++) {
        live_act(l, "root", ACT_CANCEL, l->first_job, &r);
        rec_fini(&msg_result_rec, &r);
    }
    for (size_t i = 0; i < l->windows.n; i++) {
        struct msg_window_set m = {.remove = true, .window.name = xstrdup(l->windows.v[i])};
        live_request(l, "root", MSG_WINDOW_SET, &msg_window_set_rec, &m, &r);
        rec_fini(&msg_result_rec, &r); /* the test may have removed it */
    }
    strv_fini(&l->windows);
    for (size_t i = 0; i < l->n_nodes; i++) {
        if (l->is_drained[i])
            live_drain(l, l->nodes[i].name, NULL);
        if (!l->models[i])
            live_up(l, l->nodes[i].name);
    }
    live_play(l, GONE_MS);
}
