/* cluster.c - a controller and its node for tests in C. */
#include "tests/lib/cluster.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/store/store.h"
#include "src/base/xalloc.h"
#include "tests/lib/check.h"

#define CONNECT_MS 60000
#define STOP_MS    60000

int64_t cluster_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

bool cluster_eventually(int64_t within_ms, int pause_ms, bool (*fn)(void *ctx), void *ctx)
{
    int64_t end = cluster_now_ms() + within_ms;
    while (!fn(ctx)) {
        if (cluster_now_ms() >= end)
            return false;
        poll(NULL, 0, pause_ms);
    }
    return true;
}

static const char *home(void)
{
    const char *h = getenv("STOKER_HOME");
    if (!h)
        fail_msg("run by tests/run, which sets STOKER_HOME");
    return h;
}

void cluster_configure(unsigned cpus, unsigned mem_gib, unsigned gpus)
{
    char *path = xasprintf("%s/stoker.cfg", home());
    mkdir(home(), 0700);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f,
            "cluster = \"test\";\n"
            "nodes = ( { name = \"n1\"; transport = \"local\"; cpus = %u; memory = \"%uG\"; gpus = %u; "
            "detect = "
            "false; } );\n"
            "kill_wait = \"1s\";\n",
            cpus, mem_gib, gpus);
    assert_int_equal(fclose(f), 0);
    free(path);
}

static pid_t running; /* what a test that failed has left makes no other fail */

pid_t cluster_spawn(const char *crash)
{
    if (running > 0)
        cluster_kill(running);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid > 0)
        return running = pid;
    int null = open("/dev/null", O_RDWR);
    dup2(null, 0);
    dup2(null, 2);
    if (crash)
        setenv("STOKER_CRASH", crash, 1);
    execlp("stokerd", "stokerd", (char *)NULL);
    _exit(127);
}

pid_t cluster_spawn_with(const char *library, const char *variable, const char *value)
{
    char *path = xasprintf("%s/tests/lib/lib%s.so", getenv("B") ? getenv("B") : "build", library);
    setenv("LD_PRELOAD", path, 1);
    setenv(variable, value, 1);
    pid_t pid = cluster_spawn(NULL);
    unsetenv("LD_PRELOAD");
    unsetenv(variable);
    free(path);
    return pid;
}

int cluster_kill(pid_t controller)
{
    int status = 0;
    kill(controller, SIGKILL);
    while (waitpid(controller, &status, 0) < 0 && errno == EINTR)
        ;
    running = 0;
    return status;
}

pid_t cluster_restart(pid_t controller)
{
    cluster_kill(controller);
    return cluster_spawn(NULL);
}

struct client *cluster_connect(void)
{
    struct client *c = NULL;
    struct errtext err = {""};
    if (client_connect_wait("test", 0, CONNECT_MS, &c, &err) < 0)
        fail_msg("no controller answers: %s", err.s);
    return c;
}

int cluster_submit(struct client *c, const char *request_id, const char *script, uint32_t *ret_job)
{
    char cwd[4096];
    assert_non_null(getcwd(cwd, sizeof cwd));
    struct msg_submit m = {.kind = JOB_KIND_BATCH};
    job_req_init(&m.req);
    m.request_id = xstrdup(request_id);
    m.req.name = xstrdup("test");
    m.req.workdir = xstrdup(cwd);
    m.req.std_out = xstrdup("/dev/null");
    m.payload.script.n = strlen(script);
    m.payload.script.p = xmemdup(script, m.payload.script.n);
    m.payload.workdir = xstrdup(cwd);
    m.payload.umask = 022;
    strv_push(&m.payload.env, "PATH=/usr/bin:/bin");
    enum msg_kind kind;
    void *body = NULL;
    struct errtext err;
    int r = client_call(c, MSG_SUBMIT, &m, &kind, &body, &err);
    rec_fini(&msg_submit_rec, &m);
    if (r < 0)
        return r;
    const struct msg_result *result = body;
    if (kind != MSG_RESULT)
        fail_msg("SUBMIT is answered with %s", msg_name(kind));
    r = result->refusal == REFUSAL_NONE ? 0 : -EACCES;
    if (result->refusal != REFUSAL_NONE && result->refusal != REFUSAL_READ_ONLY &&
        result->refusal != REFUSAL_SHUTTING_DOWN)
        fail_msg("refused: %s", result->text);
    *ret_job = result->job;
    msg_free(kind, body);
    return r;
}

