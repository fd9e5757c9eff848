/* fakectl.c - the controller of a script. */
#include "tests/lib/fakectl.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/os/unixsock.h"
#include "tests/lib/check.h"

static void send_frame(int fd, enum msg_kind kind, uint64_t tag, const void *body)
{
    struct str out = STR_INIT;
    msg_append(&out, kind, tag, body);
    for (size_t at = 0; at < out.len;) {
        ssize_t n = send(fd, out.s + at, out.len - at, MSG_NOSIGNAL);
        if (n <= 0)
            break;
        at += (size_t)n;
    }
    str_fini(&out);
}

static void greet_back(int fd, uint64_t tag, enum manner manner)
{
    char text[] = "you are too old", release[] = "9.9";
    struct msg_result refused = {.refusal = 1, .text = text};
    struct msg_welcome welcome = {
        .version = manner == TOO_NEW ? 99 : PROTO_VERSION, .uid = getuid(), .release = release};
    if (manner == REFUSES)
        send_frame(fd, MSG_RESULT, tag, &refused);
    else
        send_frame(fd, MSG_WELCOME, tag, &welcome);
}

static void answer_get(int fd, uint64_t tag, const struct msg_get *get)
{
    char name[] = "n1", user[] = "alice", uuid[] = "u-1", local[] = "local", compute[] = "compute";
    struct cluster_spec spec = {0};
    struct node_spec *ns = rec_list_push(&spec.nodes);
    ns->name = xstrdup(name);
    send_frame(fd, MSG_SPEC, tag, &spec);
    rec_fini(&cluster_spec_rec, &spec);

    struct node node = {
        .spec = {.name = name, .transport = local, .role = compute}, .state = NODE_UP, .cpus = 4};
    struct msg_nodes nodes = {.rows = {.v = &node, .n = 1}};
    send_frame(fd, MSG_NODES, tag, &nodes);

    struct job *j = job_new();
    j->id = 7;
    j->user = user;
    struct msg_jobs jobs = {.rows = {.v = j, .n = 1}};
    send_frame(fd, MSG_JOBS, tag, &jobs);
    j->user = NULL;
    job_free(j);

    struct msg_snapshot snapshot = {
        .seq = 10, .epoch = 3, .next_job = 8, .now = {.ms = 5000}, .n_jobs = 1, .uuid = uuid};
    send_frame(fd, MSG_SNAPSHOT, tag, &snapshot);
    if (!get->follow)
        return;

    struct ev_hold hold = {.hold = HOLD_USER, .uid = 1};
    struct event old = {.seq = 10, .t = {.ms = 5000}, .kind = EV_RETIRE, .job = 7};
    struct event ev = {.seq = 11, .t = {.ms = 6000}, .kind = EV_HOLD, .job = 7, .body = &hold};
    struct event *events[] = {&old, &ev};
    for (size_t i = 0; i < 2; i++) {
        struct msg_event msg;
        event_to_msg(events[i], &msg);
        send_frame(fd, MSG_EVENT, tag, &msg);
        rec_fini(&msg_event_rec, &msg);
    }
    struct job_reason rows[] = {{.job = 7, .reason = REASON_RESOURCES},
                                {.job = 99, .reason = REASON_PRIORITY}};
    struct msg_reasons reasons = {.rows = {.v = rows, .n = 2}};
    send_frame(fd, MSG_REASONS, tag, &reasons);
}

/* Returns false to end the connection. */
static bool answer(int fd, const struct frame *f, enum manner manner, bool *ret_end)
{
    void *body = NULL;
    struct errtext err;
    char text[64];
    if (msg_decode(f, &body, &err) < 0)
        return false;
    bool go_on = true;
    struct msg_result result = {.text = text};
    switch ((int)f->type) {
    case MSG_HELLO:
        if (manner == HANGS_UP)
            go_on = false;
        else if (manner == GARBAGE)
            go_on = write(fd, "\xff\xff\xff\xff garbage garbage", 20) == 20;
        else if (manner == BROKEN)
            go_on = write(fd, "\x01\0\0\0\x01\0\0\0\x01\0\0\0\0\0\0\0\x05", 17) == 17;
        else
            greet_back(fd, f->tag, manner);
        break;
    case MSG_ACT: { /* two pushes and a ping come before the answer, which counts the pongs so far */
        static uint32_t pongs;
        send_frame(fd, MSG_RESYNC, 1000, NULL);
        send_frame(fd, MSG_PING, 77, NULL);
        struct frame_reader r = {0};
        struct frame pong;
        while (frame_reader_next(&r, &pong) == 0) {
            ssize_t n = recv(fd, frame_reader_space(&r, 4096), 4096, 0);
            if (n <= 0)
                break;
            frame_reader_added(&r, (size_t)n);
        }
        pongs += pong.type == MSG_PONG && pong.tag == 77;
        frame_reader_fini(&r);
        send_frame(fd, MSG_RESYNC, 1001, NULL);
        result.count = pongs;
        snprintf(text, sizeof text, "done");
        send_frame(fd, MSG_RESULT, f->tag, &result);
        break;
    }
    case MSG_GET: answer_get(fd, f->tag, body); break;
    case MSG_DRAIN: /* says how much it got */
        snprintf(text, sizeof text, "%zu names", ((struct msg_drain *)body)->nodes.n);
        send_frame(fd, MSG_RESULT, f->tag, &result);
        break;
    case MSG_STATS: { /* a kind from the future, then an answer */
        struct str out = STR_INIT;
        size_t at = frame_begin(&out);
        frame_end(&out, at, MSG_N_KINDS + 5, 0, 2000);
        go_on = write(fd, out.s, out.len) == (ssize_t)out.len;
        str_fini(&out);
        struct msg_stats stats = {.submits = 5};
        send_frame(fd, MSG_STATS_DATA, f->tag, &stats);
        break;
    }
    case MSG_SHUTDOWN:
        *ret_end = true;
        go_on = false;
        break;
    default: go_on = false;
    }
    msg_free(f->type, body);
    return go_on;
}

