/* agent_driver.c - a controller in miniature. */
#include "tests/lib/agent_driver.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/task/proc.h"
#include "src/base/xalloc.h"
#include "src/values/units.h"
#include "tests/lib/check.h"

#define STEP_MS 5

static int64_t now_ms(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

void driver_await(bool (*cond)(void *ctx), void *ctx, const char *what)
{
    for (int64_t until = now_ms() + DRIVER_WAIT_MS; !cond(ctx); poll(NULL, 0, STEP_MS))
        if (now_ms() > until)
            fail_msg("waited without result: %s", what);
}

void driver_init(struct driver *d)
{
    *d = (struct driver){.fd = -1, .epoch = 1, .detect = true};
    const char *tmp = getenv("TMPDIR");
    snprintf(d->dir, sizeof d->dir, "%.200s/st-agent.XXXXXX", tmp && access(tmp, W_OK) == 0 ? tmp : "/tmp");
    assert_non_null(mkdtemp(d->dir));
    /* Jobs of other users pass through the directory that the runner made for this test alone. */
    struct stat st;
    if (geteuid() == 0 && tmp && stat(tmp, &st) == 0 && st.st_uid == 0 && (st.st_mode & 07777) == 0700)
        chmod(tmp, 0711);
    chmod(d->dir, 0755);
    snprintf(d->cluster, sizeof d->cluster, "%.40s", strrchr(d->dir, '/') + 1);
    /* What a failed test leaves comes to this process, which ends it. */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    char work[300];
    snprintf(work, sizeof work, "%s/work", d->dir);
    assert_int_equal(mkdir(work, 0755), 0);
    snprintf(d->agent_dir, sizeof d->agent_dir, "%s/agent", d->dir);
}

static void kill_all(void)
{
    struct proc_list tree = {0};
    for (;;) {
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
        proc_descendants(getpid(), &tree);
        if (!tree.n)
            break;
        for (size_t i = 0; i < tree.n; i++)
            proc_signal(&tree.v[i], SIGKILL);
        poll(NULL, 0, STEP_MS);
    }
    proc_list_fini(&tree);
}

void driver_fini(struct driver *d)
{
    driver_hang_up(d);
    if (d->agent)
        driver_kill(d, SIGTERM);
    kill_all();
    for (size_t i = 0; i < d->n_kept; i++)
        msg_free(d->kept[i].type, d->kept[i].body);
    d->n_kept = 0;
    pid_t pid = fork();
    if (pid == 0) {
        execlp("rm", "rm", "-rf", d->dir, (char *)NULL);
        _exit(127);
    }
    waitpid(pid, NULL, 0);
}

int driver_dial(struct driver *d)
{
    struct sockaddr_un sa = {.sun_family = AF_UNIX};
    int dir = open(d->agent_dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int fd = dir < 0 ? -1 : socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(sa.sun_path, sizeof sa.sun_path, "/proc/self/fd/%d/agent.sock", dir);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&sa, sizeof sa) < 0) {
        close(fd);
        fd = -1;
    }
    if (dir >= 0)
        close(dir);
    return fd;
}

static bool listens(void *ctx)
{
    struct driver *d = ctx;
    int fd = driver_dial(d);
    if (fd >= 0)
        close(fd);
    int status;
    if (fd < 0 && waitpid(d->agent, &status, WNOHANG) == d->agent)
        fail_msg("the agent ended at once, status %d", status);
    return fd >= 0;
}

const char *driver_account(void)
{
    return geteuid() == 0 ? getenv(DRIVER_ACCOUNT_VARIABLE) : NULL;
}

pid_t driver_agent(const struct driver *d)
{
    struct proc_list tree = {0};
    pid_t agent = driver_account() ? 0 : d->agent;
    char path[64], name[32];
    if (!agent)
        proc_descendants(d->agent, &tree);
    for (size_t i = 0; i < tree.n && !agent; i++) {
        snprintf(path, sizeof path, "/proc/%d/comm", (int)tree.v[i].pid);
        if (tree.v[i].ppid == d->agent && proc_read_file(path, name, sizeof name) > 0 &&
            strcmp(name, "stoker-agent\n") == 0)
            agent = tree.v[i].pid;
    }
    proc_list_fini(&tree);
    assert_true(agent > 1);
    return agent;
}

