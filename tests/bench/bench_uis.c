/* bench_uis.c - what open screens cost the controller: n of them follow one that has some work, while
 * ten things change a second. Each is a connection of the client library that asked for the state and is
 * pushed what happens, as stoker-ui is.
 *
 * Run by alone_screens.sh, which starts the controller: bench_uis SCREENS SECONDS
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/client/client.h"

#define CHANGES_PER_S 10

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void die(const char *what, const struct errtext *err)
{
    fprintf(stderr, "bench_uis: %s: %s\n", what, err ? err->s : "");
    exit(1);
}

/* Seconds of CPU that the process has taken. */
static double cpu_of(pid_t pid)
{
    char path[64], line[1024];
    unsigned long user = 0, system = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "r");
    const char *at = f && fgets(line, sizeof line, f) ? strrchr(line, ')') : NULL;
    if (!at || sscanf(at, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system) != 2)
        die("no such process", NULL);
    fclose(f);
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

struct screens {
    struct client **c;
    struct pollfd *fds;
    size_t n;
    unsigned long pushes;
};

/* Reads what has come for all of them, waiting up to ms for the first. */
static void drain(struct screens *s, int ms)
{
    if (poll(s->fds, s->n, ms) <= 0)
        return;
    for (size_t i = 0; i < s->n; i++) {
        struct incoming in;
        struct errtext err = {""};
        int rc = 0;
        while (s->fds[i].revents && (rc = client_next(s->c[i], 0, &in, &err)) > 0) {
            s->pushes += in.kind == MSG_EVENT;
            msg_free(in.kind, in.body);
        }
        if (rc < 0)
            die("a screen lost its connection", &err);
    }
}

static void open_screens(struct screens *s, size_t n)
{
    struct errtext err = {""};
    s->c = xcalloc(n, sizeof *s->c);
    s->fds = xcalloc(n, sizeof *s->fds);
    for (; s->n < n; s->n++) {
        struct msg_get get = {.what = GET_SPEC | GET_NODES | GET_JOBS, .follow = true};
        uint64_t tag;
        if (client_connect("bench", 0, &s->c[s->n], &err) < 0 ||
            client_send(s->c[s->n], MSG_GET, &get, &tag, &err) < 0)
            die("connect", &err);
        client_set_nonblocking(s->c[s->n]);
        s->fds[s->n] = (struct pollfd){.fd = client_fd(s->c[s->n]), .events = POLLIN};
        if (s->n % 50 == 49)
            drain(s, 0);
    }
    for (double until = now_s() + 2; now_s() < until;) /* the snapshots */
        drain(s, 200);
}

/* Holds a job and releases it: one change each time. */
static void change(struct client *c, uint32_t job, bool hold)
{
    struct errtext err = {""};
    struct msg_act act = {.act = hold ? ACT_HOLD : ACT_RELEASE};
    enum msg_kind kind;
    void *body;
    *rec_list_push(&act.targets) =
        (struct job_target){.job = job, .array_index = ARRAY_NONE, .step = STEP_ALL};
    if (client_call(c, MSG_ACT, &act, &kind, &body, &err) < 0)
        die("change", &err);
    const struct msg_result *r = body;
    if (kind != MSG_RESULT || r->refusal)
        die("a change was refused", NULL);
    msg_free(kind, body);
    rec_fini(&msg_act_rec, &act);
}

/* Percent of a core that the controller takes, over n seconds of changes. */
static double measure(pid_t pid, struct screens *s, struct client *actor, double seconds)
{
    double begin = now_s(), cpu = cpu_of(pid), next = begin;
    unsigned n = 0;
    while (now_s() - begin < seconds) {
        if (now_s() >= next) {
            change(actor, 1, n++ % 2 == 0);
            next += 1.0 / CHANGES_PER_S;
        }
        double left = (next - now_s()) * 1e3;
        drain(s, left > 0 ? (int)left + 1 : 0);
    }
    return (cpu_of(pid) - cpu) / (now_s() - begin) * 100;
}

int main(int argc, char **argv)
{
    struct errtext err = {""};
    struct screens s = {0};
    struct client *actor;
    struct rlimit files;
    if (argc != 3)
        die("usage: bench_uis SCREENS SECONDS", NULL);
    size_t n = (size_t)atol(argv[1]);
    double seconds = atof(argv[2]);
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    if (client_connect("bench", 0, &actor, &err) < 0)
        die("connect", &err);
    struct ucred peer;
    socklen_t len = sizeof peer;
    if (getsockopt(client_fd(actor), SOL_SOCKET, SO_PEERCRED, &peer, &len) != 0)
        die("whose socket is it", NULL);
    double alone = measure(peer.pid, &s, actor, seconds / 2);
    printf("%-44s %8.2f %% of a core\n", "controller, ten changes a second, no screens", alone);
    open_screens(&s, n);
    s.pushes = 0;
    double with = measure(peer.pid, &s, actor, seconds);
    char what[64];
    snprintf(what, sizeof what, "the same with %zu screens open", n);
    printf("%-44s %8.2f %% of a core\n", what, with);
    printf("%-44s %8.1f\n", "events that each of them was pushed a second",
           (double)s.pushes / (double)n / seconds);
    double begin = now_s(), cpu = cpu_of(peer.pid);
    while (now_s() - begin < seconds / 2)
        drain(&s, 200);
    printf("%-44s %8.2f %% of a core\n", "screens open, nothing changes",
           (cpu_of(peer.pid) - cpu) / (now_s() - begin) * 100);
    return 0;
}