static void serve_connection(int fd, enum manner manner, bool *ret_end)
{
    struct frame_reader r = {0};
    for (bool go_on = true; go_on;) {
        ssize_t n = recv(fd, frame_reader_space(&r, 65536), 65536, 0);
        if (n <= 0)
            break;
        frame_reader_added(&r, (size_t)n);
        struct frame f;
        while (go_on && frame_reader_next(&r, &f) == 1)
            go_on = answer(fd, &f, manner, ret_end);
    }
    frame_reader_fini(&r);
}

int fakectl_listen(const char *path)
{
    int fd = unixsock_listen(path, 0600, 16);
    if (fd < 0)
        fail_msg("listen at %s: %s", path, strerror(-fd));
    return fd;
}

_Noreturn void fakectl_serve(int listener, enum manner manner)
{
    alarm(250); /* less than a test may take */
    for (bool end = false; !end;) {
        fd_set set;
        FD_ZERO(&set);
        FD_SET(listener, &set);
        if (select(listener + 1, &set, NULL, NULL, NULL) < 0)
            break;
        int fd = accept(listener, NULL, NULL);
        if (fd < 0)
            continue;
        serve_connection(fd, manner, &end);
        if (end) /* before the connection: a peer that sees it end finds no thread here */
            close(listener);
        close(fd);
    }
    _exit(0);
}

char fakectl_home[] = "/tmp/st-client.XXXXXX";
pid_t fakectl_pid;

void fakectl_make_dir(const char *format, ...)
{
    char path[2000];
    va_list ap;
    va_start(ap, format);
    vsnprintf(path, sizeof path, format, ap);
    va_end(ap);
    if (mkdir(path, 0700) < 0)
        assert_int_equal(errno, EEXIST);
}

void fakectl_put(const char *name, const char *text, mode_t mode)
{
    char *path = xasprintf("%s/%s", fakectl_home, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(path, mode), 0);
    free(path);
}

void fakectl_start(const char *path, enum manner manner)
{
    int fd = fakectl_listen(path);
    fakectl_pid = fork();
    assert_true(fakectl_pid >= 0);
    if (fakectl_pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        fakectl_serve(fd, manner);
    }
    close(fd);
}

void fakectl_stop(void)
{
    kill(fakectl_pid, SIGKILL);
    assert_int_equal(waitpid(fakectl_pid, NULL, 0), fakectl_pid);
    fakectl_pid = 0;
}

char *fakectl_socket_path(void)
{
    fakectl_make_dir("%s/run", fakectl_home);
    return xasprintf("%s/run/controller.sock", fakectl_home);
}

struct client *fakectl_connect(void)
{
    struct client *c = NULL;
    struct errtext err = {""};
    if (client_connect("test", 0, &c, &err) < 0)
        fail_msg("%s", err.s);
    return c;
}

int fakectl_set_up(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(fakectl_home));
    return setenv("STOKER_HOME", fakectl_home, 1);
}

static void remove_all(void)
{
    char *command = xasprintf("rm -rf '%s'/*", fakectl_home);
    assert_int_equal(system(command), 0);
    free(command);
}

int fakectl_tear_down(void **state)
{
    (void)state;
    if (fakectl_pid)
        fakectl_stop();
    remove_all();
    return rmdir(fakectl_home);
}

int fakectl_clean(void **state)
{
    (void)state;
    if (fakectl_pid)
        fakectl_stop();
    remove_all();
    return setenv("STOKER_HOME", fakectl_home, 1);
}