void driver_start(struct driver *d)
{
    char log[320];
    snprintf(log, sizeof log, "%s/agent.log", d->dir);
    d->agent = fork();
    assert_true(d->agent >= 0);
    if (d->agent == 0) {
        const char *account = driver_account();
        execlp("stoker-agent", "stoker-agent", "--node", "n1", "--dir", d->agent_dir, "--log", log,
               account ? "--account" : NULL, account, (char *)NULL);
        _exit(127);
    }
    driver_await(listens, d, "the agent listens");
}

static bool has_gone(void *ctx)
{
    int fd = driver_dial(ctx);
    if (fd >= 0)
        close(fd);
    return fd < 0;
}

void driver_kill(struct driver *d, int signo)
{
    kill(d->agent, signo);
    assert_int_equal(waitpid(d->agent, NULL, 0), d->agent);
    d->agent = 0;
    if (driver_account()) /* it was the launcher */
        driver_await(has_gone, d, "the agent goes with its launcher");
}

void driver_hang_up(struct driver *d)
{
    if (d->fd >= 0)
        close(d->fd);
    d->fd = -1;
    frame_reader_fini(&d->in);
}

void driver_restart(struct driver *d, const char *policy)
{
    driver_hang_up(d);
    driver_kill(d, SIGTERM);
    char *path = xasprintf("%s/policy", d->agent_dir);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(policy, f);
    fclose(f);
    assert_int_equal(chmod(path, 0600), 0);
    free(path);
    driver_connect(d);
}

void driver_send(struct driver *d, enum msg_kind kind, uint64_t tag, const void *body)
{
    struct str out = STR_INIT;
    msg_append(&out, kind, tag, body);
    for (size_t at = 0; at < out.len;) {
        ssize_t n = send(d->fd, out.s + at, out.len - at, MSG_NOSIGNAL);
        if (n <= 0)
            break; /* the answer that does not come is the failure */
        at += (size_t)n;
    }
    str_fini(&out);
}

/* One more message, NULL after the deadline or at the end of the stream. */
static bool receive(struct driver *d, struct driver_msg *ret, int64_t until)
{
    for (;;) {
        struct frame f;
        int r = frame_reader_next(&d->in, &f);
        if (r < 0)
            return false;
        if (r > 0) {
            struct errtext err;
            *ret = (struct driver_msg){.type = f.type, .tag = f.tag};
            if (msg_decode(&f, &ret->body, &err) < 0)
                fail_msg("the agent sent what cannot be read: %s", err.s);
            return true;
        }
        int64_t left = until - now_ms();
        struct pollfd p = {.fd = d->fd, .events = POLLIN};
        if (d->fd < 0 || left <= 0 || poll(&p, 1, (int)left) <= 0)
            return false;
        ssize_t n = recv(d->fd, frame_reader_space(&d->in, 65536), 65536, 0);
        if (n <= 0)
            return false;
        frame_reader_added(&d->in, (size_t)n);
    }
}

void *driver_wait(struct driver *d, enum msg_kind kind, bool (*match)(const void *body, const void *ctx),
                  const void *ctx, int timeout_ms)
{
    for (size_t i = 0; i < d->n_kept; i++)
        if (d->kept[i].type == kind && (!match || match(d->kept[i].body, ctx))) {
            void *body = d->kept[i].body;
            memmove(&d->kept[i], &d->kept[i + 1], (d->n_kept - i - 1) * sizeof d->kept[0]);
            d->n_kept--;
            return body;
        }
    int64_t until = now_ms() + timeout_ms;
    for (struct driver_msg m; receive(d, &m, until);) {
        if (m.type == kind && (!match || match(m.body, ctx)))
            return m.body;
        if (d->n_kept == N_OF(d->kept)) {
            msg_free(d->kept[0].type, d->kept[0].body);
            memmove(&d->kept[0], &d->kept[1], --d->n_kept * sizeof d->kept[0]);
        }
        d->kept[d->n_kept++] = m;
    }
    return NULL;
}

