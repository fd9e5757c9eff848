/* bench_memory.c - what open screens take: stoker-ui on terminals of their own, before a controller with
 * many jobs of many users. Proportional set sizes: what processes share is counted once, in parts.
 *
 *     bench_memory [-u USERS] [-j JOBS_OF_EACH] [-c CONFIG_DIR]
 *
 * Each user submits held jobs, then opens a screen on its own jobs (CONFIG_DIR/stoker/views.cfg says so);
 * when all of them show theirs, root opens one on all jobs. As root, with a controller for all users.
 */
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/str.h"
#include "src/base/vec.h"
#include "tests/bench/common.h"

#define FIRST_UID  20000u
#define ON_THE_WAY 100

static void become(uid_t uid)
{
    if (setresgid(uid, uid, uid) < 0 || setresuid(uid, uid, uid) < 0)
        fail("become", "only root can become another user");
}

/* --- jobs --- */

static void take_answer(struct client *c)
{
    struct incoming in;
    struct errtext err = {0};
    if (client_next(c, -1, &in, &err) < 0)
        fail("no answer", err.s);
    const struct msg_result *r = in.body;
    if (in.kind != MSG_RESULT || r->refusal != REFUSAL_NONE)
        fail("refused", in.kind == MSG_RESULT ? r->text : msg_name(in.kind));
    msg_free(in.kind, in.body);
}

/* With names and output files of their own. */
static void submit_jobs(uint32_t user, uint32_t n)
{
    struct client *c;
    struct msg_submit m;
    struct errtext err = {0};
    become(FIRST_UID + user);
    if (client_connect("bench", 0, &c, &err) < 0)
        fail("connect", err.s);
    make_submit(&m, "/tmp");
    m.hold = true;
    for (uint32_t sent = 0, answered = 0; answered < n; answered++) {
        for (; sent < n && sent < answered + ON_THE_WAY; sent++) {
            free(m.request_id);
            m.request_id = client_request_id();
            free(m.req.name);
            m.req.name = xasprintf("job-%03u-%05u", user, sent);
            free(m.req.std_out);
            m.req.std_out = xasprintf("/home/user%03u/projects/vision/runs/%05u/%%j.out", user, sent);
            if (client_send(c, MSG_SUBMIT, &m, NULL, &err) < 0)
                fail("send", err.s);
        }
        take_answer(c);
    }
    rec_fini(&msg_submit_rec, &m);
    client_free(c);
    exit(0);
}

static void submit_all(uint32_t users, uint32_t jobs)
{
    for (uint32_t u = 0; u < users; u++) {
        int status = 0;
        pid_t pid = fork();
        if (pid == 0)
            submit_jobs(u, jobs);
        if (waitpid(pid, &status, 0) != pid || status)
            fail("submit", "a user could not");
    }
}

/* --- screens --- */

struct screen {
    pid_t pid;
    int fd;
    struct str text; /* as it came, escapes and all */
    bool shows;
};

static struct screen open_screen(uid_t uid, const char *config)
{
    struct screen s = {.text = STR_INIT};
    struct winsize size = {.ws_row = 50, .ws_col = 160};
    s.pid = forkpty(&s.fd, NULL, NULL, &size);
    if (s.pid == 0) {
        setenv("TERM", "xterm-256color", 1);
        setenv("HOME", "/nonexistent", 1);
        setenv("XDG_CONFIG_HOME", config, 1);
        become(uid);
        execlp("stoker-ui", "stoker-ui", (char *)NULL);
        _exit(127);
    }
    if (s.pid < 0)
        fail("forkpty", "no terminal");
    fcntl(s.fd, F_SETFL, O_NONBLOCK);
    return s;
}

/* Reads what it has drawn; wanted: what it shows in the end. */
static void look(struct screen *s, const char *wanted)
{
    char bytes[65536];
    ssize_t n;
    while ((n = read(s->fd, bytes, sizeof bytes)) > 0)
        if (!s->shows)
            str_append_n(&s->text, bytes, (size_t)n);
    s->shows = s->shows || (s->text.len && strstr(s->text.s, wanted));
}

static void wait_for(struct screen *v, size_t n, const char *wanted)
{
    double end = now_ms() + 120e3;
    for (size_t shown = 0; shown < n;) {
        struct pollfd *fds = xcalloc(n, sizeof *fds);
        for (size_t i = 0; i < n; i++)
            fds[i] = (struct pollfd){.fd = v[i].fd, .events = POLLIN};
        if (poll(fds, n, 1000) < 0 || now_ms() > end)
            fail("screens", "they do not show their jobs");
        shown = 0;
        for (size_t i = 0; i < n; i++) {
            look(&v[i], wanted);
            shown += v[i].shows;
        }
        free(fds);
    }
}

/* Megabytes of a line of smaps_rollup. */
static double pss_mb(pid_t pid)
{
    char path[64], line[256];
    double kib = 0;
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)pid);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "Pss:", 4) == 0)
            kib = strtod(line + 4, NULL);
    if (f)
        fclose(f);
    return kib * 1024 / 1e6;
}

static void close_screen(struct screen *s)
{
    close(s->fd); /* else it may wait for its terminal to take what it has written */
    kill(s->pid, SIGKILL);
    waitpid(s->pid, NULL, 0);
    str_fini(&s->text);
}

int main(int argc, char **argv)
{
    uint32_t users = 200, jobs = 500;
    const char *config = "/nonexistent";
    for (int o; (o = getopt(argc, argv, "u:j:c:")) != -1;)
        switch (o) {
        case 'u': users = (uint32_t)strtoul(optarg, NULL, 10); break;
        case 'j': jobs = (uint32_t)strtoul(optarg, NULL, 10); break;
        case 'c': config = optarg; break;
        default: return 2;
        }
    submit_all(users, jobs);
    struct screen *v = xcalloc(users, sizeof *v);
    char wanted[32];
    snprintf(wanted, sizeof wanted, "%u jobs", jobs); /* the title of a group */
    double t0 = now_ms();
    v[0] = open_screen(FIRST_UID, config);
    wait_for(v, 1, wanted);
    printf("%-60s %8.1f ms\n", "a screen on its user's jobs: from its start to its picture", now_ms() - t0);
    for (uint32_t u = 1; u < users; u++)
        v[u] = open_screen(FIRST_UID + u, config);
    wait_for(v, users, wanted);
    double sum = 0, most = 0;
    for (uint32_t u = 0; u < users; u++) {
        double mb = pss_mb(v[u].pid);
        sum += mb;
        most = mb > most ? mb : most;
    }
    printf("%-60s %8.1f MB, the largest %.1f\n", "memory of all screens on the jobs of their users", sum,
           most);
    t0 = now_ms();
    struct screen all = open_screen(0, "/nonexistent");
    snprintf(wanted, sizeof wanted, "%u jobs", users * jobs);
    wait_for(&all, 1, wanted);
    printf("%-60s %8.1f ms\n", "a screen on all jobs: from its start to its picture", now_ms() - t0);
    printf("%-60s %8.1f MB\n", "memory of the screen on all jobs", pss_mb(all.pid));
    close_screen(&all);
    for (uint32_t u = 0; u < users; u++)
        close_screen(&v[u]);
    free(v);
    return 0;
}