void cluster_fetch(struct client *c, struct model *ret)
{
    struct msg_get get = {.what = GET_SPEC | GET_NODES | GET_JOBS};
    struct errtext err = {""};
    model_init(ret);
    if (client_fetch(c, &get, ret, &err) < 0)
        fail_msg("cannot fetch the state: %s", err.s);
}

static bool is_over(void *ctx)
{
    pid_t *pid = ctx;
    int status;
    return waitpid(*pid, &status, WNOHANG) == *pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void cluster_stop(pid_t controller)
{
    struct client *c = cluster_connect();
    struct msg_flag flag = {.on = true};
    enum msg_kind kind;
    void *body;
    struct errtext err;
    if (client_call(c, MSG_SHUTDOWN, &flag, &kind, &body, &err) == 0)
        msg_free(kind, body);
    client_free(c);
    if (!cluster_eventually(STOP_MS, 10, is_over, &controller))
        fail_msg("the controller does not stop");
    running = 0;
}

/* --- what is on disk --- */

static int fold(void *ctx, struct event *ev)
{
    struct model *m = ctx;
    if (model_apply(m, ev) < 0)
        fail_msg("event %llu %s of job %u does not fit", (unsigned long long)ev->seq, event_name(ev->kind),
                 ev->job);
    event_fini(ev);
    return 0;
}

static void on_commit(void *ctx, uint64_t ticket, int r, const char *text)
{
    (void)ctx;
    (void)ticket;
    (void)r;
    (void)text;
}

struct payload {
    bool answered;
    size_t n;
};

static void on_payload(void *ctx, uint32_t job, int32_t step, const uint8_t *p, size_t n)
{
    struct payload *got = ctx;
    (void)job;
    (void)step;
    (void)p;
    got->answered = true;
    got->n = n;
}

static struct store *open_store(int (*fn)(void *ctx, struct event *ev), void *ctx)
{
    char *dir = xasprintf("%s/state", home());
    struct store_callbacks cb = {.on_commit = on_commit};
    struct store *s = NULL;
    struct errtext err = {""};
    if (store_open(dir, &cb, &s, &err) < 0 || store_load(s, fn, ctx, &err) < 0)
        fail_msg("what is on disk cannot be read: %s", err.s);
    free(dir);
    return s;
}

struct store *cluster_open_store(int (*fn)(void *ctx, struct event *ev), void *ctx)
{
    return open_store(fn, ctx);
}

static int ignore(void *ctx, struct event *ev)
{
    (void)ctx;
    event_fini(ev);
    return 0;
}

struct reading {
    struct store *store;
    struct payload *got;
};

static bool is_read(void *ctx)
{
    const struct reading *r = ctx;
    store_dispatch(r->store);
    return r->got->answered;
}

size_t cluster_payload_size(uint32_t job, int32_t step)
{
    struct payload got = {.answered = false};
    struct reading r = {.store = open_store(ignore, NULL), .got = &got};
    store_get_payload(r.store, job, step, on_payload, &got);
    if (!cluster_eventually(STOP_MS, 5, is_read, &r))
        fail_msg("the payload of %u.%d is not read", job, step);
    store_close(r.store);
    return got.n;
}

void cluster_load(struct model *ret)
{
    struct errtext err = {""};
    model_init(ret);
    struct store *s = cluster_open_store(fold, ret);
    uint32_t last = store_last_job(s);
    if (last >= ret->next_job)
        ret->next_job = last + 1;
    store_close(s);
    if (model_check(ret, &err) < 0)
        fail_msg("what is on disk contradicts itself: %s", err.s);
}

int64_t cluster_start_ms(void)
{
    int64_t t0 = cluster_now_ms();
    pid_t pid = cluster_spawn(NULL);
    client_free(cluster_connect());
    int64_t ms = cluster_now_ms() - t0;
    cluster_kill(pid);
    return ms;
}

bool cluster_is_empty(void *ctx)
{
    struct client *c = ctx;
    struct model m;
    cluster_fetch(c, &m);
    bool empty = m.n_pending == 0 && m.n_active == 0;
    model_fini(&m);
    return empty;
}