struct msg_agent *driver_greet(struct driver *d)
{
    char node[] = "n1", program[] = "driver";
    driver_hang_up(d);
    d->fd = driver_dial(d);
    assert_true(d->fd >= 0);
    struct msg_hello h = {.version = PROTO_VERSION,
                          .program = program,
                          .cluster = d->cluster,
                          .epoch = d->epoch,
                          .incarnation = d->incarnation,
                          .node = node,
                          .kill_wait_s = 5,
                          .spec = {.name = node, .detect = d->detect, .gpus = UINT32_MAX}};
    driver_send(d, MSG_HELLO, 1, &h);
    struct msg_agent *m = driver_wait(d, MSG_AGENT, NULL, NULL, DRIVER_WAIT_MS);
    assert_non_null(m);
    return m;
}

void driver_connect(struct driver *d)
{
    if (!d->agent)
        driver_start(d);
    struct msg_agent *m = driver_greet(d);
    if (m->refused)
        fail_msg("refused: %s", m->refused);
    msg_free(MSG_AGENT, m);
}

void driver_launch_init(struct driver *d, struct launch *l, uint32_t job, const char *command)
{
    *l = (struct launch){
        .key = {.job = job, .step = STEP_BATCH, .attempt = 1, .nonce = d->nonce},
        .cluster = xstrdup(d->cluster),
        .epoch = d->epoch,
        .uid = geteuid(),
        .gid = getegid(),
        .workdir = xasprintf("%s/work", d->dir),
        .time_limit_s = DURATION_UNLIMITED,
        .kill_wait_s = 5,
        .umask = 022,
        .is_batch = true,
        .job_name = xstrdup("test"),
    };
    strv_push(&l->argv, "sh");
    strv_push(&l->argv, "-c");
    strv_push(&l->argv, command);
    strv_push(&l->env, "PATH=/usr/local/bin:/usr/bin:/bin");
    struct launch_rank *r = rec_list_push(&l->ranks);
    r->std_out = xasprintf("%u.out", job);
    r->std_err = xstrdup(r->std_out);
}

void driver_run(struct driver *d, uint32_t job, const char *command)
{
    struct launch l;
    driver_launch_init(d, &l, job, command);
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
}

static bool end_of(const void *body, const void *ctx)
{
    const struct launch_end *e = body;
    return e->key.job == *(const uint32_t *)ctx;
}

static bool status_of(const void *body, const void *ctx)
{
    const struct launch_status *s = body;
    return s->key.job == *(const uint32_t *)ctx;
}

struct launch_end *driver_end(struct driver *d, uint32_t job, bool ack)
{
    struct launch_end *e = driver_wait(d, MSG_TASK_END, end_of, &job, DRIVER_WAIT_MS);
    if (!e)
        fail_msg("no end of job %u came", job);
    if (ack)
        driver_send(d, MSG_END_ACK, 0, &e->key);
    return e;
}

struct launch_status *driver_running(struct driver *d, uint32_t job)
{
    struct launch_status *s = driver_wait(d, MSG_TASK_RUNNING, status_of, &job, DRIVER_WAIT_MS);
    if (!s)
        fail_msg("job %u does not run", job);
    return s;
}

void driver_terminate(struct driver *d, uint32_t job, uint32_t cause, uint32_t grace_s, const char *note)
{
    struct launch_kill k = {.key = {.job = job, .step = STEP_BATCH, .attempt = 1},
                            .cause = cause,
                            .grace_s = grace_s,
                            .note = xstrdup(note)};
    driver_send(d, MSG_KILL, 0, &k);
    rec_fini(&launch_kill_rec, &k);
}

char *driver_file(const struct driver *d, const char *name)
{
    char *path = xasprintf("%s/work/%s", d->dir, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    free(path);
    struct str text = STR_INIT;
    char buf[4096];
    for (ssize_t n; fd >= 0 && (n = read(fd, buf, sizeof buf)) > 0;)
        str_append_n(&text, buf, (size_t)n);
    if (fd >= 0)
        close(fd);
    return str_take(&text);
}

char *driver_await_file(const struct driver *d, const char *name, const char *part)
{
    for (int64_t until = now_ms() + DRIVER_WAIT_MS;; poll(NULL, 0, STEP_MS)) {
        char *text = driver_file(d, name);
        if (strstr(text, part))
            return text;
        if (now_ms() > until)
            fail_msg("%s never held \"%s\" but \"%s\"", name, part, text);
        free(text);
    }
}
